"""The deals of FreeCell by fc-solve, an engine outside, as rows beside those of evolved searches.

python scripts/studies/freecell/fc_solve.py instances=outputs/fc_solve.csv
python scripts/studies/freecell/fc_solve.py suite=1-100 instances=outputs/fc_solve.csv

Debian has the program in its package freecell-solver-bin. Rows are those of `scripts/evaluate.py instances=FILE`, and
the same command goes on where it was stopped. There `expanded` is what fc-solve calls states checked, and `nodes` what
it calls states generated. Its word is taken for what is solved.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import re
import shutil
import subprocess
import time
from dataclasses import dataclass

import numpy as np

import envs
from envs.freecell import cards, suites
from envs.freecell.rules import FreeCell
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.measure.puzzles import solving
from jaxgp.measure.puzzles.instances import Book, SearchOutcome, describe_search
from jaxgp.options import MAX_COUNT, option

PROGRAM, NAME = "fc-solve", "fc-solve"
TOGETHER = 100
"""Deals whose rows are written together."""


@dataclass
class Options:
    """Which deals, and where the rows go."""

    instances: str | None = option(None, "a CSV file that gets a row for each deal", path=True)
    suite: str = option(suites.ALL, suites.ACCEPTED)
    preset: str = option("lg", "the configuration of fc-solve", ("lg", "as", "cm", "tlm"))
    limit: int = option(200_000, "states that are checked at most", low=1, high=MAX_COUNT)


def solve(deal: int, preset: str, limit: int) -> SearchOutcome:
    """Return what fc-solve finds for a deal; the seconds are those of its process."""
    command = [PROGRAM, "-l", preset, "-m", "-p", "-t", "-mi", str(limit)]
    begin = time.perf_counter()
    done = subprocess.run(
        command, input=cards.write_layout(cards.deal(deal)), capture_output=True, text=True, check=False
    )
    return read(done.stdout, time.perf_counter() - begin)


def read(text: str, seconds: float) -> SearchOutcome:
    """Return what the output of fc-solve says.

    Raises:
        ValueError: it says nothing of the states that were checked.
    """
    checked = re.search(r"^Total number of states checked is (\d+)\.", text, re.MULTILINE)
    generated = re.search(r"^This scan generated (\d+) states", text, re.MULTILINE)
    if checked is None or generated is None:
        raise ValueError("no number of states")
    solved = "This game is solveable." in text
    moves = len(re.findall(r"^Move ", text, re.MULTILINE))
    return solved, int(generated[1]), moves if solved else -1, seconds, int(checked[1])


def task(options: Options) -> int:
    """Check, ask for each deal, write, print."""
    if options.instances is None:
        raise UsageError("instances: accepted: a CSV file for the rows")
    book = Book(files.user_path("instances", options.instances))
    game, some = FreeCell(), suites.instances(FreeCell(), options.suite, "suite")
    if shutil.which(PROGRAM) is None:
        raise UsageError(f"{PROGRAM} is not installed (Debian: freecell-solver-bin)")
    order = solving.Order(NAME, cast(envs.spec("freecell"), game))
    about = describe_search(options.suite, order, options.limit) | {"program": f"search={NAME} preset={options.preset}"}
    found = book.known(about, some)
    left = np.flatnonzero(~found.done)
    for first in range(0, len(left), TOGETHER):
        at = left[first : first + TOGETHER]
        outcomes = [solve(int(some.names[number]), options.preset, options.limit) for number in at]
        solved, nodes, length, seconds, expanded = map(np.array, zip(*outcomes, strict=True))
        book.add(about, solving.part(some, at), solved, nodes, length, float(seconds.mean()), expanded)
        found.put(at, solved, nodes, length, seconds, expanded)
    print(solving.text({options.suite: {NAME: solving.figures(some.names, found, None)}}))
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
