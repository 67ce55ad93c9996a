"""Programs as evaluators under alpha-beta: all side by side, each alone, and one search at a time."""

import functools
from collections.abc import Iterator
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.othello import leaves as seen
from envs.othello import roles
from jaxgp.contracts import ListsMoves, States
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.searched import LANES
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.lookahead import Contexts
from rivals.random_play import positions
from rivals.timing import Bench, Case, Job, compile_function, measure

SINGLE = 20
"""Positions that a single lane searches."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Reversi with random programs of the typed set, for each depth."""
    for plies in bench.options.plies:
        yield 1.0, functools.partial(searches, bench, plies)


def searches(bench: Bench, plies: int, until: float) -> None:
    """Time searches of equally many positions for each program, with lanes that all programs share. Others are timed
    beside it: one device, where several cores share the searches; as many lanes as other devices than a CPU have; and a
    single lane that takes one position after the other. The results are compared.
    """
    options = bench.options
    game = envs.make("othello")
    language, player = roles.leaf(game, seen.Options(features="position_corners", depth=plies))
    creation = CreationOptions(method="ramped", min_depth=3, max_depth=6)
    programs = create(jax.random.key(options.seed), language, creation, options.players, 256)
    plans = jax.jit(player.prepare)(programs)
    number = options.players * options.roots_each
    states = positions(game, options.seed, number)
    whose = jnp.repeat(jnp.arange(options.players, dtype=jnp.int32), options.roots_each)
    args = states, jnp.full(number, plies, jnp.int32), jnp.int32(number), plans, whose
    batched = player.search()
    run, seconds = compile_function(functools.partial(cores.search, batched), *args)
    result = run(*args)
    nodes, unit = int(result.nodes.sum()), "searches/s"
    sizes = {"plies": plies, "programs": options.players, "positions of each": options.roots_each}
    sizes |= {"lanes": batched.lanes, "cores": options.cores}
    cases = {"lanes": Case(lambda: run(*args), number)}
    leaves = _leaves(game, states, result.nodes)
    if options.cores > 1:
        unshared, _ = compile_function(batched.search, *args)
        np.testing.assert_array_equal(unshared(*args).values, result.values)
        cases["one device"] = Case(lambda: unshared(*args), number)
    if batched.lanes != LANES:
        wide, _ = compile_function(functools.partial(cores.search, replace(player, lanes=LANES).search()), *args)
        np.testing.assert_array_equal(wide(*args).values, result.values)
        cases[f"{LANES} lanes"] = Case(lambda: wide(*args), number)
    if options.rivals:
        alone = AlphaBeta(game, None, plies, player.tail, lanes=1, leaf_evaluator=player.evaluate_leaves)
        single, _ = compile_function(functools.partial(_one_by_one, alone, plies), plans, whose, states)
        moves = np.asarray(single(plans, whose, states))
        np.testing.assert_array_equal(moves, np.asarray(result.values.argmax(-1))[: len(moves)])
        cases["single lane"] = Case(lambda: single(plans, whose, states), len(moves))
    times = measure(cases, options.repeats, until)
    ours = times["lanes"]
    more = {"nodes_per_second": round(nodes / ours.median), "leaves_per_second": round(leaves / ours.median)}
    bench.report.ours("evaluators", "lanes", unit, ours, sizes, seconds, **more)
    for who in list(cases)[1:]:
        about = {"who": who, "ours": ours, "against": "lanes"}
        bench.report.rival("evaluators", who, unit, times[who], {"plies": plies}, **about)


def _one_by_one(search: AlphaBeta, plies: int, plans: Contexts, whose: Array, states: States) -> Array:
    """Return int32[SINGLE]: moves in the first positions, one search after the other."""

    def one(at: Array) -> Array:
        root = jax.tree.map(lambda x: x[at][None], states)
        found = search.search(root, jnp.full(1, plies, jnp.int32), jnp.int32(1), plans, whose[at][None])
        return found.values[0].argmax()

    return jax.lax.map(one, jnp.arange(min(SINGLE, len(whose))))


def _leaves(game: ListsMoves, states: States, nodes: Array) -> int:
    """Estimate how many leaves the searches valued: nodes times the mean number of moves in the roots."""
    return round(float(jax.vmap(game.choices)(states).mean()) * int(nodes.sum()))
