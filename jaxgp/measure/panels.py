"""Panels: named opponents in a file, and those of them that can play a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from jaxgp import reading
from jaxgp.config import typed
from jaxgp.config.games import member
from jaxgp.errors import UsageError, reject
from jaxgp.games.casting import Cast
from jaxgp.players.panel import OpponentPlayer
from jaxgp.players.program import ProgramOpponent
from jaxgp.seats.options import OpponentOptions


def read_panel(file: Path) -> dict[str, OpponentOptions]:
    """Read a panel, a YAML file of named opponents; raises UsageError for any other file."""
    try:
        loaded = reading.read_yaml(file)
        if not isinstance(loaded, dict):
            raise TypeError("a list of something else")
        return typed.make_entries(OpponentOptions, loaded)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{file}: not a panel of opponents ({' '.join(str(error).split())})") from error


def fitting(panel: Mapping[str, OpponentOptions], cast: Cast) -> tuple[dict[str, OpponentOptions], dict[str, str]]:
    """Split a panel into the members that can play a game, and the reasons why the others cannot.

    Panels are shared among games. A member that names what one game has is meant for that game, so it stays and is
    refused later.
    """
    missing = {name: why for name, one in panel.items() if not one.bound and (why := one.unfit(cast))}
    return {name: one for name, one in panel.items() if name not in missing}, missing


def check_panel(panel: Mapping[str, OpponentOptions], cast: Cast, file: Path) -> None:
    """Refuse a panel with members that the game does not allow; raises UsageError."""
    for name, spec in panel.items():
        member(f"{file}: {name}", spec, cast)


def choose_members(
    panel: Mapping[str, OpponentOptions], names: Sequence[str], option: str
) -> dict[str, OpponentOptions]:
    """Return the members of a panel with these names, in the order of the panel; all members for no names.

    Raises:
        UsageError: the panel has no such member; the message names the option that asked for it.
    """
    for name in names:
        if name not in panel:
            reject(option, name, ", ".join(panel))
    return {name: spec for name, spec in panel.items() if not names or name in names}


@dataclass(frozen=True)
class MeasuredPlayer:
    """A player that was not evolved, measured in the place of a champion: a search, random moves, a strategy.

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
    player: Any
    genome: Any


def take_member(cast: Cast, name: str, spec: OpponentOptions) -> MeasuredPlayer:
    """Return a member of a panel as a player that is measured; it must be one that `check_panel` accepts.

    Raises:
        UsageError: it is an engine outside, or a set of programs.
    """
    from jaxgp.measure.evaluation import seat_opponent

    if not spec.fixed:
        kinds = ", ".join(kind for kind, form in OpponentOptions.kinds.all().items() if form.fixed)
        reject("player", name, f"a member of one of the kinds {kinds}", f"its kind is {spec.kind}")
    opponent = seat_opponent(cast, spec, 1)
    memory = jax.jit(opponent.init)(jax.random.key(0))
    if isinstance(opponent, ProgramOpponent):  # the genome of a strategy plays as an individual does
        genome = jax.tree.map(lambda x: x[0], memory.programs)
        return MeasuredPlayer(name, text(spec, cast), cast, opponent.player, genome)
    return MeasuredPlayer(name, text(spec, cast), cast, OpponentPlayer(opponent), memory)


def text(spec: OpponentOptions, cast: Cast) -> str:
    """Return a player in words that stay the same, with its evaluator or the name of its strategy in them."""
    return spec.named(cast).text
