"""Random options for every script, and what each of them makes of them.

python -m tests.reliability.fuzzer cases=400 seed=7                  all scripts in turn
python -m tests.reliability.fuzzer cases=400 seed=7 script=train     one of them
python -m tests.reliability.fuzzer seed=7 case=123                   one case again

A case is a base, the tiny options with which a script would run, and up to four words more: options that the script
declares with values that it takes, nearly takes or should refuse, and words that are no options. It fails on a
traceback, on a hang, on an exit code but 0 and 2 (1 where the machine is to blame, in words), on a message of more
than one line or 2,000 characters, and on a message that names no option of the command line.

Most cases end where computing would begin. The numbers of some are so small that they are carried out.
"""

import functools
import json
import os
import random
import re
import shlex
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import option
from tests.reliability import children, typed_words
from tests.reliability.children import REACHED, Ended, carry_out, fault, preload
from tests.reliability.typed_words import BASES, Target

LIMIT, LONG_LIMIT = 60.0, 240.0
"""Seconds for a case, and for one that is carried out."""
SMALL = 64
"""The greatest number in a case that is carried out."""
DEAR = re.compile(r"experiment|logger|hydra|online|champions|search|deepening|engine|cores")
"""Words that make a case take long, or talk to other machines."""
HYDRA = 0.3
"""Share of Hydra's own options that a case draws from."""
TAKEN = 0.55
"""Share of the values that are near to what an option takes, unless `taken` says another one."""
OUTCOMES = ("carried out", "accepted", "refused", "the machine", "failed")


@dataclass
class Options:
    """What is tried, and how often."""

    cases: int = option(400, "how many cases", low=1)
    seed: int | None = option(None, "of all cases; null: another one each time", low=0)
    script: str | None = option(None, "only this script; null: all of them")
    base: str | None = option(None, "only bases in whose name or words this stands, as in robocode; null: all")
    case: int | None = option(None, "only the case of this number", low=0)
    taken: float = option(TAKEN, "share of the values that are near to what an option takes", low=0, high=1)
    carried: float = option(0.5, "share of the cases that are carried out, if their numbers are small", low=0, high=1)
    stop: int = option(1000, "end after this many failures", low=1)
    shrink: bool = option(True, "leave out of a command that failed all words that it fails without")


class Case(NamedTuple):
    """A command line: a script and its words, how many of the words are the base, and whether it may take long."""

    script: str
    words: tuple[str, ...]
    added: tuple[str, ...]
    carried: bool

    @property
    def names(self) -> set[str]:
        """Names of options on the command line, of which a message has to hold one."""
        return {name for word in self.words for name in named(word)}


def named(word: str) -> Iterator[str]:
    """Yield what a message about a word may call it: its name with or without marks, its section, or all of it."""
    name = " ".join(word.partition("=")[0].split())
    bare = re.sub(r"[@:].*", "", name).strip("+~ ")
    parts = bare.split(".")
    yield from filter(
        None, (name[:70], *(".".join(parts[:end])[:70] for end in range(len(parts), 1, -1)), parts[0][:70])
    )
    if word.startswith("-"):
        yield "argument -"
    if not bare:
        yield from filter(None, (" ".join(word.split())[:20], "not an option"))


def drawn(
    draw: random.Random, script: str, targets: Sequence[Target], base: str, share: float, taken: float = TAKEN
) -> Case:
    """Draw a case."""
    count = draw.choice((1, 2, 2, 3))
    # Hydra has as many options as the rest together, most of which change nothing in a run.
    listed = [one for one in targets if draw.random() < HYDRA or not one.name.startswith("hydra.")]
    added = []
    for target in draw.sample(listed, min(count, len(listed))):
        value = draw.choice(target.near) if draw.random() < taken else draw.choice(draw.choice(typed_words.HOSTILE))
        added.append(f"{target.name}={value}" if value or not target.name.startswith("~") else target.name)
    if draw.random() < 0.2:
        added.append(odd(draw, script, draw.choice(targets).name, added))
    replaced = {word.partition("=")[0] for word in added}
    words = [word for word in base.split() if word.partition("=")[0] not in replaced]
    for word in added:
        words.insert(draw.randint(0, len(words)), word)
    carried = draw.random() < share and small(added)
    return Case(script, tuple(words), tuple(added), carried)


def odd(draw: random.Random, script: str, name: str, added: Sequence[str]) -> str:
    """Return a word that is an option in an odd form, or none."""
    name = name.lstrip("+~")
    place = draw.randrange(len(name))
    flags = typed_words.flags() if script == "train" else ("-h", "--help", "--nope", "-", "--")
    return draw.choice(
        (
            draw.choice(added),
            f"{name[:place]}{name[place + 1 :]}=1",
            f"{name}x=1",
            f"{name.upper()}=1",
            *(
                form.format(name)
                for form in ("~{}", "+{}=1", "++{}=1", "{}", "{}=", "{}@a=1", "{}:=1", " {} = 1 ", "{}==1")
            ),
            *(form.format(name) for form in ("{}.x=1", "{}.=1", ".{}=1", "x.{}=1", "{}[0]=1", "-{}=1", "{}=1,2")),
            "=1",
            "",
            draw.choice(draw.choice(typed_words.HOSTILE)),
            *[draw.choice(flags) for _ in range(4)],
        )
    )


def small(words: Sequence[str]) -> bool:
    """Whether a command with these words takes seconds, if its base does."""
    text = " ".join(words)
    numbers = re.findall(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?", text, re.IGNORECASE)
    return len(text) < 500 and not DEAR.search(text) and all(len(n) < 6 and float(n) <= SMALL for n in numbers)


def go(case: Case) -> None:
    """Carry out a case in this process, up to where computing begins, or beyond."""
    from jaxgp.run import outcome

    outcome.write = lambda run: []  # pictures are half of the time
    children.stop_where_computing_begins(unless=lambda: case.carried)
    children.script(case.script, case.words)


def options_of(folder: Path) -> dict[str, dict[str, list[Target]]]:
    """Return the options of every script beside each of its bases; a child finds them, since it may compute."""

    def write() -> None:
        found = {name: {base: typed_words.targets(name, base) for base in bases} for name, bases in BASES.items()}
        (folder / "options.json").write_text(json.dumps(found))
        typed_words.furnish(folder / "furnished")

    (folder / "furnished").mkdir()
    ended = carry_out(write, folder, folder / "options", 120)
    if ended.code:
        raise RuntimeError(ended.err)
    found = json.loads((folder / "options.json").read_text())
    return {
        script: {base: [Target(name, tuple(near)) for name, near in listed] for base, listed in bases.items()}
        for script, bases in found.items()
    }


def chosen(found: dict[str, dict[str, list[Target]]], options: Options) -> dict[str, dict[str, list[Target]]]:
    """Return the scripts and bases that are asked for; raises UsageError where there are none."""
    word = options.base or ""
    chosen = {
        script: {name: listed for name, listed in bases.items() if word in name or word in BASES[script][name]}
        for script, bases in found.items()
        if options.script in (None, script)
    }
    chosen = {script: bases for script, bases in chosen.items() if bases}
    if not chosen:
        raise UsageError(f"base={word}: accepted: what stands in the name or the words of a base")
    return chosen


def shrunk(case: Case, kind: str, judged: Callable[[Case, Ended], str], folder: Path) -> Case:
    """Return a case without the words that it fails without, in the same way."""
    for word in case.words:
        if word.startswith("output="):
            continue  # without it a command may write where it should not
        less = case._replace(words=tuple(other for other in case.words if other is not word))
        if kind_of(judged(less, tried(less, folder))) == kind:
            case = less
    return case


def kind_of(wrong: str) -> str:
    """Return what is the same of two failures that have the same reason."""
    return re.sub(r"\d+", "N", wrong)[:50]


def tried(case: Case, folder: Path) -> Ended:
    """Carry out a case in a child, in a folder of its own that is gone afterwards."""
    place, log = folder / "case", folder / "said"
    shutil.copytree(folder / "furnished", place, symlinks=True)
    try:
        limit = LONG_LIMIT if case.carried else LIMIT
        return carry_out(functools.partial(go, case), place, log, limit, {"HOME": str(place)})
    finally:
        shutil.rmtree(place, ignore_errors=True)


def outcome_of(ended: Ended, wrong: str) -> str:
    """Return the row of the table in which a case counts."""
    return (
        "failed" if wrong else {0: "carried out", REACHED: "accepted", 1: "the machine"}.get(ended.code or 0, "refused")
    )


def command(case: Case) -> str:
    """Return the command line as it is pasted into a shell; long repetitions are written by Python."""
    return " ".join(["python", f"scripts/{case.script}.py", *map(quoted, case.words)])


def quoted(word: str) -> str:
    """Quote a word for a shell."""
    if not word.isprintable():
        code = "".join(
            f"\\x{byte:02x}" if byte < 32 or byte > 126 or byte in b"\\'" else chr(byte) for byte in os.fsencode(word)
        )
        return f"$'{code}'"
    short = re.sub(r"(.{1,12}?)\1{30,}", lambda found: f'" + "{found[1]}" * {len(found[0]) // len(found[1])} + "', word)
    return shlex.quote(word) if short == word else f'''"$(python -c 'print("{short}")')"'''


def fuzz(options: Options, say: Callable[[str], object] = print) -> Counter[tuple[str, str]]:
    """Try cases; say each failure as it is found, and a table at the end; return the counts by script and outcome."""
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    say(f"seed={seed}")
    counts: Counter[tuple[str, str]] = Counter()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        found = chosen(options_of(folder), options)
        known = {
            name: {target.name.lstrip("~+") for listed in bases.values() for target in listed}
            for name, bases in found.items()
        }

        def judged(case: Case, ended: Ended) -> str:
            return fault(ended, case.names, known[case.script])

        scripts = [*found, *(["train"] * len(found) if "train" in found else [])]
        for number in range(options.cases) if options.case is None else [options.case]:
            draw = random.Random(f"{seed}/{number}")
            script = draw.choice(scripts)
            base = draw.choice(list(found[script]))
            share = 0 if base in typed_words.LONG else options.carried
            case = drawn(draw, script, found[script][base], BASES[script][base], share, options.taken)
            ended = tried(case, folder)
            wrong = judged(case, ended)
            counts[script, outcome_of(ended, wrong)] += 1
            if wrong:
                case = shrunk(case, kind_of(wrong), judged, folder) if options.shrink else case
                say(f"\ncase={number}{f' script={script}' if options.script else ''}: {wrong}\n  {command(case)}")
            elif options.case is not None:
                say(f"{outcome_of(ended, wrong)}: {command(case)}\n{ended.out}{ended.err}")
            if sum(count for (_, outcome), count in counts.items() if outcome == "failed") >= options.stop:
                break
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    say("\n" + table(counts))
    return counts


def table(counts: Counter[tuple[str, str]]) -> str:
    """Write the counts, a row for each script."""
    scripts = sorted({script for script, _ in counts})
    rows = [[script, *(counts[script, outcome] for outcome in OUTCOMES)] for script in scripts]
    rows.append(["all", *(sum(counts[script, outcome] for script in scripts) for outcome in OUTCOMES)])
    head = ["script", *OUTCOMES, "cases"]
    lines = [[*map(str, row), str(sum(map(int, row[1:])))] for row in rows]
    return "\n".join("  ".join(f"{cell:>11}" for cell in line) for line in [head, *lines])


def task(options: Options) -> int:
    """Try, print; return 1 if a case failed."""
    if options.script is not None and options.script not in BASES:
        raise UsageError(f"script={options.script}: accepted: {', '.join(BASES)}")
    preload()
    counts = fuzz(options, functools.partial(print, flush=True))
    return int(any(outcome == "failed" for _, outcome in counts))


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__))
