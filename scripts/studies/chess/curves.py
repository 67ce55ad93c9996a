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

from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import jax
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

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
COLOURS = {"KRKR": BLUE, "KQKQ": GREEN, "KRRKRR": ORANGE, "KQRKQR": PINK}
"""Of endgames; several together are black."""


@dataclass
class Options:
    """Which runs, and how many games."""

    runs: tuple[str, ...] = option((), "directories of co-played runs", accepted="a list, as in [a,b]")
    pairs: int = option(75, "starts against master, each from both seats", low=2, high=MAX_GAMES)
    engine: str = option("stockfish", "an engine that speaks the Universal Chess Interface")
    nodes: int = option(10_000, "its limit, in positions a move", low=1, high=MAX_COUNT)
    engine_pairs: int = option(25, "starts against the engine", low=2, high=MAX_GAMES)
    engine_every: int = option(3, "which checkpoints play against the engine: each so many", low=1, high=MAX_COUNT)
    save: str = option("curves.csv", "a file to which rows are added", path=True)
    picture: str | None = option(None, "a picture of all rows, SVG or PNG; null: none", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse a picture of another format; raises UsageError."""
        if self.picture is not None and not self.picture.endswith(pictures.ENDINGS):
            reject(prefix + "picture", self.picture, f"a file whose name ends in {' or '.join(pictures.ENDINGS)}")


def bests(run: str) -> Iterator[tuple[int, champion.ChampionFile]]:
    """Yield (generation, the best individual) of each one with a checkpoint, then the last one and the champion.

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
    for generation, path in reversed(checkpoint.available(directory.checkpoints)):
        if generation < done:
            state = checkpoint.load(path, begun, digest(config))
            yield generation, champion.describe(best(state), experiment.language, config)
    yield done, last


def measure(options: Options, run: str, there: set[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a run that are not there, by (generation, opponent)."""
    with TemporaryDirectory() as folder:
        found = {}
        for generation, one in bests(run):
            found[str(generation)] = path = Path(folder) / f"{generation}.json"
            champion.write(path, one)
        endgame = str(one.game["endgame"])
        chosen = [*found][:: options.engine_every]
        chosen += [x for x in [*found][-1:] if x not in chosen]
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
    """Return the scores over generations, against `master` and against the engine, a line for each run."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    of: dict[tuple[str, str], list[Cells]] = {}
    for row in rows:
        of.setdefault((row["opponent"], row["run"]), []).append(row)
    opponents = list(dict.fromkeys(opponent for opponent, _ in of))
    named: dict[str, Line2D] = {}
    for panel, opponent in zip(panels, opponents, strict=False):
        for (against, _), mine in of.items():
            if against == opponent:
                points = sorted((int(row["generation"]), float(row["score"])) for row in mine)
                endgame = mine[0]["endgame"]
                colour = COLOURS.get(endgame, "black")
                at, scores = zip(*points, strict=True)
                (named[endgame],) = panel.plot(at, scores, color=colour, marker="o", markersize=3, linewidth=1)
        panel.axhline(0.5, color="0.6", linewidth=0.8)
        panel.set_title(f"against {opponent}", fontsize=9)
        panel.set_xlabel("generation", fontsize=9)
        panel.tick_params(labelsize=8)
    panels[0].set_ylabel("score, material counts", fontsize=9)
    figure.legend(list(named.values()), list(named), loc="outside upper center", ncols=5, fontsize=8, frameon=False)
    return figure


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
