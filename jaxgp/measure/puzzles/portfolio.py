"""Champions of a puzzle one after the other: each searches the instances that those before it have not solved.

A search that finds nothing within a few nodes often needs very many, while another champion needs few for the same
instance. So it is tried first with a low limit by every champion, then with the next higher one, and so on (C. Gomes,
B. Selman, "Algorithm portfolios", Artificial Intelligence 126, 2001). The nodes of all searches of an instance count,
those in vain too.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial

import numpy as np

from jaxgp.contracts import Solver
from jaxgp.errors import UsageError
from jaxgp.files import Json
from jaxgp.measure import champions
from jaxgp.measure.champions import Loaded
from jaxgp.measure.puzzles import instances, solving
from jaxgp.options import list_options
from jaxgp.printable import one_line
from jaxgp.spec import Instances

ROOM = "room"
"""The setting of roles whose searches keep all positions: how many."""


@dataclass(frozen=True)
class Stage:
    """One champion with one limit.

    Attributes:
        name: what figures call it.
        champion: whose search it is.
        limit: nodes at which it gives up.
    """

    name: str
    champion: Loaded
    limit: int


@dataclass(frozen=True)
class Tried:
    """What one stage did.

    Attributes:
        name: of the stage.
        limit: nodes at which its searches gave up.
        tried: instances that it searched.
        solved: how many of them it solved.
        nodes: mean nodes of its searches; 0 if there were none.
    """

    name: str
    limit: int
    tried: int
    solved: int
    nodes: float


def stages(named: Sequence[tuple[str, Loaded]], limits: Sequence[int], in_turn: bool = False) -> list[Stage]:
    """Return the stages: all champions with the first limit, all with the second one, and so on.

    A search that keeps all positions has room for as many as its limit allows it to meet, if the role has that much.

    Args:
        named: champions and their names, at least one.
        limits: nodes, at least one limit, ascending.
        in_turn: whether each champion has one stage alone, with the limit in its place; as many limits as champions.
    """
    tried = zip(named, limits, strict=True) if in_turn else ((one, limit) for limit in limits for one in named)
    return [Stage(name, _with_room(one, limit), limit) for (name, one), limit in tried]


def check_alike(named: Sequence[tuple[str, Loaded]]) -> None:
    """Refuse a champion that searches no puzzle, or another one than the first champion; raises UsageError."""
    first = named[0][1].cast.game
    for name, one in named:
        if not isinstance(one.cast.actor, Solver):
            raise UsageError(
                f"runs: {name}: {one.cast.spec.name} is no puzzle; accepted: champions that steer a search"
            )
        if one.cast.game != first:
            raise UsageError(f"runs: {name} is of another game, or other settings of it, than {named[0][0]}")


def _with_room(loaded: Loaded, limit: int) -> Loaded:
    """Return a champion whose searches can keep as many positions as they meet nodes, where the role keeps them."""
    role = loaded.cast.role
    room = next((one for one in list_options(role.options) if one.name == ROOM), None) if role is not None else None
    if room is None or limit <= loaded.cast.program[ROOM]:
        return loaded
    most = room.limits.high
    assert isinstance(most, int)
    return champions.with_program(loaded, {ROOM: min(1 << (limit - 1).bit_length(), most)})


def combine_stages(number: int, searches: Iterable[Callable[[np.ndarray], instances.Searched]]) -> instances.Searched:
    """Return what stages find for N instances together.

    Args:
        number: N.
        searches: each searches the instances that are left: their places, int[M] -> what it finds for them, [M].
    """
    found, left = instances.Searched.nothing(number), np.arange(number)
    for search in searches:
        made = search(left)
        nodes, seconds = found.nodes[left] + made.nodes, found.seconds[left] + made.seconds
        # Where one search does not count the nodes that it expands, their sum is not known.
        unknown = (found.expanded[left] < 0) | (made.expanded < 0)
        expanded = np.where(unknown, -1, found.expanded[left] + made.expanded)
        found.put(left, made.solved, nodes, made.length, seconds, expanded)
        left = left[~made.solved]
    return found


Searcher = Callable[[Stage, np.ndarray], instances.Searched]
"""(stage, places of instances int[M]) -> what it finds for them, [M]."""


def make_searcher(
    searching: Sequence[Loaded],
    suite: str,
    some: Instances,
    batch: int,
    book: instances.Book,
    say: Callable[[str], object] = print,
) -> Searcher:
    """Return what searches some instances of a suite by a stage.

    Args:
        searching: the champions of all stages.
        suite: its name.
        some: its instances, N.
        batch: the most instances that are searched at once.
        book: the searches that are there already, and where the others are kept.
        say: told what comes next.
    """
    room = min(batch, len(some.names))
    ready = solving.searches(searching, room)

    def search(stage: Stage, left: np.ndarray) -> instances.Searched:
        if not len(left):
            return instances.Searched.nothing(0)
        order = solving.orders(stage.champion)[-1]
        say(f"{stage.name}, {stage.limit:,} nodes: {len(left):,} instances")
        compiled = cache(partial(ready, order))
        return solving.solve_by_order(compiled, order, (suite, solving.part(some, left)), stage.limit, room, book, say)

    return search


def search_in_stages(plan: Sequence[Stage], search: Searcher, number: int) -> tuple[instances.Searched, list[Tried]]:
    """Search N instances in stages.

    Args:
        plan: the stages.
        search: searches some of the instances by one of them.
        number: N.

    Returns:
        What the stages found together, and what each of them did.
    """
    told = []

    def carry_out(stage: Stage, left: np.ndarray) -> instances.Searched:
        found = search(stage, left)
        if len(left):
            told.append(Tried(stage.name, stage.limit, len(left), int(found.solved.sum()), float(found.nodes.mean())))
        return found

    return combine_stages(number, (partial(carry_out, stage) for stage in plan)), told


def search_alone(plan: Sequence[Stage], search: Searcher, number: int) -> list[instances.Searched]:
    """Return what each stage finds for all of N instances, not only for those that others leave.

    A champion searches with its next higher limit what it has not solved with the one before. What it has solved it
    solves alike with a higher limit.

    Args:
        plan: stages; those of one champion have ascending limits.
        search: searches some of the instances by one of them.
        number: N.
    """
    alone: list[instances.Searched] = []
    last: dict[str, instances.Searched] = {}
    for stage in plan:
        before = last.get(stage.name, instances.Searched.nothing(number))
        left = np.flatnonzero(~before.solved)
        found, made = before.take(np.arange(number)), search(stage, left)
        found.put(left, made.solved, made.nodes, made.length, made.seconds, made.expanded)
        last[stage.name] = found
        alone.append(found)
    return alone


def list_missed(figures: solving.Figures) -> list[str]:
    """Return the names of the instances that no stage has solved."""
    return [name for name, (_, moves) in figures.each.items() if moves is None]


def as_json(figures: solving.Figures, tried: Sequence[Tried]) -> Json:
    """Return the figures of all stages together, and those of each."""
    return {"together": asdict(figures), "stages": [asdict(one) for one in tried]}


def lines(figures: solving.Figures, tried: Sequence[Tried]) -> Iterator[str]:
    """Say what each stage did, and what all of them did together."""
    for one in tried:
        share = f"{one.solved:,} of {one.tried:,} solved"
        yield f"{one_line(one.name)}, {one.limit:,} nodes at most: {share}, {one.nodes:,.0f} nodes on average"
    share = f"{100 * figures.solved / figures.instances:.3f} %"
    between = f"95 % {100 * figures.solved_low:.3f} to {100 * figures.solved_high:.3f}"
    yield f"together: {figures.solved:,} of {figures.instances:,} solved ({share}, {between})"
    moves = "" if figures.length is None else f", {figures.length:.1f} moves"
    opened = "" if figures.expanded is None else f", {figures.expanded:,.1f} expanded"
    yield f"nodes {figures.nodes:,.0f} on average, median {figures.median:,.0f}{opened}{moves}; {figures.seconds:.1f} s"
