"""Players that are evolved anew, as the champion was, but for what they may be made of.

Each of them has a run directory of its own, and is one that `scripts/train.py` could have made, but for its report. A
run that has ended is not made again; one that was stopped goes on. Several runs take turns in one program, which is
compiled once for all that leave something out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import median

from jaxgp.config.schema import Config, LoggerOptions
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.games.outside import Games
from jaxgp.measure import champions
from jaxgp.measure.champions import Loaded
from jaxgp.run.resume import RunPlan, is_finished
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory

AT_ONCE = 24
"""Runs that take turns in one program; the memory holds them all."""


@dataclass(frozen=True)
class Bred:
    """A run to be made.

    Attributes:
        name: of the kind of run, for its directory.
        left_out: terminals that no individual has.
        number: of the run among those of its kind.
        depth: limit of the depth of programs; None: that of the champion's run.
    """

    name: str
    left_out: tuple[str, ...]
    number: int
    depth: int | None = None


class Breeder:
    """Makes runs like that of a champion.

    Args:
        loaded: a champion in a run directory.
        games: where games come from.
        folder: where the runs go.
        generations: of each run; None: as many as the champion's.
        seed: of the first run of each kind; the others count up from it.

    Raises:
        UsageError: the champion has no run directory, or is not evolved by `algorithm.kind=gp`.
    """

    def __init__(self, loaded: Loaded, games: Games, folder: Path, generations: int | None, seed: int) -> None:
        run = RunDirectory(loaded.path.parent)
        if not (loaded.in_run and run.holds_run()):
            raise UsageError(
                f"run={loaded.path}: without, pairs and groups evolve as its run did; accepted: a run directory"
            )
        config = run.read_config()
        if not isinstance(config.algorithm, GPOptions):
            raise UsageError(
                f"run={run.path}: its algorithm is no GP of programs, of which terminals could be left out"
            )
        self._games, self._folder, self._seed, self._record = games, folder, seed, run.record
        most = min(generations or config.algorithm.generations, config.algorithm.generations)
        self._config = replace(
            config,
            algorithm=replace(config.algorithm, generations=most),
            logger=LoggerOptions(mode="disabled"),
            table=None,
        )

    def seconds(self, runs: int) -> float:
        """Return the seconds by the clock that runs take, by the record of the champion's; they are compiled once."""
        each = [float(row.get("seconds") or 0) for row in record.read(self._record)] or [0.0]
        return each[0] + runs * self._config.algorithm.generations * median(each)

    def evolve(self, wanted: Sequence[Bred], say: Callable[[str], object]) -> Iterator[list[tuple[Bred, Loaded]]]:
        """Make runs, some at once, and yield these with their champions; `say` is told how far it is."""
        from jaxgp.run.run import train

        done = 0
        for _, alike in groupby(sorted(wanted, key=self._program), self._program):
            some = list(alike)
            for first in range(0, len(some), AT_ONCE):
                batch = some[first : first + AT_ONCE]
                plans = [self._plan(one) for one in batch]
                left = tuple(plan for plan in plans if not is_finished(plan))
                if left:
                    say(f"runs {done + 1} to {done + len(batch)} of {len(wanted)}")
                    train(RunPlan(left[0].config, self._folder, False, members=left, reported=False), self._games)
                done += len(batch)
                yield [(one, champions.load(str(self._path(one)), self._games)) for one in batch]

    def _program(self, one: Bred) -> tuple[object, ...]:
        """Return what the runs of one program have in common."""
        algorithm = self._algorithm(one)
        # Tuning is compiled for the primitives that there are.
        return one.depth or 0, bool(algorithm.left_out), *(algorithm.left_out if algorithm.tune.steps else ())

    def _algorithm(self, one: Bred) -> GPOptions:
        """Return the algorithm of a run."""
        algorithm = self._config.algorithm
        assert isinstance(algorithm, GPOptions)
        if one.depth is not None:
            first = min(one.depth, algorithm.creation.max_depth)
            algorithm = replace(algorithm, max_depth=one.depth, creation=replace(algorithm.creation, max_depth=first))
        return replace(algorithm, left_out=[*dict.fromkeys([*algorithm.left_out, *one.left_out])])

    def _path(self, one: Bred) -> Path:
        return self._folder / one.name.replace("*", "x").replace("/", "_") / str(self._seed + one.number)

    def _plan(self, one: Bred) -> RunPlan:
        """Return the plan of a run, whose directory is there then."""
        config: Config = replace(self._config, algorithm=self._algorithm(one), seed=self._seed + one.number)
        path = self._path(one)
        path.mkdir(parents=True, exist_ok=True)
        return RunPlan(config, path, RunDirectory(path).holds_run())
