"""Measures champions of puzzles: their searches, alone, one after the other, and in the order that costs least."""
