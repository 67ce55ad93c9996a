"""Which nodes of a program are introns, by replacement at positions and by the structure of the program.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2.6, after S. Luke, "Code growth is not caused by introns" (2000).
An intron is inviable code: a subtree that cannot be replaced by anything that could change what the individual does. It
is dead code if it is never run, and live code if it is run without influence. An explicitly defined intron lies under
an argument that its function ignores (`Primitive.ignores`); it is always dead.

What the individual does is the value of its tree, which is the stricter criterion: what never changes the value never
changes the move. A finding is proved where the structure of the program implies it whatever the position is. Every
other one says that nothing was seen to matter at the positions that were tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

import jax.numpy as jnp
import numpy as np

from jaxgp.anatomy.nodes import is_truth_function
from jaxgp.anatomy.trace import Tracer, Tree, subtree
from jaxgp.genotypes.primitives import Primitive
from jaxgp.interpreter.calls import apply

NodeKind = Literal["code", "explicit", "dead", "live"]
KINDS: tuple[NodeKind, ...] = ("explicit", "dead", "live")
NOTHING = np.zeros(1, np.float32)
"""What a function sees that reads no features."""
SAYS = {
    "code": "code that matters",
    "explicit": "explicitly defined introns (dead code)",
    "dead": "other dead-code introns",
    "live": "live-code introns",
}


@dataclass(frozen=True)
class Introns:
    """The introns of one tree, in postfix order.

    Attributes:
        tree: the tree.
        kinds: what each node is.
        proved: whether the structure of the program proves that the node cannot matter.
        runs: bool[L], whether each node runs at any position.
    """

    tree: Tree
    kinds: tuple[NodeKind, ...]
    proved: tuple[bool, ...]
    runs: np.ndarray

    @property
    def roots(self) -> list[int]:
        """The roots of maximal introns: no function above them is an intron of the same kind."""
        return [
            node
            for node, kind in enumerate(self.kinds)
            if kind != "code" and (node + 1 == len(self.tree) or self.kinds[self.tree.parents[node][0]] != kind)
        ]


def find(tracer: Tracer, tree: Tree) -> Introns:
    """Find the introns of a tree at the positions of a tracer."""
    values = tracer.values(tree)
    runs, matters = np.asarray(tracer.runs(tree, values).any(1)), tracer.matters(tree, values)
    explicit, proved = under_ignored(tree), inviable(tree)
    kinds: list[NodeKind] = []
    for node in range(len(tree)):
        unseen: NodeKind = "live" if runs[node] else "dead"
        kinds.append("explicit" if explicit[node] else "code" if matters[node] else unseen)
    return Introns(tree, tuple(kinds), tuple(proved), runs)


def under_ignored(tree: Tree) -> list[bool]:
    """Return whether each node lies under an argument that its function ignores."""
    found = [False] * len(tree)
    for node, args in enumerate(tree.args):
        p = tree.primitive(node)
        for place, arg in enumerate(args):
            if place in ignored_places(p):
                for below in subtree(tree, arg):
                    found[below] = True
    return found


@lru_cache
def ignored_places(p: Primitive) -> frozenset[int]:
    """Return the places of arguments that a function ignores: declared so, or never picked where nothing decides."""
    last = set(range(p.arity - p.ignores, p.arity))
    never = set(range(p.arity)) - {pick(p, [])} if p.picks and p.picks == p.arity else set()
    return frozenset(last | never)


def constants(tree: Tree) -> list[float | None]:
    """Return the value of each node that is the same at every position by the structure of the tree; None: it is not.

    Beside functions of constants these are: what is picked by constants or is the same for every pick, and truth
    functions that some constant arguments decide, as in `OR(x, True)`.
    """
    known: list[float | None] = []
    for node, args in enumerate(tree.args):
        p = tree.primitive(node)
        if not p.args:
            value = tree.values[node] if p.is_constant else p.fixed
            factor = tree.factor(node) * np.float32(tree.weights[node])
            known.append(None if value is None else float(np.float32(value) * factor))
            continue
        outcomes = set() if p.reads_features else _outcomes(p, [known[arg] for arg in args])
        single = outcomes.pop() if len(outcomes) == 1 else None
        known.append(None if single is None else float(np.float32(single) * tree.factor(node)))
    return known


def _outcomes(p: Primitive, known: Sequence[float | None]) -> set[float | None]:
    """Return the values that a function can have, given the known ones of its arguments; None: an unknown value."""
    computed = p.arity - p.ignores
    if p.picks:
        first = p.arity - p.picks
        if None in known[:first]:
            return set(known[first:computed])
        return {known[pick(p, known[:first])]}
    if is_truth_function(p):
        return set(table(p, known).values())
    if None in known[:computed]:
        return {None}
    return {call_on_numbers(p, known)}


def pick(p: Primitive, deciding: Sequence[float | None]) -> int:
    """Return the place of the argument that a function with `picks` picks, by the values of those that decide."""
    places = range(len(deciding), p.arity)
    return int(call_on_numbers(p, [*deciding, *map(float, places)]))


def call_on_numbers(p: Primitive, args: Sequence[float | None], features: np.ndarray = NOTHING) -> float:
    """Call a function on numbers, None being any number; `features` is [F]."""
    given = [jnp.float32([one or 0.0]) for one in args]
    return float(apply(p, jnp.asarray(features, jnp.float32)[:, None], given)[0])


def table(p: Primitive, known: Sequence[float | None]) -> dict[tuple[bool, ...], bool]:
    """Return the truth table of a truth function over its arguments, those with a known value held fixed."""
    return _table(p, tuple(known))


@lru_cache
def _table(p: Primitive, known: tuple[float | None, ...]) -> dict[tuple[bool, ...], bool]:
    computed = p.arity - p.ignores
    options = [[False, True] if one is None else [bool(one)] for one in known[:computed]] + [[False]] * p.ignores
    return {given: bool(call_on_numbers(p, list(map(float, given)))) for given in product(*options)}


def inviable(tree: Tree) -> list[bool]:
    """Return whether the structure of a tree proves that each node cannot change its value."""
    known, found = constants(tree), [False] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        p, args = tree.primitive(node), tree.args[node]
        values = [known[arg] for arg in args]
        for place, arg in enumerate(args):
            found[arg] = found[node] or _idle(p, values, place)
    return found


def _idle(p: Primitive, known: Sequence[float | None], place: int) -> bool:
    """Return whether no value of an argument can change that of the function, given the known ones of the others."""
    if place >= p.arity - p.ignores:
        return True
    if p.picks:
        first, options = p.arity - p.picks, known[p.arity - p.picks : p.arity - p.ignores]
        if place < first:
            return None not in options and len(set(options)) == 1
        return None not in known[:first] and pick(p, known[:first]) != place
    if not is_truth_function(p):
        return False
    rows = table(p, [None if n == place else one for n, one in enumerate(known)])
    return all(rows[given] == rows[*given[:place], not given[place], *given[place + 1 :]] for given in rows)
