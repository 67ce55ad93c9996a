"""Rollouts of simulations in files: as a picture, as text, and as controls and states that can be driven again.

A file holds the key of the rollout, from which its start and all chance in it follow, the controls of every step, and
the states that they led to. A rollout that is driven again from the controls says at which step it differs. Parts of
the state that never change are written once.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxgp import reading
from jaxgp.config.games import game_of
from jaxgp.contracts import Simulation, States
from jaxgp.errors import UsageError, reject, show
from jaxgp.files import Json
from jaxgp.games.outside import Games
from jaxgp.host.driving import Difference, Driven, difference, drive_again, picture
from jaxgp.host.savedgame import (
    agree,
    alone,
    chance_of,
    check_fields,
    locate,
    read_chance,
    read_raw,
    settings_of,
    write_text,
)
from jaxgp.printable import one_line
from jaxgp.spec import Spec

FORMAT = "jaxgp rollout"
FORMAT_VERSION = 1
ODD = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How numbers are written that JSON does not have."""
NUMBERS = f"numbers, or {', '.join(ODD)}"
DIGITS = 9
"""Digits that tell every float32 from its neighbours."""


@dataclass(frozen=True, eq=False)
class Traced:
    """A rollout that the original of a simulation has written, as far as it tells.

    Attributes:
        spec: the simulation.
        game: its rules.
        names: what pictures call those who drove, by seat.
        states: [N + 1], in NumPy arrays.
    """

    spec: Spec
    game: Simulation
    names: tuple[str, ...]
    states: States

    @property
    def steps(self) -> int:
        """N."""
        return len(np.asarray(self.states.terminated)) - 1

    def state(self, step: int) -> States:
        """Return the state after so many steps; a negative number counts from the end."""
        return jax.tree.map(lambda x: x[step], self.states)

    def lines(self) -> list[str]:
        """Return the rollout as text."""
        return list(self.spec.showing.lines(self.game, self.states))


def write(paths: Sequence[Path], rollouts: Sequence[Driven | Traced]) -> None:
    """Write rollouts to files, each in the notation that its ending asks for; raises RunError.

    A picture has all of them, text and JSON the first one.
    """
    first = rollouts[0]
    for path in paths:
        if path.suffix == ".svg":
            drawn = picture(rollouts) or (first.svg() if isinstance(first, Driven) else "")
            write_text(path, alone(drawn) + "\n")
        elif isinstance(first, Traced):
            write_text(path, "\n".join(first.lines()) + "\n")
        else:
            write_text(path, record(first) if path.suffix == ".json" else transcript(first))


def trace(name: str, games: Games, asked: Json | None) -> Traced | None:
    """Read a file that the original of a simulation has written; None: no such simulation is named.

    Raises:
        UsageError: the file cannot be read, or is none.
    """
    if not asked or asked.get("name") not in games.available():
        return None
    spec, game = game_of(asked, games)
    if spec.showing.recorded is None or not isinstance(game, Simulation):
        return None
    path, _ = locate("replay", name)
    try:
        states = spec.showing.recorded(game, reading.decode(read_raw(f"replay={name}", path)))
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"replay={name}: {error}; accepted: a saved rollout, or a trace of {spec.name}") from error
    return Traced(spec, game, tuple(f"{path.stem}, {seat}" for seat in range(1, game.seats + 1)), states)


def transcript(rollout: Driven) -> str:
    """Return a rollout as text: who drives, its lines, and what is measured at its end."""
    ends = [f"{name}: {rollout.told(name)}" for name in rollout.drivers]
    return "\n".join([" and ".join(rollout.drivers), "", *rollout.lines(), "", *ends]) + "\n"


def record(rollout: Driven) -> str:
    """Return a rollout as JSON."""
    named = zip(rollout.game.quantities, rollout.values.T, strict=True)
    still, moving = {}, {}
    for name, values in _leaves(rollout.states).items():
        if (values == values[:1]).all():
            still[name] = _listed(values[0])
        else:
            moving[name] = _listed(values)
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": settings_of(rollout.game),
        "rules": rollout.game.version,
        "chance": chance_of(rollout.key),
        "drivers": list(rollout.names),
        "steps": rollout.steps,
        "finished": rollout.finished,
        "measures": {one.name: _listed(values) for one, values in named},
        "controls": _listed(rollout.controls),
        "still": still,
        "states": moving,
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"


TYPES: dict[str, type] = {
    "game": dict,
    "rules": str,
    "drivers": list,
    "steps": int,
    "finished": bool,
    "measures": dict,
    "controls": list,
    "still": dict,
    "states": dict,
}


def text_of(name: str) -> str | None:
    """Return the text of a file that is meant to be a rollout, be it damaged or not; None: it is something else.

    Raises:
        UsageError: it cannot be read.
    """
    path, _ = locate("replay", name)
    try:
        text = reading.decode(read_raw(f"replay={name}", path))
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
        return None  # a game in a format that is no text
    return text if text.lstrip().startswith("{") and f'"{FORMAT}"' in text[:200] else None


def read(name: str, text: str, games: Games, asked: Json | None = None) -> tuple[Driven, Difference | None]:
    """Read a rollout and drive it again from its controls.

    Args:
        name: of the file, for messages.
        text: its content.
        games: where simulations come from.
        asked: the name and settings that the simulation must have; missing ones are not checked.

    Returns:
        The rollout as it is now, and where it differs from what is in the file; None: nowhere.

    Raises:
        UsageError: the file is damaged, is of another simulation, or holds what this simulation does not take.
    """
    content = _content(name, text)
    try:
        spec, game = game_of(content["game"], games)
    except (UsageError, TypeError) as error:
        raise UsageError(f"replay={name}: {error}") from error
    if not isinstance(game, Simulation):
        reject("replay", name, f"a rollout of a simulation; {game.name} is a game of turns")
    agree(asked or {}, game, f"replay={name}")
    if content["rules"] != game.version:
        reject("replay", name, f"rollouts under version {game.version}; this one is of {show(content['rules'])}")
    drivers = content["drivers"]
    if len(drivers) != game.seats or not all(isinstance(one, str) for one in drivers):
        raise UsageError(f"replay={name}: drivers: {show(drivers)}: accepted: a list of {game.seats}, names by seat")
    steps = content["steps"]
    if isinstance(steps, bool) or not 1 <= steps <= game.horizon:
        raise UsageError(f"replay={name}: steps: {show(steps)}: accepted: a whole number from 1 to {game.horizon}")
    shape = steps, game.seats, game.controls
    controls = _array(name, "controls", content["controls"], np.zeros(shape, np.float32))
    key = read_chance(f"replay={name}", content.get("chance"))
    again = drive_again(spec, game, tuple(map(one_line, drivers)), key, controls)
    told = _states(name, content, again, steps)
    if not told.terminated[-1] and steps < game.horizon:
        why = f"it stops after {steps} steps, where it is not at an end"
        raise UsageError(f"replay={name}: {why}; accepted: a whole rollout")
    return again, difference(again.states, told)


def _content(name: str, text: str) -> Json:
    """Return the content of a file whose parts have the right types; raises UsageError."""
    try:
        content = reading.parse_json(text)
    except ValueError as error:
        raise UsageError(f"replay={name}: not JSON ({error}); accepted: a rollout that was saved as JSON") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f'replay={name}: has no "format": "{FORMAT}"; accepted: a rollout that was saved as JSON')
    check_fields(f"replay={name}", content, (FORMAT_VERSION,), TYPES)
    return content


def _states(name: str, content: Json, again: Driven, steps: int) -> States:
    """Return the states in a file, [steps + 1], of the types of those that were found again; raises UsageError."""
    still, moving = content["still"], content["states"]
    found = []
    for field, values in _leaves(again.states).items():
        if (field in still) == (field in moving):
            raise UsageError(f"replay={name}: states: {field} is missing, or there twice; accepted: each field once")
        if field in moving:
            like = np.zeros((steps + 1, *values.shape[1:]), values.dtype)
            found.append(_array(name, f"states: {field}", moving[field], like))
        else:
            one = _array(name, f"still: {field}", still[field], values[0])
            found.append(np.broadcast_to(one, (steps + 1, *values.shape[1:])))
    unknown = [one for one in (*still, *moving) if one not in _leaves(again.states)]
    if unknown:
        raise UsageError(f"replay={name}: states: {show(unknown[0])} is no part of a state of {again.game.name}")
    return jax.tree.unflatten(jax.tree.structure(again.states), found)


def _leaves(states: States) -> Mapping[str, np.ndarray]:
    return {jax.tree_util.keystr(path): np.asarray(x) for path, x in jax.tree_util.tree_leaves_with_path(states)}


def _listed(values: np.ndarray) -> Any:
    """Return an array as lists of what JSON has."""
    if values.ndim:
        return [_listed(one) for one in values]
    number = values.item()
    if not isinstance(number, float):
        return number
    if math.isfinite(number):
        return number if values.dtype == np.float64 else float(f"{number:.{DIGITS}g}")
    return next(word for word, odd in ODD.items() if number == odd or (number != number and odd != odd))


def _array(name: str, field: str, values: Any, like: np.ndarray) -> np.ndarray:
    """Return lists of numbers as an array of the shape and type of another one; raises UsageError."""

    def one(value: Any, dims: Sequence[int], where: str) -> Any:
        if dims:
            if not isinstance(value, list) or len(value) != dims[0]:
                had = f"{len(value)} of them" if isinstance(value, list) else show(value)
                raise UsageError(f"replay={name}: {where}: {had}: accepted: a list of {dims[0]}")
            return [one(inner, dims[1:], f"{where}[{n}]") for n, inner in enumerate(value)]
        truth, real = like.dtype == bool, np.issubdtype(like.dtype, np.floating)
        if isinstance(value, str) and real and value in ODD:
            return ODD[value]
        if isinstance(value, bool) != truth or not isinstance(value, int | float if real else int):
            wanted = "true or false" if truth else NUMBERS if real else "whole numbers"
            raise UsageError(f"replay={name}: {where}: {show(value)}: accepted: {wanted}")
        return value

    try:
        with np.errstate(over="ignore"):
            return np.array(one(values, like.shape, field), like.dtype).reshape(like.shape)
    except OverflowError as error:
        raise UsageError(f"replay={name}: {field}: accepted: numbers of {like.dtype}") from error
