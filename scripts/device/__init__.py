"""Proves in one command that a device computes what a CPU does, and says how fast: `scripts/bench.py part=gpu`."""
