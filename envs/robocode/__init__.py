"""Robocode: two robots fight in an arena."""
