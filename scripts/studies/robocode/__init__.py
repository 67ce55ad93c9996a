"""Studies of Robocode."""
