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
GROUPS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Where both versions of control groups say the limit of a container, what is in use, and what of this can be freed."""
EXHAUSTED = "RESOURCE_EXHAUSTED"
"""What XLA calls an end of the memory."""


def available() -> int | None:
    """Return how many bytes a program may take on the default device; None where this cannot be found out."""
    device = jax.devices()[0]
    if device.platform != "cpu":
        limit = (device.memory_stats() or {}).get("bytes_limit")
        return None if limit is None else int(limit)
    found = [_number(MEMORY, "MemAvailable:") * 1024]
    for folder, limit, used, freed in GROUPS:
        with suppress(OSError, ValueError):  # "max" stands for no limit
            taken = int((folder / used).read_text()) - _number(folder / "memory.stat", freed)
            found.append(int((folder / limit).read_text()) - taken)
    return min((number for number in found if number > 0), default=None)


def _number(file: Path, name: str) -> int:
    """Return the number behind a name at the beginning of a line; 0 if there is none."""
    with suppress(OSError, ValueError):
        words = (line.split() for line in file.read_text().splitlines())
        return next((int(line[1]) for line in words if line[:1] == [name]), 0)
    return 0


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


def fits(program: Compiled) -> bool:
    """Whether a compiled program fits, as far as can be known."""
    own, free = needed(program), available()
    return own is None or free is None or own <= free


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
