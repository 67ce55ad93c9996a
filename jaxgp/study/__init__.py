"""Factorial designs, their models, and groups of runs compared."""
