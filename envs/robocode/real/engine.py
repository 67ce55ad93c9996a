"""The real Robocode: exported robots are compiled and fight there, in virtual machines without a screen.

`java/Arena.java` plays battles as it is told. It is compiled once, with the small robots of this project, into a folder
that is kept. Every virtual machine has a folder of its own, which is removed with it. Robots are looked for in three
places alone: those that the caller exported, the small ones, and the samples that come with the engine. A battle is
the same wherever and whenever it is fought, unless a robot missed a turn because the machine was busy: then it is
fought again, and given up in the end.
"""

import difflib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Self

import numpy as np

from jaxgp.errors import RunError, UsageError, remark
from jaxgp.printable import one_line
from jaxgp.processes.child import ChildProcess, ProcessError

VERSION = "1.9.3.9"
"""The version whose rules the simulation has."""
JAR = Path("/usr/share/java/robocode.jar")
ROBOTS = Path("/usr/share/games/robocode/robots")
"""Where Debian puts the engine, and the robots that come with it."""
PACKAGES = "the Debian packages robocode and default-jdk-headless"
SOURCES = Path(__file__).with_name("java")
SAMPLES = ("sample", "sampleex")
"""Packages of robots that come with the engine, as folders."""
SMALL = ("HaikuPoet", "HaikuWalls", "TestHaiku")
"""Robots of this project, in the package `haiku`."""
OPENED = (
    "java.base/sun.net.www.protocol.jar",
    "java.base/java.lang.reflect",
    "java.desktop/javax.swing.text",
    "java.desktop/sun.awt",
)
"""What the engine reaches for inside a Java newer than itself."""
PROPERTIES = "robocode.version.lastrun={version}\nrobocode.cpu.constant={nanoseconds}\n"
NANOSECONDS = 50_000_000
"""That a robot may take for a turn: a busy machine wakes it late."""
PATIENCE = 300.0
"""Seconds that a round may take before the virtual machine counts as frozen."""
STARTING = 120.0
"""Seconds that it may take to begin."""
COMPILING = 900.0
"""Seconds that the compiler may take."""
TRIES = 3
"""How often a battle in which a turn was missed is fought."""
AFTERWARDS = 150
"""Turns that a round goes on after its decision; nothing counts in them."""
KINDS = ("survival", "last", "bullet", "bullet_bonus", "ram", "ram_bonus")
"""Kinds of points: 50 for surviving, 10 for the last survivor, damage and its bonuses."""


@dataclass(frozen=True)
class Battle:
    """A battle of two robots.

    Attributes:
        robots: their names, as the engine knows them.
        rounds: how many.
        seed: of the engine's chance.
        places: x, y in pixels and the heading in degrees of each robot at the start of all rounds; None: drawn.
        trace: a file that gets a line for each turn; None: none.
        field: width and height in pixels.
        cooling: of guns, a turn.
        inactivity: turns until energy is taken away.
    """

    robots: tuple[str, str]
    rounds: int
    seed: int
    places: tuple[tuple[float, float, float], ...] | None = None
    trace: Path | None = None
    field: tuple[int, int] = (800, 600)
    cooling: float = 0.1
    inactivity: int = 450

    @property
    def line(self) -> str:
        """What `Arena.java` reads."""
        places = "-" if self.places is None else ";".join(",".join(map(repr, place)) for place in self.places)
        words = self.seed, self.rounds, *self.robots, *self.field, self.cooling, self.inactivity, places
        return "\t".join([*map(str, words), str(self.trace or "-")]) + "\n"


@dataclass(frozen=True)
class Fought:
    """A battle of R rounds that was fought.

    Attributes:
        battle: which.
        turns: int[R], with those `AFTERWARDS`.
        places: float64[R, 2, 3]: x, y in pixels and the heading in radians of each robot at the start.
        points: float64[R, 2, 6], of each robot by `KINDS`.
        skipped: turns that a robot missed in the last try; the figures are good for nothing unless it is 0.
        seconds: wall-clock time.
    """

    battle: Battle
    turns: np.ndarray
    places: np.ndarray
    points: np.ndarray
    skipped: int
    seconds: float

    @property
    def score(self) -> np.ndarray:
        """float64[R, 2]: the points of each robot."""
        total: np.ndarray = self.points.sum(-1)
        return total

    @property
    def share(self) -> float:
        """The part of all points that the first robot has; 0 if there are none."""
        mine, other = self.score.sum(0)
        return float(mine / (mine + other)) if mine + other else 0.0


def missing() -> str:
    """Say why there can be no battles on this machine, and what installs them; empty: there can."""
    lacking = [f"{program} is not on PATH" for program in ("java", "javac") if shutil.which(program) is None]
    lacking += [f"{path} is not there" for path in (JAR, ROBOTS) if not path.exists()]
    return f"{lacking[0]}; it comes with {PACKAGES}" if lacking else ""


def known_robots() -> tuple[str, ...]:
    """Return the names of all robots that can be met: the small ones, then those that come with the engine."""
    found = [
        f"{package}.{path.stem}"
        for package in SAMPLES
        for path in sorted((ROBOTS / package).glob("*.class"))
        if "$" not in path.name and path.with_suffix(".properties").exists()
    ]
    return (*(f"haiku.{name}*" for name in SMALL), *found)


@dataclass
class Arena:
    """Compiled robots, and virtual machines in which they fight. Use it in a with statement.

    Attributes:
        robots: the text of the Java class of each robot, by PACKAGE.CLASS.
        machines: how many virtual machines fight side by side. Each waits most of the time.
        cache: where what is compiled of this project is kept; None: nowhere.
        patience: seconds that a round may take.

    Raises:
        UsageError: Robocode or Java is not installed.
        RunError: a class does not compile.
    """

    robots: Mapping[str, str] = field(default_factory=dict)
    machines: int = 1
    cache: Path | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if why := missing():
            raise UsageError(f"engine=robocode: {why}")
        self._left = ExitStack()
        self._folder = Path(self._left.enter_context(tempfile.TemporaryDirectory(prefix="jaxgp-robocode-")))
        self._own = self._folder / "own"
        try:
            _write(self.robots, self._folder / "texts")
            _compile(sorted((self._folder / "texts").rglob("*.java")), self._own)
        except BaseException:
            self._left.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def fight(self, battles: Sequence[Battle]) -> Iterator[Fought]:
        """Fight battles, and yield them as they end, in any order.

        Raises:
            UsageError: there is no such robot.
            RunError: a virtual machine fails, or is silent for too long.
        """
        names = {f"{name}*" for name in self.robots} | set(known_robots())
        for name in {name for battle in battles for name in battle.robots} - names:
            near = difflib.get_close_matches(name, names, 3, 0.4) or sorted(names)
            raise UsageError(f"against={name}: accepted: {', '.join(near)}")
        waiting, done = SimpleQueue[Battle](), SimpleQueue[Fought | BaseException]()
        for battle in battles:
            waiting.put(battle)
        stop = False

        def work(number: int) -> None:
            try:
                with self._machine(number) as machine:
                    while not stop:
                        done.put(_fight(machine, waiting.get_nowait(), self.patience))
            except Empty:
                pass
            except BaseException as error:  # it is raised where the battles are waited for
                done.put(error)

        with ThreadPoolExecutor(self.machines) as pool:
            try:
                for number in range(min(self.machines, len(battles))):
                    pool.submit(work, number)
                for _ in battles:
                    one = done.get()
                    if isinstance(one, BaseException):
                        raise one
                    yield one
            finally:
                stop = True
                for child in list(self._children):
                    child.close()

    @cached_property
    def _children(self) -> list[ChildProcess]:
        return []

    @cached_property
    def _classes(self) -> Path:
        """The folder of the compiled classes of this project."""
        texts = {path: path.read_bytes() for path in sorted(SOURCES.glob("*.java"))}
        digest = hashlib.sha256(b"".join(texts.values())).hexdigest()[:16]
        kept = self._folder / "classes" if self.cache is None else self.cache / f"robocode-{digest}"
        if not kept.exists():
            made = self._folder / "compiled"
            _compile(list(texts), made)
            kept.parent.mkdir(parents=True, exist_ok=True)
            _move(made, kept)
        return kept

    def _machine(self, number: int) -> ChildProcess:
        """Start a virtual machine in a folder of its own."""
        folder = self._folder / f"machine{number}-{time.monotonic_ns()}"
        (folder / "config").mkdir(parents=True)
        text = PROPERTIES.format(version=VERSION, nanoseconds=NANOSECONDS)
        (folder / "config" / "robocode.properties").write_text(text)
        _link(folder / "robots", [self._own, self._classes], [ROBOTS / name for name in SAMPLES])
        opened = [word for name in OPENED for word in ("--add-opens", f"{name}=ALL-UNNAMED")]
        words = ["java", "-Xmx512M", "-Djava.awt.headless=true", "-Djava.security.manager=allow", *opened]
        words += [f"-DWORKINGDIRECTORY={folder}", "-cp", f"{JAR}{os.pathsep}{self._classes}", "Arena"]
        try:
            child = ChildProcess(words, folder=folder, called="robocode")
        except OSError as error:
            raise RunError(f"robocode: cannot be started ({error.strerror})") from error
        self._children.append(child)
        try:
            said = child.line(time.monotonic() + STARTING)
        except (ProcessError, TimeoutError) as error:
            child.close()
            raise RunError(f"robocode: does not begin ({one_line(error) or 'it is silent'})") from error
        if said != f"engine {VERSION}":
            remark(f"robocode: this is {one_line(said)}; the simulation has the rules of version {VERSION}")
        return child


def _fight(machine: ChildProcess, battle: Battle, patience: float) -> Fought:
    """Fight a battle, again if a turn was missed in it."""
    for _ in range(TRIES):
        found = _once(machine, battle, patience)
        if not found.skipped:
            break
    return found


def _once(machine: ChildProcess, battle: Battle, patience: float) -> Fought:
    first, second = battle.robots
    called = f"robocode: {first} against {second}, seed {battle.seed}"
    rounds: list[list[float]] = []
    try:
        machine.forget()
        machine.send(battle.line.encode(), time.monotonic() + patience)
        while True:
            kind, *words = machine.line(time.monotonic() + patience).split() or [""]
            if kind == "round":
                rounds.append(_numbers(words, called))
            elif kind == "battle":
                break
            elif kind == "error":
                raise RunError(f"{called}: {' '.join(words)}")
            else:
                raise RunError(f"{called}: said {kind[:60]!r}, which is no result")
    except TimeoutError as error:
        machine.close()
        raise RunError(f"{called}: no round ended within {patience:g} s; the virtual machine was stopped") from error
    except ProcessError as error:
        machine.close()
        raise RunError(f"{called}: {error}") from error
    if [row[0] for row in rounds] != list(range(battle.rounds)):
        raise RunError(f"{called}: {len(rounds)} rounds of {battle.rounds} were fought")
    table = np.array(rounds)
    each = table[:, 3:].reshape(battle.rounds, 2, 3 + len(KINDS))
    points = np.diff(each[:, :, 3:], axis=0, prepend=0)  # the engine tells sums
    (seconds,) = _numbers(words, called)
    return Fought(battle, table[:, 1].astype(int), each[:, :, :3], points, int(table[:, 2].sum()), seconds)


def _numbers(words: Sequence[str], called: str) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise RunError(f"{called}: {error}") from error


def _write(robots: Mapping[str, str], folder: Path) -> None:
    """Write classes into the folders of their packages."""
    for name, text in robots.items():
        path = folder.joinpath(*name.split(".")).with_suffix(".java")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _compile(texts: Sequence[Path], folder: Path) -> None:
    """Compile classes by one call of the compiler; raises RunError with what it says first."""
    folder.mkdir(parents=True, exist_ok=True)
    if not texts:
        return
    names = folder.with_suffix(".names")
    names.write_text("".join(f'"{path}"\n' for path in texts))
    words = ["javac", "-nowarn", "-proc:none", "-Xmaxerrs", "3", "-J-Xss64m", "-cp", str(JAR), "-d", str(folder)]
    try:
        made = subprocess.run([*words, f"@{names}"], capture_output=True, timeout=COMPILING, check=False)
    except subprocess.TimeoutExpired as error:
        raise RunError(f"javac: compiles {len(texts)} classes for more than {COMPILING:g} s") from error
    if made.returncode:
        said = re.search(r"(\w+\.java:\d+: .*)", made.stderr.decode("utf-8", "replace"))
        raise RunError(f"javac: {one_line(said[1] if said else made.stderr.decode('utf-8', 'replace')[:200])}")


def _move(made: Path, kept: Path) -> None:
    """Put a folder where it is kept, unless another process has done so meanwhile."""
    with tempfile.TemporaryDirectory(dir=kept.parent) as beside:
        copied = Path(shutil.copytree(made, Path(beside) / made.name))
        try:
            copied.rename(kept)
        except OSError:
            if not kept.exists():
                raise


def _link(folder: Path, merged: Sequence[Path], whole: Sequence[Path]) -> None:
    """Make a folder of robots: packages with links to the classes of some folders, and links to whole packages."""
    folder.mkdir()
    for root in merged:
        for path in root.rglob("*.class"):
            link = folder / path.relative_to(root)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    for package in whole:
        (folder / package.name).symlink_to(package)
