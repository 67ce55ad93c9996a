"""Every layout of the benchmark gives what the interpreter gives."""

import importlib
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from tests.genotypes.generators import FACTORED, MIXED, random_programs

SCRIPTS = str(Path(__file__).resolve().parents[2] / "scripts")
POPULATION = 24


@pytest.fixture(scope="module")
def layouts():
    sys.path.insert(0, SCRIPTS)
    yield importlib.import_module("rivals.variants.layouts")
    sys.path.remove(SCRIPTS)


def test_layouts_agree(layouts):
    programs = random_programs(21, MIXED, POPULATION, 31)
    features = np.random.default_rng(5).integers(0, 6, (POPULATION, 4, 3)).astype(np.float32)

    def by_all(programs, features):
        prepared = {name: layout.prepare(MIXED, programs) for name, layout in layouts.LAYOUTS.items()}
        values = {name: layout.run(MIXED, prepared[name], features) for name, layout in layouts.LAYOUTS.items()}
        # Blocks smaller than a level, so that one level takes several.
        return values | {"small blocks": layouts.run_levels(MIXED, prepared["levels"], features, block=7)}

    values = jax.jit(by_all)(programs, features)
    for name, found in values.items():
        np.testing.assert_array_equal(found, values["planned"], err_msg=name)


@pytest.mark.parametrize("layout", ["levels", "switch"])
def test_layouts_without_factors_say_so(layouts, layout):
    with pytest.raises(ValueError, match="primitive set factored: this layout knows neither weights nor factors"):
        layouts.LAYOUTS[layout].prepare(FACTORED, random_programs(0, FACTORED, 2, 7))
