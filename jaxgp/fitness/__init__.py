"""How good an individual is: its games, and what becomes of their points."""
