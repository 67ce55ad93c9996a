"""Tournaments of disjoint groups of rule lists."""

from jaxgp.evolution.options import GroupsOptions

__all__ = ["GroupsOptions"]
