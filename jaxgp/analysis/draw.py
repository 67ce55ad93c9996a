"""Trees as pictures: a tidy layout after E. Reingold and J. Tilford, "Tidier Drawings of Trees", IEEE TSE 7(2), 1981.

Subtrees are packed as closely as their outlines allow, and a parent stands above the middle of its children. Nodes are
as wide as their labels.
"""

from dataclasses import dataclass
from html import escape

import numpy as np

from jaxgp.analysis.export import label
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs

HEIGHT = 22.0
LEVEL = 46.0
GAP = 8.0
CHARACTER = 7.3

STYLE = """
.tree text{font:12px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#1f2328}
.tree rect{stroke-width:1}
.tree .function rect{fill:#fff;stroke:#57606a}
.tree .constant rect{fill:#e8f0fe;stroke:#7aa2e3}
.tree .feature rect{fill:#e6f4ea;stroke:#6aa97c}
.tree path{fill:none;stroke:#8c959f;stroke-width:1.2}
@media (prefers-color-scheme:dark){
.tree text{fill:#e6edf3}
.tree .function rect{fill:#21262d;stroke:#8b949e}
.tree .constant rect{fill:#1c2d4a;stroke:#4d7ac7}
.tree .feature rect{fill:#17332a;stroke:#3f8f5f}
.tree path{stroke:#6e7681}
}
"""


@dataclass
class Node:
    """One node of a drawing; `x` and `y` are its middle."""

    text: str
    kind: str  # function | constant | feature
    children: list[int]
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return max(HEIGHT, CHARACTER * len(self.text) + 10)


def tree_svg(primitives: PrimitiveSet, tree: Programs) -> str:
    """Draw one tree, [L], as a standalone SVG for light and dark pages."""
    nodes = layout(primitives, tree)
    width = max(node.x + node.width / 2 for node in nodes) + GAP
    height = max(node.y for node in nodes) + HEIGHT / 2 + GAP
    edges = "".join(_edge(node, nodes[child]) for node in nodes for child in node.children)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="Tree of {len(nodes)} nodes">'
        f'<style>{STYLE}</style><path d="{edges}"/>{"".join(map(_box, nodes))}</svg>'
    )


def layout(primitives: PrimitiveSet, tree: Programs) -> list[Node]:
    """Place the nodes of one tree, [L]; the root comes last, as in the program."""
    nodes = _read(primitives, tree)
    # Of each finished subtree: left and right edge of every level, counted from its root's x = 0.
    outlines: list[tuple[int, np.ndarray, np.ndarray]] = []
    offset = np.zeros(len(nodes))  # from the parent
    for n, node in enumerate(nodes):
        first = len(outlines) - len(node.children)
        below = outlines[first:]
        del outlines[first:]
        shifts, left, right = _pack([(low, high) for _, low, high in below])
        for (child, _, _), shift in zip(below, shifts, strict=True):
            offset[child] = shift
        half = node.width / 2
        outlines.append((n, np.concatenate([[-half], left]), np.concatenate([[half], right])))
    _, left, _ = outlines[0]
    _place(nodes, offset, GAP - left.min())
    return nodes


def _read(primitives: PrimitiveSet, tree: Programs) -> list[Node]:
    opcode, value, size = (np.asarray(x).tolist() for x in (tree.opcode, tree.value, tree.size))
    nodes = []
    for n in range(int(tree.length)):
        primitive = primitives.primitives[opcode[n]]
        children: list[int] = []
        child = n - 1
        for _ in primitive.args:
            children.insert(0, child)
            child -= size[child]
        kind = "function" if primitive.args else "constant" if primitive.is_constant else "feature"
        nodes.append(Node(label(primitive, value[n]), kind, children))
    return nodes


def _pack(outlines: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Push subtrees together from left to right.

    Returns:
        The place of each root relative to the middle of the first and the last, and the outline of all of them.
    """
    shifts: list[float] = []
    left, right = np.zeros(0), np.zeros(0)
    for low, high in outlines:
        common = min(len(right), len(low))
        shift = float((right[:common] - low[:common]).max()) + GAP if common else 0.0
        shifts.append(shift)
        left = np.concatenate([left, low[len(left) :] + shift])
        right = np.concatenate([high + shift, right[len(high) :]])
    middle = (shifts[0] + shifts[-1]) / 2 if shifts else 0.0
    return np.array(shifts) - middle, left - middle, right - middle


def _place(nodes: list[Node], offset: np.ndarray, root: float) -> None:
    """Turn places relative to parents into coordinates, from the root down."""
    nodes[-1].x, nodes[-1].y = root, GAP + HEIGHT / 2
    for node in reversed(nodes):  # parents come after their children
        for child in node.children:
            nodes[child].x = node.x + float(offset[child])
            nodes[child].y = node.y + LEVEL


def _edge(parent: Node, child: Node) -> str:
    top, bottom = parent.y + HEIGHT / 2, child.y - HEIGHT / 2
    middle = (top + bottom) / 2
    return (
        f"M{parent.x:.1f} {top:.1f}C{parent.x:.1f} {middle:.1f} {child.x:.1f} {middle:.1f} {child.x:.1f} {bottom:.1f}"
    )


def _box(node: Node) -> str:
    left, top = node.x - node.width / 2, node.y - HEIGHT / 2
    return (
        f'<g class="{node.kind}"><rect x="{left:.1f}" y="{top:.1f}" width="{node.width:.1f}" height="{HEIGHT:.0f}" '
        f'rx="6"/><text x="{node.x:.1f}" y="{node.y + 4:.1f}">{escape(node.text)}</text></g>'
    )
