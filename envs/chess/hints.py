"""What the tables say to people at the table: the best move, and what the others do."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envs.chess import tables
from envs.chess.notation.moves import legal, san
from envs.chess.rules import Chess, State

Hint = Callable[[Any], tuple[int | None, str]]
Judge = Callable[[Any], jax.Array]
WORDS = {1: "wins", 0: "draws", -1: "loses"}
ENDS = {0: "drawn", -1: "lost"}


def judge(game: Chess) -> Judge | None:
    """Return what says what moves are worth, by the tables: state -> float32[W], by move; None without tables.

    A win is worth the more, the sooner it is, and a loss the less; a draw is worth 0.
    """
    if not all(map(tables.has, game.armies)):
        return None
    names = tuple(tables.named(army) for army in game.armies)

    @jax.jit
    def worths(state: State, found: tables.Tables) -> jax.Array:
        after, _ = tables.successors(state.board, game.most_choices)
        return tables.before(tables.probe(found, after)).astype(jnp.float32)

    return lambda state: worths(state, tables.tables(names))


def hints(game: Chess) -> Hint:
    """Return what answers a request for a hint: what the tables say of a position."""
    look = judge(game)
    if look is None:
        return lambda state: (None, "there are tables of up to four kings, queens and rooks")

    def hint(state: State) -> tuple[int | None, str]:
        moves = [action for action, *_ in legal(state)]
        if not moves:
            return None, "the game is over"
        values = np.asarray(look(state))[: len(moves)].astype(int)
        best = int(values.argmax())
        result = int(np.sign(values[best]))
        length = f", mate in {_moves(values[best])}" if result else ""
        kept = int((np.sign(values) == result).sum())
        others = [san(game, state, move) for move, value in zip(moves, values, strict=True) if np.sign(value) < result]
        lost = f"; thrown away by {', '.join(others[:8])}{', ...' * (len(others) > 8)}" if others else ""
        said = f"{san(game, state, moves[best])} {WORDS[result]}{length}; kept by {kept} of {len(moves)} moves{lost}"
        return moves[best], said

    return hint


def remarks(game: Chess) -> Callable[[Any, int], str] | None:
    """Return what says of a move (state before it, action) what it did to the result; None without tables."""
    look = judge(game)
    if look is None:
        return None

    def remark(state: State, action: int) -> str:
        moves = [move for move, *_ in legal(state)]
        values = np.asarray(look(state))[: len(moves)].astype(int)
        best, own = int(values.argmax()), int(values[moves.index(action)])
        before, after = int(np.sign(values[best])), int(np.sign(own))
        if after < before:
            there = f"; {san(game, state, moves[best])} mates in {_moves(values[best])}" if before > 0 else ""
            return f"This throws the {'win' if before > 0 else 'draw'} away: now the game is {ENDS[after]}{there}."
        if before > 0:
            shorter = f"; {san(game, state, moves[best])} mates in {_moves(values[best])}"
            said = "This is mate" if own == tables.MATE - 1 else f"This keeps the win: mate in {_moves(own) - 1} more"
            return f"{said}{shorter * bool(own < values[best])}."
        return "This keeps the draw." if before == 0 else "The game is lost, whatever is played."

    return remark


def _moves(value: int) -> int:
    """Return in how many moves a value is mate."""
    return tables.MATE - abs(int(value))
