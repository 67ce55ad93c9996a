"""Nodes of guides on single problems, beside those of `few` and `dfpn_replies`: rows for paired tests.

    python scripts/studies/mate/guides.py run=outputs/DIR suite=report limit=20000 save=rows.csv
    python scripts/studies/mate/guides.py run=outputs/DIR suite=report file=problems.epd n=[3,4] limit=20000
    python scripts/studies/mate/guides.py run=FILE.json file=problems.epd known=docs/data/mate_lines.csv limit=2000000
    python scripts/studies/mate/guides.py text="(PROGRAM 250 250)" equal=replies
    python scripts/studies/mate/guides.py text="(PROGRAM 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0)" role=weights
    python scripts/studies/mate/guides.py text="(IfForAllOpponentMoves IsMateInOneOrLess 1000 -1000)" role=search

`file` is a list in EPD whose problems are added, the composed ones or those of games; their rows are numbers of lines,
without positions. All searches are those of plain C++, cut at the same limit: they make as many moves as in lanes whose
tables replace no entry. What a program that makes moves claims is proved where complete search finds the same. A guide
given as text is measured as champions are; trees that say nothing, and weights of 0, have to need what the search by
hand needs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import re
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envs.mate import suites
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.games.casting import Cast, cast
from jaxgp.genotypes import language as languages
from jaxgp.interpreter.machine.frames import MATE
from jaxgp.measure import champions
from jaxgp.options import MAX_COUNT, option
from rivals.plain import mate
from studies.chess.shared import rows
from studies.mate import programs

COMPOSED = "matetrack"
KINDS = ("composed", "games")
CAPACITY = 128
"""Nodes of a guide; one for all, so that those of one kind share a compiled program."""
LAZY = ("lazy", "flights")
WITHIN = ("deepening", "proof", *LAZY)
ROLES = ("guide", "weights", "search")
HAND = ("few", "dfpn_replies")
CHECKED = 3_000_000
"""Nodes by which a claim of a program is checked, at most."""
Posed = tuple[str, str, str, int]
"""Source, line, FEN and n."""
COLUMNS = ("run", "seed", "source", "line", "n", "limit", "nodes", "proved", "cut", *HAND, "text")


@dataclass
class Options:
    """Which guides, and which problems."""

    run: str | None = option(None, "the run, or the champion file", path=True)
    text: str | None = option(None, "the trees or weights of a guide in its place")
    name: str = option("", "what the rows call it; by default the title of the run")
    role: str = option("guide", "which of them the text has; search: a program that makes moves", ROLES)
    language: str = option("again", "the language of a program that makes moves", ("book", "again"))
    stop: bool = option(True, "whether its first claim ends the search")
    counts: bool = option(False, "whether 0 to 8 are constants of it")
    cutoff: bool = option(False, "whether its best move ends a search")
    remember: bool = option(False, "whether its search keeps what the tree in itself was worth")
    within: str = option(
        "deepening", "the search of trees given as text, or of weights: few for deepening, or others", WITHIN
    )
    equal: str = option(
        "list", "the order of its moves: of equal value, or value less replies", ("list", "replies", "less")
    )
    entries: int = option(2**14, "entries of the table of each search, a power of two", low=2, high=2**20)
    suite: str = option("report", "the set of own problems", (*suites.SETS, *suites.APART))
    file: str | None = option(None, "a list in EPD, whose problems are added", path=True)
    kinds: list[str] = option(["composed"], f"which of these, some of {', '.join(KINDS)}")
    known: str | None = option(
        None,
        "rows of that list by problems.py part=lines at the same limit, for the nodes of searches by hand",
        path=True,
    )
    n: list[int] = option([3, 4], "the n of these", low=1, high=6)
    limit: int = option(20_000, "nodes of a search at most", low=218, high=MAX_COUNT)
    save: str | None = option(None, "a file of rows, to which these are added", path=True)


def problems(options: Options) -> list[Posed]:
    """Return source, line, FEN and n."""
    listed = suites.shipped(suites.APART.get(options.suite, suites.SHIPPED))
    found = [
        (options.suite, str(line), text, own)
        for line, (text, own, _, wanted) in enumerate(listed, 1)
        if options.suite in (wanted, *suites.APART)
    ]
    for kind in options.kinds:
        if kind not in KINDS:
            reject("kinds", kind, f"some of {', '.join(KINDS)}")
    if options.file is None:
        return found
    try:
        lines = files.user_path("file", options.file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"file={options.file}: {error}; accepted: a file of text") from error
    for number, line in enumerate(lines, 1):
        told = re.match(r"(\S+ \S+ \S+ \S+) dm (\d+);", line)
        kind = "composed" if COMPOSED in line else "games"
        if told and int(told[2]) in options.n and kind in options.kinds:
            found.append((kind, str(number), told[1], int(told[2])))
    return found


def guide(options: Options) -> tuple[Cast, str, str, str]:
    """Return how a guide searches, its text, the name of its run, and its seed; raises UsageError."""
    if options.text is not None:
        lazy = {"within": options.within} if options.within in LAZY else {}
        trees = {"within": options.within, "equal": options.equal} if options.role == "guide" else lazy
        values = {**trees, "entries": options.entries}
        if options.role == "search":
            values = {name: getattr(options, name) for name in ("language", "stop", "counts", "cutoff", "remember")}
        return (
            cast(programs.Games().spec("mate"), None, options.role, None, values),
            options.text,
            f"{options.within}, weights of 0" if lazy else "by hand",
            "",
        )
    if options.run is None:
        reject("run", None, "a run, a champion file, or text=")
    loaded = champions.load(options.run, programs.Games())
    role = loaded.cast.role.name if loaded.cast.role else ""
    if role not in ROLES:
        reject("run", options.run, f"a champion of one of the roles {', '.join(ROLES)}")
    values = {name: value for name, value in loaded.cast.program.items() if name != "role"}
    if role != "search":
        values["entries"] = options.entries
    own = cast(loaded.cast.spec, loaded.cast.game, role, None, values)
    return own, loaded.content.text, loaded.content.title, str(loaded.content.seed)


def known(options: Options) -> dict[str, dict[str, str]]:
    """Return the rows of searches by hand by their lines; raises UsageError."""
    if options.known is None:
        return {}
    try:
        with files.user_path("known", options.known).open(encoding="utf-8", newline="") as file:
            return {row["line"]: row for row in csv.DictReader(file) if all(row[name] for name in HAND)}
    except (OSError, KeyError, UnicodeDecodeError) as error:
        raise UsageError(f"known={options.known}: {error}; accepted: rows of problems.py part=lines") from error


def by_hand(search: str, given: list[Posed], told: dict[str, dict[str, str]], limit: int) -> list[int]:
    """Return the nodes of a search on each problem: those that are known, or counted now."""
    cells = [told[line][search] if source in KINDS and told else "" for source, line, _, _ in given]
    missing = [(position, n) for (_, _, position, n), cell in zip(given, cells, strict=True) if not cell]
    made = iter(mate.count(search, missing, limit))
    return [limit if cell == "cut" else int(cell) if cell else next(made).nodes for cell in cells]


def counted(own: Cast, genome: Any, pairs: list[tuple[str, int]], limit: int) -> list[list[int]]:
    """Return nodes, whether it is proved, and whether it is cut, of each problem; genome [1, T, L]."""
    if own.role is not None and own.role.name == "search":
        return claimed(own, languages.to_text(own.language, jax.tree.map(lambda x: x[0], genome)), pairs, limit)
    plans = own.actor.prepare(genome)
    if own.options.within in LAZY:
        plain = mate.count(own.options.within, pairs, limit, weights=plans[0].tolist())
        return [[one.nodes for one in plain], [int(one.moves > 0) for one in plain], [int(one.cut) for one in plain]]
    states = jax.tree.map(jnp.asarray, own.game.positions(pairs))
    search = jax.jit(own.actor.prove)
    found = jax.device_get(search(plans, jnp.zeros(len(pairs), jnp.int32), states, jnp.full(len(pairs), limit)))
    return [found.nodes.tolist(), found.solved.astype(int).tolist(), found.truncated.astype(int).tolist()]


def claimed(own: Cast, text: str, pairs: list[tuple[str, int]], limit: int) -> list[list[int]]:
    """Return the same of a program that makes moves, whose claims are checked."""
    asked = [(0, at, programs.allowed(own.options, n), limit, n) for at, (_, n) in enumerate(pairs)]
    words = (*programs.words(own.options), f"prove={CHECKED}")
    found = mate.run([text], [position for position, _ in pairs], asked, words)
    return [
        [one.nodes for one in found],
        [int(one.score >= MATE and one.proved == 1) for one in found],
        [int(one.truncated) for one in found],
    ]


def task(options: Options) -> int:
    """Search, and write the rows."""
    own, text, name, seed = guide(options)
    told = known(options)
    given = [one for one in problems(options) if not told or one[0] not in KINDS or one[1] in told]
    pairs = [(position, n) for _, _, position, n in given]
    try:
        genome = languages.parse(own.language, text, CAPACITY)
    except ValueError as error:
        raise UsageError(f"text={text}: {error}") from error
    genome = jax.tree.map(lambda x: jnp.asarray(x)[None], genome)
    found = counted(own, genome, pairs, options.limit)
    hand = [by_hand(search, given, told, options.limit) for search in HAND]
    lines = [
        [options.name or name, seed, source, line, str(n), str(options.limit), *map(str, cells), text]
        for (source, line, _, n), *cells in zip(given, *found, *hand, strict=True)
    ]
    rows.report(COLUMNS, lines, files.user_path("save", options.save) if options.save else None)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
