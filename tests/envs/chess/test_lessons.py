"""Critical decisions of chess: what they are, and what their moves are worth."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess import hints, lessons, many, tables
from envs.chess.geometry import KING, OFF, QUEEN, ROOK, Board
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


@pytest.mark.thorough
def test_all_men_are_on_the_board_and_positions_differ(found):
    made, _ = found
    assert ((made.states.men < OFF).sum((1, 2)) == 3).all()
    assert len(np.unique(made.states.men, axis=0)) == 40
    assert len(set(made.states.plies.tolist())) > 3


@pytest.mark.thorough
def test_outcomes_are_those_of_the_moves(found):
    made, (_, outcomes, _, there) = found
    for mine, other in zip(made.outcomes, outcomes, strict=True):
        assert np.array_equal(mine[there], other[there])


def test_endgames_without_a_table_have_no_decisions(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"game\.endgame=KQRKQR: accepted: up to four kings, queens and rooks"):
        lessons.lessons(Chess(endgame="KQRKQR"), None)


def test_how_soon_six_men_mate_is_not_asked(monkeypatch):
    monkeypatch.setattr(tables, "known", lambda pair: True)
    with pytest.raises(UsageError, match=r"fitness\.teacher=mates: accepted: table or tables"):
        lessons.lessons(Chess(endgame="KQRKQR"), "mates")


def test_sets_of_six_men_outside_tell_who_wins_for_either_colour(tmp_path):
    squares = 1, 20, 30, 40, 50, 61  # the king of White on b1, its queen and rook, then those of Black
    place = np.ravel_multi_index((1, *squares[1:]), (10, *[64] * 5))
    sets = np.memmap(tmp_path / "sets", np.uint32, "w+", shape=(2, 2 * 10 * 64**4))  # zeros, which take no room
    known = tables.tables(("KRK",))._replace(won=sets[0], lost=sets[1], army=np.int32(tables.code((KING, QUEEN, ROOK))))
    probe = jax.jit(lambda board: tables.probe(tables.outside(known), board))
    men = np.array(squares, np.int8).reshape(2, 3, 1)
    boards = [Board(one, np.broadcast_to(np.array([[KING], [QUEEN], [ROOK]], np.int8), men.shape)) for one in
              (men, men[:, [0, 2, 1]], men[::-1])]  # fmt: skip
    assert [int(probe(board)[0]) for board in boards] == [0, 0, 0]
    sets[0, place // 32] = 1 << place % 32
    assert [int(probe(board)[0]) for board in boards] == [tables.WON, 0, 0]
    sets[:, place // 32] = 0, 1 << place % 32
    assert [int(probe(board)[0]) for board in boards] == [0, 0, -tables.WON]


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


@pytest.mark.thorough
def test_decisions_of_games_are_critical_ones_that_best_play_leads_to(monkeypatch):
    monkeypatch.setattr(lessons, "TOGETHER", 64)
    game, names = Chess(endgame="KQKR"), ("KQKR",)
    known = tables.tables(names)

    @jax.jit
    def decide(key):
        starts = jax.random.split(key, 3)[0]
        first = jax.vmap(lambda key: lessons.after_random_plies(game, key))(jax.random.split(starts, 8))
        last = lessons.after_best_plies(game, known, key, 8)
        made = lessons.lessons(game, "games")(key, 100)
        worth = lambda states: tables.probe(known, Board(*(jnp.moveaxis(x, 0, -1) for x in states.board)))  # noqa: E731
        return made, first, last, worth(first), worth(last)

    made, first, last, before, after = jax.device_get(decide(jax.random.key(1)))
    there = made.values > -np.inf
    assert set(np.unique(made.values[there])) <= {-1, 0, 1}
    assert (np.where(there, made.values, 9).min(1) < made.values.max(1)).all()
    assert len(set((made.states.men < OFF).sum((1, 2)))) > 1, "men are taken"
    assert (made.states.plies > lessons.PLIES).any()
    # Eight positions of each game, after other numbers of plies; best play keeps the result of its first position.
    plies = (last.plies.reshape(8, 8) - first.plies).T
    assert (plies >= 0).all()
    assert (plies <= lessons.BEST).all()
    assert all(len(set(row.tolist())) > 1 for row in plies)
    mover = np.where(last.to_move.reshape(8, 8) == first.to_move, 1, -1)
    ended = last.terminated.reshape(8, 8)
    assert (np.sign(after.reshape(8, 8)) * mover == np.sign(before))[~ended].all()
