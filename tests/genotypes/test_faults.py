"""Genomes that were read from a file: what is let through is a genome that its own text gives back."""

import jax
import numpy as np
import pytest

from jaxgp.genotypes import language
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.genotypes.text import parse_program, print_program
from tests.genotypes.generators import FACTORED, MIXED, random_nodes, sizes_of
from tests.genotypes.rule_cases import LANGUAGES, WALLS3, problems, random_lists

CAPACITY = 16
ODD = (-1, 0, 1, 2, 5, 40, 127, 1000, -(2**15))
"""What is written into an array in the place of what it holds."""


def individuals(primitives, seed, count=20):
    """Return random individuals in NumPy arrays, [count, T, L]."""
    rng, shape = np.random.default_rng(seed), (count, primitives.num_trees, CAPACITY)
    made = Programs(
        *(np.zeros(shape, kind) for kind in (np.int16, np.float32, np.int16)), np.zeros(shape[:-1], np.int32)
    )
    for place in np.ndindex(shape[:-1]):
        codes, values = zip(*random_nodes(rng, primitives, int(primitives.root_type[place[1]]), 9), strict=True)
        made.length[place] = count = len(codes)
        made.opcode[place][:count], made.value[place][:count] = codes, values
        made.size[place][:count] = sizes_of(primitives, codes)
    return made


def harmed(genomes, draw):
    """Return a copy with a number or two changed somewhere."""
    copy = jax.tree.map(np.array, genomes)
    for _ in range(draw.integers(1, 3)):
        array = draw.choice(np.array(["opcode", "value", "size", "length"]))
        one = getattr(copy, array).reshape(-1)
        wrong = draw.choice([*ODD, np.nan, np.inf, 0.5]) if one.dtype == np.float32 else draw.choice(ODD)
        one[draw.integers(len(one))] = wrong
    return copy


@pytest.mark.parametrize("primitives", [MIXED, FACTORED])
def test_programs_pass_if_and_only_if_their_text_gives_them_back(primitives):
    draw, passed = np.random.default_rng(3), 0
    for seed in range(200):
        genomes = individuals(primitives, seed, count=1)
        assert language.fault(genomes, primitives) == ""
        assert language.fault(genomes) == ""
        found = harmed(genomes, draw)
        if not language.fault(found, primitives):
            passed += 1
            one = jax.tree.map(lambda x: x[0], found)
            back = parse_program(primitives, print_program(primitives, one), CAPACITY)
            for array, read in zip(jax.tree.leaves(one), jax.tree.leaves(back), strict=True):
                np.testing.assert_array_equal(array, read)
    assert passed < 100, "most harms are seen"


@pytest.mark.parametrize(
    ("field", "place", "value", "said"),
    [
        ("length", (3, 0), 1000, "length: accepted: 0 to 16"),
        ("length", (3, 0), -1, "length: accepted: 0 to 16"),
        ("opcode", (2, 0, 0), 500, "opcode: accepted: 0 to"),
        ("value", (2, 0, 0), np.nan, "value: accepted: finite numbers"),
        ("size", (2, 0, 0), 9, "size: accepted: 1 to the nodes up to there"),
        ("value", (4, 0, 15), 1.0, "padding: accepted: zeros"),
    ],
)
def test_the_array_that_is_wrong_is_named_also_in_a_population(field, place, value, said):
    genomes = individuals(MIXED, 7)
    getattr(genomes, field)[place] = value
    assert language.fault(genomes, MIXED).startswith(said)


@pytest.mark.few(1)
@pytest.mark.parametrize("written_in", LANGUAGES)
def test_rule_lists_pass_if_and_only_if_each_is_valid(written_in):
    draw = np.random.default_rng(5)
    for seed in range(60):
        lists = random_lists(seed, written_in, 4, 5)
        assert language.fault(lists, written_in) == ""
        array = getattr(lists, draw.choice(np.array(["condition", "action", "length"]))).reshape(-1)
        array[draw.integers(len(array))] = draw.choice((-128, -2, -1, 0, 1, 2, 50, 127))
        each = [jax.tree.map(lambda x, n=n: x[n], lists) for n in range(4)]
        assert bool(language.fault(lists, written_in)) == any(problems(written_in, one) for one in each)


def test_genomes_of_another_language_are_checked_for_their_form_alone():
    lists: RuleLists = random_lists(1, WALLS3, 3, 5)
    assert language.fault(lists, MIXED) == ""
    lists.length[1] = 99
    assert language.fault(lists, MIXED).startswith("length: accepted: 0 to 5")
