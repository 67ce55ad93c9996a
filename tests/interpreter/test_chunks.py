"""Evaluation in chunks, and the choice of the method by device and shape."""

from functools import partial

import jax
import numpy as np
import pytest

from jaxgp.interpreter import evaluate as module
from jaxgp.interpreter.evaluate import evaluate, evaluate_active
from jaxgp.interpreter.plan import plan
from tests.genotypes.generators import MIXED, random_programs

POPULATION, CASES = 45, 9


@pytest.fixture(scope="module")
def batch():
    """Plans [P, 2] of programs of all lengths, and features [P, 4, B]."""
    programs = random_programs(3, MIXED, 2 * POPULATION, 31, smallest=1)
    plans = jax.jit(partial(plan, MIXED))(programs)
    features = np.random.default_rng(4).integers(0, 6, (POPULATION, 4, CASES)).astype(np.float32)
    return jax.tree.map(lambda x: x.reshape(POPULATION, 2, *x.shape[1:]), plans), features


def bits(values):
    return np.asarray(values).view(np.int32)


def test_chunks_give_the_very_values_of_all_programs_at_once(batch, monkeypatch):
    """A population that is no multiple of the chunk; trees and single trees; features of their own and shared."""
    plans, features = batch
    single = jax.tree.map(lambda x: x[:, 0], plans)

    def values(plans, single, features):
        return evaluate(MIXED, plans, features), evaluate(MIXED, single, features[0])

    whole = jax.jit(values)(plans, single, features)
    each = module._row_bytes(MIXED, single, features)
    monkeypatch.setattr(module, "CHUNK", 8 * each)
    monkeypatch.setattr(module, "SMALL", 16 * each)
    assert module._chunk(MIXED, plans, features) == 4
    assert module._chunk(MIXED, single, features) == 8
    for chunked, expected in zip(jax.jit(lambda *x: values(*x))(plans, single, features), whole, strict=True):
        np.testing.assert_array_equal(bits(chunked), bits(expected))


@pytest.mark.parametrize(
    ("programs", "cases", "chunk"),
    [(512, 256, 5), (4096, 32, 44), (16384, 2, 16384), (512, 1, 512), (64, 8, 64), (509, 256, 5), (9, 100_000, 1)],
)
def test_chunks_are_chosen_by_the_bytes_of_their_rows(programs, cases, chunk):
    made = jax.eval_shape(partial(plan, MIXED), random_programs(0, MIXED, 1, 63))
    plans = jax.tree.map(lambda x: jax.ShapeDtypeStruct((programs, *x.shape[1:]), x.dtype), made)
    features = jax.ShapeDtypeStruct((programs, 14, cases), np.float32)
    assert module._row_bytes(MIXED, plans, features) == 4 * (8 + 1 + 14) * cases
    assert module._chunk(MIXED, plans, features) == chunk


def test_a_cpu_runs_no_program_without_an_active_position(batch):
    plans, features = batch
    active = np.random.default_rng(6).random((POPULATION, CASES)) < 0.4
    active[7] = False
    found = jax.jit(partial(evaluate_active, MIXED))(plans, features, active)
    expected = evaluate(MIXED, plans, features)
    here = np.broadcast_to(active[:, None], expected.shape)
    np.testing.assert_array_equal(bits(found)[here], bits(expected)[here])
