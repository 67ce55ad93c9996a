"""Crossover of two individuals, by a kind drawn by weight. Functions here take individuals [T, L]; callers vmap.

- `subtree`: J. Koza, "Genetic Programming" (1992), strongly typed (D. Montana, 1995). The same tree is chosen in both
  parents: in one parent a receiving node, in the other one a donor node whose value the receiving slot accepts.
- `rule`: two individuals that have rules exchange whole ones; see `jaxgp.operators.trees`.
- `one_point`: individuals of several trees exchange those from a random place on; see `jaxgp.operators.trees`.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import where
from jaxgp.genotypes import programs
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import draw, trees
from jaxgp.operators.options import CrossoverOptions, MutationOptions

Crossed = TypeVar("Crossed")


@struct.dataclass
class CrossoverPoints:
    """Where two individuals exchange subtrees."""

    tree: Array  # int32[]: index of the tree, the same in both
    first: Array  # int32[]: node of the first parent, whose subtree gives way
    second: Array  # int32[]: node of the second parent, whose subtree replaces it
    found: Array  # bool[]: the second parent has a node that fits


def tree_at(individual: Programs, tree: Array) -> Programs:
    """Return one tree, [L], of an individual [T, L]."""
    # Where there is one alone, no gather has to be compiled and run.
    return jax.tree.map(lambda field: field[0 if len(field) == 1 else tree], individual)


def with_tree(individual: Programs, tree: Array, new: Programs) -> Programs:
    """Put a tree, [L], in the place of one of the trees of an individual [T, L]."""
    count, alone = len(individual.length), jax.tree.map(lambda field: field[None], new)
    return alone if count == 1 else where(jnp.arange(count) == tree, alone, individual)


def choose_node(
    words: Array,
    primitives: PrimitiveSet,
    config: CrossoverOptions | MutationOptions,
    tree: Programs,
    allowed: Array | None = None,
) -> Array:
    """Turn two words, uint32[2], into a node of the tree, int32[], among those allowed (bool[L]; None: all).

    `uniform`: all equally likely. `koza`: a function with probability `function_probability`, otherwise a terminal,
    where the kind exists.
    """
    if config.node_choice == "uniform":
        return draw.below(words[0], tree.length) if allowed is None else draw.uniform(words[0], allowed)
    mask = programs.live(tree) if allowed is None else allowed
    inner = draw.fraction(words[1]) < config.function_probability
    kind = mask & ((tree.opcode >= primitives.num_terminals) == inner)
    return draw.uniform(words[0], jnp.where(kind.any(), kind, mask))


def choose_points(
    key: Array, primitives: PrimitiveSet, config: CrossoverOptions, first: Programs, second: Programs
) -> CrossoverPoints:
    """Draw the tree and the two nodes."""
    words = draw.words(key, 5)
    t = draw.below(words[0], primitives.num_trees)
    ours, theirs = tree_at(first, t), tree_at(second, t)
    node = choose_node(words[1:3], primitives, config, ours)
    slot = programs.slot_type(primitives, jnp.asarray(primitives.root_type)[t], ours, node)
    fits = jnp.asarray(primitives.fills)[slot, theirs.opcode.astype(jnp.int32)] & programs.live(theirs)
    return CrossoverPoints(t, node, choose_node(words[3:5], primitives, config, theirs, fits), fits.any())


def graft(
    primitives: PrimitiveSet,
    max_depth: int | None,
    receiver: Programs,
    tree: Array,
    node: Array,
    donor: Programs,
    root: Array,
    allowed: Array,
) -> tuple[Programs, Array]:
    """Put a subtree of one tree of the donor in the place of `node` of the same tree of the receiver.

    Returns:
        The child, and bool[]: rejected. A child that is not allowed, or exceeds the capacity, `max_depth` or the
        effects of a tree, is rejected; then the receiver is returned.
    """
    made, fits = programs.replace(tree_at(receiver, tree), node, tree_at(donor, tree), root)
    kept = fits & allowed
    if max_depth is not None:
        kept &= programs.depth(made) <= max_depth
    if primitives.effects:
        kept &= programs.count_effects(primitives, made)[-1] <= primitives.effects
    return where(kept, with_tree(receiver, tree, made), receiver), ~kept


def one_child(
    key: Array,
    primitives: PrimitiveSet,
    config: CrossoverOptions,
    max_depth: int | None,
    receiver: Programs,
    donor: Programs,
) -> tuple[Programs, Array]:
    """Cross two individuals, [T, L]: the receiver with a part of the donor; and bool[]: rejected."""

    def subtree(key: Array) -> tuple[Programs, Array]:
        points = choose_points(key, primitives, config, receiver, donor)
        return graft(primitives, max_depth, receiver, points.tree, points.first, donor, points.second, points.found)

    def rule(key: Array) -> tuple[Programs, Array]:
        return trees.swap_between(key, primitives, receiver, donor)[0], jnp.bool_(False)

    def one_point(key: Array) -> tuple[Programs, Array]:
        return trees.one_point(key, primitives, receiver, donor)[0], jnp.bool_(False)

    return _by_weight(key, config, {"rule": rule, "one_point": one_point, "subtree": subtree})


def two_children(
    key: Array,
    primitives: PrimitiveSet,
    config: CrossoverOptions,
    max_depth: int | None,
    first: Programs,
    second: Programs,
) -> tuple[Programs, Programs, Array, Array]:
    """Swap a part of each of two individuals: the children, [T, L], and for each bool[]: rejected.

    Where types form sets, the second slot may refuse what the first one held; then only the second child is rejected.
    """

    def subtree(key: Array) -> tuple[Programs, Programs, Array, Array]:
        p = choose_points(key, primitives, config, first, second)
        ours, theirs = tree_at(first, p.tree), tree_at(second, p.tree)
        slot = programs.slot_type(primitives, jnp.asarray(primitives.root_type)[p.tree], theirs, p.second)
        fits = jnp.asarray(primitives.fills)[slot, ours.opcode[p.first].astype(jnp.int32)]
        one, one_rejected = graft(primitives, max_depth, first, p.tree, p.first, second, p.second, p.found)
        other, other_rejected = graft(primitives, max_depth, second, p.tree, p.second, first, p.first, p.found & fits)
        return one, other, one_rejected, other_rejected

    def rule(key: Array) -> tuple[Programs, Programs, Array, Array]:
        return *trees.swap_between(key, primitives, first, second), jnp.bool_(False), jnp.bool_(False)

    def one_point(key: Array) -> tuple[Programs, Programs, Array, Array]:
        return *trees.one_point(key, primitives, first, second), jnp.bool_(False), jnp.bool_(False)

    return _by_weight(key, config, {"rule": rule, "one_point": one_point, "subtree": subtree})


def _by_weight(key: Array, config: CrossoverOptions, kinds: Mapping[str, Callable[[Array], Crossed]]) -> Crossed:
    """Cross by one of the kinds, drawn by weight."""
    *others, last = [kind for kind in kinds if config.weights[kind]]
    if not others:
        return kinds[last](key)
    kind_key, key = jax.random.split(key)
    drawn, crossed = draw.fraction(draw.words(kind_key, 1)[0]), kinds[last](key)
    total = sum(config.weights.values())
    below = np.cumsum([config.weights[kind] for kind in others]) / total
    for kind, bound in reversed(list(zip(others, below.tolist(), strict=True))):
        crossed = where(drawn < bound, kinds[kind](key), crossed)
    return crossed
