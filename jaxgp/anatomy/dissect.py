"""From a champion to its anatomy: introns, a simpler program, and the proof that both decide equally."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import jax
import numpy as np

from jaxgp.anatomy import introns
from jaxgp.anatomy.introns import Introns
from jaxgp.anatomy.positions import SHALLOW, Decider
from jaxgp.anatomy.simpler import simplify
from jaxgp.anatomy.simpler.simplify import Step, same, trees_of
from jaxgp.anatomy.trace import Tracer, Tree
from jaxgp.anatomy.walks import Walks
from jaxgp.contracts import States
from jaxgp.errors import UsageError, reject
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.measure.champions import Loaded
from jaxgp.players.alone.walk import Walker
from jaxgp.report.waiting import waiting

Say = Callable[[str], None]
MOST_VALUES = 200_000_000
"""Nodes times positions: a float32 is kept for each."""
ACCEPTED = "a champion that is a program"
ONE_GAME = (
    "in its one game",
    "It plays this game only, so what is proved holds for it whatever comes.",
    "moves of its game",
)


@dataclass(frozen=True)
class Equality:
    """How a simpler program compares with the original.

    Attributes:
        positions: how many were compared.
        decisions: at how many both decide the same.
        values: at how many both have the same values, bit for bit but for the sign of zero; None: there are no values.
        first: the first disagreement that a change met which was taken back, in words; None: there was none.
    """

    positions: int
    decisions: int
    values: int | None
    first: str | None = None


@dataclass(frozen=True)
class Anatomy:
    """What a champion consists of.

    Attributes:
        champion: the champion.
        where: where introns were looked for, as in "at 10,000 positions".
        what: what that is, in a sentence.
        compared: what both programs are compared in, as in "decisions".
        trees: the introns of each tree.
        simpler: the simpler program, [T, L]; None: not made yet.
        steps: how it was made.
        equality: how it compares with the champion; None: not made yet.
    """

    champion: Loaded
    where: str
    what: str
    compared: str
    trees: tuple[Introns, ...]
    simpler: Programs | None = None
    steps: list[Step] = field(default_factory=list)
    equality: Equality | None = None


def check(champion: Loaded, positions: int) -> None:
    """Refuse a champion that is no program or plays in an unknown way, and too much memory; raises UsageError."""
    if not isinstance(champion.cast.language, PrimitiveSet):
        unit = champion.content.unit
        raise UsageError(f"run={champion.path}: its champion is made of {unit}; accepted: {ACCEPTED}")
    if isinstance(champion.cast.actor, Walker):
        return
    Decider(champion.cast, champion.genome)
    most = max(1, MOST_VALUES // champion.content.size)
    if positions > most:
        reject("positions", positions, f"up to {most} for this champion of {champion.content.size} nodes")


def dissect(champion: Loaded, positions: int, seed: int, keep: Callable[[Anatomy], object]) -> Anatomy:
    """Find the introns of a champion, and a simpler program.

    Args:
        champion: a champion that `check` accepts.
        positions: at which introns are looked for; the simpler program is checked at as many others.
        seed: of the games that the positions are from, and of what values are replaced by.
        keep: called with the introns, before a simpler program is looked for.
    """
    if isinstance(champion.cast.actor, Walker):
        return _walked(champion, seed, keep)
    program, language = champion.genome, champion.cast.language
    board = Decider(champion.cast, program)
    seen, judge, scene = _scenes(board, positions, seed)
    tracer = Tracer(language, seen, seed)
    with waiting("Looking for introns"):
        trees = tuple(introns.find(tracer, Tree.of(language, tree)) for tree in trees_of(program))
    found = Anatomy(champion, *scene, trees)
    keep(found)
    with waiting("Simplifying, and comparing decisions"):
        simpler, steps = simplify.simplify(language, program, tracer, judge.values_hold, judge.decisions_hold)
        return replace(found, simpler=simpler, steps=steps, equality=judge.equality(simpler))


def _walked(champion: Loaded, seed: int, keep: Callable[[Anatomy], object]) -> Anatomy:
    """Dissect a program that is walked through, in the one game that it plays."""
    walks = Walks(champion.cast, champion.genome, seed)
    with waiting("Looking for introns"):
        found = Anatomy(champion, *ONE_GAME, (walks.introns(),))
    keep(found)
    with waiting("Simplifying, and comparing games"):
        simpler, steps = walks.simplify(found.trees[0])
    moves = walks.moves(simpler)
    equal = sum(a == b for a, b in zip(moves, walks.original, strict=False))
    most = max(len(moves), len(walks.original))
    return replace(found, simpler=simpler, steps=steps, equality=Equality(most, equal, None))


def _scenes(board: Decider, count: int, seed: int) -> tuple[np.ndarray, "Judge", tuple[str, str, str]]:
    """Return what programs see where introns are looked for, float32[F, N], the judge, and `Anatomy`'s words for it."""
    if board.guides:
        seen = board.features(None)
        what = "These are all kinds of moves that there are, so what is found holds in every game."
        return seen, Judge(board, None, seen), (f"for {seen.shape[1]:,} kinds of moves", what, "values")
    with waiting("Playing for positions"):
        states = board.positions(2 * count, seed)
    found = len(states.to_move)
    if found < 2:
        raise UsageError(f"run: no two positions of {board.cast.game.name} with a choice of moves were met")
    first, rest = (_part(states, half) for half in (slice(0, found // 2), slice(found // 2, found)))
    short = "" if board.shallow is board.cast.actor else f", searching {SHALLOW} plies,"
    what = (
        "The positions are distinct ones with a choice of moves, from random games and from games of the champion"
        f"{short} against random moves."
    )
    words = f"at {found // 2:,} positions", what, "decisions at other positions"
    return board.features(first, seed), Judge(board, rest, board.features(rest, seed + 1)), words


def _part(states: States, rows: slice) -> States:
    return jax.tree.map(lambda x: x[rows], states)


class Judge:
    """Compares programs with the champion at positions of its own.

    Attributes:
        first: the first disagreement that was met, in words.
    """

    def __init__(self, board: Decider, states: States, features: np.ndarray) -> None:
        self._board, self._states, self._features = board, states, features
        self._values = np.asarray(board.values(board.program, features))
        self._decisions = board.decisions(board.program, states)
        self.first: str | None = None

    def _equal_values(self, program: Programs) -> np.ndarray:
        """Return bool[N]: where a program has the values of the champion."""
        return np.asarray(same(np.asarray(self._board.values(program, self._features)), self._values).all(0))

    def _equal_decisions(self, program: Programs) -> np.ndarray:
        """Return bool[N]: where a program decides as the champion does."""
        equal = same(self._board.decisions(program, self._states), self._decisions)
        return np.asarray(equal.reshape(len(equal), -1).all(1))

    def values_hold(self, program: Programs) -> bool:
        """Return whether a program has the values of the champion at every position."""
        return bool(self._equal_values(program).all())

    def decisions_hold(self, program: Programs) -> bool:
        """Return whether a program decides as the champion does at every position; note the first disagreement."""
        equal = self._equal_decisions(program)
        if self.first is None and not equal.all():
            self.first = self._told(int(np.argmin(equal)), program)
        return bool(equal.all())

    def _told(self, at: int, program: Programs) -> str:
        old, new = (self._decisions[at], self._board.decisions(program, self._states)[at])
        if self._board.guides:
            return f"kind {at}: the champion's value is {old}, that of the changed program {new}"
        cast = self._board.cast
        names = [cast.spec.notation.action_name(cast.game, int(one[0])) for one in (old, new)]
        return f"position {at}: the champion plays {names[0]}, the changed program {names[1]}"

    def equality(self, program: Programs) -> Equality:
        """Compare a program with the champion."""
        decisions, values = self._equal_decisions(program), self._equal_values(program)
        return Equality(len(decisions), int(decisions.sum()), int(values.sum()), self.first)
