import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import envs
from envs.mancala.primitives import Settings, primitive_set
from jaxgp.analysis.draw import GAP, LEVEL, layout, tree_svg
from jaxgp.genotypes.text import parse_tree

PRIMITIVES = primitive_set(envs.make("mancala"), Settings())


def tree(text):
    return parse_tree(PRIMITIVES, text, text.count(" ") + 1)


def random_text(rng, depth):
    if depth == 0 or rng.random() < 0.1:
        return str(rng.integers(14))
    name, arity = [("ADD", 2), ("VALUE_AT", 1), ("IF_<_DO_ELSE_", 4)][rng.integers(3)]
    return f"({name} {' '.join(random_text(rng, depth - 1) for _ in range(arity))})"


def test_a_parent_stands_above_the_middle_of_its_children():
    nodes = layout(PRIMITIVES, tree("(IF_<_DO_ELSE_ 1 (VALUE_AT 2) 3 (ADD 4 (SUB 5 6)))"))
    root = nodes[-1]
    assert [nodes[child].text for child in root.children] == ["1", "VALUE_AT", "3", "ADD"]
    assert root.x == pytest.approx((nodes[root.children[0]].x + nodes[root.children[-1]].x) / 2)
    assert {nodes[child].y for child in root.children} == {root.y + LEVEL}


@pytest.mark.parametrize("seed", range(5))
def test_boxes_of_a_level_keep_their_distance_and_order(seed):
    nodes = layout(PRIMITIVES, tree(random_text(np.random.default_rng(seed), 7)))
    levels = {}
    for node in nodes:
        levels.setdefault(node.y, []).append(node)
    for level in levels.values():  # postfix order is from left to right within a level
        for left, right in itertools.pairwise(level):
            assert left.x + left.width / 2 + GAP <= right.x - right.width / 2 + 1e-6
    assert min(node.x - node.width / 2 for node in nodes) == pytest.approx(GAP)


def test_equal_subtrees_are_drawn_alike():
    part = "(ADD 1 (SUB (VALUE_AT 2) 3))"
    nodes = layout(PRIMITIVES, tree(f"(ADD {part} (VALUE_AT {part}))"))
    one, other = nodes[:6], nodes[6:12]
    assert [n.text for n in one] == [n.text for n in other]
    assert [n.x - one[-1].x for n in one] == pytest.approx([n.x - other[-1].x for n in other])


@pytest.mark.parametrize(
    "text",
    [
        "7",
        "(VALUE_AT " * 1000 + "7" + ")" * 1000,
        "(ADD 1 " * 600 + "7" + ")" * 600,
        random_text(np.random.default_rng(8), 9),
    ],
    ids=["one node", "chain", "ladder", "bush"],
)
def test_pictures_are_well_formed_whatever_the_shape(text):
    program = tree(text)
    picture = ET.fromstring(tree_svg(PRIMITIVES, program))
    boxes = list(picture.iter("{http://www.w3.org/2000/svg}rect"))
    assert len(boxes) == program.length
    width, height = float(picture.get("width")), float(picture.get("height"))
    for box in boxes:
        assert float(box.get("x")) >= 0
        assert float(box.get("x")) + float(box.get("width")) <= width
        assert float(box.get("y")) + float(box.get("height")) <= height
