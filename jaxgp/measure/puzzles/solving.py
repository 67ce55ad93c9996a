"""Measures genomes that order the moves of a search: the instances of suites, solved by a champion and by others.

The others are the reference search of the game, and the fixed orders that it brings. These search as the champion does;
only the order differs. Where this is another search than the reference, it is measured without an order, too.
"""

import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Solver
from jaxgp.errors import UsageError, reject
from jaxgp.files import Json
from jaxgp.fitness.puzzles.suite import instances as instances_of
from jaxgp.games.casting import Cast, cast
from jaxgp.genotypes import language as languages
from jaxgp.measure.puzzles import instances
from jaxgp.options import list_options
from jaxgp.printable import one_line
from jaxgp.report.waiting import following, waiting
from jaxgp.search.puzzles.solutions import Solutions
from jaxgp.spec import Instances, Strategy

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded

UNGUIDED, CHAMPION = "unguided", "champion"
Search = Callable[[jax.Array, object], Solutions]
"""(limits int32[Q], instances [Q]) -> what is found."""


@dataclass(frozen=True)
class Order:
    """What a search tries first.

    Attributes:
        name: what figures call it.
        cast: the role that searches so.
        text: the genome that orders the moves; empty if none does.
    """

    name: str
    cast: Cast
    text: str = ""


@dataclass(frozen=True)
class Figures:
    """What one order of moves did on one suite.

    Attributes:
        instances: N.
        solved: how many were solved.
        solved_low: lower end of the 95 % interval of the solved share, by Wilson's score test; `solved_high` is the
            upper end.
        solved_high: see `solved_low`.
        nodes: mean number of nodes; searches that found nothing count with theirs.
        median: median number of nodes.
        share: mean of the nodes as a share of those of the reference search, at least 1 where no solution was found;
            None if that was not measured.
        low: lower end of its 95 % interval, by Student's t; None for a single instance.
        high: upper end.
        length: mean moves of the solutions; None if there are none.
        seconds: wall-clock time of all searches, those of a batch side by side, without compiling.
        expanded: mean number of nodes whose moves were listed; None if the search does not count them.
        expanded_median: their median.
        each: name of an instance -> nodes, and moves of the solution, None where none was found.
    """

    instances: int
    solved: int
    solved_low: float
    solved_high: float
    nodes: float
    median: float
    share: float | None
    low: float | None
    high: float | None
    length: float | None
    seconds: float
    expanded: float | None
    expanded_median: float | None
    each: dict[str, tuple[int, int | None]]


def choose_split(found: Instances, split: str) -> Instances:
    """Return the instances of one side, `test` or `train`, or of both, `all`."""
    wanted = {"test": found.test, "train": ~found.test, "all": np.ones_like(found.test)}[split]
    return part(found, np.flatnonzero(wanted))


def part(some: Instances, at: np.ndarray) -> Instances:
    """Return the instances `at`, int[M]."""
    states = jax.tree.map(lambda x: x[at], some.states)
    return Instances(tuple(some.names[i] for i in at), states, some.test[at])


def join_suites(suites: Mapping[str, Instances]) -> Instances:
    """Return the instances of several suites, one suite after the other."""
    some = list(suites.values())
    states = jax.tree.map(lambda *x: np.concatenate(x), *(one.states for one in some))
    return Instances(sum((one.names for one in some), ()), states, np.concatenate([one.test for one in some]))


def solve_suites(
    loaded: "Loaded",
    suites: Mapping[str, Instances],
    limit: int | None = None,
    say: Callable[[str], object] = print,
    batch: int | None = None,
    book: instances.Book | None = None,
    by: Sequence[Order] | None = None,
) -> Iterator[tuple[str, str, Figures]]:
    """Solve the instances of suites by the reference search, by the fixed orders of the game and by a champion.

    Args:
        loaded: the champion and its puzzle.
        suites: instances by name; none is empty.
        limit: nodes at which each search gives up; None: those of the champion's role.
        say: told what comes next.
        batch: the most instances that are searched at once; None: a whole suite. What is found does not depend on it.
        book: the searches that are there already, and where the others are kept; None: none, and nowhere.
        by: the orders, as `choose_orders` returns them; None: all of them.

    Yields:
        The name of the suite, that of the order, and its figures; suite by suite for each order.
    """
    limit = loaded.cast.actor.limit if limit is None else limit
    book = instances.Book() if book is None else book
    longest = max(len(one.names) for one in suites.values())
    room = longest if batch is None else min(batch, longest)
    ready = searches([loaded], room)
    reference: dict[str, np.ndarray] = {}
    for order in orders(loaded) if by is None else by:
        search = cache(partial(ready, order))
        for suite, some in suites.items():
            found = solve_by_order(search, order, (suite, some), limit, room, book, say)
            if order.name == loaded.cast.actor.reference:
                reference[suite] = found.nodes
            yield suite, order.name, figures(some.names, found, reference.get(suite))


def solve_by_order(
    search: Callable[[], Search],
    order: Order,
    suite: tuple[str, Instances],
    limit: int,
    room: int,
    book: instances.Book,
    say: Callable[[str], object],
) -> instances.Searched:
    """Solve the instances of a suite by one order.

    Args:
        search: compiles the search of `room` instances; called if there is something left to search.
        order: what orders its moves.
        suite: name and instances.
        limit: nodes at which each search gives up.
        room: the most instances that are searched at once.
        book: the searches that are there already, and where the others are kept.
        say: told what comes next.
    """
    name, some = suite
    about, number = instances.describe_search(name, order, limit), len(some.names)
    found = book.known(about, some)
    left = np.flatnonzero(~found.done)
    known = f", {number - len(left):,} of {number:,} were searched before" if len(left) < number else ""
    say(f"Solving {name} by {order.name}{known}")
    if len(left):
        compiled = search()
        with following(partial(_so_far, name, order.name, found)):
            for first in range(0, len(left), room):
                at = left[first : first + room]
                batch = part(some, at)
                outcome = _solve(compiled, order, batch, limit, room)
                book.add(about, batch, *outcome)
                found.put(at, *outcome)
    return found


def choose_orders(loaded: "Loaded", against: Sequence[str]) -> list[Order]:
    """Return the champion's order and those of some names, or all; raises UsageError for an unknown name."""
    known = orders(loaded)
    names = [one.name for one in known]
    for name in against:
        if name not in names:
            reject("against", name, f"orders of {loaded.cast.spec.name}: {', '.join(names)}")
    return [one for one in known if not against or one.name in (*against, CHAMPION)]


def _solve(
    search: Search, order: Order, batch: Instances, limit: int, room: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, np.ndarray]:
    """Search M instances, at most `room` of them, and prove the solutions.

    Returns:
        bool[M], whether each was solved; nodes int[M]; moves int[M] of the solutions; seconds for each; int[M], nodes
        expanded.
    """
    begin = time.perf_counter()
    made = search(*_padded(batch, limit, room))
    number = len(batch.names)
    found = jax.device_get((made.solved, made.nodes, made.length, made.expanded))
    solved, nodes, length, expanded = (x[:number] for x in found)
    seconds = (time.perf_counter() - begin) / number
    prove(order, batch, solved, length, np.asarray(made.moves))
    return solved, nodes, length, seconds, expanded


def prove(order: Order, batch: Instances, solved: np.ndarray, length: np.ndarray, moves: np.ndarray) -> None:
    """Play the solutions of a batch by a program apart from the search; raises RuntimeError where one is none."""
    suites = order.cast.spec.instances
    if suites is None:  # nobody apart from the search knows the puzzle
        return
    for number in np.flatnonzero(solved):
        state = jax.tree.map(lambda x, number=number: x[number], batch.states)
        try:
            suites.prove(order.cast.game, state, moves[number, : length[number]].tolist())
        except ValueError as error:
            raise RuntimeError(f"the search of {batch.names[number]} by {order.name} is wrong: {error}") from error


def _so_far(suite: str, name: str, found: instances.Searched) -> str:
    """Say how far the searches of a suite are."""
    done, solved = int(found.done.sum()), int(found.solved.sum())
    return f"Solving {suite} by {name}: {done:,} of {len(found.done):,} searched, {solved:,} solved"


def orders(loaded: "Loaded") -> list[Order]:
    """Return all orders of moves: the reference search first, the champion last."""
    own = loaded.cast
    alone = [own.actor.reference, UNGUIDED] if own.actor.differs else [own.actor.reference]
    fixed = [Order(name, *_fixed(own, name)) for name in own.spec.strategies]
    return [*(Order(name, own) for name in alone), *fixed, Order(CHAMPION, own, loaded.content.text)]


def searches(champions: "Sequence[Loaded]", room: int) -> Callable[[Order], Search]:
    """Return what compiles the search of `room` instances with one of the `orders` of champions of one puzzle."""
    # One capacity for all, so that those of one role with the same settings share a compiled program.
    capacity = max(len(one.text.replace("(", " ").split()) for loaded in champions for one in orders(loaded))
    compiled: dict[object, Callable[..., Solutions]] = {}
    states = jax.tree.map(lambda x: jnp.asarray(np.broadcast_to(x[None], (room, *x.shape))), _first(champions[0]))
    limits = jnp.zeros(room, jnp.int32)

    def ready(order: Order) -> Search:
        actor: Solver = order.cast.actor
        if not order.text:
            alone = actor.unguided if order.name == UNGUIDED else actor.baseline
            with waiting(f"Compiling {order.name} search"):
                return jax.jit(lambda limits, states: alone(states, limits)).lower(limits, states).compile()
        genome = languages.parse(order.cast.language, order.text, capacity)
        genome = jax.tree.map(lambda x: jnp.asarray(x)[None], genome)
        settings = tuple(order.cast.program.items())
        if settings not in compiled:
            with waiting(f"Compiling the searches of {order.name}"):
                compiled[settings] = _compiled(actor, genome, limits, states)
        return partial(compiled[settings], genome)

    return ready


def _compiled(actor: Solver, genome: object, limits: jax.Array, states: object) -> Callable[..., Solutions]:
    def solve(genome: object, limits: jax.Array, states: object) -> Solutions:
        return actor.solve(actor.prepare(genome), jnp.zeros(len(limits), jnp.int32), states, limits)

    return jax.jit(solve).lower(genome, limits, states).compile()


def _first(loaded: "Loaded") -> object:
    return jax.tree.map(np.asarray, loaded.cast.game.init(jax.random.key(0)))


def _fixed(own: Cast, name: str) -> tuple[Cast, str]:
    """Return the role of a fixed order, which searches as another cast does, and its text."""
    found = own.spec.strategy_of(name, own.game)
    assert isinstance(found, Strategy)
    given = {one.name: getattr(found.options, one.name) for one in list_options(found.options)}
    shared = {key: value for key, value in own.program.items() if key in given and key not in found.own}
    return cast(own.spec, own.game, found.role, None, given | shared), found.text


def _padded(some: Instances, limit: int, room: int) -> tuple[jax.Array, object]:
    """Return limits int32[room] and instances [room]; those beyond the last one end at once."""
    number = len(some.names)
    limits = np.where(np.arange(room) < number, limit, 1).astype(np.int32)
    index = np.minimum(np.arange(room), number - 1)
    return jnp.asarray(limits), jax.tree.map(lambda x: jnp.asarray(x[index]), some.states)


def figures(names: tuple[str, ...], found: instances.Searched, reference: np.ndarray | None) -> Figures:
    """Summarise N searches.

    Args:
        names: of the instances, N.
        found: what the searches found.
        reference: int[N], nodes of the reference search; None: not known.
    """
    from jaxgp.statistics.intervals import wilson

    number, solved, nodes, length = len(names), found.solved, found.nodes, found.length
    counted = found.expanded if (found.expanded >= 0).all() else None
    share, low, high = (None, None, None) if reference is None else _share(nodes, solved, reference)
    solved_low, solved_high = wilson(int(solved.sum()), number)
    return Figures(
        instances=number,
        solved=int(solved.sum()),
        solved_low=solved_low,
        solved_high=solved_high,
        nodes=float(nodes.mean()),
        median=float(np.median(nodes)),
        share=share,
        low=low,
        high=high,
        length=float(length[solved].mean()) if solved.any() else None,
        seconds=float(found.seconds.sum()),
        expanded=None if counted is None else float(counted.mean()),
        expanded_median=None if counted is None else float(np.median(counted)),
        each={
            name: (int(n), int(moves) if done else None)
            for name, n, moves, done in zip(names, nodes, length, solved, strict=True)
        },
    )


def _share(nodes: np.ndarray, solved: np.ndarray, reference: np.ndarray) -> tuple[float, float | None, float | None]:
    """Return the mean share of the nodes of the reference search, and its 95 % interval by Student's t."""
    from jaxgp.statistics.intervals import student

    share = nodes / np.maximum(reference, 1)
    share = np.where(solved, share, np.maximum(share, 1))  # giving up early is no merit
    return student(share)


def as_json(report: Mapping[str, Mapping[str, Figures]]) -> Json:
    """Return the figures by suite and order."""
    return {suite: {name: asdict(one) for name, one in rows.items()} for suite, rows in report.items()}


COLUMNS = ("number", "solved", "95 %", "nodes", "median", "expanded", "share", "95 %", "moves", "seconds")


def text(report: Mapping[str, Mapping[str, Figures]]) -> str:
    """Draw the figures as a table for each suite."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=148, record=True, file=io.StringIO())
    for suite, rows in report.items():
        table = Table(title=Text(one_line(suite)), title_justify="left")
        table.add_column("order of moves")
        for column in COLUMNS:
            table.add_column(column, justify="right")
        for name, row in rows.items():
            between = "" if row.low is None or row.high is None else _between(row.low, row.high)
            table.add_row(
                name,
                str(row.instances),
                f"{100 * row.solved / row.instances:.1f} %",
                _between(row.solved_low, row.solved_high),
                f"{row.nodes:,.0f}",
                f"{row.median:,.0f}",
                "-" if row.expanded is None else f"{row.expanded:,.0f}",
                "-" if row.share is None else f"{100 * row.share:.1f} %",
                between,
                "-" if row.length is None else f"{row.length:.1f}",
                f"{row.seconds:.2f}",
            )
        console.print(table)
    return console.export_text().rstrip()


def _between(low: float, high: float) -> str:
    return f"{100 * low:.1f} - {100 * high:.1f}"


def check_instance(asked: Mapping[str, object], own: Cast) -> None:
    """Refuse the setting that names the instance of a puzzle, where suites name them; raises UsageError."""
    instance = own.spec.instance
    if instance is not None and instance in asked:
        reject(f"game.{instance}", asked[instance], "nothing here; suite=NAME says which instances are searched")


def suites_of(own: Cast, name: str | None, split: str, option: str = "suite") -> dict[str, Instances]:
    """Return one side of a suite, or of every suite of the game, by name; raises UsageError where it is empty."""
    spec = own.spec
    names = [name] if name is not None else spec.suites(own.game) or [None]
    found = {one or "": choose_split(instances_of(option, one, own), split) for one in names}
    for one, some in found.items():
        if not some.names:
            raise UsageError(f"{option}={one}: no instance of it is kept for split={split}; accepted: split=all")
    return found
