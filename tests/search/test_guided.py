"""Trees that guide a complete search: whatever they say, what is won is proved, on take the last stone in n."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from envs.chess.language import functions as generic
from jaxgp.genotypes.primitives import Levels, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.problems.prover import GuideProver
from tests.search.test_programs import GAME, Rules, problems, view

TREES = PrimitiveSet(
    "guides",
    (
        Primitive("Total", feature=0),
        Primitive("IsEven", "query", feature=1),
        Primitive("Largest", feature=2),
        Primitive("ERC", domain=Levels((-1000.0, 2.0, 1000.0))),
    ),
    generic(),
    roots=("float", "float"),
    type_sets=tuple((kind, ("query",)) for kind in ("float", "bool")),
)
CAPACITY = 15
PROVER = GuideProver(TREES, GAME, view, GAME.deepest, entries=64, lanes=64)


@cache
def wins(board, left):
    """Return the first moves with which the solver wins within so many moves of its own, the last of them forcing."""
    rules, found = Rules(), []
    for move in rules.moves(board) if left else ():
        if left == 1 and not rules.forcing(board, move):
            continue
        after = rules.make(board, move)
        replies = rules.moves(after)
        if rules.won(after) or (replies and all(wins(rules.make(after, one), left - 1) for one in replies)):
            found.append(move)
    return tuple(found)


def test_whatever_trees_say_a_guided_search_proves_what_is_won_and_refutes_the_rest():
    random = create(jax.random.key(3), TREES, CreationOptions(max_depth=3), 30, CAPACITY)
    hand = [parse_program(TREES, f"(PROGRAM {text})", CAPACITY) for text in ("2 2", "Total 2", "2 Largest")]
    programs = jax.tree.map(lambda a, *b: jnp.concatenate([a, jnp.stack(b)]), random, *hand)
    posed, count = problems(), len(programs.length)
    at = np.arange(len(posed) * count) % len(posed)
    whose = jnp.asarray(np.arange(len(at)) // len(posed))
    states = jax.vmap(GAME.position)(jnp.asarray([posed[n][0] for n in at]), jnp.asarray([posed[n][1] for n in at]))
    run = jax.jit(lambda programs, *args: PROVER.prove(PROVER.prepare(programs), *args))
    found = jax.device_get(run(programs, whose, states, jnp.full(len(at), 100_000)))
    keys = [wins((heaps, True), left) for heaps, left in posed]
    for n, place in enumerate(at):
        assert found.solved[n] == bool(keys[place]), posed[place]
        assert not found.truncated[n]
        assert found.chosen[n] in keys[place] if keys[place] else found.chosen[n] == -1
    nodes = found.nodes.reshape(count, len(posed)).sum(1)
    assert len(set(nodes.tolist())) > 5
