"""Checkers: random moves beside OpenSpiel and Pgx, searches beside a single lane in plain Python;
programs with and without what explicit introns hold.
"""

import functools
from collections.abc import Iterator
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs import stgp
from envs.checkers import leaves
from envs.checkers.rules import Checkers
from jaxgp.bits import has
from jaxgp.contracts import States
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.searches import searches
from rivals import othello
from rivals.plain import checkers as plain
from rivals.random_play import openings, openspiel_moves, positions, random_moves
from rivals.timing import Bench, Case, Job, compare, compile_function, measure, plain_lanes, report_lanes

NAME = "random legal moves"
PGX = "othello"
"""Pgx has no checkers; of its games on 8 x 8 squares this one is the fastest."""
DEPTHS = 4, 8
"""Depth of the programs with explicit introns, ramped half-and-half."""
CAPACITY = 256
"""Nodes that such a program can hold."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Random moves for each number of games side by side, searches for each depth, programs with introns."""
    for batch in bench.options.batch:
        yield 1.0, functools.partial(play_random, bench, batch)
    for depth in bench.options.depth:
        yield 1.0 if depth < 6 else 3.0, functools.partial(search_random, bench, depth)
    yield 1.0, functools.partial(time_skipping, bench)


def play_random(bench: Bench, batch: int, until: float) -> None:
    """Draw a legal move for each game and play it; a game that has ended starts again."""
    game, seed, options = envs.make("checkers"), bench.options.seed, bench.options
    moves = min(1024, max(64, 2**18 // batch))
    opening, key = openings(game, batch), jax.random.key(seed)

    def choose(state: States, bits: Array) -> Array:
        return game.choice(state, (bits >> 1).astype(jnp.int32))

    run, seconds = compile_function(functools.partial(random_moves, game, moves=moves, choose=choose), opening, key)
    sizes, unit = {"batch": batch, "moves": moves}, "moves/s"

    def pgx() -> dict[str, Case]:
        step, states = othello.pgx_game(batch, PGX)
        play, _ = compile_function(functools.partial(othello.pgx_moves, step, moves=moves), states, key)
        return {f"pgx {PGX}": Case(lambda: play(states, key), batch * moves)}

    def openspiel() -> dict[str, Case]:
        return {"open_spiel": Case(openspiel_moves(seed, 20_000, "checkers"), 20_000)}

    theirs: dict[str, Case] = {}
    for who, cases in {"pgx": pgx, "open_spiel": openspiel}.items():
        theirs |= compare(bench, who, "checkers", NAME, unit, sizes, cases)
    times = measure({NAME: Case(lambda: run(opening, key), batch * moves), **theirs}, options.repeats, until)
    bench.report.ours("checkers", NAME, unit, times[NAME], sizes, seconds)
    for who, case in theirs.items():
        own = {"batch": 1, "moves": case.work} if who == "open_spiel" else sizes
        more = {"who": who, "ours": times[NAME], "against": f"{NAME}, batch={batch}"}
        bench.report.rival("checkers", NAME, unit, times[who], own, **more)


def search_random(bench: Bench, depth: int, until: float) -> None:
    """Search positions of random games by material, with many lanes and one after the other in plain Python."""
    options, game = bench.options, envs.make("checkers")
    roots, lanes = options.roots[0], options.lanes[0]
    states = positions(game, options.seed, roots)
    arguments = (states, jnp.full(roots, depth, jnp.int32), jnp.int32(roots))
    free = searches(envs.spec("checkers"), game, "material", depth, "first", options.tail, lanes)[0]
    run, seconds = compile_function(free.search, *arguments)
    result = run(*arguments)
    values = np.asarray(result.values).max(1)
    sample = np.unique(np.linspace(0, roots - 1, options.rival_roots).astype(int))
    given = as_plain(game, states, sample)

    def alone() -> int:
        search = plain.AlphaBeta()
        found = [search.value(position, depth) / plain.MAN for position in given]
        assert found == values[sample].tolist(), "values differ"
        return search.nodes

    name, unit, rival = "search", "searches/s", "plain Python"
    cases = {name: Case(functools.partial(run, *arguments), roots)}
    cases |= plain_lanes(bench, free.search, arguments, result, roots)
    if options.rivals:
        cases[rival] = Case(alone, len(sample), warm=False)
    times = measure(cases, options.repeats, until)
    sizes = {"depth": depth, "roots": roots, "lanes": min(lanes, roots), "tail": free.tail}
    nodes = {"nodes": int(result.nodes.sum())}
    bench.report.ours("checkers", name, unit, times[name], sizes, seconds, **nodes)
    report_lanes(bench, "checkers", name, unit, sizes, times)
    if options.rivals:
        sizes, more = {"depth": depth, "roots": len(sample)}, {"nodes": alone(), "ours": times[name], "against": name}
        bench.report.rival("checkers", "alpha-beta", unit, times[rival], sizes, who=rival, **more)


def as_plain(game: Checkers, states: States, chosen: np.ndarray) -> list[plain.Position]:
    """Return some of the positions as plain Python has them."""
    few = jax.tree.map(lambda x: x[chosen], states)
    sets = (few.own, few.other, few.kings, few.held)
    marked = [np.asarray(jax.vmap(lambda bits: has(bits, np.arange(game.area)))(one)) for one in sets]
    bits = [plain.bit(*divmod(square, game.width)) for square in range(game.area)]
    own, other, kings, held = ([sum(np.array(bits, object)[row].tolist()) for row in one] for one in marked)
    rest = zip(own, other, kings, held, few.to_move.tolist(), few.quiet.tolist(), strict=True)
    return [plain.Position(*one, lead(*one[:3])) for one in rest]


def lead(own: int, other: int, kings: int) -> int:
    """Return by how many half men the side to move leads."""
    men, crowns = plain.MAN, plain.KING - plain.MAN
    return sum(
        sign * (men * side.bit_count() + crowns * (side & kings).bit_count()) for sign, side in ((1, own), (-1, other))
    )


def time_skipping(bench: Bench, until: float) -> None:
    """Time random programs with explicit introns, with and without computing what stands below NullJ and NOTG.

    The values at positions of lose checkers are equal.
    """
    options = bench.options
    game, seen = envs.make("checkers", lose=True), leaves.Options()
    language = leaves.primitive_set(game, seen)
    # The same functions without the promise that some of their arguments have no influence.
    computed = [replace(one, ignores=0, picks=0) if one.name in stgp.INTRONS else one for one in language.functions]
    creation = CreationOptions(method="ramped", min_depth=DEPTHS[0], max_depth=DEPTHS[1])
    programs = create(jax.random.key(options.seed), language, creation, options.programs, CAPACITY)
    programs = jax.tree.map(lambda x: x[:, 0], programs)
    states = positions(game, options.seed, options.cases)
    features = jax.jit(jax.vmap(lambda state: leaves.view(game, seen, state), out_axes=1))(states)
    cases, steps, values = {}, {}, []
    for name, known in {"skipped": language, "computed": replace(language, functions=tuple(computed))}.items():
        plans = jax.jit(functools.partial(plan, known))(programs)
        run, seconds = compile_function(functools.partial(evaluate, known), plans, features)
        cases[name] = Case(functools.partial(run, plans, features), options.programs * options.cases)
        steps[name] = {"steps": round(float(np.mean(plans.steps)), 2), "compile_seconds": seconds}
        values.append(np.asarray(run(plans, features)))
    np.testing.assert_array_equal(*values)
    times, unit = measure(cases, options.repeats, until), "evaluations/s"
    sizes = {"programs": options.programs, "positions": options.cases, "nodes": round(float(np.mean(programs.length)))}
    for name in cases:
        seconds = steps[name].pop("compile_seconds")
        bench.report.ours("introns", name, unit, times[name], sizes, seconds, **steps[name])
