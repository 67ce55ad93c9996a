"""Sizes and texts of genomes of any genotype."""

import jax
import numpy as np
import pytest

from jaxgp.genotypes import language as languages
from tests.genotypes.generators import ARITHMETIC, MIXED
from tests.genotypes.rule_cases import WALLS3

RULE = "- - N / B E 0 / - A - : try-forward"


@pytest.mark.parametrize(
    ("language", "kind", "text", "size", "capacity"),
    [
        (ARITHMETIC, "program", "(+ x1 (* x2 0.5))", 5, 5),
        (MIXED, "program", "(PROGRAM (neg x) flag (sub x y))", 6, 7),
        (WALLS3, "rules", f"{RULE}\n{RULE}", 2, 2),
    ],
    ids=["program", "programs", "rules"],
)
def test_texts_and_sizes(language, kind, text, size, capacity):
    assert languages.kind(language) == kind
    genome = languages.parse(language, text)
    assert genome.capacity == capacity
    assert languages.to_text(language, genome) == text
    assert languages.to_text(language, languages.parse(language, text, 9)) == text
    assert int(languages.sizes(genome)) == size
    population = jax.tree.map(lambda x: np.stack([x, x]), genome)
    assert languages.sizes(population).tolist() == [size, size]


def test_only_programs_have_a_depth():
    assert languages.depth(languages.parse(ARITHMETIC, "(+ x1 (* x2 0.5))")) == 2
    assert languages.depth(languages.parse(WALLS3, RULE)) is None


def test_what_is_no_genotype_is_refused():
    for call in (lambda: languages.kind(1), lambda: languages.to_text(1, 2), lambda: languages.parse(1, "")):
        with pytest.raises(TypeError, match="int is no language"):
            call()
    with pytest.raises(TypeError, match="int is no genotype"):
        languages.sizes(1)
