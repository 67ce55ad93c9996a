"""Chance in the games of populations: every loop on the device rolls the dice of every game anew, by its key alone."""

from dataclasses import dataclass
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from jax import Array
from scipy import stats

from jaxgp import arrays
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.ring import Ring
from jaxgp.fitness import matches
from jaxgp.fitness.among import coplay
from jaxgp.fitness.panel import PanelFitness
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.operators.options import CreationOptions, MutationOptions
from jaxgp.players.panel import RandomOpponent
from jaxgp.players.program import ProgramOpponent
from jaxgp.store import checkpoint
from tests.host.games import DICE, SPEC

AT = cast(SPEC)
LONGEST = 48
MAX_PLIES = 40


@struct.dataclass
class Logged:
    """A position, and all rolls that led to it; 0 where there were no more."""

    state: object
    rolls: Array  # int32[LONGEST]
    count: Array  # int32[]

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "state"), name)


@dataclass(frozen=True)
class LoggedDice:
    """The dice game with states that say what was rolled."""

    seats = 2
    num_actions = 2
    chance = True

    def init(self, key):
        state = DICE.init(key)
        return Logged(state, jnp.zeros(LONGEST, jnp.int32).at[0].set(state.die), jnp.int32(1))

    def legal_actions(self, state):
        return DICE.legal_actions(state.state)

    def step(self, state, action, key):
        after = DICE.step(state.state, action, key)
        logged = Logged(after, state.rolls.at[state.count].set(after.die), state.count + 1)
        return arrays.where(state.state.terminated, state, logged)

    def forfeit(self, state):
        return state.replace(state=DICE.forfeit(state.state))

    def score(self, state):
        return DICE.score(state.state)


GAME = LoggedDice()
TEXTS = ["(- die 3)", "(- die 2)", "(- die 3)", "(- 3 die)", "1", "0", "(- own other)", "(- die 4)"]
PROGRAMS = jax.tree.map(lambda *x: np.stack(x), *[parse_program(AT.language, text, 8) for text in TEXTS])


@pytest.fixture(scope="module")
def against_panel():
    """(key, programs) -> the games [P, G] against random moves, and against a program."""
    one = jax.tree.map(lambda x: x[:1], PROGRAMS)
    fixed = ProgramOpponent(GAME, AT.actor, lambda key, count: one, 1, rounds=4)
    panel = (RandomOpponent(GAME, games=4), fixed)

    @jax.jit
    def play(key, programs):
        memories = tuple(opponent.init(key) for opponent in panel)
        return matches.play(key, GAME, AT.actor, AT.actor.prepare(programs), panel, memories, MAX_PLIES)[0].states

    return lambda key, programs=PROGRAMS: play(key, programs)


@pytest.fixture(scope="module")
def among_each_other():
    """(key) -> the games [P, N] of the population among itself, the first plies by chance."""

    @jax.jit
    def play(key):
        pairs = coplay.draw(key, len(TEXTS), 8)
        return coplay.play(key, GAME, AT.actor, AT.actor.prepare(PROGRAMS), pairs, MAX_PLIES, 2).states

    return play


def rolls(states):
    """The rolls of each game, without those that nobody was to see any more."""
    both = zip(np.asarray(states.rolls).reshape(-1, LONGEST), np.asarray(states.count).ravel(), strict=True)
    return [row[:count].tolist() for row, count in both]


def fair(counts):
    return stats.chisquare(counts).pvalue > 0.001


@pytest.mark.thorough
@pytest.mark.parametrize("loop", ["against_panel", pytest.param("among_each_other", marks=pytest.mark.slow)])
def test_every_game_has_dice_of_its_own(loop, request):
    play = request.getfixturevalue(loop)
    states = play(jax.random.key(3))
    assert bool(states.state.terminated.all())
    found = rolls(states)
    after = [roll for game in found for roll in game[1:]]
    assert len(after) > 500
    assert fair(np.bincount(after, minlength=7)[1:])
    assert fair(np.bincount([game[0] for game in found], minlength=7)[1:])
    assert fair(np.bincount([6 * a + b - 7 for game in found for a, b in pairwise(game[1:])], minlength=36))
    assert len({tuple(game) for game in found}) == len(found)
    assert rolls(play(jax.random.key(3))) == found
    assert rolls(play(jax.random.key(4))) != found


@pytest.mark.thorough
def test_what_is_rolled_in_a_game_does_not_depend_on_who_plays_it(against_panel):
    """Individuals differ in what they do, so games differ in length; up to there the dice are those of the place."""
    first = rolls(against_panel(jax.random.key(5)))
    others = against_panel(jax.random.key(5), jax.tree.map(lambda x: x[::-1], PROGRAMS))
    for one, other in zip(first, rolls(others), strict=True):
        length = min(len(one), len(other))
        assert one[:length] == other[:length]


@pytest.mark.slow
def test_a_run_of_a_game_with_chance_goes_on_bit_for_bit(tmp_path):
    fitness = PanelFitness(DICE, AT.actor, (RandomOpponent(DICE, games=3),), (1.0,), points="result", max_plies=40)
    algorithm = GPOptions(
        population=12, capacity=8, creation=CreationOptions(max_depth=3), mutation=MutationOptions(0.0)
    )
    ring = Ring(fitness, Generational(AT.language, algorithm))
    step = jax.jit(ring.step)
    before, _ = step(jax.jit(ring.init)(jax.random.key(1)))
    checkpoint.save(tmp_path, 1, before, "dice")
    [(_, path)] = checkpoint.available(tmp_path)
    runs = [step(state) for state in (before, checkpoint.load(path, before, "dice"))]
    plain = jax.tree.map(lambda x: jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x, runs)
    jax.tree.map(np.testing.assert_array_equal, *plain)
    _, metrics = runs[0]
    assert 0 < float(metrics["best_fitness"]) <= 2
