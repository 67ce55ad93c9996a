"""Pictures of races for people: a moment in words, a lap second by second, tracks and the paths of cars on them."""

import math
import zlib
from collections.abc import Iterable, Mapping
from html import escape

import numpy as np

from envs.rars import places
from envs.rars.physics import BROKEN, DT
from envs.rars.places import SENSED
from envs.rars.rules import Rars, State
from envs.rars.tracks import Track

SIZE = 1000.0
"""Units of the longer side of a picture."""
MARGIN = 30.0
PACE = 8.0
"""How many times as fast as in the race cars move in a picture, so that a lap of sepang takes 20 seconds."""
KEYS = 0.5
"""Seconds of the race between the places that a moving car passes in a picture."""
ROW, CHART = 24.0, 260.0
"""Units of a line of text, and of the height of the chart of speeds."""
TOP = 250.0
"""Ft/s at the top of that chart."""
SLOW, FAST = 60.0, 220.0
"""Ft/s that the colours of a path range over."""
LEGEND = (
    f"colour: speed, blue {SLOW:g} ft/s to red {FAST:g}; dot: a second; white dot: ten; red edge: off the road; "
    "below: speed of each car"
)
NEAR, NEARLY = 290.0, 4
"""Units of the height of what a car perceives, and of how many cars that is drawn."""
SENSES = (
    ("CR", "cur_rad", "radius of this segment"),
    ("NR", "nex_rad", "radius of the next one"),
    ("TE", "to_end", "to the end of this one"),
    ("NL", "nex_len", "length of the next one"),
    ("V", "v", "speed"),
    ("NV", "vn", "drift to the left"),
    ("TL", "to_lft", "to the left wall"),
    ("TR", "to_rgt", "to the right wall"),
    ("TW", "width", "between the walls"),
    ("AH", "ahead", "ahead to the first wall"),
    ("AA", "ahead_angle", "the angle of that wall"),
)
"""What programs see, by the names of the source and of RARS."""
COLOURS = ("#3b4cc0", "#3f7fd6", "#2a9fb8", "#3cb371", "#8fbf3a", "#e6b422", "#f28e2b", "#e4572e", "#b40426")
CARS = ("var(--first)", "#0a9d43", "#9a5be2", "#c77700", "#008f9c", "#c3107b", "#888", "#3f6fc0")
"""Colours that are seen on light and dark pages; the first one changes with the page."""

STYLE = """
.rars{--first:#111}
.rars .road{fill:none;stroke:#e4e0d8;stroke-linecap:butt}
.rars .wall{fill:none;stroke:#8c8577;stroke-width:1.5}
.rars .line{stroke:#111;stroke-width:3}
.rars .path{fill:none;stroke-width:2.5;stroke-linecap:round;stroke-linejoin:round}
.rars .off{fill:none;stroke:#d00;stroke-width:7;stroke-opacity:.35;stroke-linecap:round}
.rars .ten{fill:#fff;stroke:#111;stroke-width:1.2}
.rars .begin{fill:#fff;stroke:#111;stroke-width:2}
.rars .near path{vector-effect:non-scaling-stroke}
.rars .near .road{vector-effect:none}
.rars .ray{fill:none;stroke:#d00;stroke-width:2}
.rars .side,.rars .other{fill:none;stroke:#1f4e9c;stroke-width:1.5;stroke-dasharray:4 3}
.rars .tick{font-size:14px;font-weight:400}
.rars .axis{fill:none;stroke:#8c8577;stroke-width:1}
.rars .speed{fill:none;stroke-width:2}
.rars text{font:600 20px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#222}
@media (prefers-color-scheme:dark){
.rars{--first:#eee}
.rars .side,.rars .other{stroke:#7fa8e8}
.rars .road{stroke:#33312d}
.rars .wall{stroke:#7d776b}
.rars .line{stroke:#eee}
.rars text{fill:#eee}
}
"""


def text(game: Rars, state: State, bottom: int = 0) -> str:
    """Say in one line where a car is, how fast, and what it has suffered."""
    return _line(game, _at(state, None), bottom)


def lines(game: Rars, states: State) -> Iterable[str]:
    """Yield a line for each second of a race, and one for its end."""
    last = _count(states) - 1
    for step in [*np.arange(0, last, 1 / DT).astype(int), last]:
        for car in range(game.cars):
            yield _line(game, _at(states, int(step)), car)


def _line(game: Rars, state: State, car: int) -> str:
    seconds, course = float(state.steps) * DT, _course(game, state)
    motion = state.car
    number, x, y = _segment(game, state, car)
    speed = math.hypot(float(motion.vx[car]), float(motion.vy[car]))
    laps = max(0, int(state.laps[car]))
    said = f"{seconds:6.1f} s  segment {number:3} of {len(course.segments)}  x {x:7.0f}  y {y:7.0f}  {speed:5.1f} ft/s"
    said = (f"car {car}  " if game.cars > 1 else "") + said + f"  laps {laps}"
    if damage := int(motion.damage[car]):
        said += f"  damage {damage}"
    if float(state.finished[car]) > 0:
        said += f"  finished after {float(state.finished[car]):.2f} s"
    elif bool(state.out[car]):
        said += "  out of fuel" if damage <= BROKEN else "  broken"
    return said


def svg(game: Rars, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the track and the cars on it, and from near what the first ones perceive, as in the source's figure 9.1."""
    del highlight, seat, bottom
    state = _at(state, None)
    sheet = _Sheet(_course(game, state))
    sensed = np.asarray(game.sensed(state))
    cars, near = [], []
    for car in range(game.cars):
        _, x, y = _segment(game, state, car)
        cars.append(f'<circle cx="{sheet.x(x)}" cy="{sheet.y(y)}" r="6" fill="{CARS[car % len(CARS)]}"/>')
    for car in range(min(game.cars, NEARLY)):
        near.append(_senses(sheet, game, state, car, dict(zip(SENSED, sensed[:, car].tolist(), strict=True))))
    return sheet.page([*sheet.road(), *cars, *near], below=NEAR * len(near))


def _senses(sheet: "_Sheet", game: Rars, state: State, car: int, seen: Mapping[str, float]) -> str:
    """Draw the way ahead of a car and the way to both walls, and write what it perceives beside them."""
    row, here = int(state.row[car]), np.array(_segment(game, state, car)[1:])
    tx, ty = (float(one[car]) for one in places.tangent(game.tables, state.row, state.car.x, state.car.y))
    c, s = (float(one[car]) for one in game.looking(state))
    angle = game.tables.angle[row]
    cos, sin = math.cos(angle), math.sin(angle)

    def to(x: float, y: float, far: float) -> np.ndarray:
        """The place so many feet from the car, in a direction in the frame of its segment."""
        return here + far * np.array([x * cos - y * sin, y * cos + x * sin])

    ends = {"ray": to(c, s, seen["ahead"]), "side": to(-ty, tx, seen["to_lft"]), "other": to(ty, -tx, seen["to_rgt"])}
    middle = (here + ends["ray"]) / 2
    side = 2 * max(1.2 * max(np.abs(end - middle).max() for end in ends.values()), 60.0)
    box = f"{sheet.x(middle[0] - side / 2)} {sheet.y(middle[1] + side / 2)} {sheet.feet(side)} {sheet.feet(side)}"
    top = sheet.height + NEAR * car
    drawn = [f'<path class="{name}" d="{sheet.points(np.array([here, end]))}"/>' for name, end in ends.items()]
    colour = CARS[car % len(CARS)]
    drawn.append(
        f'<circle cx="{sheet.x(here[0])}" cy="{sheet.y(here[1])}" r="{sheet.feet(side / 60)}" fill="{colour}"/>'
    )
    size = NEAR - MARGIN
    within = f'x="{MARGIN:g}" y="{top:.1f}" width="{size:g}" height="{size:g}" viewBox="{box}"'
    shown = f'<svg class="near" {within}>{"".join([*sheet.road(), *drawn])}</svg>'
    radians = "rad" if seen["cur_rad"] else "ft"
    unit = {"TE": radians, "NL": "rad" if seen["nex_rad"] else "ft", "V": "ft/s", "NV": "ft/s", "AA": "rad"}
    words = [
        f'<text class="tick" x="{size + 2 * MARGIN:g}" y="{top + 20 + 21 * line:.1f}">'
        f"{name} {seen[name_there]:.4g} {unit.get(name, 'ft')}: {said}</text>"
        for line, (name, name_there, said) in enumerate(SENSES)
    ]
    return shown + "".join(words)


def picture(game: Rars, rollouts: Mapping[tuple[str, ...], State]) -> str:
    """Draw the paths of several drivers on one track, with cars that move along them, and their speed by distance.

    A path is coloured by speed, from blue to red. A black dot stands for each second, a white one for each ten, a large
    one for the start. What is off the road has a red edge.
    """
    first = next(iter(rollouts.values()))
    sheet = _Sheet(_course(game, first))
    back, front, names, place = sheet.road(), [], [], 0
    chart = _Chart(sheet, sheet.height + ROW * (len(rollouts) * game.cars + 1), max(map(_laps, rollouts.values())))
    for drivers, states in rollouts.items():
        for car, name in enumerate(drivers):
            colour = CARS[place % len(CARS)]
            path = _Path(game, states, car, sheet)
            back += path.drawn(colour)
            front.append(path.moving(colour))
            names.append(sheet.name(place, colour, f"{name}: {path.said}"))
            names.append(chart.line(_distance(game, states)[:, car], path.speed, colour))
            place += 1
    legend = f'<text class="tick" x="{MARGIN:g}" y="{sheet.height + ROW * place:.1f}">{LEGEND}</text>'
    return sheet.page([*back, *front, *names, legend, *chart.axes()], below=ROW * (place + 1) + CHART)


class _Sheet:
    """A drawing of a track; north is at the top."""

    def __init__(self, course: Track) -> None:
        self.course = course
        right, left = (_wall(course, side) for side in (0.0, course.width))
        self.right, self.left = right, left
        every = np.concatenate([right, left])
        self._low, high = every.min(0), every.max(0)
        wide, tall = high - self._low
        self._scale = SIZE / max(wide, tall)
        self.width, self.height = (self._scale * side + 2 * MARGIN for side in (wide, tall))

    def x(self, x: float) -> str:
        return f"{MARGIN + self._scale * (x - self._low[0]):.1f}"

    def y(self, y: float) -> str:
        return f"{self.height - MARGIN - self._scale * (y - self._low[1]):.1f}"

    def feet(self, feet: float) -> str:
        return f"{self._scale * feet:.2f}"

    def points(self, places: np.ndarray) -> str:
        """Return a path through places [N, 2], as SVG writes it."""
        return "M" + "L".join(f"{self.x(x)} {self.y(y)}" for x, y in places)

    def road(self) -> list[str]:
        middle = (self.right + self.left) / 2
        x, y, angle = self.course.frames[0]
        line = self.course.finish * self.course.segments[0][1]
        start = np.array([x + line * math.cos(angle), y + line * math.sin(angle)])
        across = self.course.width * np.array([-math.sin(angle), math.cos(angle)])
        drawn = [f'<path class="road" stroke-width="{self._scale * self.course.width:.1f}" d="{self.points(middle)}"/>']
        drawn += [f'<path class="wall" d="{self.points(wall)}"/>' for wall in (self.right, self.left)]
        return [*drawn, f'<path class="line" d="{self.points(np.array([start, start + across]))}"/>']

    def name(self, row: int, colour: str, said: str) -> str:
        y = self.height + ROW * row
        dot = f'<circle cx="{MARGIN:g}" cy="{y - 6:.1f}" r="7" fill="{colour}"/>'
        return dot + f'<text x="{MARGIN + 16:g}" y="{y:.1f}">{escape(said)}</text>'

    def page(self, parts: list[str], below: float = 0) -> str:
        size = f"0 0 {self.width:.0f} {self.height + below:.0f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="rars" viewBox="{size}"><style>{STYLE}</style>'
            + "".join(parts)
            + "</svg>"
        )


class _Chart:
    """Speed by distance, below a picture."""

    def __init__(self, sheet: _Sheet, top: float, laps: int) -> None:
        self.left, self.wide = 2 * MARGIN, sheet.width - 3 * MARGIN
        self.top, self.tall = top + MARGIN, CHART - 2.5 * MARGIN
        self.feet = sheet.course.length * laps

    def _place(self, feet: float, speed: float) -> str:
        return f"{self.left + self.wide * feet / self.feet:.1f} {self.top + self.tall * (1 - speed / TOP):.1f}"

    def line(self, distance: np.ndarray, speed: np.ndarray, colour: str) -> str:
        """Return the line of a car; distance and speed are float[N]."""
        steps = np.unique(np.append(np.arange(0, len(speed), 4), len(speed) - 1))
        shown = zip(np.clip(distance[steps], 0, self.feet), np.minimum(speed[steps], TOP), strict=True)
        points = "L".join(self._place(float(feet), float(fast)) for feet, fast in shown)
        return f'<path class="speed" stroke="{colour}" d="M{points}"/>'

    def axes(self) -> list[str]:
        """Return both axes with their numbers."""
        drawn = [f'<path class="axis" d="M{self._place(0, TOP)}L{self._place(0, 0)}L{self._place(self.feet, 0)}"/>']
        for speed in range(0, int(TOP) + 1, 50):
            y = self._place(0, speed).split()[1]
            drawn.append(f'<text class="tick" x="{self.left - 6:g}" y="{y}" text-anchor="end">{speed}</text>')
        step = 10 ** math.floor(math.log10(self.feet / 2))
        for feet in np.arange(0, self.feet, step):
            x, low = self._place(feet, 0).split()[0], self.top + self.tall + 20
            drawn.append(f'<text class="tick" x="{x}" y="{low:.1f}" text-anchor="middle">{feet:,.0f}</text>')
        said = f'<text class="tick" x="{self.left + 8:g}" y="{self.top:.1f}">ft/s by feet from the finish line</text>'
        return [*drawn, said]


class _Path:
    """The path of a car in a picture."""

    def __init__(self, game: Rars, states: State, car: int, sheet: _Sheet) -> None:
        count = _count(states)
        row = np.asarray(states.row)[:count, car]
        tables, motion = game.tables, states.car
        x, y, vx, vy = (np.asarray(getattr(motion, name))[:count, car] for name in ("x", "y", "vx", "vy"))
        cos, sin = np.cos(tables.angle[row]), np.sin(tables.angle[row])
        self.places = np.stack([tables.x[row] + x * cos - y * sin, tables.y[row] + y * cos + x * sin], 1)
        self.speed = np.hypot(vx, vy)
        off = np.diff(np.asarray(states.off_road)[:count, car], append=0) > 0
        self.off, self.sheet = off, sheet
        finished, damage = float(states.finished[count - 1, car]), int(motion.damage[count - 1, car])
        end = f"{finished:.2f} s" if finished > 0 else f"not finished after {count * DT:.1f} s"
        self.said = end + (f", damage {damage}" if damage else "")

    def drawn(self, colour: str) -> list[str]:
        """Return the path and its dots."""
        sheet, shown = self.sheet, []
        steps = np.unique(np.append(np.arange(0, len(self.places), 4), len(self.places) - 1))
        shade = np.clip((self.speed[steps] - SLOW) / (FAST - SLOW) * len(COLOURS), 0, len(COLOURS) - 1).astype(int)
        for run in _runs(self.off[steps]):
            if self.off[steps][run[0]]:
                shown.append(f'<path class="off" d="{sheet.points(self.places[steps[run]])}"/>')
        for run in _runs(shade):
            ends = np.append(run, min(run[-1] + 1, len(steps) - 1))
            points = sheet.points(self.places[steps[ends]])
            shown.append(f'<path class="path" stroke="{COLOURS[shade[run[0]]]}" d="{points}"/>')
        seconds = np.arange(1, int(len(self.places) * DT) + 1)
        at = np.minimum((seconds / DT).round().astype(int), len(self.places) - 1)
        for second, (x, y) in zip(seconds, self.places[at], strict=True):
            kind, radius = ('class="ten"', 4.5) if second % 10 == 0 else (f'fill="{colour}"', 2.2)
            shown.append(f'<circle {kind} cx="{sheet.x(x)}" cy="{sheet.y(y)}" r="{radius}"/>')
        x, y = self.places[0]
        return [*shown, f'<circle class="begin" cx="{sheet.x(x)}" cy="{sheet.y(y)}" r="8"/>']

    def moving(self, colour: str) -> str:
        """Return the car, which passes a place every half second of the race; where motion is unwanted, it has arrived.

        It moves by a style sheet: only that can ask whether motion is wanted.
        """
        last = len(self.places) - 1
        steps = np.unique(np.append((np.arange(0, last * DT, KEYS) / DT).astype(int), last))
        shown = [f"{self.sheet.x(x)}px,{self.sheet.y(y)}px" for x, y in self.places[steps]]
        frames = "".join(
            f"{100 * step / max(last, 1):.2f}%{{transform:translate({place})}}"
            for step, place in zip(steps, shown, strict=True)
        )
        name = f"rars{zlib.crc32((frames + colour).encode()):08x}"
        return (
            f"<style>@keyframes {name}{{{frames}}}"
            f".{name}{{transform:translate({shown[-1]});animation:{name} {last * DT / PACE:.2f}s linear infinite}}"
            f"@media (prefers-reduced-motion:reduce){{.{name}{{animation:none}}}}</style>"
            f'<circle class="{name}" r="7" fill="{colour}" stroke="#fff" stroke-width="2"/>'
        )


def _wall(course: Track, side: float) -> np.ndarray:
    """Return places [N, 2] along a line that is `side` feet to the left of the right wall."""
    found = []
    for (x, y, angle), (radius, extent) in zip(course.frames[:-1], course.arcs, strict=True):
        if not radius:
            along = np.array([0.0, extent])
            found.append(np.stack([along, np.full(2, side)], 1) @ _rotation(angle) + (x, y))
            continue
        turn = math.copysign(1, radius)
        swept = turn * np.linspace(0, extent, 2 + int(extent / 0.08))
        curve = np.stack([(radius - side) * np.sin(swept), radius - (radius - side) * np.cos(swept)], 1)
        found.append(curve @ _rotation(angle) + (x, y))
    return np.concatenate(found)


def _rotation(angle: float) -> np.ndarray:
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def _runs(values: np.ndarray) -> list[np.ndarray]:
    """Return the places of equal neighbours, run by run."""
    found: list[np.ndarray] = np.split(np.arange(len(values)), np.flatnonzero(np.diff(values)) + 1)
    return found


def _at(states: State, step: int | None) -> State:
    import jax

    return jax.tree.map(lambda x: np.asarray(x) if step is None else np.asarray(x)[step], states)


def _count(states: State) -> int:
    """Return how many states a race has, up to its end."""
    ended = np.flatnonzero(np.asarray(states.terminated))
    return int(ended[0]) + 1 if len(ended) else len(states.terminated)


def _laps(states: State) -> int:
    """Return how many laps a race went into."""
    return max(1, int(np.asarray(states.laps)[_count(states) - 1].max()) + (not _finished(states)))


def _finished(states: State) -> bool:
    return bool((np.asarray(states.finished)[_count(states) - 1] > 0).all())


def _distance(game: Rars, states: State) -> np.ndarray:
    """Return float32[N, cars]: feet from the finish line, up to the end of a race."""
    import jax

    return np.asarray(jax.jit(jax.vmap(game.distance))(states))[: _count(states)]


def _course(game: Rars, state: State) -> Track:
    """Return the track that cars are on."""
    firsts = np.cumsum([0, *(len(course.segments) for course in game.courses)])
    row = int(np.ravel(state.row)[0])
    return game.courses[int(np.searchsorted(firsts, row, "right")) - 1]


def _segment(game: Rars, state: State, car: int) -> tuple[int, float, float]:
    """Return the number of the segment that a car is in, and its place in the coordinates of the track."""
    tables, row = game.tables, int(state.row[car])
    x, y = float(state.car.x[car]), float(state.car.y[car])
    cos, sin = math.cos(tables.angle[row]), math.sin(tables.angle[row])
    return int(tables.number[row]), float(tables.x[row] + x * cos - y * sin), float(tables.y[row] + y * cos + x * sin)
