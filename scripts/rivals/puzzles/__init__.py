"""Searches of puzzles beside programs outside."""
