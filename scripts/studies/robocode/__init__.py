"""Studies of Robocode that people run again."""
