"""Tables of up to four men against those of Syzygy, which other people made by another method."""

import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess import tables
from envs.chess.geometry import KING, OFF, Board
from envs.chess.notation.fen import kinds_of
from envs.chess.rules import Chess
from jaxgp.errors import UsageError

chess = pytest.importorskip("chess", reason="python-chess is not installed")

from chess.syzygy import open_tablebase  # noqa: E402

from tests.envs.chess import syzygy  # noqa: E402

SYZYGY = Path(os.environ.get("JAXGP_SHARED", "")) / "data" / "syzygy4"
needs_syzygy = pytest.mark.skipif(not SYZYGY.is_dir(), reason="the tables of Syzygy are not here: JAXGP_SHARED")
LONGEST = {"KQK": 19, "KRK": 31, "KRKR": 37, "KQKQ": 25, "KQKR": 69, "KQRK": 11, "KRRK": 13}
"""Plies of the longest mates by the side to move, white."""
SMALL = ["KQK", "KRK"]
FOUR = [*tables.ENDGAMES, "KQQK"]


def board_of(men, squares, turn):
    board = chess.Board(None)
    for man, square in zip(men, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece.from_symbol(man))
    board.turn = turn
    return board


@needs_syzygy
@pytest.mark.parametrize("name", [*SMALL, *[pytest.param(name, marks=pytest.mark.thorough) for name in FOUR]])
@pytest.mark.parametrize("turn", [True, False], ids=["white", "black"])
def test_positions_and_their_results_are_those_of_syzygy(name, turn):
    pair = kinds_of(name)
    men = name[: len(pair[0])] + name[len(pair[0]) :].lower()
    values = tables.table(pair)[0 if turn else 1]
    squares = np.indices(values.shape).reshape(values.ndim, -1)
    squares[0] = tables.TRIANGLE[squares[0]]
    there = syzygy.legal(men, turn, squares)
    assert np.array_equal(there, values.reshape(-1) != tables.ILLEGAL)
    squares = squares[:, there]
    with open_tablebase(str(SYZYGY)) as files:
        told = syzygy.results(files, men, turn, squares)
        some = np.random.default_rng(0).integers(len(told), size=100)
        assert np.array_equal(told[some], [np.sign(files.probe_wdl(board_of(men, squares[:, n], turn))) for n in some])
    assert np.array_equal(told, np.sign(values.reshape(-1)[there]))


@pytest.mark.parametrize("name", [*SMALL, *[pytest.param(name, marks=pytest.mark.slow) for name in tables.ENDGAMES]])
def test_the_longest_mates_are_those_of_the_literature(name):
    values = tables.table(kinds_of(name))[0]
    assert tables.plies(values[(values > 0) & (values != tables.ILLEGAL)]).max() == LONGEST[name]


def test_a_table_that_is_not_there_is_built_while_a_program_that_asks_for_it_is_traced(tmp_path, monkeypatch):
    whole = tables.table(kinds_of("KQK"))[0]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tables.table.cache_clear()
    board = Board(jnp.full((2, 2), OFF, jnp.int8), jnp.zeros((2, 2), jnp.int8))
    traced = jax.eval_shape(lambda board: tables.won(("KQK",), board), board)
    assert traced.shape == ()
    assert np.array_equal(tables.table(kinds_of("KQK"))[0], whole)


@pytest.mark.thorough
def test_a_value_is_the_best_of_the_moves_whatever_side_moves_and_however_the_board_is_turned():
    found = tables.tables(("KQK", "KRK"))
    game = Chess(endgame="KQK,KRK", start="legal")
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 200))
    board = Board(*(jnp.moveaxis(x, 0, -1) for x in (states.men, states.kinds)))

    @jax.jit
    def look(board):
        after, there = tables.successors(board, game.most_choices)
        values = tables.probe(found, after)
        best = jnp.where(there, tables.before(values), -128).max(0)
        mirrored = board._replace(men=jnp.where(board.men < OFF, board.men ^ 56, OFF))
        return tables.probe(found, board), best, tables.probe(found, mirrored), tables.probe(found, after), there

    value, best, mirrored, after, there = jax.device_get(look(board))
    assert np.array_equal(value, best)
    assert np.array_equal(value, mirrored)
    assert (value > 0).all()
    assert (after[there] <= 0).all()


@pytest.mark.thorough
def test_mates_of_more_than_63_moves_are_told():
    """As in KQRKQ, whose longest takes 67: plies would not fit into a byte. Here taking the queen wins, in 71."""
    kings = tables.table(((KING,), (KING,)))[0]
    bare = np.where(kings == 0, np.int8(70 - tables.MATE), kings)
    _, black = tables.build(kinds_of("KQK"), lambda pair: (bare, bare))
    values = black[(black > 0) & (black != tables.ILLEGAL)]
    assert (tables.MATE - values).min() == 71
    assert tables.plies(values).min() == 2 * 71 - 1


@pytest.mark.slow
def test_positions_of_other_men_have_no_value():
    found = tables.tables(("KRK",))
    game = Chess(endgame="KNKQ,KQRKQR", start="legal")
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 8))
    values = jax.jit(jax.vmap(lambda state: tables.probe(found, state.board)))(states)
    assert (values == tables.UNKNOWN).all()


def values_set(path, values, **others):
    """Write a table of KRK with a value in its first place."""
    with np.load(path) as file:
        arrays = {name: np.array(file[name]) for name in file.files} | others
    arrays["white"].reshape(-1)[0] = values
    np.savez_compressed(path, **arrays)


HARMS = {
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:500]),
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "a value that no table has": lambda path: values_set(path, -128),
    "a mate without a move": lambda path: values_set(path, tables.MATE),
    "another shape": lambda path: values_set(path, 0, black=np.zeros(4, np.int8)),
    "numbers of another type": lambda path: values_set(path, 0, black=np.zeros((10, 64, 64), np.int16)),
    "too much, once it is unpacked": lambda path: values_set(path, 0, more=np.zeros(2**24, np.int8)),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=list(HARMS))
def test_a_table_that_is_damaged_is_refused(harm, tmp_path):
    pair, path = kinds_of("KRK"), tmp_path / "KRK-2.npz"
    tables.keep(path, tables.table(pair))
    assert np.array_equal(tables.read(path, pair), tables.table(pair))
    harm(path)
    with pytest.raises(UsageError, match=r"KRK-2\.npz: no table, cut short, or .*; accepted: none, delete it"):
        tables.read(path, pair)


def test_a_table_that_cannot_be_kept_is_used_all_the_same(tmp_path, monkeypatch, capsys):
    whole = tables.table(kinds_of("KQK"))
    (tmp_path / "jaxgp").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tables, "build", lambda pair, smaller: whole)
    tables.table.cache_clear()
    assert tables.table(kinds_of("KQK")) is whole
    assert "KQK-2.npz: cannot be written (" in capsys.readouterr().err
    tables.table.cache_clear()
