"""What players of games for one say of a position: policies of puzzles, guides of nested searches, walks."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.anatomy.reasons.masks import Ruled
from jaxgp.genotypes.text import print_trees
from jaxgp.players.alone.guided import GuidedSoloist
from jaxgp.players.solver import ProgramSolver, conditions_of
from jaxgp.search.chance import unused_key
from jaxgp.search.puzzles.children import Child

MOST_NODES = 20_000
"""Nodes at which a search gives up that is asked how many it needs."""


def estimates(actor: ProgramSolver, genome: Any, state: Any) -> tuple[list[int], np.ndarray, np.ndarray | None, Child]:
    """Return the legal moves, what a program values each at, which rule fires for each, and what they lead to.

    The search goes first where the value is lowest. Rules are None where the program has none; the number of rules
    stands for the default.
    """
    count = int(np.asarray(actor.game.choices(state)))
    actions, values, rules, nodes = jax.device_get(_looking(actor)(genome, state))
    return actions[:count].tolist(), values[:count], rules[:count] if actor.primitives.rules else None, nodes


@lru_cache(maxsize=8)
def _looking(actor: ProgramSolver) -> Callable[[Any, Any], tuple[Array, Array, Array, Child]]:
    game = actor.game

    def look(genome: Any, state: Any) -> tuple[Array, Array, Array, Child]:
        places = jnp.arange(game.most_choices, dtype=jnp.int32)
        count = game.choices(state)
        actions = jax.vmap(lambda place: game.choice(state, jnp.minimum(place, count - 1)))(places)
        after = jax.vmap(lambda action: game.step(state, action, unused_key()))(actions)
        before = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(places), *jnp.shape(x))), state)
        nodes = Child(after, before, actions, jnp.ones_like(places), jnp.broadcast_to(count, places.shape))
        plans = actor.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
        values = actor.valued.values(plans, jnp.zeros_like(places), nodes, jnp.int32(len(places)))
        own = jax.tree.map(jnp.asarray, genome)
        fires = actor.fired(own, nodes) if actor.primitives.rules else jnp.zeros_like(places)
        return actions, values, fires, nodes

    return jax.jit(look)


def nodes_needed(actor: ProgramSolver, genome: Any, state: Any) -> list[tuple[str, int, int, bool]]:
    """Return for the search of a program, and for the one that it is compared with: name, nodes, moves, solved."""
    own, other = jax.device_get(_searching(actor)(genome, state))
    return [
        (name, int(one.nodes[0]), int(one.length[0]), bool(one.solved[0]))
        for name, one in (("the program", own), (actor.reference, other))
    ]


@lru_cache(maxsize=8)
def _searching(actor: ProgramSolver) -> Callable[[Any, Any], tuple[Any, Any]]:
    def search(genome: Any, state: Any) -> tuple[Any, Any]:
        states = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        limits = jnp.full(1, min(actor.limit, MOST_NODES), jnp.int32)
        plans = actor.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
        return actor.solve(plans, jnp.zeros(1, jnp.int32), states, limits), actor.baseline(states, limits)

    return jax.jit(search)


def told(searches: Sequence[tuple[str, int, int, bool]]) -> str:
    """Say how many nodes searches need."""
    said = [
        f"{name} finds a solution of {length} moves after {nodes:,} nodes"
        if solved
        else f"{name} finds none within {nodes:,} nodes"
        for name, nodes, length, solved in searches
    ]
    return f"From here {said[0]}; {said[1]}."


def policy(actor: ProgramSolver, genome: Any, fires: np.ndarray, best: int) -> list[Ruled]:
    """Return the rules of a policy: IF its condition holds THEN its value orders a move; the one of a move fires."""
    trees, rules = print_trees(actor.primitives, genome), actor.primitives.rules
    listed = [f"IF {trees[rule[0]]} THEN {actor.valued.told([trees[t] for t in rule[1:]])}" for rule in rules]
    last = 1 + max(tree for rule in rules for tree in rule)
    listed.append(f"OTHERWISE {actor.valued.told(trees[last:])}")
    first = int(fires[best])
    assert len(conditions_of(actor.primitives)) == len(rules)
    return [
        (text, number == first, f"fires for {(fires == number).sum()} of {len(fires)} moves")
        for number, text in enumerate(listed)
    ]


def biases(actor: GuidedSoloist, genome: Any, actions: Sequence[int]) -> list[tuple[int, float]]:
    """Return the legal moves after some moves, each with the bias that a guide gives it, the greatest first."""
    start, step, look = _guiding(actor)
    node = start()
    for action in actions:
        node = step(node, jnp.int32(action))
    options, found = map(np.asarray, look(genome, node))
    legal = np.flatnonzero(options < actor.nested.game.num_actions)
    return sorted(((int(options[n]), float(found[n])) for n in legal), key=lambda one: -one[1])


@lru_cache(maxsize=8)
def _guiding(actor: GuidedSoloist) -> tuple[Callable[..., Any], ...]:
    game, kinds = actor.nested.game, actor.nested.kinds
    assert kinds is not None, "a guide has kinds"

    def look(genome: Any, node: Any) -> tuple[Array, Array]:
        own = actor.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))[0]
        return game.options(node), own[kinds(node)]

    return game.init, jax.jit(game.step), jax.jit(look)
