"""Pictures of all games, laid out as a browser does: no text is cut, and no two overlap.

Widths of letters are those of Matplotlib's DejaVu Sans, which is wider than most system fonts.
"""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import pytest

import envs
from jaxgp.host.animation import NAMESPACE, animate
from tests.envs.replays import TURNS, opening

TAG = f"{{{NAMESPACE}}}"
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def rules(style):
    """Declarations of a style by class; those of all text are by ''."""
    found = {}
    for chosen, body in re.findall(
        r"([^{}]+)\{([^{}]*)\}", re.sub(r"@media[^{]*\{([^{}]*\{[^{}]*\})*\s*\}", "", style)
    ):
        for one in chosen.split(","):
            last = one.strip().split(" ")[-1]
            name = "" if last == "text" else last.removeprefix("text").removeprefix(".")
            found.setdefault(name, {}).update(dict(re.findall(r"([\w-]+):([^;]+)", body)))
    return found


def letters(text, size, weight):
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    return TextPath((0, 0), text, size=size, prop=FontProperties(weight=weight)).get_extents().width if text else 0.0


def boxes(root):
    """Text of a picture as (words, left, top, right, bottom), and the dot that marks the side to move."""
    known, found = rules(root.findtext(f"{TAG}style") or ""), []
    for part in root.iter():
        names = (part.get("class") or "").split()
        if part.tag == f"{TAG}text":
            style = {k: v for name in ("", *names) for k, v in known.get(name, {}).items()}
            font = re.search(r"(\d+) ([\d.]+)px", style.get("font", "400 16px"))
            size = float(part.get("font-size") or style.get("font-size", font[2] + "px").removesuffix("px"))
            words = "".join(part.itertext())
            wide = letters(words, size, int(font[1]))
            left = float(part.get("x")) - ANCHORS[part.get("text-anchor") or style.get("text-anchor", "start")] * wide
            base = float(part.get("y"))
            found.append((words, left, base - 0.7 * size, left + wide, base))
        elif "turn" in names and part.get("d"):
            x, y = map(float, re.match(r"M([-\d.]+) ([-\d.]+)h0", part.get("d")).groups())
            found.append(("the dot", x - 5, y - 5, x + 5, y + 5))
    return found


@pytest.mark.few(2)
@pytest.mark.parametrize("name", TURNS)
def test_no_text_of_a_picture_is_cut_or_lies_over_another(name):
    spec, game = envs.spec(name), envs.make(name)
    state = opening(name)
    for seat in range(game.seats):
        root = ET.fromstring(spec.drawing.svg(game, state, None, seat))
        _, _, width, height = map(float, root.get("viewBox").split())
        found = boxes(root)
        assert found
        for words, left, top, right, bottom in found:
            assert (left >= -1, top >= -1, right <= width + 1, bottom <= height + 1) == (True,) * 4, words
        for one, other in combinations(found, 2):
            apart = one[3] <= other[1] + 1 or other[3] <= one[1] + 1 or one[4] <= other[2] + 1 or other[4] <= one[2] + 1
            assert apart, (one, other)


def test_the_animation_gives_parts_no_class_that_the_style_of_a_game_knows():
    two = [(word, f'<svg xmlns="{NAMESPACE}" viewBox="0 0 9 9"><path d="{word}"/></svg>') for word in ("M0 0", "M1 1")]
    groups = ET.fromstring(animate(two)).iter(f"{TAG}g")
    own = {one for group in groups for one in group.get("class").split()} | {"replay"}
    assert len(own) > 2
    for name in TURNS:
        svg = ET.fromstring(envs.spec(name).drawing.svg(envs.make(name), opening(name)))
        assert not own & set(rules(svg.findtext(f"{TAG}style") or "")), name
