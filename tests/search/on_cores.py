"""Prints as JSON how many devices there are, and what searches find on them: `python -m tests.search.on_cores NUMBER`.

With `devices` it prints the devices only, with `puzzles` what a search of puzzles finds, with `checkers` what a search
by random evaluations finds, and whether it runs in C++.
"""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp.players.searches import searches
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.chance import unused_key
from jaxgp.search.native.games import ALPHABETA
from jaxgp.search.puzzles.deepening import Deepening
from tests.search.cases import GAME, PLAIN, lead
from tests.search.puzzles import Lamps, instances, states

QUEUE, COUNT = 10, 8
POSITIONS = [position for position in PLAIN.met(60) if PLAIN.moves(position)][:QUEUE]
DEPTHS = (1, 2, 3, 3, 2, 1, 3, 2, 1, 3)
PRICES = ((1.0, 0.25), (-2.0, 0.5))
"""By context: of a coin, and of being at move."""


def weighed(contexts, whose, states, needed):
    price = contexts[whose]
    return price[:, 0] * jax.vmap(lead)(states) + price[:, 1]


def searched():
    """Search positions of two contexts, one place of the queue after the other and not all of them."""
    states, contexts, depth = PLAIN.states(POSITIONS), jnp.asarray(PRICES, jnp.float32), jnp.asarray(DEPTHS, jnp.int32)
    search = AlphaBeta(GAME, None, 3, tail=1, lanes=6, narrow=6, leaf_evaluator=weighed, ties="all")
    whose = jnp.arange(QUEUE, dtype=jnp.int32) % 2
    run = jax.jit(lambda *args: cores.search(search, *args))
    found = [run(states, depth, jnp.int32(count), contexts, whose) for count in (COUNT, 1, 0)]
    return [[np.where(np.isinf(f.values), None, f.values).tolist(), f.nodes.tolist()] for f in found]


def solved():
    """Solve puzzles, one after the other and not all of them."""
    lit, wires = instances(QUEUE, 0)
    search = Deepening(Lamps(), first=2, grow=2, deepest=8, table=16, lanes=6, narrow=6)
    run = jax.jit(lambda *args: cores.search(search, *args))
    found = run(states(lit, wires), jnp.full(QUEUE, 500), jnp.int32(COUNT))
    return [field.tolist() for field in (found.solved, found.nodes, found.length, found.moves, found.exhausted)]


def drawn():
    """Search the opening of lose checkers for several draws of the evaluator; say first whether C++ does it."""
    spec, game = envs.spec("checkers"), envs.make("checkers", lose=True)
    search = searches(spec, game, "noise", 3, "random", 1, 6)[0]
    opening = jax.tree.map(lambda x: jnp.broadcast_to(x, (QUEUE, *jnp.shape(x))), game.init(unused_key()))
    draws, whose = jax.random.bits(jax.random.key(0), (QUEUE,)), jnp.arange(QUEUE, dtype=jnp.int32)
    given = opening, jnp.full(QUEUE, 3, jnp.int32), jnp.int32(COUNT), draws, whose
    run = jax.jit(lambda *args: cores.search(search, *args)).lower(*given)
    found = run.compile()(*given)
    return [ALPHABETA in run.as_text(), np.where(np.isinf(found.values), None, found.values).tolist()]


if __name__ == "__main__":
    cores.use(int(sys.argv[1]))
    placed = cores.everywhere(jnp.zeros(3))
    kinds = {"games": searched, "puzzles": solved, "checkers": drawn}
    kind = sys.argv[2] if sys.argv[2:] else "games"
    found = {} if kind == "devices" else {"found": kinds[kind]()}
    print(json.dumps({"devices": len(placed.sharding.device_set)} | found))
