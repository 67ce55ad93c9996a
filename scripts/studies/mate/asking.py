"""Provers whose moves plain C++ makes: pairs of an individual and a problem, each distinct one written once."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import jax
import numpy as np
from jax import Array
from jax.experimental.buffer_callback import buffer_callback

from envs.mate import notation
from envs.mate.rules import Mate
from jaxgp.arrays import take
from jaxgp.contracts import Plans, Prover, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.text import print_program
from jaxgp.players.problems.prover import ProgramProver

Lanes = TypeVar("Lanes", bound=Prover[Any])


class Question(NamedTuple):
    """N pairs of an individual and a problem."""

    texts: list[str]  # of distinct individuals
    posed: list[str]  # distinct problems, in FEN
    own: list[int]  # of each pair, its individual among these
    which: list[int]  # its problem
    lengths: list[int]  # its n
    limits: list[int]  # the most nodes


@dataclass(frozen=True)
class Plain(Prover[Plans], Generic[Plans, Lanes]):
    """A `Prover` whose moves `rivals/plain` makes, one pair after the other.

    Attributes:
        primitives: the language.
        problem: the rules.
        lanes: would search the same problems.
        words: how it searches, in the words of `rivals.plain.mate`.
        limit: the most nodes of a search.
        rest: what is kept of a search: its type, and what it is of a search that may make no move.
    """

    rest: ClassVar[dict[str, tuple[type[np.generic], Any]]]

    primitives: PrimitiveSet
    problem: Mate
    lanes: Lanes
    words: tuple[str, ...]
    limit: int = ProgramProver.limit

    @abstractmethod
    def searched(self, asked: Question) -> Sequence[Any]: ...  # What each pair has come to: attributes named in `rest`.
    def written(self, individual: Any) -> str:
        """Return an individual as C++ reads it."""
        return print_program(self.primitives, individual)

    def found(self, individuals: Any, whose: Array, states: States, limits: Array) -> dict[str, Array]:
        """Return by the names of `rest`, [Q] each, what `individuals` [P, ...] come to; see `jaxgp.contracts.Prover`.

        Buffers are read where they lie: `jax.pure_callback` copies arguments by threads that may all be waiting for it.
        """

        def answer(context: Any, out: Any, *buffers: Any) -> None:
            del context
            for name, values in self._asked(*jax.tree.map(np.asarray, buffers)).items():
                np.asarray(out[name])[...] = values

        shapes = {name: jax.ShapeDtypeStruct((len(limits),), kind) for name, (kind, _) in self.rest.items()}
        made: dict[str, Array] = buffer_callback(answer, shapes, vmap_method="sequential")(
            individuals, whose, states, limits
        )
        return made

    def _asked(self, individuals: Any, whose: np.ndarray, states: Any, limits: np.ndarray) -> dict[str, np.ndarray]:
        """Return the same, as NumPy has it."""
        at = np.flatnonzero(limits > 0)
        own, posed = whose[at], take(states, at)
        texts, individual = _distinct(own, lambda n: self.written(take(individuals, np.array(own[n]))))
        every = np.concatenate([x.reshape(len(at), -1) for x in jax.tree.leaves(posed)], 1)
        names = np.unique(every, axis=0, return_inverse=True)[1].reshape(-1)
        problems, which = _distinct(names, lambda n: notation.text_of(self.problem, take(posed, np.array(n))))
        lengths = [int(n) for n in self.problem.left(posed)]
        found = self.searched(Question(texts, problems, individual, which, lengths, limits[at].tolist()))
        made = {name: np.full(len(limits), usual, kind) for name, (kind, usual) in self.rest.items()}
        for name, values in made.items():
            values[at] = [getattr(one, name) for one in found]
        return made


def _distinct(names: np.ndarray, made: Callable[[int], str]) -> tuple[list[str], list[int]]:
    """Return what is made of a place of each distinct name, and for each of `names` its number among these."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    return [made(int(n)) for n in first], inverse.reshape(-1).tolist()
