"""The loop over generations: step, record, notify observers, checkpoint. A crash loses no recorded generation."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import jax
from jax import Array
from jax.stages import Compiled

from jaxgp.config.schema import Config
from jaxgp.contracts import Metrics
from jaxgp.errors import RunError, reason
from jaxgp.evolution.state import EvolutionState
from jaxgp.genotypes.language import Language
from jaxgp.host.replay import ReplayGame
from jaxgp.run import devices, memory
from jaxgp.run.patience import wait_for
from jaxgp.run.signals import Stop
from jaxgp.store import champion as champions
from jaxgp.store import checkpoint
from jaxgp.store.directory import RunDirectory, digest
from jaxgp.store.record import Record, Row, clean

Warn = Callable[[str], None]


class Experiment(Protocol):
    """A game, the language of its genomes and one generation as a device program."""

    @property
    def language(self) -> Language: ...

    def init(self, key: Array) -> EvolutionState:
        """Return the first, unevaluated generation."""
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

    def replay(self, state: EvolutionState) -> list[ReplayGame]:
        """Play the champion against its panel in its last state, for people to look at."""
        ...


class Observer(Protocol):
    """Something that follows the run; it must not raise."""

    def update(self, row: Row) -> None:
        """Receive the row of a generation; it is on disk already."""
        ...


@dataclass
class Run:
    """One run in progress: its state on the device, its rows so far, and where it is kept."""

    experiment: Experiment
    config: Config
    directory: RunDirectory
    state: EvolutionState
    rows: list[Row] = field(default_factory=list)
    warn: Warn = print
    compile_seconds: float = 0.0  # that are not part of any row yet
    saved: int = -1  # generation of the newest checkpoint
    champion_saved: int = -1  # generation in which the champion on disk was found

    @property
    def generation(self) -> int:
        """Generations evaluated so far."""
        return len(self.rows)

    @property
    def evolved(self) -> bool:
        """Whether no generation is left."""
        return self.generation >= self.config.algorithm.generations or bool(self.state.finished)

    @property
    def done(self) -> bool:
        """Whether nothing is left: no generation, and no games that name the champion."""
        return self.evolved and (self.state.candidates is None or bool(self.state.candidates.settled))


def compiled(
    run: Run, make: Callable[[EvolutionState], Compiled], stop: Stop, tell: Callable[[float], object]
) -> Compiled:
    """Compile a program of a run, which may take minutes.

    Args:
        run: the program is for its state.
        make: compiles, one of the methods of the experiment.
        stop: ends the waiting when it is requested.
        tell: hears for how many seconds it has compiled.

    Raises:
        GivenUp: `stop` was requested. Nothing is lost, since nothing was computed.
        UsageError: the program does not fit into the memory.
    """
    stop.compiling = True
    with memory.reported(run.config):
        program = wait_for(lambda: make(run.state), lambda: stop.requested, tell)
    memory.check_program(run.config, run.state, program)
    stop.compiling = False
    return program


def evolve(run: Run, program: Compiled, stop: Stop, observers: list[Observer]) -> None:
    """Go on until the last generation, until the aim is reached or until `stop` is requested.

    Raises:
        RunError: the record could not be written, or no checkpoint could be written at the end.
    """
    with Record(run.directory.record) as record:
        try:
            while not (run.evolved or devices.first_says(stop.requested)):
                row = _generation(run, program, record)
                for observer in observers:
                    observer.update(row)
                if run.generation % run.config.checkpoint_every == 0:
                    save(run, final=False)
        finally:
            # After an error, too: the last complete generation is worth keeping. Other processes would not answer then.
            alone = jax.process_count() == 1 or sys.exc_info()[0] is None
            if alone and devices.first_says(run.generation > max(run.saved, 0)):
                save(run, final=True)


def _generation(run: Run, program: Compiled, record: Record) -> Row:
    """Compute one generation and write its row to disk; only then let go of the state before."""

    def step() -> tuple[EvolutionState, Metrics]:
        state, metrics = jax.block_until_ready(program(run.state))
        return state, jax.device_get(metrics)

    begin = time.perf_counter()
    with memory.reported(run.config):
        state, metrics = wait_for(step)
    seconds = time.perf_counter() - begin + run.compile_seconds
    run.compile_seconds = 0.0
    row = clean({"generation": run.generation, **metrics})
    before = run.rows[-1]["elapsed"] if run.rows else 0.0
    row |= {"seconds": round(seconds, 6), "elapsed": round(before + seconds, 6)}
    if row["generation"] != run.generation:
        raise RuntimeError(f"the step evaluated generation {row['generation']}, expected {run.generation}")
    _follow(run)
    record.append(row)
    run.state = state
    run.rows.append(row)
    save_champion(run)
    return row


def _follow(run: Run) -> None:
    """Go on where the run directory is now; raises RunError if it is gone."""
    if run.directory.follow():
        run.warn(f"the run directory was renamed; going on in {run.directory.path}")


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
