"""Iterative deepening of many puzzles for many genomes at once, inside one jitted loop: depth first, bound after bound.

The search of one root, which `tests/reference/deepening.py` writes down in plain Python:

    for each bound: first, first + grow, ... up to deepest
        visit the root, at depth 0
        if nothing was cut by the bound: the search is exhausted, the root has no solution

    visit a node:
        count it; at the limit of nodes the search ends unsolved
        if it is solved, the search ends
        if its depth is the bound, it is cut
        if the table has it from this round, at this depth or a lesser one, return; otherwise write it there
        visit its children: first one that solves, then the others by their values, the lowest first

Among equal values the lowest action is first, as it is in a blind search. With `bound="cost"` (IDA*; R. Korf,
"Depth-first iterative-deepening", Artificial Intelligence 27, 1985) it is not depth that is bounded, but depth plus
value: a child above the bound is cut and not counted, and the next bound is at least the least cost that was cut.

Lanes search one root each (`jaxgp.search.queue`). An iteration of the loop does two things:

    expand       descend to the next node of each lane, and list, step and value its children: fat work
    walk back    take the next child of the deepest open node that the table does not cut, or close the node: thin work

A lane whose next child is still to be found when most lanes have theirs expands nothing in the next iteration. Children
at the bound are counted when their parent is expanded, and nodes without a table need no keys.
"""

from collections.abc import Callable
from typing import Any, Literal

from flax import struct
from jax import Array

from jaxgp.contracts import States

Bound = Literal["depth", "cost"]


@struct.dataclass
class Node:
    """A child in a search, as an order sees it."""

    state: States  # the position
    before: States  # the position of the parent
    action: Array  # int32[]: the move from the parent to it
    depth: Array  # int32[]: moves from the root to it
    siblings: Array  # int32[]: how many children the parent has


Order = Callable[[Any, Array, Node, Array], Array]
"""(contexts [C, ...], whose int32[B], nodes [B], needed int32[]) -> float32[B]: values, of which the lowest go first.

The second argument is the context of each node; the last one, N, says how many nodes matter. These are the first N,
sorted by context in ascending order; the values of the others are not used. NaN counts as the greatest value.
"""


@struct.dataclass
class Solutions:
    """Results of a search for each root; those of roots not searched are False, 0 and -1."""

    solved: Array  # bool[Q]
    nodes: Array  # int32[Q]: nodes visited
    length: Array  # int32[Q]: moves of the solution; -1: none was found
    moves: Array  # int16[Q, deepest]: actions of the solution, then -1
    exhausted: Array  # bool[Q]: the whole space was searched, so there is no solution
    iterations: Array  # int32[]: iterations of the loop for the whole batch
