"""Algorithms by their `algorithm.kind`, one a module: its options, which make the scheme."""
