"""Genomes that guide a complete search, which plain C++ makes: as many moves as in lanes with a large table."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.mate import language, roles
from envs.mate.rules import Mate
from jaxgp.arrays import take
from jaxgp.contracts import Prover, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import print_program
from jaxgp.players.problems.prover import GuideProver, WeightsProver
from jaxgp.search.proofs.claims import Claims
from rivals.plain import mate
from studies.mate.asking import called, question, spread

REST: dict[str, tuple[type[np.generic], Any]] = {
    "chosen": (np.int32, -1),
    "solved": (np.bool_, False),
    "nodes": (np.int32, 0),
    "distinct": (np.int32, -1),
    "truncated": (np.bool_, True),
    "deepest": (np.int32, 0),
}
"""What is kept of `rivals.plain.mate.Claim`: its type, and what it is of a search that may make no move."""


@dataclass(frozen=True)
class PlainGuide(Prover[Any]):
    """A `Prover`: trees or weights guide as in `GuideProver` and `WeightsProver`, one pair after the other.

    Attributes:
        primitives: the language.
        problem: the rules.
        lanes: would search the same problems.
        words: how it searches, in the words of `rivals.plain.mate.guide`.
        limit: the most nodes of a search.
    """

    proves: ClassVar[bool] = True

    primitives: PrimitiveSet
    problem: Mate
    lanes: GuideProver | WeightsProver
    words: tuple[str, ...]
    limit: int = GuideProver.limit

    def prepare(self, programs: Programs) -> Programs | Array:
        """Return programs [P, T, L], or weights in parts, int32[P, F]."""
        return self.lanes.prepare(programs) if isinstance(self.lanes, WeightsProver) else programs

    def prove(self, plans: Programs | Array, whose: Array, states: States, limits: Array) -> Claims:
        """Search problems [Q] for individuals `whose` (int32[Q]); see `jaxgp.contracts.Prover`."""
        queue = len(limits)
        found = called(self._asked, REST, queue, plans, whose, states, limits)
        refuted = ~found["solved"] & ~found["truncated"]
        return Claims(scores=jnp.zeros((queue, 0), jnp.float32), refuted=refuted, **found)

    def _asked(self, plans: Any, whose: np.ndarray, states: Any, limits: np.ndarray) -> Any:
        """Return what `REST` names, of each pair [Q]."""
        at = np.flatnonzero(limits > 0)
        asked = question(self.problem, whose[at], take(states, at), lambda n: self._written(take(plans, np.array(n))))
        pairs = list(zip(asked.own, asked.which, asked.lengths, limits[at].tolist(), strict=True))
        found = mate.guide(asked.texts, asked.posed, pairs, self.words)
        return spread(at, len(limits), found, REST)

    def _written(self, plan: Any) -> str:
        """Return an individual, as `rivals.plain.mate.guide` reads it."""
        if isinstance(plan, Programs):
            return print_program(self.primitives, plan)
        return ",".join(map(str, plan.tolist()))


def _words(options: language.GuideOptions | language.WeightsOptions, how: str) -> tuple[str, ...]:
    """Return how a search is made, in the words of `rivals.plain.mate.guide`."""
    end = [f"entries={options.entries}"] if how == "proof" else []
    return (how, *["deepening"] * (not options.told), f"near={options.near}", *end)


def guide(problem: Mate, options: language.GuideOptions) -> tuple[PrimitiveSet, PlainGuide]:
    """Return the language of trees that order moves, and the search that they guide."""
    primitives, prover = roles.guide(problem, options)
    how = "proof" if options.within == "proof" else options.equal
    return primitives, PlainGuide(primitives, problem, prover, _words(options, how))


def weights(problem: Mate, options: language.WeightsOptions) -> tuple[PrimitiveSet, PlainGuide | WeightsProver]:
    """Return the set of vectors of weights, and the search that they guide; lanes make lazy and flights."""
    primitives, prover = roles.weights(problem, options)
    if options.within != "few":
        return primitives, prover
    return primitives, PlainGuide(primitives, problem, prover, _words(options, "weights"))
