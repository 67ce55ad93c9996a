"""The end of a run with candidates: they play again on new games, and the best of them is named champion."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.stages import Compiled

from jaxgp.errors import reason
from jaxgp.evolution import candidates
from jaxgp.files import write_json
from jaxgp.kinds import CandidatesFitnessOptions
from jaxgp.run import devices, loop, memory
from jaxgp.run.patience import wait_for
from jaxgp.run.signals import Stop
from jaxgp.store import champion as champions
from jaxgp.store.record import clean

Tell = Callable[[str, float], object]
"""(what goes on, seconds since it began)"""


def play(runs: Sequence[loop.Run], stop: Stop, tell: Tell) -> None:
    """Let the candidates of evolved runs play their rounds, unless they have, or `stop` is requested first.

    The runs differ in their seeds alone, so that one program is for all of them.

    Nothing is kept of rounds that were cut short; a resumed run plays them again.

    Raises:
        GivenUp: `stop` was requested while the program was compiled.
        UsageError: the program does not fit into the memory.
        RunError: the checkpoint could not be written.
    """
    waiting = [run for run in runs if run.evolved and not run.done]
    if not waiting or devices.first_says(stop.requested):
        return
    first = waiting[0]
    make = partial(first.experiment.compiled_again, first.state)
    program = loop.compile_program(first, make, stop, lambda seconds: tell(f"{_said(first)} 1: compiling", seconds))
    for run in waiting:
        _play(run, program, stop, tell)


def _said(run: loop.Run) -> str:
    assert run.state.candidates is not None
    count = int((run.state.candidates.individuals.generation >= 0).sum())
    plays = "candidate plays" if count == 1 else "candidates play"
    return f"{count} {plays} again, {_rounds(run)} rounds: round"


def _play(run: loop.Run, program: Compiled, stop: Stop, tell: Tell) -> None:
    """Let the candidates of one run play their rounds."""
    assert run.state.candidates is not None
    rounds, said = _rounds(run), _said(run)
    found = []
    for number in range(rounds):
        if devices.first_says(stop.requested):
            return
        with memory.report_exhaustion(run.config, run.experiment.chunks):
            found.append(
                wait_for(
                    lambda n=number: jax.device_get(program(run.state, jnp.int32(n))),  # type: ignore[misc]
                    tell=lambda seconds, n=number: tell(f"{said} {n + 1}", seconds),  # type: ignore[misc]
                )
            )
    fitness, points = (jnp.asarray(np.mean(each, 0), jnp.float32) for each in zip(*found, strict=True))
    settled, champion = candidates.settle(run.state.candidates, fitness, points)
    run.state = replace(run.state, champion=champion, candidates=settled)
    run.champion_saved = -1  # the one on disk may be of the same generation, with the fitness of that generation
    loop.save_champion(run)
    loop.save(run, final=True)
    _write(run, points)


def _write(run: loop.Run, points: jax.Array) -> None:
    """Write candidates.json: every candidate as a champion file has it, and its fitness in its own generation."""
    assert run.state.candidates is not None
    individuals, final = jax.device_get((run.state.candidates.individuals, run.state.candidates.final))
    content = []
    for place in np.argsort(-final):
        if np.isnan(final[place]):
            continue
        one = jax.tree.map(lambda x, p=place: x[p], individuals)
        again = replace(one, fitness=final[place], points=points[place])
        file = champions.describe(again, run.experiment.language, run.config)
        content.append(champions.as_json(file) | clean({"fitness_in_generation": one.fitness}))
    try:
        write_json(run.directory.candidates, content)
    except OSError as error:
        run.warn(f"{run.directory.candidates} not written ({reason(error)})")


def _rounds(run: loop.Run) -> int:
    fitness = run.config.fitness
    assert isinstance(fitness, CandidatesFitnessOptions)  # others have no candidates
    return fitness.final_rounds
