"""Sums of terminals and of their products: what they see beyond the terminals of trees, and how they are read."""
