"""What the parts of the benchmark on Kalah measure: interpreter, random moves, searches, whole generations."""

import functools
import itertools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp.config import schema
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.state import EvolutionState
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate, evaluate_programs
from jaxgp.interpreter.native.run import SOURCE, why_not
from jaxgp.interpreter.plan import plan
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.native.build import library
from jaxgp.operators.options import CreationOptions
from jaxgp.players.searches import searches
from jaxgp.run import assemble
from jaxgp.seats.options import opponent
from rivals import trees
from rivals.plain import kalah
from rivals.random_play import openings, openspiel_moves, positions, random_moves
from rivals.timing import (
    PLAIN,
    Bench,
    Case,
    Job,
    compare,
    compile_function,
    in_plain_xla,
    measure,
    plain_lanes,
    report_lanes,
)

if TYPE_CHECKING:
    from bench import Options

# Interpreter


def interpreter(bench: Bench) -> Iterator[Job]:
    for primitives in (bench.cast.language, trees.ARITHMETIC):
        for nodes in bench.options.nodes:
            yield 1.0, functools.partial(interpret, bench, primitives, nodes, False)
            yield 0.3, functools.partial(interpret, bench, primitives, nodes, True)


def interpret(bench: Bench, primitives: PrimitiveSet, nodes: int, in_games: bool, until: float) -> None:
    """Time programs on cases that all share or, as in games, on two positions of each program's own."""
    options, count = bench.options, 2 if in_games else bench.options.cases
    programs = trees.random_programs(options.seed, primitives, options.programs, nodes)
    if primitives is trees.ARITHMETIC:
        table = np.random.default_rng(options.seed).uniform(-1, 1, (count, 8)).astype(np.float32)
    else:
        table = np.asarray(positions(bench.cast.game, options.seed, count).board).astype(np.float32)
    features = jnp.asarray(table.T)
    if in_games:
        features = jnp.tile(features, (options.programs, 1, 1))
    plans = jax.jit(functools.partial(plan, primitives))(programs)
    alone, alone_compile = compile_function(functools.partial(evaluate, primitives), plans, features)
    work, values = int(programs.length.sum()) * count, np.asarray(alone(plans, features))
    sizes = {"set": primitives.name, "programs": options.programs, "cases": count, "nodes": int(programs.length.mean())}
    unit, evaluation, both = "node evaluations/s", "evaluation", "planning and evaluation"
    ours, seconds = {evaluation: Case(lambda: alone(plans, features), work)}, {evaluation: alone_compile}
    if not in_games:  # games plan once and evaluate move after move
        whole, seconds[both] = compile_function(functools.partial(evaluate_programs, primitives), programs, features)
        ours[both] = Case(lambda: whole(programs, features), work)

    def deap() -> dict[str, Case]:
        from rivals import deap_cases

        return deap_cases.calls(primitives, programs, table, values)

    theirs = compare(bench, "deap", "interpreter", evaluation, unit, sizes, deap)
    pairs = dict(zip(theirs, ours, strict=False))
    plainly: dict[str, Case] = {}
    if not why_not(primitives, features):
        plainly = in_plain_xla(functools.partial(evaluate, primitives), (plans, features), work)
        np.testing.assert_array_equal(plainly[PLAIN].run(), values)
    times = measure({**ours, **plainly, **{name: theirs[name] for name in pairs}}, options.repeats, until)
    for name in ours:
        limit = "interpreter in games" if in_games else "interpreter"
        bench.report.ours("interpreter", name, unit, times[name], sizes, seconds[name], limit)
    for name, against in pairs.items():
        more = {"who": "deap", "ours": times[against], "against": against}
        bench.report.rival("interpreter", name, unit, times[name], sizes, **more)
    for name in plainly:
        more = {"who": name, "ours": times[evaluation], "against": evaluation}
        bench.report.rival("interpreter", name, unit, times[name], sizes, **more)


# Games


def env(bench: Bench) -> Iterator[Job]:
    for batch in bench.options.batch:
        yield 0.5, functools.partial(step, bench, batch)


def step(bench: Bench, batch: int, until: float) -> None:
    """Play random moves in many games."""
    game, options = bench.cast.game, bench.options
    moves = min(1024, max(64, 2**20 // batch))
    states, key = openings(game, batch), jax.random.key(options.seed)
    run, seconds = compile_function(functools.partial(random_moves, game, moves=moves), states, key)
    sizes, unit, name = {"batch": batch, "moves": moves}, "moves/s", "random legal moves"

    def cases() -> dict[str, Case]:
        return {"OpenSpiel": Case(openspiel_moves(options.seed, 20_000), 20_000)}

    theirs = compare(bench, "open_spiel", "env", name, unit, sizes, cases)
    times = measure({name: Case(lambda: run(states, key), batch * moves), **theirs}, options.repeats, until)
    bench.report.ours("env", name, unit, times[name], sizes, seconds)
    for rival in theirs:
        more = {"who": "open_spiel", "ours": times[name], "against": f"{name}, batch={batch}"}
        bench.report.rival("env", name, unit, times[rival], {"batch": 1, "moves": 20_000}, **more)


# Search


def search(bench: Bench) -> Iterator[Job]:
    options = bench.options
    for depth, roots, lanes in itertools.product(options.depth, options.roots, options.lanes):
        yield 1.0 if depth < 6 else 3.0, functools.partial(search_roots, bench, depth, roots, lanes)


def search_roots(bench: Bench, depth: int, roots: int, lanes: int, until: float) -> None:
    """Search positions here and in plain Python."""
    options = bench.options
    states = positions(bench.cast.game, options.seed, roots)
    arguments = (states, jnp.full(roots, depth, jnp.int32), jnp.int32(roots))
    free = searches(bench.cast.spec, bench.cast.game, "material", depth, "first", options.tail, lanes)[0]
    sizes, unit = {"depth": depth, "roots": roots, "lanes": min(lanes, roots), "tail": free.tail}, "searches/s"
    name = "search"
    run, seconds = compile_function(free.search, *arguments)
    result = run(*arguments)
    cases = {name: Case(functools.partial(run, *arguments), roots)}
    cases |= plain_lanes(bench, free.search, arguments, result, roots)
    values, nodes = np.asarray(result.values), int(result.nodes.sum())
    sample = np.unique(np.linspace(0, roots - 1, options.rival_roots).astype(int))
    boards = np.asarray(states.board)[sample].tolist()

    def plain() -> int:
        searcher = kalah.AlphaBeta()
        found = [searcher.best_move(board, depth) for board in boards]
        assert found == [(int(values[i].argmax()), int(values[i].max())) for i in sample], "values differ"
        return searcher.nodes

    if options.rivals:
        cases["plain Python"] = Case(plain, len(sample), warm=False)
    times = measure(cases, options.repeats, until)
    more: dict[str, Any] = {"compile_seconds": seconds, "nodes": nodes}
    more["nodes_per_second"] = round(nodes / times[name].median)
    bench.report.ours("search", name, unit, times[name], sizes, **more)
    report_lanes(bench, "search", name, unit, sizes, times)
    if options.rivals:
        nodes, took, sizes = plain(), times["plain Python"], {"depth": depth, "roots": len(sample)}
        more = {"nodes": nodes, "nodes_per_second": round(nodes / len(sample) * took.value)}
        more |= {"who": "plain Python", "ours": times[name], "against": name}
        bench.report.rival("search", "alpha-beta", unit, took, sizes, **more)


# Whole evaluations and generations


def generation(bench: Bench) -> Iterator[Job]:
    for depth in bench.options.depth:
        yield 2.0 if depth < 6 else 6.0, functools.partial(evolve, bench, depth)


def study(options: "Options", depth: int) -> schema.Config:
    """The GP Mancala study's second run against a search of this depth."""
    return schema.Config(
        game={"name": "mancala"},
        algorithm=GPOptions(population=options.population, creation=CreationOptions(terminal_probability=0.5)),
        fitness=PanelFitnessOptions(
            opponents={"minimax": opponent(depth=depth)},
            scale=100.0,
            parsimony=1.0,
            minimum=1.0,
            lanes=options.lanes[0],
            tail=options.tail,
        ),
    )


def evolve(bench: Bench, depth: int, until: float) -> None:
    """Time the evaluation of a random population, with an empty and a full reply table, and whole generations.

    Whole generations are timed at the greatest depth only.
    """
    options = bench.options
    experiment = assemble.assemble(study(options, depth), envs)
    key, games = jax.random.key(options.seed), 2 * options.population
    start = experiment.init(key)
    play, play_compile = compile_function(experiment.ring.fitness.evaluate, key, start.population, start.memory)
    result, full = play(key, start.population, start.memory)
    cold, warm, whole = "games, empty reply table", "games, full reply table", "generations from an empty reply table"
    ours = {
        cold: Case(lambda: play(key, start.population, start.memory), games),
        warm: Case(lambda: play(key, start.population, full), games),
    }
    searched: list[int] = []
    if depth == max(options.depth):
        ours[whole], step_compile = generations(experiment, options, searched)
    sizes = {
        "population": options.population,
        "depth": depth,
        "mean_nodes": round(float(start.population.length.mean()), 1),
    }
    first = jax.tree.map(lambda x: x[:, 0], start.population)
    games_of: list[Any] = []

    def deap() -> dict[str, Case]:
        from rivals import deap_cases

        found = np.asarray(result.points), np.asarray(result.fitness)
        games_of.append(deap_cases.Games(bench.cast.language, first, *found, depth, options.rival_programs))
        return games_of[0].cases()

    theirs = compare(bench, "deap", "generation", cold, "games/s", sizes, deap)
    plainly: dict[str, Case] = {}
    if depth == max(options.depth) and not isinstance(library(SOURCE), str):
        plainly = in_plain_xla(experiment.ring.fitness.evaluate, (key, start.population, full), games)
    times = measure({**ours, **plainly, **theirs}, options.repeats, until)
    searches = int(result.metrics["searches"])
    more = {"searches": searches, "plies": int(result.metrics["plies"])}
    bench.report.ours("generation", cold, "games/s", times[cold], sizes, play_compile, **more)
    bench.report.ours("generation", warm, "games/s", times[warm], sizes, play_compile)
    if whole in ours:
        more = {"generations": options.generations, "searches": searched}
        bench.report.ours("generation", whole, "generations/s", times[whole], sizes, step_compile, **more)
    for name in plainly:
        more = {"who": name, "ours": times[warm], "against": warm}
        bench.report.rival("generation", name, "games/s", times[name], sizes, **more)
    for rival in games_of:
        for name, unit, which, took, how in rival.estimates({n: times[n] for n in theirs}, searches, searched):
            against = (cold, warm, whole)[which]
            more = {"who": "deap", "ours": times[against], "against": against, "extrapolated": how}
            bench.report.rival("generation", name, unit, took, sizes, **more)


def generations(experiment: assemble.Experiment, options: "Options", searched: list[int]) -> tuple[Case, float]:
    """Return whole generations from the first one on, and the seconds of compilation.

    `search_random` will hold the positions that the opponent searched in each of them.
    """

    def start() -> EvolutionState:
        return experiment.init(jax.random.key(options.seed))

    begin = time.perf_counter()
    step_once = experiment.compiled(start())
    seconds = time.perf_counter() - begin

    def go(state: EvolutionState) -> EvolutionState:
        metrics = []
        for _ in range(options.generations):
            state, measured = step_once(state)
            metrics.append(measured["searches"])
        searched[:] = map(int, metrics)
        return state

    return Case(go, options.generations, before=start), seconds
