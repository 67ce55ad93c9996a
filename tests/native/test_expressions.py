"""Random functions of whole numbers in C++ against plain XLA."""

import pytest

from tests.native.expressions import arguments, expression
from tests.native.translated import check, needs_compiler


@needs_compiler
@pytest.mark.parametrize(
    ("first", "count"),
    [(0, 12), *(pytest.param(first, 40, marks=pytest.mark.thorough) for first in range(12, 412, 40))],
)
def test_random_expressions_compute_what_xla_computes(first, count):
    check(
        {
            str(seed): (expression(seed), lambda k, seed=seed: arguments(seed, k))
            for seed in range(first, first + count)
        },
        draws=6,
    )
