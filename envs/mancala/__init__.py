"""Kalah, the mancala game of two rows of pits and two stores."""
