"""Options of the players of one game: what each seat has of its own, and what both share. Imports no JAX."""

from dataclasses import dataclass, fields, replace
from typing import Any

from jaxgp.config.arguments import option
from jaxgp.errors import UsageError, reject
from jaxgp.options import real, whole

KINDS = ("human", "minimax", "deepening", "random", "strategy", "rules", "program", "champion", "gtp")
ALONE = ("human", "random", "program", "champion")
"""Those who can play a game for one."""
DEEPEST = 24

OF_ONE_KIND = {
    "nodes": "deepening",
    "strategy": "strategy",
    "rules": "rules",
    "expression": "program",
    "command": "gtp",
    "timeout": "gtp",
}
"""Options that mean something to one kind of player only."""
NEEDS = {
    "rules": ("rules", "rules=FILE"),
    "program": ("expression", 'expression="(...)"'),
    "gtp": ("command", 'command="PROGRAM OPTIONS"'),
}
"""What a kind of player cannot be without: the option, and how it is written."""


def plies(depth: int) -> str:
    """Say how deep a search is."""
    return f"{depth} {'ply' if depth == 1 else 'plies'}"


@dataclass
class Seat:
    """One player, by the options of the same names; null is what both seats share."""

    name: str | None = option(None, "what kind of player", KINDS)
    depth: int | None = None
    nodes: int | None = None
    ties: str | None = option(None, "", ("first", "random"))
    evaluator: str | None = None
    strategy: str | None = None
    rules: str | None = None
    expression: str | None = None
    command: str | None = None
    timeout: float | None = None


def check(options: Any, prefix: str = "") -> None:
    """Refuse numbers that cannot be; `options` is a seat, or has the options that both seats share."""
    if options.depth is not None:
        whole(f"{prefix}depth", options.depth, 1, DEEPEST)
    if options.nodes is not None and options.nodes < 1:
        reject(f"{prefix}nodes", options.nodes, "a whole number from 1, or null for no limit")
    if options.timeout is not None:
        real(f"{prefix}timeout", options.timeout, 0, above=True, unit="seconds")


def seated(own: tuple[Seat, ...], shared: Any) -> tuple[Seat, ...]:
    """Complete the options of `player` and `opponent`, or of a `player` alone, with those that they share.

    Raises:
        UsageError: an option out of range, one that no player has a use for, or one that a player lacks.
    """
    check(shared)
    roles = ("player", "opponent")[: len(own)]
    nobody = "neither player nor opponent is" if len(own) == 2 else "player is not"
    for seat, role in zip(own, roles, strict=True):
        check(seat, f"{role}.")
        for name, kind in OF_ONE_KIND.items():
            if getattr(seat, name) is not None and seat.name != kind:
                raise UsageError(f"{role}.{name}: given, but {role} is {seat.name} and not {kind}")
    for name, kind in OF_ONE_KIND.items():
        if getattr(shared, name) is not None and kind not in [seat.name for seat in own]:
            raise UsageError(f"{name}: given, but {nobody} {kind}")
    completed = tuple(_completed(seat, shared) for seat in own)
    for seat, role in zip(completed, roles, strict=True):
        missing, written = NEEDS.get(seat.name or "", ("name", ""))
        if not getattr(seat, missing):
            raise UsageError(f"{role}={seat.name}: needs {written} as well")
    return completed


def _completed(own: Seat, shared: Any) -> Seat:
    missing = [field.name for field in fields(own) if field.name != "name" and getattr(own, field.name) is None]
    return replace(own, **{name: getattr(shared, name) for name in missing})
