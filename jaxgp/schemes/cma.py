"""An evolution strategy for vectors of numbers."""

from jaxgp.evolution.options import CMA

__all__ = ["CMA"]
