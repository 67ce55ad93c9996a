"""Problems of mate in n: own ones made from games of an engine, and what every search by hand needs for any of them.

    python scripts/studies/mate/problems.py part=games games=400 file=games.fen
    python scripts/studies/mate/problems.py part=own file=games.fen save=envs/mate/problems.txt
    python scripts/studies/mate/problems.py part=lines file=problems.epd save=docs/data/mate_lines.csv

The first needs python-chess and Stockfish, the others a C++ compiler (`rivals/plain/mate.cpp`). Lists without a licence
to ship them are read here alone: their rows are numbers of lines, without positions.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from rivals.plain import mate

MEN = 8
"""The fewest men of an own problem."""
FACTOR = 4
"""An own problem needs within this factor of the median of its n."""
LAST = 24
"""Positions at the end of a game that are tried; mates are there."""
SHORT = 2000
"""Nodes of the search that looks for problems."""
KEYS = 200_000
"""Nodes of the search that settles a first move; problems with one that is not settled are left out."""
SETS = ("train", "choose", "report")
REFERENCE = "captures"
HEADER = """\
# Problems of mate in n, made by scripts/studies/mate/problems.py from games of {engine} against itself at few nodes,
# seed {seed}; the shortest n is proved. Columns: FEN; n; nodes of the search `captures`, told n, of at most {limit};
# a set; all keys, by complete search. At most one problem of a game stands here. It may be used as the project may.
"""
COLUMNS = (
    "line",
    "source",
    "n",
    "label",
    "keys",
    "open",
    "shortest",
    "smallest",
    *mate.SEARCHES,
    "few_by_number",
    "few_deepening",
    "dfpn_distinct",
    "dfpn_replies_distinct",
    "dfpn_replies_deepening",
)


@dataclass
class Options:
    """What is done."""

    part: str = option(
        "lines", "games of an engine, own problems out of them, or counts of all lines", ("games", "own", "lines")
    )
    file: str | None = option(None, "the file of games to be written, or of lines to be read", path=True)
    save: str | None = option(None, "where the result goes; null: it is printed", path=True)
    games: int = option(100, "games that the engine plays", low=1, high=MAX_COUNT)
    nodes: int = option(300, "nodes of the engine a move", low=1, high=MAX_COUNT)
    engine: str = option("stockfish", "the engine")
    limit: int = option(2_000_000, "nodes of a search at most", low=100, high=2**31 - 1)
    keys: int = option(5, "the greatest n of lines of which all keys are sought; a key costs a search", low=0, high=6)
    smallest: int = option(4, "the greatest n of lines of which the smallest proof is sought", low=0, high=6)
    settle: int = option(20_000_000, "nodes of the search for the shortest mate, at most", low=100, high=2**31 - 1)
    each: int = option(300, "own problems of each n at most", low=3, high=MAX_COUNT)
    most: int = option(4, "the greatest n of own problems", low=1, high=6)
    seed: int = option(0, "of the games and of the sets", low=0, high=MAX_SEED)


def play(options: Options) -> list[str]:
    """Return positions of games, `number FEN` each."""
    try:
        import chess
        import chess.engine
    except ImportError as error:
        raise UsageError(f"part=games: {error}; accepted: with python-chess installed") from error
    draw = random.Random(options.seed)
    found: list[str] = []
    try:
        engine = chess.engine.SimpleEngine.popen_uci(options.engine)
    except OSError as error:
        reject("engine", options.engine, f"a command that starts an engine ({error.strerror or 'it is silent'})")
    with engine:
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
    texts = [(text, int(game)) for game, found in last.items() for text in found[-LAST:] if men(text) >= MEN]
    problems = [(text, options.most) for text, _ in texts]
    # Cheap first: what a short search finds is taken up, and its shortest n proved.
    hits = [n for n, found in enumerate(mate.count("dfpn_replies", problems, SHORT)) if found.moves]
    proved = mate.count("dfpn_replies", [problems[n] for n in hits], options.limit, told=False)
    by_length: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for n, found in zip(hits, proved, strict=True):
        if found.moves:
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
        keys = [line.split()[1:] for line in mate.ask(["keys", str(KEYS)], [row[:2] for row in fitting])]
        settled = [
            (row, names) for row, names in zip(fitting, keys, strict=True) if not any("?" in name for name in names)
        ]
        for place, ((text, length, nodes), names) in enumerate(settled):
            kept.append((length, f"{text}; {length}; {nodes}; {SETS[place % 3]}; {' '.join(names)}"))
    return [row for _, row in sorted(kept, key=lambda one: one[0])]


def measure(lines: Sequence[str], options: Options) -> list[str]:
    """Return a row for each line of a list in EPD."""
    told = []
    for number, line in enumerate(lines, 1):
        found = re.match(r"(\S+ \S+ \S+ \S+) dm (\d+);(?: id \"([^\"]*)\";)?(?:.* c1 \"([^\"]*)\";)?", line)
        if found is None:
            raise UsageError(f"file={options.file}: line {number} is no position with dm; accepted: FEN dm N; ...")
        told.append((number, found[1], int(found[2]), found[3] or "", found[4] or ""))
    problems = [(text, own) for _, text, own, _, _ in told]
    columns = {search: mate.count(search, problems, options.limit) for search in mate.SEARCHES}
    columns["few_by_number"] = mate.count("few", problems, options.limit, by_number=True)
    columns["few_deepening"] = mate.count("few", problems, options.limit, told=False)
    columns["dfpn_replies_deepening"] = mate.count("dfpn_replies", problems, options.settle, told=False)
    keys = _up_to(options.keys, problems, ["keys", str(options.limit)])
    smallest = _up_to(options.smallest, problems, ["smallest", str(options.limit)])
    rows = []
    for n, (number, _, own, source, label) in enumerate(told):
        shortest = columns["dfpn_replies_deepening"][n]
        row = {
            "line": number,
            "source": source,
            "n": own,
            "label": label,
            "keys": " ".join(key for key in keys.get(n, ["", "?"])[1:] if not key.startswith("?")),
            "open": sum(key.startswith("?") for key in keys.get(n, ["", "?"])[1:]),
            "shortest": shortest.moves or ("" if shortest.cut else 0),
            "smallest": smallest[n][0] if n in smallest and smallest[n][2] == "0" else "",
        }
        row |= {name: "cut" if column[n].cut else column[n].nodes for name, column in columns.items()}
        row |= {
            f"{name}_distinct": "cut" if columns[name][n].cut else columns[name][n].distinct
            for name in ("dfpn", "dfpn_replies")
        }
        rows.append(",".join(str(row[name]) for name in COLUMNS))
    return [",".join(COLUMNS), *rows]


def _up_to(most: int, problems: Sequence[tuple[str, int]], words: list[str]) -> dict[int, list[str]]:
    """Return what the program says of those problems whose n is not greater, in words, by their places."""
    some = [n for n, (_, own) in enumerate(problems) if own <= most]
    lines = mate.ask(words, [problems[n] for n in some]) if some else []
    return {n: line.split() for n, line in zip(some, lines, strict=True)}


def task(options: Options) -> int:
    """Do what the options say."""
    if options.part == "games":
        found, option_name, target = play(options), "file", options.file
    else:
        if options.file is None:
            reject("file", None, "a file of games, or of lines in EPD")
        try:
            lines = files.user_path("file", options.file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"file={options.file}: {error}; accepted: a file of text") from error
        option_name, target = "save", options.save
        if options.part == "own":
            header = HEADER.format(engine=options.engine, seed=options.seed, limit=options.limit)
            found = [*header.splitlines(), *make(lines, options)]
        else:
            found = measure(lines, options)
    if target is None:
        print("\n".join(found))
    else:
        files.save_text(option_name, files.user_path(option_name, target), "\n".join(found) + "\n")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
