"""Reverse mode through programs: gradients by all of their numbers at once."""
