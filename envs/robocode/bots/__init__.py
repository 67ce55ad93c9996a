"""Robots written by hand, as tables of instructions."""
