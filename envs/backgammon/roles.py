"""How genomes play backgammon: a program values the positions after all whole turns of the roll."""

from jax import Array

from envs.backgammon import language, many, turns, whole
from envs.backgammon.rules import Backgammon, State, racing
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.greedy import ChosenPlayer
from jaxgp.spec import Role


def turn(game: Backgammon, options: language.Options) -> tuple[PrimitiveSet, ChosenPlayer]:
    """Return the set that programs are written in, and how they play."""

    def tree(state: State, men: many.Men) -> Array:
        """Return int[]: which tree values the men of both sides, int8[26] each, after a turn from a state."""
        races = racing(*men) if options.phase == "after" else state.racing
        return races.astype(int)

    def outcome(state: State, number: Array) -> many.Men:
        """Return the men after a whole turn, by its number in their order; numbers beyond the last begin anew."""
        found = whole.whole_turns(game, state)
        return whole.play_turn(state, whole.nth_turn(found, number % found.total))

    primitives = language.primitive_set()
    look = lambda men: language.view(*(side.T for side in men))  # noqa: E731
    choose = lambda states, active, _, value: many.best_moves(game, states, active, value)  # noqa: E731
    names = lambda state: turns.turn_names(game, state)  # noqa: E731
    return primitives, ChosenPlayer(primitives, look, tree, outcome, choose, names=names)


TURN = Role("turn", "a program values the position after every whole turn", "program", language.Options, turn)
