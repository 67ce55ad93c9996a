"""How engines of chess write positions and moves; tried with Stockfish 15.1 and Toga II 3.0."""

from functools import partial

from envs.chess.notation.moves import read_turn, uci
from envs.chess.notation.pgn import fen_of
from envs.chess.rules import Chess, State
from jaxgp.games.notation import Positions

PACKAGES = {
    "stockfish": "the package stockfish of Debian and Ubuntu: apt-get install stockfish",
    "toga2": "the package toga2 of Debian and Ubuntu: apt-get install toga2",
}


def positions(game: Chess) -> Positions:
    """Return how engines speak of these rules."""
    return Positions(fen_of, uci, partial(_action, game), PACKAGES)


def _action(game: Chess, state: State, text: str) -> int:
    (action,) = read_turn(game, state, text)
    return action
