"""The pictures of a game as an animation: a standalone SVG that plays by itself in a loop, without any script.

Each part of the pictures is written once, with the times at which it is visible. The parts stand in an order that keeps
the drawing order of every picture, so each frame shows exactly the picture of its position. Programs that show no
animation, and people who asked for less motion, see the last position.
"""

import difflib
import html
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import groupby

from jaxgp.printable import printable

NAMESPACE = "http://www.w3.org/2000/svg"
TAG = f"{{{NAMESPACE}}}"

LINE = 26.0
"""Height of a line of text, in units of the pictures."""
LETTER = 9.0
"""Width that is reserved for a letter; system fonts differ."""
EDGE = 12.0

STYLE = """
.replay>text{font:500 16px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#57606a}
.replay>.during>text{font:600 16px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.replay .during{animation-duration:DURATION;animation-iteration-count:infinite;animation-timing-function:step-end}
@media (prefers-color-scheme:dark){.replay>text{fill:#adbac7}.replay>.during>text{fill:#e6edf3}}
@media (prefers-reduced-motion:reduce){.replay .during{animation:none}}
"""

Spans = frozenset[int]
"""Numbers of the pictures in which a part is visible."""


def animate(
    frames: Sequence[tuple[str, str]], heading: Sequence[str] = (), seconds: float = 0.5, rest: float = 3.0
) -> str:
    """Return pictures shown one after the other.

    Args:
        frames: caption and standalone SVG of each position, at least one; all SVGs have the same view box, style
            and class.
        heading: lines above the pictures that stay.
        seconds: that each picture is shown.
        rest: seconds that the last one is shown before the first comes again.

    Raises:
        ValueError: there are no pictures, or they differ in view box, style or class.
    """
    if not frames:
        raise ValueError("no pictures to show")
    roots = [ET.fromstring(svg) for _, svg in frames]
    shared = {(root.get("viewBox"), root.get("class"), root.findtext(f"{TAG}style")) for root in roots}
    if len(shared) > 1:
        raise ValueError("the pictures differ in view box, class or style")
    [(box, kind, style)] = shared
    _, _, width, height = map(float, (box or "0 0 0 0").split())
    captions = [caption for caption, _ in frames]
    wide = max(width, 2 * EDGE + LETTER * max(map(len, [*heading, *captions])))
    top = LINE * len(heading)
    clock = _Clock(len(frames), seconds, rest)
    moving = [
        clock.group(spans, "".join(parts))
        for spans, parts in _merged([[_written(p) for p in _parts(r)] for r in roots])
    ]
    said = [clock.group(frozenset({n}), _line(caption, top + height)) for n, caption in enumerate(captions)]
    tall = top + height + LINE
    return (
        f'<svg xmlns="{NAMESPACE}" class="replay" width="{wide:g}" height="{tall:g}" '
        f'viewBox="0 0 {wide:g} {tall:g}" role="img" '
        f'aria-label="{escape(". ".join([*heading, captions[-1]]))}">'
        f"<style>{style or ''}{STYLE.replace('DURATION', f'{clock.duration:g}s')}{clock.style()}</style>"
        + "".join(_line(text, LINE * n) for n, text in enumerate(heading))
        + f'<svg class="{escape(kind or "")}" x="{(wide - width) / 2:g}" y="{top:g}" width="{width:g}" '
        f'height="{height:g}" viewBox="{box}">{"".join(moving)}</svg>{"".join(said)}</svg>\n'
    )


class _Clock:
    """Gives parts their times: a CSS class with key frames for every set of pictures in which a part is visible."""

    def __init__(self, count: int, seconds: float, rest: float) -> None:
        self.count = count
        self.seconds = seconds
        self.duration = seconds * (count - 1) + rest
        self.numbers: dict[Spans, int] = {}

    def group(self, spans: Spans, parts: str) -> str:
        """Wrap parts that are visible in the same pictures; parts visible in all pictures stay as they are."""
        if len(spans) == self.count:
            return parts
        number = self.numbers.setdefault(spans, len(self.numbers))
        hidden = "" if self.count - 1 in spans else ' visibility="hidden"'
        return f'<g class="during k{number}"{hidden}>{parts}</g>'

    def style(self) -> str:
        """Return the key frames of all groups made so far."""
        return "".join(self._key_frames(spans, number) for spans, number in self.numbers.items())

    def _key_frames(self, spans: Spans, number: int) -> str:
        changes = [n for n in range(self.count) if n == 0 or (n in spans) != (n - 1 in spans)]
        keys = [f"{100 * n * self.seconds / self.duration:.6g}%" for n in changes]
        seen = ["visible" if n in spans else "hidden" for n in changes]
        # Both ends are given: a missing one would take the value that the part has without animation.
        steps = [*zip(keys, seen, strict=True), ("to", seen[-1])]
        body = "".join(f"{key}{{visibility:{value}}}" for key, value in steps)
        return f".k{number}{{animation-name:k{number}}}@keyframes k{number}{{{body}}}\n"


def _parts(root: ET.Element) -> list[ET.Element]:
    return [part for part in root if part.tag != f"{TAG}style"]


def _written(part: ET.Element) -> str:
    """Write an element as it stands within an SVG, without repeating the namespace."""
    for inner in part.iter():
        inner.tag = inner.tag.removeprefix(TAG)
    return ET.tostring(part, encoding="unicode")


def _merged(frames: Sequence[Sequence[str]]) -> list[tuple[Spans, list[str]]]:
    """Merge the parts of all pictures into one order that keeps the order of parts in every picture.

    Returns:
        The parts from back to front; neighbours that are visible in the same pictures are joined.
    """
    order: list[tuple[str, set[int]]] = []
    for number, parts in enumerate(frames):
        matcher = difflib.SequenceMatcher(None, [text for text, _ in order], parts, autojunk=False)
        merged: list[tuple[str, set[int]]] = []
        for kind, old, old_end, new, new_end in matcher.get_opcodes():
            if kind == "equal":
                for _, seen in order[old:old_end]:
                    seen.add(number)
            merged += order[old:old_end]
            if kind != "equal":
                merged += [(text, {number}) for text in parts[new:new_end]]
        order = merged
    known = [(text, frozenset(seen)) for text, seen in order]
    return [(spans, [text for text, _ in group]) for spans, group in groupby(known, key=lambda part: part[1])]


def escape(text: str) -> str:
    return html.escape(printable(text))


def _line(text: str, top: float) -> str:
    return f'<text x="{EDGE:g}" y="{top + LINE - 8:g}">{escape(text)}</text>'
