"""Languages in which terminals can be turned off: programs of one set, and of the same set with further terminals.

Programs see further features, by which a terminal can be replaced: by nothing, by one of the values that it takes, or
by its value at another position. These two look random, and are functions of what the program sees: the same position
gives the same value, so that games can be played again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.anatomy.nodes import Forest, Node, write_trees
from jaxgp.anatomy.positions import Decider
from jaxgp.anatomy.simpler.simplify import trees_of
from jaxgp.bits import finalise
from jaxgp.errors import UsageError, reject
from jaxgp.games.casting import Cast
from jaxgp.genotypes.primitives import (
    FLOAT,
    Domain,
    Integers,
    Levels,
    Points,
    Primitive,
    PrimitiveSet,
)
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import Features, Packed, apply
from jaxgp.players.greedy import ChosenPlayer, GreedyPlayer
from jaxgp.players.program import ProgramPlayer
from jaxgp.players.searched import SearchedPlayer
from jaxgp.players.solver import ByProgram, ProgramSolver

SAMPLES = 1024
"""Positions at which the values of terminals are looked at."""
SHOWN = 3
"""Of a terminal with a parameter, how many of its parameters are measured alone."""
LARGEST = 2
"""Nodes of a tree of one terminal and its sign."""
NOTHING, NOISE, NEGATIVE = "nothing", "noise", "negative"
Seen = Features


class Alterable(Protocol):
    """A game whose genomes can have their terminals turned off.

    Attributes:
        actor: how genomes play that may have.
        names: the terminals that can be turned off.
        counted: what `uses` returns, `uses` or `weight`.
    """

    @property
    def actor(self) -> Any: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def counted(self) -> str: ...

    def widened(self, program: Programs) -> Programs:
        """Return a genome of the champion's set, [T, L], as `actor` plays it."""

    def disabled(self, program: Programs, name: str, way: str) -> Programs | None:
        """Return a genome of the champion's set without what a terminal says; None if it does not use it.

        Args:
            program: [T, L].
            name: of the terminal.
            way: `zero`, `random`, or `elsewhere`.
        """

    def alone(self, name: str) -> Iterator[tuple[str, int, Programs]]:
        """Yield genomes of one terminal: what they are called, their sign, and the genome."""

    def random(self) -> Programs:
        """Return the genome that values positions at random."""

    def uses(self, program: Programs) -> dict[str, float]:
        """Return how often a genome of the champion's set uses each terminal, or the weight that it gives it."""


@dataclass(frozen=True)
class Altered:
    """An `Alterable` of programs.

    Attributes:
        own: the set that the champion is written in.
        primitives: the same with further terminals.
        actor: how programs of the larger set play.
        names: the terminals that can be turned off.
    """

    own: PrimitiveSet
    primitives: PrimitiveSet
    actor: Any
    names: tuple[str, ...]
    counted: str = "uses"

    @property
    def shift(self) -> int:
        """How many codes the functions have moved by."""
        return self.primitives.num_terminals - self.own.num_terminals

    @cached_property
    def forest(self) -> Forest:
        return Forest(self.primitives)

    def widened(self, program: Programs) -> Programs:
        """See `Alterable`."""
        codes = np.asarray(program.opcode)
        moved = np.where(codes < self.own.num_terminals, codes, codes + self.shift).astype(codes.dtype)
        return replace(program, opcode=jnp.asarray(moved))

    def disabled(self, program: Programs, name: str, way: str) -> Programs | None:
        """See `Alterable`."""
        codes = np.asarray(program.opcode)
        live = np.arange(codes.shape[-1]) < np.asarray(program.length)[..., None]
        found = live & (codes == self.own.opcode(name))
        if not found.any():
            return None
        instead = self.primitives.opcode(NOTHING if way == "zero" else f"{name}~{way}")
        wide, value = self.widened(program), np.asarray(program.value)
        if not self.own.factors[self.own.opcode(name)]:  # a factor stays, a parameter goes
            value = np.where(found, 0, value).astype(value.dtype)
        changed = np.where(found, instead, wide.opcode).astype(codes.dtype)
        return replace(wide, value=jnp.asarray(value), opcode=jnp.asarray(changed))

    def alone(self, name: str) -> Iterator[tuple[str, int, Programs]]:
        """See `Alterable`.

        Each tree that takes the terminal is the terminal; the others are nothing. One with a parameter is there with
        several.
        """
        primitive = self.own.primitives[self.own.opcode(name)]
        values = [None] if primitive.domain is None else _spread(primitive.domain)
        for value in values:
            said = name if value is None else f"{name} {_parameter(primitive.domain, value)}"
            leaf = self.forest.node(self.primitives.opcode(name), (), value)
            negative = self.forest.node(self.primitives.opcode(NEGATIVE), (leaf,))
            for sign, root in ((1, leaf), (-1, negative)):
                yield said, sign, self.trees(primitive.returns, root)

    def random(self) -> Programs:
        """See `Alterable`."""
        leaf = self.forest.node(self.primitives.opcode(NOISE))
        return write_trees([leaf] * self.own.num_trees, LARGEST)

    def uses(self, program: Programs) -> dict[str, float]:
        """See `Alterable`."""
        found: dict[str, float] = {}
        for tree in trees_of(program):
            for code in np.asarray(tree.opcode)[: int(tree.length)]:
                if code < self.own.num_terminals:
                    name = self.own.primitives[int(code)].name
                    found[name] = found.get(name, 0) + 1
        return found

    def trees(self, kind: str, root: Node) -> Programs:
        """Return an individual whose trees are `root` where they take a value of this type, and else nothing."""
        takes = self.own.accepts[self.own.root_type, self.own.types.index(kind)]
        nothing = self.forest.node(self.primitives.opcode(NOTHING))
        return write_trees([root if one else nothing for one in takes], LARGEST)


def alter(cast: Cast, program: Programs, seed: int) -> Altered:
    """Return the game of a champion with terminals that can be turned off.

    Args:
        cast: the game, and how its programs play it.
        program: a champion, which plays some of the games in which values of terminals are looked at.
        seed: of these games, and of values that look random.

    Raises:
        UsageError: programs of this game are walked through, guide a search, or have no terminals that see.
    """
    own, actor = cast.language, cast.actor
    if not isinstance(own, PrimitiveSet):
        raise UsageError("run: its champion is not a program; accepted: a champion that is a program")
    board = Decider(cast, program)
    if board.guides or (isinstance(actor, SearchedPlayer) and actor.top is not None):
        raise UsageError(f"run: programs of {cast.game.name} see no positions; accepted: programs that value them")
    states = board.positions(SAMPLES, seed)
    if len(states.to_move) < 2:
        raise UsageError(f"run: no two positions of {cast.game.name} with a choice of moves were met")
    return extended(own, actor, board.features(states, seed), seed)


def extended(own: PrimitiveSet, actor: Any, seen: np.ndarray, seed: int) -> Altered:
    """Return a game whose programs see further features, by which terminals can be replaced.

    Args:
        own: the set of its programs.
        actor: how they play.
        seen: float32[F, N], what they see at positions at which values of terminals are looked at.
        seed: of values that look random.

    Raises:
        UsageError: programs have no terminals that see.
    """
    rng = np.random.default_rng(seed)
    sees = [p for p in own.terminals if not (p.is_constant or p.fixed is not None or p.numbered)]
    if not sees:
        raise UsageError(f"run: no terminal of {own.name} sees anything")
    first, table, factors = seen.shape[0], *replacements((_values(p, seen, rng) for p in sees), seen.shape[0], rng)
    added = [Primitive(NOTHING, fixed=0.0), Primitive(NOISE, feature=first)]
    for number, p in enumerate(sees):
        for place, way in enumerate(("random", "elsewhere"), 1):
            added.append(Primitive(f"{p.name}~{way}", p.returns, feature=first + 2 * number + place))
    negative = Primitive(NEGATIVE, FLOAT, (FLOAT,), lambda x: -x)
    primitives = replace(
        own,
        name=f"{own.name}-altered",
        terminals=(*own.terminals, *added),
        functions=(*own.functions, negative),
        sums=(),
    )
    return Altered(own, primitives, _seeing(actor, primitives, further(table, factors)), tuple(p.name for p in sees))


def replacements(
    values: Iterable[np.ndarray], features: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `further` draws features from.

    Args:
        values: float32[N] of each of K terminals, at positions.
        features: how many numbers programs see of a position.
        rng: draws.

    Returns:
        float32[1 + 2K, S]: random numbers, then of each terminal values that it takes, each as often, and its values at
        other positions; and the odd factors of the code of a position, uint32[features].
    """
    rows = [rng.random(SAMPLES)]
    for each in map(np.nan_to_num, values):
        rows += [rng.choice(np.unique(each), SAMPLES), rng.choice(each, SAMPLES)]
    return np.stack(rows).astype(np.float32), (rng.integers(0, 2**32, features, np.uint32) | 1).astype(np.uint32)


def check_names(option: str, given: Sequence[str], altered: Alterable) -> tuple[str, ...]:
    """Return the terminals that are asked for, all for none; raises UsageError."""
    for name in given:
        if name not in altered.names:
            reject(option, name, ", ".join(altered.names))
    return tuple(given) or altered.names


def _values(p: Primitive, seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return float32[N], the values of a terminal at positions; parameters are drawn."""
    if p.feature is not None:
        return seen[p.feature]
    assert p.domain is not None
    spread = np.array([_drawn(p.domain, rng) for _ in range(seen.shape[1])], np.float32)
    return np.asarray(apply(p, jnp.asarray(seen), [jnp.asarray(spread)]))


def _drawn(domain: Domain, rng: np.random.Generator) -> float:
    """Return a number of a domain."""
    if isinstance(domain, Integers):
        return float(rng.integers(domain.low, domain.high + 1))
    return float(rng.choice(domain.values) if isinstance(domain, Levels) else rng.uniform(domain.low, domain.high))


def _spread(domain: Domain) -> list[float]:
    """Return a few numbers of a domain, the ends among them."""
    if isinstance(domain, Levels):
        return sorted({float(np.quantile(domain.values, at, method="nearest")) for at in np.linspace(0, 1, SHOWN)})
    values = np.linspace(domain.low, domain.high, SHOWN)
    return sorted({float(x) for x in (np.round(values) if isinstance(domain, Integers) else values)})


def _parameter(domain: Domain | None, value: float) -> str:
    """Return a parameter as programs are written."""
    return "[{},{}]".format(*domain.point(value)) if isinstance(domain, Points) else f"{value:g}"


def further(table: np.ndarray, factors: np.ndarray) -> Callable[[Seen], Seen]:
    """Return what adds features that look random, drawn from a table, float32[R, S], to features."""
    count, size = table.shape

    def add(seen: Seen) -> Seen:
        numbers = seen.numbers if isinstance(seen, Packed) else seen
        words = [seen.words] if isinstance(seen, Packed) else []
        code = jnp.zeros(numbers.shape[1:], jnp.uint32)
        at = 0
        # A zero of either sign is one value.
        for part in (*words, lax.bitcast_convert_type((numbers + 0.0).astype(jnp.float32), jnp.uint32)):
            shape = (-1, *[1] * (part.ndim - 1))
            code += (part * jnp.asarray(factors[at : at + len(part)]).reshape(shape)).sum(0, dtype=jnp.uint32)
            at += len(part)
        row = np.arange(count).reshape(-1, *[1] * code.ndim)
        drawn = finalise(code + (row + 1).astype(np.uint32) * np.uint32(0x9E3779B9)) % np.uint32(size)
        further = jnp.asarray(table)[row, drawn.astype(jnp.int32)].astype(numbers.dtype)
        joined = jnp.concatenate([numbers, further])
        return Packed(seen.words, joined) if isinstance(seen, Packed) else joined

    return add


def _seeing(actor: Any, primitives: PrimitiveSet, add: Callable[[Seen], Seen]) -> Any:
    """Return a player whose programs see further features."""
    if isinstance(actor, GreedyPlayer):
        outcome = actor.outcome

        def tried(state: Any, place: Array) -> tuple[Array, Array]:
            move, seen = outcome(state, place)
            return move, jnp.asarray(add(seen))

        return replace(actor, primitives=primitives, outcome=tried)
    if isinstance(actor, ProgramSolver):
        valued = actor.valued
        assert isinstance(valued, ByProgram)
        return replace(actor, valued=replace(valued, primitives=primitives, view=lambda child: add(valued.view(child))))
    if isinstance(actor, ProgramPlayer):
        features = actor.features
        return replace(actor, primitives=primitives, features=lambda state: jnp.asarray(add(features(state))))
    assert isinstance(actor, ChosenPlayer | SearchedPlayer)
    view = actor.view
    return replace(actor, primitives=primitives, view=lambda outcome: add(view(outcome)))


def padded(programs: Sequence[Programs]) -> Programs:
    """Return individuals [T, L] of any L as one population, [P, T, L]."""
    most = max(one.opcode.shape[-1] for one in programs)
    room = -(-most // 64) * 64

    def wide(x: Any) -> np.ndarray:
        x = np.asarray(x)
        return np.pad(x, [(0, 0), (0, room - x.shape[-1])]) if x.ndim == 2 else x

    return jax.tree.map(lambda *xs: np.stack(xs), *(jax.tree.map(wide, one) for one in programs))
