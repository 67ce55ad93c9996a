"""Programs as trees that tell something of each node: its value in a position, whether it matters, where a walk is."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxgp import reading
from jaxgp.anatomy.anatomy_report import JSON
from jaxgp.anatomy.options import ANATOMY
from jaxgp.anatomy.positions import unpack_truths
from jaxgp.anatomy.trace import Tracer, Tree
from jaxgp.export.export import label
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs, Top, whole
from jaxgp.interpreter.calls import Features

MOST_NODES = 400
"""Nodes of a tree that is drawn."""
PALE, HERE = "pale", "here"
"""Marks of nodes: an intron; the leaf that makes the move."""
Drawn = tuple[str, list[tuple[int, str]]]
"""An S-expression, and marks of some of its words, by their places in it."""
PaleNodes = Sequence[Collection[int]]
"""Of each tree the nodes that are introns, in postfix order."""


def with_values(
    primitives: PrimitiveSet, genome: Any, seen: Features, introns: PaleNodes | None = None, top: Top | None = None
) -> list[Drawn]:
    """Return the trees of a program with the value of each node; none if one of them is large.

    Args:
        primitives: the set that it is written in.
        genome: [T, L].
        seen: float32[F, 1] or packed, what it sees.
        introns: where they are known.
        top: what stands above the trees, which are one tree then.
    """
    tracer = Tracer(primitives, unpack_truths(jax.device_get(seen)).astype(np.float32))
    found = []
    for tree, pale in _trees(primitives, genome, introns, top):
        if len(tree) > MOST_NODES:
            return []
        values = tracer.values(tree)[:, 0]
        found.append(_written(tree, dict.fromkeys(pale, PALE), values))
    return found


def with_leaf(primitives: PrimitiveSet, genome: Any, leaf: int, introns: PaleNodes | None = None) -> list[Drawn]:
    """Return the tree of a program that is walked through, with the leaf that the walk has come to; none if large."""
    ((tree, pale),) = _trees(primitives, genome, introns, None)
    return [] if len(tree) > MOST_NODES else [_written(tree, dict.fromkeys(pale, PALE) | {leaf: HERE})]


def _trees(
    primitives: PrimitiveSet, genome: Any, introns: PaleNodes | None, top: Top | None
) -> list[tuple[Tree, Collection[int]]]:
    """Return the trees of an individual, each with its introns."""
    trees = [jax.tree.map(lambda x, t=t: np.asarray(x)[t], genome) for t in range(len(np.asarray(genome.length)))]
    pale = introns or [()] * len(trees)
    if top is None:
        return [(Tree.of(primitives, tree), gone) for tree, gone in zip(trees, pale, strict=True)]
    moved, begin = set[int](), 0
    for item in top:
        if isinstance(item, int):
            moved |= {begin + node for node in pale[item]}
        begin += int(trees[item].length) if isinstance(item, int) else 1
    return [(Tree.of(primitives, jax.device_get(whole(primitives, genome, top))), moved)]


def _written(tree: Tree, marks: Mapping[int, str], values: np.ndarray | None = None) -> Drawn:
    """Write a tree as an S-expression; its words bear values, each after an arrow, where these are given."""
    words: list[str] = []
    found: list[tuple[int, str]] = []
    pending: list[int | str] = [len(tree) - 1]
    place = 0
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            words.append(node)
            continue
        if node in marks:
            found.append((place, marks[node]))
        place += 1
        name = label(tree.primitives, tree.codes[node], tree.values[node]).strip("() ").replace(" ", ":")
        value = "" if values is None else f"{values[node]:.4g}"
        word = f"{name}\u2192{value}" if value not in ("", name) else name
        if not tree.args[node]:
            words.append(word)
            continue
        words.append(f"({word}")
        pending += [")", *reversed(tree.args[node])]
    return " ".join(words).replace(" )", ")"), found


def read_introns(run: str, primitives: object, genome: Any) -> PaleNodes | None:
    """Return the introns that `analysis=program` has found in the champion of a run; None: it was not asked.

    What it found is a file beside the champion. One that tells of another program counts as none.
    """
    path = Path(run)
    file = (path if path.is_dir() else path.parent) / ANATOMY / JSON
    if not isinstance(primitives, PrimitiveSet) or not isinstance(genome, Programs) or not file.is_file():
        return None
    try:
        trees = reading.read_json(file)["trees"]
        listed = [[(node["node"], node["kind"]) for node in tree["nodes"]] for tree in trees]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    own = [
        Tree.of(primitives, jax.tree.map(lambda x, t=t: np.asarray(x)[t], genome)) for t in range(len(genome.length))
    ]
    names = [[label(primitives, *node) for node in zip(tree.codes, tree.values, strict=True)] for tree in own]
    if [[name for name, _ in tree] for tree in listed] != names:
        return None
    return [[n for n, (_, kind) in enumerate(tree) if kind != "code"] for tree in listed]
