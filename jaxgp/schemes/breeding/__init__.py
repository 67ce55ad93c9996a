"""Schemes of algorithms that are not those of `jaxgp.evolution`: archives, and random search."""
