"""Variation operators of genetic programming: creation, selection, crossover, mutation, and breeding with all four."""
