"""Measure speed: python scripts/bench.py part=all

Each measurement is one JSON line, and a line for people on standard error. Compilation is timed apart, and every call
is waited for. Rivals (DEAP, OpenSpiel, Pgx, gnubg_nn, plain Python, plain C++) run in turn with jaxgp on the same
inputs; their results are compared before they are timed. Rivals that are not installed are skipped. jaxgp's own parts
need JAX, Flax, Optax and NumPy.

`part=gpu` proves a GPU: that it computes what the CPU does, then how fast it is (scripts/device).
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import contextlib
import dataclasses
import functools
import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp.config import arguments, schema
from jaxgp.config.games import cast_of
from jaxgp.errors import RunError, reason, reject
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.state import EvolutionState
from jaxgp.files import user_path
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate, evaluate_programs
from jaxgp.interpreter.plan import plan
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.operators.options import MAX_CAPACITY, CreationOptions
from jaxgp.options import (
    DEEPEST,
    MAX_CORES,
    MAX_COUNT,
    MAX_GAMES,
    MAX_LANES,
    MAX_POPULATION,
    MAX_SECONDS,
    MAX_SEED,
    list_options,
    option,
    power_of_two,
)
from jaxgp.players.searches import searches
from jaxgp.run import assemble
from jaxgp.search import cores
from jaxgp.seats.options import opponent
from rivals import backgammon, checkers, evaluators, othello, solitaire, tournaments, trees
from rivals.boards import chess, mate
from rivals.plain import kalah
from rivals.puzzles import freecell, rush_hour
from rivals.random_play import openings, openspiel_moves, positions, random_moves
from rivals.simulations import rars, robocode
from rivals.timing import Bench, Case, Job, Report, compare, compile_function, measure

PARTS = (
    "interpreter",
    "env",
    "search",
    "generation",
    "walls",
    "othello",
    "evaluators",
    "morpion",
    "checkers",
    "rush_hour",
    "freecell",
    "backgammon",
    "rars",
    "robocode",
    "chess",
    "mate",
)
DEVICE = "gpu"
"""The part that proves a device; `all` does not have it."""


def _in_groups(lists: int) -> bool:
    return lists % tournaments.GROUP == 0


@dataclasses.dataclass
class Options:
    """What is measured, how often, and at which size."""

    part: str = option("all", "what is measured", (*PARTS, "all", DEVICE))
    repeats: int = option(5, "of each measurement, at most", low=1, high=MAX_COUNT)
    seconds: float = option(
        90.0,
        "for the repeats; every measurement is made at least once, however long it takes",
        low=0,
        high=MAX_SECONDS,
        unit="seconds",
    )
    rivals: bool = option(True, "compare with DEAP, OpenSpiel, Pgx, gnubg_nn, fc-solve, plain Python and plain C++")
    output: str | None = option(None, "file that the lines are appended to; null: none", path=True)
    seed: int = option(0, "of everything that is drawn", low=0, high=MAX_SEED)
    programs: int = option(512, "interpreter, checkers: programs", low=1, high=MAX_POPULATION)
    cases: int = option(256, "interpreter, checkers: positions for each program", low=1, high=MAX_POPULATION)
    nodes: tuple[int, ...] = option((31, 63), "interpreter: nodes of each program", low=1, high=MAX_CAPACITY)
    batch: tuple[int, ...] = option(
        (1, 128, 1024, 4096, 16384),
        "env, othello, checkers, backgammon, chess: games; mate: boards",
        low=1,
        high=MAX_POPULATION,
    )
    roots: tuple[int, ...] = option((1024,), "search, checkers: positions", low=1, high=MAX_POPULATION)
    lanes: tuple[int, ...] = option(
        (64,), "search: searches side by side; generation and checkers use the first", low=1, high=MAX_LANES
    )
    depth: tuple[int, ...] = option((4, 8), "search, generation, checkers: plies", low=1, high=DEEPEST)
    tail: int = option(2, "search, generation, checkers: last plies searched full width", low=1, high=DEEPEST)
    rival_roots: int = option(16, "search, checkers: positions that plain Python searches", low=1, high=MAX_POPULATION)
    population: int = option(512, "generation, morpion: programs", low=1, high=MAX_POPULATION)
    capacity: int = option(512, "morpion: nodes that a program can hold", low=1, high=MAX_CAPACITY)
    generations: int = option(
        5, "generation: whole ones, against the deepest search, that are averaged", low=1, high=MAX_COUNT
    )
    rival_programs: int = option(16, "generation: programs whose games DEAP plays", low=1, high=MAX_POPULATION)
    lists: int = option(
        1000,
        "walls: rule lists, which play in groups of five",
        low=5,
        high=MAX_POPULATION,
        test=_in_groups,
        accepted=f"a multiple of 5 from 5 to {MAX_POPULATION}",
    )
    rival_groups: int = option(20, "walls: groups whose games plain Python plays", low=1, high=MAX_POPULATION)
    plies: tuple[int, ...] = option(
        (2, 4), "evaluators: depth of the searches with programs at their leaves", low=1, high=DEEPEST
    )
    players: int = option(50, "evaluators: programs", low=1, high=MAX_POPULATION)
    roots_each: int = option(25, "evaluators: positions that each program searches", low=1, high=MAX_POPULATION)
    cores: int = option(
        1, "evaluators: of a CPU, that share the searches; a single lane stays on one", low=1, high=MAX_CORES
    )
    cars: tuple[int, ...] = option(
        (256, 4096, 65536), "rars: cars side by side, of a program each", low=1, high=MAX_POPULATION
    )
    battles: tuple[int, ...] = option((64, 1024, 4096), "robocode: battles side by side", low=1, high=MAX_POPULATION)
    games: int = option(2000, "morpion: random games side by side", low=1, high=MAX_GAMES)
    rival_games: int = option(200, "morpion, backgammon: games that plain Python plays", low=1, high=MAX_GAMES)
    rival_turns: int = option(
        256, "backgammon: positions whose best turns the rivals find, about", low=1, high=MAX_POPULATION
    )
    boards: tuple[int, ...] = option(
        (1, 16, 256), "rush_hour: boards searched side by side", low=1, high=MAX_POPULATION
    )
    breadth_boards: int = option(20, "rush_hour: boards searched breadth first", low=1, high=MAX_POPULATION)
    board_lanes: int = option(64, "rush_hour: searches side by side", low=1, high=MAX_LANES)
    deals: tuple[int, ...] = option(
        (1, 16, 256), "freecell: the first deals, searched side by side", low=1, high=32_000
    )
    deal_room: int = power_of_two(2**16, "freecell: positions that a search can keep", low=4, high=2**20)
    limit: int = option(100_000, "rush_hour, freecell: nodes of a search", low=2, high=2**30)
    table: int = power_of_two(2**14, "rush_hour: entries of the table of a search", low=1, high=2**20)
    device: str = option("gpu", "gpu: what is proved; cpu does all of it at the smallest size", ("gpu", "cpu"))
    minutes: float = option(9.0, "gpu: for all of it; what does not fit is named", low=0.5, high=MAX_SECONDS)
    folder: str = option("outputs/device", "gpu: where tables, trace and logs are left", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse lists without a number; raises UsageError."""
        for one in list_options(self):
            if getattr(self, one.name) == ():
                reject(prefix + one.name, "[]", f"one or more {one.accepted}")


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
    times = measure({**ours, **{name: theirs[name] for name in pairs}}, options.repeats, until)
    for name in ours:
        bench.report.ours("interpreter", name, unit, times[name], sizes, seconds[name])
    for name, against in pairs.items():
        more = {"who": "deap", "ours": times[against], "against": against}
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
    name = "free lanes"
    run, seconds = compile_function(free.search, *arguments)
    result = run(*arguments)
    cases = {name: Case(functools.partial(run, *arguments), roots)}
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
    more: dict[str, Any] = {"compile_seconds": seconds, "nodes": nodes, "iterations": int(result.iterations)}
    more["nodes_per_second"] = round(nodes / times[name].median)
    bench.report.ours("search", name, unit, times[name], sizes, **more)
    if options.rivals:
        nodes, took, sizes = plain(), times["plain Python"], {"depth": depth, "roots": len(sample)}
        more = {"nodes": nodes, "nodes_per_second": round(nodes / len(sample) * took.value)}
        more |= {"who": "plain Python", "ours": times[name], "against": name}
        bench.report.rival("search", "alpha-beta", unit, took, sizes, **more)


# Whole evaluations and generations


def generation(bench: Bench) -> Iterator[Job]:
    for depth in bench.options.depth:
        yield 2.0 if depth < 6 else 6.0, functools.partial(evolve, bench, depth)


def study(options: Options, depth: int) -> schema.Config:
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
    times = measure({**ours, **theirs}, options.repeats, until)
    searches = int(result.metrics["searches"])
    more = {"searches": searches, "plies": int(result.metrics["plies"])}
    bench.report.ours("generation", cold, "games/s", times[cold], sizes, play_compile, **more)
    bench.report.ours("generation", warm, "games/s", times[warm], sizes, play_compile)
    if whole in ours:
        more = {"generations": options.generations, "searches": searched}
        bench.report.ours("generation", whole, "generations/s", times[whole], sizes, step_compile, **more)
    for rival in games_of:
        for name, unit, which, took, how in rival.estimates({n: times[n] for n in theirs}, searches, searched):
            against = (cold, warm, whole)[which]
            more = {"who": "deap", "ours": times[against], "against": against, "extrapolated": how}
            bench.report.rival("generation", name, unit, took, sizes, **more)


def generations(experiment: assemble.Experiment, options: Options, searched: list[int]) -> tuple[Case, float]:
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


def run(options: Options, report: Report) -> None:
    """Make all measurements, each with its share of the time that is left."""
    cast = cast_of(study(options, 1), envs)
    parts = {
        "interpreter": interpreter,
        "env": env,
        "search": search,
        "generation": generation,
        "walls": tournaments.jobs,
        "othello": othello.jobs,
        "evaluators": evaluators.jobs,
        "morpion": solitaire.jobs,
        "checkers": checkers.jobs,
        "rush_hour": rush_hour.jobs,
        "freecell": freecell.jobs,
        "backgammon": backgammon.jobs,
        "rars": rars.jobs,
        "robocode": robocode.jobs,
        "chess": chess.jobs,
        "mate": mate.jobs,
    }
    chosen = PARTS if options.part == "all" else (options.part,)
    jobs = [job for part in chosen for job in parts[part](Bench(options, report, cast))]
    end = time.perf_counter() + options.seconds
    for done, (share, job) in enumerate(jobs):
        now = time.perf_counter()
        job(now + (end - now) * share / sum(left for left, _ in jobs[done:]))


def task(options: Options) -> int:
    """Measure, and write the lines; return the exit code."""
    if options.part == DEVICE:
        from device import prove

        return prove.run(user_path("folder", options.folder), options.minutes, options.device == "cpu")
    with contextlib.ExitStack() as stack:
        try:
            named = [user_path("output", options.output)] if options.output else []
            files = [stack.enter_context(path.open("a", encoding="utf-8")) for path in named]
        except OSError as error:
            reject("output", options.output, f"a file to append to ({reason(error)})")
        cores.use(options.cores)  # before the report asks what the device is
        random.seed(options.seed)
        try:
            run(options, Report([sys.stdout, *files]))
        except (MemoryError, jax.errors.JaxRuntimeError, OSError) as error:
            raise RunError(f"part={options.part}: {str(error) or 'out of memory'}") from error
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
