"""Schemes of algorithms that are not those of `jaxgp.evolution`: archives, CMA-ES, gates, random search."""
