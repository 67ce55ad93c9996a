"""The loop over generations: step, record, notify observers, checkpoint. A crash loses no recorded generation."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import jax
import numpy as np
from jax import Array
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax.stages import Compiled

from jaxgp.config.schema import Config
from jaxgp.contracts import Metrics
from jaxgp.errors import RunError, reason
from jaxgp.evolution.state import EvolutionState
from jaxgp.genotypes.language import Language
from jaxgp.host.replay import ReplayGame
from jaxgp.run import devices, memory
from jaxgp.run.patience import wait_for
from jaxgp.run.signals import AFTER_GENERATION, AT_ONCE, Stop
from jaxgp.store import champion as champions
from jaxgp.store import checkpoint
from jaxgp.store import record as records
from jaxgp.store.directory import RunDirectory, digest
from jaxgp.store.record import Record, Row, clean

ALIKE = 3
"""Generations without a difference in fitness after which a person is warned."""
Warn = Callable[[str], None]
Program = Callable[[list[EvolutionState]], Sequence[tuple[EvolutionState, Metrics]]]
"""A generation of every run."""


class Runnable(Protocol):
    """A game, the language of its genomes and one generation as a device program."""

    @property
    def language(self) -> Language: ...

    @property
    def chunks(self) -> Sequence[int]:
        """How many individuals it can evaluate at a time, the present number first, then all lower ones."""
        ...

    def in_chunks(self, chunk: int) -> "Runnable":
        """Return the experiment that evaluates this many individuals at a time, one of `chunks`; it finds the same."""
        ...

    def init(self, key: Array) -> EvolutionState:
        """Return the first, unevaluated generation."""
        ...

    def begin(self, config: Config) -> EvolutionState:
        """Return the first, unevaluated generation of a run whose configuration may differ in its seed."""
        ...

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Evaluate the waiting generation and breed the next.

        The metrics are scalars, or float32[I], a number for each island; `generation` is the number of the one that was
        evaluated. Once `state.finished` is set, the run has reached its aim and no further step is asked for.
        """
        ...

    def compiled(self, state: EvolutionState) -> Compiled:
        """Compile `step` for states like this one, which may take minutes."""
        ...

    def compiled_again(self, state: EvolutionState) -> Compiled:
        """Compile (state, int32[] round) -> float32[K] fitness, float32[K, S] points: new games of the candidates."""
        ...

    def compiled_together(self, states: Sequence[EvolutionState], together: int | None, mesh: Mesh | None) -> Compiled:
        """Compile list of states -> list of (state, metrics), `step` for each of several runs.

        Args:
            states: of the runs.
            together: how many runs a device computes side by side; None: all that it has.
            mesh: of devices that share the runs; None: one device has all.
        """
        ...

    def replay(self, state: EvolutionState, seed: int) -> list[ReplayGame]:
        """Play the champion against its panel in its last state, for people to look at; `seed` is that of chance."""
        ...

    def notations(self, state: EvolutionState) -> dict[str, str]:
        """Return the champion as the game writes it for programs outside, by notation."""
        ...

    def closing(self, state: EvolutionState) -> str | None:
        """Say in a line what the champion of a run at its end is worth; None: nothing is said."""
        ...


@dataclass(frozen=True)
class End:
    """How the work of a process on a run has ended.

    Attributes:
        exit_code: 0 if nothing went wrong.
        summary: what is said of the whole run: its state, its champion.
        games: of the champion, for people to look at; may be empty.
    """

    exit_code: int
    summary: Mapping[str, object] = field(default_factory=dict)
    games: Sequence[ReplayGame] = ()


class Observer(Protocol):
    """Something that follows the run; it must not raise."""

    def update(self, row: Row) -> None:
        """Receive the row of a generation; it is on disk already, and in the rows of the run."""
        ...

    def finish(self, end: End) -> None:
        """Receive the end; plots and report are on disk already."""
        ...


@dataclass
class Run:
    """One run in progress: its state on the device, its rows so far, and where it is kept."""

    experiment: Runnable
    config: Config
    directory: RunDirectory
    state: EvolutionState
    rows: list[Row] = field(default_factory=list)
    warn: Warn = print
    compile_seconds: float = 0.0  # that are not part of any row yet
    saved: int = -1  # generation of the newest checkpoint
    champion_saved: int = -1  # generation in which the champion on disk was found
    observers: Sequence[Observer] = ()

    @property
    def generation(self) -> int:
        """Generations evaluated so far."""
        return len(self.rows)

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.config.title or f"{self.config.game['name']}, seed {self.config.seed}"

    @property
    def evolved(self) -> bool:
        """Whether no generation is left."""
        # Before the first generation nothing is finished; a first state that is still computed is not waited for.
        done = self.generation
        return done >= self.config.algorithm.generations or (done > 0 and bool(self.state.finished))

    @property
    def ending(self) -> str | None:
        """What ended the evolution: `stagnation`, the `aim` of the run, or its `generations`; None: it goes on."""
        if not self.evolved:
            return None
        if not self.state.finished:
            return "generations"
        limit = self.config.algorithm.stagnation
        stood = self.rows[-1].get("stagnation", 0) if self.rows else 0
        return "stagnation" if limit is not None and stood >= limit else "aim"

    @property
    def done(self) -> bool:
        """Whether nothing is left: no generation, and no games that name the champion."""
        return self.evolved and (self.state.candidates is None or bool(self.state.candidates.settled))

    @property
    def standing(self) -> str:
        """What its status says when nobody computes it."""
        return "complete" if self.done else "interrupted"


def compile_program(
    run: Run, make: Callable[[], Compiled], stop: Stop, tell: Callable[[float], object], checked: bool = True
) -> Compiled:
    """Compile a program of a run, which may take minutes.

    Args:
        run: the program is for its state.
        make: compiles.
        stop: ends the waiting when it is requested.
        tell: hears for how many seconds it has compiled.
        checked: whether a program that does not fit into the memory is an error.

    Raises:
        GivenUp: `stop` was requested. Nothing is lost, since nothing was computed.
        UsageError: the program does not fit into the memory.
    """
    stop.then = AT_ONCE
    with memory.report_exhaustion(run.config, run.experiment.chunks):
        program = wait_for(make, lambda: stop.requested, tell)
    if checked:
        memory.check_program(run.config, run.state, program, run.experiment.chunks)
    stop.then = AFTER_GENERATION
    return program


def fitting(
    runs: Sequence[Run], make: Callable[[Runnable], Compiled], stop: Stop, tell: Callable[[float], object]
) -> Compiled:
    """Compile a program for runs, which then go on with the experiment that it is of.

    Unless an option sets how many individuals are evaluated at a time, these are the most that fit into the memory.

    Args:
        runs: differ in their seeds alone.
        make: compiles.
        stop: as in `compile_program`.
        tell: as in `compile_program`.

    Raises:
        GivenUp: as `compile_program` does.
        UsageError: the program does not fit, with the fewest individuals at a time or with the number that is set.
    """
    run, seen = runs[0], dict[int, int]()
    choices = run.experiment.chunks if run.config.algorithm.chunk is None else ()
    while True:
        program = compile_program(run, partial(make, run.experiment), stop, tell, checked=False)
        # Several processes decide alike, however much memory each of them has.
        if devices.first_says(memory.fits(program)):
            return program
        seen[run.experiment.chunks[0]] = memory.count_bytes(program) or 0
        chunk = devices.first_says(memory.lower(choices, seen, memory.available() or 0))
        if not chunk:
            memory.refuse(run.config, run.state, seen[run.experiment.chunks[0]], run.experiment.chunks)
        experiment = run.experiment.in_chunks(chunk)
        for one in runs:
            one.experiment = experiment


def together(
    config: Config, runs: Sequence[Run], stop: Stop, tell: Callable[[float], object]
) -> tuple[Compiled, Program, int]:
    """Compile one program for several runs, and put their states where it takes them.

    It computes half as many of them side by side, and half of these, until it fits into the memory. Of one at a time it
    evaluates fewer individuals at a time; see `fitting`. On one device this is the program of a run alone.

    Args:
        config: says which devices share the runs.
        runs: differ in their seeds, and in which primitives they leave out.
        stop: as in `compile_program`.
        tell: as in `compile_program`.

    Returns:
        What was compiled, the generation of all runs, and how many of them a device computes side by side.

    Raises:
        GivenUp: as `compile_program` does.
        UsageError: there are fewer devices, or the program does not fit with one run at a time.
    """
    most, mesh = devices.share_devices(config.devices, True)
    most = most or len(runs)
    if mesh is not None:
        for run in runs:
            run.state = jax.device_put(run.state, NamedSharding(mesh, PartitionSpec()))
    states = [run.state for run in runs]
    while most > 1:
        make = partial(runs[0].experiment.compiled_together, states, most, mesh)
        program = compile_program(runs[0], make, stop, tell, checked=False)
        if memory.fits(program):
            return program, program, most
        most = -(-most // 2)
    if mesh is None:
        alone = fitting(runs, lambda experiment: experiment.compiled(states[0]), stop, tell)
        return alone, lambda states: [alone(state) for state in states], 1
    program = fitting(runs, lambda experiment: experiment.compiled_together(states, 1, mesh), stop, tell)
    return program, program, 1


def evolve(runs: Sequence[Run], program: Program, stop: Stop, show: Callable[[Sequence[Row]], object]) -> None:
    """Go on until the last generation, until the aim is reached or until `stop` is requested.

    Args:
        runs: at least one. One that has come to its end waits for the others.
        program: computes a generation of all of them.
        stop: ends the loop when it is requested.
        show: told the rows of a generation of the runs that still go on.

    Raises:
        RunError: a record could not be written, or no checkpoint could be written at the end.
    """
    with ExitStack() as opened:
        kept = [opened.enter_context(Record(run.directory.record, run.rows, run.warn)) for run in runs]
        try:
            while not (all(run.evolved for run in runs) or devices.first_says(stop.requested)):
                show(_generation(runs, program, kept))
                for run in runs:
                    if run.generation % run.config.checkpoint_every == 0 and run.generation > run.saved:
                        save(run, final=False)
            for run in runs:
                settle(run)
        finally:
            # After an error, too: the last complete generation is worth keeping. Other processes would not answer then.
            alone = jax.process_count() == 1 or sys.exc_info()[0] is None
            for run in runs:
                if alone and devices.first_says(run.generation > max(run.saved, 0)):
                    save(run, final=True)


def _generation(runs: Sequence[Run], program: Program, kept: Sequence[Record]) -> list[Row]:
    """Compute one generation and write the rows to disk; only then let go of the states before.

    The seconds of a row are the share of its run.
    """

    def step() -> list[tuple[EvolutionState, Metrics]]:
        found = jax.block_until_ready(program([run.state for run in runs]))
        return [(state, jax.device_get(metrics)) for state, metrics in found]

    begin = time.perf_counter()
    with memory.report_exhaustion(runs[0].config, runs[0].experiment.chunks):
        found = wait_for(step)
    going = [(run, *new, record) for run, new, record in zip(runs, found, kept, strict=True) if not run.evolved]
    seconds = (time.perf_counter() - begin) / len(going)
    return [_keep(run, state, metrics, seconds, record) for run, state, metrics, record in going]


def _keep(run: Run, state: EvolutionState, metrics: Metrics, seconds: float, record: Record) -> Row:
    """Write what a generation of a run has shown, and return its row."""
    seconds += run.compile_seconds
    run.compile_seconds = 0.0
    row = clean({"generation": run.generation, **metrics})
    before = run.rows[-1]["elapsed"] if run.rows else 0.0
    row |= {"seconds": round(seconds, 6), "elapsed": round(before + seconds, 6)}
    if row["generation"] != run.generation:
        raise RuntimeError(f"the step evaluated generation {row['generation']}, expected {run.generation}")
    _follow(run)
    record.path = run.directory.record
    record.append(row)
    run.state = state
    run.rows.append(row)
    if run.generation >= ALIKE and all(map(_alike, run.rows[-ALIKE:])) and not any(map(_alike, run.rows[:-ALIKE])):
        run.warn(
            f"all individuals have had the fitness {row['best_fitness']} for {ALIKE} generations, so selection has "
            "nothing to choose by; other opponents or other points tell them apart: --help lists those of fitness"
        )
    save_champion(run)
    if run.saved > 0 and not checkpoint.is_there(run.directory.checkpoints, run.saved):
        run.warn(f"{run.directory.checkpoints}: the newest checkpoint was removed from outside; another one is written")
        save(run, final=False)
    for observer in run.observers:
        observer.update(row)
    return row


def _alike(row: Row) -> bool:
    """Whether all individuals of a generation have one fitness."""
    best, mean = (np.array(row.get(f"{name}_fitness"), float) for name in ("best", "mean"))  # nan for None
    return bool((np.abs(best - mean) <= 1e-6 * np.maximum(np.abs(best), 1)).all())


def _follow(run: Run) -> None:
    """Go on where the run directory is now, with all that the run needs there; raises RunError if it is gone."""
    if run.directory.follow():
        run.warn(f"the run directory was renamed; going on in {run.directory.path}")
    for path in run.directory.restore(run.config):
        run.warn(f"{path} was removed from outside; it is written anew")


def settle(run: Run) -> None:
    """Make sure that the run directory is there with its whole record; raises RunError."""
    _follow(run)
    if not run.directory.record.is_file() and run.rows:
        try:
            records.write(run.directory.record, run.rows)
        except OSError as error:
            raise RunError(f"{run.directory.record}: {reason(error)}") from error
        run.warn(f"{run.directory.record} was removed from outside; its {len(run.rows)} rows are written anew")


def save(run: Run, final: bool) -> None:
    """Write a checkpoint. A failure is only a warning, unless the checkpoint is the final one."""
    _follow(run)
    folder, generation = run.directory.checkpoints, run.generation
    state = devices.whole(run.state)
    try:
        checkpoint.save(folder, generation, state, digest(run.config), run.config.keep_checkpoints)
        run.saved = generation
        run.directory.write_status("running", generation, run.config.algorithm.generations)
    except OSError as error:
        if final:
            last = f"the run can go on from generation {run.saved}" if run.saved > 0 else "there is no checkpoint"
            raise RunError(f"{folder}: {reason(error)}; {last}") from error
        run.warn(f"checkpoint after {generation} generations not written ({reason(error)})")


def save_champion(run: Run) -> None:
    """Write champion.json if there is a better champion than the one on disk."""
    found = int(run.state.champion.generation)
    if run.generation == 0 or found == run.champion_saved:
        return
    content = champions.describe(run.state.champion, run.experiment.language, run.config)
    try:
        champions.write(run.directory.champion, content)
        run.champion_saved = found
    except OSError as error:
        run.warn(f"{run.directory.champion} not written ({reason(error)})")
