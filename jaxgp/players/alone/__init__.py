"""Players of games for one, which have a game of their own."""
