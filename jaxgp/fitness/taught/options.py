"""Options of learning from lessons and from own games. Importing this does not import JAX."""

from dataclasses import dataclass

from jaxgp.options import MAX_GAMES, MAX_PLIES, MAX_POPULATION, Checked, option

MAX_LESSONS = 100_000
MAX_STOCK = 10_000_000
"""Lessons of a file, which stay on the host."""
MAX_TERMS = 1000
MAX_CANDIDATE_TERMS = 10_000
MAX_POSITIONS = 100_000


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


@dataclass
class DifferencesOptions(Checked):
    """Temporal differences: individuals learn from games against themselves, with `algorithm.tune.steps` above 0."""

    games: int = option(
        0,
        "games of an individual against itself in each generation, which it learns from; 0: none",
        low=0,
        high=MAX_GAMES,
    )
    learns: str = option(
        "leaf",
        "leaf: the value at the end of the principal variation; root: the value of the position that is searched",
        ("leaf", "root"),
    )
    positions: int = option(512, "positions of these games that it learns from, at most", low=1, high=MAX_POSITIONS)
    plies: int = option(120, "longer games are left before their end", low=2, high=MAX_PLIES)
    opening: int = option(8, "random moves at the beginning of a game, at most", low=0, high=MAX_PLIES)
    chance: float = option(0.05, "share of later moves that are random", low=0, high=1)
    decay: float = option(
        0.7,
        "lambda: share of the next position's goal in that of a position; the rest is what it is worth",
        low=0,
        high=1,
    )


@dataclass
class AdjointOptions(Checked):
    """Adjoints: drivers learn from rollouts of their own, with `algorithm.tune.steps` above 0."""

    rollouts: int = option(
        0, "rollouts of each individual in each generation, which it learns from; 0: none", low=0, high=MAX_GAMES
    )
    grows: str | None = option(
        None,
        "the quantity that drivers learn to make grow; null: that of fitness.progress, or else the first quantity",
    )
    steps: int = option(
        256, "steps of a rollout that are learned from, one after the other, at most", low=1, high=MAX_POSITIONS
    )
    discount: float = option(
        0.98, "gamma: what growth counts a step later; 0.98: half after 34 steps", low=0, high=0.999
    )
    reach: float = option(
        0.05, "how far values are to move, as a share of their root mean square", low=0, high=1, above=True
    )
