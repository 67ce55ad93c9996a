"""Searches of problems: they prove that the side that moves first wins by force."""
