"""Traces of the real Robocode: battles turn by turn, as `Arena.java` writes them.

A line is a turn: round and turn; of each robot x, y, headings of body, gun and radar, speed, energy, heat, state and
points of the round; and of each bullet its number, place, heading, power and state. Bullets do not say whose they are:
all are drawn in the first seat. What lies between the first death of a round and its last line is left out, as here.
"""

from typing import Any

import numpy as np

from envs.robocode.rules import Robocode
from envs.robocode.state import Bullets, Points, Robot, Seen, State

ROBOT = 10
"""Fields of a robot, and the two that stand before the first one."""
STATES = ("ACTIVE", "HIT_WALL", "HIT_ROBOT", "DEAD")
MOST = 20
"""Bullets in the air at a time, at most."""
SLOTS = 3 * MOST
"""Room for them: a place stays empty for a turn before another bullet has it."""


def read(game: Robocode, text: str) -> State:
    """Return the states [N] that a trace tells of; what it does not tell is 0.

    Raises:
        ValueError: it is none, or is cut short; the message names the line.
    """
    rows: list[np.ndarray] = []
    flying: list[dict[tuple, tuple[float, ...]]] = []
    number, over, total, points = 0.0, True, np.zeros(2), np.zeros(2)
    for place, line in enumerate(text.splitlines(), 1):
        row, bullets, dead = _line(game, place, line)
        if row[0] != number or not rows:
            if rows and not over:
                raise ValueError(f"line {place}: round {row[0]:.0f} begins before the one before has ended")
            number, over, total = row[0], False, total + points
        elif over:
            continue
        points = row[[11, 21]]
        row[[11, 21]] += total
        rows.append(row)
        flying.append(bullets)
        over = dead
    if not rows:
        raise ValueError("it has no line")
    if not over:
        raise ValueError(f"line {place}: it ends before the last round does")
    return _states(np.array(rows), flying)


def _line(game: Robocode, place: int, line: str) -> tuple[np.ndarray, dict[tuple, tuple[float, ...]], bool]:
    """Return the numbers of a line, x, y and power of its bullets by what tells them apart, and who has died."""
    fields = line.split(",")
    if len(fields) < 2 + 2 * ROBOT:
        raise ValueError(f"line {place}: {len(fields)} fields; accepted: {2 + 2 * ROBOT}, and bullets")
    said = [fields[2 + ROBOT * seat + 8] for seat in (0, 1)]
    if unknown := [one for one in said if one not in STATES]:
        raise ValueError(f"line {place}: {unknown[0]}; accepted: {', '.join(STATES)}")
    try:
        row = np.array([0.0 if one in STATES else float(one) for one in fields[: 2 + 2 * ROBOT]])
        bullets: dict[tuple, tuple[float, ...]] = {}
        for field in fields[2 + 2 * ROBOT :]:
            name, *numbers, state = field.split(";")
            x, y, heading, power = map(float, numbers)
            if state == "MOVING":
                bullets[name, heading, power] = x, y, power
    except ValueError as error:
        raise ValueError(f"line {place}: accepted: numbers, and bullets NAME;X;Y;HEADING;POWER;STATE") from error
    here = row[[2, 2 + ROBOT]] <= game.width, row[[3, 3 + ROBOT]] <= game.height
    if not np.isfinite(row).all() or not all(one.all() for one in here) or len(bullets) > MOST:
        raise ValueError(f"line {place}: accepted: robots in a field of {game.width:g} x {game.height:g}")
    return row, bullets, "DEAD" in said


def _states(rows: np.ndarray, flying: list[dict[tuple, tuple[float, ...]]]) -> State:
    """Return states from the numbers of lines [N, 22] and their bullets."""
    count = len(rows)
    zero: Any = np.zeros(count)  # arrays of NumPy, where battles of this world have those of JAX
    no: Any = np.zeros(count, bool)
    robots, points = [], []
    for seat in (0, 1):
        told: Any = rows[:, 2 + ROBOT * seat : 2 + ROBOT * (seat + 1)].T
        x, y, body, gun, radar, v, energy, heat, _, score = told
        robots.append(Robot(x, y, x, y, body, gun, radar, v, energy, heat, *[zero] * 6, *[no] * 2))
        points.append(Points(score, *[zero] * 10))
    slots, free = np.zeros((3, count, SLOTS)), np.full(SLOTS, -2)
    at: dict[tuple, int] = {}
    for turn, bullets in enumerate(flying):
        at = {key: slot for key, slot in at.items() if key in bullets}
        for key, values in bullets.items():
            if key not in at:
                at[key] = int(np.flatnonzero((free < turn - 1) & ~np.isin(np.arange(SLOTS), list(at.values())))[0])
            slots[:, turn, at[key]] = values
            free[at[key]] = turn
    shown: Any = slots[:, :, : max(1, int((slots[2] > 0).any(0).sum()))]
    x, y, power = shown
    still = 0 * x
    none = Bullets(*[zero[:, None]] * 6)
    numbers: Any = rows[:, :2].astype(int)
    rounds, turns = numbers[:, 0], numbers[:, 1]
    ended: Any = np.arange(count) == count - 1
    seen = Seen(no, no, no, zero, zero, no, zero, no, zero, zero, no, zero, zero, no)
    return State(
        (robots[0], robots[1]),
        (Bullets(x, y, still, still, still, power), none),
        (points[0], points[1]),
        (seen, seen),
        *(zero, zero, zero, rounds, turns, zero),
        terminated=ended,
    )
