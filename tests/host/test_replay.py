"""The games that a report shows: against the opponents as the run holds them, and with chance of their own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.config import schema
from jaxgp.genotypes import language as languages
from jaxgp.host.agents import opponent_agent, program_agent, random_agent
from jaxgp.host.moves import Stepper, game_key, played
from jaxgp.host.replay import Rival, record
from jaxgp.players.chance import RandomOpponent
from jaxgp.players.options import Opponent
from jaxgp.players.search import SearchOpponent
from jaxgp.run.assemble import assemble
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.spec import cast
from tests.host.games import DICE, SPEC


@pytest.fixture(scope="module")
def experiment():
    """Kalah against two programs that are drawn at the start."""
    config = schema.Config(game={"name": "mancala", "pits": 3, "stones": 2}, program={"move": "next_legal"}, seed=11)
    config.fitness.opponents = {"beginners": Opponent(kind="programs", count=2)}
    config.algorithm.population, config.algorithm.capacity, config.algorithm.creation.max_depth = 4, 16, 3
    return assemble(config, envs)


def genome(experiment, text):
    return languages.parse(experiment.language, text, 16)


def with_bench(experiment, *texts):
    """The state of a run that has these opponents."""
    opponent = experiment.panel["beginners"]
    programs = jax.tree.map(lambda *x: jnp.stack(x), *[genome(experiment, text) for text in texts])
    state = jax.eval_shape(experiment.init, jax.random.key(0))
    champion = state.champion.replace(genome=genome(experiment, "7"))
    return state.replace(memory=(opponent.seat(programs),), champion=champion)


def told(experiment, state):
    """Moves of the opponent in the games that the report shows."""
    return [
        [said.split()[-1] for said, _ in game.frames if "beginners plays" in said] for game in experiment.replay(state)
    ]


def test_the_report_plays_the_opponents_that_the_run_has_met(experiment):
    """The first of them counts its pits from the first on, or from the last on."""
    low, high = (told(experiment, with_bench(experiment, text, "1")) for text in ("0", "2"))
    assert low != high
    player, stepper = experiment.table.player, Stepper(experiment.game, game_key(11, 0))
    for text, found in (("0", low), ("2", high)):
        champion, other = (program_agent(player, genome(experiment, one), one) for one in ("7", text))
        for seat in (0, 1):
            moves = played(stepper, (champion, other) if seat == 0 else (other, champion))
            assert found[seat] == [str(move.action + 1) for move in moves[1:] if move.seat != seat]


def test_an_opponent_of_many_plays_each_game_as_the_one_whose_place_it_is(experiment):
    opponent, state = experiment.panel["beginners"], with_bench(experiment, "0", "2")
    stepper = Stepper(experiment.game, game_key(0))
    start = stepper.opening().state
    for place, text in enumerate(("0", "2", "0", "2")):
        here = opponent_agent(opponent, state.memory[0], "beginners", place)
        alone = program_agent(experiment.table.player, genome(experiment, text), text)
        assert here.choose(start, np.uint32(0)) == alone.choose(start, np.uint32(0))


def test_an_opponent_that_searches_thinks_where_it_remembers_nothing(experiment):
    game = experiment.game
    search = AlphaBeta(game, lambda state: game.score(state)[state.to_move], max_depth=1, tail=1, lanes=1)
    opponent = SearchOpponent(search, 1, table_size=16)
    agent = opponent_agent(opponent, opponent.init(jax.random.key(0)), "search")
    moves = played(Stepper(game, game_key(0)), (agent, random_agent(game)))
    assert bool(moves[-1].state.terminated)
    assert moves[1].action is not None


class Resigning(RandomOpponent):
    """An opponent who gives every game up."""

    def reply(self, memory, states, bits):
        return jnp.full(bits.shape, -1, jnp.int32), jnp.ones(bits.shape, bool)


def test_an_opponent_that_gives_up_forfeits():
    silent = opponent_agent(Resigning(DICE), (), "silent")
    moves = played(Stepper(DICE, game_key(0)), (silent, silent))
    assert [move.action for move in moves] == [None, None]


def test_every_game_has_chance_of_its_own_that_follows_from_the_seed():
    at = cast(SPEC)
    genome = languages.parse(at.language, "(- die 3)", 4)
    rivals = [Rival(name, RandomOpponent(DICE), ()) for name in ("one", "other")]

    def dice(seed):
        games = record(DICE, at.actor, genome, rivals, 50, seed)
        return [tuple(int(move.state.die) for move in moves) for _, _, moves in games]

    assert dice(3) == dice(3)
    assert len({*dice(3), *dice(4)}) == 8
