"""Genomes that guide a complete search, which plain C++ makes: as many moves as in lanes with a large table."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.mate import language, roles
from envs.mate.rules import Mate
from jaxgp.contracts import States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.players.problems.prover import GuideProver, WeightsProver
from jaxgp.search.proofs.claims import Claims
from rivals.plain import mate
from studies.mate.asking import Plain, Question


@dataclass(frozen=True)
class PlainGuide(Plain[Any, GuideProver | WeightsProver]):
    """Trees or weights, which guide as in `GuideProver` and `WeightsProver`."""

    proves: ClassVar[bool] = True
    rest: ClassVar = {
        "chosen": (np.int32, -1),
        "solved": (np.bool_, False),
        "nodes": (np.int32, 0),
        "distinct": (np.int32, -1),
        "truncated": (np.bool_, True),
        "deepest": (np.int32, 0),
    }

    def prepare(self, programs: Programs) -> Programs | Array:
        """Return programs [P, T, L], or weights in parts, int32[P, F]."""
        return self.lanes.prepare(programs) if isinstance(self.lanes, WeightsProver) else programs

    def prove(self, plans: Programs | Array, whose: Array, states: States, limits: Array) -> Claims:
        """Search problems [Q] for individuals `whose` (int32[Q]); see `jaxgp.contracts.Prover`."""
        found = self.found(plans, whose, states, limits)
        refuted = ~found["solved"] & ~found["truncated"]
        return Claims(scores=jnp.zeros((len(limits), 0), jnp.float32), refuted=refuted, **found)

    def searched(self, asked: Question) -> list[mate.Claim]:
        """Return what each pair has come to."""
        pairs = list(zip(asked.own, asked.which, asked.lengths, asked.limits, strict=True))
        return mate.guide(asked.texts, asked.posed, pairs, self.words)

    def written(self, individual: Any) -> str:
        """Return trees, or weights with commas between them."""
        if isinstance(individual, Programs):
            return super().written(individual)
        return ",".join(map(str, individual.tolist()))


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
