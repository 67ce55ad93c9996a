"""Whole boards of chess with all men: state, legal moves, and how they are written. Nothing here knows a mate in n."""
