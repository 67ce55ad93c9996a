"""RARS: steps of cars alone, with what drivers perceive, and with programs that drive.

Cars start all along a lap that Tuto3 drove, and get its controls of that lap, so that they stay on the road, come to
new segments and reach full power as often as in a race, whatever the programs say.
"""

import functools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import envs
from envs.rars.places import SENSED
from jaxgp.fitness.roller import Roller
from jaxgp.games import casting
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.driver import fixed_driver
from rivals.timing import Bench, Case, Job, compile_function, measure

STEPS = 64
"""Steps of one call."""
CAPACITY = 512


def jobs(bench: Bench) -> Iterator[Job]:
    """All batches; each is a job."""
    for batch in bench.options.cars:
        yield 1.0, functools.partial(steps, bench, batch)


@functools.cache
def lap() -> tuple[object, np.ndarray, int]:
    """Return the states [N + 1] of a lap, the controls [N, 2] that led from each to the next one, and N."""
    world = envs.make("rars", friction="fixed", laps=None, seconds=170.0)
    hand = fixed_driver(envs.spec("rars"), world, "tuto3")
    roller = Roller(world, hand.driver)
    plans = hand.driver.prepare(jnp.zeros(1, jnp.int32))
    found = jax.device_get(jax.jit(lambda key: roller.record(plans, key))(jax.random.key(0)))
    return found.states, found.controls[:, 0], int(found.steps)


def steps(bench: Bench, batch: int, until: float) -> None:
    """Measure a batch of cars in three ways."""
    options, world = bench.options, envs.make("rars", laps=None, seconds=1e4)
    cast = casting.cast(envs.spec("rars"), world)
    states, controls, count = lap()
    places = np.random.default_rng(options.seed).integers(0, count - STEPS, batch)
    start = jax.tree.map(lambda x: jnp.asarray(np.asarray(x)[places]), states)
    key = jax.random.key(options.seed)
    programs = create(key, cast.language, CreationOptions("ramped", 5, 6), batch, CAPACITY)
    nodes = float(np.asarray(programs.length).mean())
    plans = jax.jit(lambda programs: cast.actor.arrange(cast.actor.prepare(programs)))(programs)
    sense = jax.vmap(lambda state: world.sense(state, jnp.int32(0)))
    advance = jax.vmap(lambda state, given: world.step(state, given[None], key))

    def run(kind: str, start: object, plans: object) -> Array:
        def step(n: Array, carry: tuple[object, Array]) -> tuple[object, Array]:
            state, said = carry
            if kind == "with sensors":
                said = sense(state)
            elif kind == "with programs":
                seen, always = sense(state)[:, None], jnp.ones((batch, 1), bool)
                said = cast.actor.control(plans, (), seen, None, always)[0][:, 0]
            return advance(state, jnp.asarray(controls)[places + n]), said

        shape = (batch, 2 if kind == "with programs" else len(SENSED))
        state, said = lax.fori_loop(0, STEPS, step, (start, jnp.zeros(shape)))
        return state.out, said

    cases, took = {}, {}
    for kind in ("alone", "with sensors", "with programs"):
        made, took[kind] = compile_function(functools.partial(run, kind), start, plans)
        cases[kind] = Case(functools.partial(made, start, plans), batch * STEPS)
    times = measure(cases, options.repeats, until)
    for kind, found in times.items():
        sizes = {"cars": batch} | ({"nodes": round(2 * nodes)} if kind == "with programs" else {})
        bench.report.ours("rars", f"steps {kind}", "steps/s", found, sizes, took[kind])
