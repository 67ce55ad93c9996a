"""Rules that make programs simpler, derived from the declarations of the primitives.

Every rule takes a node whose arguments are simplified, and returns a smaller tree of the same set, or None. The rules
keep the value of the tree at every position, bit for bit but for the sign of zero, as long as numbers are finite. Only
`merge_rounding` changes the order in which numbers are rounded. What plus, minus and the like are is read from the
Python form of a primitive. In a set with weights a leaf means something else at another place, so nothing is moved
there.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from jaxgp.anatomy.introns import call_on_numbers, pick, table
from jaxgp.anatomy.nodes import Forest, Node, is_truth_function, postfix
from jaxgp.genotypes.primitives import BOOL, Primitive

PLUS, MINUS, TIMES, OVER, LEAST, MOST, AT_MOST, LESS = (
    "({0} + {1})",
    "({0} - {1})",
    "({0} * {1})",
    "({0} / {1} if {1} else 1.0)",
    "min({0}, {1})",
    "max({0}, {1})",
    "({0} <= {1})",
    "({0} < {1})",
)
"""Python forms of functions of two numbers."""
ATOMS = 5
"""The most different arguments of a truth function that is looked at as a whole."""
SOURCES = 10
"""The most parts of such a function from which a smaller one is made."""

Rule = Callable[["Simplifier", Node], Node | None]


class Simplifier:
    """Simplifies trees of one set; counts how often each rule was applied.

    Attributes:
        forest: where the trees are made.
        applied: the number of applications of each rule, by its name.
    """

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.applied: Counter[str] = Counter()
        self._simple: dict[int, Node] = {}
        self._constants: dict[int, float | None] = {}

    def simplify(self, root: Node) -> Node:
        """Apply all rules but `merge_rounding` until none applies."""
        while True:
            for node in postfix(root):
                if id(node) not in self._simple:
                    args = [self._simple[id(arg)] for arg in node.args]
                    self._simple[id(node)] = self._reduced(self.forest.node(node.code, args, node.value))
            after = self._simple[id(root)]
            if after is root:
                return root
            root = after

    def _reduced(self, node: Node) -> Node:
        """Apply the rules to one node until none applies; what they make of it may have to be simplified again."""
        for name, rule in RULES.items():
            made = rule(self, node)
            if made is not None and made is not node and self._fits(made, node):
                self.applied[name] += 1
                return made
        return node

    def _fits(self, made: Node, node: Node) -> bool:
        """Return whether a tree may stand where another one stood."""
        return self.forest.primitive(made).returns == self.forest.primitive(node).returns and made.size <= node.size

    def scaled(self, node: Node, factor: float, rounding: bool = False) -> Node | None:
        """Return a node times a factor; None where that cannot be written.

        Two factors are one factor only if that changes no rounding, or `rounding` allows it; otherwise the node becomes
        the argument of a function that does nothing else than to have a factor.
        """
        if factor == 1:
            return node
        value = self.forest.known(node)
        if value is not None:
            product = float(np.float32(value) * np.float32(factor))
            return self.forest.constant(self.forest.primitive(node).returns, product)
        if not self.forest.primitives.factors[node.code]:
            return None
        old = self.forest.factor(node)
        both = float(np.float32(old) * np.float32(factor))
        alike = rounding or 1 in (old, factor) or is_power_of_two(old) or is_power_of_two(factor)
        if alike and np.isfinite(both):
            return self.forest.with_factor(node, both)
        return None if self._carrier is None else self.forest.node(self._carrier, (node,), factor)

    @cached_property
    def _carrier(self) -> int | None:
        """The opcode of a function of one argument that multiplies it by its factor; None: there is none."""
        of = self.forest.primitives
        return next((c for c, p in enumerate(of.primitives) if of.factors[c] and p.arity == p.picks == 1), None)

    def constant(self, node: Node) -> float | None:
        """Return the value of a tree that always has the same, though no terminal may have it; None for any other."""
        for one in postfix(node):
            if id(one) not in self._constants:
                self._constants[id(one)] = self._constant(one)
        return self._constants[id(node)]

    def _constant(self, node: Node) -> float | None:
        """Return the value of a constant node whose arguments are known."""
        p, factor = self.forest.primitive(node), np.float32(self.forest.factor(node))
        if not p.args:
            return self.forest.known(node)
        if not self.moves:
            return None
        if p.python == MINUS and node.args[0] is node.args[1]:
            return 0.0
        if p.python == OVER and node.args[0] is node.args[1]:
            return float(factor)
        known = [self._constants[id(arg)] for arg in node.args[: p.arity - p.ignores]]
        if p.picks or None in known:
            return None
        if p.reads_features:
            reads_nothing = p.reads_one and call_on_numbers(p, known, np.arange(1, p.reads_one + 1)) == 0
            return 0.0 if reads_nothing else None
        return float(np.float32(call_on_numbers(p, [*known, *[None] * p.ignores])) * factor)

    @property
    def moves(self) -> bool:
        """Whether subtrees may be moved."""
        return not self.forest.primitives.weighted


def is_power_of_two(value: float) -> bool:
    """Return whether multiplying by a number only changes exponent and sign."""
    return bool(value) and abs(np.frexp(value)[0]) == 0.5


def drop_ignored(rules: Simplifier, node: Node) -> Node | None:
    """Replace ignored arguments by a shortest terminal."""
    forest, p = rules.forest, rules.forest.primitive(node)
    if not p.ignores:
        return None
    kept = p.arity - p.ignores
    kinds = forest.primitives.arg_type[node.code, kept : p.arity]
    stubs = [forest.stub(int(kind)) for kind in kinds]
    return forest.node(node.code, [*node.args[:kept], *stubs], node.value)


def take_chosen(rules: Simplifier, node: Node) -> Node | None:
    """Replace a function that picks an argument by this argument, where the pick is known."""
    p, forest = rules.forest.primitive(node), rules.forest
    if not (p.picks and rules.moves):
        return None
    first = p.arity - p.picks
    options = node.args[first : p.arity - p.ignores]
    known = [rules.constant(arg) for arg in node.args[:first]]
    if len(set(map(id, options))) == 1:
        place = first
    elif None not in known:
        place = pick(p, known)
    else:
        return None
    return rules.scaled(node.args[place], forest.factor(node))


def fold_constants(rules: Simplifier, node: Node) -> Node | None:
    """Replace a function of constants by a constant."""
    p, forest = rules.forest.primitive(node), rules.forest
    if forest.primitives.weighted or (p.returns == BOOL and not p.args):
        return None
    value = rules.constant(node)
    return None if value is None else forest.constant(p.returns, value)


def logic(rules: Simplifier, node: Node) -> Node | None:
    """Replace a truth function by a smaller one with the same truth table."""
    if not (rules.moves and is_truth_function(rules.forest.primitive(node))):
        return None
    return Logic(rules.forest, node).smaller(node)


def turn_choice(rules: Simplifier, node: Node) -> Node | None:
    """Exchange the two arguments that a truth value chooses from, where its opposite is smaller."""
    p, forest = rules.forest.primitive(node), rules.forest
    if not (rules.moves and p.picks == 2 and p.arity == 3 and p.args[0] == BOOL and not p.ignores):
        return None
    if not is_truth_function(forest.primitive(node.args[0])) or {pick(p, [0.0]), pick(p, [1.0])} != {1, 2}:
        return None
    opposite = Logic(forest, node.args[0]).smaller(node.args[0], negated=True)
    yes, no = node.args[1:]
    return None if opposite is None else forest.node(node.code, (opposite, no, yes), node.value)


def arithmetic(rules: Simplifier, node: Node) -> Node | None:
    """Drop what adds 0 or multiplies by 1, and what is the same on both sides."""
    p, forest = rules.forest.primitive(node), rules.forest
    if not rules.moves or p.arity != 2 or p.picks or p.ignores:
        return None
    (a, b), form, factor = node.args, p.python, forest.factor(node)
    left, right = rules.constant(a), rules.constant(b)
    same = a is b
    if (form in (PLUS, MINUS) and right == 0) or (form in (TIMES, OVER) and right == 1):
        return rules.scaled(a, factor)
    if (form == PLUS and left == 0) or (form == TIMES and left == 1):
        return rules.scaled(b, factor)
    if form == MINUS and left == 0:
        return rules.scaled(b, -factor)
    if same and form in (LEAST, MOST):
        return rules.scaled(a, factor)
    if (same and form == LESS) or (form == TIMES and 0 in (left, right)):
        return forest.constant(p.returns, 0.0)
    if same and form == AT_MOST:
        return forest.constant(p.returns, 1.0)
    return None


def merge_rounding(rules: Simplifier, node: Node) -> Node | None:
    """Merge factors, and constants of sums, though the result is rounded otherwise."""
    p, forest = rules.forest.primitive(node), rules.forest
    if not rules.moves:
        return None
    if p.picks and p.picks - p.ignores == 1:
        return rules.scaled(node.args[p.arity - p.picks], forest.factor(node), rounding=True)
    if p.python not in (PLUS, MINUS):
        return None
    a, b = node.args
    outer, inner = forest.known(b), forest.primitive(a).python
    if outer is None or inner not in (PLUS, MINUS) or forest.factor(a) != 1:
        return None
    constant = forest.known(a.args[1])
    if constant is None:
        return None
    total = (constant if inner == p.python else -constant) + outer
    number = forest.constant(forest.primitive(b).returns, total)
    return None if number is None else forest.node(node.code, (a.args[0], number), node.value)


RULES: dict[str, Rule] = {
    "arguments without influence": drop_ignored,
    "choices that are known": take_chosen,
    "functions of constants": fold_constants,
    "truth values": logic,
    "opposite conditions": turn_choice,
    "arithmetic": arithmetic,
}
"""The rules that keep every value."""


class Logic:
    """A truth function as a whole: its parts, and their truth tables over its atoms, which are no truth functions."""

    def __init__(self, forest: Forest, root: Node) -> None:
        self.forest = forest
        inner = [root]
        for deeper in (True, False):
            parts = list(dict.fromkeys(inner if not deeper else _truths(forest, root)))
            atoms = [a for part in parts for a in _used(forest, part) if a not in parts]
            self.atoms = [a for a in dict.fromkeys(atoms) if forest.known(a) is None]
            self.parts, self.fixed = parts, [a for a in dict.fromkeys(atoms) if forest.known(a) is not None]
            if len(self.atoms) <= ATOMS:
                break
        rows = np.array(list(product([False, True], repeat=len(self.atoms))), bool).reshape(-1, len(self.atoms))
        self.tables: dict[Node, np.ndarray] = {atom: rows[:, n] for n, atom in enumerate(self.atoms)}
        self.tables |= {one: np.full(len(rows), bool(forest.known(one))) for one in self.fixed}
        for part in self.parts:
            args = [self.tables[arg] for arg in _used(forest, part)]
            self.tables[part] = _applied(forest.primitive(part), args)

    def smaller(self, node: Node, negated: bool = False) -> Node | None:
        """Return a smaller tree with the truth table of a part, or with the opposite one; None: none was found."""
        wanted = ~self.tables[node] if negated else self.tables[node]
        if wanted.all() or not wanted.any():
            constant = self.forest.constant(BOOL, float(wanted[0]))
            if constant is not None and constant.size < node.size:
                return constant
        there = [one for one in self.tables if one.size < node.size and (self.tables[one] == wanted).all()]
        made = [one for one in self._combined(wanted) if one.size < node.size]
        return min([*there, *made], key=lambda one: one.size, default=None)

    def _combined(self, wanted: np.ndarray) -> Sequence[Node]:
        """Return single functions of the parts with a truth table."""
        forest, found = self.forest, []
        sources = sorted(self.tables, key=lambda one: one.size)[:SOURCES]
        for code, p in enumerate(forest.primitives.primitives):
            if not is_truth_function(p):
                continue
            stubs = [forest.stub(int(kind)) for kind in forest.primitives.arg_type[code, p.arity - p.ignores : p.arity]]
            for args in product(sources, repeat=p.arity - p.ignores):
                if (_applied(p, [self.tables[arg] for arg in args]) == wanted).all():
                    found.append(forest.node(code, [*args, *stubs]))
        return found


def _truths(forest: Forest, root: Node) -> list[Node]:
    """Return the truth functions that a truth function is made of, arguments before functions, itself last."""
    found, pending = [], [root]
    while pending:
        node = pending.pop()
        found.append(node)
        pending += [arg for arg in _used(forest, node) if is_truth_function(forest.primitive(arg))]
    return found[::-1]


def _used(forest: Forest, node: Node) -> Sequence[Node]:
    """Return the arguments of a function that it does not ignore."""
    p = forest.primitive(node)
    return node.args[: p.arity - p.ignores]


def is_decided_by(p: Primitive, place: int, truth: bool) -> bool:
    """Return whether a value of one argument decides a truth function, whatever the others are."""
    return len(set(table(p, [float(truth) if n == place else None for n in range(p.arity)]).values())) == 1


_TABLES: dict[Primitive, np.ndarray] = {}


def _applied(p: Primitive, args: Sequence[np.ndarray]) -> np.ndarray:
    """Apply a truth function to rows of truth values."""
    if p not in _TABLES:
        whole = table(p, [None] * p.arity)
        _TABLES[p] = np.array([whole[given] for given in sorted(whole)])
    place = np.zeros(args[0].shape, int)
    for arg in args:
        place = 2 * place + arg
    # Ignored arguments are always False in the table, so they add no rows.
    return _TABLES[p][place]
