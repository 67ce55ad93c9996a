"""Every layout of the benchmark gives what the interpreter gives."""

from functools import partial

import jax
import numpy as np

from jaxgp.interpreter.layouts import LAYOUTS, run_levels
from tests.genotypes.generators import MIXED, random_programs

POPULATION = 80


def test_layouts_agree():
    programs = random_programs(21, MIXED, POPULATION, 31)
    features = np.random.default_rng(5).integers(0, 6, (POPULATION, 4, 3)).astype(np.float32)
    ready = {name: jax.jit(partial(layout.prepare, MIXED)) for name, layout in LAYOUTS.items()}
    ready["narrowing"] = ready["planned"]  # the same plans
    runs = {name: layout.run for name, layout in LAYOUTS.items()}
    # Blocks smaller than a level, so that one level takes several.
    ready["small blocks"], runs["small blocks"] = ready["levels"], partial(run_levels, block=7)
    prepared = {name: prepare(programs) for name, prepare in ready.items()}
    values = {name: np.asarray(jax.jit(partial(run, MIXED))(prepared[name], features)) for name, run in runs.items()}
    for name, found in values.items():
        np.testing.assert_array_equal(found, values["planned"], err_msg=name)
