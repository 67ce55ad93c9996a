"""The devices that share the islands of a run, or its individuals: of this process, or of several that compute it.

Every process does the same work in the same order, since each program runs on the devices of all of them. The first one
keeps the record. The others write theirs into a folder of their own, which is removed at the end, and say nothing.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh
from jax.typing import ArrayLike

import jaxgp
from jaxgp import options
from jaxgp.arrays import PARTS
from jaxgp.config.schema import Config, DeviceOptions
from jaxgp.errors import RunError, reject, rejection
from jaxgp.evolution.state import EvolutionState
from jaxgp.run import rendezvous
from jaxgp.run.assemble import Experiment
from jaxgp.search import cores

Tree = TypeVar("Tree")

OWN = ("logger", "table", "title", "compilation_cache", "keep_checkpoints")
"""Options that processes of one run need not share."""
SETTINGS = (
    "jax_enable_x64",
    "jax_default_prng_impl",
    "jax_threefry_partitionable",
    "jax_random_seed_offset",
    "jax_default_matmul_precision",
    "jax_numpy_dtype_promotion",
)
"""Settings of JAX that change what is computed."""
VARIABLES = ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "NVIDIA_TF32_OVERRIDE")
"""Variables of the environment that do."""
SHARDY = bool(getattr(jax.config, "jax_use_shardy_partitioner", True))
"""Whether JAX uses its newer partitioner by default."""


def join(config: Config) -> None:
    """Make devices of cores for the islands, and this process one of several that compute the run, as the options say.

    Without a coordinator JAX asks the environment, as SLURM and MPI set it, where the others are.

    Raises:
        RunError: the processes did not find each other, or are about to compute different things.
        UsageError: nobody says where the others are.
    """
    asked = config.devices
    if asked.count > 1:
        cores.use(asked.count // asked.processes)
    if asked.processes == 1 or jax.distributed.is_initialized():
        return
    given: dict[str, Any] = {}
    if asked.coordinator is not None:
        rendezvous.meet(asked.coordinator, asked.processes, asked.process, _work(config), asked.patience)
        given = {
            "coordinator_address": asked.coordinator,
            "num_processes": asked.processes,
            "process_id": asked.process,
        }
    try:
        jax.distributed.initialize(**given, initialization_timeout=asked.patience)
    except ValueError as error:
        accepted = f"HOST:PORT of process 0, since neither SLURM nor MPI says it ({error})"
        raise rejection("devices.coordinator", asked.coordinator, accepted) from error
    except (RuntimeError, jax.errors.JaxRuntimeError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise RunError(f"devices.processes={asked.processes}: they did not find each other ({first})") from error
    if jax.process_count() != asked.processes:
        reject("devices.processes", asked.processes, f"{jax.process_count()}, as many as were started")


def settings() -> dict[str, object]:
    """Return what people may set of JAX and XLA that changes what is computed, by its name."""
    found: dict[str, object] = {name: getattr(jax.config, name, None) for name in SETTINGS}
    return found | {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


def _work(config: Config) -> dict[str, object]:
    """Return the options that all processes must share, and the versions of what computes."""
    asked = replace(config.devices, process=0, coordinator=None, patience=1)
    values = options.departures(replace(config, devices=asked))
    shared = {name: value for name, value in values.items() if name not in OWN}
    return {**shared, "version of jaxgp": jaxgp.__version__, "version of jax": jax.__version__}


def spread(config: Config, experiment: Experiment) -> Experiment:
    """Return an experiment whose islands, or else individuals, are shared by as many devices as the options say.

    Raises:
        UsageError: there are fewer devices, or the individuals of one population cannot be shared.
    """
    count, ring, populations = config.devices.count, experiment.ring, config.algorithm.islands.count > 1
    if count > 1 and not populations and ring.fitness.shared(None) is None:
        why = f"1, or islands; individuals cannot be measured apart with this fitness.kind={config.fitness.kind}"
        reject("devices.count", count, why)
    return replace(experiment, ring=ring.shared(*share_devices(config.devices, populations)))


def share_devices(asked: DeviceOptions, populations: bool) -> tuple[int | None, Mesh | None]:
    """Return how many parts of the work a device computes side by side (None: all), and the mesh of devices.

    Args:
        asked: how many devices share the work.
        populations: whether they share islands or runs, and not the individuals of one population.

    Raises:
        UsageError: there are fewer devices.
    """
    on_cpu = jax.default_backend() == "cpu"
    together = asked.side_by_side if asked.side_by_side is not None else 1 if on_cpu else None
    # Shardy, the newer partitioner, ends the process of jaxlib 0.11.2 while it compiles islands whose programs mutate;
    # GSPMD, the older one, while it compiles islands of rollouts, and games of one population.
    older = populations and asked.count > 1 and jax.__version_info__ >= (0, 11)
    jax.config.update("jax_use_shardy_partitioner", SHARDY and not older)
    if asked.count == 1:
        return together, None
    each = asked.count // asked.processes
    if each > jax.local_device_count():
        there = jax.local_device_count() * asked.processes
        reject("devices.count", asked.count, f"a whole number from 1 to {there}, the devices that there are")
    chosen = [
        device for process in range(asked.processes) for device in jax.local_devices(process_index=process)[:each]
    ]
    return together, Mesh(np.array(chosen), (PARTS,))


def place_state(experiment: object, state: EvolutionState) -> EvolutionState:
    """Return a state on the devices that compute the run; with several processes it is the first one's state."""
    ring = getattr(experiment, "ring", None)
    if ring is not None and ring.mesh is not None:
        return ring.place(_of_first(state))
    return cores.everywhere(state)


def whole(state: Tree) -> Tree:
    """Return a state that this process can read, all of it; all processes have to ask for it at the same time."""
    if jax.process_count() == 1:
        return state
    arrays = multihost_utils.process_allgather(_data(state), tiled=True)
    return jax.tree.map(_restored, state, arrays)


def first_says(number: int) -> int:
    """Broadcast a number or a truth value of the first process; all processes have to call this together."""
    if jax.process_count() == 1:
        return number
    return int(multihost_utils.broadcast_one_to_all(np.int32(number)))


def follows(config: Config) -> bool:
    """Whether this process is one of several and not the first, which keeps the record."""
    # To ask JAX fixes the number of devices.
    return config.devices.processes > 1 and jax.process_index() > 0


@contextmanager
def hide_output() -> Iterator[Path]:
    """A context in which a process without a record prints nothing; it yields a folder for the files of the process."""
    with tempfile.TemporaryDirectory(prefix="jaxgp-") as folder, Path(os.devnull).open("w") as nowhere:
        said = sys.stdout
        sys.stdout = nowhere
        try:
            yield Path(folder)
        finally:
            sys.stdout = said
            with suppress(OSError):
                nowhere.flush()


def _of_first(state: Tree) -> Tree:
    """Return the state that the first process has."""
    if jax.process_count() == 1:
        return state
    return jax.tree.map(_restored, state, multihost_utils.broadcast_one_to_all(_data(state)))


def _is_key(leaf: jax.Array) -> bool:
    return bool(jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key))


def _data(tree: Tree) -> Tree:
    """Replace typed keys by their data, which can be sent."""
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, tree)


def _restored(like: jax.Array, data: ArrayLike) -> jax.Array:
    """Return an array on the first device of this process; a typed key where `like` is one."""
    array = jax.device_put(np.asarray(data), jax.local_devices()[0])
    return jax.random.wrap_key_data(array, impl=jax.random.key_impl(like)) if _is_key(like) else array
