"""Leagues of champions and their ratings."""
