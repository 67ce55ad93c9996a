"""Shares searches among the cores of a CPU.

XLA runs the many small operations of a search on little more than one core. So each core becomes a device of its own,
which searches a share of the roots; all other work of a program is replicated on every device. The results do not
depend on the number of cores, since each root is searched independently of the others.
"""

import os
import warnings
from dataclasses import replace
from typing import Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxgp.arrays import take
from jaxgp.contracts import Position
from jaxgp.search.lookahead import Contexts

Tree = TypeVar("Tree")
Result = TypeVar("Result", covariant=True)

NAME = "cores"
MOST = 8
"""The most cores that are used by default."""
GIVEN = "xla_force_host_platform_device_count"
"""The XLA flag by which a user says how many devices there are."""
PATIENCE = ("xla_cpu_collective_call_warn_stuck_timeout_seconds", "xla_cpu_collective_call_terminate_timeout_seconds")
"""How long XLA lets one device wait for the others before it warns, and before it aborts the process, even if the
process was only suspended."""
WHOLE = PartitionSpec()


class Search(Protocol[Result]):
    """A frozen dataclass that searches a queue of roots, each independently of the others."""

    @property
    def lanes(self) -> int:
        """Searches in progress at the same time."""

    @property
    def narrow(self) -> int:
        """The fewest lanes to which a loop is narrowed."""

    def search(
        self, states: Position, amount: Array, count: Array, contexts: Contexts = (), whose: Array | None = None, /
    ) -> Result:
        """Search the first `count` (int32[]) of the roots [Q, ...], each to an amount of its own, int32[Q].

        Return a tree of arrays [Q, ...]; an array without axes in it is a number for the whole search.
        """


def available() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def use(number: int | None = None) -> None:
    """Make a device of each of `number` cores; None: of all cores, up to `MOST`.

    Call this before the first computation of the process; later it changes nothing and warns (RuntimeWarning). It also
    changes nothing if the user has set the number of devices by XLA_FLAGS or JAX_NUM_CPU_DEVICES.
    """
    number, flags = number or min(available(), MOST), os.environ.get("XLA_FLAGS", "")
    if number == 1 or GIVEN in flags or getattr(jax.config, "jax_num_cpu_devices", -1) > 0:
        return
    try:
        jax.config.update("jax_num_cpu_devices", number)
    except RuntimeError:
        there = len(_devices())
        if jax.default_backend() == "cpu" and there != number:
            said = f"cores={number}: too late, since this process has computed already; searches use {there}"
            warnings.warn(said, RuntimeWarning, stacklevel=2)
        return
    os.environ["XLA_FLAGS"] = " ".join([*(f"--{flag}={10**6}" for flag in PATIENCE), flags]).strip()


def _devices() -> list[jax.Device]:
    """Return the devices that share searches: all of a CPU, one of any other kind.

    In a program whose devices have shares of other work, such as islands, each searches for itself.
    """
    if jax.sharding.get_abstract_mesh().manual_axes:
        return jax.local_devices()[:1]
    return jax.local_devices() if jax.default_backend() == "cpu" else jax.local_devices()[:1]


def everywhere(tree: Tree) -> Tree:
    """Replicate arrays over the devices that share searches.

    A searching program leaves its outputs on all of these devices, and is compiled for the placement of its arguments.
    So a program that is called with its own outputs would be compiled twice if its first arguments were on one device.
    """
    devices = _devices()
    return tree if len(devices) == 1 else jax.device_put(tree, NamedSharding(Mesh(np.array(devices), NAME), WHOLE))


def search(
    one: Search[Result],
    states: Position,
    amount: Array,
    count: Array,
    contexts: Contexts = (),
    whose: Array | None = None,
) -> Result:
    """Return what `one.search` returns for the same arguments, with the roots shared among the devices of the CPU."""
    devices, queue = _devices(), len(amount)
    number = len(devices)
    if number == 1:
        return one.search(states, amount, count, contexts, whose)
    # Each device takes every `number`-th root. Neighbouring roots take similar time, so the shares do as well.
    share = np.arange(-(-queue // number)) * number
    fewer = replace(one, lanes=-(-one.lanes // number), narrow=-(-one.narrow // number))  # type: ignore[type-var]

    def part(states: Position, amount: Array, whose: Array | None, count: Array, contexts: Contexts) -> Result:
        """Search the roots of this device; return those of all devices, [number, share, ...]."""
        first = lax.axis_index(NAME)
        mine = take((states, amount, whose), jnp.minimum(share + first, queue - 1))
        found = fewer.search(mine[0], mine[1], -((first - count) // number), contexts, mine[2])
        gathered: Result = lax.all_gather(found, NAME)
        return gathered

    def joined(x: Array) -> Array:
        """Put [number, share, ...] back into the order of the queue, [Q, ...]; of a number by device take the most."""
        return x.swapaxes(0, 1).reshape(x.shape[0] * x.shape[1], *x.shape[2:])[:queue] if x.ndim > 1 else x.max()

    mesh = Mesh(np.array(devices), NAME)
    run = jax.shard_map(part, mesh=mesh, in_specs=WHOLE, out_specs=WHOLE, check_vma=False)
    result: Result = jax.tree.map(joined, run(states, amount, whose, count, contexts))
    return result


def search_some(
    one: Search[Result],
    states: Position,
    amount: Array,
    these: Array,
    contexts: Contexts = (),
    whose: Array | None = None,
) -> Result:
    """Return what `one.search` finds of `these` (bool[Q]) of the roots [Q, ...]; of the others nothing that counts."""
    order = jnp.argsort(~these, stable=True)
    first = take((states, amount, whose), order)
    found = search(one, first[0], first[1], these.sum(dtype=jnp.int32), contexts, first[2])
    placed: Result = jax.tree.map(lambda x: jnp.zeros_like(x).at[order].set(x) if x.ndim else x, found)
    return placed
