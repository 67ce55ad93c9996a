"""Weights & Biases, a mirror of the record, in a process of its own."""
