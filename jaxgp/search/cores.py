"""Searches shared out among the cores of a CPU.

XLA runs the many small operations of a search on little more than one core. So each core becomes a device of its own,
which searches some of the roots; whatever else a program does, all of them do alike. What is found does not depend on
how many they are: each root is searched as if it were alone.
"""

import os
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxgp.search.alphabeta import AlphaBeta, RootResult
from jaxgp.search.lookahead import Contexts, State, taken

Tree = TypeVar("Tree")

NAME = "cores"
MOST = 8
"""Cores that are used where nobody says how many."""
GIVEN = "xla_force_host_platform_device_count"
"""By this flag the user has said it already."""
PATIENCE = ("xla_cpu_collective_call_warn_stuck_timeout_seconds", "xla_cpu_collective_call_terminate_timeout_seconds")
"""So long a device waits for the others before XLA complains, and ends the process, be it only suspended."""
WHOLE = PartitionSpec()


def available() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use(number: int | None = None) -> None:
    """Make a device of each of so many cores; None: of all, up to `MOST`.

    To be called before the first computation of the process; afterwards, or where the user has said by XLA_FLAGS or
    JAX_NUM_CPU_DEVICES how many devices there are, nothing changes.
    """
    number, flags = number or min(available(), MOST), os.environ.get("XLA_FLAGS", "")
    if number == 1 or GIVEN in flags or getattr(jax.config, "jax_num_cpu_devices", -1) > 0:
        return
    with suppress(RuntimeError):
        jax.config.update("jax_num_cpu_devices", number)
        os.environ["XLA_FLAGS"] = " ".join([*(f"--{flag}={10**6}" for flag in PATIENCE), flags]).strip()


def _devices() -> list[jax.Device]:
    return jax.local_devices() if jax.default_backend() == "cpu" else jax.local_devices()[:1]


def everywhere(tree: Tree) -> Tree:
    """Put arrays on all devices that share searches, where a program that searches leaves its results as well.

    A program is compiled for where its arguments are: without this it would be compiled twice.
    """
    devices = _devices()
    return tree if len(devices) == 1 else jax.device_put(tree, NamedSharding(Mesh(np.array(devices), NAME), WHOLE))


def search(
    one: AlphaBeta, states: State, depth: Array, count: Array, contexts: Contexts = (), whose: Array | None = None
) -> RootResult:
    """Do what `AlphaBeta.search` does, with the roots shared out among the devices of the CPU."""
    devices, queue = _devices(), len(depth)
    number = len(devices)
    if number == 1:
        return one.search(states, depth, count, contexts, whose)
    # One root in `number`, not a stretch of them: neighbours are of a kind, so that shares are much alike.
    share = np.arange(-(-queue // number)) * number
    fewer = replace(one, lanes=-(-one.lanes // number), narrow=-(-one.narrow // number))

    def part(states: State, depth: Array, whose: Array | None, count: Array, contexts: Contexts) -> RootResult:
        """Search the roots of this device; return all of them, [number, share, ...]."""
        first = lax.axis_index(NAME)
        mine = taken((states, depth, whose), jnp.minimum(share + first, queue - 1))
        found = fewer.search(mine[0], mine[1], -((first - count) // number), contexts, mine[2])
        return lax.all_gather(found, NAME)

    def in_order(x: Array) -> Array:
        return x.swapaxes(0, 1).reshape(-1, *x.shape[2:])[:queue]

    mesh = Mesh(np.array(devices), NAME)
    run = jax.shard_map(part, mesh=mesh, in_specs=WHOLE, out_specs=WHOLE, check_vma=False)
    found = run(states, depth, whose, count, contexts)
    return RootResult(in_order(found.values), in_order(found.nodes), found.iterations.max())
