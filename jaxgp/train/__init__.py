"""The command that trains: `python -m jaxgp.train`, and `scripts/train.py` in a checkout."""
