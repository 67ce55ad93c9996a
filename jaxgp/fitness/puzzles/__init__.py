"""Fitness on instances of puzzles: of those who solve them, and of sets of instances that evolve against these."""
