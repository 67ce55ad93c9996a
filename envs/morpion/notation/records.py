"""Games of Morpion Solitaire in the notations of record collections.

Pentasol, the notation of morpionsolitaire.com, has a move a line: the new point, the direction of its line, and how far
the centre of the line is from the point. x runs to the right and y downwards. The first line names the point of the
cross from which all coordinates count, the inner corner at its upper left.

    (28,28)
    (27,25) - +2
    (32,32) / 0

Programs differ in the signs of the offsets, by direction. So a game is read by the signs of Pentasol and, where it is
not legal by them, by others. Without the first line, the square around the cross begins at (1,1).

The JSON of morpion-solitaire.io (MSR) has the variant and, for each move, the new point, the direction and the place of
the point in its line, from 0. There the square around the cross begins at (0,0).

    {"variant": "5T", "moves": [{"x": 2, "y": 2, "dir": "DP", "pos": 2}, ...]}

Sources: Rosetta Code, "Talk:Morpion solitaire", section "Game Notation"; S. Jourdois, morpion-solitaire-record.
"""

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from envs.morpion.notation.saved import Point, line_between, line_points, new_crosses, parse_game
from envs.morpion.rules import CORNER, DX, DY, LENGTH, Morpion, State, Variant
from jaxgp import reading
from jaxgp.errors import show
from jaxgp.games.notation import Format, Recorded, one_of
from jaxgp.printable import show_typed

LINE = re.compile(r"\(\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*\)\s*(?:([-|/\\])\s*([+-]?[0-2]))?", re.ASCII)
SIGNS = "-|/\\"
STEPS = {"-": (1, 0), "|": (0, 1), "/": (1, -1), "\\": (1, 1)}
"""One point along each direction, y downwards."""
NAMES = {"H": "-", "V": "|", "DP": "/", "DN": "\\"}
"""The directions as MSR calls them."""
HALF = LENGTH // 2
INNER = 3
"""Column and row of the inner corner at the upper left, within the square around the cross."""
SIDE = 10
"""Points on each side of this square."""
PENTASOL = (28, 28)
"""Where files that are written put the inner corner, as those of the record site do."""
VARIANTS: tuple[Variant, ...] = ("5T", "5D")


class Drawn(NamedTuple):
    """A move: its new point, x to the right and y downwards from the square around the cross, and its line."""

    x: int
    y: int
    sign: str
    offset: int  # from the point to the centre of the line, in steps of the direction


def read_game(game: Morpion, text: str, number: int | None = None) -> Recorded[Morpion]:
    """Read a game in any of the notations.

    Raises:
        ValueError: the text is not a game, or a move is not legal; the message says where, and what is accepted.
    """
    one_of([text], number)
    if text.lstrip().startswith("{"):
        return _from_json(game, text)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if lines and lines[0].lstrip().startswith("("):
        return Recorded(game, _by_signs(game, list(_drawn(text))))
    return Recorded(game, parse_game(game, text))


def pentasol(game: Morpion, actions: Sequence[int]) -> str:
    """Write a game in Pentasol."""
    left, top = PENTASOL[0] - INNER, PENTASOL[1] - INNER
    lines = [f"({PENTASOL[0]},{PENTASOL[1]})"]
    lines += [f"({x + left},{y + top}) {sign} {offset:+d}" for x, y, sign, offset in _moves(game, actions)]
    return "\n".join(line.replace("+0", "0") for line in lines) + "\n"


def msr(game: Morpion, actions: Sequence[int]) -> str:
    """Write a game in the JSON of morpion-solitaire.io."""
    names = {sign: name for name, sign in NAMES.items()}
    moves = [{"x": x, "y": y, "dir": names[sign], "pos": HALF - offset} for x, y, sign, offset in _moves(game, actions)]
    content = {"version": "0.1", "variant": game.variant, "score": len(moves), "moves": moves}
    return json.dumps(content, indent=1) + "\n"


def _moves(game: Morpion, actions: Sequence[int]) -> Iterator[Drawn]:
    """Yield the moves of a game."""
    for action, new in zip(actions, new_crosses(game, actions), strict=True):
        points = line_points(game, action)
        direction = action // game.size**2
        sign = next(one for one, step in STEPS.items() if step in ((DX[direction], -DY[direction]), _back(direction)))
        x, y = new[0] - CORNER[0], CORNER[1] + SIDE - 1 - new[1]
        along, down = STEPS[sign]
        centre = points[HALF]
        steps = (centre[0] - new[0]) if along else (new[1] - centre[1])
        yield Drawn(x, y, sign, steps * (along or down))


def _back(direction: int) -> tuple[int, int]:
    return -DX[direction], DY[direction]


def _drawn(text: str) -> Iterator[Drawn]:
    """Yield the moves of a text in Pentasol; raises ValueError, which names the line."""
    left, top, first = 1, 1, True
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = LINE.fullmatch(line.strip())
        if found is None or not (first or found[3]):
            accepted = "accepted: a point, a direction, - | / or \\, and an offset from -2 to 2, as in (27,25) - +2"
            raise ValueError(f"line {number}: {show_typed(line)}: {accepted}")
        x, y = int(found[1]), int(found[2])
        if found[3]:
            yield Drawn(x - left, y - top, found[3], int(found[4]))
        else:
            left, top = x - INNER, y - INNER
        first = False


def _by_signs(game: Morpion, moves: Sequence[Drawn]) -> list[int]:
    """Return the actions of a game, by the first signs of offsets by which it is legal; raises ValueError."""
    if not moves:
        raise ValueError("the text holds no moves; accepted: lines such as (27,25) - +2")
    readings = sorted(itertools.product((1, -1), repeat=len(SIGNS)), key=lambda one: (len(set(one)) > 1, -one[0]))
    wrong: ValueError | None = None
    for reading_ in readings:
        signs = dict(zip(SIGNS, reading_, strict=True))
        try:
            return _actions(game, [move._replace(offset=signs[move.sign] * move.offset) for move in moves])
        except ValueError as error:
            wrong = wrong or error
    assert wrong is not None
    raise wrong


def _actions(game: Morpion, moves: Sequence[Drawn]) -> list[int]:
    """Return the actions of a game; raises ValueError for a move that is not legal."""
    actions: list[int] = []
    for number, (x, y, sign, offset) in enumerate(moves, 1):
        along, down = STEPS[sign]

        def point(steps: int, x: int = x, y: int = y, along: int = along, down: int = down) -> Point:
            return CORNER[0] + x + steps * along, CORNER[1] + SIDE - 1 - y - steps * down

        try:
            actions.append(line_between(game, point(offset - HALF), point(offset + HALF)))
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
    for number, (move, new) in enumerate(zip(moves, new_crosses(game, actions), strict=True), 1):
        if new != (CORNER[0] + move.x, CORNER[1] + SIDE - 1 - move.y):
            raise ValueError(f"move {number}: its point has a cross already; accepted: the new point of the line")
    return actions


def _from_json(game: Morpion, text: str) -> Recorded[Morpion]:
    """Read a game in MSR; raises ValueError."""
    content = reading.parse_json(text)
    variant, moves = content.get("variant", game.variant), content.get("moves")
    if variant not in VARIANTS:
        raise ValueError(f"variant {show(variant)}: accepted: {', '.join(VARIANTS)}")
    if not isinstance(moves, list) or not moves:
        raise ValueError('"moves": accepted: a list of moves, each with x, y, dir and pos')
    rules = game if variant == game.variant else replace(game, variant=variant)
    return Recorded(rules, _actions(rules, [_move(number, one) for number, one in enumerate(moves, 1)]))


def _move(number: int, one: Any) -> Drawn:
    """Return a move of MSR; raises ValueError."""
    try:
        x, y, place = one["x"], one["y"], one["pos"]
        sign = NAMES[one["dir"]]
        if all(type(n) is int for n in (x, y, place)) and abs(x) < 1000 and abs(y) < 1000 and 0 <= place < LENGTH:
            return Drawn(x, y, sign, HALF - place)
    except (KeyError, TypeError):
        pass
    accepted = "whole numbers x, y and pos (0 to 4), and dir H, V, DP or DN"
    raise ValueError(f"move {number}: {show(one)}: accepted: {accepted}")


def _write_pentasol(game: Morpion, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    del names, states
    return pentasol(game, actions)


def _write_msr(game: Morpion, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    del names, states
    return msr(game, actions)


FORMATS = {
    ".pentasol": Format("Pentasol, as on morpionsolitaire.com", _write_pentasol),
    ".msr": Format("the JSON of morpion-solitaire.io", _write_msr),
}
