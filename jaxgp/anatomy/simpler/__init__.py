"""A simpler program that decides equally, and the rules by which programs become simpler."""
