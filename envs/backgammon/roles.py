"""How genomes play backgammon: a program values the positions after all whole turns of the roll."""

from functools import partial

from jax import Array

from envs.backgammon import language, many
from envs.backgammon.rules import Backgammon, State
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.chosen import ChosenPlayer
from jaxgp.spec import Role


def turn(game: Backgammon, options: language.Options) -> tuple[PrimitiveSet, ChosenPlayer]:
    """Return the set that programs are written in, and how they play."""

    def tree(state: State, men: many.Men) -> Array:
        racing = language.racing(*men) if options.phase == "after" else state.racing
        return racing.astype(int)

    primitives = language.primitive_set()
    return primitives, ChosenPlayer(primitives, lambda men: language.view(*men), tree, partial(many.best_moves, game))


TURN = Role("turn", "a program values the position after every whole turn", "program", language.Options, turn)
