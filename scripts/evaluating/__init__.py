"""What `evaluate.py` measures, one file for each kind of game."""
