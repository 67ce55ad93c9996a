"""champion.json: the best individual of a run as text that people read and `parse_program` loads; no code is run."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

import jaxgp
from jaxgp.evolution.state import Champion
from jaxgp.experiment import files
from jaxgp.experiment.record import clean
from jaxgp.experiment.schema import Config
from jaxgp.genotypes import programs
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import parse_program, print_program

FORMAT = "jaxgp champion"
FORMAT_VERSION = 1


class ChampionError(ValueError):
    """A champion file cannot be used; the message names the file and what is wrong with it."""


@dataclass(frozen=True)
class ChampionFile:
    """The content of a champion file."""

    game: dict[str, Any]  # name, and the settings of the rules
    program: dict[str, Any]  # the game's settings for programs
    primitives: dict[str, str]  # name and version of the primitive set
    expression: str
    nodes: int
    depth: int  # edges from the root to the deepest node
    fitness: float | None
    points: dict[str, float | None]  # first, second: mean points as first and as second mover
    generation: int  # when it was found
    seed: int
    title: str = ""
    jaxgp: str = jaxgp.__version__


def describe(champion: Champion, primitives: PrimitiveSet, config: Config) -> ChampionFile:
    """Turn a champion on the device into the content of its file."""
    champion = jax.device_get(champion)
    program = champion.program
    depths = jax.vmap(programs.depth)(program)
    numbers = clean({"fitness": champion.fitness, "first": champion.points[0], "second": champion.points[1]})
    return ChampionFile(
        game=dict(config.game),
        program=dict(config.program),
        primitives={"name": primitives.name, "version": primitives.version},
        expression=print_program(primitives, program),
        nodes=int(np.sum(program.length)),
        depth=int(np.max(depths)),
        fitness=numbers["fitness"],
        points={"first": numbers["first"], "second": numbers["second"]},
        generation=int(champion.generation),
        seed=config.seed,
        title=config.title,
    )


def write(path: Path, content: ChampionFile) -> None:
    """Write a champion file atomically; raises OSError."""
    files.write_json(path, {"format": FORMAT, "format_version": FORMAT_VERSION} | asdict(content))


def read(path: Path) -> ChampionFile:
    """Read a champion file without interpreting its expression.

    Raises:
        ChampionError: there is no such file, or it is not a champion file.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ChampionError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ChampionError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ChampionError(f'{path}: not a champion file (it has no "format": "{FORMAT}")')
    if content.get("format_version") != FORMAT_VERSION:
        found = content.get("format_version")
        raise ChampionError(f"{path}: format_version {found} is not known here; accepted: {FORMAT_VERSION}")
    return _checked(path, content)


NUMBER = (int, float, type(None))
TYPES: dict[str, Any] = {
    "game": dict,
    "program": dict,
    "primitives": dict,
    "expression": str,
    "nodes": int,
    "depth": int,
    "fitness": NUMBER,
    "points": dict,
    "generation": int,
    "seed": int,
    "title": str,
    "jaxgp": str,
}


def _checked(path: Path, content: dict[str, Any]) -> ChampionFile:
    for name, kind in TYPES.items():
        if name not in content:
            raise ChampionError(f"{path}: lacks {name}")
        if not isinstance(content[name], kind) or isinstance(content[name], bool):
            raise ChampionError(f"{path}: {name} has the wrong type ({type(content[name]).__name__})")
    inner: list[tuple[str, str, Any]] = [
        ("game", "name", str),
        ("primitives", "name", str),
        ("primitives", "version", str),
        ("points", "first", NUMBER),
        ("points", "second", NUMBER),
    ]
    for name, key, kind in inner:
        if key not in content[name]:
            raise ChampionError(f"{path}: lacks {name}.{key}")
        if not isinstance(content[name][key], kind):
            raise ChampionError(f"{path}: {name}.{key} has the wrong type ({type(content[name][key]).__name__})")
    return ChampionFile(**{name: content[name] for name in TYPES})


def load_program(path: Path, content: ChampionFile, primitives: PrimitiveSet, capacity: int | None = None) -> Programs:
    """Turn a champion's expression into a program [T, L].

    Args:
        path: the file, for messages.
        content: of the file.
        primitives: the set that the game and program settings of the file give in this version.
        capacity: nodes that a tree can hold, L; by default just enough.

    Raises:
        ChampionError: the file was made with another primitive set, or its expression is not a program of this one.
    """
    name, version = content.primitives["name"], content.primitives["version"]
    if (name, version) != (primitives.name, primitives.version):
        here = f"{primitives.name} {primitives.version}"
        raise ChampionError(f"{path}: made with the primitive set {name} {version}, but this version has {here}")
    try:
        return parse_program(primitives, content.expression, capacity or max(1, content.nodes))
    except ValueError as error:
        raise ChampionError(f"{path}: expression: {error}") from error
