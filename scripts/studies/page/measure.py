"""How long the page takes, what it holds in memory, and what watching costs a run.

python scripts/studies/page/measure.py
python scripts/studies/page/measure.py parts=[up,list] repeats=5

Each measurement starts servers of its own in an empty folder, asks them as a browser does, and adds rows to a table
(CSV), from which `scripts/document.py` makes a table of docs/page.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, Self

from jaxgp.config import arguments
from jaxgp.errors import RunError, reject
from jaxgp.files import user_path
from jaxgp.options import option
from jaxgp.store.table import CSVTable

SCRIPTS = Path(__file__).resolve().parents[2]
COLUMNS: Mapping[str, str] = {
    "what": "what was measured",
    "case": "of which game, or where",
    "value": "seconds, MiB, or generations a second",
    "shown": "what the page said meanwhile",
    "load": "load average of the machine, of the minute that ended then",
    "date": "day, UTC",
}
GAMES: Mapping[str, Mapping[str, str]] = {"mancala": {}, "othello": {}, "checkers": {}, "walls": {"game.size": "5"}}
"""Games and settings of the replies that are timed."""
PAIRS = (("mancala", "othello"), ("checkers", "walls"))
"""Games that two people play at once."""
SECONDS = 300.0
"""After which a measurement is given up."""
LOOK = 0.02
RUNS, GENERATIONS = 1000, 10_000
"""Of the list, and of a record."""
TRAINED = (
    *("game=walls", "game.size=3", "algorithm.population=60", "algorithm.immigrants=0"),
    *("logger=disabled", "checkpoint_every=1000", "compilation_cache=~/.cache/jaxgp"),
)
"""A run of short generations, each of which the page shows."""
OPENED = 50
SMALL = ("mancala", "walls")
"""Games that are opened in great numbers, one kind after the other: two processes think, each at one game."""


@dataclass
class Options:
    """What is measured, and where the rows go."""

    parts: tuple[str, ...] = option(
        ("up", "first", "reply", "stop", "list", "record", "memory", "watching"), "what is measured, in this order"
    )
    repeats: int = option(20, "measurements of each kind", low=1, high=1000)
    generations: int = option(1500, "of a run that is watched, or is not", low=2, high=100_000)
    pairs: int = option(5, "runs with a watcher, and as many without, in turn", low=1, high=100)
    table: str = option("outputs/analysis/page.csv", "the table that rows are added to", path=True)


@dataclass
class Server:
    """A server of its own, as a browser asks it.

    Attributes:
        folder: for its runs, its games and its compiled programs.
        options: of `scripts/serve.py`.
    """

    folder: Path
    options: Sequence[str] = ()
    seconds: float = 0.0
    _token: str = ""

    def __enter__(self) -> Self:
        (self.folder / "runs").mkdir(parents=True, exist_ok=True)
        words = [f"runs=[{self.folder / 'runs'}]", f"saved={self.folder / 'games'}", "port=0", *self.options]
        environment = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
        environment["HOME"] = str(self.folder)
        began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPTS / "serve.py"), *words],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip().rstrip("/")
        self._token = re.search(r'name="page" content="([^"]+)"', self.get("/"))[1]  # type: ignore[index]
        self.seconds = time.monotonic() - began
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.address + path, timeout=SECONDS) as answer:
            return str(answer.read().decode())

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        head = {"origin": self.address, "x-page": self._token, "content-type": "application/json"}
        asked = urllib.request.Request(self.address + path, json.dumps(body).encode(), head)
        with urllib.request.urlopen(asked, timeout=SECONDS) as answer:
            return dict(json.loads(answer.read()))

    @property
    def workers(self) -> list[int]:
        """The processes that think."""
        found = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False
        ).stdout
        return [int(line.split()[0]) for line in found.splitlines() if "spawn_main" in line]


@dataclass
class Board:
    """One game of a person against a search of four plies, or another player."""

    server: Server
    game: str
    second: str = "search"
    more: Mapping[str, str] = field(default_factory=dict)
    seen: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        form = {"game": self.game, "first": "human", "second": self.second, **GAMES.get(self.game, {}), **self.more}
        self.address = self.server.post("/new", form)["go"]
        self.wait("person")

    def wait(self, *waiting: str) -> dict[str, Any]:
        """Look until the game waits for one of these; note what it shows meanwhile."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            view = dict(json.loads(self.server.get(f"{self.address}/view")))
            if view["waiting"] in waiting:
                return view
            said = re.search(r"(compiling|thinking|waiting)", view["parts"]["state"].split("<strong>")[-1])
            self.seen.update({said[1]: None} if said else {})
            time.sleep(LOOK)
        raise RunError(f"{self.game}: nothing after {SECONDS:.0f} s")

    def move(self) -> None:
        """Make the first legal move; a game that is over begins anew."""
        view = self.wait("person", "over")
        if view["waiting"] == "over":
            self.begin()
            view = self.wait("person")
        self.server.post(f"{self.address}/move", {"at": view["at"], "action": view["moves"][0]["a"]})

    def reply(self) -> float:
        """Make a move, and return the seconds until the reply is there."""
        view = self.wait("person", "over")
        if view["waiting"] == "over":
            self.begin()
            view = self.wait("person")
        began = time.monotonic()
        self.server.post(f"{self.address}/move", {"at": view["at"], "action": view["moves"][0]["a"]})
        self.wait("person", "over")
        return time.monotonic() - began


Found = Iterator[tuple[str, str, float, str]]
"""What, case, value, and what was shown."""


def up(folder: Path, options: Options) -> Found:
    for number in range(options.repeats):
        with Server(folder / "up") as server:
            yield "page up", "the first start" if number == 0 else "", server.seconds, ""


def first(folder: Path, options: Options) -> Found:
    for number in range(options.repeats):
        game = list(GAMES)[number % len(GAMES)]
        for what in ("first reply, nothing compiled", "first reply, compiled before"):
            with Server(folder / f"first{number}") as server:
                board = Board(server, game)
                yield what, game, board.reply(), " ".join(board.seen)
        shutil.rmtree(folder / f"first{number}")


def reply(folder: Path, options: Options) -> Found:
    with Server(folder / "reply") as server:
        for games in PAIRS:
            boards = [Board(server, game) for game in games]
            for board in boards:
                board.reply()
            times: dict[str, list[float]] = {}
            threads = [threading.Thread(target=_replies, args=(one, options.repeats, times)) for one in boards]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for game, some in times.items():
                yield from (("reply, four plies, two players at once", game, one, "") for one in some)


def _replies(board: Board, count: int, times: dict[str, list[float]]) -> None:
    times[board.game] = [board.reply() for _ in range(count)]


def stop(folder: Path, options: Options) -> Found:
    with Server(folder / "reply") as server:
        for _ in range(options.repeats):
            board = Board(server, "mancala", more={"second_depth": "20"})
            board.move()
            board.wait("thinking")
            time.sleep(0.5)
            began = time.monotonic()
            server.post(f"{board.address}/stop", {})
            board.wait("stopped")
            yield "stop", "mancala, 20 plies", time.monotonic() - began, ""


def list_(folder: Path, options: Options) -> Found:
    for number in range(RUNS):
        _run(folder / "list" / "runs" / f"{number // 100}" / f"{number}", 3)
    with Server(folder / "list") as server:
        yield f"list of {RUNS:,} runs", "with the start", server.seconds, ""
        for _ in range(options.repeats):
            time.sleep(1.1)  # after a second it is made anew
            yield f"list of {RUNS:,} runs", "", _timed(lambda: server.get("/")), ""


def record(folder: Path, options: Options) -> Found:
    for number in range(options.repeats):
        _run(folder / "record" / "runs" / f"{number}", GENERATIONS)
    with Server(folder / "record") as server:
        for number in range(options.repeats):
            seconds = _timed(lambda number=number: server.get(f"/run/{number}"))  # type: ignore[misc]
            yield f"record of {GENERATIONS:,} generations", "", seconds, ""


def memory(folder: Path, options: Options) -> Found:
    del options
    with Server(folder / "reply", ("idle=5", "workers=2")) as server:
        time.sleep(5)
        yield "memory", "server, before any game", _mebibytes(server.process.pid), ""
        Board(server, "mancala").reply()
        yield "memory", "server, one game", _mebibytes(server.process.pid), ""
        for number in range(1, OPENED):
            Board(server, SMALL[number * 2 // OPENED], second="random").reply()
        yield "memory", f"server, {OPENED} games of two kinds", _mebibytes(server.process.pid), ""
        for number, worker in enumerate(server.workers, 1):
            yield "memory", f"process that thinks, {number}", _mebibytes(worker), ""
        end = time.monotonic() + 60
        while time.monotonic() < end and (
            server.workers or "<li>None.</li>" not in server.get("/games").split("Saved")[0]
        ):
            time.sleep(1)
        yield "memory", "server, all games put away", _mebibytes(server.process.pid), ""
        yield "processes that think", "all games put away", len(server.workers), ""
        for number in range(OPENED):
            Board(server, SMALL[number * 2 // OPENED], second="random").reply()
        yield "memory", f"server, {OPENED} games more", _mebibytes(server.process.pid), ""


def watching(folder: Path, options: Options) -> Found:
    """Train the same run again and again, in turn with a page that shows it and without."""
    home = folder / "watching"
    for number in range(options.pairs + 1):
        for case in ("watched", "not watched") if number % 2 else ("not watched", "watched"):
            run = home / "runs" / f"{number} {case}"
            with _watcher(home, run) if case == "watched" else nullcontext():
                words = [*TRAINED, f"algorithm.generations={options.generations}", f"hydra.run.dir={run}"]
                environment = os.environ | {"HOME": str(home)}
                command = [sys.executable, str(SCRIPTS / "train.py"), *words]
                quiet = subprocess.DEVNULL
                process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
                _, process.returncode, usage = os.wait4(process.pid, 0)
            rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
            if number:  # the first pair compiles
                count = len(rows) - 1
                yield "generations a second", case, count / (rows[-1]["elapsed"] - rows[0]["elapsed"]), ""
                yield "generations a CPU-second", case, count / (usage.ru_utime + usage.ru_stime), ""


@contextmanager
def _watcher(home: Path, run: Path) -> Iterator[None]:
    """Watch a run as an open page does, from its first file on."""
    over = threading.Event()
    with Server(home) as server:

        def watch() -> None:
            number = None
            while number is None and not over.wait(0.5):
                number = next(iter(re.findall(rf'href="/run/(\d+)">{re.escape(run.name)}<', server.get("/"))), None)
            with suppress(OSError), urllib.request.urlopen(f"{server.address}/stream?run={number}") as stream:
                while not over.is_set() and stream.readline():
                    pass

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        yield
        over.set()


def _run(folder: Path, count: int) -> None:
    """Write the files of a run with a number of generations."""
    folder.mkdir(parents=True)
    metrics = {f"metric_{n}": n / 7 for n in range(14)}
    row = {"best_fitness": 1.25, "mean_fitness": 0.5, "best_size": 31, "seconds": 0.25, **metrics}
    lines = (json.dumps({"generation": n, "elapsed": n * 0.25, **row}) + "\n" for n in range(count))
    (folder / "metrics.jsonl").write_text("".join(lines))
    (folder / "config.yaml").write_text(f"seed: {count}\ntitle: measured\ngame:\n  name: mancala\n")
    status = {"state": "complete", "generation": count, "generations": count, "updated": "2026-01-01T00:00:00+00:00"}
    (folder / "status.json").write_text(json.dumps(status))


def _timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def _mebibytes(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


PARTS: Mapping[str, Callable[[Path, Options], Found]] = {
    "up": up,
    "first": first,
    "reply": reply,
    "stop": stop,
    "list": list_,
    "record": record,
    "memory": memory,
    "watching": watching,
}


def task(options: Options) -> int:
    """Measure one part after the other; each value is a row and a line."""
    if unknown := [name for name in options.parts if name not in PARTS]:
        reject("parts", unknown, ", ".join(PARTS))
    table = CSVTable(user_path("table", options.table), COLUMNS)
    table.check("table")
    table.path.parent.mkdir(parents=True, exist_ok=True)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        for part in options.parts:
            for what, case, value, shown in PARTS[part](Path(folder), options):
                row = {"what": what, "case": case, "value": round(value, 3), "shown": shown}
                row |= {"load": round(os.getloadavg()[0], 1), "date": date}
                table.append(row, warn=arguments.say)
                print(", ".join(f"{cell}" for cell in row.values() if cell != ""), flush=True)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
