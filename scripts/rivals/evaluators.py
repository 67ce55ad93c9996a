"""Programs as evaluators under alpha-beta: all side by side, each alone, and one search at a time."""

import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.othello import primitives
from jaxgp.experiment import assemble, schema
from jaxgp.operators.creation import create
from jaxgp.players.searched import SearchedPlayer
from jaxgp.search.alphabeta import AlphaBeta
from rivals.random_play import positions
from rivals.timing import Case, compiled, measure

SINGLE = 20
"""Positions that a single lane searches."""


def jobs(bench: Any) -> Iterator[tuple[float, Any]]:
    """Reversi with random programs of the typed set, for each depth."""
    for plies in bench.options.plies:
        yield 1.0, functools.partial(searches, bench, plies)


def searches(bench: Any, plies: int, until: float) -> None:
    """Search positions, as many for each program: rows of lanes for all programs, and a single lane for one position
    after the other, whose moves are compared.
    """
    options = bench.options
    game = envs.make("othello")
    settings = primitives.Settings(features="position_corners", depth=plies)
    language, player = assemble.playing(game, primitives, settings)
    assert isinstance(player, SearchedPlayer)
    creation = schema.Creation(method="ramped", min_depth=3, max_depth=6)
    programs = create(jax.random.key(options.seed), language, creation, options.players, 256)
    plans = jax.jit(player.prepare)(programs)
    rows = options.players, options.roots_each
    states = jax.tree.map(lambda x: x.reshape(*rows, *x.shape[1:]), positions(game, options.seed, rows[0] * rows[1]))
    depth, count = jnp.full(rows, plies, jnp.int32), jnp.full(rows[0], rows[1], jnp.int32)
    batched = player.search(rows[0])
    run, seconds = compiled(batched.search_rows, plans, states, depth, count)
    result = run(plans, states, depth, count)
    nodes, unit = int(result.nodes.sum()), "searches/s"
    sizes = {"plies": plies, "programs": rows[0], "positions of each": rows[1], "lanes of each": batched.lanes}
    cases = {"rows of lanes": Case(lambda: run(plans, states, depth, count), rows[0] * rows[1])}
    leaves = _leaves(game, states, result.nodes)
    if options.rivals:
        alone = AlphaBeta(game, None, plies, player.tail, lanes=1, judge=player.judge)
        single, _ = compiled(functools.partial(_one_by_one, alone, plies), plans, states)
        moves = np.asarray(single(plans, states))
        np.testing.assert_array_equal(moves, np.asarray(result.values.argmax(-1)).ravel()[: len(moves)])
        cases["single lane"] = Case(lambda: single(plans, states), len(moves))
    times = measure(cases, options.repeats, until)
    ours = times["rows of lanes"]
    more = {"nodes_per_second": round(nodes / ours.median), "leaves_per_second": round(leaves / ours.median)}
    bench.report.ours("evaluators", "rows of lanes", unit, ours, sizes, seconds, **more)
    if options.rivals:
        about = {"who": "single lane", "ours": ours, "against": "rows of lanes"}
        bench.report.rival("evaluators", "single lane", unit, times["single lane"], {"plies": plies}, **about)


def _one_by_one(search: AlphaBeta, plies: int, plans: Any, states: Any) -> Array:
    """Return int32[SINGLE]: moves in the first positions, one search after the other."""
    each = states.to_move.shape[1]

    def one(at: Array) -> Array:
        row, place = at // each, at % each
        root = jax.tree.map(lambda x: x[row, place][None, None], states)
        judge = jax.tree.map(lambda x: x[row][None], plans)
        found = search.search_rows(judge, root, jnp.full((1, 1), plies, jnp.int32), jnp.ones(1, jnp.int32))
        return found.values[0, 0].argmax()

    return jax.lax.map(one, jnp.arange(min(SINGLE, states.to_move.size)))


def _leaves(game: Any, states: Any, nodes: Array) -> int:
    """Return about how many leaves the searches valued: every node's moves, as many as the roots have on average."""
    return round(float(jax.vmap(jax.vmap(game.choices))(states).mean()) * int(nodes.sum()))
