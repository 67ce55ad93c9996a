"""A picture of a program: its S-expression as a tree, in SVG. Knows nothing of primitives, only of parentheses."""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

ROW = 46
"""Height of one level, in pixels."""
BOX = 24
GAP = 10
CHARACTER = 7.2
"""Approximate width of one character of a label, in pixels."""


@dataclass(eq=False)
class DrawnNode:
    """One node; `x` is its centre, relative to its parent until `_place` has run."""

    label: str
    children: list["DrawnNode"] = field(default_factory=list)
    depth: int = 0
    x: float = 0.0
    mark: str = ""

    @property
    def half(self) -> float:
        return (len(self.label) * CHARACTER + 14) / 2


def parse(text: str) -> list[DrawnNode]:
    """Return the trees of one or more S-expressions; unmatched parentheses do not raise an error."""
    roots: list[DrawnNode] = []
    path: list[DrawnNode] = []
    opened = False
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            opened = True
        elif token == ")":
            if path:
                path.pop()
        else:
            node = DrawnNode(token, depth=len(path))
            (path[-1].children if path else roots).append(node)
            if opened:
                path.append(node)
            opened = False
    return roots


def _in_turn(roots: Sequence[DrawnNode]) -> Iterator[DrawnNode]:
    """Yield nodes as they are read; without recursion, so that trees can be deep."""
    pending = list(reversed(roots))
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children)


def draw(text: str, marks: Mapping[int, str] = MappingProxyType({})) -> str:
    """Return an `<svg>` element of all trees of an expression, side by side; no limit on size or depth.

    Args:
        text: the expression.
        marks: the number of a node, as they are read -> a class of the style of the page.
    """
    roots = parse(text)
    for number, node in enumerate(_in_turn(roots)):
        node.mark = marks.get(number, "")
    trees = [_layout(root) for root in roots]
    parts, left, levels = [], 0.0, 0
    for nodes in trees:
        shift = left - min(node.x - node.half for node in nodes)
        for node in nodes:
            node.x += shift
        parts += [_edges(node) for node in nodes] + [_box(node) for node in nodes]
        left = max(node.x + node.half for node in nodes) + 4 * GAP
        levels = max(levels, *(node.depth + 1 for node in nodes))
    width, height = max(left - 4 * GAP, 1) + 2, levels * ROW - (ROW - BOX) + 2
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="-1 -1 {width:.0f} {height:.0f}"'
    return f'<svg class="tree fit" {size} role="img" aria-label="tree of the expression">{"".join(parts)}</svg>'


def _layout(root: DrawnNode) -> list[DrawnNode]:
    """Place a tree so that subtrees keep their shape and stand as close as possible; return its nodes, root first.

    After E. Reingold and J. Tilford, "Tidier Drawings of Trees", 1981; without recursion, so that trees can be deep.
    """
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += node.children
    outlines: dict[int, list[tuple[float, float]]] = {}  # per level below: leftmost and rightmost x, from the node
    for node in reversed(order):
        outlines[id(node)] = _join(node, [outlines.pop(id(child)) for child in node.children])
    for node in order:  # parents come before their children
        for child in node.children:
            child.x += node.x
    return order


def _join(node: DrawnNode, outlines: list[list[tuple[float, float]]]) -> list[tuple[float, float]]:
    """Set the children's x relative to their parent; return the outline of the whole."""
    joined: list[tuple[float, float]] = []
    for child, outline in zip(node.children, outlines, strict=True):
        pairs = zip(joined, outline, strict=False)
        child.x = max((done[1] + GAP - new[0] for done, new in pairs), default=0.0)
        for level, (low, high) in enumerate(outline):
            if level < len(joined):
                joined[level] = (joined[level][0], child.x + high)
            else:
                joined.append((child.x + low, child.x + high))
    if node.children:
        middle = (node.children[0].x + node.children[-1].x) / 2
        for child in node.children:
            child.x -= middle
        joined = [(low - middle, high - middle) for low, high in joined]
    return [(-node.half, node.half), *joined]


def _edges(node: DrawnNode) -> str:
    top = node.depth * ROW + BOX
    return "".join(f'<path d="M{node.x:.1f} {top}L{child.x:.1f} {top + ROW - BOX}"/>' for child in node.children)


def _box(node: DrawnNode) -> str:
    kind = ("inner" if node.children else "leaf") + f" {node.mark}".rstrip()
    top = node.depth * ROW
    return (
        f'<g class="{kind}"><rect x="{node.x - node.half:.1f}" y="{top}" width="{2 * node.half:.1f}" height="{BOX}" '
        f'rx="{5 if node.children else BOX / 2:g}"/>'
        f'<text x="{node.x:.1f}" y="{top + 16}">{html.escape(node.label)}</text></g>'
    )
