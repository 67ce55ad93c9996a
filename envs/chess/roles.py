"""How genomes play chess: a program of one tree or three values the position after every move."""

from functools import partial

import jax.numpy as jnp
from jax import Array

from envs.chess import language, many
from envs.chess.rules import Chess, State
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.greedy import ChosenPlayer
from jaxgp.spec import Role


def move(game: Chess, options: language.Options) -> tuple[PrimitiveSet, ChosenPlayer]:
    """Return the set that programs are written in, and how they play."""

    def tree(state: State, after: language.After) -> Array:
        """Return int32[]: 0 with more material, 1 with as much, 2 with less, of the side that moves."""
        ahead = game.material(*after[:2]) * -1 if options.phase == "after" else game.material(state.men, state.kinds)
        return 1 - jnp.sign(ahead.astype(jnp.int32)) if options.trees == "three" else jnp.zeros_like(ahead, jnp.int32)

    def outcome(state: State, number: Array) -> language.After:
        return many.outcome(state, game.choice(state, number))

    random = options.ties == "lot"
    choose = partial(many.best_moves, game, random=random)
    primitives = language.primitive_set(options)
    # Stalemate is always looked at, so that what programs of the tables of the source see does not depend on it.
    names = options.terminals if options.stage != "final" else (*language.SIMPLE, *language.COMPLEX, *language.EXTRA)
    view = partial(language.view, names=names)
    return primitives, ChosenPlayer(primitives, view, tree, outcome, choose, random)


MOVE = Role(
    "move", "a program values the position after every move", "program", language.Options, move, features="seen"
)
