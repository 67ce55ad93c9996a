"""The table of instances: a row for each search of an instance of a puzzle by `scripts/evaluate.py`.

A row says which search it was: of which instance, by which order of moves, with which settings. So a second start goes
on with the searches that have no row yet.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import jax
import numpy as np

import jaxgp
from jaxgp.errors import reject
from jaxgp.games.casting import Cast
from jaxgp.options import MAX_COUNT, list_options
from jaxgp.printable import one_line
from jaxgp.spec import Instances
from jaxgp.store import runs
from jaxgp.store.table import Cells, CSVTable

if TYPE_CHECKING:
    from jaxgp.measure.puzzles.solving import Order

COLUMNS = {
    "suite": "the suite, or the file of instances",
    "instance": "name of the instance",
    "order": "what orders the moves of the search, as the figures call it",
    "solved": "1: a solution was found; 0: none",
    "nodes": "nodes that the search visited",
    "expanded": "nodes whose moves the search listed; empty where it does not count them",
    "moves": "moves of the solution; empty where none was found",
    "seconds": "wall-clock time of the searches that ran side by side, divided by their number; without compiling",
    "limit": "nodes at which the search gave up",
    "genome": "16 hexadecimal digits of the text that orders the moves; empty without one",
    "state": "16 hexadecimal digits of the instance",
    "game": "the game, its version and its settings",
    "program": "the role that searches, and its settings",
    "jaxgp": "version of jaxgp",
}
"""The columns and what is in them."""
OF_SEARCHES = ("order", "limit", "genome", "game", "program", "jaxgp")
"""Columns that tell apart how instances were searched; `instance` and `state` tell the instances apart.

An instance may be in several suites: its search is the same.
"""

SearchOutcome = tuple[bool, int, int, float, int]
"""Whether an instance was solved, nodes, moves of the solution or -1, seconds, and nodes expanded or -1."""
Outcomes = dict[tuple[str, str], SearchOutcome]
"""What one search found, by name and digest of the instance."""


@dataclass(frozen=True)
class Searched:
    """What is known of the searches of N instances by one order of moves; a `Solved` without the moves.

    Attributes:
        done: bool[N], which have been searched; of the others nothing is known.
        solved: bool[N].
        nodes: int64[N].
        length: int64[N], moves of the solution; -1 where none was found.
        seconds: float64[N], time of the searches that ran side by side, divided by their number.
        expanded: int64[N], nodes whose moves were listed; -1 where they were not counted.
    """

    done: np.ndarray
    solved: np.ndarray
    nodes: np.ndarray
    length: np.ndarray
    seconds: np.ndarray
    expanded: np.ndarray

    @classmethod
    def nothing(cls, number: int) -> "Searched":
        """Return what is known of `number` searches that have not begun."""
        done, solved = np.zeros((2, number), bool)
        nodes, length, expanded = np.zeros((3, number), np.int64)
        return cls(done, solved, nodes, length, np.zeros(number), expanded)

    def take(self, at: np.ndarray) -> "Searched":
        """Return what is known of the instances `at` (int[M] or bool[N]), in arrays of its own."""
        return Searched(*(getattr(self, one.name)[at] for one in fields(self)))

    def put(
        self, at: np.ndarray, solved: object, nodes: object, length: object, seconds: object, expanded: object
    ) -> None:
        """Note what the searches of the instances `at` (int[M]) found."""
        self.done[at] = True
        self.solved[at], self.nodes[at], self.length[at], self.seconds[at] = solved, nodes, length, seconds
        self.expanded[at] = expanded


def outcomes(rows: Iterable[Cells]) -> dict[tuple[str, ...], Outcomes]:
    """Return what rows of tables say that was found, by the cells of `OF_SEARCHES`.

    Of rows of the same search of the same instance the last one counts.

    Raises:
        ValueError: a row says what no search finds; the message names it.
    """
    found: dict[tuple[str, ...], Outcomes] = {}
    for row in rows:
        try:
            outcome = _outcome(row)
        except ValueError as error:
            raise ValueError(f"the row of {row['instance']} by {row['order']}: {error}") from error
        found.setdefault(tuple(row[name] for name in OF_SEARCHES), {})[row["instance"], row["state"]] = outcome
    return found


class Book:
    """The searches in a table, to which new ones are added. Without a file it is empty, and nothing is kept.

    Args:
        path: the table; it need not exist. None: none.
        option: what named it, for messages.
        say: told of a torn last line, and of rows that cannot be written.

    Raises:
        UsageError: the file is no table of instances, or rows cannot be added to it.
    """

    def __init__(
        self, path: Path | None = None, option: str = "instances", say: Callable[[str], object] = print
    ) -> None:
        self._option, self._say = option, say
        self._table = None if path is None else CSVTable(path, COLUMNS)
        self._outcomes: dict[tuple[str, ...], Outcomes] = {}
        if self._table is None:
            return
        self._table.check(option)
        try:
            self._outcomes = outcomes(self._table.rows())
        except ValueError as error:
            reject(option, path, f"a new file, or a table with the columns of this command ({error})")

    def known(self, about: Mapping[str, str], some: Instances) -> Searched:
        """Return what the table says of the searches of some instances.

        A search that finds a solution is the same with every limit that is above its nodes.

        Args:
            about: what `describe_search` returns.
            some: the instances.
        """
        found, limit = Searched.nothing(len(some.names)), int(about["limit"])
        wanted = [about[name] for name in OF_SEARCHES if name != "limit"]
        keys: list[tuple[str, str]] = []
        for cells, there in self._outcomes.items():
            other = dict(zip(OF_SEARCHES, cells, strict=True))
            if [other[name] for name in OF_SEARCHES if name != "limit"] != wanted:
                continue
            keys = keys or _keys(some)
            for at, key in enumerate(keys):
                outcome = there.get(key)
                if outcome is not None and (int(other["limit"]) == limit or (outcome[0] and outcome[1] < limit)):
                    found.put(np.array([at]), *outcome)
        return found

    def add(
        self,
        about: Mapping[str, str],
        some: Instances,
        solved: np.ndarray,
        nodes: np.ndarray,
        length: np.ndarray,
        seconds: float,
        expanded: np.ndarray,
    ) -> None:
        """Add a row for each of M instances that have been searched; the rows are durable when this returns.

        Rows that cannot be written are printed.

        Args:
            about: what `describe_search` returns.
            some: the instances.
            solved: bool[M]; `nodes` and `length` are numbers [M], as in `Searched`.
            nodes: see `solved`.
            length: see `solved`.
            seconds: of each.
            expanded: see `solved`.
        """
        if self._table is None:
            return
        rows = [
            {
                **about,
                "instance": name,
                "state": state,
                "solved": int(solved[at]),
                "nodes": nodes[at],
                "expanded": expanded[at] if expanded[at] >= 0 else None,
                "moves": length[at] if solved[at] else None,
                "seconds": seconds,
            }
            for at, (name, state) in enumerate(_keys(some))
        ]
        self._table.keep(rows, self._say, self._option)


def describe_search(suite: str, order: "Order", limit: int) -> dict[str, str]:
    """Return the suite, and what tells searches apart, `OF_SEARCHES`, each on one line."""
    about = {
        "suite": suite,
        "order": order.name,
        "limit": limit,
        "genome": runs.digest(order.text.encode()) if order.text else "",
        "game": _game(order.cast),
        "program": _settings(order.cast.program),
        "jaxgp": jaxgp.__version__,
    }
    return {name: one_line(value) for name, value in about.items()}


def _game(own: Cast) -> str:
    """Return a game with all settings but the instance: defaults may change from one version of jaxgp to the next."""
    rules = own.game
    settings = {one.name: getattr(rules, one.name) for one in list_options(rules) if one.name != own.spec.instance}
    return f"{rules.name} {_settings({'version': rules.version} | settings)}"


def _settings(values: Mapping[str, object]) -> str:
    """Return settings as they are typed, of any length."""
    words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in values.items()}
    return " ".join(f"{name}={word}" for name, word in words.items())


def _keys(some: Instances) -> list[tuple[str, str]]:
    """Return name and digest of each instance; files of instances may change while their names stay."""
    number = len(some.names)
    leaves = [np.ascontiguousarray(leaf).reshape(number, -1) for leaf in jax.tree.leaves(some.states)]
    content = np.concatenate([leaf.view(np.uint8).reshape(number, -1) for leaf in leaves], 1)
    return [(one_line(name), runs.digest(row.tobytes())) for name, row in zip(some.names, content, strict=True)]


def _outcome(row: Cells) -> SearchOutcome:
    """Return what a row says that was found; raises ValueError."""
    solved = row["solved"] == "1"
    if row["solved"] not in ("0", "1") or (not solved and row["moves"]):
        raise ValueError(f"solved={row['solved']}, moves={row['moves']}")
    nodes, length = int(row["nodes"]), int(row["moves"]) if solved else -1
    seconds, expanded = float(row["seconds"]), int(row["expanded"] or -1)
    if not -1 <= expanded <= MAX_COUNT:
        raise ValueError(f"expanded={row['expanded']}")
    if not 0 <= nodes <= MAX_COUNT or not -1 <= length <= MAX_COUNT or not 0 <= seconds < math.inf:
        raise ValueError(f"nodes={row['nodes']}, moves={row['moves']}, seconds={row['seconds']}")
    return solved, nodes, length, seconds, expanded
