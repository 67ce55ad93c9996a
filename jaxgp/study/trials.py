"""Many runs in one process: similar runs share a compiled program, and can run side by side on the device.

A run's numbers are those that `scripts/train.py` gives with the same options and seed; they do not depend on the runs
before it or beside it. Runs that differ only in their seeds and in the options `TRACED` share one compiled program.
JAX's compilation cache recognises other equal programs.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.config.schema import Config
from jaxgp.contracts import Metrics
from jaxgp.errors import RunError, reason
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.state import BestSoFar, EvolutionState
from jaxgp.options import make_unchecked
from jaxgp.report.progress import duration, number
from jaxgp.report.waiting import waiting
from jaxgp.run.loop import Runnable
from jaxgp.run.patience import wait_for
from jaxgp.run.signals import Stop
from jaxgp.store import champion as champions
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from jaxgp.store.record import Row
from jaxgp.study import member, results
from jaxgp.study.design import Design, Trial
from jaxgp.study.results import TrialConfig

TRACED = ("probability", "function_probability")
"""Options of `algorithm.crossover` that are inputs of the device program instead of constants in it."""

Assemble = Callable[[Config], Runnable]
Step = Callable[[EvolutionState, Array], tuple[EvolutionState, Metrics]]
"""(states, traced options) -> (states, metrics); the states that go in are used up."""


@dataclass(frozen=True)
class RunLane:
    """One run while it is computed with others: its rows, and its champion when it ended."""

    trial: Trial
    config: Config
    rows: list[Row]
    champion: list[BestSoFar]


class Program:
    """A generation of `lanes` runs of one kind, compiled.

    Args:
        assemble: makes the experiment of a configuration.
        config: configuration of any of the runs.
        lanes: how many runs go side by side; 1: the program of `scripts/train.py`, without an axis for runs.

    Attributes:
        experiment: the experiment of that configuration.
        compile_seconds: seconds of tracing and compiling.
    """

    def __init__(self, assemble: Assemble, config: Config, lanes: int) -> None:
        self.experiment = assemble(config)
        self.lanes = lanes
        self.compile_seconds = 0.0
        self._assemble = assemble
        self._config = config
        self._step: Step | None = None

    def start(self, pairs: Sequence[TrialConfig]) -> tuple[EvolutionState, Array]:
        """Return the states before the first generation, [lanes, ...], and the traced options, float32[lanes, K]."""
        configs = [config for _, config in pairs]
        keys = jnp.stack([jax.random.key(config.seed) for config in configs])
        values = jnp.asarray(np.array([_traced(config) for config in configs], np.float32))
        if self.lanes == 1:
            return self._init(keys[0]), values[0]
        # A batch that is not full repeats its last run; the copies are left out of the results.
        fill = np.minimum(np.arange(self.lanes), len(pairs) - 1)
        return self._init(keys[fill]), values[fill]

    @cached_property
    def _init(self) -> Callable[[Array], EvolutionState]:
        init = self.experiment.init
        return jax.jit(init if self.lanes == 1 else jax.vmap(init))

    def compiled(self, states: EvolutionState, values: Array) -> Step:
        """Return the compiled generation of all lanes; the arguments give the shapes."""
        if self._step is None:
            begin = time.perf_counter()
            step = self._one if self.lanes == 1 else jax.vmap(self._one)
            with waiting("Compiling a generation"):
                self._step = jax.jit(step, donate_argnums=0).lower(states, values).compile()
            self.compile_seconds = time.perf_counter() - begin
        return self._step

    def _one(self, state: EvolutionState, values: Array) -> tuple[EvolutionState, Metrics]:
        """Run a generation of one run, with traced options in place of constants."""
        if not values.size:
            return self.experiment.step(state)
        return self._assemble(_with(self._config, list(values))).step(state)


def _traced(config: Config) -> list[float]:
    """Return the values of `TRACED`; empty if the algorithm has no such options."""
    algorithm = config.algorithm
    return [getattr(algorithm.crossover, name) for name in TRACED] if isinstance(algorithm, GPOptions) else []


def _with(config: Config, values: Sequence[float | Array]) -> Config:
    """Return a configuration with other values of `TRACED`, which may be tracers."""
    algorithm = config.algorithm
    if not isinstance(algorithm, GPOptions):
        return config
    named: dict[str, Any] = dict(zip(TRACED, values, strict=True))
    # A tracer has no value that could be checked; the values of all runs were.
    crossover = make_unchecked(type(algorithm.crossover), vars(algorithm.crossover) | named)
    return replace(config, algorithm=make_unchecked(type(algorithm), vars(algorithm) | {"crossover": crossover}))


def signature(config: Config) -> str:
    """Return a text that is equal for runs that one program can compute."""
    # It depends on the number of generations: only the host's loop uses it, but all lanes go on to the same end.
    return results.digest(_with(config, [0.0] * len(TRACED)))


def batches(pairs: Sequence[TrialConfig], size: int) -> Iterator[list[TrialConfig]]:
    """Split runs into batches that one program can compute: the next run and the following ones of its signature."""
    kinds = {trial.number: signature(config) for trial, config in pairs}
    left = list(pairs)
    while left:
        kind = kinds[left[0][0].number]
        chosen = [pair for pair in left if kinds[pair[0].number] == kind][:size]
        left = [pair for pair in left if pair not in chosen]
        yield chosen


class Bench:
    """Carries out the runs of a design in a folder; started again after a stop, it does the missing runs.

    Args:
        design: the design of the runs.
        assemble: makes the experiment of a configuration.
        folder: gets `results.jsonl`, `results.csv` and a run directory for each run below `runs/`.
        batch: how many similar runs are computed side by side in one program, which pays on a GPU. A run's seconds are
            then its share of the batch's seconds.
        say: told of each run that ends.
    """

    def __init__(
        self, design: Design, assemble: Assemble, folder: Path, batch: int, say: Callable[[str], object]
    ) -> None:
        self._design = design
        self._assemble = assemble
        self._folder = folder
        self._batch = batch
        self._say = say
        self._programs: dict[str, Program] = {}

    @property
    def compile_seconds(self) -> float:
        """Seconds of tracing and compiling all programs."""
        return sum(program.compile_seconds for program in self._programs.values())

    @property
    def programs(self) -> int:
        """How many programs have been compiled."""
        return len(self._programs)

    def run(self, pairs: Sequence[TrialConfig], stop: Stop) -> list[Row]:
        """Carry out the missing runs in the given order; return the rows of the table, earlier ones first.

        Raises:
            RunError: results could not be written; earlier ones are on disk.
            GivenUp: a stop was requested while a program compiles; earlier results are on disk.
        """
        rows = read_finished(self._folder, pairs)
        done = {row[results.KEY] for row in rows}
        todo = [pair for pair in pairs if pair[0].number not in done]
        begin = time.perf_counter()
        self._save_table(rows)
        with record.Record(self._folder / results.JSONL, rows, self._say) as kept:
            for batch in batches(todo, self._batch):
                lanes = self._compute(batch, stop)
                if not all(lane.champion for lane in lanes):
                    break  # stopped
                for lane in lanes:
                    rows.append(self._keep(lane, kept))
                    left = (time.perf_counter() - begin) / (len(rows) - len(done)) * (len(pairs) - len(rows))
                    self._say(_said(rows[-1], len(rows), len(pairs), left, self._design))
                self._save_table(rows)
        return rows

    def _compute(self, pairs: Sequence[TrialConfig], stop: Stop) -> list[RunLane]:
        """Compute the generations of a batch; if a stop was requested, lanes without a champion are incomplete.

        Raises:
            GivenUp: a stop was requested while the program compiles.
        """
        program = self._program(pairs[0][1])
        states, values = program.start(pairs)
        with waiting("Compiling the generation of these runs"):
            step = wait_for(lambda: program.compiled(states, values), lambda: stop.requested)
        lanes = [RunLane(trial, config, [], []) for trial, config in pairs]
        for generation in range(pairs[0][1].algorithm.generations):
            if stop.requested or all(lane.champion for lane in lanes):
                break
            begin = time.perf_counter()
            states, metrics = step(states, values)
            metrics, ended = jax.device_get((jax.block_until_ready(metrics), states.finished))
            seconds = (time.perf_counter() - begin) / len(lanes)
            for place, lane in enumerate(lanes):
                if lane.champion:
                    continue
                at = () if program.lanes == 1 else place
                mine = {name: value[at] for name, value in metrics.items()}
                lane.rows.append(_row(generation, mine, seconds, lane.rows))
                if ended[at] or len(lane.rows) == lane.config.algorithm.generations:
                    lane.champion.append(jax.tree.map(lambda x, at=at: x[at], states.champion))
        return lanes

    def _program(self, config: Config) -> Program:
        key = signature(config)
        if key not in self._programs:
            self._programs[key] = Program(self._assemble, config, self._batch)
        return self._programs[key]

    def _keep(self, lane: RunLane, kept: record.Record) -> Row:
        """Write the run directory, then the line that says that the run is done."""
        try:
            save_run(self._folder / "runs" / f"{lane.trial.number:04}", lane, self._program(lane.config).experiment)
        except OSError as error:
            raise RunError(f"{self._folder}: {reason(error)}; start again to go on") from error
        found = int(lane.champion[0].generation)
        made = results.row(lane.trial, self._design, member.summary(lane.rows, found))
        kept.append(made)
        return made

    def _save_table(self, rows: Sequence[Row]) -> None:
        frame = results.table(rows, [factor.name for factor in self._design.factors])
        try:
            results.save_csv(self._folder, frame)
        except OSError as error:
            raise RunError(f"{self._folder / results.CSV}: {reason(error)}") from error


def read_finished(folder: Path, pairs: Sequence[TrialConfig]) -> list[Row]:
    """Return the rows of finished runs, and remove a torn last line from the file.

    Raises:
        UsageError: the file is damaged.
        RunError: it cannot be written.
    """
    path = folder / results.JSONL
    known = {trial.number for trial, _ in pairs}
    rows = [row for row in record.read(path, results.KEY) if row[results.KEY] in known]
    try:
        record.write(path, rows)
    except OSError as error:
        raise RunError(f"{path}: {reason(error)}") from error
    return rows


def save_run(path: Path, lane: RunLane, experiment: Runnable) -> None:
    """Write a run directory without checkpoints, for other scripts to play, evaluate or export; raises OSError."""
    path.mkdir(parents=True, exist_ok=True)
    run = RunDirectory(path)
    generations = lane.config.algorithm.generations
    run.write_config(lane.config)
    record.write(run.record, lane.rows)
    champions.write(run.champion, champions.describe(lane.champion[0], experiment.language, lane.config))
    run.write_status("complete", len(lane.rows), generations)


def _row(generation: int, metrics: Metrics, seconds: float, before: Sequence[Row]) -> Row:
    elapsed = (before[-1]["elapsed"] if before else 0.0) + seconds
    named = record.clean({"generation": generation, **metrics})
    return named | {"seconds": round(seconds, 6), "elapsed": round(elapsed, 6)}


def _said(row: Row, done: int, of: int, left: float, design: Design) -> str:
    where = [row["group"], *(f"{factor.name}={row[factor.name]}" for factor in design.factors)]
    measured = f"fitness {number(row['fitness'])}, {row['seconds']:.1f} s"
    return f"run {done} of {of} ({', '.join(where)}): {measured}; {duration(left)} left"
