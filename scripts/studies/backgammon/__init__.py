"""Studies of backgammon: players from outside."""
