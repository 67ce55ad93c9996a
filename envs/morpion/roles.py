"""How genomes play Morpion Solitaire: a program is walked through, leaf by leaf; or it guides a nested search."""

from dataclasses import dataclass

from envs.morpion import guide, primitives
from envs.morpion.listed import ListedMorpion
from envs.morpion.rules import Morpion
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.options import bound, option
from jaxgp.players.alone.guided import GuidedSoloist
from jaxgp.players.alone.walk import Walker
from jaxgp.search.nrpa import Nested
from jaxgp.spec import Role

SLOTS = 64
"""Slots for legal lines in guided searches. Guides can leave lines undrawn for long; more than 40 have been met."""
MOST_ITERATIONS = 1000
MOST_PLAYOUTS = 2**31 - 1
"""Of a search, which counts them in 32 bits."""


@dataclass(frozen=True)
class Options:
    """The size of the nested searches that a program guides."""

    level: int = option(2, "how deep the search is nested", low=1, high=5)
    iterations: int = option(
        15, "of each level; a search has iterations ** level playouts", low=1, high=MOST_ITERATIONS
    )
    searches: int = option(12, "searches that measure a program", low=1, high=1000)

    def laws(self, prefix: str) -> None:
        """Refuse more playouts of a search than it can count; raises UsageError."""
        most = max(n for n in range(1, MOST_ITERATIONS + 1) if n**self.level <= MOST_PLAYOUTS)
        bound(self, "iterations", prefix, high=most, why=f"2^31 - 1 playouts where {prefix}level={self.level}")


def walk(game: Morpion, options: primitives.Options) -> tuple[PrimitiveSet, Walker]:
    """Return the set that programs are written in, and how they play."""
    language = primitives.primitive_set(options)
    return language, Walker(language, game, lambda *leaf: primitives.perform(game, options, *leaf))


def make_guided(game: Morpion, options: Options) -> tuple[PrimitiveSet, GuidedSoloist]:
    """Return the set that guides are written in, and how they play.

    Raises:
        ValueError: the grid is too large.
    """
    listed, language = ListedMorpion(game, SLOTS), guide.primitive_set()
    nested = Nested(listed, options.level, options.iterations, kinds=lambda state: guide.kinds(listed, state))
    return language, GuidedSoloist(language, game, nested, guide.table(), options.searches, guide.STAGES)


WALK = Role("walk", "a program moves as it is walked through", "program", primitives.Options, walk)
GUIDE = Role("guide", "a program guides a nested search", "program", Options, make_guided)
