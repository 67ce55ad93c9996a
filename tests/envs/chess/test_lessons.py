"""Critical decisions of chess: what they are, and what their moves are worth."""

import jax
import numpy as np
import pytest

from envs.chess import hints, lessons, many, tables
from envs.chess.geometry import OFF
from envs.chess.rules import Chess
from jaxgp.errors import UsageError

GAME = Chess(endgame="KQK")


@pytest.fixture(scope="module")
def found():
    """Forty decisions, and what the tables say of each position and of what each of its moves leads to."""
    small = pytest.MonkeyPatch()
    small.setattr(lessons, "TOGETHER", 64)
    known = tables.tables(("KQK",))
    words = lambda board: tables.result(tables.probe(known, board))  # noqa: E731

    @jax.jit
    def decide(key):
        made = lessons.lessons(GAME, "table")(key, 40)

        def one(state):
            places = np.arange(GAME.most_choices, dtype=np.int32)
            outcomes = jax.vmap(lambda place: many.outcome(state, GAME.choice(state, place)))(places)
            after = tables.successors(state.board, GAME.most_choices)
            return words(state.board), outcomes, -words(after[0]), after[1]

        return made, jax.vmap(one)(made.states)

    made = jax.device_get(decide(jax.random.key(0)))
    small.undo()
    return made


@pytest.mark.thorough
def test_some_move_of_each_keeps_the_result_and_some_gives_it_away(found):
    made, (before, _, results, there) = found
    assert np.array_equal(made.values > -np.inf, there)
    assert np.array_equal(made.values[there], results[there])
    assert np.array_equal(made.values.max(1), before)
    assert (np.where(there, made.values, 9).min(1) < before).all()


def test_all_men_are_on_the_board_and_positions_differ(found):
    made, _ = found
    assert ((made.states.men < OFF).sum((1, 2)) == 3).all()
    assert len(np.unique(made.states.men, axis=0)) == 40
    assert len(set(made.states.plies.tolist())) > 3


def test_outcomes_are_those_of_the_moves(found):
    made, (_, outcomes, _, there) = found
    for mine, other in zip(made.outcomes, outcomes, strict=True):
        assert np.array_equal(mine[there], other[there])


def test_endgames_without_a_table_have_no_decisions():
    with pytest.raises(UsageError, match=r"game\.endgame=KQRKQR: accepted: up to four kings, queens and rooks"):
        lessons.lessons(Chess(endgame="KQRKQR"), None)


@pytest.mark.thorough
def test_moves_that_mate_sooner_are_worth_more_and_those_that_give_the_win_away_nothing(monkeypatch):
    monkeypatch.setattr(lessons, "TOGETHER", 64)
    worth = hints.judge(GAME)

    @jax.jit
    def decide(key):
        made = lessons.lessons(GAME, "mates")(key, 40)
        return made, jax.vmap(worth)(made.states)

    made, values = jax.device_get(decide(jax.random.key(0)))
    there = made.values > -np.inf
    sooner = np.where(values > 0, 1 - tables.plies(values) / tables.MATE, 0)
    assert np.allclose(made.values[there], sooner[there])
    assert (made.values.max(1) > 0).all()
    assert made.values.max() * tables.MATE == pytest.approx(tables.MATE - 1)  # mate at once
    assert (np.where(there, made.values, 9).min(1) == 0).any()
    assert ((made.states.men < OFF).sum((1, 2)) == 3).all()
