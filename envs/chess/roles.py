"""How genomes play chess: a program values the position after every move, or the leaves of a search."""

from dataclasses import replace
from functools import partial

import jax.numpy as jnp
from jax import Array

from envs.chess import language, many
from envs.chess.notation import export
from envs.chess.rules import Chess, State
from envs.chess.sums import weighed
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.greedy import ChosenPlayer, WeighedPlayer
from jaxgp.players.searched import SearchedPlayer
from jaxgp.spec import Role


def move(game: Chess, options: language.Options) -> tuple[PrimitiveSet, ChosenPlayer]:
    """Return the set that programs are written in, and how they play."""

    def tree(state: State, after: language.After) -> Array:
        """Return int32[]: 0 with more material, 1 with as much, 2 with less, of the side that moves."""
        ahead = game.material(*after[:2]) * -1 if options.phase == "after" else game.material(state.men, state.kinds)
        return 1 - jnp.sign(ahead.astype(jnp.int32)) if options.trees == "three" else jnp.zeros_like(ahead, jnp.int32)

    random = options.ties == "lot"
    choose = partial(many.best_moves, game, random=random)
    primitives = language.primitive_set(options)
    # Stalemate is always looked at, so that what programs of the tables of the source see does not depend on it.
    names = options.terminals if options.stage != "final" else (*language.SIMPLE, *language.COMPLEX, *language.EXTRA)
    view = partial(language.view, names=names)
    return primitives, ChosenPlayer(primitives, view, tree, partial(_outcome, game), choose, random)


def _outcome(game: Chess, state: State, number: Array) -> language.After:
    """Return what a move by its number leads to."""
    return many.outcome(state, game.choice(state, number))


MOVE = Role(
    "move",
    "a program values the position after every move",
    "program",
    language.Options,
    move,
    exports={"python": export.python},
    features="seen",
)


def leaf(game: Chess, options: language.LeafOptions) -> tuple[PrimitiveSet, SearchedPlayer]:
    """Return the set that programs are written in, that of one tree of role move, and how they play."""

    def view(state: State) -> Array:
        """Return float32[F]: what a program sees of a leaf; its player is the side that has moved last."""
        captured = (state.clock == 0) & (state.plies > 0)
        return language.view(language.After(state.men, state.kinds, captured))

    primitives = language.primitive_set(language.Options("one", erc=options.erc, extra=options.extra))
    return primitives, SearchedPlayer(primitives, game, view, options.depth, mover=False)


LEAF = Role(
    "leaf",
    "a program values the leaves of a search",
    "program",
    language.LeafOptions,
    leaf,
    exports={"python": export.of_leaves},
    deeper=lambda options, plies: replace(options, depth=plies),
    features="seen",
)


def sum_of(game: Chess, options: weighed.SumOptions) -> tuple[PrimitiveSet, WeighedPlayer]:
    """Return the set that weights are written in, and how they play."""
    names = options.weighed(game)
    primitives, random = weighed.weight_set(names), options.ties == "lot"
    choose = partial(many.best_moves, game, random=random)
    seen, outcome, terms = partial(weighed.look, names), partial(_outcome, game), partial(weighed.multiplied, names)
    units = weighed.units(names)
    return primitives, WeighedPlayer(primitives, seen, _only, outcome, choose, random, units=units, terms=terms)


def _only(state: State, after: language.After) -> Array:
    """Return int32[]: the number of the one sum."""
    return jnp.int32(0)


SUM = Role(
    "sum",
    "a sum of weighted terminals and products values moves",
    "program",
    weighed.SumOptions,
    sum_of,
    exports={"python": export.of_sums},
)
