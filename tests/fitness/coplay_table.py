"""Populations that play each other, set up small for tests."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from jaxgp.config import schema
from jaxgp.evolution.options import GPOptions
from jaxgp.kinds.coplay import CoplayFitnessOptions
from jaxgp.operators.options import CrossoverOptions, MutationOptions, SelectionOptions
from jaxgp.seats.options import guide, opponent
from tests.fitness.mancala_table import CREATION


@dataclass(frozen=True)
class Preferring:
    """Plays the legal move that it prefers; its plans are what it gives for each, float32[P, A].

    Where it would give nothing for any of them, its move is none.
    """

    game: Any
    random: bool = False

    def prepare(self, plans):
        return plans

    def count(self, plans):
        return len(plans)

    def act(self, plans, states, bits, active=None):
        legal = jax.vmap(jax.vmap(self.game.legal_actions))(states)
        worth = jnp.where(legal, plans[:, None], -jnp.inf)
        return worth.argmax(-1).astype(jnp.int32)[..., None], worth.max(-1) > 0


def config(population=8, generations=4, games=2, **guides) -> schema.Config:
    """A small run of coevolution on a small board of Kalah; the best are measured by a search of one ply."""
    algorithm = GPOptions(
        population=population,
        generations=generations,
        elites=0,
        capacity=64,
        creation=CREATION,
        selection=SelectionOptions(method="tournament", tournament_size=2, distinct=True),
        crossover=CrossoverOptions(probability=0.8, method="one_or_two_way"),
        mutation=MutationOptions(probability=0.2, max_depth=3, children=0.0, subtree=1.0),
    )
    fitness = CoplayFitnessOptions(
        opponents={"guide": opponent(depth=1, ties="random", games=2)},
        games=games,
        guides={name: guide(**one) for name, one in guides.items()},
        points="result",
        scale=50.0,
        table_size=1024,
        lanes=8,
        tail=1,
    )
    return schema.Config(
        game={"name": "mancala", "pits": 3, "stones": 3},
        algorithm=algorithm,
        fitness=fitness,
        logger=schema.LoggerOptions(mode="disabled"),
        checkpoint_every=2,
        compilation_cache=None,
    )
