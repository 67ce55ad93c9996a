"""Measures searches of problems."""
