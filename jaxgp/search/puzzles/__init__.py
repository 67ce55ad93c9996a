"""Searches of puzzles: depth first to a bound, best first, in stages, and breadth first."""
