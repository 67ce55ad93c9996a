"""What `play.py` does: games at a table, rollouts of simulations, problems that are proved, and all of them again."""
