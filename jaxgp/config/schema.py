"""The configuration of a run: sections, whose options are declared beside what they steer, and the options of a run.

Hydra composes the values from `conf/`; `validate` checks them before anything is computed. Importing this module does
not import JAX, so a wrong option fails fast.
"""

from dataclasses import dataclass
from typing import Any

from jaxgp.evolution.options import GPOptions, GroupsOptions
from jaxgp.kinds import FitnessOptions
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.options import MAX_CORES, MAX_COUNT, MAX_SECONDS, MAX_SEED, option
from jaxgp.schemes.cma import CMAOptions

METRICS = ("fitness", "points", "size", "found", "generations", "seconds")
"""What is measured in a run as a whole; all but the last two of its champion."""


@dataclass
class LoggerOptions:
    """What mirrors metrics.jsonl; all options but the first are of Weights & Biases."""

    mode: str = option(
        "offline",
        "offline: W&B, below the run directory, `wandb sync` sends it later; online: W&B; csv: metrics.csv; "
        "tensorboard: event files in tensorboard/; disabled: nothing, W&B is not even imported",
        ("offline", "online", "csv", "tensorboard", "disabled"),
    )
    project: str = option("jaxgp", "the project that the run is filed under")
    entity: str | None = option(None, "whose project it is; null: one's own")
    group: str | None = option(
        None, "runs of one group are shown together; null: the sweep or the experiment that the run is of"
    )
    job_type: str | None = option(
        None, "what kind of run it is; null: train, sweep for a member of a sweep, seeds for one of `seeds`"
    )
    tags: list[str] = option([], "labels of the run")
    checkpoints: bool = option(False, "whether the last checkpoint is kept there, too")


@dataclass
class DeviceOptions:
    """Devices that share the islands of a run, or its individuals, or the runs of `seeds`; of one process or many.

    They change the time, not the result.
    """

    count: int = option(
        1,
        "devices, of all processes together, that share the islands, or the individuals of one population; it divides "
        "their number; or that share `seeds`",
        low=1,
        high=MAX_CORES,
    )
    processes: int = option(
        1, "processes that compute the run together, each with as many of the devices", low=1, high=MAX_CORES
    )
    process: int = option(0, "the number of this process; 0 keeps the record", low=0, high=MAX_CORES)
    coordinator: str | None = option(
        None,
        "host:port of process 0, for all processes; null: SLURM or MPI say where it is, and which process this is",
        own=True,
    )
    patience: int = option(
        300, "how long processes wait for each other at the start", low=1, high=MAX_SECONDS, unit="seconds"
    )
    side_by_side: int | None = option(
        None,
        "islands, or runs of `seeds`, that a device computes at a time; null: one on a CPU, elsewhere all",
        low=1,
        high=MAX_CORES,
    )


@dataclass
class Config:
    """Everything a run depends on."""

    game: dict[str, Any] = option({}, "name, and the settings of that game's rules")
    program: dict[str, Any] = option({}, "how genomes play the game: role, and the options of that role")
    algorithm: GPOptions | GroupsOptions | CMAOptions = option(
        GPOptions(), "how genomes evolve; algorithm.kind: which algorithm"
    )
    fitness: FitnessOptions = option(PanelFitnessOptions(), "what genomes are selected by; fitness.kind: which fitness")
    logger: LoggerOptions = option(
        LoggerOptions(), "Weights & Biases, a CSV file or TensorBoard, as a mirror of metrics.jsonl"
    )
    seed: int = option(0, "the seed of all random draws", low=0, high=MAX_SEED, label="seed")
    seeds: str | None = option(
        None,
        "FIRST-LAST, as in 0-9: a run of each of these seeds, all in one program, in hydra.run.dir/SEED; null: one run",
    )
    resume: str | None = option(
        None,
        "a run directory to go on with; auto: go on if hydra.run.dir holds a run, else start one",
        path=True,
    )
    checkpoint_every: int = option(10, "generations between checkpoints", low=1, high=MAX_COUNT)
    keep_checkpoints: int = option(2, "checkpoints that are kept", low=1, high=MAX_COUNT)
    metric: str = option(
        "fitness", "what Optuna optimises, and by which the page of a sweep compares settings", METRICS
    )
    title: str = option("", "one line that names the run in its report")
    table: str | None = option(
        None, "a CSV file that gets a row for the run when it has come to its end; null: none", path=True, own=True
    )
    cores: int | None = option(
        None,
        "CPU cores that share searches as devices; null: all, up to 8, if programs search in lanes, else one, whose "
        "threads share what runs in C++",
        low=1,
        high=MAX_CORES,
    )
    devices: DeviceOptions = option(
        DeviceOptions(), "devices that share the islands or individuals of a run, or the runs of several seeds"
    )
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True, own=True
    )
