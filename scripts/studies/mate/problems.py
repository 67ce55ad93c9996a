"""Problems of mate in n: own ones made from games of an engine, and what every search by hand needs for any of them.

    python scripts/studies/mate/problems.py part=games games=400 file=games.fen
    python scripts/studies/mate/problems.py part=own file=games.fen save=envs/mate/problems.txt
    python scripts/studies/mate/problems.py part=hard file=envs/mate/problems.txt least=100 save=envs/mate/hard.txt
    python scripts/studies/mate/problems.py part=lines file=problems.epd save=docs/data/mate_lines.csv
    python scripts/studies/mate/problems.py part=lines file=problems.epd save=lines.csv n=[5] columns=[shortest,few]

The first needs python-chess and Stockfish, the others a C++ compiler (`rivals/plain/mate.cpp`). Lists without a licence
to ship them are read here alone: their rows are numbers of lines, without positions. Where `save` is there already,
cells that are not measured stay as they are.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from rivals.plain import mate

if TYPE_CHECKING:
    import chess.engine

MEN = 8
"""The fewest men of an own problem."""
FACTOR = 4
"""An own problem needs within this factor of the median of its n."""
SETS = ("train", "choose", "report")
REFERENCE = "captures"
HEADER = """\
# Problems of mate in n, made by scripts/studies/mate/problems.py from games of {engine} against itself at few nodes,
# seed {seed}; the shortest n is proved. Columns: FEN; n; nodes of the search `captures`, told n, of at most {limit};
# a set; all keys, by complete search. At most one problem of a game stands here. It may be used as the project may.
"""
HARD = """\
# Problems of problems.txt that are not set apart for reports, and for which the search `few`, told n, needs {least}
# nodes or more; made by scripts/studies/mate/problems.py part=hard. Columns are those of that list.
"""
SHORTEST = "dfpn_replies_deepening"
MEASURED = (
    "keys",
    "shortest",
    "smallest",
    *mate.SEARCHES,
    "few_by_number",
    "few_deepening",
    *mate.KNOWING,
    *mate.FLIGHTS,
)
ASKED = (*MEASURED, "engine")
"""What can be measured; an engine is asked where somebody names it."""
COLUMNS = (
    "line",
    "source",
    "n",
    "label",
    "keys",
    "open",
    "shortest",
    "smallest",
    *MEASURED[3:],
    "dfpn_distinct",
    "dfpn_replies_distinct",
    SHORTEST,
    "engine",
)
HASH = 64
"""MiB of the table of an engine that searches for mates."""


@dataclass
class Options:
    """What is done."""

    part: str = option(
        "lines",
        "games of an engine, own problems out of them, those of them that are hard, or counts of all lines",
        ("games", "own", "hard", "lines"),
    )
    file: str | None = option(None, "the file of games to be written, or of lines to be read", path=True)
    save: str | None = option(None, "where the result goes; null: it is printed", path=True)
    games: int = option(100, "games that the engine plays", low=1, high=MAX_COUNT)
    nodes: int = option(300, "nodes of the engine a move", low=1, high=MAX_COUNT)
    engine: str = option("stockfish", "the engine")
    limit: int = option(2_000_000, "nodes of a search at most", low=100, high=2**31 - 1)
    n: list[int] = option([], "the n of lines that are measured, or of own problems; []: all", low=1, high=6)
    lines: list[int] = option([], "the numbers of lines that are measured; []: all of these n", low=1, high=MAX_COUNT)
    columns: list[str] = option(
        list(MEASURED),
        f"what is measured of lines, of {', '.join(ASKED)}; keys cost a search of each first move, and "
        "engine is that of `engine`, in nodes of its own",
    )
    settle: int = option(
        20_000_000, "nodes of the search for the shortest mate, which is not told n, at most", low=100, high=2**31 - 1
    )
    least: int = option(100, "nodes of few that a hard problem needs at least", low=1, high=MAX_COUNT)
    each: int = option(300, "own problems of each n at most", low=3, high=MAX_COUNT)
    most: int = option(4, "the greatest n of own problems", low=1, high=6)
    last: int = option(24, "positions at the end of a game that are tried: mates are there", low=1, high=MAX_COUNT)
    found_by: str = option(
        "dfpn_replies",
        "what looks for own problems: a search whose nodes `look` bounds, or the engine, in nodes of its own",
        ("dfpn_replies", "engine"),
    )
    proved_by: str = option("dfpn_replies", "the search that proves their shortest n", mate.SEARCHES)
    look: int = option(2000, "nodes of the search that looks for own problems", low=100, high=MAX_COUNT)
    first: int = option(
        200_000,
        "nodes of the search that settles a first move; own problems with one that is not settled are left out",
        low=100,
        high=2**31 - 1,
    )
    seed: int = option(0, "of the games and of the sets", low=0, high=MAX_SEED)


def _running(command: str) -> "chess.engine.SimpleEngine":
    """Return a running engine; raises UsageError."""
    try:
        import chess.engine
    except ImportError as error:
        raise UsageError(f"engine={command}: {error}; accepted: with python-chess installed") from error
    try:
        return chess.engine.SimpleEngine.popen_uci(command)
    except OSError as error:
        reject("engine", command, f"a command that starts an engine ({error.strerror or 'it is silent'})")


def play(options: Options) -> list[str]:
    """Return positions of games, `number FEN` each."""
    draw = random.Random(options.seed)
    found: list[str] = []
    with _running(options.engine) as engine:
        import chess
        import chess.engine

        for game in range(options.games):
            board = chess.Board()
            skills = [draw.randrange(0, 20), draw.randrange(0, 6)]
            if draw.random() < 0.5:
                skills.reverse()
            while not board.is_game_over(claim_draw=True) and board.ply() < 160:
                if board.ply() < 6:
                    board.push(draw.choice(list(board.legal_moves)))
                    continue
                engine.configure({"Skill Level": skills[board.turn]})
                move = engine.play(board, chess.engine.Limit(nodes=options.nodes), game=game).move
                assert move is not None
                if board.ply() > 16:
                    found.append(f"{game} {board.fen(en_passant='legal')}")
                board.push(move)
    return found


def men(text: str) -> int:
    """Return how many men stand on a board in FEN."""
    return sum(letter.isalpha() for letter in text.split()[0])


def make(lines: Sequence[str], options: Options) -> list[str]:
    """Return own problems: of each game at most one, of each n as many, neither trivial nor extreme."""
    games = [line.split(" ", 1) for line in lines if line.strip()]
    last: dict[str, list[str]] = defaultdict(list)
    for game, text in games:
        last[game].append(text)
    texts = [(text, int(game)) for game, found in last.items() for text in found[-options.last :] if men(text) >= MEN]
    problems = [(text, options.most) for text, _ in texts]
    # Cheap first: what a short search finds is taken up, and its shortest n proved.
    hits = found_in(problems, options)
    proved = mate.count(options.proved_by, [problems[n] for n in hits], options.settle, told=False)
    by_length: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for n, found in zip(hits, proved, strict=True):
        if found.moves and (not options.n or found.moves in options.n):
            by_length[found.moves].append((texts[n][1], " ".join(texts[n][0].split()[:4])))
    draw, taken, kept = random.Random(options.seed), set(), []
    for own in sorted(by_length, reverse=True):  # long ones are rare: they choose their games first
        rows = by_length[own]
        draw.shuffle(rows)
        chosen: list[tuple[str, int]] = []
        for number, text in rows:
            if number not in taken and len(chosen) < 3 * options.each // 2:
                taken.add(number)
                chosen.append((text, own))
        counts = [found.nodes for found in mate.count(REFERENCE, chosen, options.limit)]
        middle = median(counts) if counts else 0
        fitting = [
            (*problem, nodes)
            for problem, nodes in zip(chosen, counts, strict=True)
            if own == 1 or middle / FACTOR <= nodes <= middle * FACTOR
        ][: options.each]
        keys = [line.split()[1:] for line in mate.ask(["keys", str(options.first)], [row[:2] for row in fitting])]
        settled = [
            (row, names) for row, names in zip(fitting, keys, strict=True) if not any("?" in name for name in names)
        ]
        for place, ((text, length, nodes), names) in enumerate(settled):
            kept.append((length, f"{text}; {length}; {nodes}; {SETS[place % 3]}; {' '.join(names)}"))
    return [row for _, row in sorted(kept, key=lambda one: one[0])]


def found_in(problems: Sequence[tuple[str, int]], options: Options) -> list[int]:
    """Return the places of the problems in which a short search, or the engine, finds a mate."""
    if options.found_by == "engine":
        looked = by_engine(problems, replace(options, limit=options.look))
        return [n for n, cells in enumerate(looked) if cells["engine"] != "cut"]
    return [n for n, found in enumerate(mate.count(options.found_by, problems, options.look)) if found.moves]


def hard(lines: Sequence[str], options: Options) -> list[str]:
    """Return the lines of own problems that are not set apart for reports, and for which `few` needs many nodes."""
    rows = [line for line in lines if not line.startswith("#") and "; report; " not in line]
    problems = [(text, int(own)) for text, own, *_ in (line.split("; ") for line in rows)]
    counts = [found.nodes for found in mate.count("few", problems, options.limit)]
    return [line for line, nodes in zip(rows, counts, strict=True) if nodes >= options.least]


def measure(lines: Sequence[str], options: Options) -> list[str]:
    """Return a row for each line of a list in EPD."""
    for name in options.columns:
        if name not in ASKED:
            reject("columns", name, f"some of {', '.join(ASKED)}")
    rows: list[dict[str, object]] = []
    problems: list[tuple[str, int]] = []
    for number, line in enumerate(lines, 1):
        found = re.match(r"(\S+ \S+ \S+ \S+) dm (\d+);(?: id \"([^\"]*)\";)?(?:.* c1 \"([^\"]*)\";)?", line)
        if found is None:
            raise UsageError(f"file={options.file}: line {number} is no position with dm; accepted: FEN dm N; ...")
        problems.append((found[1], int(found[2])))
        about = (number, found[3] or "", int(found[2]), found[4] or "")
        rows.append(dict(zip(COLUMNS, (*about, *[""] * len(COLUMNS)), strict=False)))
    for row, known in zip(rows, _known(options), strict=False):
        row |= {name: known.get(name, "") for name in COLUMNS[4:]}
    at = [
        place
        for place, (_, own) in enumerate(problems)
        if (not options.n or own in options.n) and (not options.lines or place + 1 in options.lines)
    ]
    for name in options.columns:
        for place, cells in zip(at, column(name, [problems[place] for place in at], options), strict=True):
            rows[place] |= cells
    return [",".join(COLUMNS), *(",".join(str(row[name]) for name in COLUMNS) for row in rows)]


def _known(options: Options) -> list[dict[str, str]]:
    """Return the rows of the file that is to be written, if it is there."""
    path = files.user_path("save", options.save) if options.save else None
    if path is None or not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_engine(problems: Sequence[tuple[str, int]], options: Options) -> list[dict[str, str | int]]:
    """Return the nodes of an engine, one thread, until it first says that a problem is mate within n."""
    cells: list[dict[str, str | int]] = []
    with _running(options.engine) as engine:
        import chess
        import chess.engine

        engine.configure({"Threads": 1, "Hash": HASH})
        for text, n in problems:
            board = chess.Board(text)
            nodes: str | int = "cut"
            limit = chess.engine.Limit(nodes=options.limit, mate=n)
            with engine.analysis(board, limit, game=object()) as said:
                for info in said:
                    score = info.get("score")
                    mate_in = score.pov(board.turn).mate() if score else None
                    if mate_in is not None and 0 < mate_in <= n and not info.get("upperbound"):
                        nodes = min(info["nodes"], options.limit)
                        break
            cells.append({"engine": nodes})
    return cells


def column(name: str, problems: Sequence[tuple[str, int]], options: Options) -> list[dict[str, str | int]]:
    """Return the cells of what is measured of each problem, by the names of columns."""
    if name == "engine":
        return by_engine(problems, options)
    if name == "keys":
        said = [line.split()[1:] for line in mate.ask(["keys", str(options.limit)], problems)]
        settled = [[key for key in keys if not key.startswith("?")] for keys in said]
        return [{"keys": " ".join(s), "open": len(keys) - len(s)} for s, keys in zip(settled, said, strict=True)]
    if name == "smallest":
        counts = [line.split() for line in mate.ask(["smallest", str(options.limit)], problems)]
        return [{"smallest": "" if cut == "1" else moves} for moves, _, cut in counts]
    if name == "shortest":
        found = mate.count("dfpn_replies", problems, options.settle, told=False)
        return [
            {"shortest": one.moves or ("" if one.cut else 0), SHORTEST: "cut" if one.cut else one.nodes}
            for one in found
        ]
    search = "few" if name in ("few_by_number", "few_deepening") else name
    found = mate.count(search, problems, options.limit, name != "few_deepening", name == "few_by_number")
    cells = [{name: "cut" if one.cut else one.nodes} for one in found]
    if f"{name}_distinct" not in COLUMNS:
        return cells
    return [{**one, f"{name}_distinct": "cut" if a.cut else a.distinct} for one, a in zip(cells, found, strict=True)]


def task(options: Options) -> int:
    """Do what the options say."""
    if options.part == "games":
        found, option_name, target = play(options), "file", options.file
    else:
        if options.file is None:
            reject("file", None, "a file of games, of problems, or of lines in EPD")
        try:
            lines = files.user_path("file", options.file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"file={options.file}: {error}; accepted: a file of text") from error
        option_name, target = "save", options.save
        if options.part == "own":
            header = HEADER.format(engine=options.engine, seed=options.seed, limit=options.limit)
            found = [*header.splitlines(), *make(lines, options)]
        elif options.part == "hard":
            found = [*HARD.format(least=options.least).splitlines(), *hard(lines, options)]
        else:
            found = measure(lines, options)
    if target is None:
        print("\n".join(found))
    else:
        files.save_text(option_name, files.user_path(option_name, target), "\n".join(found) + "\n")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
