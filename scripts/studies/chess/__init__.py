"""Studies of chess endgames."""
