"""Programs that a run begins with, in place of random ones."""

import jax
import numpy as np
import pytest

import envs
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions, MigrationOptions
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import print_program
from jaxgp.schemes.map_elites import MapElitesOptions
from jaxgp.schemes.random_search import RandomSearchOptions

MANCALA = cast(envs.spec("mancala"))
TEXTS = ["(SUB (VALUE_AT 3) 6)", "(VALUE_AT 0)"]


def begins(options):
    """Return the programs of the first generation as text."""
    scheme = options.scheme(MANCALA.language)
    population = jax.jit(lambda key: scheme.create(key, options.population))(jax.random.key(0))
    one = [jax.tree.map(lambda x, n=n: np.asarray(x[n]), population) for n in range(options.population)]
    return [print_program(MANCALA.language, program) for program in one]


@pytest.mark.parametrize("kind", [GPOptions, MapElitesOptions])
def test_programs_take_the_place_of_the_first_random_ones(kind):
    random, given = (begins(kind(population=6, capacity=32, initial=texts)) for texts in ([], TEXTS))
    assert given == [*TEXTS, *random[2:]]
    assert random[:2] != TEXTS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (GPOptions(initial=["(SUB 1)"]), r"algorithm.initial=\(SUB 1\): accepted: a program of mancala"),
        (GPOptions(initial=["(SUB 1 Queen)"]), "Queen"),
        (GPOptions(capacity=2, initial=TEXTS), "of at most 2 nodes a tree"),
        (GPOptions(population=1, elites=0, initial=TEXTS), "2 programs: accepted: at most algorithm.population=1"),
        (
            GPOptions(population=40, islands=MigrationOptions(4, migrants=1), initial=TEXTS * 10),
            "20 programs: accepted: at most 10, as an island has with algorithm.population=40 and algorithm.islands",
        ),
        (GPOptions(initial=TEXTS, left_out=["SUB"]), "a program without SUB: algorithm.left_out"),
        (RandomSearchOptions(initial=TEXTS), r"accepted: \[\] with algorithm=random_search, which inherits nothing"),
    ],
)
def test_a_program_that_cannot_begin_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        options.check(MANCALA)
