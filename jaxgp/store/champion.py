"""champion.json: the best individual of a run as text that people read and write; no code is run.

Champions of several runs are one file NAME.jsonl, one of them a line; NAME.jsonl#3 is the champion of seed 3.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import jax

import jaxgp
from jaxgp import files, reading
from jaxgp.config.schema import Config
from jaxgp.errors import reason, show
from jaxgp.evolution.state import BestSoFar
from jaxgp.files import Json
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import NAMES, UNITS, Genome, Language
from jaxgp.operators.options import MAX_CAPACITY
from jaxgp.options import MAX_SEED
from jaxgp.store.record import clean

FORMAT = "jaxgp champion"
LINES = ".jsonl"
"""How the name of a file ends that holds a champion in each line."""
FORMAT_VERSION = 3
"""From version 3 on `program` holds the role; for older files `jaxgp.measure.champions` finds it by the language."""


class ChampionError(ValueError):
    """A champion file cannot be used; the message names the file and what is wrong with it."""


@dataclass(frozen=True)
class ChampionFile:
    """The content of a champion file."""

    game: dict[str, Any]  # name, and the settings of the rules
    program: dict[str, Any]  # `role`, its name (missing in files of older versions), and the options of the role
    language: dict[str, str]  # kind (program, rules), name and version of what the text is written in
    text: str  # an S-expression; or rules, a line each, in the file as a list of lines
    size: int  # nodes or rules
    depth: int | None  # of a program: edges from the root to the deepest node
    fitness: float | None
    points: dict[str, float | None]  # first, second: mean points by seat; second is null in a game for one
    generation: int  # when it was found
    seed: int
    title: str = ""
    jaxgp: str = jaxgp.__version__

    @property
    def unit(self) -> str:
        """What `size` counts."""
        return UNITS[self.language["kind"]]

    @property
    def measure(self) -> str:
        """Size and depth in words."""
        return f"{self.size} {self.unit}" + ("" if self.depth is None else f", depth {self.depth}")


def describe(champion: BestSoFar, language: Language, config: Config) -> ChampionFile:
    """Turn a champion on the device into the content of its file."""
    champion = jax.device_get(champion)
    genome = champion.genome
    points = dict(zip(("first", "second"), champion.points, strict=False))  # a game for one has no second
    numbers = clean({"fitness": champion.fitness, "first": None, "second": None} | points)
    return ChampionFile(
        game=dict(config.game),
        program=dict(config.program),
        language={"kind": languages.kind(language), "name": language.name, "version": language.version},
        text=languages.to_text(language, genome),
        size=int(languages.sizes(genome)),
        depth=languages.depth(genome),
        fitness=numbers["fitness"],
        points={"first": numbers["first"], "second": numbers["second"]},
        generation=int(champion.generation),
        seed=config.seed,
        title=config.title,
    )


def points_by_seat(champion: ChampionFile) -> list[tuple[str, float | None]]:
    """Return (label, points) for each seat; in a game for one only the score."""
    first, second = champion.points["first"], champion.points["second"]
    if second is None and first is not None:
        return [("score", first)]
    return [("points moving first", first), ("points moving second", second)]


def unevolved(champion: ChampionFile, generations: int) -> str:
    """Say that a run of so many generations has failed: its champion is a random individual. Empty: it has not."""
    if champion.generation or generations < 2:
        return ""
    return f"Nothing evolved: the best individual of {generations} generations is of generation 0."


def write(path: Path, content: ChampionFile) -> None:
    """Write a champion file atomically; raises OSError."""
    files.write_text(path, as_text(content))


def as_text(content: ChampionFile) -> str:
    """Return the text of a champion file."""
    return json.dumps(as_json(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_json(content: ChampionFile) -> Json:
    """Return what a champion file holds."""
    text = content.text if content.language["kind"] == "program" else content.text.splitlines()
    return {"format": FORMAT, "format_version": FORMAT_VERSION} | asdict(content) | {"text": text}


def file_of(path: Path) -> Path:
    """Return the file that holds a champion: FILE for FILE#SEED."""
    return _placed(path)[0]


def _placed(path: Path) -> tuple[Path, int | None]:
    """Return the file, and the seed that follows its name after a #, unless a file has the whole name."""
    name, _, number = path.name.rpartition("#")
    seed = reading.whole_number(number)
    if name and seed is not None and not path.exists():
        return path.with_name(name), seed
    return path, None


def members(path: Path) -> list[Path]:
    """Return what each champion of a file is called: FILE.jsonl#SEED, or the path itself; raises ChampionError."""
    file, seed = _placed(path)
    if file.suffix != LINES or seed is not None:
        return [path]
    return [file.with_name(f"{file.name}#{one.seed}") for one in _all(file)]


def read(path: Path) -> ChampionFile:
    """Read a champion without interpreting its text.

    Args:
        path: a champion file, or FILE.jsonl#SEED; without #SEED the only champion of FILE.jsonl.

    Raises:
        ChampionError: there is no such file, it is not a champion file, or it has no or no single such champion.
    """
    file, seed = _placed(path)
    if file.suffix != LINES:
        if seed is not None:
            raise ChampionError(f"{path}: {file.name} is not a file of several champions ({LINES}); leave out #{seed}")
        return _parsed(file, _text(file))
    found = _all(file)
    chosen = found if seed is None else [one for one in found if one.seed == seed]
    if len(chosen) == 1:
        return chosen[0]
    seeds = ", ".join(str(one.seed) for one in found) or "none"
    wanted = "several champions" if seed is None else f"no champion of seed {seed}"
    raise ChampionError(f"{path}: {wanted}; accepted: {file.name}#SEED with one of the seeds {seeds}")


def _all(file: Path) -> Sequence[ChampionFile]:
    """Return the champions of a file of lines, by seed; raises ChampionError."""
    lines = _text(file).splitlines()
    found = [_parsed(Path(f"{file}, line {number}"), line) for number, line in enumerate(lines, 1)]
    found.sort(key=lambda one: one.seed)
    twice = next((b.seed for a, b in pairwise(found) if a.seed == b.seed), None)
    if twice is not None:
        raise ChampionError(f"{file}: two champions of seed {twice}; accepted: one of each seed")
    return found


def _text(file: Path) -> str:
    """Return the text of a file; raises ChampionError."""
    try:
        return reading.read_text(file)
    except OSError as error:
        raise ChampionError(f"{file}: cannot be read ({reason(error)})") from error
    except ValueError as error:
        raise ChampionError(f"{file}: not JSON ({error})") from error


def _parsed(path: Path, text: str) -> ChampionFile:
    """Return the champion that a text describes; raises ChampionError, which names the path."""
    try:
        content = reading.parse_json(text)
    except ValueError as error:
        raise ChampionError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ChampionError(f'{path}: not a champion file (it has no "format": "{FORMAT}")')
    version = content.get("format_version")
    if type(version) is not int or not 1 <= version <= FORMAT_VERSION:  # true equals 1
        accepted = f"1 to {FORMAT_VERSION}"
        raise ChampionError(f"{path}: format_version {show(version)} is not known here; accepted: {accepted}")
    if version == 1:
        content = _from_version_1(content)
    return _checked(path, content)


def _from_version_1(content: Json) -> Json:
    """Rename the fields of a file of version 1, which had no rule lists, to their present names."""
    names = {"expression": "text", "nodes": "size", "primitives": "language"}
    renamed = {names.get(name, name): value for name, value in content.items()}
    if isinstance(renamed.get("language"), dict):
        renamed["language"] = {"kind": "program"} | renamed["language"]
    return renamed


NUMBER = (int, float, type(None))
TYPES: dict[str, Any] = {
    "game": dict,
    "program": dict,
    "language": dict,
    "text": str,
    "size": int,
    "depth": (int, type(None)),
    "fitness": NUMBER,
    "points": dict,
    "generation": int,
    "seed": int,
    "title": str,
    "jaxgp": str,
}
INNER: tuple[tuple[str, str, Any], ...] = (
    ("game", "name", str),
    ("language", "kind", str),
    ("language", "name", str),
    ("language", "version", str),
    ("points", "first", NUMBER),
    ("points", "second", NUMBER),
)
LARGEST = 3.4028234663852886e38
"""The largest float32, which fitness and points are on the device."""
LIMITS = {
    "size": (0, MAX_CAPACITY),
    "depth": (0, MAX_CAPACITY),
    "generation": (-1, 2**31 - 1),  # -1: never evaluated
    "seed": (0, MAX_SEED),
}
"""Least and greatest values of whole numbers; those of other numbers are the limits of float32."""


def _checked(path: Path, content: Json) -> ChampionFile:
    lines = content.get("text")
    if isinstance(lines, list) and all(isinstance(line, str) and "\n" not in line for line in lines):
        content = content | {"text": "\n".join(lines)}
    for name, kind in TYPES.items():
        _check(path, name, content, name, kind)
    for section, name, kind in INNER:
        _check(path, f"{section}.{name}", content[section], name, kind)
    if content["language"]["kind"] not in NAMES:
        raise ChampionError(f"{path}: language.kind={content['language']['kind']}: accepted: {', '.join(NAMES)}")
    return ChampionFile(**{name: content[name] for name in TYPES})


def _check(path: Path, label: str, values: Json, name: str, kind: type | tuple[type, ...]) -> None:
    """Check that a value is there, of its type and, if it is a number, within its limits; raises ChampionError."""
    if name not in values:
        raise ChampionError(f"{path}: lacks {label}")
    value = values[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ChampionError(f"{path}: {label} has the wrong type ({type(value).__name__})")
    if isinstance(value, int | float):
        low, high = LIMITS.get(label, (-LARGEST, LARGEST))
        if not low <= value <= high:
            raise ChampionError(f"{path}: {label}={show(value)}: accepted: a number from {low:g} to {high:g}")


def load_genome(path: Path, content: ChampionFile, language: Language, capacity: int | None = None) -> Genome:
    """Turn a champion's text into an individual.

    Args:
        path: the file, for messages.
        content: the content of the file.
        language: the language that this version makes of the file's game and program settings.
        capacity: nodes or rules that the arrays can hold; by default enough.

    Raises:
        ChampionError: the file was made with another language, its text is not in this language, or its size is wrong.
    """
    name, version = content.language["name"], content.language["version"]
    if (name, version) != (language.name, language.version):
        what, here = NAMES[content.language["kind"]], f"{language.name} {language.version}"
        raise ChampionError(f"{path}: made with the {what} {name} {version}, but this version has {here}")
    try:
        genome: Genome = languages.parse(language, content.text, capacity)
    except ValueError as error:
        raise ChampionError(f"{path}: text: {error}") from error
    found = int(languages.sizes(genome))
    if found != content.size:
        raise ChampionError(f"{path}: size={content.size}: the text has {found} {content.unit}")
    return genome
