"""How much memory a run needs, and how much there is: a run that does not fit is refused before it starts."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import jax
from jax.stages import Compiled

from jaxgp.config.schema import Config
from jaxgp.errors import RunError, reject
from jaxgp.evolution.state import EvolutionState

MEMORY = Path("/proc/meminfo")
LIMITS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)
"""Files with the limit of a container and with what is in use, of both versions of control groups."""
EXHAUSTED = "RESOURCE_EXHAUSTED"
"""What XLA calls an end of the memory."""


def available() -> int | None:
    """Return how many bytes a program may take on the default device; None where this cannot be found out."""
    device = jax.devices()[0]
    if device.platform != "cpu":
        limit = (device.memory_stats() or {}).get("bytes_limit")
        return None if limit is None else int(limit)
    found = []
    with suppress(OSError, ValueError, StopIteration, IndexError):
        line = next(line for line in MEMORY.read_text().splitlines() if line.startswith("MemAvailable:"))
        found.append(1024 * int(line.split()[1]))
    for limit_file, used in LIMITS:
        with suppress(OSError, ValueError):  # "max" stands for no limit
            found.append(int(limit_file.read_text()) - int(used.read_text()))
    return min(found, default=None)


def needed(program: Compiled) -> int | None:
    """Return how many bytes a compiled program takes with its arguments and results; None if XLA does not say."""
    sizes = program.memory_analysis()
    if sizes is None:
        return None
    own = sizes.argument_size_in_bytes + sizes.output_size_in_bytes + sizes.temp_size_in_bytes
    each = jax.local_device_count() if jax.default_backend() == "cpu" else 1  # searches share the cores of a CPU
    return int(own) * each


def size(tree: object) -> int:
    """Return how many bytes arrays have, or shapes of arrays would have."""
    return sum(int(leaf.size) * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


def check_state(config: Config, state: EvolutionState) -> None:
    """Refuse a run whose states do not fit; `state` may be made of shapes. Two of them are there at a time.

    Raises:
        UsageError: the message names the option to lower.
    """
    _check(config, state, 2 * size(state))


def check_program(config: Config, state: EvolutionState, program: Compiled) -> None:
    """Refuse a run whose compiled generation does not fit; raises UsageError as `check_state` does."""
    own = needed(program)
    if own is not None:
        _check(config, state, own)


def _check(config: Config, state: EvolutionState, wanted: int) -> None:
    free = available()
    if free is not None and wanted > free:
        option, value = heaviest(config, state, wanted)
        reject(option, value, f"less: the run needs {_gib(wanted)} of memory, and {_gib(free)} are free")


def heaviest(config: Config, state: EvolutionState, wanted: int) -> tuple[str, int]:
    """Return the name and the value of the option to lower: that of the tables if they are most of what is needed."""
    if 2 * 2 * size(state.memory) > wanted:
        return "fitness.table_size", config.fitness.table_size
    return "algorithm.population", config.algorithm.population


@contextmanager
def reported(config: Config) -> Iterator[None]:
    """Within this context, an end of the memory becomes a RunError that names the option to lower."""
    try:
        yield
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        if isinstance(error, jax.errors.JaxRuntimeError) and EXHAUSTED not in str(error):
            raise
        free = available()
        there = "" if free is None else f", of which {_gib(free)} are free"
        lower = f"algorithm.population={config.algorithm.population} or fitness.table_size={config.fitness.table_size}"
        raise RunError(f"{lower}: too large for the memory of this device{there}; lower one of them") from error


def _gib(number: int) -> str:
    return f"{number / 2**30:.2g} GiB" if number < 10 * 2**30 else f"{number / 2**30:,.0f} GiB"
