"""Simulations, timed."""
