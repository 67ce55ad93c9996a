"""Positions of random games of Othello, what programs see of them, and what they make of it, in plain Python."""

import jax
import numpy as np

from tests.envs.othello.drawings import read
from tests.reference import othello as reference


def told_by(size, seed, count):
    """Return positions of random games, passes among them where they come."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        position = reference.start(size)
        stop = rng.integers(size**2 - 4)
        while stop and (legal := reference.moves(position)):
            position, stop = reference.play(position, legal[rng.integers(len(legal))]), stop - 1
        if not reference.over(position):
            found.append(position)
    return found


def positions(size, seed, count):
    """Return states of random games, and the same positions of the reference."""
    found, states = told_by(size, seed, count), []
    for position in found:
        mark = {seat: "XO"[seat] for seat in (0, 1)}
        text = "".join(mark.get(position.discs.get((x, y)), ".") for y in range(size) for x in range(size))
        states.append(read(text, position.seat)[1])
    return jax.tree.map(lambda *x: np.stack(x), *states), found


def region(features, n, x, y):
    """Name the regions of a square, from how far it is from the sides of the board."""
    a, b = sorted((min(x, n - 1 - x), min(y, n - 1 - y)))
    corner, near, border = (a, b) == (0, 0), (a, b) in ((0, 1), (1, 1)), a == 0
    if features == "regions":
        return [f"{'abcde'[b]}{a + 1}"]
    if features == "original":
        return [""] + corner * ["corners"] + near * ["near_corners"] + border * ["edges"]
    return ["corners"] if corner else ["near"] if near else ["sides"] if border else ["ring"] if a == 1 else []


def seen_by(features, names, position, mover):
    """Return what a program sees of a position after a move of `mover`, by the names of the features."""
    counts = dict.fromkeys(names, 0)
    for (x, y), seat in position.discs.items():
        for name in region(features, position.n, x, y):
            counts["_".join(filter(None, ["own" if seat == mover else "other", name]))] += 1
    return [counts[name] for name in names]


def plainly(text, sight):
    """Evaluate an expression in float32, step by step."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()

    def value(at):
        if words[at] != "(":
            return np.float32(sight[words[at]] if words[at] in sight else float(words[at])), at + 1
        a, after = value(at + 2)
        b, after = value(after)
        sign = words[at + 1]
        if sign == "%":
            return (np.float32(1) if b == 0 else a / b), after + 1
        return {"+": np.add, "-": np.subtract, "*": np.multiply}[sign](a, b), after + 1

    with np.errstate(all="ignore"):
        return value(0)[0]
