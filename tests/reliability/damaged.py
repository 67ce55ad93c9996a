"""Damaged files of every kind that a person may hand over, and what reads them, all in this process.

python -m tests.reliability.damaged cases=500 seed=7
python -m tests.reliability.damaged cases=100 kind=pdn                one kind

A case is a sound file with up to three changes: bytes flipped, cut, doubled or inserted, numbers and words that cannot
be, lines in another order, entries of JSON replaced. What reads it has to take it, or to refuse it by an error of one
line of at most 2,000 characters that names the file or the option, within the time.
"""

import functools
import json
import random
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import NamedTuple, NoReturn

import jax
import numpy as np

import envs
from envs.backgammon import network
from envs.rars import tracks
from envs.rush_hour import boards
from jaxgp.config import arguments, validate
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.errors import RunError, UsageError
from jaxgp.games.outside import load
from jaxgp.host import savedgame, savedrollout
from jaxgp.host.driving import drive
from jaxgp.host.savedgame import PlayedGame
from jaxgp.league import crosstable
from jaxgp.measure import champions, games, instances, panels
from jaxgp.options import option
from jaxgp.seats.agents import random_agent
from jaxgp.seats.gtp import Engine, EngineError
from jaxgp.seats.moves import Stepper, game_key, play_on
from jaxgp.seats.options import player
from jaxgp.store import checkpoint, record
from jaxgp.store.directory import RunDirectory
from jaxgp.study import results
from jaxgp.study.designs import planning
from jaxgp.study.study_options import DesignOptions
from tests.envs.replays import TURNS
from tests.reliability import harms, typed_words
from tests.reliability.children import KEPT, LONGEST, ROOT, last_line
from tests.scripts.commands import write_run

LIMIT = 20
"""Seconds for a case."""
SEVERAL = 3
"""The most changes of a file."""
REFUSED = (UsageError, RunError, EngineError, checkpoint.UnreadableError)
"""Errors of which scripts make one line."""
CONF = ROOT / "conf"
CART = ROOT / "tests" / "fixtures" / "cart"
PLIES = 40


@dataclass
class Options:
    """What is tried, and how often."""

    cases: int = option(500, "how many files", low=1)
    seed: int | None = option(None, "of all cases; null: another one each time", low=0)
    kind: str | None = option(None, "only files of this kind; null: of all kinds in turn")


class Kind(NamedTuple):
    """A kind of file: its name, what writes a sound one, what reads one, and how one more is named to that."""

    file: str
    write: Callable[[Path], object]
    read: Callable[[Path], object]


# What is written, and read


@functools.cache
def played(name: str) -> PlayedGame:
    """Return a random game."""
    spec, game = envs.spec(name), envs.make(name)
    stepper = Stepper(game, game_key(3))
    record = play_on(stepper, [random_agent(game)] * game.seats, max_plies=PLIES)
    return PlayedGame(stepper, spec, ("A", "B")[: game.seats], record)


def of_games() -> dict[str, Kind]:
    """Return the kinds of saved games: in our own format, in that of each ending, and as text."""
    found = {}
    for name in TURNS:
        ask = {"name": name}
        endings = (".json", ".txt", ".svg", *envs.spec(name).notation.formats)
        for ending in endings:
            form = envs.spec(name).notation.formats.get(ending)
            if form is not None and ending in (".mat", ".xgid", ".gnubgid", ".svg"):
                continue  # written, never read
            found[f"{name}{ending}"] = Kind(
                f"game{ending}",
                lambda path, name=name: savedgame.write([path], played(name)),
                lambda path, ask=ask: savedgame.read(str(path), envs, ask),
            )
        if envs.spec(name).notation.written is not None:
            found[f"{name} in moves"] = Kind(
                "moves.txt",
                lambda path, name=name: path.write_text(
                    envs.spec(name).notation.written(
                        played(name).game, [move.action for move in played(name).moves[1:]]
                    )
                ),
                lambda path, ask=ask: savedgame.read(str(path), envs, ask),
            )
    return found


@functools.cache
def driven() -> object:
    """Return a rollout of the cart."""
    spec = load(CART)
    game = spec.make(horizon=20)
    return drive(spec, game, [("bounce", spec.fixed.make("bounce", game))], game_key(1))


def rollout_again(path: Path) -> None:
    text = savedrollout.text_of(str(path))
    if text is not None:
        savedrollout.read(str(path), text, Outside())


class Outside:
    """Where the cart comes from."""

    def available(self) -> list[str]:
        return ["cart"]

    def spec(self, name: str) -> object:
        return load(CART)


def of_champions() -> dict[str, Kind]:
    """Return the kinds of champion files, of runs and kept ones."""
    found = {}
    for name, (game, text) in typed_words.CHAMPIONS.items():
        found[f"champion of {name}"] = Kind(
            "champion.json",
            lambda path, game=game, text=text: write_run(path.parent, game, text),
            lambda path: champions.load(str(path), envs),
        )
    for name, kept in KEPT.items():
        file, _, seed = kept.rpartition("#")
        found[f"kept {name}"] = Kind(
            "kept.jsonl",
            lambda path, file=file: path.write_bytes(b"".join(Path(file).read_bytes().splitlines(True)[:3])),
            lambda path, seed=seed: champions.load(f"{path}#{seed}", envs),
        )
    return found


STATE = {"genome": np.arange(12, dtype=np.int32), "value": np.float32(1.5)}
ROWS = "".join(json.dumps({"generation": n, "best_fitness": n / 7, "elapsed": n * 1.5}) + "\n" for n in range(5))
LEAGUE = [SimpleNamespace(identity=name, random=False, name=name, source="here") for name in "ab"]
RUSH_HOUR = """# three
mine ooBBCCooLoJKAALoJKoIDDEEoIGooooGHHoo 5
51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780
60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332
"""


def write_config(path: Path) -> None:
    RunDirectory(path.parent).write_config(Config(game={"name": "mancala"}))
    (path.parent / "metrics.jsonl").write_text(ROWS)


def write_row(columns: Mapping[str, str], path: Path) -> None:
    row = ["1" if name not in ("player", "opponent", "game") else "a" for name in columns]
    path.write_text(",".join(columns) + "\n" + 3 * (",".join(row) + "\n"))


def write_track(path: Path) -> None:
    """Write an oval as RARS keeps it."""
    head = "4\n0 0\n100\n100 100 0\n0 0\n0 0\n0 0\n0 0\n0.5 2\n0\n0 0\n0 0\n0\n"
    path.write_text(head + "0 1000 a straight\n200 3.14159\n0 1000\n200 3.14159\n")


def read_program(name: str, path: Path) -> None:
    cast = cast_of(Config(game={"name": name}), envs)
    player("program", file=str(path)).agent("player", cast)


def ask(path: Path) -> None:
    """Let a file be the answers of an engine."""
    with Engine(shlex.join(["cat", str(path)]), timeout=0.3) as engine:
        for command in ("name", "list_commands", "genmove b"):
            engine.ask(command)


def kinds() -> dict[str, Kind]:
    """Return every kind of file that scripts read, by name."""
    return (
        of_games()
        | of_champions()
        | {
            "rollout": Kind("rollout.json", lambda path: savedrollout.write([path], [driven()]), rollout_again),
            "record": Kind("metrics.jsonl", lambda path: path.write_text(ROWS), record.read),
            "config": Kind(
                "config.yaml",
                write_config,
                lambda path: validate.check(RunDirectory(path.parent).read_config(), envs),
            ),
            "status": Kind(
                "status.json",
                lambda path: RunDirectory(path.parent).write_status("complete", 4, 5),
                lambda path: RunDirectory(path.parent).read_status(),
            ),
            "checkpoint": Kind(
                "generation_00000004.npz",
                lambda path: checkpoint.save(path.parent, 4, STATE, "digest"),
                lambda path: checkpoint.load(path, STATE, "digest"),
            ),
            "design": Kind(
                "design.yaml",
                lambda path: path.write_text(
                    "base: [game=morpion]\nfactors:\n  algorithm.elites: [0, 1]\nreplicates: 2\n"
                ),
                lambda path: planning.plan_design(DesignOptions(design=str(path)), CONF, envs),
            ),
            "panel": Kind(
                "panel.yaml",
                lambda path: shutil.copy(CONF / "panel" / "study.yaml", path),
                panels.read_panel,
            ),
            "results": Kind("table.csv", lambda path: path.write_text("group,fitness\na,1\na,2\nb,3\n"), results.load),
            "games": Kind(
                "games.csv",
                functools.partial(write_row, games.COLUMNS),
                lambda path: list(games.table(path).rows()),
            ),
            "instances": Kind("all.csv", functools.partial(write_row, instances.COLUMNS), instances.Book),
            "league": Kind(
                "crosstable.json",
                lambda path: crosstable.save(
                    path, crosstable.fill_table([[[], [1, 0]], [[-1, 1], []]], 2), LEAGUE, 1, 0
                ),
                lambda path: crosstable.read(path, LEAGUE, 1, 0),
            ),
            "network": Kind("network.csv", lambda path: shutil.copy(network.WEIGHTS, path), network.read),
            "boards": Kind(
                "boards.txt",
                lambda path: path.write_text(RUSH_HOUR),
                lambda path: boards.read_file(str(path), "suite"),
            ),
            "track": Kind("mine.trk", write_track, tracks.read),
            "program": Kind(
                "program.txt",
                lambda path: path.write_text("(ADD (VALUE_AT 3) (MUL 2 (VALUE_AT 5)))\n"),
                functools.partial(read_program, "mancala"),
            ),
            "rules": Kind(
                "rules.txt",
                lambda path: path.write_text("- - - / - N - / - - - : turn-left\n- - - / - - - / - - - : forward\n"),
                functools.partial(read_program, "walls"),
            ),
            "answers of an engine": Kind(
                "answers.txt", lambda path: path.write_text("=1 Fake\n\n=2 play\ngenmove\n\n=3 d3\n\n"), ask
            ),
        }
    )


# How files are harmed


def harmed(draw: random.Random, content: bytes) -> bytes:
    """Return a file with one change."""
    place = draw.randrange(len(content) + 1)
    end = min(len(content), place + draw.choice((1, 2, 8, 64, 1024)))
    text = content.decode("utf-8", "surrogateescape")
    word = draw.choice(draw.choice((*typed_words.HOSTILE[:2], typed_words.TEXTS[:20])))
    many = draw.choice((2, 50, 3000))
    changes: tuple[Callable[[], bytes | str], ...] = (
        lambda: content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :],
        lambda: content[:place],
        lambda: content[:place] + content[end:],
        lambda: content[:place] + content[place:end] * many + content[end:],
        lambda: content[:place] + draw.randbytes(draw.choice((1, 4, 40))) + content[place:],
        lambda: replaced(draw, r"-?\d+(?:\.\d+)?", word, text),
        lambda: replaced(draw, r"\w+", word, text),
        lambda: replaced(draw, r"[][{}()\",:;/.=#-]", draw.choice('][{}()",:;/.=#-'), text),
        lambda: "".join(draw.sample(lines := text.splitlines(True), len(lines))),
        lambda: text.replace("\n", draw.choice(("\r\n", "\r", "\0", "\u2028", ""))),
        lambda: entry_replaced(draw, text),
    )
    found = draw.choice(changes)()
    return found if isinstance(found, bytes) else found.encode("utf-8", "surrogateescape")


def replaced(draw: random.Random, pattern: str, word: str, text: str) -> str:
    """Return text with another word in the place of one that has a pattern."""
    places = list(re.finditer(pattern, text))
    if not places:
        return text + word
    at = draw.choice(places)
    return text[: at.start()] + word + text[at.end() :]


def entry_replaced(draw: random.Random, text: str) -> str:
    """Return JSON with another value in the place of one; other text as it is, twice."""
    try:
        content = json.loads(text)
        at = draw.choice(list(harms.places(content)))
    except (ValueError, IndexError):
        return text + text
    inside = content
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = draw.choice(harms.VALUES)
    return json.dumps(content)


# What comes of it


def fault(kind: Kind, path: Path) -> str:
    """Say what is wrong with how a file is read; empty if nothing is."""
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    begin = time.monotonic()
    try:
        kind.read(path)
        return ""
    except REFUSED as error:
        said = str(error)
        if "\n" in said or not said:
            return f"{len(said.splitlines())} lines: {last_line(said)}"
        return f"a message of {len(said)} characters: {said[:200]}" if len(said) > LONGEST else ""
    except TimeoutError:
        return f"not read after {time.monotonic() - begin:.0f} s"
    except Exception as error:  # what scripts would answer with a traceback
        return f"{type(error).__name__}: {last_line(str(error))}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def too_long(number: int, frame: FrameType | None) -> NoReturn:
    raise TimeoutError


def carry_out(options: Options, say: Callable[[str], object] = print) -> tuple[Counter[str], list[str]]:
    """Try cases; say each that ends badly; return how many there were of each kind, and what ended badly."""
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    say(f"seed={seed}")
    known = kinds()
    names = [options.kind] if options.kind else list(known)
    before = signal.signal(signal.SIGALRM, too_long)
    counts, wrong, sound = Counter[str](), [], dict[str, bytes]()
    folder = Path(tempfile.mkdtemp(prefix="damaged-"))
    try:
        for number in range(options.cases):
            name = names[number % len(names)]
            kind, draw, place = known[name], random.Random(f"{seed}/{number}"), folder / "case"
            place.mkdir()
            path = place / kind.file
            kind.write(path)
            if name not in sound:
                sound[name] = path.read_bytes()
                if name != "answers of an engine" and (said := fault(kind, path)):
                    raise AssertionError(f"{name}, before it was harmed: {said}")
            content = path.read_bytes()
            for _ in range(draw.randint(1, SEVERAL)):
                content = harmed(draw, content)
            path.write_bytes(content)
            counts[name] += 1
            if said := fault(kind, path):
                wrong.append(f"case={number} kind={name}: {said}")
                say(f"{wrong[-1]}\n  {content[:200]!r}")
            shutil.rmtree(place)
    finally:
        signal.signal(signal.SIGALRM, before)
        shutil.rmtree(folder, ignore_errors=True)
    say(f"{sum(counts.values())} files of {len(counts)} kinds, {len(wrong)} of them answered badly")
    return counts, wrong


def task(options: Options) -> int:
    """Try, print; return 1 if a case ended badly."""
    return int(bool(carry_out(options, functools.partial(print, flush=True))[1]))


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    sys.exit(arguments.main(Options, task, __doc__))
