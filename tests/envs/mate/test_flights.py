"""Moves that surely leave a king a flight, beside the plain rules: none of them mates."""

import jax
import numpy as np

from envs.chess.board import fen
from envs.mate import plain, suites
from envs.mate.rules import Mate
from tests.envs.replays import FAST

GAME = Mate()


def passed_over(texts, names):
    """Return bool[N]: what is said of a move of each position."""
    boards = [fen.parse(text) for text in texts]
    moves = np.array([fen.move(board, name) for board, name in zip(boards, names, strict=True)])
    states = GAME.positions([(text, 1) for text in texts])
    return np.asarray(jax.jit(jax.vmap(GAME.hopeless), compiler_options=FAST)(states, moves))


def test_no_move_that_is_passed_over_mates_and_many_checks_are():
    rows = [row for row in suites.shipped() if row[1] == 1][::3]
    pairs = [
        (text, name, plain.won(after), plain.checked(after))
        for text, *_ in rows
        for name, after in plain.moves(plain.start(text)).items()
    ]
    texts, names, mates, checks = (np.array(each) for each in zip(*pairs, strict=True))
    over = passed_over(texts.tolist(), names.tolist())
    assert mates.sum() >= len(rows)
    assert not (over & mates).any()
    assert over[checks & ~mates].mean() > 0.3
