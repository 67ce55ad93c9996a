"""Walls, the game of two players who lay bricks behind them as they walk."""
