"""The games that a report shows: against the opponents as the run holds them, and with chance of their own."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.config.schema import Config
from jaxgp.games.outside import Outside
from jaxgp.genotypes import language as languages
from jaxgp.host.replay import Rival, record
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.players.panel import RandomOpponent
from jaxgp.run.assemble import assemble
from jaxgp.seats.agents import opponent_agent
from jaxgp.seats.moves import Stepper, game_key, play_on
from jaxgp.seats.options import opponent
from tests.host.games import DICE, FOLDER

BITS = np.uint32(0)


@pytest.fixture(scope="module")
def experiment():
    """The dice game against two programs that are drawn at the start."""
    panel = PanelFitnessOptions(opponents={"beginners": opponent("program", count=2)})
    return assemble(Config(game={"name": "dice"}, fitness=panel, seed=11), Outside(envs, FOLDER))


@pytest.fixture(scope="module")
def states(experiment):
    """What a run has learned: its champion walks on a roll above 3; of its opponents one always walks, one steps."""
    champion, walk, step = (languages.parse(experiment.language, text, 4) for text in ("(- die 3)", "1", "0"))
    seat = jax.jit(experiment.panel["beginners"].seat)
    return {
        first: SimpleNamespace(
            memory=(seat(jax.tree.map(lambda *x: jnp.stack(x), *bench)),), champion=SimpleNamespace(genome=champion)
        )
        for first, bench in (("walk", (walk, step)), ("step", (step, walk)))
    }


def told(experiment, state):
    """Moves of the opponent in the games that the report shows."""
    return [
        {said.split()[-1] for said, _ in game.frames if "beginners plays" in said}
        for game in experiment.replay(state, 0)
    ]


@pytest.mark.thorough
def test_the_report_plays_the_opponents_that_the_run_has_met(experiment, states):
    for first, state in states.items():
        assert told(experiment, state) == [{first}] * 2


def test_an_opponent_of_many_plays_each_game_as_the_one_whose_place_it_is(experiment, states):
    opponent, state = experiment.panel["beginners"], states["walk"]
    start = Stepper(DICE, game_key(0)).opening().state
    moves = [opponent_agent(opponent, state.memory[0], "one", place).choose(start, BITS) for place in range(4)]
    assert moves == [0, 1, 0, 1]


class Slow(RandomOpponent):
    """An opponent who knows a reply once it has thought about the games that wait."""

    def init(self, key):
        return jnp.zeros((1, 2), bool)

    def reply(self, memory, states, bits):
        return jnp.full((*bits.shape, 1), 1, jnp.int32), memory

    def think(self, memory, states, waiting, bits):
        return memory | waiting, waiting.sum()


@pytest.mark.thorough
def test_an_opponent_thinks_where_it_knows_no_reply():
    agent = opponent_agent(Slow(DICE), Slow(DICE).init(None), "slow", 1)
    moves = play_on(Stepper(DICE, game_key(0)), (agent, agent))
    assert {move.action for move in moves[1:]} == {1}


class Resigning(RandomOpponent):
    """An opponent who gives every game up."""

    def reply(self, memory, states, bits):
        return jnp.full((*bits.shape, 1), -1, jnp.int32), jnp.ones(bits.shape, bool)


def test_an_opponent_that_gives_up_forfeits():
    silent = opponent_agent(Resigning(DICE), (), "silent")
    moves = play_on(Stepper(DICE, game_key(0)), (silent, silent))
    assert [move.action for move in moves] == [None, None]


def test_every_game_has_chance_of_its_own_that_follows_from_the_seed(experiment, states):
    genome = states["walk"].champion.genome
    rivals = [Rival(name, RandomOpponent(DICE), ()) for name in ("one", "other")]

    def dice(seed):
        games = record(experiment.game, experiment.cast.actor, genome, rivals, 50, seed)
        return [tuple(int(move.state.die) for move in moves) for _, _, moves in games]

    assert dice(3) == dice(3)
    assert len({*dice(3), *dice(4)}) == 8
