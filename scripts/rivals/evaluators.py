"""Programs as evaluators under alpha-beta: those of Othello and of checkers, in C++ and in the lanes of plain XLA."""

import functools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp.contracts import ListsMoves, States
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from rivals.random_play import positions
from rivals.timing import Bench, Case, Job, compile_function, measure, plain_lanes, report_lanes

GAMES = {"othello": {"features": "position_corners"}, "checkers": {}}
"""What programs see, by game."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Random programs of the typed sets, for each game and depth."""
    for game in GAMES:
        for plies in bench.options.plies:
            yield 1.0, functools.partial(searches, bench, game, plies)


def searches(bench: Bench, name: str, plies: int, until: float) -> None:
    """Time searches of equally many positions for each program.

    Timed beside them are the lanes of plain XLA, and one device where several cores share the searches.
    """
    options, spec = bench.options, envs.spec(name)
    game, role = spec.make(), spec.role("leaf")
    language, player = role.make(game, role.options(depth=plies, **GAMES[name]))
    creation = CreationOptions(method="ramped", min_depth=3, max_depth=6)
    programs = create(jax.random.key(options.seed), language, creation, options.players, 256)
    plans = jax.jit(player.prepare)(programs)
    number = options.players * options.roots_each
    states = positions(game, options.seed, number)
    whose = jnp.repeat(jnp.arange(options.players, dtype=jnp.int32), options.roots_each)
    args = states, jnp.full(number, plies, jnp.int32), jnp.int32(number), plans, whose
    batched: AlphaBeta = player.search()
    search = functools.partial(cores.search, batched)
    run, seconds = compile_function(search, *args)
    result = run(*args)
    nodes, unit = int(result.nodes.sum()), "searches/s"
    sizes = {"game": name, "plies": plies, "programs": options.players, "positions of each": options.roots_each}
    sizes |= {"lanes": batched.lanes, "cores": options.cores}
    cases = {"searches": Case(lambda: run(*args), number)} | plain_lanes(bench, search, args, result, number)
    if options.cores > 1:
        unshared, _ = compile_function(batched.search, *args)
        np.testing.assert_array_equal(unshared(*args).values, result.values)
        cases["one device"] = Case(lambda: unshared(*args), number)
    times = measure(cases, options.repeats, until)
    ours, leaves = times["searches"], _leaves(game, states, result.nodes)
    more = {"nodes_per_second": round(nodes / ours.median), "leaves_per_second": round(leaves / ours.median)}
    bench.report.ours("evaluators", "searches", unit, ours, sizes, seconds, **more)
    report_lanes(bench, "evaluators", "searches", unit, sizes, times)
    if options.cores > 1:
        about = {"who": "one device", "ours": ours, "against": "searches"}
        bench.report.rival("evaluators", "searches", unit, times["one device"], sizes, **about)


def _leaves(game: ListsMoves, states: States, nodes: jax.Array) -> int:
    """Estimate how many leaves the searches valued: nodes times the mean number of moves in the roots."""
    return round(float(jax.vmap(game.choices)(states).mean()) * int(nodes.sum()))
