"""Mutation of strongly typed programs.

`children` is the GP Mancala study's: "a node of the program is selected at random; all of its child nodes are deleted
and new children are created for it at random". `subtree`, `hoist` (K. Kinnear, 1993) and `point` are the common ones
of J. Koza, "Genetic Programming" (1992) and after. `local` is that of A. Benbassat and M. Sipper, "Evolving board-game
players with genetic programming" (2011), for programs whose nodes have factors; they do not say how far a factor moves.
`insert` is that of F.-A. Fortin and others, "DEAP: Evolutionary algorithms made easy" (2012), `mutInsert`.
`numeric` is that of M. Evett and T. Fernandez, "Numeric mutation improves the discovery of numeric constants in genetic
programming" (1998): all constants and factors move at once; there the fitness sets how far they move, here chance does.
`rule` lets two whole rules change places, and `genes` replaces each tree with a probability of its own; see
`jaxgp.operators.trees`.

All other kinds choose one tree of the individual, and in it a node, both uniformly; `children` and `subtree` may prefer
functions to terminals, as crossover may. Mutation never breaks a limit: a
tree that cannot change within depth and room stays as it is.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import where
from jaxgp.genotypes import programs
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import draw
from jaxgp.operators.creation import Request, generate
from jaxgp.operators.crossover import choose_node, tree_at, with_tree
from jaxgp.operators.options import Breeding
from jaxgp.operators.trees import redrawn, swap_within

Change = Callable[[Array, Programs, Array], Programs]
"""Changes: key[B], individuals [B, T, L] and the tree to vary of each, int32[B] -> individuals [B, T, L]."""
Mutator = Callable[[Array, PrimitiveSet, Breeding, Programs, Array], Programs]
"""Changes trees: key[B], the primitive set, the options, trees [B, L] and their root types int32[B] -> trees [B, L]."""


def _leaf(capacity: int, opcode: Array, value: Array) -> Programs:
    """Return a tree of one terminal, [L]."""
    first = jnp.arange(capacity) == 0
    return Programs(
        opcode=jnp.where(first, opcode, 0).astype(jnp.int16),
        value=jnp.where(first, value, 0.0),
        size=first.astype(jnp.int16),
        length=jnp.int32(1),
    )


def _regrow(
    keep: bool, keys: Array, primitives: PrimitiveSet, algorithm: Breeding, trees: Programs, root_types: Array
) -> Programs:
    """Replace the subtree of a random node by a random one; with `keep`, its root stays and its arguments are replaced.

    New subtrees (below the root, if it stays) are at most `mutation.max_depth` deep.
    """
    deepest = algorithm.mutation.max_depth + keep

    def plan(words: Array, tree: Programs, root_type: Array) -> tuple[Array, Request]:
        node = _node(words, primitives, algorithm, tree)
        code = tree.opcode[node].astype(jnp.int32)
        limit = _depth_left(algorithm, deepest, tree, node)
        return node, Request(
            slot=programs.slot_type(primitives, root_type, tree, node),
            depth=limit,
            room=tree.capacity - tree.length + tree.size[node].astype(jnp.int32),
            root=code if keep else jnp.int32(-1),
            full=jnp.bool_(False),
            wanted=(limit >= 0) & ((code >= primitives.num_terminals) | (not keep)),
            effects=_effects_left(primitives, tree, node) if primitives.effects else None,
        )

    def put(tree: Programs, node: Array, new: Programs) -> Programs:
        changed, _ = programs.replace(tree, node, new, new.length - 1)
        return where(new.length > 0, changed, tree)

    words = _growing_words(keys, trees)
    nodes, requests = jax.vmap(plan)(words[:, 0], trees, root_types)
    new = generate(words[:, 1:], primitives, requests, deepest, algorithm.creation.terminal_probability)
    return jax.vmap(put)(trees, nodes, new)


def _insert(keys: Array, primitives: PrimitiveSet, algorithm: Breeding, trees: Programs, root_types: Array) -> Programs:
    """Make a random node an argument of a random function, at a random place; its other arguments are random trees.

    These are at most `mutation.max_depth` deep.
    """
    deepest = algorithm.mutation.max_depth + 1
    arity, arg_type = jnp.asarray(primitives.arity), jnp.asarray(primitives.arg_type)
    argument = jnp.arange(primitives.max_arity) < arity[:, None]

    def plan(words: Array, tree: Programs, root_type: Array) -> tuple[Array, Array, Request]:
        node = draw.below(words[0], tree.length)
        slot = programs.slot_type(primitives, root_type, tree, node)
        have = jnp.asarray(primitives.return_type)[tree.opcode[node].astype(jnp.int32)]
        takes = jnp.asarray(primitives.accepts)[arg_type, have] & argument
        fits = jnp.asarray(primitives.fills)[slot] & takes.any(1)
        effects = None
        if primitives.effects:
            effects = primitives.effects - programs.count_effects(primitives, tree)[-1]
            fits &= ~jnp.asarray(primitives.acts) | (effects > 0)
        code = draw.primitive(words[1], primitives, fits)
        limit = _depth_left(algorithm, deepest, tree, node)
        request = Request(
            slot=slot,
            depth=limit,
            room=tree.capacity - tree.length + 1,
            root=code,
            full=jnp.bool_(False),
            wanted=(limit >= 1) & fits.any() & (tree.length > 0),
            effects=effects,
        )
        return node, draw.uniform(words[2], takes[code]), request

    def put(tree: Programs, node: Array, place: Array, new: Programs) -> Programs:
        count = arity[new.opcode[new.length - 1].astype(jnp.int32)]
        child = new.length - 2
        for position in range(primitives.max_arity - 1, 0, -1):  # from the last argument back to `place`
            child = jnp.where((position > place) & (position < count), child - new.size[child], child)
        grown, _ = programs.replace(new, child, tree, node)
        changed, _ = programs.replace(tree, node, grown, grown.length - 1)
        made = new.length > 0
        if algorithm.max_depth is not None:
            made &= programs.depth(changed) <= algorithm.max_depth
        return where(made, changed, tree)

    words = _growing_words(keys, trees)
    nodes, places, requests = jax.vmap(plan)(words[:, 0], trees, root_types)
    new = generate(words[:, 1:], primitives, requests, deepest, algorithm.creation.terminal_probability)
    return jax.vmap(put)(trees, nodes, places, new)


def _depth_left(algorithm: Breeding, deepest: int, tree: Programs, node: Array) -> Array:
    """Return int32[]: how deep what is grown in the place of a node may be, `deepest` at most."""
    if algorithm.max_depth is None:
        return jnp.int32(deepest)
    return jnp.minimum(jnp.int32(deepest), algorithm.max_depth - programs.depths(tree)[node])


def _node(words: Array, primitives: PrimitiveSet, algorithm: Breeding, tree: Programs) -> Array:
    """Return the node, int32[], whose subtree or arguments are replaced, by the first and the last word of three."""
    return choose_node(words[np.array([0, 2])], primitives, algorithm.mutation, tree)


def _effects_left(primitives: PrimitiveSet, tree: Programs, node: Array) -> Array:
    """Return int32[]: the nodes with an effect that the subtree of a node may have."""
    upto = programs.count_effects(primitives, tree)
    first = programs.starts(tree)[node]
    return primitives.effects - upto[-1] + upto[node] - jnp.where(first > 0, upto[first - 1], 0)


def _growing_words(keys: Array, trees: Programs) -> Array:
    """Draw uint32[B, 1 + L, 3]: the first word chooses the node, the rows after the first grow the new tree."""
    return jax.vmap(lambda key: draw.words(key, trees.capacity + 1, 3))(keys)


def _local(keys: Array, primitives: PrimitiveSet, algorithm: Breeding, trees: Programs, root_types: Array) -> Programs:
    """Move the factor of a random node, or the value of a constant, by `draw.nudged`.

    A node that does not return a number has no factor; its subtree is replaced by a random one.
    """
    regrown = _regrow(False, keys, primitives, algorithm, trees, root_types)

    def change(words: Array, tree: Programs, other: Programs) -> Programs:
        node = _node(words, primitives, algorithm, tree)  # that `_regrow` chooses, too
        moved = tree.value.at[node].set(draw.nudged(words[1], tree.value[node]))
        scaled = jnp.asarray(primitives.scaled)[tree.opcode[node].astype(jnp.int32)] & (tree.length > 0)
        return where(scaled, Programs(tree.opcode, moved, tree.size, tree.length), other)

    return jax.vmap(change)(_growing_words(keys, trees)[:, 0], trees, regrown)


def _each(change: Callable[[Array, PrimitiveSet, Programs, Array], Programs]) -> Mutator:
    """Make a kind of a function of one tree: (key, primitives, tree [L], root type int32[]) -> tree [L]."""

    def kind(
        keys: Array, primitives: PrimitiveSet, algorithm: Breeding, trees: Programs, root_types: Array
    ) -> Programs:
        del algorithm
        return jax.vmap(lambda key, tree, root_type: change(key, primitives, tree, root_type))(keys, trees, root_types)

    return kind


def _point(key: Array, primitives: PrimitiveSet, tree: Programs, root_type: Array) -> Programs:
    """Make a random node another primitive that fits its slot and accepts its arguments; redraw a constant."""
    node_word, code_word, value_word = draw.words(key, 3)
    node = draw.below(node_word, tree.length)
    old = tree.opcode[node].astype(jnp.int32)
    arity, arg_type = jnp.asarray(primitives.arity), jnp.asarray(primitives.arg_type)
    fits = jnp.asarray(primitives.fills)[programs.slot_type(primitives, root_type, tree, node)]
    fits &= arity == arity[old]
    drawn = jnp.asarray([p.domain is not None for p in primitives.primitives])
    fits &= drawn | (jnp.arange(fits.shape[0]) != old)
    if primitives.effects:
        acts = jnp.asarray(primitives.acts)
        others = programs.count_effects(primitives, tree)[-1] - acts[old]
        fits &= ~acts | (others < primitives.effects)
    child = node - 1
    for back in range(primitives.max_arity):  # arguments from the last to the first
        position = arity[old] - 1 - back
        have = jnp.asarray(primitives.return_type)[tree.opcode[child].astype(jnp.int32)]
        accepted = jnp.asarray(primitives.accepts)[arg_type[:, position], have]
        fits &= accepted | (position < 0)
        child = jnp.where(position > 0, child - tree.size[child], child)
    code = jnp.where(fits.any(), draw.primitive(code_word, primitives, fits), old)
    value = jnp.where(fits.any(), draw.value(value_word, primitives, code), tree.value[node])
    return Programs(
        opcode=tree.opcode.at[node].set(code.astype(jnp.int16)),
        value=tree.value.at[node].set(value),
        size=tree.size,
        length=tree.length,
    )


def _hoist(key: Array, primitives: PrimitiveSet, tree: Programs, root_type: Array) -> Programs:
    """Replace the whole tree by a random proper subtree that fits the root's slot."""
    fits = jnp.asarray(primitives.fills)[root_type, tree.opcode.astype(jnp.int32)]
    fits &= jnp.arange(tree.capacity) < tree.length - 1
    return where(fits.any(), programs.subtree(tree, draw.uniform(draw.words(key, 1)[0], fits)), tree)


def _shrink(key: Array, primitives: PrimitiveSet, tree: Programs, root_type: Array) -> Programs:
    """Replace the subtree of a random function by a terminal that fits its slot, where there is one."""
    node_word, code_word, value_word = draw.words(key, 3)
    inner = programs.live(tree) & (tree.opcode >= primitives.num_terminals)
    node = draw.uniform(node_word, inner)
    fits = jnp.asarray(primitives.fills)[programs.slot_type(primitives, root_type, tree, node)]
    fits &= jnp.asarray(primitives.arity) == 0
    code = draw.primitive(code_word, primitives, fits)
    leaf = _leaf(tree.capacity, code, draw.value(value_word, primitives, code))
    changed, _ = programs.replace(tree, node, leaf, jnp.int32(0))
    return where(inner.any() & fits.any(), changed, tree)


def _constant(fresh: bool, key: Array, primitives: PrimitiveSet, tree: Programs, root_type: Array) -> Programs:
    """Redraw one constant or parameter if `fresh`, else move it to a close value."""
    del root_type
    node_word, value_word = draw.words(key, 2)
    constant = jnp.asarray([p.has_number for p in primitives.primitives])
    mask = constant[tree.opcode.astype(jnp.int32)] & programs.live(tree)
    node = draw.uniform(node_word, mask)
    opcode, value = tree.opcode[node].astype(jnp.int32), tree.value[node]
    drawn = draw.value(value_word, primitives, opcode) if fresh else draw.near(value_word, primitives, opcode, value)
    value = jnp.where(mask.any(), drawn, value)
    return Programs(tree.opcode, tree.value.at[node].set(value), tree.size, tree.length)


def _rule(primitives: PrimitiveSet, algorithm: Breeding) -> Change:
    """Return the mutation by which two rules of an individual change places."""
    del algorithm
    return lambda keys, individuals, _: jax.vmap(lambda key, one: swap_within(key, primitives, one))(keys, individuals)


def _genes(primitives: PrimitiveSet, algorithm: Breeding) -> Change:
    """Return the mutation that replaces each tree with a probability of its own."""
    return lambda keys, individuals, _: redrawn(keys, primitives, algorithm, individuals)


def _of_tree(kind: Mutator, primitives: PrimitiveSet, algorithm: Breeding) -> Change:
    """Return the mutation of individuals by a kind that changes one tree."""

    def change(keys: Array, individuals: Programs, trees: Array) -> Programs:
        one = jax.vmap(tree_at)(individuals, trees)
        changed = kind(keys, primitives, algorithm, one, jnp.asarray(primitives.root_type)[trees])
        return jax.vmap(with_tree)(individuals, trees, changed)

    return change


SMALLEST, LARGEST = 1e-3, 0.3
"""Deviations of the steps of `numeric`, as shares of the domain."""


def _numeric(primitives: PrimitiveSet, algorithm: Breeding) -> Change:
    """Return the mutation that moves all real numbers of an individual; the logarithm of its steps is uniform."""
    del algorithm

    def one(key: Array, individual: Programs) -> Programs:
        words = draw.words(key, 1 + individual.opcode.size)
        share = SMALLEST * (LARGEST / SMALLEST) ** draw.fraction(words[0])
        opcode, value = individual.opcode.astype(jnp.int32), individual.value
        moved = draw.moved(words[1:].reshape(value.shape), primitives, opcode, value, share)
        value = jnp.where(individual.size > 0, moved, value)
        return Programs(individual.opcode, value, individual.size, individual.length)

    return lambda keys, individuals, _: jax.vmap(one)(keys, individuals)


KINDS: dict[str, Mutator] = {
    "children": partial(_regrow, True),
    "subtree": partial(_regrow, False),
    "point": _each(_point),
    "insert": _insert,
    "hoist": _each(_hoist),
    "shrink": _each(_shrink),
    "constant": _each(partial(_constant, True)),
    "creep": _each(partial(_constant, False)),
    "local": _local,
}
"""The kinds that change one tree."""
WHOLE: dict[str, Callable[[PrimitiveSet, Breeding], Change]] = {"numeric": _numeric, "rule": _rule, "genes": _genes}
"""The kinds that change individuals."""


def _share(population: int, probability: float) -> int:
    """Return how many individuals to mutate at a time: usually enough for all chosen ones, at most all individuals."""
    mean = population * probability
    return max(1, min(population, 2 ** round(mean + 4 * mean**0.5).bit_length()))


def mutate(key: Array, primitives: PrimitiveSet, algorithm: Breeding, population: Programs, chosen: Array) -> Programs:
    """Mutate the chosen individuals, each by a kind drawn by the weights of `algorithm.mutation`.

    Under vmap every individual would pay for every kind. So each kind gathers its own individuals and mutates a fixed
    number at a time until none are left. The result for an individual depends on its own key only.

    Args:
        key: typed key[].
        primitives: the primitive set.
        algorithm: options; only `mutation`, `max_depth` and `creation.terminal_probability` are read.
        population: Programs [P, T, L].
        chosen: bool[P].

    Returns:
        Programs [P, T, L].

    Raises:
        ValueError: local mutation in a set without factors, numeric mutation in one without real numbers, or mutation
            of rules in a set without rules.
    """
    weights = {kind: float(weight) for kind, weight in algorithm.mutation.weights.items()}
    total = sum(weights.values())
    if weights["local"] > 0 and not primitives.factored:
        raise ValueError(f"mutation.local={weights['local']:g}: accepted: 0, for a primitive set without factors")
    if weights["numeric"] > 0 and not primitives.real:
        raise ValueError(f"mutation.numeric={weights['numeric']:g}: accepted: 0, for a set without real numbers")
    if weights["rule"] > 0 and not primitives.rules:
        raise ValueError(f"mutation.rule={weights['rule']:g}: accepted: 0, for individuals without rules")
    size = chosen.shape[0]
    word_key, change_key = jax.random.split(key)
    words = draw.words(word_key, size, 2)
    kinds = [kind for kind, weight in weights.items() if weight > 0]
    bounds = np.cumsum([weights[kind] for kind in kinds[:-1]], dtype=np.float32) / np.float32(total)
    which = (draw.fraction(words[:, 0])[:, None] >= bounds).sum(1)
    trees = draw.below(words[:, 1], primitives.num_trees)
    keys = jax.random.split(change_key, size)
    for number, kind in enumerate(kinds):
        mine = chosen & (which == number)
        step = _share(size, algorithm.mutation.probability * weights[kind] / total)
        change = WHOLE[kind](primitives, algorithm) if kind in WHOLE else _of_tree(KINDS[kind], primitives, algorithm)
        population = _apply(change, step, keys, population, trees, mine)
    return population


def _apply(change: Change, step: int, keys: Array, population: Programs, trees: Array, chosen: Array) -> Programs:
    """Change the chosen individuals (bool[P]), `step` individuals at a time; `trees` (int32[P]): the tree to vary."""
    size = chosen.shape[0]
    # The chosen individuals come first. `size` is a sentinel for nobody; writes to it are dropped. Sorting compiles six
    # times as fast as `jnp.nonzero`.
    first = jnp.sort(jnp.where(chosen, jnp.arange(size, dtype=jnp.int32), size))
    order = jnp.pad(first, (0, step), constant_values=size)

    def advance(state: tuple[Array, Programs]) -> tuple[Array, Programs]:
        start, population = state
        target = jax.lax.dynamic_slice(order, (start,), (step,))
        source = jnp.minimum(target, size - 1)
        individuals = jax.tree.map(lambda field: field[source], population)
        # Lanes beyond the last chosen individual get empty trees, in which nothing can grow.
        nobody = programs.empty(individuals.length.shape, individuals.capacity)
        individuals = change(keys[source], where(target < size, individuals, nobody), trees[source])
        return start + step, jax.tree.map(
            lambda field, new: field.at[target].set(new, mode="drop"), population, individuals
        )

    return jax.lax.while_loop(lambda state: state[0] < chosen.sum(), advance, (jnp.int32(0), population))[1]
