"""The real Robocode: robots as classes of its own language, and battles in it."""
