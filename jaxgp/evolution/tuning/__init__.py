"""Tuning: individuals learn their numbers by a gradient method, within a generation."""
