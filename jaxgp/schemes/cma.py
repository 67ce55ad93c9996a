"""An evolution strategy for vectors of numbers."""

from jaxgp.evolution.options import CMAOptions

__all__ = ["CMAOptions"]
