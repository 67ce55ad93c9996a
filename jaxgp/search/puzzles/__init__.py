"""Searches of puzzles: depth first to a bound, best first, and breadth first."""
