"""Tracks: their numbers, files of the original simulator, and the tables that the device looks segments up in.

A track is a chain of segments, straight ones and arcs, between a left and a right wall that are `width` feet apart. The
right wall is the one that a file describes. Lengths are in feet, angles in radians, counter-clockwise.
"""

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jaxgp import reading
from jaxgp.errors import reason, reject
from jaxgp.spec import Instances

if TYPE_CHECKING:
    from envs.rars.rules import Rars

FILE = Path(__file__).with_name("tracks.json")
"""Numbers of the public tracks of RARS 0.91.2, one track a line: radius and length of each segment as in its file."""

PI = 3.14159265
"""The value that RARS uses: with the exact one its runs are missed by more than 1e-5 ft."""
LARGEST = 2**18
"""Bytes of the largest track file that is read."""
MOST = 2000
"""Segments of a track; the longest public one has 786."""
OPEN = 70.0
"""Feet between the end of a track and its start, at most: some public ones do not close by up to 56 ft."""
BEHIND, APART = 10.0, 30.0
"""Feet before the finish line at which the first car starts, and those that each other one starts behind it."""
ACCEPTED = "a track file (.trk): segments, screen, width, start, ..., then a radius and a length for each segment"


@dataclass(frozen=True)
class Track:
    """The numbers of a track.

    Attributes:
        name: of the track.
        width: feet between the walls.
        start: x, y and angle of the start of the right wall.
        finish: the share of segment 0 that lies before the finish line.
        rows: places side by side on the grid.
        segments: radius of the right wall and length of each segment, as a file has them. Radius 0: a straight, and its
            feet; above 0 a left turn, below 0 a right turn, and its arc. Arcs are degrees if the first one is at least
            5, else radians.
    """

    name: str
    width: float
    start: tuple[float, float, float]
    finish: float
    rows: int
    segments: tuple[tuple[float, float], ...]

    @cached_property
    def arcs(self) -> tuple[tuple[float, float], ...]:
        """The segments with all arcs in radians."""
        first = next((arc for radius, arc in self.segments if radius), 0.0)
        unit = 360 / (2 * PI) if first >= 5 else 1.0
        return tuple((radius, arc / unit if radius else arc) for radius, arc in self.segments)

    @cached_property
    def lengths(self) -> np.ndarray:
        """float64[N]: feet of each segment along the middle of the road."""
        return np.array([abs(arc * (2 * r - self.width) / 2) if r else arc for r, arc in self.arcs])

    @property
    def length(self) -> float:
        """Feet of a lap."""
        return float(sum(self.lengths))

    @property
    def counts_laps(self) -> bool:
        """Whether laps can be counted: RARS counts them on a straight segment 0 alone."""
        return not self.segments[0][0]

    @cached_property
    def frames(self) -> np.ndarray:
        """float64[N + 1, 3]: x, y and angle where the right wall of each segment begins, and at the end of the last."""
        x, y, angle = self.start
        found = [(x, y, angle)]
        for radius, extent in self.arcs:
            if not radius:
                x, y = x + extent * math.cos(angle), y + extent * math.sin(angle)
            else:
                x, y = x - radius * math.sin(angle), y + radius * math.cos(angle)
                angle += extent if radius > 0 else -extent
                if abs(angle) > 2 * PI:
                    angle -= math.copysign(2 * PI, angle)
                x, y = x + radius * math.sin(angle), y - radius * math.cos(angle)
            found.append((x, y, angle))
        return np.array(found)

    def place(self, car: int, rows: int) -> tuple[int, float, float, float]:
        """Return where a car stands on the grid: its segment, and x, y and angle in the frame of that segment.

        Args:
            car: its number from 0.
            rows: places side by side.
        """
        radii = [radius for radius, _ in self.arcs]
        ends = np.cumsum(self.lengths) - self.finish * self.segments[0][1]
        distance = self.length - BEHIND - APART * (car + car // rows)
        side = self.width * (1 + car % rows) / (rows + 1)
        if radii[1 % len(radii)] >= 0:
            side = self.width - side
        before = int(np.flatnonzero(distance > ends).max(initial=-1))
        number = (before + 1) % len(radii)
        radius = radii[number]
        if not radius:
            return number, distance - (ends[before] if before >= 0 else ends[number] - self.lengths[number]), side, 0.0
        turn = math.copysign(1, radius)
        angle = self.arcs[number][1] - turn * 2 * (ends[number] - distance) / (2 * radius - self.width)
        x, y = (radius - side) * math.sin(turn * angle), radius - (radius - side) * math.cos(turn * angle)
        return number, x, y, turn * angle

    @property
    def most_cars(self) -> int:
        """Cars that the grid has room for: those that stand behind the line within one lap."""
        return max(1, int((self.length - BEHIND) // (2 * APART)))


class Tables(NamedTuple):
    """What the device needs of tracks, by row: the segments of all tracks, one track after the other.

    A segment has a frame of its own. Its origin is the start of the right wall, its first axis points along the wall,
    its second one to the left.
    """

    radius: np.ndarray  # feet, of the right wall: above 0 a left turn, below 0 a right turn, 0 straight
    extent: np.ndarray  # feet of a straight, radians of an arc
    cos_end: np.ndarray  # of the arc
    sin_end: np.ndarray
    exit_x: np.ndarray  # where the next segment begins, in the frame of this one
    exit_y: np.ndarray
    exit_cos: np.ndarray  # the direction in which it begins
    exit_sin: np.ndarray
    enter_x: np.ndarray  # the same of the segment before: where this one begins in its frame
    enter_y: np.ndarray
    enter_cos: np.ndarray
    enter_sin: np.ndarray
    following: np.ndarray  # int32: the row of the next segment
    before: np.ndarray  # int32: that of the segment before
    number: np.ndarray  # int32: of the segment in its track
    inner: np.ndarray  # feet: radius of the inner wall, with the sign of `radius`
    middle: np.ndarray  # feet: radius of the middle of the road, 1 if it is straight
    width: np.ndarray  # feet
    end: np.ndarray  # feet from the finish line to the end of the segment, along the middle of the road
    line: np.ndarray  # feet from the start of a straight segment 0 to the finish line; else infinity
    lap: np.ndarray  # feet of a lap
    x: np.ndarray  # the frame: its origin and its angle
    y: np.ndarray
    angle: np.ndarray


@cache
def tables(tracks: tuple[Track, ...]) -> Tables:
    """Return the tables of tracks, float64[R] unless said otherwise."""
    columns: dict[str, list[float]] = {name: [] for name in Tables._fields}
    first = 0
    for track in tracks:
        count, finish = len(track.segments), track.finish * track.segments[0][1]
        ends = np.cumsum(track.lengths) - finish
        exits = [_seen(track.frames[i], track.frames[(i + 1) % count]) for i in range(count)]
        for i, (radius, extent) in enumerate(track.arcs):
            inner = radius - track.width if radius > 0 else radius
            straight = not radius
            row = (
                *(radius, extent, math.cos(extent), math.sin(extent), *exits[i], *exits[i - 1]),
                *(first + (i + 1) % count, first + (i - 1) % count, i),
                *(inner, 1.0 if straight else abs(radius - track.width / 2), track.width, ends[i]),
                *(finish if i == 0 and straight else math.inf, track.length, *track.frames[i]),
            )
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
        first += count
    whole = ("following", "before", "number")
    return Tables(**{name: np.array(column, np.int32 if name in whole else float) for name, column in columns.items()})


def _seen(frame: np.ndarray, other: np.ndarray) -> tuple[float, float, float, float]:
    """Return x, y and the direction's cosine and sine of another frame as seen from a frame."""
    (dx, dy, turn), (cos, sin) = other - frame, (math.cos(frame[2]), math.sin(frame[2]))
    return dx * cos + dy * sin, dy * cos - dx * sin, math.cos(turn), math.sin(turn)


@cache
def public() -> dict[str, Track]:
    """Return the public tracks by name, in alphabetical order."""
    found = {}
    for name, one in reading.read_json(FILE).items():
        numbers = iter(one["segments"])
        segments = tuple((float(radius), float(extent)) for radius, extent in zip(numbers, numbers, strict=True))
        x, y, angle = one["start"]
        found[name] = Track(name, one["width"], (x, y, angle), one["finish"], one["rows"], segments)
    return found


def track(name: str, option: str = "game.track") -> Track:
    """Return a track by its name, or from a file by its path, which ends in .trk.

    Raises:
        UsageError: there is no such track, or the file is none; the message names the option.
    """
    if name.endswith(".trk"):
        return read(Path(name).expanduser(), option)
    if name not in public():
        near = get_close_matches(name, public(), 4, 0.5)
        names = f"{', '.join(near)} (and {len(public()) - len(near)} more)" if near else ", ".join(public())
        reject(option, name, f"{names}, or the path of a file NAME.trk")
    return public()[name]


def read(path: Path, option: str = "game.track") -> Track:
    """Return the track in a file of RARS.

    Numbers are read one after the other, wherever lines end. After those that belong together the rest of the line is a
    comment.

    Raises:
        UsageError: it cannot be read, or it is no track.
    """
    try:
        reading.check_file(path, LARGEST)
        text = path.read_bytes().decode("latin-1")
    except OSError as error:
        reject(option, path, ACCEPTED, reason(error))
    file = _File(text)
    try:
        count = file.whole("the number of segments", 1, MOST)
        file.numbers("the size of the screen", 2)
        (width,) = file.numbers("the width", 1)
        x, y, angle = file.numbers("the start of the right wall", 3)
        for _ in range(4):
            file.numbers("a place on the screen", 2)
        finish, rows = file.numbers("the finish line and the rows of the grid", 2)
        for many in (1, 2, 2, 1):
            file.numbers("the pit", many)
        segments = []
        for number in range(count):
            radius, extent = file.numbers(f"segment {number} of {count}", 2)
            segments.append((radius, extent))
        made = Track(path.stem, width, (x, y, angle), finish, int(rows), tuple(segments))
        _check(made)
    except ValueError as error:
        reject(option, path, ACCEPTED, str(error))
    return made


class _File:
    """Reads numbers of a track file one after the other."""

    _NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0

    def numbers(self, what: str, many: int) -> list[float]:
        """Return the next numbers, and skip the rest of the line; raises ValueError if they are not there."""
        found = []
        for _ in range(many):
            match = self._NUMBER.match(self._text, self._place)
            if match is None:
                rest = self._text[self._place :].split()
                where = f"where {rest[0][:20]!r} stands" if rest else "where the file ends"
                raise ValueError(f"{what}: no number {where}")
            if not math.isfinite(float(match[1])):
                raise ValueError(f"{what}: {match[1]} is too large")
            found.append(float(match[1]))
            self._place = match.end()
        end = self._text.find("\n", self._place)
        self._place = len(self._text) if end < 0 else end + 1
        return found

    def whole(self, what: str, low: int, high: int) -> int:
        (number,) = self.numbers(what, 1)
        if not (low <= number <= high and number == int(number)):
            raise ValueError(f"{what}: {number:g} is no whole number from {low} to {high}")
        return int(number)


def _check(track: Track) -> None:
    """Refuse numbers that are no track; raises ValueError."""
    if not 1 <= track.width <= 1e4:
        raise ValueError(f"the width: {track.width:g} is no number from 1 to 10000")
    if not 0 <= track.finish <= 1:
        raise ValueError(f"the finish line: {track.finish:g} is no number from 0 to 1")
    if not 1 <= track.rows <= 100:
        raise ValueError(f"the rows of the grid: {track.rows} is no whole number from 1 to 100")
    if max(map(abs, track.start)) > 1e6:
        raise ValueError("the start of the right wall: a number is above 1e6")
    for number, (radius, extent) in enumerate(track.arcs):
        if not 0 < extent <= (2 * PI if radius else 1e5):
            what = f"an arc of {math.degrees(extent):g} degrees" if radius else f"a straight of {extent:g} ft"
            raise ValueError(f"segment {number} of {len(track.segments)}: {what}")
        if 0 < radius < track.width + 0.1 or not abs(radius) <= 1e5 or -0.1 < radius < 0:
            raise ValueError(
                f"segment {number} of {len(track.segments)}: a radius of {radius:g} ft on a road of {track.width:g} ft"
            )
    if sum(extent for radius, extent in track.arcs if radius) < PI:
        raise ValueError("its curves turn by less than 180 degrees, so it is no circuit")
    if track.counts_laps and track.segments[0][1] < 50:
        raise ValueError("segment 0: a first straight below 50 ft, on which a lap might not be noticed")
    (x, y, _), (end_x, end_y, _) = track.frames[0], track.frames[-1]
    if (gap := math.hypot(end_x - x, end_y - y)) > OPEN:
        raise ValueError(f"it ends {gap:.0f} ft from where it begins, more than {OPEN:g}")


TRAINING = (
    *("fourmile", "hock", "imola", "indy500", "indygp", "kimla05", "midohio", "monza-55", "nazareth", "per1", "ramdu"),
    *("sepang", "silverst", "speed2", "timin", "watglen"),
)
"""Tracks for evolution on many tracks: of the 34 that twelve drivers of RARS finish, those that no other list has."""
SEASON = (
    *("albrtprk", "anew", "cstlcomb", "elev2", "fiorano", "kevin", "loudon", "michigan", "mlwaukee", "oval2"),
    *("phoenix", "pocono", "s1", "s2", "silver97", "v01"),
)
"""Tracks of a season, which no evolution sees: drawn by `random.Random(2004).sample` from those 34 without sepang."""
BOOK = ("v03", "clkwis", "v01", "oval2")
"""Tracks like those of the source's table 9.5; its oval and its complex are not among the public ones."""
LONG = 60_000.0
"""Feet: a track whose lap is longer is of no use to runs on many tracks, which wait for the longest race."""
LISTS = ("training", "season", "book", "all", "wide")
"""Names of lists: `wide` has all tracks that neither the season nor the book has, longrand excepted."""


def lists(game: "Rars") -> tuple[str, ...]:
    """Return the names of the lists of tracks; a track by its name is a list, too."""
    del game
    return LISTS


def load(game: "Rars", name: str, option: str) -> Instances:
    """Return a list of tracks by its name, as their numbers in `Rars.courses`.

    Raises:
        UsageError: there is no such list or track, or no race can be driven there.
    """
    numbers = {course.name: number for number, course in enumerate(game.courses)}
    held = {*SEASON, *BOOK}
    if name in LISTS:
        every = tuple(course.name for course in game.courses if course.counts_laps)
        wide = tuple(one for one in every if one not in held and game.courses[numbers[one]].length < LONG)
        found = {"training": TRAINING, "season": SEASON, "book": BOOK, "all": every, "wide": wide}[name]
    else:
        if name not in numbers:
            near = get_close_matches(name, numbers, 4, 0.5)
            reject(option, name, f"{', '.join([*LISTS, *near])}, or another track by its name")
        found = (name,)
    for one in found:
        game.fits(game.courses[numbers[one]], option)
    test = np.array([name in LISTS and one in held for one in found])
    return Instances(found, np.array([numbers[one] for one in found], np.int32), test)
