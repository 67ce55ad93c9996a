"""Generational genetic programming."""

from jaxgp.evolution.options import GPOptions

__all__ = ["GPOptions"]
