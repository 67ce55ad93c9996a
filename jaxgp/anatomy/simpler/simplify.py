"""A simpler program that decides equally, made in three steps, each of which is checked and taken back where it fails.

1. Rules that keep every value, whatever the position is (`Rules.simplify`).
2. Introns that were not seen to matter at some positions are dropped.
3. Factors and constants are merged, which rounds in another order (`rules.merge_rounding`).

What a step does at single nodes is checked as a whole. Where the check fails, halves of it are tried, so that only what
breaks the check is taken back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax
import numpy as np

from jaxgp.anatomy.introns import Introns, find
from jaxgp.anatomy.nodes import Forest, Node, is_truth_function, postfix, write_trees
from jaxgp.anatomy.simpler.rules import Simplifier, is_decided_by, merge_rounding
from jaxgp.anatomy.trace import Tracer, Tree
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs

EXACT, DROPPED, MERGED = "rules", "introns dropped", "factors and constants merged"

Roots = tuple[Node, ...]
Site = tuple[int, int]
"""A tree of an individual, and a node of it."""
Check = Callable[[Programs], bool]


@dataclass(frozen=True)
class Step:
    """What one step of a simplification did.

    Attributes:
        name: of the step.
        size: nodes after it.
        applied: how often each kind of change was made.
        taken_back: how many changes were taken back, since they broke the check.
    """

    name: str
    size: int
    applied: dict[str, int]
    taken_back: int


def trees_of(program: Programs) -> list[Programs]:
    """Return the trees of an individual, [T, L]."""
    return [jax.tree.map(lambda field, t=t: field[t], program) for t in range(len(program.length))]


def simplify(
    primitives: PrimitiveSet, program: Programs, tracer: Tracer, values: Check, decisions: Check
) -> tuple[Programs, list[Step]]:
    """Simplify an individual, [T, L].

    Args:
        primitives: the set that it is written in.
        program: the individual.
        tracer: the positions at which introns are looked for.
        values: whether a program has the values of the original at the positions of the check, which the first two
            steps have to keep.
        decisions: whether it decides as the original does at these positions, which every step has to keep.

    Returns:
        The simpler individual, [T, L], and the steps.
    """
    rules = Simplifier(Forest(primitives))
    roots = tuple(rules.forest.read(tree) for tree in trees_of(program))

    def both(simpler: Programs) -> bool:
        return values(simpler) and decisions(simpler)

    roots, exact = _by_rules(rules, roots, lambda made: both(write_trees(made, program.capacity)))

    parts = [find(tracer, Tree.of(primitives, tree)) for tree in trees_of(write_trees(roots, program.capacity))]
    plans = [droppable(rules.forest, one) for one in parts]

    def drop(made: Roots, some: set[Site]) -> Roots:
        chosen = [{n: plan[n] for n in plan if (t, n) in some} for t, plan in enumerate(plans)]
        return tuple(rules.simplify(drop_nodes(rules, root, plan)) for root, plan in zip(made, chosen, strict=True))

    sites = [(t, node) for t, plan in enumerate(plans) for node in plan]
    roots, without = _at_sites(DROPPED, roots, sites, drop, lambda made: both(write_trees(made, program.capacity)))

    def merge(made: Roots, some: set[Site]) -> Roots:
        return tuple(
            rules.simplify(merge_at(rules, root, {n for tree, n in some if tree == t})) for t, root in enumerate(made)
        )

    sites = [
        (t, n) for t, root in enumerate(roots) for n, node in enumerate(postfix(root)) if merge_rounding(rules, node)
    ]
    roots, rounding = _at_sites(
        MERGED, roots, sites, merge, lambda made: decisions(write_trees(made, program.capacity))
    )
    return write_trees(roots, program.capacity), [exact, without, rounding]


def _by_rules(rules: Simplifier, roots: Roots, holds: Callable[[Roots], bool]) -> tuple[Roots, Step]:
    """Apply the rules that keep every value."""
    made = tuple(map(rules.simplify, roots))
    applied = dict(rules.applied)
    if made == roots or holds(made):
        return made, Step(EXACT, _size(made), applied, 0)
    return roots, Step(EXACT, _size(roots), {}, sum(applied.values()))


def _at_sites(
    name: str,
    roots: Roots,
    sites: Sequence[Site],
    rewrite: Callable[[Roots, set[Site]], Roots],
    holds: Callable[[Roots], bool],
) -> tuple[Roots, Step]:
    """Rewrite trees at as many sites as hold."""
    accepted = most(sites, lambda some: holds(rewrite(roots, some)))
    made = rewrite(roots, accepted) if accepted else roots
    return made, Step(name, _size(made), {name: len(accepted)} if accepted else {}, len(sites) - len(accepted))


def _size(roots: Roots) -> int:
    return sum(root.size for root in roots)


def most(sites: Sequence[Site], holds: Callable[[set[Site]], bool]) -> set[Site]:
    """Return sites that hold together: all of them, or what is left where halves that do not hold are split."""
    accepted: set[Site] = set()
    pending = [list(sites)] if sites else []
    while pending:
        some = pending.pop()
        if holds(accepted | set(some)):
            accepted |= set(some)
        elif len(some) > 1:
            pending += [some[len(some) // 2 :], some[: len(some) // 2]]
    return accepted


def droppable(forest: Forest, found: Introns) -> dict[int, Node | int]:
    """Return what may take the place of nodes of a tree, given its introns: a terminal, or the argument of this place.

    A function that picks the same argument wherever it runs is replaced by this argument.
    """
    tree, plan = found.tree, dict[int, Node | int]()
    pending = [len(tree) - 1]
    while pending:
        node = pending.pop()
        p, args = tree.primitive(node), tree.args[node]
        if found.kinds[node] == "explicit":
            continue
        if found.kinds[node] != "code":
            plan[node] = _stand_in(forest, tree, node)
            continue
        running = [n for n in range(p.arity - p.picks, p.arity) if found.runs[args[n]]] if p.picks else []
        if len(running) == 1 and p.arity > 1 and not forest.primitives.weighted:
            plan[node] = running[0]
            pending.append(args[running[0]])
        else:
            pending += args
    return plan


def _stand_in(forest: Forest, tree: Tree, node: int) -> Node:
    """Return a terminal for the place of an intron; under a truth function one that decides it, where there is one."""
    above, place = tree.parents[node]
    p = tree.primitive(above)
    if is_truth_function(p):
        for truth in (0.0, 1.0):
            constant = forest.constant(tree.primitive(node).returns, truth)
            if constant is not None and is_decided_by(p, place, bool(truth)):
                return constant
    return forest.stub(int(forest.primitives.arg_type[tree.codes[above], place]))


def drop_nodes(rules: Simplifier, root: Node, plan: dict[int, Node | int]) -> Node:
    """Put what `droppable` returned in the place of nodes, by their numbers in postfix order."""

    def visit(number: int, node: Node) -> Node:
        instead = plan.get(number)
        if isinstance(instead, int):
            return rules.scaled(node.args[instead], rules.forest.factor(node)) or node
        return instead or node

    return rewrite_tree(rules.forest, root, visit)


def merge_at(rules: Simplifier, root: Node, some: set[int]) -> Node:
    """Apply `merge_rounding` at nodes, by their numbers in postfix order."""
    return rewrite_tree(
        rules.forest, root, lambda number, node: (number in some and merge_rounding(rules, node)) or node
    )


def rewrite_tree(forest: Forest, root: Node, visit: Callable[[int, Node], Node]) -> Node:
    """Rebuild a tree, each node with its new arguments replaced by what `visit` (number, node) returns."""
    stack: list[Node] = []
    for number, old in enumerate(postfix(root)):
        first = len(stack) - len(old.args)
        stack[first:] = [visit(number, forest.node(old.code, stack[first:], old.value))]
    return stack[0]


def same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where numbers are equal, NaN being equal to NaN."""
    return (a == b) | (np.isnan(a) & np.isnan(b))
