"""Othello, also called Reversi, on boards of even size."""
