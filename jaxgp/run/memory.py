"""How much memory a run needs, and how much there is: a run that does not fit is refused before it starts."""

import resource
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

import jax
from jax.stages import Compiled

from jaxgp import kinds
from jaxgp.config.schema import Config
from jaxgp.errors import RunError, reject
from jaxgp.evolution.state import EvolutionState
from jaxgp.kinds import GamesFitnessOptions
from jaxgp.options import any_of

MEMORY, PAGES = Path("/proc/meminfo"), Path("/proc/self/statm")
GROUPS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Where both versions of control groups say the limit of a container, what is in use, and what of this can be freed."""
EXHAUSTED = "RESOURCE_EXHAUSTED"
"""What XLA calls an end of the memory."""
UNITS = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


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
    return min((number for number in [*found, *_addresses()] if number > 0), default=None)


def _addresses() -> Iterator[int]:
    """Yield how many bytes this process may still map, where `ulimit -v` sets a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        with suppress(OSError, ValueError, IndexError):
            yield limit - int(PAGES.read_text().split()[0]) * resource.getpagesize()


def _number(file: Path, name: str) -> int:
    """Return the number behind a name at the beginning of a line; 0 if there is none."""
    with suppress(OSError, ValueError):
        words = (line.split() for line in file.read_text().splitlines())
        return next((int(line[1]) for line in words if line[:1] == [name]), 0)
    return 0


class Need(NamedTuple):
    """What a compiled program takes, in bytes, all devices of a CPU together."""

    arguments: int
    results: int
    temporaries: int


def parts(program: Compiled) -> Need | None:
    """Return how many bytes a compiled program takes, by its own analysis; None if XLA does not say."""
    sizes = program.memory_analysis()
    if sizes is None:
        return None
    each = jax.local_device_count() if jax.default_backend() == "cpu" else 1  # searches share the cores of a CPU
    own = sizes.argument_size_in_bytes, sizes.output_size_in_bytes, sizes.temp_size_in_bytes
    return Need(*(int(size) * each for size in own))


def count_bytes(program: Compiled) -> int | None:
    """Return how many bytes a compiled program takes with its arguments and results; None if XLA does not say."""
    found = parts(program)
    return None if found is None else sum(found)


def describe_memory(program: Compiled, chunk: int, population: int, runs: int = 1, together: int = 1) -> str:
    """Say in one line what a generation takes.

    Args:
        program: of the generation.
        chunk: individuals that are evaluated at a time.
        population: how many there are, on an island if there are islands.
        runs: how many runs the program computes.
        together: how many of them a device computes side by side.
    """
    found, free = parts(program), available()
    there = "" if free is None else f" of {_amount(free)} that are free"
    said = "not known"
    if found is not None:
        each = ", ".join(f"{name} {_amount(number)}" for name, number in found._asdict().items())
        said = f"{_amount(sum(found))}{there} ({each})"
    several = "" if runs == 1 else f"; {runs} runs, {together} side by side"
    some = "" if chunk == population else f"; {chunk:,} of {population:,} individuals evaluated at a time"
    return f"Memory: {said}{several}{some}"


def lower(chunks: Sequence[int], seen: Mapping[int, int], free: int) -> int:
    """Return the largest number of individuals at a time that may fit; 0 if none does.

    What programs need grows with this number as a straight line. Of one program alone it is taken to be in proportion,
    which asks for no fewer individuals than are right.

    Args:
        chunks: numbers to choose from, in descending order.
        seen: the bytes that programs needed by these numbers, all more than are free.
        free: bytes.
    """
    (least, need), *others = sorted(seen.items())
    beyond, more = others[0] if others else (0, 0)
    each = (more - need) / (beyond - least)
    fitting = (one for one in chunks if one < least and need - each * (least - one) <= free)
    return max(fitting, default=0)


def size(tree: object) -> int:
    """Return how many bytes arrays have, or shapes of arrays would have."""
    return sum(int(leaf.size) * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


def check_state(config: Config, state: EvolutionState) -> None:
    """Refuse a run whose states do not fit; `state` may be made of shapes. Two of them are there at a time.

    Raises:
        UsageError: the message names the option to lower.
    """
    wanted, free = 2 * size(state), available()
    if free is not None and wanted > free:
        refuse(config, state, wanted)


def fits(program: Compiled) -> bool:
    """Whether a compiled program fits, as far as can be known."""
    own, free = count_bytes(program), available()
    return own is None or free is None or own <= free


def check_program(config: Config, state: EvolutionState, program: Compiled, chunks: Sequence[int] = ()) -> None:
    """Refuse a run whose compiled generation does not fit; raises UsageError as `check_state` does.

    Args:
        config: of the run.
        state: of the run.
        program: the generation.
        chunks: how many individuals it can evaluate at a time, the present number first.
    """
    if not fits(program):
        refuse(config, state, count_bytes(program) or 0, chunks)


def refuse(config: Config, state: EvolutionState, wanted: int, chunks: Sequence[int] = ()) -> NoReturn:
    """Refuse a run that needs more bytes than are free, with the arguments of `check_program`; raises UsageError."""
    option, value = heaviest(config, state, wanted, chunks)
    fewer = chunks and chunks[0] < config.algorithm.islands.size(config.algorithm.population)
    some = f" with {chunks[0]:,} individuals at a time" if fewer else ""
    there = _amount(available() or 0)
    reject(option, value, f"less: the run needs {_amount(wanted)} of memory{some}, and {there} are free")


def heaviest(config: Config, state: EvolutionState, wanted: int, chunks: Sequence[int] = ()) -> tuple[str, int]:
    """Return the name and the value of the option to lower: that of the tables if they are most of what is needed.

    Else it is the number of individuals at a time, where an option set it and it can be lower, or the population.
    """
    if isinstance(config.fitness, GamesFitnessOptions) and 2 * 2 * size(state.memory) > wanted:
        return "fitness.table_size", config.fitness.table_size
    if config.algorithm.chunk is not None and len(chunks) > 1:
        return "algorithm.chunk", config.algorithm.chunk
    return "algorithm.population", config.algorithm.population


def _to_lower(config: Config, chunks: Sequence[int]) -> Iterator[str]:
    """Yield the options that a run needs less memory with if they are lower, most helpful first."""
    if len(chunks) > 1:
        yield f"algorithm.chunk={chunks[0]}"
    yield f"algorithm.population={config.algorithm.population}"
    if not isinstance(config.fitness, GamesFitnessOptions):
        return
    met = config.fitness.opponents
    most = max(met, key=lambda name: met[name].games * met[name].rivals, default=None)
    if most is not None and met[most].games > 1:
        yield f"fitness.opponents.{most}.games={met[most].games}"
    if any(one.kind == "search" for _, _, one in kinds.list_met(config.fitness)):
        yield f"fitness.table_size={config.fitness.table_size}"


@contextmanager
def report_exhaustion(config: Config, chunks: Sequence[int] = ()) -> Iterator[None]:
    """Within this context, an end of the memory becomes a RunError that names the options to lower.

    Args:
        config: of the run.
        chunks: how many individuals it can evaluate at a time, the present number first.
    """
    try:
        yield
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        if isinstance(error, jax.errors.JaxRuntimeError) and EXHAUSTED not in str(error):
            raise
        free = available()
        there = "" if free is None else f", of which {_amount(free)} are free"
        options = list(_to_lower(config, chunks))
        help_ = "lower one of them" if len(options) > 1 else "lower it"
        raise RunError(f"{any_of(*options)}: too large for the memory of this device{there}; {help_}") from error


def _amount(number: int) -> str:
    """Write a number of bytes for people."""
    unit, name = next((one for one in UNITS if number >= one[0]), UNITS[-1])
    return f"{number / unit:.2g} {name}" if number < 10 * unit else f"{number / unit:,.0f} {name}"
