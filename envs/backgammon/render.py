"""Backgammon for people: the board as text and as a picture, and the names of the moves.

Points are numbered as the side to move sees them, from its own home, 1 to 6, to 24. The seat that looks at the board
has its home at the bottom right.
"""

import re
from html import escape

import numpy as np

from envs.backgammon.rules import BAR, DICE, OFF, PASS, Backgammon, State
from envs.drawing import nameplate
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

SEATS = ("White", "Black")
MARKS = "WB"
MOVE = "a point and where the man goes, as in 13/7, bar/22 or 6/off, or pass"
"""What `parse_action` accepts, for people."""
TALL = 5
"""Men that are drawn on a point; a number stands for more."""

RULES = """\
Each side has 15 men, which go from its point 24 to its point 1, and then off.
Two dice are rolled, and each moves a man by its number; doubles are played twice.
A man may go to any point that has at most one man of the opponent.
A single man there is hit and goes to the bar; men on the bar have to enter first.
Who has all men on points 1 to 6 may bear them off: from the point of the die,
or from the rearmost point if that is nearer.
As many dice as possible are played; of two that exclude each other, the larger.
The first side with all men off wins: 1 point; 2 if the loser has none off (gammon),
3 if besides a man of the loser is on the bar or where the winner bears off.
"""
"""What `rules` prints at the table."""
COLOURS = {r"(?<![A-Za-z])W(?![A-Za-z])": "bright_white", r"(?<![A-Za-z])B(?![A-Za-z])": "cyan"}
"""How a terminal shows what stands in the text of a position."""

# Measures of the picture, in its own units.
CELL = 40.0
MARGIN = 36.0  # above and below the board, for the names of the players
EDGE = 24.0  # above and below the points, for their numbers
MAN = 18.0
DEEP = 185.0  # of the point of a triangle
WIDTH, HEIGHT = 15 * CELL, 470.0

STYLE = """
.backgammon text{font:600 17px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
.backgammon .at{font:500 13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#6e7781;text-anchor:middle}
.backgammon .name1{text-anchor:end}
.backgammon .ground{fill:#efe3cb;stroke:#6f5236;stroke-width:3}
.backgammon .bar{fill:#6f5236}
.backgammon .even{fill:#a87b54}
.backgammon .odd{fill:#d2b48c}
.backgammon .man0{fill:#f7f3e8;stroke:#a39a86;stroke-width:2.5}
.backgammon .man1{fill:#1d2126;stroke:#5c636b;stroke-width:2.5}
.backgammon .many0{fill:#1d2126;text-anchor:middle}
.backgammon .many1{fill:#f7f3e8;text-anchor:middle}
.backgammon .may{fill:none;stroke:#e3a220;stroke-width:3}
.backgammon .mark{fill:none;stroke:#e3a220;stroke-width:5;stroke-linecap:round}
.backgammon .die{fill:#fdfcf8;stroke:#57606a;stroke-width:1.5}
.backgammon .used{opacity:.35}
.backgammon .pip{fill:#1d2126}
.backgammon .turn{fill:none;stroke:#d29922;stroke-width:11;stroke-linecap:round}
@media (prefers-color-scheme:dark){
.backgammon text{fill:#e6edf3}
.backgammon .at{fill:#4a3a26}
.backgammon .many0{fill:#1d2126}
.backgammon .ground{fill:#8f7f66;stroke:#3f2f20}
.backgammon .bar{fill:#3f2f20}
.backgammon .even{fill:#5d432d}
.backgammon .odd{fill:#b09a78}
}
"""
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def point_name(point: int) -> str:
    """Return the number of a point, `bar` or `off`."""
    return {OFF: "off", BAR: "bar"}.get(point, str(point))


def ends(action: int) -> tuple[int, int]:
    """Return the points between which an action other than the pass moves a man; 25 is the bar, 0 is off."""
    distance, point = action // BAR + 1, action % BAR + 1
    return point, max(point - distance, OFF)


def action_name(game: Backgammon, action: int) -> str:
    """Return what people call a move: 13/7, bar/22, 6/off, or pass.

    Raises:
        ValueError: there is no such move.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    if action == PASS:
        return "pass"
    point, to = ends(action)
    if action // BAR + 1 > point:
        raise ValueError(f"action {action}: leads beyond the board")
    return f"{point_name(point)}/{point_name(to)}"


def parse_action(game: Backgammon, text: str) -> int:
    """Return the action that a person typed: two points up to six apart, or pass. A * for a hit may follow.

    Raises:
        ValueError: not a move; the message says what was typed and what is accepted.
    """
    del game
    word = text.strip().lower()
    if word == "pass":
        return PASS
    found = re.fullmatch(r"(bar|\d{1,2})/(off|\d{1,2})\*?", word, re.ASCII)
    if found:
        point, to = read_point(found[1]), read_point(found[2])
        if BAR >= point > to and point - to <= DICE:
            return (point - to - 1) * BAR + point - 1
    raise ValueError(f"{show_typed(text)} is not a move; accepted: {MOVE}")


def read_point(word: str) -> int:
    """Return the number of a point that was typed as a number, `bar` or `off`."""
    named = {"off": OFF, "bar": BAR}
    return named[word] if word in named else int(word)


def sides(state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return int[26] and int[26]: the men of the first and of the second seat, by their own points."""
    both = np.asarray(state.own).astype(int), np.asarray(state.other).astype(int)
    return both if int(state.to_move) == 0 else both[::-1]


def dice(state: State) -> list[tuple[int, bool]]:
    """Return the dice of the turn, doubles four times, each with whether it is still to be played."""
    values, left = np.asarray(state.dice).tolist(), np.asarray(state.left).tolist()
    if values[0] == values[1]:
        return [(values[0], place < left[0]) for place in range(4)]
    return [(value, bool(times)) for value, times in zip(values, left, strict=True)]


def rolled(game: Backgammon, state: State) -> str:
    """Return the roll of a turn in words."""
    del game
    return f" with {'-'.join(map(str, np.asarray(state.dice).tolist()))}"


def status(game: Backgammon, state: State) -> str:
    """Say in one line who is to move with which dice, or how the game ended."""
    seat = int(state.to_move)
    if bool(state.terminated):
        score = np.asarray(game.score(state)).tolist()
        winner = int(score[1] > score[0])
        how = {2: " with a gammon", 3: " with a backgammon"}.get(int(max(score)), "")
        return f"{SEATS[winner]} wins{how}, {max(score):g} to 0"
    values = np.asarray(state.dice).tolist()
    left = [str(die) for die, still in dice(state) if still]
    rest = f", {' '.join(left)} left" if len(left) < len(dice(state)) else ""
    stuck = "" if np.asarray(state.moves).any() else ", who cannot move and has to pass"
    return f"{SEATS[seat]} to move, dice {values[0]}-{values[1]}{rest}{stuck}"


def text(game: Backgammon, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters: W is white, B is black; a number on top of a pile counts it.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the board; its home is at the bottom right.
    """
    near, far = sides(state)[bottom], sides(state)[1 - bottom]
    marks = MARKS[bottom], MARKS[1 - bottom]
    upper = [*range(13, 19), BAR, *range(19, 25)]
    lower = [*range(12, 6, -1), BAR, *range(6, 0, -1)]

    def cell(point: int, row: int, top: bool) -> str:
        # The bar holds the men of the far side above and those of the near side below, so that they enter away from it.
        if point == BAR:
            men, mark = (near[BAR], marks[0]) if top else (far[BAR], marks[1])
        else:
            men, mark = (near[point], marks[0]) if near[point] else (far[BAR - point], marks[1])
        if row == TALL - 1 and men > TALL:
            return str(men)
        return mark if row < men else ("|" if point == BAR else " ")

    def line(points: list[int], row: int, top: bool) -> str:
        return "|" + "".join(f"{cell(point, row, top):>3} " for point in points) + "|"

    shown = lambda point: "BAR" if point == BAR else str(_numbered(state, point, bottom))  # noqa: E731
    numbers = ["".join(f"{shown(point):>3} " for point in points) for points in (upper, lower)]
    rule = "+" + "-" * (4 * len(upper)) + "+"
    rows = [line(upper, row, True) for row in range(TALL)]
    middle = "|" + " " * (4 * len(upper)) + "|"
    base = [line(lower, row, False) for row in reversed(range(TALL))]
    counts = ", ".join(f"{mark} {name.lower()} {_counted(men)}" for mark, name, men in _seats(state))
    board = [f" {numbers[0]}", rule, *rows, middle, *base, rule, f" {numbers[1]}"]
    return "\n".join([*(one.rstrip() for one in board), f"{counts}. {status(game, state)}"])


def svg(game: Backgammon, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages.

    The numbers are those of the side to move. Amber rings are round men that may move; dice that are played are pale.

    Args:
        game: the rules.
        state: the position.
        highlight: a move to mark, by a line between its points: the one about to be played or the last one.
        seat: who plays it; None: the side to move.
        bottom: the seat that looks at the board.
    """
    height = HEIGHT + 2 * MARGIN
    men = sides(state)
    parts = [f'<rect class="ground" x="2" y="{MARGIN:g}" width="{WIDTH - 4:g}" height="{HEIGHT:g}"/>']
    parts.append(f'<rect class="bar" x="{6.5 * CELL:g}" y="{MARGIN:g}" width="{CELL:g}" height="{HEIGHT:g}"/>')
    for point in range(1, BAR):
        x, base, up = _column(point), *_base(point)
        tip = base + up * DEEP
        kind = "even" if point % 2 == 0 else "odd"
        parts.append(f'<path class="{kind}" d="M{x - CELL / 2:g} {base:g}h{CELL:g}L{x:g} {tip:g}z"/>')
        number = base + 17 if up < 0 else base - 8
        parts.append(f'<text class="at" x="{x:g}" y="{number:g}">{_numbered(state, point, bottom)}</text>')
    may = int(state.moves[0]) | int(state.moves[1])
    for owner in (0, 1):
        for point in range(1, BAR + 1):
            rings = owner == int(state.to_move) and may >> point & 1
            parts += _pile(owner, point, int(men[owner][point]), owner == bottom, bool(rings))
    if highlight is not None and highlight != PASS:
        player = int(state.to_move) if seat is None else seat
        (a, b), (c, d) = (_place(point, player == bottom) for point in ends(highlight))
        parts.append(f'<path class="mark" d="M{a:g} {b:g}L{c:g} {d:g}"/>')
    if not bool(state.terminated):
        parts += _dice(dice(state))
    for owner, name in enumerate(SEATS):
        x, y = (6.0, WIDTH - 6)[owner], height - 12 if owner == bottom else MARGIN - 12
        parts += nameplate(state, owner, f"{name}: {_counted(men[owner])}", x, y)
    label = escape(f"Backgammon. {status(game, state)}.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="backgammon" viewBox="0 0 {WIDTH:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _numbered(state: State, point: int, bottom: int) -> int:
    """Return the number that the side to move gives to a point of the seat that looks at the board."""
    return point if int(state.to_move) == bottom else BAR - point


def _seats(state: State) -> list[tuple[str, str, np.ndarray]]:
    return list(zip(MARKS, SEATS, sides(state), strict=True))


def _counted(men: np.ndarray) -> str:
    """Say how many men a side has borne off, and how far the others have to go."""
    pips = int((np.arange(BAR + 1) * men).sum())
    return f"{men[OFF]} off, {pips} pip{'s' * (pips != 1)}"


def _column(point: int) -> float:
    """Return the middle of a point of the seat that looks at the board; the bar is in the middle."""
    if point in (OFF, BAR):
        return (14.0 if point == OFF else 7.0) * CELL
    place = point - 13 if point > 12 else 12 - point
    return (place + 1.0 + (place >= 6)) * CELL


def _base(point: int) -> tuple[float, int]:
    """Return where a point begins, and in which direction it extends."""
    return (MARGIN + EDGE, 1) if point > 12 else (MARGIN + HEIGHT - EDGE, -1)


def _place(point: int, near: bool) -> tuple[float, float]:
    """Return the place of the first man on a point of a side."""
    seen = point if near or point in (OFF, BAR) else BAR - point
    base, up = _base(13 if (point == BAR) == near and point in (OFF, BAR) else seen if 0 < seen < BAR else 1)
    return _column(seen), base + up * MAN


def _pile(owner: int, point: int, count: int, near: bool, rings: bool) -> list[str]:
    """Draw the men of a side on a point; the last one has a ring if it may move, and a number if there are more."""
    if not count:
        return []
    x, y = _place(point, near)
    up = 1 if y < MARGIN + HEIGHT / 2 else -1
    shown = min(count, TALL)
    last = y + up * 2 * MAN * (shown - 1)
    parts = [
        f'<circle class="man{owner}" cx="{x:g}" cy="{y + up * 2 * MAN * n:g}" r="{MAN - 1.5:g}"/>' for n in range(shown)
    ]
    if count > TALL:
        parts.append(f'<text class="many{owner}" x="{x:g}" y="{last + 6:g}">{count}</text>')
    if rings:
        parts.append(f'<circle class="may" cx="{x:g}" cy="{last:g}" r="{MAN - 4:g}"/>')
    return parts


def _dice(rolled: list[tuple[int, bool]]) -> list[str]:
    """Draw the dice on the right half of the board."""
    parts = []
    for place, (value, left) in enumerate(rolled):
        x, y = 8.3 * CELL + 44 * place, MARGIN + HEIGHT / 2
        pips = "".join(f'<circle class="pip" cx="{x + 9 * a:g}" cy="{y + 9 * b:g}" r="3"/>' for a, b in PIPS[value])
        face = f'<rect class="die" x="{x - 17:g}" y="{y - 17:g}" width="34" height="34" rx="6"/>{pips}'
        parts.append(f"<g>{face}</g>" if left else f'<g class="used">{face}</g>')
    return parts


def places(game: Backgammon, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: the points between which a man goes, `bar` or `off`; nothing for a pass."""
    del game, state
    return () if action == PASS else tuple(point_name(point) for point in ends(action))


def spots(game: Backgammon, state: State, bottom: int) -> list[Spot]:
    """Return where the points are in the picture, as the side to move numbers them."""
    del game
    near = int(state.to_move) == bottom
    half = HEIGHT / 2
    found = []
    for point in range(OFF, BAR + 1):
        x, y = _place(point, near)
        top = MARGIN if y < MARGIN + half else MARGIN + half
        found.append(Spot((point_name(point),), x - CELL / 2, top, CELL, half))
    return found
