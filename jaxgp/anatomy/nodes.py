"""Programs as trees of nodes on the host, for rewriting. Nothing here recurses, so no program is too deep."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from jaxgp.genotypes.primitives import BOOL, Points, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import arrays_of


@dataclass(frozen=True, eq=False)
class Node:
    """A subtree; equal subtrees of one `Forest` are the same object."""

    code: int
    value: float
    args: tuple["Node", ...]
    size: int


class Forest:
    """Makes the nodes of one primitive set, so that equal subtrees are one object."""

    def __init__(self, primitives: PrimitiveSet) -> None:
        self.primitives = primitives
        self._made: dict[tuple[int, bytes, tuple[int, ...]], Node] = {}

    def node(self, code: int, args: Sequence[Node] = (), value: float | None = None) -> Node:
        """Return the node of a primitive; `value` is its number, by default 1 where it is a factor, else 0."""
        number = float(self.primitives.factors[code]) if value is None else value
        key = code, np.float32(number).tobytes(), tuple(map(id, args))
        if key not in self._made:
            self._made[key] = Node(code, float(np.float32(number)), tuple(args), 1 + sum(a.size for a in args))
        return self._made[key]

    def primitive(self, node: Node) -> Primitive:
        return self.primitives.primitives[node.code]

    def factor(self, node: Node) -> float:
        """Return the factor of a node; 1 where it has none."""
        return node.value if self.primitives.factors[node.code] else 1.0

    def with_factor(self, node: Node, factor: float) -> Node:
        return self.node(node.code, node.args, factor) if self.primitives.factors[node.code] else node

    def constant(self, kind: str, value: float) -> Node | None:
        """Return a terminal of a type that always has a value, a bare number if there is one; None: there is none."""
        exact = float(np.float32(value))
        if not np.isfinite(exact):
            return None
        for code, p in enumerate(self.primitives.terminals):
            inside = p.domain is not None and (self.primitives.scaled[code] or exact in p.domain)
            if p.returns == kind and p.is_constant and inside:
                return self.node(code, (), exact)
        for code, p in enumerate(self.primitives.terminals):
            if p.returns == kind and p.fixed == exact:
                return self.node(code)
        return None

    def known(self, node: Node) -> float | None:
        """Return the value of a terminal that always has the same; None for any other node."""
        p = self.primitive(node)
        if p.is_constant:
            return node.value
        return None if p.fixed is None else float(np.float32(p.fixed) * np.float32(self.factor(node)))

    def stub(self, kind: int) -> Node:
        """Return a terminal for a slot of this type id whose value does not matter, a constant where there is one."""
        fitting = [code for code in range(self.primitives.num_terminals) if self.primitives.fills[kind, code]]
        constants = [code for code in fitting if self.primitives.primitives[code].feature is None]
        if not fitting:
            return self._least(kind)
        code = min(constants or fitting, key=lambda code: self.primitives.primitives[code].fixed is None)
        return self.node(code, (), _any_number(self.primitives.primitives[code]))

    def _least(self, kind: int) -> Node:
        """Return a shallowest tree for a slot of a type without terminals."""
        least = self.primitives.min_depth
        of = self.primitives
        code = min(
            (c for c in range(of.num_terminals, len(of.primitives)) if of.fills[kind, c]),
            key=lambda c: max(least[of.arg_type[c, k]] for k in range(of.arity[c])),
        )
        return self.node(code, [self.stub(int(of.arg_type[code, k])) for k in range(of.arity[code])])

    def read(self, tree: Programs) -> Node:
        """Return one tree, [L]."""
        codes, values = (np.asarray(x)[: int(tree.length)].tolist() for x in (tree.opcode, tree.value))
        stack: list[Node] = []
        for code, value in zip(codes, values, strict=True):
            first = len(stack) - int(self.primitives.arity[code])
            stack[first:] = [self.node(code, stack[first:], value)]
        return stack[0]


def _any_number(terminal: Primitive) -> float | None:
    """Return a number that a terminal takes, 0 if it takes that; None for one without numbers."""
    domain = terminal.domain
    if domain is None:
        return None
    return float(domain.low) if isinstance(domain, Points) or 0.0 not in domain else 0.0


def postfix(root: Node) -> Iterator[Node]:
    """Yield the nodes of a tree, arguments before functions; a shared subtree is met at each of its places."""
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, ready = pending.pop()
        if ready or not node.args:
            yield node
            continue
        pending.append((node, True))
        pending += [(arg, False) for arg in reversed(node.args)]


def write_trees(roots: Sequence[Node], capacity: int) -> Programs:
    """Return the trees of an individual as arrays, [T, L]; `capacity` is L."""
    return arrays_of([[(n.code, n.value, n.size) for n in postfix(root)] for root in roots], capacity)


def is_truth_function(primitive: Primitive) -> bool:
    """Return whether a primitive computes a truth value from truth values alone."""
    return (
        primitive.returns == BOOL
        and bool(primitive.args)
        and not (primitive.reads_features or primitive.picks)
        and all(kind == BOOL for kind in primitive.args)
    )
