"""Tables of up to four men against those of Syzygy, which other people made by another method."""

import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess import tables
from envs.chess.geometry import OFF, Board
from envs.chess.notation.fen import KINDS, kinds_of
from envs.chess.rules import Chess
from jaxgp.errors import UsageError

chess = pytest.importorskip("chess", reason="python-chess is not installed")
syzygies = pytest.importorskip("chess.syzygy", reason="python-chess is not installed")

SYZYGY = Path(os.environ.get("JAXGP_SHARED", "")) / "data" / "syzygy4"
needs_syzygy = pytest.mark.skipif(not SYZYGY.is_dir(), reason="the tables of Syzygy are not here: JAXGP_SHARED")
LONGEST = {"KQK": 19, "KRK": 31, "KRKR": 37, "KQKQ": 25, "KQKR": 69, "KQRK": 11, "KRRK": 13}
"""Plies of the longest mates by the side to move, white."""
SMALL = ["KQK", "KRK"]


def places(pair, side):
    """The places of a table that are positions."""
    return np.argwhere(tables.table(pair)[side] != tables.ILLEGAL)


def board_of(pair, place, side):
    board = chess.Board(None)
    kinds = [(kind, white) for army, white in zip(pair, (True, False), strict=True) for kind in army]
    squares = [tables.TRIANGLE[place[0]], *place[1:]]
    for (kind, white), square in zip(kinds, squares, strict=True):
        sign = KINDS[kind] if white else KINDS[kind].lower()
        board.set_piece_at(int(square), chess.Piece.from_symbol(sign))
    board.turn = side == 0
    return board


def mismatches(pair, side, some):
    """Positions whose results differ from Syzygy's, of `some` places."""
    values = tables.table(pair)[side]
    with syzygies.open_tablebase(str(SYZYGY)) as syzygy:
        boards = ((board_of(pair, place, side), int(values[tuple(place)])) for place in some)
        return [board.fen() for board, value in boards if np.sign(value) != np.sign(syzygy.probe_wdl(board))]


@needs_syzygy
@pytest.mark.parametrize("name", [*SMALL, *[pytest.param(name, marks=pytest.mark.slow) for name in tables.ENDGAMES]])
@pytest.mark.parametrize("side", [0, 1])
def test_results_are_those_of_syzygy(name, side):
    pair = kinds_of(name)
    some = places(pair, side)
    assert not mismatches(pair, side, some if name in tables.ENDGAMES else some[::80])


@pytest.mark.parametrize("name", [*SMALL, *[pytest.param(name, marks=pytest.mark.slow) for name in tables.ENDGAMES]])
def test_the_longest_mates_are_those_of_the_literature(name):
    values = tables.table(kinds_of(name))[0]
    assert tables.MATE - values[(values > 0) & (values != tables.ILLEGAL)].min() == LONGEST[name]


def test_a_table_that_is_not_there_is_built_while_a_program_that_asks_for_it_is_traced(tmp_path, monkeypatch):
    whole = tables.table(kinds_of("KQK"))[0]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tables.table.cache_clear()
    board = Board(jnp.full((2, 2), OFF, jnp.int8), jnp.zeros((2, 2), jnp.int8))
    traced = jax.eval_shape(lambda board: tables.won(("KQK",), board), board)
    assert traced.shape == ()
    assert np.array_equal(tables.table(kinds_of("KQK"))[0], whole)


def test_a_value_is_the_best_of_the_moves_whatever_side_moves_and_however_the_board_is_turned():
    found = tables.tables(("KQK", "KRK"))
    game = Chess(endgame="KQK,KRK", start="legal")
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 200))
    board = Board(*(jnp.moveaxis(x, 0, -1) for x in (states.men, states.kinds)))

    @jax.jit
    def look(board):
        after, there = tables.successors(board, game.most_choices)
        values = tables.probe(found, after)
        best = jnp.where(there, -(values - jnp.sign(values)), -128).max(0)
        mirrored = board._replace(men=jnp.where(board.men < OFF, board.men ^ 56, OFF))
        return tables.probe(found, board), best, tables.probe(found, mirrored), tables.probe(found, after), there

    value, best, mirrored, after, there = jax.device_get(look(board))
    assert np.array_equal(value, best)
    assert np.array_equal(value, mirrored)
    assert (value > 0).all()
    assert (after[there] <= 0).all()


@pytest.mark.slow
def test_positions_of_other_men_have_no_value():
    found = tables.tables(("KRK",))
    game = Chess(endgame="KNKQ,KQRKQR", start="legal")
    states = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), 8))
    values = jax.jit(jax.vmap(lambda state: tables.probe(found, state.board)))(states)
    assert (values == tables.UNKNOWN).all()


def test_a_table_that_is_cut_short_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tables.folder().mkdir(parents=True)
    (tables.folder() / f"KRK-{tables.VERSION}.npz").write_bytes(b"PK")
    tables.table.cache_clear()
    with pytest.raises(UsageError, match=r"KRK-1\.npz: .*cut short; accepted: "):
        tables.table(kinds_of("KRK"))
    tables.table.cache_clear()
