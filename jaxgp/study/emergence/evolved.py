"""Players that are evolved anew, as the champion was, but for what they may be made of.

Each of them has a run directory of its own, and is one that `scripts/train.py` could have made. A run that has ended is
not made again; one that was stopped goes on.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jaxgp.config.schema import Config, LoggerOptions
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.games.outside import Games
from jaxgp.measure import champions
from jaxgp.measure.champions import Loaded
from jaxgp.run.resume import RunPlan, is_finished
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory


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

    @property
    def seconds(self) -> float:
        """Seconds by the clock that a run takes, as that of the champion says."""
        rows = record.read(self._record)
        each = sum(float(row.get("seconds") or 0) for row in rows) / max(len(rows), 1)
        return each * self._config.algorithm.generations

    def evolve(self, name: str, left_out: Sequence[str], number: int, depth: int | None = None) -> Loaded:
        """Return the champion of a run without some terminals.

        Args:
            name: of the kind of run, for its directory.
            left_out: terminals that no individual has.
            number: of the run among those of its kind.
            depth: limit of the depth of programs; None: that of the champion's run.
        """
        from jaxgp.run.run import train

        algorithm = self._config.algorithm
        assert isinstance(algorithm, GPOptions)
        gone = [*dict.fromkeys([*algorithm.left_out, *left_out])]
        if depth is not None:
            first = min(depth, algorithm.creation.max_depth)
            algorithm = replace(algorithm, max_depth=depth, creation=replace(algorithm.creation, max_depth=first))
        seed = self._seed + number
        config: Config = replace(self._config, algorithm=replace(algorithm, left_out=gone), seed=seed)
        folder = self._folder / name.replace("*", "x").replace("/", "_") / str(seed)
        folder.mkdir(parents=True, exist_ok=True)
        plan = RunPlan(config, folder, RunDirectory(folder).holds_run())
        if not is_finished(plan):
            train(plan, self._games)
        return champions.load(str(folder), self._games)
