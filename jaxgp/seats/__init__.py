"""Players: their kinds, and agents that choose one move at a time on the host."""
