"""Moves as books write them, standard algebraic notation, by the plain rules of `envs.mate.plain`.

Source: S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 8.2.3.
"""

from collections.abc import Mapping

from envs.chess.board import fen
from envs.mate import plain
from envs.mate.plain import Position
from envs.mate.rules import Mate, State
from jaxgp.printable import show_typed

TYPED = "as in books: Qxf7#, Nf3, exd6, O-O, e8=N; or by two squares: e2e4, e7e8n"


def text_of(game: Mate, state: State) -> str:
    """Return the position of a state in FEN."""
    del game
    return fen.text(state.board)


def san(position: Position, name: str) -> str:
    """Return a move, called as in e2e4, as books write it."""
    return _written(position, plain.moves(position), name)


def _written(position: Position, legal: Mapping[str, Position], name: str) -> str:
    """Return one of the legal moves, which are the positions after them by their names, as books write it."""
    origin, goal = (21 + "abcdefgh".index(name[n]) + 10 * (8 - int(name[n + 1])) for n in (0, 2))
    man = position.cells[origin].upper()
    after = legal[name]
    suffix = "#" if plain.won(after) else "+" if plain.checked(after) else ""
    if man == "K" and abs(goal - origin) == 2:
        return ("O-O" if goal > origin else "O-O-O") + suffix
    takes = position.cells[goal] != "." or (man == "P" and name[0] != name[2])
    if man == "P":
        start, kind = name[0] if takes else "", f"={name[4:].upper()}" if name[4:] else ""
    else:
        others = [
            each
            for each in legal
            if each != name and each[2:4] == name[2:4] and position.cells[plain.cell_of(each)] == position.cells[origin]
        ]
        start, kind = man, ""
        if others:
            if all(each[0] != name[0] for each in others):
                start += name[0]
            elif all(each[1] != name[1] for each in others):
                start += name[1]
            else:
                start += name[:2]
    return f"{start}{'x' * takes}{name[2:4]}{kind}{suffix}"


def read_move(position: Position, text: str) -> str:
    """Return the move that a person typed, called as in e2e4.

    Raises:
        ValueError: it is none, or not a legal one; the message says what was typed and what is accepted.
    """
    legal = plain.moves(position)
    typed = text.strip()
    if typed in legal:
        return typed

    def bare(move: str) -> str:
        return move.rstrip("+#!?").replace("x", "").replace("=", "").replace("0", "O").replace("-", "")

    written = {name: _written(position, legal, name) for name in legal}
    found = [name for name, text in written.items() if bare(text) == bare(typed)]
    if len(found) != 1:
        some = ", ".join(sorted(written.values())[:6])
        raise ValueError(f"{show_typed(text)} is no legal move; accepted: {TYPED}; such as {some}")
    return found[0]


def name_of(game: Mate, state: State, action: int) -> str:
    """Return what a move is called in proofs: as in e2e4."""
    del game
    return fen.uci(state.board, action)


def action_of(game: Mate, state: State, name: str) -> int:
    """Return the action that is called so; its class is left out."""
    del game
    return fen.move(state.board, name)
