"""Rates of every part at one size of the batch, on one side; each program runs alone."""

import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.stages import Compiled

import envs
from device.parts import configurations
from device.work import Row, Work
from jaxgp.config.games import cast_of
from jaxgp.contracts import Game, Problem, Simulation
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate, evaluate_together
from jaxgp.interpreter.plan import plan
from jaxgp.players import ply
from jaxgp.players.searches import searches, sizes
from jaxgp.search import cores
from jaxgp.search.chance import unused_key
from rivals.random_play import positions
from rivals.trees import random_programs

KERNEL, PLAIN = "interpreter, 256 positions a program", "interpreter in plain XLA, 256 positions a program"
"""Parts that differ on a GPU, where the interpreter is a kernel."""
NODES = 31
"""Nodes of each program of the interpreter."""
PLIES = 8
"""Depth of the searches."""
MASKS = 2**30
"""Bytes that the masks of legal actions of a batch may take."""
ENOUGH = 0.2
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
    """Yield a row for each part, at the batch that the work names."""
    batch = int(work.which)
    listed = [one for one in parts(work.seed) if batch <= one.most]
    made = {one: one.make(batch) for one in (listed[:2] if work.small else listed)}
    begun = time.perf_counter()
    with ThreadPoolExecutor(cores.available()) as pool:
        compiled = {one: pool.submit(_compiled, *made[one][:2]) for one in made}
    waited = time.perf_counter() - begun
    with work.alone():
        for one, (_, arguments, units) in made.items():
            head = {"part": "rates", "what": one.name, "side": work.side, "batch": batch, "unit": one.unit}
            try:
                timing = timed(partial(compiled[one].result(), *arguments), units)
            except (jax.errors.JaxRuntimeError, MemoryError) as error:  # too little memory, above all
                timing = {"left_out": " ".join(str(error).split())[:200]}
            yield {**head, **timing, "all_compiled_in_seconds": waited}


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
        Part(KERNEL, "node evaluations/s", 2**20, partial(_interpreter, cast, seed, 256)),
        Part("interpreter, 2 positions a program", "node evaluations/s", 2**20, partial(_interpreter, cast, seed, 2)),
        Part(PLAIN, "node evaluations/s", 2**20, partial(_interpreter, cast, seed, 256, plain=True)),
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
    cast: Any, seed: int, cases: int, batch: int, plain: bool = False
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
        partial(evaluate_together if plain else evaluate, primitives),
        (plans, seen),
        float(int(programs.length.sum()) * cases),
    )


def _moves(game: Game, seed: int, batch: int) -> tuple[Callable[..., Any], tuple[Any, ...], float]:
    """Random moves, drawn as random players do; a game that ends begins again as it began."""
    keys = jax.random.split(jax.random.key(seed), batch)
    first = jax.jit(jax.vmap(game.init))(keys)
    moves = max(4, min(64, 2**18 // batch))

    def play(states: Any, keys: Array) -> Any:
        def one(first: Any, state: Any, key: Array, number: Array) -> Any:
            action = ply.random_move(game, state, ply.bits(key, number))
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
    """Alpha-beta of Kalah, with as many lanes, and as many last plies at full width, as suit the device."""
    tail, lanes = sizes(None, None)
    free = searches(cast.spec, cast.game, "material", PLIES, "first", tail, min(batch, lanes))[0]
    arguments = positions(cast.game, seed, batch), jnp.full(batch, PLIES, jnp.int32), jnp.int32(batch)
    return free.search, arguments, float(batch)
