"""Co-played runs over their generations: games of the best individual of each checkpoint (Figures 4.1 and 4.2).

    python scripts/train.py experiment=chess_kqrkqr seeds=0-1 checkpoint_every=10 keep_checkpoints=99
    python scripts/studies/chess/curves.py runs=[outputs/DIR/0,outputs/DIR/1] save=docs/data/chess_curves.csv
    python scripts/studies/chess/curves.py picture=docs/chess_curves.svg save=docs/data/chess_curves.csv

The best is whom the run itself named in that generation, by its own fitness, its own games and its own key; that of the
last one is the champion of the run, which more games have named. As in the book each plays 150 games against `master`;
every third one, and the last, plays 50 against the engine. Material counts at the end, as in the runs. Rows that are
there already are not made again, so a study that was stopped goes on.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import jax
import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure

import envs
from jaxgp import files
from jaxgp.config import arguments, validate
from jaxgp.errors import reject
from jaxgp.evolution.ring import Ring
from jaxgp.measure.champions import load
from jaxgp.options import MAX_COUNT, MAX_GAMES, option
from jaxgp.report.plots import BLUE, GREEN, ORANGE, PINK
from jaxgp.run.assemble import assemble
from jaxgp.store import champion, checkpoint
from jaxgp.store.directory import RunDirectory, digest
from jaxgp.store.table import Cells, CSVTable
from studies.chess import games
from studies.chess.shared.rows import add, lines
from studies.methods import curves as pictures

COLUMNS = ("run", "generation", *(name for name in games.COLUMNS if name != "player"))
MANY = 3
"""So many runs side by side are drawn as one."""


@dataclass
class Options:
    """Which runs, and how many games."""

    runs: tuple[str, ...] = option((), "directories of co-played runs", accepted="a list, as in [a,b]")
    pairs: int = option(75, "starts against master, each from both seats", low=2, high=MAX_GAMES)
    engine: str = option("stockfish", "an engine that speaks the Universal Chess Interface")
    nodes: int = option(10_000, "its limit, in positions a move", low=1, high=MAX_COUNT)
    engine_pairs: int = option(25, "starts against the engine", low=2, high=MAX_GAMES)
    every: int = option(1, "which checkpoints play: each so many, and the champion", low=1, high=MAX_COUNT)
    engine_every: int = option(
        3, "which of these play against the engine: each so many, and the champion; 0: none", low=0, high=MAX_COUNT
    )
    save: str = option("curves.csv", "a file to which rows are added", path=True)
    picture: str | None = option(None, "a picture of all rows, SVG or PNG; null: none", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse a picture of another format; raises UsageError."""
        if self.picture is not None and not self.picture.endswith(pictures.ENDINGS):
            reject(prefix + "picture", self.picture, f"a file whose name ends in {' or '.join(pictures.ENDINGS)}")


def bests(run: str, every: int = 1) -> Iterator[tuple[int, champion.ChampionFile]]:
    """Yield (generation, the best individual) of checkpoints, each so many, then the last one and the champion.

    Raises:
        UsageError: it is no run of one population of a game of the project, or has no champion.
        UnreadableError: a checkpoint is damaged.
    """
    directory = RunDirectory(files.user_path("runs", run))
    last = load(run, envs, "runs").content
    config = validate.check(directory.read_config(), envs)
    experiment = assemble(config, envs)
    ring = experiment.ring
    if not isinstance(ring, Ring):
        reject("runs", run, "runs of one population of programs")
    begun = experiment.init(jax.random.key(config.seed))
    best = jax.jit(lambda state: ring.cycle(state)[2].challenger)
    done = config.algorithm.generations
    for generation, path in checkpoint.available(directory.checkpoints)[::-1][::every]:
        if generation < done:
            state = checkpoint.load(path, begun, digest(config))
            yield generation, champion.describe(best(state), experiment.language, config)
    yield done, last


def measure(options: Options, run: str, there: set[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a run that are not there, by (generation, opponent)."""
    with TemporaryDirectory() as folder:
        found = {}
        for generation, one in bests(run, options.every):
            found[str(generation)] = path = Path(folder) / f"{generation}.json"
            champion.write(path, one)
        endgame = str(one.game["endgame"])
        chosen = [*found][:: options.engine_every] if options.engine_every else []
        chosen += [x for x in [*found][-1:] if chosen and x not in chosen]
        limit = f"{options.engine} nodes {options.nodes}"
        for opponent, those, pairs in (("master", [*found], options.pairs), (limit, chosen, options.engine_pairs)):
            left = [x for x in those if (x, opponent) not in there]
            if left:
                asked = games.Options(
                    players=tuple(str(found[x]) for x in left),
                    endgame=endgame,
                    engine=options.engine,
                    nodes=() if opponent == "master" else (options.nodes,),
                    against=("master",) if opponent == "master" else (),
                    adjudicate="material",
                    pairs=pairs,
                )
                for at, row in zip(left, games.measure(asked, {}), strict=True):
                    cells = (cell for name, cell in zip(games.COLUMNS, row, strict=True) if name != "player")
                    yield run, at, *cells


def draw(rows: list[Cells]) -> Figure:
    """Return the scores over generations, a panel for each endgame; of many runs the mean and the range."""
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    endgames = list(dict.fromkeys(row["endgame"] for row in rows))
    colours = dict(zip(dict.fromkeys(row["opponent"] for row in rows), (BLUE, ORANGE, GREEN, PINK), strict=False))
    named: dict[str, Artist] = {}
    for panel, endgame in zip(
        figure.subplots(-(-len(endgames) // 2), 2, sharex=True, sharey=True).flat, endgames, strict=False
    ):
        for (opponent, _), runs in together(row for row in rows if row["endgame"] == endgame).items():
            colour = colours[opponent]
            if len(runs) < MANY:
                for run in runs.values():
                    (named[f"one run, against {opponent}"],) = panel.plot(
                        [*run], [*run.values()], color=colour, marker="o", markersize=2, linewidth=0.8
                    )
                continue
            at = sorted(set.intersection(*map(set, runs.values())))
            scores = np.array([[run[generation] for generation in at] for run in runs.values()])
            named["several runs: least and greatest"] = panel.fill_between(
                at, scores.min(0), scores.max(0), color=colour, alpha=0.2, linewidth=0
            )
            (named["their mean"],) = panel.plot(at, scores.mean(0), color=colour, linewidth=2.5)
        panel.axhline(0.5, color="0.6", linewidth=0.8)
        panel.set_title(endgame, fontsize=9)
        panel.tick_params(labelsize=8)
    figure.supxlabel("generation", fontsize=9)
    figure.supylabel("score, material counts", fontsize=9)
    figure.legend(list(named.values()), list(named), loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    return figure


def together(rows: Iterable[Cells]) -> dict[tuple[str, str], dict[str, dict[int, float]]]:
    """Return scores by (opponent, the directory in which runs were made), by run, by generation in ascending order."""
    found: dict[tuple[str, str], dict[str, dict[int, float]]] = {}
    for row in sorted(rows, key=lambda row: int(row["generation"])):
        place = row["opponent"], row["run"].rpartition("/")[0]
        found.setdefault(place, {}).setdefault(row["run"], {})[int(row["generation"])] = float(row["score"])
    return found


def task(options: Options) -> int:
    """Measure, save after each row, draw."""
    path = files.user_path("save", options.save)
    for run in options.runs:
        rows = CSVTable(path, COLUMNS).read()
        there = {(row["generation"], row["opponent"]) for row in rows if row["run"] == run}
        for row in measure(options, run, there):
            add(path, ",".join(COLUMNS) + "\n", lines([row]))
            print(lines([row]), end="", flush=True)
    if options.picture is not None:
        pictures.save(draw(CSVTable(path, COLUMNS).read()), files.user_path("picture", options.picture))
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, games.engines_named(task), __doc__))
