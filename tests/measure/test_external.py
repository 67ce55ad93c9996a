"""Series of games against an engine of the tests, and the openings that they begin with."""

import numpy as np
import pytest

import envs
from jaxgp.errors import RunError, UsageError
from jaxgp.games.casting import cast
from jaxgp.measure import external
from jaxgp.measure.external import EngineTerms
from jaxgp.seats.agents import Agent, random_agent
from jaxgp.seats.moves import legal
from jaxgp.seats.options import opponent
from tests.host.engines import fake


@pytest.fixture(scope="module")
def game():
    return envs.make("othello")


def told(start):
    return [move.action for move in start.record[1:]]


def test_openings_differ_and_follow_the_seed(game):
    found = [told(start) for start in external.openings(game, EngineTerms(12, 2, seed=1))]
    assert len(set(map(tuple, found))) == 12, "all that there are"
    assert all(len(moves) == 2 for moves in found)
    assert found == [told(start) for start in external.openings(game, EngineTerms(12, 2, seed=1))]
    assert found != [told(start) for start in external.openings(game, EngineTerms(12, 2, seed=2))]
    assert [told(start) for start in external.openings(game, EngineTerms(3, 0))] == [[]] * 3


def test_too_few_openings_are_refused(game):
    with pytest.raises(UsageError) as raised:
        external.openings(game, EngineTerms(5, 1))
    wanted = "so many that 5 games from each seat begin differently; there are 4 such openings"
    assert str(raised.value) == f"opening_plies=1: accepted: {wanted}"


def test_every_opening_is_played_from_both_seats_and_counted(game):
    """The player is always beaten where it is to forfeit at once, and its own games are those with its moves."""
    starts = external.openings(game, EngineTerms(3, 5))
    quitter, other = Agent("quitter", lambda state, bits: None), random_agent(game)
    played = external.series(quitter, other, starts)
    assert played.returns.tolist() == [[-1.0] * 3] * 2
    assert (played.points.tolist(), played.against.tolist()) == ([[0.0] * 3] * 2, [[64.0] * 3] * 2)
    assert played.counts.tolist() == [[0, 0, 3]] * 2
    mirrored = external.series(other, quitter, starts)
    assert mirrored.counts.tolist() == [[3, 0, 0]] * 2


def at(game):
    return cast(envs.spec("othello"), game)


def engine(command):
    return opponent("engine", command=command)


def test_games_that_are_alike_are_noticed(game):
    first = Agent("first", lambda state, bits: legal(game, state)[0])
    alike = external.play(at(game), "engine", engine(fake("--first")), first, EngineTerms(2, 0))
    assert alike.different == 2, "one from each seat"
    np.testing.assert_array_equal(alike.points[:, 0], alike.points[:, 1])
    assert external.play(at(game), "engine", engine(fake("--first")), first, EngineTerms(2, 4)).different == 4
    # First moves against first moves, followed by rules of ours alone: the scores are the same.
    ours = external.series(first, first, external.openings(game, EngineTerms(2, 0)))
    np.testing.assert_array_equal(ours.points, alike.points)


def test_an_engine_that_fails_ends_the_series(game):
    command = fake("--fault", "illegal", "--after", 5)
    with pytest.raises(RunError, match=r"genmove \w+: answered a1, which cannot be played there"):
        external.play(at(game), "engine", engine(command), random_agent(game), EngineTerms(2, 4))
