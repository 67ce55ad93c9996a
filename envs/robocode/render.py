"""Pictures of battles for people: a moment in words, and whole battles as pictures that move by themselves."""

import itertools
from collections.abc import Iterable, Mapping
from html import escape

import numpy as np

from envs.robocode.rules import Robocode
from envs.robocode.state import State

SPEED = 30.0
"""Turns a second in a picture."""
HULLS = ("#2f6db5", "#c0392b")
STYLE = """
.robocode .field{fill:#20242b}
.robocode .beam{stroke-width:1;stroke-opacity:.45}
.robocode .gun{stroke:#ddd;stroke-width:5;stroke-linecap:round}
.robocode .bullet{fill:#ffe08a}
.robocode text{font:14px sans-serif;fill:#222}
@media (prefers-color-scheme:dark){.robocode text{fill:#eee}}
.robocode .bar{fill:#4caf50}
""".strip()
EVERY = 3
"""Turns between two keys of a path, unless something turns faster."""


def text(game: Robocode, state: State, bottom: int = 0) -> str:
    """Return a moment in words."""
    del bottom
    found = [f"round {min(int(state.round) + 1, game.rounds)} of {game.rounds}, turn {int(state.time)}"]
    for seat, (robot, points) in enumerate(zip(state.robots, state.points, strict=True)):
        flying = int((np.asarray(state.bullets[seat].power) > 0).sum())
        found.append(
            f"{seat + 1}: at {float(robot.x):.0f},{float(robot.y):.0f} heading {np.degrees(float(robot.body)):.0f}, "
            f"energy {float(robot.energy):.1f}, bullets {flying}, score {float(points.total):.0f}"
        )
    return "\n".join(found)


def svg(game: Robocode, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw a moment."""
    del highlight, seat, bottom
    rollout = _stacked(state)
    return picture(game, {("", ""): rollout})


def _stacked(state: State) -> State:
    import jax

    return jax.tree.map(lambda x: np.asarray(x)[None], state)


def lines(game: Robocode, rollout: State) -> Iterable[str]:
    """Return a line for each second of the picture, and for each round."""
    import jax

    count = len(np.asarray(rollout.time))
    for n in sorted({*range(0, count, 30), count - 1}):
        one = jax.tree.map(lambda x, n=n: np.asarray(x)[n], rollout)
        yield text(game, one).replace("\n", "; ")


def picture(game: Robocode, rollouts: Mapping[tuple[str, ...], State]) -> str:
    """Draw battles one below the other: hulls, guns, radar beams, bullets by their power, energy, score."""
    height = game.height + 60
    parts = []
    for place, (names, rollout) in enumerate(rollouts.items()):
        parts.append(f'<g transform="translate(0,{place * height:g})">{_battle(game, names, rollout)}</g>')
    whole = height * len(rollouts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="robocode" viewBox="0 0 {game.width:g} {whole:g}">'
        f"<style>{STYLE}</style>{''.join(parts)}</svg>"
    )


def _battle(game: Robocode, names: tuple[str, ...], rollout: State) -> str:
    turns = len(np.asarray(rollout.time)) - 1
    lasts = max(turns, 1) / SPEED
    begins = np.flatnonzero(np.diff(np.asarray(rollout.round)) > 0) + 1  # states in which a round begins
    found = [f'<rect class="field" width="{game.width:g}" height="{game.height:g}"/>']
    robots = [
        {key: np.asarray(getattr(one, key), float) for key in ("x", "y", "body", "gun", "radar", "energy")}
        for one in rollout.robots
    ]
    for seat, one in enumerate(robots):
        x, y = one["x"], game.height - one["y"]
        keys = _keys(turns, begins, np.stack([x, y], 1), 0.6)
        turned = {part: np.degrees(np.unwrap(one[part])) for part in ("body", "gun", "radar")}
        shapes = {
            "body": f'<rect x="-18" y="-18" width="36" height="36" rx="4" fill="{HULLS[seat]}"/>'
            '<rect x="-10" y="-18" width="20" height="6" fill="#fff" fill-opacity=".5"/>',
            "gun": '<line class="gun" y2="-26"/>',
            "radar": f'<line class="beam" y2="-1200" stroke="{HULLS[seat]}"/>',
        }
        inner = ""
        for part, shape in shapes.items():
            angle = turned[part][:, None]
            spun = _animated("rotate", angle, _keys(turns, begins, angle, 4.0), turns, lasts)
            inner += f"<g>{shape}{spun}</g>"
        moved = _animated("translate", np.stack([x, y], 1), keys, turns, lasts)
        found.append(f"<g>{inner}{moved}</g>")
    for seat in (0, 1):
        found += _bullets(game, rollout, seat, turns, lasts)
    for seat, one in enumerate(robots):
        at = game.height + 22 + 24 * seat
        score = np.asarray(rollout.points[seat].total, float)
        keys = _keys(turns, begins, one["energy"][:, None], 0.5)
        widths = ";".join(f"{max(0.0, 2 * one['energy'][k]):.0f}" for k in keys)
        found.append(f'<text x="8" y="{at}">{escape(names[seat])}</text>')
        found.append(f'<text x="322" y="{at}" text-anchor="end">energy</text>')
        found.append(
            f'<rect x="330" y="{at - 12}" height="12" width="{2 * one["energy"][-1]:.0f}" fill="{HULLS[seat]}">'
            + (_animate("width", widths, _times(keys, turns), lasts) if turns else "")
            + "</rect>"
        )
        found += _scores(score, at, turns, lasts)
    return "".join(found)


def _keys(turns: int, begins: np.ndarray, values: np.ndarray, error: float) -> list[int]:
    """Return the places at which a path has to be given, so that what lies between them is off by little."""
    cuts = [0, *(k for b in begins for k in (b - 1, b)), turns]
    found: list[int] = []
    for first, last in itertools.pairwise(cuts):
        stack, kept = [(first, last)], {first, last}
        while stack:
            a, b = stack.pop()
            if b - a < 2:
                continue
            share = ((np.arange(a, b + 1) - a) / (b - a))[:, None]
            off = np.abs(values[a : b + 1] - (values[a] + share * (values[b] - values[a]))).max(1)
            if off.max() > error:
                middle = a + int(off.argmax())
                kept.add(middle)
                stack += [(a, middle), (middle, b)]
        found += sorted(kept)
    return sorted(set(found))


def _times(keys: list[int], turns: int) -> str:
    return ";".join(f"{k / max(turns, 1):.5g}" for k in keys)


def _animate(name: str, values: str, times: str, lasts: float, mode: str = "") -> str:
    return (
        f'<animate attributeName="{name}"{mode} values="{values}" keyTimes="{times}" dur="{lasts:.2f}s" '
        'repeatCount="indefinite"/>'
    )


def _animated(kind: str, values: np.ndarray, keys: list[int], turns: int, lasts: float) -> str:
    if not turns:
        keys = [0]
    listed = ";".join(",".join(f"{x:.5g}" for x in values[k]) for k in keys)
    if len(keys) == 1:
        listed, times = f"{listed};{listed}", "0;1"
    else:
        times = _times(keys, turns)
    return (
        f'<animateTransform attributeName="transform" type="{kind}" values="{listed}" keyTimes="{times}" '
        f'dur="{lasts:.2f}s" repeatCount="indefinite"/>'
    )


def _bullets(game: Robocode, rollout: State, seat: int, turns: int, lasts: float) -> list[str]:
    """Return the flights of bullets: each a straight line, shown from its shot to its end."""
    shots, found = rollout.bullets[seat], []
    x, y, power = (np.asarray(getattr(shots, key), float) for key in ("x", "y", "power"))
    for slot in range(power.shape[1]):
        there = power[:, slot] > 0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
        for first, after in zip(edges[::2], edges[1::2], strict=True):
            last = after - 1
            begin, end = first / max(turns, 1), min(1.0, after / max(turns, 1))
            size = 2 + float(power[first, slot])
            places = [(x[k, slot], game.height - y[k, slot]) for k in (first, last)]
            ends = max(begin, last / max(turns, 1))
            shown = _animate("opacity", "0;1;0", f"0;{begin:.5g};{end:.5g}", lasts, ' calcMode="discrete"')
            times = f"0;{begin:.5g};{ends:.5g};1"
            moves = "".join(
                _animate(name, f"{a:.4g};{a:.4g};{b:.4g};{b:.4g}", times, lasts)
                for name, a, b in (("cx", places[0][0], places[1][0]), ("cy", places[0][1], places[1][1]))
            )
            still = not turns
            at = f'cx="{places[0][0]:.4g}" cy="{places[0][1]:.4g}"'
            found.append(f'<circle class="bullet" {at} r="{size:.1f}">{"" if still else shown + moves}</circle>')
    return found


def _scores(score: np.ndarray, at: float, turns: int, lasts: float) -> list[str]:
    """Return texts of which one at a time is shown."""
    told = np.round(score).astype(int)
    changes = [0, *(np.flatnonzero(np.diff(told)) + 1)]
    if not turns:
        return [f'<text x="560" y="{at}">score {told[-1]}</text>']
    found = []
    for first, after in zip(changes, [*changes[1:], turns + 1], strict=True):
        begin, end = first / turns, min(1.0, after / turns)
        values, times = ("1;0", f"0;{end:.5g}") if not first else ("0;1;0", f"0;{begin:.5g};{end:.5g}")
        shown = _animate("opacity", values, times, lasts, ' calcMode="discrete"')
        found.append(f'<text x="560" y="{at}" opacity="0">score {told[first]}{shown}</text>')
    return found
