"""Options of the players of one game: options of each seat, and options that both seats share. Imports no JAX."""

from dataclasses import dataclass, fields, replace
from typing import Any

from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_COUNT, MAX_SECONDS, check, option

KINDS = ("human", "minimax", "deepening", "random", "strategy", "rules", "program", "champion", "gtp")
ALONE = ("human", "random", "program", "champion")
"""Kinds of players that can play a game for one."""
SEARCHING = ("minimax", "deepening")
"""Kinds of players that search, which they cannot do in a game with chance."""
OF_ONE_KIND = {
    "nodes": "deepening",
    "single": "deepening",
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
"""The option that a kind of player requires, and how it is written."""
USUAL = {"depth": 8, "ties": "random"}
"""Defaults of options that neither a seat nor the shared options set."""


@dataclass(kw_only=True)
class Means:
    """Options of a player. Null in a seat means the shared option; null in the shared options means the default."""

    depth: int | None = option(None, "plies of minimax, most plies of deepening; null: 8", low=1, high=DEEPEST)
    nodes: int | None = option(
        None, "positions after which deepening begins no deeper search; null: there is no limit", low=1, high=MAX_COUNT
    )
    single: bool | None = option(
        None, "whether deepening stops where one move alone is best; null: no, it looks for the proof of a result"
    )
    ties: str | None = option(None, "among equally good moves a search plays; null: random", ("first", "random"))
    evaluator: str | None = option(None, "what searches value positions by; null: the first of the game's evaluators")
    strategy: str | None = option(None, "which of the game's strategies; null: the first")
    rules: str | None = option(
        None, 'a file with the rule list of player or opponent "rules", a rule on each line', path=True
    )
    expression: str | None = option(None, 'the program of player or opponent "program", as printed in champion.json')
    command: str | None = option(
        None, 'of player or opponent "gtp": a program that speaks the Go Text Protocol, and its options'
    )
    timeout: float | None = option(
        None,
        "how long such a program may take for a move; null: 120",
        low=0,
        high=MAX_SECONDS,
        above=True,
        unit="seconds",
    )


@dataclass
class Kind:
    """What kind of player has a seat."""

    name: str | None = option(None, "what kind of player", KINDS)


@dataclass
class Seat(Means, Kind):
    """One player, with options of its own."""


def seated(own: tuple[Seat, ...], shared: Means) -> tuple[Seat, ...]:
    """Complete the options of `player` and `opponent`, or of a `player` alone, with the shared ones.

    Raises:
        UsageError: an option out of range, one that no player uses, or a required one that is missing.
    """
    roles = ("player", "opponent")[: len(own)]
    nobody = "neither player nor opponent is" if len(own) == 2 else "player is not"
    for seat, role in zip(own, roles, strict=True):
        check(seat, f"{role}.")
        if seat.name is None:
            reject(role, None, ", ".join(KINDS))
        for name, kind in OF_ONE_KIND.items():
            if _given(seat, name) and seat.name != kind:
                raise UsageError(f"{role}.{name}: given, but {role} is {seat.name} and not {kind}")
    for name, kind in OF_ONE_KIND.items():
        if _given(shared, name) and kind not in [seat.name for seat in own]:
            raise UsageError(f"{name}: given, but {nobody} {kind}")
    completed = tuple(_completed(seat, shared) for seat in own)
    for seat, role in zip(completed, roles, strict=True):
        missing, written = NEEDS.get(seat.name or "", (None, ""))
        if missing is not None and not _given(seat, missing):
            raise UsageError(f"{role}={seat.name}: needs {written} as well")
        if seat.name == "deepening" and seat.single and seat.ties == "first":
            raise UsageError(f"single=true: {role} plays the first of equally good moves; accepted with ties=random")
    return completed


def _given(means: Means, name: str) -> bool:
    return getattr(means, name) not in (None, "")


def _completed(own: Seat, shared: Means) -> Seat:
    """Fill in the options that a seat does not set."""
    found: dict[str, Any] = {}
    for field in fields(Means):
        values = (getattr(own, field.name), getattr(shared, field.name), USUAL.get(field.name))
        found[field.name] = next((value for value in values if value is not None), None)
    return replace(own, **found)
