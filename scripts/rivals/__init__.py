"""What `bench.py` compares with, how it measures, and the same programs in both notations."""
