"""The table of runs: one row for each run of `scripts/train.py` that has come to its end."""

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from jaxgp import files, reading
from jaxgp.config.schema import Config
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory

if TYPE_CHECKING:
    from jaxgp.store.champion import ChampionFile

COLUMNS = {
    "run": "run directory, relative to where the command ran",
    "experiment": "name of the experiment, if the command has one",
    "title": "title of the run; runs of one group have the same",
    "game": "the game, and its settings that differ from the defaults",
    "command": "commands that made the run",
    "seed": "seed of the run",
    "jaxgp": "version of jaxgp",
    "jax": "version of JAX",
    "device": "platform and kind of the device",
    "population": "individuals",
    "generations": "generations that were evaluated",
    "evaluations": "games that were played for the fitness, or walks of programs that play alone",
    "seconds": "wall-clock time of all generations, compiling included",
    "fitness": "fitness of the champion, by the benchmark that all generations share",
    "first": "mean points of the champion that moves first, in the game's own unit",
    "second": "mean points of the champion that moves second",
    "found": "generation in which the champion was found",
    "size": "nodes or rules of the champion",
    "champion": "16 hexadecimal digits of the champion's text",
}
"""The columns and what is in them."""
SAME = ("run", "seed", "generations", "champion", "jaxgp")
"""Columns that tell runs apart: a run that is resumed after its end adds no row."""


def identity(content: "ChampionFile") -> str:
    """Return 16 hexadecimal digits that tell the texts of champions apart."""
    return digest(content.text.encode())


def digest(content: bytes) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of some content."""
    return hashlib.sha256(content).hexdigest()[:16]


def row(directory: RunDirectory, config: Config, game: str) -> dict[str, object]:
    """Return the row of a run that has ended, from the files in its directory.

    Args:
        directory: of the run.
        config: of the run.
        game: the game and its settings as text.

    Raises:
        UsageError, ChampionError, OSError, ValueError: a file of the run is missing or damaged.
    """
    from jaxgp.store import champion  # late: it imports JAX

    rows, best = record.read(directory.record), champion.read(directory.champion)
    made = reading.read_json(directory.environment)
    ran = commands(made)
    return {
        "run": files.short(directory.path),
        "experiment": find_setting("experiment", ran),
        "title": config.title,
        "game": game,
        "command": " && ".join(ran),
        "seed": config.seed,
        "jaxgp": made["jaxgp"],
        "jax": made["packages"]["jax"],
        "device": made["device"],
        "population": config.algorithm.population,
        "generations": len(rows),
        "evaluations": sum(one.get("evaluations") or 0 for one in rows) or None,
        "seconds": float(sum(one["seconds"] for one in rows)),
        "fitness": best.fitness,
        "first": best.points["first"],
        "second": best.points["second"],
        "found": best.generation,
        "size": best.size,
        "champion": identity(best),
    }


def commands(environment: object) -> list[str]:
    """Return the commands that the content of an `environment.json` names; files of old versions name none."""
    found = environment.get("commands") if isinstance(environment, Mapping) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def find_setting(option: str, ran: Sequence[str]) -> str:
    """Return what the first command sets an option to; nothing if it does not."""
    words = shlex.split(ran[0]) if ran else []
    values = [word.partition("=")[2] for word in words if word.lstrip("+").startswith(f"{option}=")]
    return values[-1].strip("'\"") if values else ""
