"""Rates of every part by the size of the batch, on one side.

Sizes come in rounds, the most telling ones first. The programs of a round are compiled side by side; then each runs
alone. A round that would not end in time is not begun.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.stages import Compiled

import envs
from device.parts import configurations
from device.work import Row, Work
from jaxgp.bits import pick
from jaxgp.config.games import cast_of
from jaxgp.contracts import Game, Problem, Simulation
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.kernels.blocks import evaluate_in_kernel
from jaxgp.interpreter.plan import plan
from jaxgp.players import ply
from jaxgp.players.searches import searches
from jaxgp.search import cores
from jaxgp.search.chance import unused_key
from rivals.random_play import positions
from rivals.trees import random_programs

ROUNDS = (2**12, 2**20, 1, 2**16, 2**8, 2**18, 2**4, 2**14, 2**10, 2**6, 2**2)
"""Sizes in the order in which they are measured."""
KERNEL = "interpreter, 256 positions a program, in a kernel"
"""The part that only a GPU has."""
NODES = 31
"""Nodes of each program of the interpreter."""
PLIES = 8
"""Depth of the searches."""
MASKS = 2**30
"""Bytes that the masks of legal actions of a batch may take."""
PATIENCE = 0.03
"""The share of the time that is left which one call may take."""
ENOUGH = 0.3
"""Seconds of repeats of a measurement; at least three repeats are made."""


class Part(NamedTuple):
    """Something whose rate is measured.

    Attributes:
        name: what it is.
        unit: what is counted.
        most: the largest batch.
        make: batch -> a function, its arguments, and how many units a call does.
    """

    name: str
    unit: str
    most: int
    make: Callable[[int], tuple[Callable[..., Any], tuple[Any, ...], float]]


def rows(work: Work) -> Iterator[Row]:
    """Yield a row for each part and size."""
    listed, known = parts(work.seed), dict[str, float]()
    took = 0.0
    for size in ROUNDS[-1:] if work.small else ROUNDS:
        here = [one for one in listed if size <= one.most]
        if work.left < 1.2 * took:
            yield {"part": "rates", "side": work.side, "what": f"batch {size:,}", "left_out": "no time"}
            continue
        begin = time.perf_counter()
        for row in _round(work, here[:2] if work.small else here, size, known):
            known |= {row["what"]: row["value"]} if "value" in row else {}
            yield row
        took = time.perf_counter() - begin


def _round(work: Work, listed: list[Part], size: int, known: Mapping[str, float]) -> Iterator[Row]:
    """Measure parts at one size; not those whose call would take long at the rates that are known."""
    made = {one: one.make(size) for one in listed}
    dear = [one for one, (_, _, units) in made.items() if units > known.get(one.name, np.inf) * work.left * PATIENCE]
    begun = time.perf_counter()
    with ThreadPoolExecutor(cores.available()) as pool:
        compiled = {one: pool.submit(_compiled, *made[one][:2]) for one in made if one not in dear}
    waited = time.perf_counter() - begun  # until all are compiled, so that what is timed runs alone
    for one, (_, arguments, units) in made.items():
        head = {"part": "rates", "what": one.name, "side": work.side, "batch": size, "unit": one.unit}
        if one in dear:
            yield {**head, "left_out": f"a call would take some {units / known[one.name]:.0f} s"}
            continue
        try:
            timing = timed(partial(compiled[one].result(), *arguments), units)
        except (jax.errors.JaxRuntimeError, MemoryError) as error:  # too little memory, above all
            timing = {"left_out": " ".join(str(error).split())[:200]}
        yield {**head, **timing, "round_compile_seconds": waited}


def _compiled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Compiled:
    return jax.jit(function).lower(*arguments).compile()


def timed(run: Callable[[], Any], units: float) -> Row:
    """Call until enough seconds have passed, after a first call that is not counted; return rates and repeats."""
    jax.block_until_ready(run())
    seconds: list[float] = []
    while len(seconds) < 3 or sum(seconds) < ENOUGH:
        begin = time.perf_counter()
        jax.block_until_ready(run())
        seconds.append(time.perf_counter() - begin)
        if len(seconds) == 1 and seconds[0] > 10 * ENOUGH:
            break
    return {
        "value": units / statistics.median(seconds),
        "best_value": units / min(seconds),
        "seconds": statistics.median(seconds),
        "repeats": len(seconds),
    }


def parts(seed: int) -> list[Part]:
    """Return what is measured: interpreter, searches, and random moves or steps of every game."""
    cast = cast_of(configurations.generations()["Kalah"].config, envs)
    listed = [
        Part(
            "interpreter, 256 positions a program", "node evaluations/s", 2**20, partial(_interpreter, cast, seed, 256)
        ),
        Part("interpreter, 2 positions a program", "node evaluations/s", 2**20, partial(_interpreter, cast, seed, 2)),
    ]
    for name in envs.available():
        rules = envs.spec(name).rules
        if issubclass(rules, Problem):
            continue
        play, unit = (_steps, "steps/s") if issubclass(rules, Simulation) else (_moves, "moves/s")
        game = envs.make(name)
        most = min(2**20, MASKS // getattr(game, "num_actions", 1))
        listed.append(Part(f"{name}, random {unit[:-2]}", unit, most, partial(play, game, seed)))
    return [*listed, Part(f"mancala, searches of {PLIES} plies", "searches/s", 2**16, partial(_searches, cast, seed))]


def _interpreter(
    cast: Any, seed: int, cases: int, batch: int, kernel: bool = False
) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
    """Programs of the Kalah set; the batch counts pairs of a program and a position."""
    primitives: PrimitiveSet = cast.language
    count, cases = max(1, batch // cases), min(batch, cases)
    few = min(count, 1024)  # the same programs again, since making them takes Python long
    programs = random_programs(seed, primitives, few, NODES)
    programs = jax.tree.map(lambda x: jnp.tile(x, (-(-count // few), *[1] * (x.ndim - 1)))[:count], programs)
    features = positions(cast.game, seed, cases).board.astype(jnp.float32).T
    plans = jax.jit(partial(plan, primitives))(programs)
    seen = jnp.broadcast_to(features, (count, *features.shape)) if cases < 256 else features
    return (
        partial(evaluate_in_kernel if kernel else evaluate, primitives),
        (plans, seen),
        float(int(programs.length.sum()) * cases),
    )


def _moves(game: Game, seed: int, batch: int) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
    """Random moves, drawn from the mask of legal actions; a game that ends begins again as it began."""
    keys = jax.random.split(jax.random.key(seed), batch)
    first = jax.jit(jax.vmap(game.init))(keys)
    moves = max(4, min(64, 2**18 // batch))

    def play(states: Any, keys: Array) -> Any:
        def one(first: Any, state: Any, key: Array, number: Array) -> Any:
            action = pick(game.legal_actions(state), ply.bits(key, number))
            drawn = jax.random.fold_in(key, number + 2**20) if game.chance else unused_key()
            after = game.step(state, action, drawn)
            return jax.tree.map(lambda a, b: jnp.where(after.terminated, a, b), first, after)

        def move(number: Array, now: Any) -> Any:
            return jax.vmap(partial(one, number=number))(states, now, keys)

        return jax.lax.fori_loop(0, moves, move, states)

    return play, (first, keys), float(batch * moves)


def _steps(game: Simulation, seed: int, batch: int) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
    """Steps of a simulation under random controls."""
    keys = jax.random.split(jax.random.key(seed), batch)
    first = jax.jit(jax.vmap(game.init))(keys)
    steps = max(4, min(64, 2**18 // batch))

    def drive(states: Any, keys: Array) -> Any:
        def one(state: Any, key: Array, number: Array) -> Any:
            drawn = jax.random.fold_in(key, number)
            return game.step(state, jax.random.uniform(drawn, (game.seats, game.controls), jnp.float32, -1, 1), drawn)

        return jax.lax.fori_loop(0, steps, lambda n, now: jax.vmap(partial(one, number=n))(now, keys), states)

    return drive, (first, keys), float(batch * steps)


def _searches(cast: Any, seed: int, batch: int) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
    """Alpha-beta of Kalah: as many lanes as roots, 4,096 at most, with two plies at full width at the end."""
    lanes = min(batch, 4096)
    free = searches(cast.spec, cast.game, "material", PLIES, "first", 2, lanes)[0]
    arguments = positions(cast.game, seed, batch), jnp.full(batch, PLIES, jnp.int32), jnp.int32(batch)
    return free.search, arguments, float(batch)
