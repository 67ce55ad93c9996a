"""Morpion Solitaire: lines of five on a grid, one new cross each, for one player."""
