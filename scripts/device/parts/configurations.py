"""Runs whose configurations lie beside this file as plain values, so that a machine without Hydra can make them.

The golden runs are those of `tests/golden/runs.py` that `scripts/train.py` makes. `python -m tests.golden.runs
--configurations` composes all of them anew and writes the file; a test says that words and values agree.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from jaxgp.config import typed
from jaxgp.config.schema import Config
from jaxgp.options import departures

ROOT = Path(__file__).resolve().parents[3]
FILE = Path(__file__).with_suffix(".json")
GENERATIONS = {
    "Kalah": "game=mancala",
    "Chess": "experiment=chess_krkr",
    "Walls": "game=walls",
    "Othello": "game=othello",
    "Morpion": "game=morpion",
}
"""Runs of which whole generations are timed, by the words that `scripts/train.py` takes."""


class Named(NamedTuple):
    """A run: the words that `scripts/train.py` takes, and what they come to."""

    words: str
    config: Config


def golden() -> dict[str, Named]:
    """Return the golden runs by name."""
    return _read("golden")


def generations() -> dict[str, Named]:
    """Return the runs of which whole generations are timed, by name."""
    return _read("generations")


def _read(group: str) -> dict[str, Named]:
    kept = json.loads(FILE.read_text(encoding="utf-8"))[group]
    return {
        name: Named(one["words"], typed.make_options(Config, one["config"], complete=False))
        for name, one in kept.items()
    }


def compose(words: Mapping[str, str]) -> dict[str, Named]:
    """Compose runs anew from `conf/`; this needs Hydra."""
    from jaxgp.config.compose import Composer

    with Composer(Config, ROOT / "conf", "config") as composer:
        return {name: Named(" ".join(one.split()), composer.compose(one.split())) for name, one in words.items()}


def write(golden: Mapping[str, str]) -> None:
    """Write all configurations anew: the golden runs, by the words that they are made with, and `GENERATIONS`."""
    groups = {"golden": compose(golden), "generations": compose(GENERATIONS)}
    content = {
        group: {name: {"words": one.words, "config": departures(one.config)} for name, one in runs.items()}
        for group, runs in groups.items()
    }
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
