"""Runs of every kind, killed at random moments and resumed, beside runs that nobody disturbed.

python -m tests.reliability.kills kills=20 seed=3
python -m tests.reliability.kills kills=5 kind=study        one kind

The signals are SIGKILL, SIGTERM, and SIGSTOP with SIGCONT after it. What a run has at its end must be equal to the bit:
the record without its times, the champion, the arrays of the last checkpoint, the results of a study or a league.
"""

import csv
import functools
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxgp.config import arguments
from jaxgp.options import option
from tests.golden.runs import KALAH, OTHELLO, PROGRAMS, RULES, TIMES, TRAIN, WALLS
from tests.golden.runs import RUNS as RUNS_OF_GOLDEN
from tests.reliability import children
from tests.reliability.children import KEPT, fault, last_line, preload, said

LIMIT = 180.0
"""Seconds for a run, unless said otherwise."""
SIGNALS = (*[signal.SIGKILL] * 7, *[signal.SIGTERM] * 2, signal.SIGSTOP)
BY_TIME = 0.3
"""Share of the kills that come after a time; the others come after a generation."""
MOST_AT_ONCE = 3
"""The most kills of one run."""
TABLES = ("games.csv", "all.csv")
"""Tables to which evaluations add rows as they go on."""
PLACES = ("output", "table", "output_dir")
"""Entries of a league's file that say where it lies."""


class Kind(NamedTuple):
    """A kind of run.

    Attributes:
        script: the script.
        words: its words.
        folder: the option for the place of its files; empty: its words name the place, a folder that is there.
        resumed: ways to go on: words beside the folder; `{words}` stands for those of the start.
    """

    script: str
    words: str
    folder: str = "hydra.run.dir"
    resumed: tuple[str, ...] = ("resume={folder}", "{words} resume=auto", "{words} resume={folder}")


OFTEN = "algorithm.generations=60 checkpoint_every=4 keep_checkpoints=2"
LESSONS = (
    f"{TRAIN} algorithm.population=12 algorithm.generations=12 checkpoint_every=3 fitness.stock=64 fitness.drawn=16 "
    "fitness.opponents.network.games=2 fitness.candidates=2 fitness.final_rounds=1 fitness.max_plies=60"
)
CART = children.ROOT / "tests" / "fixtures" / "cart"
RUNS = {
    "programs": Kind("train", f"{TRAIN} {KALAH} {PROGRAMS} algorithm=gp fitness=minimax "
                     f"fitness.opponents.minimax.depth=2 {OFTEN}"),
    "ancestors": Kind("train", f"{TRAIN} {KALAH} {PROGRAMS} algorithm=niched fitness=duel ~fitness.opponents.minimax "
                      f"+fitness.opponents.ancestors.kind=champion +fitness.opponents.ancestors.count=3 {OFTEN}"),
    "groups": Kind("train", f"{TRAIN} {WALLS} {RULES} fitness=walls {OFTEN}"),
    "alone": Kind("train", f"{TRAIN} {PROGRAMS} game=morpion game.size=20 {OFTEN}"),
    "coevolution": Kind("train", f"{TRAIN} {PROGRAMS} experiment=reversi {OTHELLO} program.depth=1 "
                        f"fitness.games=2 fitness.opponents.guide.evaluator=corner_4 algorithm.population=8 {OFTEN}"),
    "sweep": Kind("train", f"-m {TRAIN.replace('seed=7', 'seed=7,8')} {PROGRAMS} game=morpion game.size=20 {OFTEN}",
                  "hydra.sweep.dir", ("{words} resume=auto",)),
    "machine": Kind("train", f"-m {TRAIN.replace('seed=7', 'seed=7,8,9')} {PROGRAMS} game=morpion game.size=20 {OFTEN} "
                    "hydra/launcher=joblib hydra.launcher.n_jobs=2", "hydra.sweep.dir", ("{words} resume=auto",)),
    "seeds": Kind("train", f"{TRAIN.replace('seed=7', 'seeds=7-8')} {PROGRAMS} game=morpion game.size=20 {OFTEN}",
                  resumed=("{words} resume=auto",)),
    "study": Kind("analyse", "analysis=design factors.algorithm.elites=[0,1] replicates=4 seed=7 "
                  "base=[game=morpion,game.size=20,algorithm.population=24,algorithm.generations=30,compilation_cache=null]",
                  "output", ("{words}",)),
    "coplay": Kind("train", f"{TRAIN} {PROGRAMS} experiment=othello_original_coplay {OTHELLO} {OFTEN} "
                   "fitness.opponents.edgar.evaluator=material ~fitness.opponents.random_2 algorithm.generations=30"),
    "puzzles": Kind("train", f"{RUNS_OF_GOLDEN['rush_hour_problems'].words} {TRAIN} algorithm.generations=12 "
                    "checkpoint_every=2"),
    "weights": Kind("train", f"{RUNS_OF_GOLDEN['freecell_weights'].words} {TRAIN} algorithm.generations=10 "
                    "checkpoint_every=2"),
    "rollout": Kind("train", f"{TRAIN} {PROGRAMS} game={CART} {OFTEN}"),
    "races": Kind("train", f"{TRAIN} game=rars algorithm.population=16 algorithm.capacity=48 algorithm.generations=20 "
                  "checkpoint_every=4 game.seconds=70"),
    "lessons": Kind("train", f"{LESSONS} experiment=backgammon_lessons"),
    "learning": Kind("train", f"{LESSONS} experiment=backgammon_learning fitness.teacher=network "
                     "fitness.learning.individuals=1 fitness.learning.lessons=32 algorithm.capacity=256"),
    "evaluation": Kind("evaluate", "run={champions}/1 panel=study games=4 cores=1 compilation_cache=null "
                       "output={folder}/figures.json table={folder}/games.csv", "", ("{words}",)),
    "instances": Kind("evaluate", f"run={KEPT['rush_hour']} suite=JAM batch=4 limit=300 cores=1 compilation_cache=null "
                      "output={folder}/figures.json instances={folder}/all.csv", "", ("{words}",)),
    "league": Kind("tournament", "brackets.a={champions}/1 brackets.b={champions}/2 brackets.c=[random,search:2] "
                   "leagues=300 games=4 cores=1 compilation_cache=null", "output", ("{words}",)),
}  # fmt: skip


@dataclass
class Options:
    """How often, and what."""

    kills: int = option(20, "how many kills", low=1)
    seed: int | None = option(None, "of the moments and signals; null: another one each time", low=0)
    kind: str | None = option(None, "only runs of this kind; null: of all kinds in turn", tuple(RUNS))
    limit: float = option(LIMIT, "seconds for a run, more of them on a machine that has other work", low=1)


class Kill(NamedTuple):
    """One kill, a row of the table."""

    kind: str
    signal: str
    seconds: float
    reached: int
    lines: int
    equal: str = ""


@dataclass
class Yard:
    """Where runs are made: a folder, what is drawn, and the undisturbed run of each kind, made when first needed."""

    folder: Path
    draw: random.Random
    limit: float = LIMIT

    def whole(self, name: str) -> tuple[Path, float]:
        """Return the folder of the undisturbed run of a kind and the seconds that it took."""
        place, took = self.folder / f"whole_{name}", self.folder / f"{name}.seconds"
        if not took.is_file():
            if name in ("league", "evaluation") and not (self.folder / "champions").is_dir():
                self.champions()
            for _ in range(2):  # the first one compiles, so the second one takes as long as those that are killed
                shutil.rmtree(place, ignore_errors=True)
                begin = time.monotonic()
                finish(self, name, start(self, name, place, RUNS[name].words), place)
                took.write_text(str(time.monotonic() - begin))
        return place, float(took.read_text())

    def champions(self) -> None:
        """Make the runs whose champions play a league."""
        for seed in ("1", "2"):
            place = self.folder / "champions" / seed
            words = RUNS["programs"].words.replace("seed=7", f"seed={seed}")
            finish(self, "programs", start(self, "programs", place, words), place)


def start(yard: Yard, name: str, place: Path, words: str) -> int:
    """Start a run of a kind in a child; return its process id."""
    kind = RUNS[name]
    # A run that is resumed by its folder is told no other place.
    where = [] if words.startswith("resume=") or not kind.folder else [f"{kind.folder}={place}"]
    if not kind.folder:
        place.mkdir(exist_ok=True)
    for mark, meant in (("words", kind.words), ("folder", place), ("champions", yard.folder / "champions")):
        words = words.replace(f"{{{mark}}}", str(meant))
    call = functools.partial(children.script, kind.script, [*words.split(), *where])
    return children.start(_quietly(call), yard.folder, yard.folder / "log")


def _quietly(call: Callable[[], object]) -> Callable[[], None]:
    def made() -> None:
        from jaxgp.run import outcome

        outcome.write = lambda run: []  # pictures are half of the time
        call()

    return made


def finish(yard: Yard, name: str, child: int, place: Path) -> None:
    """Wait for a run that must come to its end; raises RuntimeError if it does not."""
    code = children.wait(child, yard.limit)
    if code != 0:
        raise RuntimeError(f"{name} in {place}: exit code {code}: {last_line(said(yard.folder / 'log', 'err'))}")


def killed(yard: Yard, name: str) -> list[Kill]:
    """Kill a run of a kind some times, let it come to its end, and compare it with the undisturbed one."""
    whole, took = yard.whole(name)
    place, lines, rows = yard.folder / "killed", progress(whole), []
    shutil.rmtree(place, ignore_errors=True)
    for _ in range(yard.draw.randint(1, MOST_AT_ONCE)):
        child, number = start(yard, name, place, way(yard, name, place)), yard.draw.choice(SIGNALS)
        seconds = hold(yard, child, place, moment(yard, took, progress(place), lines))
        code = struck(child, number, yard.limit)
        ended = children.Ended(code, "", said(yard.folder / "log", "err"), seconds)
        wrong = "" if code is not None and (code < 0 or code > 128) else fault(ended)
        rows.append(Kill(name, signal.Signals(number).name, seconds, progress(place), lines, wrong))
        if code == 0:
            break  # it was complete before the signal, or went on after SIGCONT
    try:
        if code != 0:
            finish(yard, name, start(yard, name, place, way(yard, name, place)), place)
        different = "; ".join(differences(end(whole), end(place))) or "yes"
    except (RuntimeError, OSError, ValueError) as error:
        different = str(error)
    return [row._replace(equal=row.equal or different) for row in rows]


def way(yard: Yard, name: str, place: Path) -> str:
    """Draw a way to go on with a run; one that was killed before it wrote anything is started again."""
    begun = any(place.rglob("config.yaml")) or RUNS[name].folder != "hydra.run.dir"
    return yard.draw.choice(RUNS[name].resumed) if begun else RUNS[name].words


def moment(yard: Yard, took: float, reached: int, lines: int) -> Callable[[float, int], bool]:
    """Draw the moment of a kill: a condition on the seconds since the start and the lines that were written."""
    if lines == 0 or reached >= lines or yard.draw.random() < BY_TIME:
        after = yard.draw.uniform(0.05, 1.1) * took
        return lambda seconds, found: seconds >= after
    wanted = yard.draw.randint(reached + 1, lines)
    return lambda seconds, found: found >= wanted


def hold(yard: Yard, child: int, place: Path, come: Callable[[float, int], bool]) -> float:
    """Wait until the moment has come, or the child has ended; return the seconds since the start."""
    begin = time.monotonic()
    while not come(time.monotonic() - begin, progress(place)) and time.monotonic() - begin < yard.limit:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.002)
    time.sleep(yard.draw.uniform(0, 0.03))
    return time.monotonic() - begin


def struck(child: int, number: int, limit: float) -> int | None:
    """Send a signal to a child and its descendants, and wait for its end; one that is stopped goes on after a while."""
    try:
        os.killpg(child, number)
    except ProcessLookupError:  # it has no group of its own yet
        os.kill(child, number)
    if number == signal.SIGSTOP:
        time.sleep(0.3)
        os.kill(child, signal.SIGCONT)
    return children.wait(child, limit)


# What is compared


def progress(place: Path) -> int:
    """Return how many lines all records and tables in a folder have."""
    if not place.is_dir():
        return 0
    files = [path for path in place.rglob("*") if path.suffix == ".jsonl" or path.name in TABLES]
    return sum(path.read_bytes().count(b"\n") for path in files)


def end(place: Path) -> dict[str, object]:
    """Return what is left at the end of a run, by file: rows without times, texts, arrays."""
    from jaxgp.store import checkpoint  # imports JAX, whose environment `preload` sets first

    found: dict[str, object] = {}
    for path in sorted(one for one in place.rglob("*") if one.is_file() or one.name == "checkpoints"):
        name = str(path.relative_to(place))
        if path.suffix == ".jsonl":
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            rows = [{key: value for key, value in row.items() if key not in TIMES} for row in rows]
            found[name] = sorted(rows, key=lambda row: row.get("trial", row.get("generation", 0)))
        elif path.name in ("champion.json", "crosstable.json"):
            found[name] = path.read_text()
        elif path.name == "league.json":
            found[name] = _without(json.loads(path.read_text()), PLACES)
        elif path.name == "figures.json":
            found[name] = _without(json.loads(path.read_text())["results"], TIMES)
        elif path.suffix == ".csv" and path.name in TABLES:
            found[name] = _rows_of_table(path)
        elif path.name == "checkpoints":
            (_, newest), *_ = checkpoint.available(path)
            with np.load(newest) as arrays:
                read = {array: (arrays[array].dtype.str, arrays[array].tobytes()) for array in sorted(arrays.files)}
            found[f"{name}/{newest.name}"] = read
    return found


def _rows_of_table(path: Path) -> list[str]:
    """Return the rows of a table without times and places, each once: a command typed again adds some again."""
    with path.open(newline="") as file:
        rows = [
            {key: cell for key, cell in row.items() if key not in (*TIMES, "command")} for row in csv.DictReader(file)
        ]
    return sorted({json.dumps(row) for row in rows})


def _without(value: object, names: Sequence[str]) -> object:
    """Leave out some entries of all sections."""
    if isinstance(value, Mapping):
        return {key: _without(inside, names) for key, inside in value.items() if key not in names}
    return [_without(inside, names) for inside in value] if isinstance(value, list) else value


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Name what differs. Rows that a run set aside, for lack of a checkpoint, are the first rows of its record."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        wanted, rows = before.get(name), after.get(name)
        if name not in before and isinstance(rows, list):
            record = before.get(re.sub(r"_\d+\.jsonl$", ".jsonl", name))
            wanted = record[: len(rows)] if isinstance(record, list) else None
        if rows != wanted:
            found.append(f"{name} differs")
    return found


def carry_out(options: Options, say: Callable[[str], object] = print) -> list[Kill]:
    """Kill runs until there were enough kills; say each, and return them."""
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    say(f"seed={seed}")
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    yard, rows = Yard(folder, random.Random(seed), options.limit), []
    names = [options.kind] if options.kind else list(RUNS)
    say(line(("kind", "signal", "seconds", "lines", "of", "equal to the undisturbed run")))
    try:
        while len(rows) < options.kills:
            for name in names:
                for row in killed(yard, name) if len(rows) < options.kills else ():
                    rows.append(row)
                    say(line((row.kind, row.signal, f"{row.seconds:.2f}", row.reached, row.lines, row.equal)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return rows


def line(cells: Sequence[object]) -> str:
    return "  ".join(f"{cell!s:<12}" for cell in cells).rstrip()


def task(options: Options) -> int:
    """Kill, print; return 1 if a run ended differently."""
    preload()
    rows = carry_out(options, functools.partial(print, flush=True))
    wrong = [row for row in rows if row.equal != "yes"]
    print(f"{len(rows)} kills, {len(rows) - len(wrong)} of runs that were equal at their end", flush=True)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(arguments.main(Options, task, __doc__))
