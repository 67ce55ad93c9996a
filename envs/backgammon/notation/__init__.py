"""Backgammon as other programs write it: positions by their identifiers, and matches."""
