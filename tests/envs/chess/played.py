"""Random games of chess on the device, and their positions as python-chess has them."""

from functools import partial
from typing import NamedTuple

import chess
import jax
import jax.numpy as jnp
import numpy as np

from envs.chess.geometry import KINDS
from envs.chess.rules import Chess
from jaxgp.search.chance import unused_key

EIGHT = ("KRKR", "KQKQ", "KQKR", "KRRKR", "KRRKRR", "KQRKQR", "KBNK", "KQBNKRRN")
"""Endgames of all kinds of men, with as many and as few as there can be."""


@partial(jax.jit, static_argnums=(0, 2))
def random_games(game: Chess, keys, plies):
    """Play games at random: states [G, T + 1], actions [G, T], and for each state whether its king is attacked."""

    def one(key):
        def ply(state, key):
            action = game.choice(state, jax.random.randint(key, (), 0, game.choices(state)))
            after = game.step(state, action, unused_key())
            return after, (after, action)

        start = game.init(key)
        _, (states, actions) = jax.lax.scan(ply, start, jax.random.split(key, plies))
        return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), start, states), actions

    return jax.vmap(one)(keys)


def men(state):
    """Return (kind, square, colour) of each man; colour is True for white."""
    for row in range(2):
        for kind, square in zip(state.kinds[row], state.men[row], strict=True):
            if square < 64:
                yield KINDS[kind], int(square), (row == 0) == (state.to_move == 0)


def board_of(state):
    """Return a state in NumPy arrays as a board of python-chess."""
    board = chess.Board(None)
    for kind, square, white in men(state):
        board.set_piece_at(square, chess.Piece.from_symbol(kind if white else kind.lower()))
    board.turn = bool(state.to_move == 0)
    board.halfmove_clock = int(state.clock)
    return board


def move_of(state, action):
    """Return an action in a state as a move of python-chess."""
    return chess.Move(int(state.men[0, action // 64]), int(action % 64))


def at(states, *place):
    """Return one of many states."""
    return jax.tree.map(lambda x: x[place], states)


class Plain(NamedTuple):
    """The states of a game, field by field in lists of Python numbers: words of 64 bits have a bit a square."""

    sides: list  # the men of white and of black
    kinds: list  # the men of each kind, of both sides
    starts: list  # the squares of the men of the side to move; 64 and above for men that were taken
    moves: list  # where the legal moves of each of them end
    white: list  # whether it is white's turn
    terminated: list
    returns: list


def plain(states):
    """Return states in NumPy arrays, [T + 1], in lists."""
    there, one = states.men < 64, np.uint64(1)
    bits = np.where(there, one << (states.men % 64).astype(np.uint64), np.uint64(0))
    white = states.to_move == 0
    rows = np.bitwise_or.reduce(bits, -1)
    sides = np.where(white[:, None], rows, rows[:, ::-1])
    kinds = [np.bitwise_or.reduce(np.where(states.kinds == kind, bits, np.uint64(0)), (1, 2)) for kind in range(5)]
    moves = states.moves[..., 0].astype(np.uint64) | states.moves[..., 1].astype(np.uint64) << np.uint64(32)
    fields = sides, np.stack(kinds, 1), states.men[:, 0], moves, white, states.terminated, states.returns
    return Plain(*(field.tolist() for field in fields))


def disagreement(game, mine, ply, board):
    """Return in what the state of a ply and the board that has come to it differ; None: in nothing to be seen."""
    sides = [board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]]
    kinds = [board.kings, board.queens, board.rooks, board.bishops, board.knights]
    if (mine.sides[ply], mine.kinds[ply], mine.white[ply]) != (sides, kinds, board.turn):
        return "men"
    moves = {}
    for move in board.legal_moves:
        moves[move.from_square] = moves.get(move.from_square, 0) | 1 << move.to_square
    if {start: ends for start, ends in zip(mine.starts[ply], mine.moves[ply], strict=True) if ends} != moves:
        return "moves"
    mated = not moves and board.is_check()
    over = not moves or board.occupied.bit_count() == 2 or board.halfmove_clock >= 100 or ply >= game.plies
    if mine.terminated[ply] != (over or (game.repetition and board.is_repetition(3))):
        return "end"
    white = 0 if not mated else -1 if board.turn else 1
    return None if mine.returns[ply] == [white, -white] else "result"


def disagreements(game, seed, games, plies):
    """Return what differs in random games, each by its first place."""
    states, actions = jax.device_get(random_games(game, jax.random.split(jax.random.key(seed), games), plies))
    found = []
    for n in range(games):
        of_game = at(states, n)
        mine, board = plain(of_game), board_of(at(of_game, 0))
        for ply, action in enumerate([*actions[n].tolist(), None]):
            if (what := disagreement(game, mine, ply, board)) is not None:
                found.append(f"{what}: {board.fen()}")
                break
            if action is None or mine.terminated[ply]:
                break
            board.push(chess.Move(mine.starts[ply][action // 64], action % 64))
    return found
