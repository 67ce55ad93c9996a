"""How genomes play backgammon: a program values the positions after all whole turns of the roll."""

from functools import partial

from jax import Array

from envs.backgammon import language, many, whole
from envs.backgammon.rules import Backgammon, State
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.greedy import ChosenPlayer
from jaxgp.spec import Role


def turn(game: Backgammon, options: language.Options) -> tuple[PrimitiveSet, ChosenPlayer]:
    """Return the set that programs are written in, and how they play."""

    def tree(state: State, men: many.Men) -> Array:
        racing = language.racing(*men) if options.phase == "after" else state.racing
        return racing.astype(int)

    def outcome(state: State, number: Array) -> many.Men:
        turns = whole.whole_turns(game, state)
        return whole.played(state, whole.nth_turn(turns, number % turns.total))

    primitives = language.primitive_set()
    look = lambda men: language.view(*men)  # noqa: E731
    return primitives, ChosenPlayer(primitives, look, tree, outcome, partial(many.best_moves, game))


TURN = Role("turn", "a program values the position after every whole turn", "program", language.Options, turn)
