"""Panels: named opponents in a file, and those of them that can play a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax

from jaxgp import reading
from jaxgp.config import typed
from jaxgp.config.games import member
from jaxgp.contracts import Player
from jaxgp.errors import UsageError, reject
from jaxgp.players.options import Opponent
from jaxgp.players.panel import OpponentPlayer
from jaxgp.players.program import ProgramOpponent
from jaxgp.players.searches import unsearched
from jaxgp.spec import Cast


def read_panel(file: Path) -> dict[str, Opponent]:
    """Read a panel, a YAML file of named opponents; raises UsageError for any other file."""
    try:
        loaded = reading.read_yaml(file)
        if not isinstance(loaded, dict):
            raise TypeError("a list of something else")
        return typed.entries_typed(Opponent, loaded)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{file}: not a panel of opponents ({' '.join(str(error).split())})") from error


def fitting(panel: Mapping[str, Opponent], cast: Cast) -> tuple[dict[str, Opponent], dict[str, str]]:
    """Split a panel into the members that can play a game, and the reasons why the others cannot.

    The others are searches, if no search plays the game, and programs, if no genomes do: panels are shared among games.
    A search that names an evaluator is meant for one game, so it stays and is refused later.
    """
    here, missing = dict(panel), {}
    for name, spec in panel.items():
        if spec.kind in ("programs", "champions") and cast.role is None:
            missing[name] = f"no genomes play {cast.spec.name}"
            del here[name]
        if spec.kind == "search" and spec.evaluator is None and (why := unsearched(cast.spec, cast.game)):
            missing[name] = why
            del here[name]
    return here, missing


def check_panel(panel: Mapping[str, Opponent], cast: Cast, file: Path) -> None:
    """Refuse a panel with members that the game does not allow; raises UsageError."""
    for name, spec in panel.items():
        member(f"{file}: {name}", spec, cast)


def chosen(panel: Mapping[str, Opponent], names: Sequence[str], option: str) -> dict[str, Opponent]:
    """Return the members of a panel with these names, in the order of the panel; all members for no names.

    Raises:
        UsageError: the panel has no such member; the message names the option that asked for it.
    """
    for name in names:
        if name not in panel:
            reject(option, name, ", ".join(panel))
    return {name: spec for name, spec in panel.items() if not names or name in names}


@dataclass(frozen=True)
class Fixed:
    """A player that was not evolved, measured in the place of a champion: a search, random moves, or a strategy.

    Attributes:
        name: what tables of results call it.
        text: the player in words that stay the same.
        cast: its game.
        player: how it plays.
        genome: what it begins every move with, in the place of a genome.
    """

    name: str
    text: str
    cast: Cast
    player: Player
    genome: Any


def fixed(cast: Cast, name: str, spec: Opponent) -> Fixed:
    """Return a member of a panel as a player that is measured; it must be one that `check_panel` accepts.

    Raises:
        UsageError: it is an engine outside, or a set of programs.
    """
    from jaxgp.measure.evaluation import seated

    if spec.kind not in ("search", "random", "strategy"):
        reject("player", name, f"a member of the kind search, random or strategy; its kind is {spec.kind}")
    opponent = seated(cast, spec, 1)
    memory = jax.jit(opponent.init)(jax.random.key(0))
    if isinstance(opponent, ProgramOpponent):  # the genome of a strategy plays as an individual does
        genome = jax.tree.map(lambda x: x[0], memory.programs)
        return Fixed(name, text(spec, cast), cast, opponent.player, genome)
    return Fixed(name, text(spec, cast), cast, OpponentPlayer(opponent), memory)


def text(spec: Opponent, cast: Cast) -> str:
    """Return a player in words that stay the same, with its evaluator or the name of its strategy in them."""
    if spec.kind == "search":
        spec = replace(spec, evaluator=spec.evaluator or next(iter(cast.spec.evaluators(cast.game))))
    if spec.kind == "strategy":
        spec = replace(spec, name=spec.name or cast.spec.strategies[0])
    return spec.text
