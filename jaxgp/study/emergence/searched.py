"""How strong the genomes are that steer a search of a puzzle: instances that they solve, and nodes that they take.

All genomes search the same instances with as many nodes at most, so that differences are those of the genomes.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.anatomy import searches
from jaxgp.anatomy.positions import unpack_truths
from jaxgp.errors import UsageError, show
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import Packed
from jaxgp.measure.champions import Loaded
from jaxgp.measure.puzzles import solving
from jaxgp.players.solver import ByWeights, ProgramSolver
from jaxgp.report.waiting import waiting
from jaxgp.spec import Instances
from jaxgp.study.emergence.altered import SAMPLES, Alterable, extended
from jaxgp.study.emergence.options import EVOLVED, MEASURED
from jaxgp.study.emergence.rows import NODES, SOLVED
from jaxgp.study.emergence.strength import StrengthMeasure, Values
from jaxgp.study.emergence.weighted import alter_weights

LOOKED = 32
"""Instances on the way to whose solutions values of terminals are looked at."""


def check(loaded: Loaded, parts: Sequence[str]) -> ProgramSolver:
    """Return how a champion searches; raises UsageError for one whose strength cannot be taken apart so."""
    solver = searches.check(loaded)
    if not isinstance(solver.valued, ByWeights):
        return solver
    if solver.primitives.rules:
        raise UsageError(f"run={loaded.path}: rules choose its weights; accepted: a champion of weights, or a program")
    if set(parts) & set(EVOLVED):
        every = "a champion of weights has one for every heuristic, so that none is evolved without"
        raise UsageError(f"parts={show(parts)}: {every}; accepted: {', '.join(MEASURED)}")
    return solver


def alter_search(loaded: Loaded, some: Instances, limit: int, seed: int) -> Alterable:
    """Return the search of a champion with terminals that can be turned off.

    Args:
        loaded: a champion that steers a search.
        some: instances, on the way to some of whose solutions values of terminals are looked at.
        limit: the most nodes of a search.
        seed: of values that look random.

    Raises:
        UsageError: it finds no solution there, or none of its terminals sees anything.
    """
    solver: ProgramSolver = loaded.cast.actor
    with waiting("Looking at the champion's solutions"):
        seen = _seen(loaded, solving.part(some, np.arange(min(LOOKED, len(some.names)))), limit)
    drawn = np.random.default_rng(seed).permutation(seen.shape[1])[:SAMPLES]
    if isinstance(solver.valued, ByWeights):
        return alter_weights(solver, seen[:, drawn], seed)
    return extended(solver.primitives, solver, seen[:, drawn], seed)


def _seen(loaded: Loaded, some: Instances, limit: int) -> np.ndarray:
    """Return float32[F, N]: what genomes see of the positions among which a champion chose, on the way to solutions."""
    solver: ProgramSolver = loaded.cast.actor
    search = solving.searches([loaded], len(some.names))(solving.orders(loaded)[-1])
    states = jax.tree.map(jnp.asarray, some.states)
    found = jax.device_get(search(jnp.full(len(some.names), limit, jnp.int32), states))
    if not found.solved.any():
        raise UsageError(
            f"limit={limit}: the champion solves none of {len(some.names)} instances; accepted: more nodes"
        )
    longest = int(found.length.max())

    @jax.jit
    def look(start: object, moves: jax.Array, length: jax.Array) -> tuple[jax.Array | Packed, jax.Array]:
        nodes, there, _ = searches.on_the_way(solver.game, start, moves, length)
        return jax.vmap(solver.valued.view, out_axes=-1)(nodes), there

    views = []
    for at in np.flatnonzero(found.solved):
        start = jax.tree.map(lambda x, at=at: x[at], states)
        view, there = look(start, found.moves[at, :longest], found.length[at])
        views.append(unpack_truths(view)[:, np.asarray(there)])
    return np.concatenate(views, 1)


def measure_searches(loaded: Loaded, solver: ProgramSolver, suite: str, some: Instances, limit: int) -> StrengthMeasure:
    """Return what measures genomes by their searches, one genome at a time.

    Args:
        loaded: the champion.
        solver: how the genomes search.
        suite: what rows call the instances.
        some: the instances, N.
        limit: the most nodes of a search.
    """
    count = len(some.names)
    where = f"{suite}, {limit} nodes"
    solved, nodes = f"{SOLVED}: {where}", f"{NODES}: {where}"
    states, limits = jax.tree.map(jnp.asarray, some.states), jnp.full(count, limit, jnp.int32)
    whose = jnp.zeros(count, jnp.int32)
    order = solving.Order("an altered champion", loaded.cast)
    search = jax.jit(lambda programs, states: solver.solve(solver.prepare(programs), whose, states, limits))

    def run(programs: Programs) -> Values:
        found = jax.device_get(search(programs, states))
        solving.prove(order, some, found.solved, found.length, found.moves)
        spent = np.where(found.solved, np.clip(found.nodes, 1, limit), limit)
        worth = 1 - np.log(spent) / np.log(limit)
        return {solved: found.solved[None].astype(float), nodes: worth[None]}

    return StrengthMeasure((solved, nodes), run, (count,), f"searches of {suite}", together=1)
