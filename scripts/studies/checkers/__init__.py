"""Studies of checkers: evaluation functions that are learned."""
