"""One run from start to finish: the work of `scripts/train.py` after its options have been checked."""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import jax

from jaxgp.config.games import cast_of, describe_game
from jaxgp.config.quoting import quote_for_shell, trains
from jaxgp.config.schema import Config
from jaxgp.contracts import Prover, Solver
from jaxgp.errors import RunError, UsageError, reason
from jaxgp.evolution.options import of_island
from jaxgp.evolution.state import EvolutionState, fault_of
from jaxgp.files import make_directory, short, user_path, write_json
from jaxgp.games.casting import Cast
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import UNITS, kind
from jaxgp.native.build import compiles
from jaxgp.players.searched import SearchedPlayer
from jaxgp.printable import one_line
from jaxgp.reading import read_json
from jaxgp.report.progress import Progress, is_measured, print_pairs, yardstick
from jaxgp.report.tableau import heading, tableau
from jaxgp.report.waiting import waiting
from jaxgp.run import devices, finals, loop, memory
from jaxgp.run.assemble import assemble
from jaxgp.run.mirroring import mirrors
from jaxgp.run.patience import GivenUp, end_at_once, wait_for
from jaxgp.run.resume import RunPlan, again
from jaxgp.run.signals import AFTER_GENERATION, AFTER_REPORT, Stop
from jaxgp.search import cores
from jaxgp.store import champion as champions
from jaxgp.store import checkpoint, compiled, record, runs
from jaxgp.store.directory import RunDirectory, changes, digest, environment, narrow
from jaxgp.store.table import CSVTable

SHOWN = 2000
"""Characters of a champion that the terminal shows; longer ones are in their file alone."""


def train(plan: RunPlan, games: Games) -> int:
    """Start or resume a run and carry it to its end.

    Args:
        plan: the plan that `resume.plan` returned.
        games: where games come from.

    Returns:
        0 when the last generation is done, or the aim is reached.

    Raises:
        UsageError: the directory, its checkpoint or a setting of the game is wrong.
        RunError: the run cannot go on; what was computed is on disk.
        SystemExit: stopped by a signal, with the run saved; the code is 128 + its number. Nothing else is begun then,
            also where the run has come to its end.
    """
    try:
        devices.join(plan.config)
    except (UsageError, RunError):
        with suppress(OSError):  # it is not empty where a run is resumed
            plan.directory.rmdir()
        raise
    if devices.follows(plan.config):
        with devices.hide_output() as folder:
            unseen = replace(plan.config, logger=replace(plan.config.logger, mode="disabled"), table=None)
            return _train(replace(plan, config=unseen, directory=folder, resumed=False), games)
    return _train(plan, games)


def _train(plan: RunPlan, games: Games) -> int:
    """Carry out a plan in this process; returns and raises like `train`."""
    directories = [RunDirectory(one.directory) for one in plan.runs]
    with ExitStack() as locked:
        for directory in directories:
            if plan.members:
                make_directory(directory.path, "hydra.run.dir")
            directory.lock()
            locked.callback(directory.unlock)
        try:
            try:
                # What is assembled is sized for the device, and cores are devices, which so come first.
                _use_cores(plan.config, cast_of(plan.config, games, plan.config.algorithm.genotype))
                experiment = assemble(plan.config, games)
            except ValueError as error:
                raise UsageError(str(error)) from error
            if not plan.members:  # else devices share the runs
                experiment = devices.spread(plan.config, experiment)
            code = conduct(plan, directories, experiment)
            if plan.config.table is not None:
                for one, directory in zip(plan.runs, directories, strict=True):
                    add_row(one.config, plan.config.table, directory, describe_game(experiment.cast.game))
            if code:
                raise SystemExit(code)
            return code
        except UsageError:
            for directory in directories:
                directory.discard()
            raise


def add_row(config: Config, path: str, directory: RunDirectory, game: str) -> None:
    """Add the row of a run that has ended to a table, unless it is there already.

    Raises:
        RunError: it could not be written; the row is printed.
    """
    table = CSVTable(user_path("table", path), runs.COLUMNS)
    try:
        row = runs.row(directory, config, game)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"table={path}: no row ({one_line(error)})") from error
    try:
        added = table.append(row, runs.SAME, _warn)
    except KeyboardInterrupt:
        _say(table.line(row))
        _warn(f"table={path}: the row of this run is printed above, and not in the table")
        raise
    except (OSError, UsageError) as error:
        _say(table.line(row))
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise RunError(f"table={path}: cannot be written ({why}); the row of this run is printed above") from error
    _say(f"Row of the run {'added to' if added else 'is in'} {short(table.path)}")


def conduct(plan: RunPlan, directories: Sequence[RunDirectory], experiment: loop.Runnable) -> int:
    """Run an assembled experiment, for each run of the plan; raises like `train`.

    Returns:
        0 when the last generation is done, or the aim is reached; 128 + the number of a signal that came meanwhile.
    """
    config = plan.config
    use_compilation_cache(config.compilation_cache)
    _announce(plan, directories, experiment)
    with waiting("Compiling the first population"):
        runs = [_begun(one, place, experiment) for one, place in zip(plan.runs, directories, strict=True)]
    if done := min(run.generation for run in runs):
        _say(f"going on after {done} generations")
    unit = UNITS[kind(experiment.language)]
    with Progress(config.algorithm.generations, unit=unit) as progress, Stop(progress.say) as stop:
        for run in runs:
            run.warn = progress.say
        going = [run for run in runs if not run.evolved]
        program = _compiled(plan, going, stop, progress) if going else None
        for run, one in zip(runs, plan.runs, strict=True):
            _begin(run, one.command)
            run.observers = mirrors.of(run)
        failed = True
        stop.then = AFTER_GENERATION
        try:
            progress.begin(runs[0].rows[-1] if runs[0].rows else None)
            if program is not None:
                loop.evolve(going, program, stop, progress.show)
            _finals(plan, runs, stop, progress)
            for run in runs:
                run.state = devices.whole(run.state)
            failed = False
        finally:
            stop.then = AFTER_REPORT
            for run in runs:
                code = stop.exit_code if stop.requested else int(failed)
                end = _finish(run, "failed" if failed else run.standing, code, progress, plan.reported)
                for observer in run.observers:
                    observer.finish(end)
    for run in runs:
        loop.settle(run)
    if devices.follows(config):
        return 0
    if not plan.members:
        _conclude(runs[0])
    if not all(run.done for run in runs):
        _say_how_to_go_on(plan, runs)
        stop.pass_on()
        raise SystemExit(stop.exit_code)
    return stop.exit_code if stop.requested else 0


def _begun(plan: RunPlan, directory: RunDirectory, experiment: loop.Runnable) -> loop.Run:
    """Return a run at its beginning, or where its directory says; raises like `_fresh` and `_restore`."""
    run = (_restore if plan.resumed else _fresh)(plan.config, directory, experiment)
    run.state = devices.place_state(experiment, run.state)
    _follow_first(run)
    return run


def _compiled(plan: RunPlan, runs: Sequence[loop.Run], stop: Stop, progress: Progress) -> loop.Program:
    """Compile the program of a generation; if a stop is asked for meanwhile, end the process at once."""
    begin, first = time.perf_counter(), runs[0]
    tell = lambda seconds: progress.wait(first.generation, seconds)  # noqa: E731
    try:
        if plan.members:
            made, program, together = loop.together(plan.config, runs, stop, tell)
        else:
            made, together = loop.fitting(runs, lambda experiment: experiment.compiled(first.state), stop, tell), 1
            program = lambda states: [made(states[0])]  # noqa: E731
    except GivenUp:
        _give_up(plan, runs, stop)
    for run in runs:
        run.compile_seconds = (time.perf_counter() - begin) / len(runs)
    population = of_island(plan.config.algorithm).population
    progress.say(memory.describe_memory(made, first.experiment.chunks[0], population, len(runs), together))
    return program


def _finals(plan: RunPlan, runs: Sequence[loop.Run], stop: Stop, progress: Progress) -> None:
    """Let the candidates play again; if a stop is asked for while their games are compiled, end the process at once."""
    try:
        finals.play(runs, stop, progress.work)
    except GivenUp:
        _give_up(plan, runs, stop)


def _give_up(plan: RunPlan, runs: Sequence[loop.Run], stop: Stop) -> NoReturn:
    """End the process while a program is compiled, and say how to go on."""
    if any(run.directory.holds_run() for run in runs):
        _say_how_to_go_on(plan, runs)
    else:
        _say("Stopped before the first generation; the same command starts again.")
        for run in runs:
            run.directory.discard()
    stop.pass_on()
    end_at_once(stop.exit_code)


def _say_how_to_go_on(plan: RunPlan, runs: Sequence[loop.Run]) -> None:
    done = min(run.generation for run in runs)
    folder = runs[0].directory.path.parent if plan.members else runs[0].directory.path
    _say(f"Stopped after {done} of {plan.config.algorithm.generations} generations. Go on with:")
    _say(f"  {trains(sys.argv[0])} {again(plan.config, short(folder))}")


def _conclude(run: loop.Run) -> None:
    """Show the champion of a run, and say what has ended it early, and what the fitness says of the champion."""
    best = _show_champion(run)
    config = run.config
    done = f"after {run.generation} of {config.algorithm.generations} generations"
    if run.ending == "aim":
        _say(f"Aim reached {done}: {config.fitness.aim(config) or 'the fitness is as it should be'}.")
    if run.ending == "stagnation":
        _say(f"Ended {done}: in the last {config.algorithm.stagnation} nobody was better than the best before.")
    if run.done and best is not None and (failed := champions.unevolved(best, run.generation)):
        _say(failed)
    if run.done and (last := run.experiment.closing(run.state)):
        _say(last)


def _use_cores(config: Config, cast: Cast) -> None:
    """Share searches among cores, unless islands are; by default only if programs search, which is most of the work.

    Searches of games in C++ share them among threads of one device. That is twice as fast, since each device would do
    all other work of a generation as well.
    """
    actor = cast.actor
    by_device = isinstance(actor, Solver | Prover) or (isinstance(actor, SearchedPlayer) and not compiles())
    if config.devices.count == 1:
        cores.use(config.cores or (None if by_device else 1))


def _follow_first(run: loop.Run) -> None:
    """Let every process begin where the first one does: with as many rows and as many saved generations."""
    done, saved = devices.first_says(len(run.rows)), devices.first_says(run.saved)
    if devices.follows(run.config):
        run.rows = [{"generation": number, "elapsed": 0.0} for number in range(done)]
        run.saved = saved


def use_compilation_cache(folder: str | None) -> None:
    """Keep compiled programs in a folder between runs, unless the environment names one; failure is only a warning."""
    if folder is None or os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        return
    path = Path(folder).expanduser()
    try:
        path.mkdir(parents=True, exist_ok=True)
        compiled.tidy(path)
    except OSError as error:
        _warn(f"compilation_cache={folder}: not used ({reason(error)})")
        return
    jax.config.update("jax_compilation_cache_dir", str(path))


def _fresh(config: Config, directory: RunDirectory, experiment: loop.Runnable) -> loop.Run:
    if directory.holds_run():  # two starts at the same moment
        again = quote_for_shell("resume", directory.path)
        raise UsageError(f"hydra.run.dir={directory.path}: already holds a run; go on with it by {again}")
    if left := directory.remains():
        why = f"holds {left.name} of a run whose config.yaml is missing; put it back, or name another directory"
        raise UsageError(f"hydra.run.dir={directory.path}: {why}")
    return loop.Run(experiment, config, directory, _initial(config, experiment), warn=_warn)


def _initial(config: Config, experiment: loop.Runnable) -> EvolutionState:
    """Return the state before the first generation; raises UsageError if it does not fit into the memory."""
    memory.check_state(config, jax.eval_shape(lambda: experiment.begin(config)))
    with memory.report_exhaustion(config):
        return experiment.begin(config)


def _restore(config: Config, directory: RunDirectory, experiment: loop.Runnable) -> loop.Run:
    """Go on from the newest checkpoint that can be read; from the start if the run never came to its first one.

    Raises:
        UsageError: no checkpoint can be used, or they are missing; everything is left as it was.
        RunError: a file could not be renamed or written.
    """
    state = _initial(config, experiment)
    run = loop.Run(experiment, config, directory, state, warn=_warn)
    try:
        before, now = digest(narrow(config, directory.read_config())), digest(config)
        if before != now:
            checkpoint.take_over(directory.checkpoints, before, now)
    except OSError as error:
        raise RunError(f"{directory.path}: {reason(error)}") from error
    fault = lambda state, generation: fault_of(state, experiment.language, generation)  # noqa: E731
    run.saved, run.state, unusable = checkpoint.newest(directory.checkpoints, state, now, fault)
    if unusable and run.saved < 0:
        raise UsageError("; ".join(why for _, why in unusable))
    if run.saved < 0:
        _start_again(config, directory)
    try:
        for path, why in unusable:
            _warn(f"{why}; going on after {run.saved} generations")
            checkpoint.set_aside(path)
        run.rows = record.cut(directory.record, max(run.saved, 0))
    except OSError as error:
        raise RunError(f"{directory.path}: {reason(error)}") from error
    return run


def _start_again(config: Config, directory: RunDirectory) -> None:
    """Keep the record of a run without checkpoints under another name; raises UsageError if the run had checkpoints."""
    done = len(record.read(directory.record))
    if directory.checkpoints.exists() and not directory.checkpoints.is_dir():
        raise UsageError(f"resume={directory.path}: {directory.checkpoints} is not a directory of checkpoints")
    saved = directory.saved()
    if saved or (saved is None and done >= config.checkpoint_every):
        lost = f"its checkpoints are missing, but it has come to generation {max(done, saved or 0)}"
        raise UsageError(f"resume={directory.path}: {lost}; put {directory.checkpoints} back, or start another run")
    try:
        kept = directory.set_record_aside()
    except OSError as error:
        raise RunError(f"{directory.path}: {reason(error)}") from error
    if kept is not None:
        _warn(f"there is no checkpoint: starting again; the {done} generations recorded are kept in {kept.name}")


def _announce(plan: RunPlan, directories: Sequence[RunDirectory], experiment: loop.Runnable) -> None:
    """Print what is run, and where, before anything is compiled."""
    config = plan.runs[0].config
    print_pairs(heading(config), tableau(config, experiment.language))
    where = f"Run directory: {short(directories[0].path)}"
    if plan.members:
        where = f"Run directories: {short(directories[0].path)} to {short(directories[-1].path)}"
    _say(f"{where} ({jax.devices()[0].platform})")


def _begin(run: loop.Run, command: str) -> None:
    """Write the files that describe the run; raises RunError."""
    device, before = jax.devices()[0], _environment_before(run.directory)
    ran = runs.commands(before)
    ran += [command] if command not in ("", *ran) else []
    now = environment(f"{device.platform}: {device.device_kind}", ran, devices.settings())
    if run.rows and (changed := changes(before, now)):
        run.warn(f"figures may differ from here on: {'; '.join(changed)}")
    try:
        run.directory.write_config(run.config)
        write_json(run.directory.environment, now)
        run.directory.write_status("running", max(run.saved, 0), run.config.algorithm.generations)
    except OSError as error:
        raise RunError(f"{run.directory.path}: {reason(error)}") from error
    loop.save_champion(run)


def _environment_before(directory: RunDirectory) -> object:
    """Return what is known of the process that worked on a run before; None where that cannot be read."""
    try:
        return read_json(directory.environment)
    except (OSError, ValueError):
        return None


def _finish(run: loop.Run, state: str, code: int, progress: Progress, reported: bool) -> loop.End:
    """Write status, champion, and if they are wanted plots and report. A failure must not hide an earlier error."""
    if not run.rows or devices.follows(run.config):
        return loop.End(code)
    try:
        run.directory.write_status(state, max(run.saved, 0), run.config.algorithm.generations, run.ending)
    except OSError as error:
        run.warn(f"{run.directory.status} not written ({reason(error)})")
    if not reported:
        return loop.End(code, _summary(run, state))
    from jaxgp.run import outcome  # late: plotting is slow to import

    games = wait_for(lambda: outcome.write(run), tell=lambda seconds: progress.work("writing the report", seconds))
    progress.rest()
    return loop.End(code, _summary(run, state), games)


def _summary(run: loop.Run, state: str) -> dict[str, str | float | None]:
    """Return what mirrors say of a run that has at least one row."""
    said = {"state": state, "generations": run.generation, "seconds": run.rows[-1]["elapsed"]}
    try:
        best = champions.read(run.directory.champion)
    except champions.ChampionError:
        return said
    about = {"": best.text, "_fitness": best.fitness, "_size": best.size, "_generation": best.generation}
    points = {f"_points_{seat}": value for seat, value in best.points.items() if value is not None}
    return said | {f"champion{name}": value for name, value in (about | points).items()}


def _show_champion(run: loop.Run) -> champions.ChampionFile | None:
    """Print the champion of a run, and return it; None: its file cannot be read."""
    try:
        best = champions.read(run.directory.champion)
    except champions.ChampionError as error:
        _warn(str(error))
        return None
    rows = [
        ("rules", _indented(best.text)) if best.unit == "rules" else ("expression", _shown(best.text, run.directory)),
        (
            yardstick(run.rows[-1]) if run.rows and is_measured(run.rows[-1]) else "fitness",
            f"{best.fitness:g}" if best.fitness is not None else "-",
        ),
        *[(name, f"{value:g}" if value is not None else "-") for name, value in champions.points_by_seat(best)],
        ("size", best.measure),
        ("found in generation", str(best.generation)),
    ]
    if run.directory.report.is_file():
        rows.append(("report", str(short(run.directory.report))))
    print_pairs("Champion", rows)
    return best


def _shown(text: str, where: RunDirectory) -> str:
    """Return the text of a program, or where it is if it is long."""
    return text if len(text) <= SHOWN else f"{len(text):,} characters, in {short(where.champion)}"


def _indented(text: str) -> str:
    return "".join(f"\n    {line}" for line in text.splitlines()) or "none: always the default action"


def _say(message: str) -> None:
    print(message, flush=True)


def _warn(message: str) -> None:
    print(f"warning: {message}", file=sys.stderr, flush=True)
