"""Random games of chess on the device, and their positions as python-chess has them."""

from functools import partial

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


def moves_of(state):
    """Return the legal moves of a state in NumPy arrays as pairs of squares."""
    sets = state.moves[..., 0].astype(np.uint64) | state.moves[..., 1].astype(np.uint64) << np.uint64(32)
    return {
        (int(start), square)
        for start, ends in zip(state.men[0], sets, strict=True)
        for square in range(64)
        if int(ends) >> square & 1
    }


def move_of(state, action):
    """Return an action in a state as a move of python-chess."""
    return chess.Move(int(state.men[0, action // 64]), int(action % 64))


def at(states, *place):
    """Return one of many states."""
    return jax.tree.map(lambda x: x[place], states)


def replayed(states, actions, game):
    """Yield each state of one game in NumPy arrays, [T + 1], with the board of python-chess that has come to it."""
    board = board_of(at(states, 0))
    for ply in range(len(states.plies)):
        state = at(states, ply)
        yield state, board
        if bool(state.terminated):
            return
        board.push(move_of(state, int(actions[ply])))


def disagreement(game, state, board):
    """Return in what a state and the board that has come to it differ; None: in nothing that a player could see."""
    if board_of(state).board_fen() != board.board_fen() or (state.to_move == 0) != board.turn:
        return "men"
    if moves_of(state) != {(move.from_square, move.to_square) for move in board.legal_moves}:
        return "moves"
    bare = len(board.piece_map()) == 2
    drawn = board.is_stalemate() or bare or board.halfmove_clock >= 100 or state.plies >= game.plies
    drawn |= game.repetition and board.is_repetition(3)
    if bool(state.terminated) != (board.is_checkmate() or drawn):
        return "end"
    white = (-1 if board.turn else 1) if board.is_checkmate() else 0
    return None if np.array_equal(state.returns, [white, -white]) else "result"


def disagreements(game, seed, games, plies):
    """Return what differs in random games, each by its first place."""
    states, actions = jax.device_get(random_games(game, jax.random.split(jax.random.key(seed), games), plies))
    found = []
    for n in range(games):
        for state, board in replayed(at(states, n), actions[n], game):
            if (what := disagreement(game, state, board)) is not None:
                found.append(f"{what}: {board.fen()}")
                break
    return found
