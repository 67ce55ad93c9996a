"""The rules of chess against python-chess, an implementation by other people."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess import geometry, rules, starts, tables
from envs.chess.rules import Chess
from jaxgp.arrays import take
from jaxgp.errors import UsageError
from jaxgp.search.chance import unused_key

chess = pytest.importorskip("chess", reason="python-chess is not installed")
from tests.envs.chess import played  # noqa: E402

ALL = Chess(endgame=",".join(played.EIGHT), start="legal", plies=130, repetition=True)
MOVES = jax.jit(geometry.legal_moves)
PERFT = (
    "8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1",
    "3k4/8/8/3K4/8/8/1R4r1/8 w - - 0 1",
    "8/8/3k4/1q6/8/8/2K4Q/8 b - - 0 1",
    "4k3/4q3/8/8/4R3/8/8/4K3 w - - 0 1",
    "8/1r6/4k3/8/8/2K1Q3/8/8 b - - 0 1",
    "r2k4/8/8/8/8/3R4/6r1/R3K3 b - - 0 1",
    "7k/8/4Q3/8/8/8/1q6/K7 w - - 0 1",
    "8/8/8/2b5/8/1N1k4/8/K2B3n w - - 0 1",
    "k7/8/1K6/2Q5/8/8/8/8 b - - 0 1",
    "1n2k1q1/8/1B6/8/8/4N3/5R2/q3K3 w - - 0 1",
)
"""Positions in check, with pins, on both sides, with knights and bishops."""


@pytest.mark.parametrize(("seed", "games"), [(0, 24), pytest.param(1, 20_000, marks=pytest.mark.slow)])
def test_random_games_of_eight_endgames_are_those_of_python_chess(seed, games):
    for first in range(0, games, 500):
        assert played.disagreements(ALL, seed + first, min(games, 500), 130) == []


def leaves(game, depth, together=8192):
    """The number of sequences of legal moves from each of the listed positions."""
    start = starts.listed(game)
    begin = lambda one: game.state(one.men, one.kinds, one.clock, jnp.int16(0), one.to_move, ())  # noqa: E731
    states = jax.device_get(jax.vmap(begin)(start))
    step = jax.jit(jax.vmap(partial(game.step, key=unused_key())))
    roots = np.arange(len(start.clock))
    for _ in range(depth - 1):
        squares = np.unpackbits(states.moves.view(np.uint8), axis=-1, bitorder="little")
        where, which = np.nonzero(squares.reshape(len(squares), -1) & ~states.terminated[:, None])
        roots, states, parts = roots[where], take(states, where), []
        for first in range(0, len(where), together):
            # The last part is filled up, so that one program is for all of them.
            at = np.minimum(np.arange(first, first + together), len(where) - 1)
            parts.append(jax.device_get(step(take(states, at), which[at].astype(np.int32))))
        states = take(jax.tree.map(lambda *x: np.concatenate(x), *parts), slice(len(where)))
    moves = np.bitwise_count(states.moves).sum((1, 2), dtype=int) * ~states.terminated
    return np.bincount(roots, moves).astype(int).tolist()


def python_leaves(board, depth):
    moves = list(board.legal_moves)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        board.push(move)
        total += 0 if len(board.piece_map()) == 2 else python_leaves(board, depth - 1)
        board.pop()
    return total


@pytest.mark.slow
def test_the_trees_of_ten_positions_have_as_many_leaves_as_those_of_python_chess(tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text("\n".join(PERFT))
    expected = [python_leaves(chess.Board(fen), 4) for fen in PERFT]
    assert leaves(Chess(start="fen", fen=str(file)), 4) == expected
    assert min(expected) > 50


def patched(monkeypatch, where, name, change):
    monkeypatch.setattr(where, name, change(getattr(where, name)))


def unpinned(line):
    return lambda board, side=0: line(board, side)._replace(pinned=jnp.zeros_like(board.men[side]))


def blind_beyond(threatened):
    """A king that steps back along the ray of its checker: its own square still stands in the way."""

    def wrong(board, side, squares):
        others = jnp.concatenate([board.men[side], board.men[1 - side]])
        to, men = geometry.relate(board.men[side], squares), geometry.relate(board.men[side], others)
        seen = geometry.strikes(board.kinds[side], to) & ~geometry.between(to, men, range(len(others)))
        return seen.any(0)

    del threatened
    return wrong


def one_checker(line):
    """In double check any man may answer the first checker."""

    def wrong(board, side=0):
        found = line(board, side)
        return found._replace(checkers=found.checkers & (jnp.cumsum(found.checkers, 0) == 1))

    return wrong


def through_own(reach):
    return lambda board, side: jnp.minimum(reach(board, side) + 1, 7) * (reach(board, side) > 0)


def no_jump(strikes):
    return lambda kinds, relation: strikes(kinds, relation._replace(jump=jnp.zeros_like(relation.jump)))


def no_capture(moved):
    def wrong(board, place, square):
        men, kinds, taken = moved(board, place, square)
        return jnp.stack([board.men[1], men[1]]), kinds, taken

    return wrong


def clock_goes_on(moved):
    return lambda board, place, square: (*moved(board, place, square)[:2], jnp.bool_(False))


ERRORS = {
    "a pinned man leaves its ray": (geometry, "line", unpinned),
    "a king steps back along the ray of its checker": (geometry, "threatened", blind_beyond),
    "one answer is enough for two checkers": (geometry, "line", one_checker),
    "men slide through others": (geometry, "reach", through_own),
    "knights attack nothing": (geometry, "strikes", no_jump),
    "a man that is taken stays": (rules, "moved", no_capture),
    "the clock goes on after a capture, and so does the history": (rules, "moved", clock_goes_on),
    "50 moves are one ply too many": (rules, "QUIET", lambda n: n + 1),
    "50 moves are one ply too few": (rules, "QUIET", lambda n: n - 1),
    "bishops move as rooks do": (geometry, "STRAIGHT", lambda straight: ~straight),
}


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
def test_a_deliberate_error_is_found(error, monkeypatch):
    patched(monkeypatch, *ERRORS[error])
    jax.clear_caches()
    try:
        assert played.disagreements(ALL, 0, 200, 130)
    finally:
        monkeypatch.undo()
        jax.clear_caches()


WRONG = {
    "endgame": ["KKQ", "QKR", "KQQQQKR", "KQRRKQRRR", "KPK", "KK", ""],
    "fen": [
        "8/8/8/3kK3/8/8/8/Q7 w - - 0 1",
        "3k4/8/8/8/8/8/8/3QK3 w - - 0 1",
        "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "3k4/P7/8/8/8/8/8/4K3 w - - 0 1",
        "3k4/8/8/8/8/8/8/Q7 w - - 0 1",
        "3k4/8/8/8/8/8/4K3 w - - 0 1",
        "3k3/8/8/8/8/8/8/4K2Q w - - 0 1",
        "3k4/8/8/8/8/8/8/4K2Q w - - 100 1",
        "nowhere.txt",
    ],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_what_cannot_be_played_is_refused_in_one_line(name, value):
    with pytest.raises(UsageError, match=rf"^game\.{name}=.*accepted: ") as caught:
        Chess(**{name: value}, start="fen" if name == "fen" else "quiet")
    assert "\n" not in str(caught.value)


def test_starts_need_what_they_are_drawn_from():
    with pytest.raises(UsageError, match=r"game\.start=held: accepted: .*there is no table of 6 men"):
        Chess(endgame="KQRKQR", start="held")
    with pytest.raises(UsageError, match=r"game\.fen=null: accepted: a position"):
        Chess(start="fen")


@pytest.mark.thorough
@pytest.mark.parametrize("start", ["quiet", pytest.param("legal", marks=pytest.mark.slow)])
def test_no_man_is_attacked_at_quiet_starts_and_legal_ones_are_legal(start):
    game = Chess(endgame="KRKR,KQKR,KQRKQR", start=start)
    states = jax.device_get(jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 64)))
    assert not states.terminated.any()
    boards = [played.board_of(played.at(states, n)) for n in range(64)]
    assert {len(board.piece_map()) for board in boards} == {4, 6}
    assert all(board.is_valid() and board.turn for board in boards)
    struck = [
        board.is_attacked_by(not man.color, square) for board in boards for square, man in board.piece_map().items()
    ]
    assert any(struck) == (start == "legal")


@pytest.mark.slow
@pytest.mark.parametrize("start", ["won", "held"])
def test_starts_by_the_table_are_won_or_held(start):
    found = tables.tables(("KRK",))
    game = Chess(endgame="KRK", start=start)
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 32))

    def look(state):
        kept, there = tables.keeps(found, state.board, game.most_choices)
        return tables.probe(found, state.board), kept.sum(), there.sum()

    value, kept, moves = jax.device_get(jax.jit(jax.vmap(look))(states))
    assert not states.terminated.any()
    assert (value > 0).all()
    assert (2 * kept <= moves).all() == (start == "held")


def test_a_state_has_at_most_64_bytes():
    game = Chess(endgame="KQRRKQRR")
    assert sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(jax.eval_shape(game.init, jax.random.key(0)))) <= 64
