"""Generational genetic programming."""

from jaxgp.evolution.options import Algorithm

__all__ = ["Algorithm"]
