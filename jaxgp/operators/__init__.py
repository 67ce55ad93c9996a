"""Operators on programs and rule lists: creation, selection, crossover, mutation, and breeding with all four."""
