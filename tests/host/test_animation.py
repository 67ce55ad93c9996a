"""A picture that moves shows at every time what the picture of that position shows: its key frames are played here."""

import re
import xml.etree.ElementTree as ET

import pytest

import envs
from jaxgp.host.animation import NAMESPACE, animate
from jaxgp.host.replay import frames
from jaxgp.seats.moves import Stepper, game_key

TAG = f"{{{NAMESPACE}}}"
GAMES = {"walls": [0, 1, 0, 2, 0, 0, 2, 0], "mancala": [2, 0, 5, 1, 3, 3, 0, 2]}


@pytest.fixture(scope="module", params=GAMES)
def pictures(request):
    game = envs.make(request.param)
    moves = list(Stepper(game, game_key(0)).retrace(GAMES[request.param]))
    return frames(envs.spec(request.param), game, moves, {0: "A", 1: "B & <C>"})


def parts(root):
    return [ET.tostring(part) for part in root if part.tag != f"{TAG}style"]


def seen(root, time):
    """What a browser shows at a share of the loop: children of the picture, and captions."""
    timetable = {}
    for name, body in re.findall(r"@keyframes (k\d+){(.*)}\n", root.findtext(f"{TAG}style")):
        keys = [(0 if at == "0" else float(at), said) for at, said in re.findall(r"([\d.]+)%{visibility:(\w+)}", body)]
        assert body.endswith(f"to{{visibility:{keys[-1][1]}}}")
        timetable[name] = [said for at, said in keys if at <= time][-1]

    def visible(parent):
        for part in parent:
            if not (part.get("class") or "").startswith("during "):
                yield part
            elif timetable[part.get("class").split()[1]] == "visible":
                yield from part

    return [ET.tostring(part) for part in visible(root.find(f"{TAG}svg"))], [
        part.text for part in visible(root) if part.tag == f"{TAG}text"
    ]


def test_every_frame_is_the_picture_of_its_position(pictures):
    root = ET.fromstring(animate(pictures, ["who plays"], seconds=1, rest=2))
    duration = len(pictures) - 1 + 2
    for number, (caption, svg) in enumerate(pictures):
        for moment in (number + 0.01, number + 0.99):
            shown, said = seen(root, 100 * moment / duration)
            assert shown == parts(ET.fromstring(svg))
            assert said == ["who plays", caption]
    assert seen(root, 99.99)[0] == parts(ET.fromstring(pictures[-1][1]))


def test_without_animation_the_last_position_is_seen(pictures):
    root = ET.fromstring(animate(pictures))
    still = [
        ET.tostring(part)
        for item in root.find(f"{TAG}svg")
        if item.get("visibility") != "hidden"
        for part in (item if (item.get("class") or "").startswith("during ") else [item])
    ]
    assert still == parts(ET.fromstring(pictures[-1][1]))
    assert "prefers-reduced-motion" in root.findtext(f"{TAG}style")


def test_it_is_smaller_than_its_pictures_needs_no_script_and_loops(pictures):
    text = animate(pictures)
    assert len(text) < 0.75 * sum(len(svg) for _, svg in pictures)
    assert "<script" not in text
    assert "animation-iteration-count:infinite" in text


def test_all_text_lies_within_the_picture(pictures):
    long = "a heading of many words that is wider than the board of most games is, " * 3
    root = ET.fromstring(animate(pictures, [long]))
    width, height = map(float, root.get("viewBox").split()[2:])
    assert width > 9 * len(long)
    assert (float(root.get("width")), float(root.get("height"))) == (width, height)
    inner = root.find(f"{TAG}svg")
    x, y, w, h = (float(inner.get(name)) for name in ("x", "y", "width", "height"))
    assert abs(x + w / 2 - width / 2) < 0.01
    assert all(float(line.get("y")) < height for line in root.iter(f"{TAG}text") if line.get("class") is None)
    assert y + h < height


def test_pictures_that_do_not_fit_together_are_refused(pictures):
    caption, svg = pictures[0]
    with pytest.raises(ValueError, match="no pictures"):
        animate([])
    with pytest.raises(ValueError, match="differ in view box"):
        animate([(caption, svg), (caption, svg.replace('viewBox="0 0', 'viewBox="0 1'))])
