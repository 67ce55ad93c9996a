"""Evaluation in chunks, and the choice of the method by device and shape."""

from functools import cache, partial

import jax
import numpy as np
import pytest

from jaxgp.interpreter import evaluate as module
from jaxgp.interpreter.evaluate import evaluate, evaluate_active
from jaxgp.interpreter.plan import plan
from jaxgp.native.build import SWITCH
from tests.genotypes.generators import ARITHMETIC, random_programs

POPULATION, CASES = 45, 9
ACTIVE = np.random.default_rng(6).random((POPULATION, CASES)) < 0.4
ACTIVE[7] = False


@pytest.fixture(scope="module")
def values():
    """Values of trees [P, 2] and of single trees [P]: at once, in chunks, and only where they are active."""
    programs = random_programs(3, ARITHMETIC, 2 * POPULATION, 31, smallest=1)
    features = np.random.default_rng(4).normal(size=(POPULATION, 8, CASES)).astype(np.float32)

    def run(programs, features):
        plans = plan(ARITHMETIC, programs)
        plans = jax.tree.map(lambda x: x.reshape(POPULATION, 2, *x.shape[1:]), plans)
        single = jax.tree.map(lambda x: x[:, 0], plans)
        return {
            "trees": (evaluate(ARITHMETIC, plans, features), in_chunks(plans, features, 4)),
            "single": (evaluate(ARITHMETIC, single, features[0]), in_chunks(single, features[0], 8)),
            "active": evaluate_active(ARITHMETIC, plans, features, ACTIVE),
        }

    return jax.tree.map(bits, jax.jit(run)(programs, features))


def in_chunks(plans, features, count):
    return module._evaluate_in_chunks(ARITHMETIC, plans, features, count)


def bits(values):
    return np.asarray(values).view(np.int32)


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ["trees", "single"])
def test_chunks_give_the_very_values_of_all_programs_at_once(values, kind):
    """A population that is no multiple of the chunk; trees and single trees; features of their own and shared."""
    np.testing.assert_array_equal(*values[kind])
    np.testing.assert_array_equal(values["single"][0][0], values["trees"][0][0, 0])
    assert len(np.unique(values[kind][0])) > POPULATION


def test_a_cpu_runs_no_program_without_an_active_position(values):
    here = np.broadcast_to(ACTIVE[:, None], values["active"].shape)
    np.testing.assert_array_equal(values["active"][here], values["trees"][0][here])


@pytest.mark.thorough
def test_large_populations_are_evaluated_in_chunks(monkeypatch):
    monkeypatch.setenv(SWITCH, "off")
    plans, features = shapes(512, 256)
    text = str(jax.make_jaxpr(partial(evaluate, ARITHMETIC))(plans, features))
    assert "f32[8,8,256]" in text  # the features of one chunk
    assert jax.eval_shape(partial(evaluate, ARITHMETIC), plans, features).shape == (512, 256)
    several = jax.tree.map(lambda x: jax.ShapeDtypeStruct((x.shape[0], 1, *x.shape[1:]), x.dtype), shapes(16384, 2)[0])
    active = jax.ShapeDtypeStruct((16384, 2), bool)
    text = str(jax.make_jaxpr(partial(evaluate_active, ARITHMETIC))(several, shapes(16384, 2)[1], active))
    assert "platform_index" not in text  # by pairs on every device


@cache
def planned():
    return jax.eval_shape(partial(plan, ARITHMETIC), random_programs(0, ARITHMETIC, 1, 63))


def shapes(programs, cases):
    """Shapes of plans [P] and of features [P, 8, B]."""
    made = planned()
    plans = jax.tree.map(lambda x: jax.ShapeDtypeStruct((programs, *x.shape[1:]), x.dtype), made)
    return plans, jax.ShapeDtypeStruct((programs, 8, cases), np.float32)


@pytest.mark.parametrize(
    ("programs", "cases", "chunk"),
    [
        (512, 256, 8),
        (4096, 32, 68),
        (509, 256, 8),
        (9, 100_000, 1),
        (16384, 2, 16384),
        (512, 1, 512),
        (64, 64, 64),
    ],
)
def test_chunks_are_chosen_by_the_bytes_of_their_rows(programs, cases, chunk):
    plans, features = shapes(programs, cases)
    assert module._row_bytes(ARITHMETIC, plans, features) == 4 * (6 + 1 + 8) * cases
    assert module._chunk(ARITHMETIC, plans, features) == chunk
