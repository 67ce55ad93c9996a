"""Golden runs: a tiny run of every kind, through the commands, and what comes of it, figure by figure.

python -m tests.golden.runs                         say how the runs differ from golden.json
python -m tests.golden.runs --write                 write golden.json anew
python -m tests.golden.runs --write walls_groups    write this run anew, and leave the others as they are
python -m tests.golden.runs --configurations        compose anew what `scripts/bench.py part=gpu` runs

The rule: after every step of a refactoring the runs are equal to golden.json, or the commit that writes it anew says
which figure changed and why.

What is decided has to be equal: champions, and all figures that are whole numbers. Other figures have five digits, and
may differ by one unit of the last digit, since means and sums of floats are not the same on every processor.

Nothing is asked but the commands, so that all below them can move: where an option gets another name, a word changes
here, and the figures stay. The runs go through one process, one after the other, for most of their time is compiling;
compiled programs are kept in ~/.cache/jaxgp-golden, or where JAX_COMPILATION_CACHE_DIR says, from one time to the next.
The figures are those of a CPU, and are the same for the versions of Python and JAX that the project runs on.
"""

import argparse
import contextlib
import hashlib
import io
import json
import math
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("golden.json")
CACHE = Path.home() / ".cache" / "jaxgp-golden"

DIGITS = 5
"""Significant digits that are kept of a figure; float32 has seven, the last of which hang on the order of a sum."""
TIMES = ("seconds", "elapsed")
"""Figures that are never the same twice."""
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "JAX_PLATFORMS": "cpu",
    "JAX_NUM_CPU_DEVICES": "1",
    # Compile quickly: each program runs for milliseconds.
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "XLA_FLAGS": "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters",
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
}


class Run(NamedTuple):
    """A run: the script, its words (`{runs}` is the folder of all runs), and the option for the folder of this one."""

    script: str
    words: str
    folder: str = "hydra.run.dir"


TRAIN = "seed=7 cores=1 logger=disabled compilation_cache=null"
PROGRAMS = """
    algorithm.population=24 algorithm.generations=5 algorithm.capacity=48
    algorithm.creation.max_depth=4 algorithm.mutation.max_depth=3 algorithm.mutation.probability=0.3
"""
KALAH = "game=mancala game.pits=4 game.stones=3 fitness.max_plies=80 fitness.table_size=64 fitness.lanes=8"
OTHELLO = "game.size=4 fitness.table_size=64 fitness.lanes=8"
RULES = """
    algorithm.population=60 algorithm.generations=7 algorithm.capacity=10 algorithm.stop=never
    algorithm.creation.min_rules=2 algorithm.creation.max_rules=8
    algorithm.immigrants=6 algorithm.immigrants_every=2
"""
WALLS = "game=walls game.size=3 fitness.max_plies=200"

RUNS = {
    # Kalah, against a panel: a search and random moves.
    "kalah_panel": Run(
        "train",
        f"""{TRAIN} {KALAH} {PROGRAMS} algorithm=gp fitness=minimax
        fitness.opponents.minimax.depth=4 +fitness.opponents.luck.kind=random
        algorithm.creation.method=ramped algorithm.creation.min_depth=3
        algorithm.mutation.subtree=1 algorithm.mutation.point=1 algorithm.mutation.hoist=1
        algorithm.mutation.shrink=1 algorithm.mutation.constant=1""",
    ),
    # Kalah, against champions of the run's own past, with fitness shared by what plays alike.
    "kalah_niched": Run(
        "train",
        f"""{TRAIN} {KALAH} {PROGRAMS} algorithm=niched fitness=duel algorithm.creation.method=full
        ~fitness.opponents.minimax +fitness.opponents.ancestors.kind=champion +fitness.opponents.ancestors.count=3""",
    ),
    # Walls: rule lists in tournaments of groups, matched as they are written, with immigrants.
    "walls_groups": Run(
        "train",
        f"""{TRAIN} {WALLS} {RULES} fitness=walls_result program.matching=strict
        +fitness.opponents.beginners.kind=program +fitness.opponents.beginners.count=2
        algorithm.ties=rules algorithm.restart_every=0 algorithm.panel_weight=0""",
    ),
    # Walls, with a panel that counts in the tournaments, and new beginnings.
    "walls_restarts": Run(
        "train",
        f"""{TRAIN} {WALLS} {RULES} fitness=walls algorithm.ties=lot
        algorithm.restart_every=3 algorithm.panel_weight=0.16""",
    ),
    # Morpion: programs that move as they are walked through.
    "morpion_walking": Run(
        "train",
        f"""{TRAIN} {PROGRAMS} game=morpion game.size=20
        algorithm.creation.max_depth=3 algorithm.mutation.creep=1""",
    ),
    # Morpion: programs that guide a nested search.
    "morpion_guided": Run(
        "train",
        f"""{TRAIN} {PROGRAMS} experiment=morpion_nested game.size=20 algorithm.population=6 algorithm.generations=3
        program.level=1 program.iterations=2 program.searches=2""",
    ),
    # Othello: programs that value moves, weighted by paths and no-ops.
    "othello_moves": Run(
        "train",
        f"""{TRAIN} {PROGRAMS} experiment=othello_original_weights {OTHELLO}
        fitness.opponents.edgar.evaluator=material ~fitness.opponents.random_2""",
    ),
    # Reversi: programs at the leaves of a search, against each other and a guide; the fittest two are measured.
    "reversi_guided": Run(
        "train",
        f"""{TRAIN} {PROGRAMS} experiment=reversi_guided {OTHELLO} program.features=position program.depth=1
        fitness.games=2 fitness.measured=2
        fitness.guides.guide.depth=1 fitness.guides.guide.evaluator=material|corner_4 fitness.guides.guide.games=1
        +fitness.guides.guide.rounds=2 +fitness.guides.guide.cutoff=1
        ~fitness.opponents.guide +fitness.opponents.luck.kind=random +fitness.opponents.luck.games=2""",
    ),
    # Chess: three trees that value moves, against each other, with equal moves by lot; the fittest two are measured.
    "chess_coplay": Run(
        "train",
        f"""{TRAIN} {PROGRAMS} experiment=chess_krkr game.plies=12 fitness.games=2 fitness.measured=2
        fitness.opponents.five_terms.games=1 fitness.candidates=2 fitness.final_rounds=1""",
    ),
    # Rush Hour: policies that order the moves of a search, against sets of boards that evolve.
    "rush_hour_problems": Run(
        "train",
        f"""{TRAIN} game=rush_hour algorithm.population=8 algorithm.generations=5 algorithm.capacity=31
        algorithm.crossover.one_point=0.3 algorithm.mutation.genes=0.3 algorithm.mutation.probability=0.3
        program.limit=1500 fitness.limit=800 fitness.reference=null fitness.partial=0.1
        fitness.boards=4 fitness.validation=4
        fitness.problems.population=6 fitness.problems.every=2 fitness.problems.unsolved=1000
        fitness.measured=3""",
    ),
    # FreeCell: weights of heuristics that order the positions of a search.
    "freecell_weights": Run(
        "train",
        f"""{TRAIN} game=freecell algorithm.population=10 algorithm.generations=3
        program.heuristics=more program.room=4096 program.limit=5000
        fitness.instances=32,64,96,128,160,192 fitness.limit=5000 fitness.boards=2
        fitness.reference=null fitness.unsolved=null
        fitness.validation=3""",
    ),
    # A league: the champions of both runs of Kalah, random moves and a search.
    "league": Run(
        "tournament",
        """brackets.panel={runs}/kalah_panel brackets.niched={runs}/kalah_niched brackets.others=[random,search:2]
        leagues=3 games=4 cores=1 compilation_cache=null""",
        "output",
    ),
    # A study: a factorial design of two levels and two runs each.
    "study": Run(
        "analyse",
        """analysis=design factors.algorithm.crossover.probability=[0.2,0.9] replicates=2 seed=7
        base=[game=morpion,game.size=20,algorithm.population=24,algorithm.generations=4,compilation_cache=null]""",
        "output",
    ),
}
"""Name -> run, in the order in which they are carried out."""

Figures = dict[str, list[Any]]
"""Name -> figures, by generation of a run, player of a league, run of a study."""


class Outcome(NamedTuple):
    """What came of a run: its champion, if it has one, and its figures; `each` says what they are by."""

    champion: str | None
    each: str
    figures: Figures

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits of all of it."""
        return hashlib.sha256(json.dumps(self, sort_keys=True).encode()).hexdigest()[:16]


# What is read from the files of a run


def outcome(run: Run, folder: Path) -> Outcome:
    """Read what came of a run from the files that it left."""
    if run.script == "tournament":
        return Outcome(None, "player", _columns(_of_league(folder)))
    if run.script == "analyse":
        return Outcome(None, "run", _columns(sorted(_lines(folder / "results.jsonl"), key=lambda row: row["trial"])))
    text = json.loads((folder / "champion.json").read_text())["text"]
    return Outcome(
        text if isinstance(text, str) else "\n".join(text), "generation", _columns(_lines(folder / "metrics.jsonl"))
    )


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _of_league(folder: Path) -> list[dict[str, Any]]:
    """Return a row for each player: its games as first player against everybody, its rating, its standing."""
    games = json.loads((folder / "crosstable.json").read_text())["results"]
    rows = []
    for player, results in zip(json.loads((folder / "league.json").read_text())["players"], games, strict=True):
        row = {name: player[name] for name in ("name", "bracket", "fitness", "score_first", "score_second")}
        row |= {f"rating_{name}": value for name, value in player["rating"].items()}
        row |= player["standings"]["anyone"]
        rows.append(row | {f"against_{rival}": mine for rival, mine in enumerate(results)})
    return rows


def _columns(rows: Sequence[Mapping[str, Any]]) -> Figures:
    names = sorted({name for row in rows for name in row} - set(TIMES))
    return {name: [rounded(row.get(name)) for row in rows] for name in names}


def rounded(value: Any) -> Any:
    """Keep the digits of a number that are the same wherever it is computed; whole numbers are integers."""
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if not isinstance(value, float):
        return value
    number = float(f"{value:.{DIGITS}g}")
    return int(number) if number.is_integer() else number


# How the runs are carried out


def carry_out(names: Iterable[str], folder: Path) -> dict[str, Outcome | str]:
    """Carry out runs in a process of their own; return what came of each, or what it said before it failed."""
    environment = os.environ | ENVIRONMENT
    environment.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
    command = [sys.executable, "-m", "tests.golden.runs", "--into", str(folder), *names]
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, timeout=1800, check=False)
    return {name: _ended(name, folder / name) for name in names}


def _ended(name: str, folder: Path) -> Outcome | str:
    """Return what came of a run, or the end of what it said."""
    log = folder.with_suffix(".log")
    if folder.with_suffix(".done").is_file():
        return outcome(RUNS[name], folder)
    return log.read_text()[-2000:] if log.is_file() else "it was never started"


def _start(names: Iterable[str], folder: Path) -> None:
    """Carry out runs in this process, each as its script would start it; it talks to NAME.log, and leaves NAME.done."""
    _leave_out_reports()
    for name in names:
        run, script = RUNS[name], ROOT / "scripts" / f"{RUNS[name].script}.py"
        sys.argv = [str(script), *run.words.replace("{runs}", str(folder)).split(), f"{run.folder}={folder / name}"]
        with (
            (folder / f"{name}.log").open("w") as log,
            contextlib.redirect_stdout(log),
            contextlib.redirect_stderr(log),
        ):
            try:
                runpy.run_path(str(script), run_name="__main__")
            except SystemExit as ended:
                if not ended.code:
                    (folder / f"{name}.done").touch()
            except Exception:
                traceback.print_exc()


def _leave_out_reports() -> None:
    """Spare the plots and the replay of each run, half of the time; where reports have moved, runs only take longer."""
    with contextlib.suppress(ImportError):
        from jaxgp.run import outcome as reports

        reports.write = lambda run: None


# How they are compared and kept


def differences(name: str, before: Outcome, after: Outcome) -> list[str]:
    """Return a line for each figure that is not what it was."""
    lines = []
    if before.champion != after.champion:
        lines.append(f"{name}, champion: {before.champion!r} before, {after.champion!r} now")
    for metric in sorted(before.figures | after.figures):
        if metric not in before.figures or metric not in after.figures:
            lines.append(f"{name}, {metric}: {'gone' if metric in before.figures else 'new'}")
            continue
        pairs = zip_longest(before.figures[metric], after.figures[metric])
        for place, (old, new) in enumerate(pairs):
            if not alike(old, new):
                lines.append(f"{name}, {before.each} {place}, {metric}: {old} before, {new} now")
    return lines


def alike(old: Any, new: Any) -> bool:
    """Say whether figures as `rounded` leaves them are equal, or differ by one unit of the last digit."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(alike, old, new))
    if float in (type(old), type(new)) and {type(old), type(new)} <= {float, int}:
        unit = 10.0 ** (math.floor(math.log10(max(abs(old), abs(new)))) + 1 - DIGITS)
        return abs(old - new) < 1.5 * unit
    return bool(old == new)


def read() -> dict[str, tuple[str, Outcome]]:
    """Return the digest and the outcome of every run that golden.json has."""
    kept = json.loads(GOLDEN.read_text()) if GOLDEN.is_file() else {}
    return {name: (one.pop("digest"), Outcome(**one)) for name, one in kept.items()}


def write(outcomes: Mapping[str, Outcome]) -> None:
    """Write golden.json; the figures of one name stay on a line, for people look at what changed."""
    text = io.StringIO()
    text.write("{")
    for number, (name, one) in enumerate(outcomes.items()):
        head = {"digest": one.digest, "champion": one.champion, "each": one.each}
        text.write(f'{"," if number else ""}\n "{name}": {{')
        text.writelines(f'\n  "{key}": {json.dumps(value)},' for key, value in head.items())
        rows = ",".join(f"\n   {json.dumps(metric)}: {json.dumps(row)}" for metric, row in one.figures.items())
        text.write(f'\n  "figures": {{{rows}\n  }}\n }}')
    text.write("\n}\n")
    GOLDEN.write_text(text.getvalue())


def main() -> int:
    """Carry out the runs that are named, or all; compare or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", help=f"some of {', '.join(RUNS)}; none: all of them")
    parser.add_argument("--write", action="store_true", help="write golden.json anew")
    parser.add_argument("--configurations", action="store_true", help="write the configurations of part=gpu anew")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    unknown = [name for name in asked.runs if name not in RUNS]
    if unknown:
        parser.error(f"{unknown[0]}: accepted: {', '.join(RUNS)}")
    if asked.configurations:
        sys.path.insert(0, str(ROOT / "scripts"))
        from device.parts import configurations

        configurations.write({name: run.words for name, run in RUNS.items() if run.script == "train"})
        return 0
    names = asked.runs or list(RUNS)
    if asked.into:
        _start(names, asked.into)
        return 0
    if "league" in names:  # it takes the champions of others
        names = [name for name in RUNS if name in {*names, "kalah_panel", "kalah_niched"}]
    with tempfile.TemporaryDirectory() as folder:
        found = carry_out(names, Path(folder))
    failed = [f"{name}: {said}" for name, said in found.items() if isinstance(said, str)]
    made = {name: one for name, one in found.items() if isinstance(one, Outcome)}
    before = {name: one for name, (_, one) in read().items()}
    changed = [line for name, one in made.items() if name in before for line in differences(name, before[name], one)]
    print("\n".join([*failed, *changed]) or "no figure has changed")
    if asked.write and not failed:
        write({name: (before | made)[name] for name in RUNS if name in before | made})
        return 0
    return int(bool(failed or changed))


if __name__ == "__main__":
    raise SystemExit(main())
