"""Options of learning from lessons. Importing this does not import JAX."""

from dataclasses import dataclass

from jaxgp.options import MAX_POPULATION, option

MAX_LESSONS = 100_000
MAX_STOCK = 10_000_000
"""Lessons of a file, which stay on the host."""
MAX_TERMS = 1000
MAX_CANDIDATE_TERMS = 10_000


@dataclass
class LearningOptions:
    """Learning from lessons: the fittest get weights by least squares, and new terms; both are inherited."""

    individuals: int = option(
        0, "how many of the fittest learn in each generation; 0: none", low=0, high=MAX_POPULATION
    )
    lessons: int = option(1024, "lessons that they learn from, drawn anew in each generation", low=1, high=MAX_LESSONS)
    terms: int = option(2, "terms that each of their trees gets, where they explain enough", low=1, high=100)
    candidates: int = option(128, "random terms that a new one is chosen among", low=1, high=MAX_CANDIDATE_TERMS)
    most: int = option(300, "terms of a tree whose weights are fitted; the others stay", low=1, high=MAX_TERMS)
