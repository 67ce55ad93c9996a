"""Hostile files in the place of each file of a run, and what every command makes of them.

python -m tests.reliability.hostile                             every file, every harm
python -m tests.reliability.hostile file=config.yaml            one file
python -m tests.reliability.hostile values=100 seed=7           more random values in champion.json

A command has to end with one line, or to go on as if nothing had been harmed: within the time, within the memory,
without a traceback, and without having run code of the file.
"""

import functools
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from jaxgp.config import arguments
from jaxgp.options import option
from tests.golden.runs import PROGRAMS, TRAIN
from tests.reliability import children, harms
from tests.reliability.children import REACHED, carry_out, fault, preload
from tests.reliability.harms import ANY, CANARY, JSON, LINES, NPZ, VALUES, YAML, Harm
from tests.reliability.kills import differences, end

LIMIT = 60.0
MEMORY = 6 * 2**30
"""Bytes of address space for a command; JAX alone takes a part of it."""
BEGUN = f"{TRAIN} {PROGRAMS} game=morpion game.size=20 algorithm.generations=5 checkpoint_every=2 hydra.run.dir=run"
"""A run of five generations, with two checkpoints, that goes on to the seventh."""
RESUME = ("train", "resume=run algorithm.generations=7 logger=offline")
OF_CHAMPIONS = (
    ("export", "run=run"),
    ("evaluate", "run=run games=2 cores=1"),
    ("play", "run=run player=champion"),
    ("tournament", "brackets.a=run brackets.b=random cores=1"),
)
COMPARE = ("analyse", "analysis=comparison a=run b=other measures=[fitness]")
NEWEST, OLDER = "checkpoints/generation_00000005.npz", "checkpoints/generation_00000004.npz"
BOTH = "both checkpoints"


@dataclass
class Options:
    """What is harmed."""

    file: str | None = option(None, "only this file of the run directory; null: every file")
    harm: str | None = option(None, "only this harm; null: every one")
    values: int = option(40, "how many random values are written into champion.json", low=0)
    seed: int | None = option(None, "of these values; null: another one each time", low=0)


class Case(NamedTuple):
    """One harm to one file, and a command that meets it."""

    file: str
    harm: str
    make: Harm
    script: str
    words: str


def cases(draw: random.Random, run: Path, values: int) -> Iterator[Case]:
    """Yield what is tried on a run directory."""
    formats = {
        "config.yaml": YAML,
        "metrics.jsonl": JSON | LINES,
        "status.json": JSON,
        "environment.json": JSON,
        "champion.json": JSON,
        "wandb_id.txt": {},
        ".lock": {},
        NEWEST: NPZ,
        BOTH: NPZ,
    }
    for file, harmful in formats.items():
        for name, make in (ANY | harmful).items():
            yield Case(file, name, make, *RESUME)
            if file == "champion.json":
                yield from (Case(file, name, make, *command) for command in OF_CHAMPIONS)
            if file in ("config.yaml", "metrics.jsonl"):
                yield Case(file, name, make, *COMPARE)
    for name in (
        "generation_x.npz",
        "generation_99999999999999999999.npz",
        "generation_.npz",
        "generation_-1.npz",
        "x.npz",
    ):
        for what in ("empty", "directory", "fifo", "link to itself"):
            yield Case(f"checkpoints/{name}", what, _beside(ANY[what]), *RESUME)
    for what in ("empty", "directory", "fifo", "link to itself"):
        yield Case(f"{NEWEST}.part", what, _beside(ANY[what]), *RESUME)
        yield Case("config.yaml.part", what, _beside(ANY[what]), *RESUME)
    for what in ("empty", "fifo", "link to itself"):
        yield Case("checkpoints", what, _instead(ANY[what]), *RESUME)
    everywhere = [*harms.places(json.loads((run / "champion.json").read_text()))]
    for _ in range(values):
        at, value, command = draw.choice(everywhere), draw.choice(VALUES), draw.choice((RESUME, *OF_CHAMPIONS))
        name = f"{'.'.join(map(str, at))} = {value!r:.30}"
        yield Case("champion.json", name, functools.partial(harms.changed, at=at, value=value), *command)


def _beside(make: Harm) -> Harm:
    """Harm a file that is not there yet."""

    def made(path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.touch()
        make(path)

    return made


def _instead(make: Harm) -> Harm:
    """Put a harmful file in the place of a folder."""

    def made(path: Path) -> None:
        shutil.rmtree(path)
        path.touch()
        make(path)

    return made


def go(script: str, words: str) -> None:
    """Carry out a command: a resumed run to its end, any other up to where games would begin."""
    from jaxgp.run import outcome
    from jaxgp.run.mirroring import tracking

    outcome.write = lambda run: []
    tracking.COMMAND = ("grep", "-q", '^\\["end"')  # in the place of W&B, which takes seconds: it waits for the end
    children.stop_where_computing_begins(unless=lambda: script == "train")
    children.script(script, words.split())


def prepare(folder: Path) -> None:
    """Make the run, another one to compare it with, and the end that it comes to if nothing is harmed."""
    for words in (BEGUN, f"{BEGUN}_other".replace("seed=7", "seed=8"), None):
        if words is None:
            shutil.copytree(folder / "run", folder / "end")
        script, line = ("train", words) if words else ("train", RESUME[1].replace("=run", "=end"))
        ended = carry_out(functools.partial(go, script, line), folder, folder / "said", 120)
        if ended.code:
            raise RuntimeError(ended.err)
    (folder / "other").mkdir()
    (folder / "run_other").rename(folder / "other" / "run")
    (folder / "run" / "wandb_id.txt").write_text("abcdefgh\n")


def wrong(case: Case, folder: Path) -> str:
    """Say what is wrong with how a command ends that meets a harmed file; empty if nothing is."""
    place = folder / "case"
    place.mkdir()
    try:
        shutil.copytree(folder / "run", place / "run")
        (place / "other").symlink_to(folder / "other")
        for file in (NEWEST, OLDER) if case.file == BOTH else (case.file,):
            case.make(place / "run" / file)
        call = functools.partial(go, case.script, case.words)
        ended = carry_out(call, place, folder / "said", LIMIT, {"HOME": str(folder)}, MEMORY)
        if (place / CANARY).exists() or (place / "run" / CANARY).exists():
            return "code of the file was run"
        if found := fault(ended):
            return found
        if ended.code == 0 and case.script == "train":
            before, after = end(folder / "end"), end(place / "run")
            # A record keeps the values that somebody wrote into it, and what is no file stays in its place.
            for name in {case.file} - ({"champion.json"} & after.keys()):
                before.pop(name, None), after.pop(name, None)
            return "; ".join(differences(before, after))
        return "" if ended.code in (0, 1, 2, REACHED) else f"exit code {ended.code}"
    finally:
        shutil.rmtree(place, ignore_errors=True)


def carry_all_out(options: Options, say: Callable[[str], object] = print) -> list[str]:
    """Try all cases; say each that ends badly, and return them."""
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    folder, found, count = Path(tempfile.mkdtemp(prefix="hostile-")), [], 0
    say(f"seed={seed}")
    try:
        prepare(folder)
        for case in cases(random.Random(seed), folder / "run", options.values):
            if options.file not in (None, case.file) or options.harm not in (None, case.harm):
                continue
            count += 1
            if said := wrong(case, folder):
                found.append(f"{case.script}, {case.file}, {case.harm}: {said}")
                say(found[-1])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    say(f"{count} cases, {count - len(found)} that ended with one line or went on")
    return found


def task(options: Options) -> int:
    """Try, print; return 1 if a case ended badly."""
    preload()
    return int(bool(carry_all_out(options, functools.partial(print, flush=True))))


if __name__ == "__main__":
    sys.exit(arguments.main(Options, task, __doc__))
