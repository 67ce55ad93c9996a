"""Measures programs that order the moves of a search: the instances of suites, solved by a champion and by others.

The others are blind search, and the fixed orders that the game brings. These search as the champion does; only the
order differs. Where this is another search than the blind one, it is measured without an order, too.
"""

import io
import time
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Solved, Solver
from jaxgp.errors import UsageError
from jaxgp.files import Json
from jaxgp.genotypes import language as languages
from jaxgp.options import declared
from jaxgp.printable import one_line
from jaxgp.report.waiting import waiting
from jaxgp.spec import Cast, Instances, cast

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded

UNGUIDED, CHAMPION = "unguided", "champion"
Search = Callable[[jax.Array, object], Solved]
"""(limits int32[Q], instances [Q]) -> what is found."""


@dataclass(frozen=True)
class Figures:
    """What one order of moves did on one suite.

    Attributes:
        instances: N.
        solved: how many were solved.
        nodes: mean number of nodes; searches that found nothing count with theirs.
        share: mean of the nodes as a share of those of blind search, at least 1 where no solution was found.
        low: lower end of its 95 % interval, by Student's t; None for a single instance.
        high: upper end.
        length: mean moves of the solutions; None if there are none.
        seconds: wall-clock time of all searches, side by side, without compiling.
        each: name of an instance -> nodes, and moves of the solution, None where none was found.
    """

    instances: int
    solved: int
    nodes: float
    share: float
    low: float | None
    high: float | None
    length: float | None
    seconds: float
    each: dict[str, tuple[int, int | None]]


def chosen(found: Instances, split: str) -> Instances:
    """Return the instances of one side, `test` or `train`, or of both, `all`."""
    wanted = {"test": found.test, "train": ~found.test, "all": np.ones_like(found.test)}[split]
    index = np.flatnonzero(wanted)
    states = jax.tree.map(lambda x: x[index], found.states)
    return Instances(tuple(found.names[i] for i in index), states, found.test[index])


def joined(suites: Mapping[str, Instances]) -> Instances:
    """Return the instances of several suites, one suite after the other."""
    some = list(suites.values())
    states = jax.tree.map(lambda *x: np.concatenate(x), *(one.states for one in some))
    return Instances(sum((one.names for one in some), ()), states, np.concatenate([one.test for one in some]))


def measured(
    loaded: "Loaded", suites: Mapping[str, Instances], limit: int | None = None, say: Callable[[str], object] = print
) -> Iterator[tuple[str, str, Figures]]:
    """Solve the instances of suites by blind search, by the fixed orders of the game and by a champion.

    Args:
        loaded: the champion and its puzzle.
        suites: instances by name; none is empty.
        limit: nodes at which each search gives up; None: those of the champion's role.
        say: told what comes next.

    Yields:
        The name of the suite, that of the order, and its figures; suite by suite for each order.
    """
    actor = loaded.cast.actor
    limit = actor.limit if limit is None else limit
    room = max(len(one.names) for one in suites.values())
    blind: dict[str, np.ndarray] = {}
    for name, search in searches(loaded, room):
        for suite, some in suites.items():
            say(f"Solving {suite} by {name}")
            begin = time.perf_counter()
            found = jax.device_get(search(*_padded(some, limit, room)))
            seconds = time.perf_counter() - begin
            number = len(some.names)
            blind.setdefault(suite, found.nodes[:number])
            yield suite, name, figures(some.names, found, blind[suite], seconds)


def searches(loaded: "Loaded", room: int, only: Container[str] | None = None) -> Iterator[tuple[str, Search]]:
    """Yield each order by name, blind search first, the champion last, and what searches `room` instances with it.

    Args:
        loaded: the champion and its puzzle.
        room: instances that are searched at once.
        only: the names of the orders that are wanted; None: all.
    """
    actor: Solver = loaded.cast.actor
    wanted = only or (actor.reference, UNGUIDED, *loaded.cast.spec.strategies, CHAMPION)
    compiled: dict[object, Callable[..., Solved]] = {}
    states = jax.tree.map(lambda x: jnp.asarray(np.broadcast_to(x[None], (room, *x.shape))), _first(loaded))
    limits = jnp.zeros(room, jnp.int32)
    without = {actor.reference: actor.baseline} | ({UNGUIDED: actor.unguided} if actor.differs else {})
    for name, search in without.items():
        if name in wanted:
            with waiting(f"Compiling {name} search"):
                alone = jax.jit(lambda limits, states, search=search: search(states, limits))
                ready = alone.lower(limits, states).compile()
            yield name, ready
    texts = [(name, *_fixed(loaded.cast, name)) for name in loaded.cast.spec.strategies if name in wanted]
    texts += [(CHAMPION, loaded.cast, loaded.content.text)] if CHAMPION in wanted else []
    # One capacity for all, so that those of one role share a compiled program.
    capacity = max(len(text.replace("(", " ").split()) for _, _, text in texts)
    for name, taken, text in texts:
        genome = jax.tree.map(lambda x: jnp.asarray(x)[None], languages.parse(taken.language, text, capacity))
        if taken.program["role"] not in compiled:
            with waiting(f"Compiling the searches of {name}"):
                compiled[taken.program["role"]] = _compiled(taken.actor, genome, limits, states)
        yield name, partial(compiled[taken.program["role"]], genome)


def _compiled(actor: Solver, genome: object, limits: jax.Array, states: object) -> Callable[..., Solved]:
    def solve(genome: object, limits: jax.Array, states: object) -> Solved:
        return actor.solve(actor.prepare(genome), jnp.zeros(len(limits), jnp.int32), states, limits)

    return jax.jit(solve).lower(genome, limits, states).compile()


def _first(loaded: "Loaded") -> object:
    return jax.tree.map(np.asarray, loaded.cast.game.init(jax.random.key(0)))


def _fixed(own: Cast, name: str) -> tuple[Cast, str]:
    """Return the role of a fixed order, which searches as another cast does, and its text."""
    found = own.spec.strategy_of(name, own.game)
    values = {one.name: getattr(found.options, one.name) for one in declared(found.options)}
    shared = {key: value for key, value in own.program.items() if key in values}
    return cast(own.spec, own.game, found.role, None, values | shared), found.text


def _padded(some: Instances, limit: int, room: int) -> tuple[jax.Array, object]:
    """Return limits int32[room] and instances [room]; those beyond the last one end at once."""
    number = len(some.names)
    limits = np.where(np.arange(room) < number, limit, 1).astype(np.int32)
    index = np.minimum(np.arange(room), number - 1)
    return jnp.asarray(limits), jax.tree.map(lambda x: jnp.asarray(x[index]), some.states)


def figures(names: tuple[str, ...], found: Solved, blind: np.ndarray, seconds: float) -> Figures:
    """Summarise the first N searches.

    Args:
        names: of the instances, N.
        found: what the searches found, in NumPy arrays.
        blind: int32[N], nodes of blind search.
        seconds: that the searches took.
    """
    from scipy import stats

    number = len(names)
    solved, nodes, length = (np.asarray(x)[:number] for x in (found.solved, found.nodes, found.length))
    share = nodes / np.maximum(blind, 1)
    share = np.where(solved, share, np.maximum(share, 1))  # giving up early is no merit
    low = high = None
    if number > 1:
        half = float(stats.t.ppf(0.975, number - 1) * stats.sem(share))
        low, high = float(share.mean()) - half, float(share.mean()) + half
    return Figures(
        instances=number,
        solved=int(solved.sum()),
        nodes=float(nodes.mean()),
        share=float(share.mean()),
        low=low,
        high=high,
        length=float(length[solved].mean()) if solved.any() else None,
        seconds=seconds,
        each={
            name: (int(n), int(moves) if done else None)
            for name, n, moves, done in zip(names, nodes, length, solved, strict=True)
        },
    )


def as_json(report: Mapping[str, Mapping[str, Figures]]) -> Json:
    """Return the figures by suite and order."""
    return {suite: {name: asdict(one) for name, one in rows.items()} for suite, rows in report.items()}


COLUMNS = ("boards", "solved", "nodes", "of blind's", "95 %", "moves", "seconds")


def text(report: Mapping[str, Mapping[str, Figures]]) -> str:
    """Draw the figures as a table for each suite."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=132, record=True, file=io.StringIO())
    for suite, rows in report.items():
        table = Table(title=Text(one_line(suite)), title_justify="left")
        table.add_column("order of moves")
        for column in COLUMNS:
            table.add_column(column, justify="right")
        for name, row in rows.items():
            between = "" if row.low is None or row.high is None else f"{100 * row.low:.1f} - {100 * row.high:.1f}"
            table.add_row(
                name,
                str(row.instances),
                f"{100 * row.solved / row.instances:.1f} %",
                f"{row.nodes:,.0f}",
                f"{100 * row.share:.1f} %",
                between,
                "-" if row.length is None else f"{row.length:.1f}",
                f"{row.seconds:.2f}",
            )
        console.print(table)
    return console.export_text().rstrip()


def suites_of(own: Cast, name: str | None, split: str, option: str = "suite") -> dict[str, Instances]:
    """Return one side of a suite, or of every suite of the game, by name; raises UsageError where it is empty."""
    from jaxgp.config.games import instances

    spec = own.spec
    names = [name] if name is not None else spec.suites(own.game) or [None]
    found = {one or "": chosen(instances(option, one, own), split) for one in names}
    for one, some in found.items():
        if not some.names:
            raise UsageError(f"{option}={one}: no instance of it is kept for split={split}; accepted: split=all")
    return found
