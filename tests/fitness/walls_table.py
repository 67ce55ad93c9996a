"""Walls with rule lists, set up small for tests, and the same games in plain Python."""

from functools import lru_cache

import jax
import numpy as np

import envs
from envs.walls.view import SYMBOLS
from jaxgp.config import schema
from jaxgp.config.games import cast_of
from jaxgp.evolution.options import GroupsOptions
from jaxgp.games.casting import Cast
from jaxgp.kinds.groups import GroupsFitnessOptions
from jaxgp.operators.options import RuleCreationOptions
from jaxgp.options import make_unchecked
from jaxgp.run.assemble import creator
from jaxgp.seats.options import opponent
from tests.reference import rules as reference
from tests.reference import walls

CODES = {"#": 0, "0": 1, "B": 2, "A": 3}


@lru_cache
def board(size: int = 3, matching: str = "symmetric") -> Cast:
    return cast_of(schema.Config(game={"name": "walls", "size": size}, program={"matching": matching}), envs)


def config(size: int = 3, **algorithm) -> schema.Config:
    """A valid configuration of a small run."""
    made = schema.Config(
        game={"name": "walls", "size": size},
        program={"matching": "symmetric"},
        algorithm=make_unchecked(
            GroupsOptions, {"population": 40, "immigrants": 8, "capacity": 16, "generations": 4} | algorithm
        ),
        logger=schema.LoggerOptions(mode="disabled"),
        compilation_cache=None,
    )
    made.algorithm.creation = RuleCreationOptions(min_rules=2, max_rules=12, dont_care=0.75)
    fixed = {"fixed": opponent("strategy", name="fixed")}
    made.fitness = GroupsFitnessOptions(opponents=fixed, points="result", scale=2.0, max_plies=100_000)
    return made


@lru_cache
def _creation(language, count: int):
    create = creator(language, GroupsOptions(capacity=16, creation=RuleCreationOptions(2, 12, 0.75)))
    return jax.jit(lambda key: create(key, count))


def population(at: Cast, count: int, seed: int = 0):
    """Random rule lists [count] on the host; up to 16 of them are made by one compiled program."""
    made = jax.device_get(_creation(at.language, max(count, 16))(jax.random.key(seed)))
    return jax.tree.map(lambda x: x[:count], made)


def seen(position, size: int, symmetric: bool) -> list[int]:
    """What the reference's player to move sees, as codes of the language."""
    cells = walls.neighbourhood(position, size, symmetric)
    centre = len(cells) // 2
    return [
        CODES[c] if c in CODES else 8 + "NESW".index(c) if i == centre else 4 + "nesw".index(c)
        for i, c in enumerate(cells)
    ]


def game(at: Cast, first, second) -> tuple[int, int]:
    """Play one game of two plain rule lists in plain Python; return the study's points."""
    assert len(SYMBOLS) == 12
    position = walls.start(at.game.size)
    while not position.over:
        view = seen(position, at.language.shape[0], at.options.symmetric)
        action, _ = reference.act(at.language, (first, second)[position.turn], view, at.options.symmetric)
        position = walls.play(position, walls.MOVES[action])
    return position.points


def plain(lists, index: int):
    return reference.plain(jax.tree.map(lambda x: np.asarray(x)[index], lists))
