"""Commands of one game, and what they share: the strength of fixed players, and the time of whole games."""
