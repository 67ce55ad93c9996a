"""Runs on the page: their list, their records as they grow, curves."""
