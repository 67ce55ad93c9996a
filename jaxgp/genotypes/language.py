"""Sizes and texts of genomes of any genotype, on the host.

The functions dispatch on the language or on the genome. A new genotype registers its own versions; no other code asks
which genotype it deals with.
"""

from functools import singledispatch
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.genotypes import programs, rulelists
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.rulelists import RuleLanguage, RuleLists
from jaxgp.genotypes.ruletext import parse_rules, print_rules
from jaxgp.genotypes.text import parse_program, print_program, print_trees

Language = PrimitiveSet | RuleLanguage
Genome: TypeAlias = Any
"""One individual, Programs or RuleLists, or with one more leading axis a population.

Any, because a new genotype is a new class, and because most code that hands genomes on works with every genotype."""

UNITS = {"program": "nodes", "rules": "rules"}
"""What the size of a genome counts, by kind of genotype."""
NAMES = {"program": "primitive set", "rules": "rule language"}
"""What people call the language of a genotype."""


def language_of(one: object) -> Language | None:
    """Return what the genomes are written in that a player plays or a scheme breeds; None: they may be anything."""
    found: Language | None = getattr(one, "primitives", None) or getattr(one, "language", None)
    return found


@singledispatch
def kind(language: object) -> str:
    """Return the kind of genotype that a language writes: `program` or `rules`."""
    raise TypeError(f"{type(language).__name__} is no language")


@kind.register
def _(language: PrimitiveSet) -> str:
    del language
    return "program"


@kind.register
def _(language: RuleLanguage) -> str:
    del language
    return "rules"


@singledispatch
def to_text(language: object, genome: Genome) -> str:
    """Write one individual as text: an S-expression, or one rule on each line."""
    raise TypeError(f"{type(language).__name__} is no language")


@to_text.register
def _(language: PrimitiveSet, genome: Programs) -> str:
    return print_program(language, genome)


@to_text.register
def _(language: RuleLanguage, genome: RuleLists) -> str:
    return print_rules(language, genome)


@singledispatch
def explain(language: object, genome: Genome) -> str:
    """Write one individual for people, where its text alone says little: rules of a policy, or a legend; else empty."""
    raise TypeError(f"{type(language).__name__} is no language")


@explain.register
def _(language: PrimitiveSet, genome: Programs) -> str:
    if not language.rules:
        return ""
    trees = print_trees(language, genome)
    lines = [f"IF {trees[rule[0]]}\nTHEN {' '.join(trees[tree] for tree in rule[1:])}" for rule in language.rules]
    last = 1 + max(tree for rule in language.rules for tree in rule)
    return "\nELSE ".join(lines) + f"\nELSE {' '.join(trees[last:])}"


@explain.register
def _(language: RuleLanguage, genome: RuleLists) -> str:
    del genome
    return language.legend


@singledispatch
def parse(language: object, text: str, capacity: int | None = None) -> Genome:
    """Read one individual, into NumPy arrays.

    Args:
        language: what the text is written in.
        text: as `to_text` returns it.
        capacity: nodes or rules that the arrays can hold; by default an upper bound from the text.

    Raises:
        ValueError: the text is not of this language; the message says where.
    """
    raise TypeError(f"{type(language).__name__} is no language")


@parse.register
def _(language: PrimitiveSet, text: str, capacity: int | None = None) -> Programs:
    words = len(text.replace("(", " ").replace(")", " ").split())
    return parse_program(language, text, capacity or max(1, words))


@parse.register
def _(language: RuleLanguage, text: str, capacity: int | None = None) -> RuleLists:
    return parse_rules(language, text, capacity or max(1, len(text.splitlines())))


@singledispatch
def sizes(genomes: object) -> Array:
    """Return int32[...]: the number of nodes or rules of each individual, for any batch shape."""
    raise TypeError(f"{type(genomes).__name__} is no genotype")


@sizes.register
def _(genomes: Programs) -> Array:
    return jnp.asarray(genomes.length).sum(-1, dtype=jnp.int32)


@sizes.register
def _(genomes: RuleLists) -> Array:
    return jnp.asarray(genomes.length)


def fault(genomes: object, language: Language | None = None) -> str:
    """Say what is wrong with genomes that were read from a file, of any batch shape; empty: nothing.

    Without a language only the form of their arrays is checked; so it is where they are of another genotype.
    """
    if isinstance(genomes, Programs):
        return programs.fault(genomes, language if isinstance(language, PrimitiveSet) else None)
    if isinstance(genomes, RuleLists):
        return rulelists.fault(genomes, language if isinstance(language, RuleLanguage) else None)
    return ""


def depth(genome: Genome) -> int | None:
    """Return the edges from the root to the deepest node of one program; None for a genotype without depth."""
    return int(_deepest(genome)) if isinstance(genome, Programs) else None


@jax.jit
def _deepest(program: Programs) -> Array:
    return jax.vmap(programs.depth)(program).max()
