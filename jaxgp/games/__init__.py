"""Games at hand: a role taken in one, how they are written, and games from folders outside the project."""
