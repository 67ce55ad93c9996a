"""Tournaments of disjoint groups of rule lists."""

from jaxgp.evolution.options import Groups

__all__ = ["Groups"]
