"""Evolution of sums of gates: they learn, leave out terms, and pass gates on."""

from dataclasses import replace
from functools import lru_cache

import jax
import numpy as np
import pytest

import jaxgp
from jaxgp.errors import UsageError
from jaxgp.evolution.ring import Ring
from jaxgp.schemes.breeding.gates import Gated
from jaxgp.schemes.gates import GatesOptions
from tests.genotypes.test_gates import FORM, WORDS

X = np.random.default_rng(0).uniform(-1, 1, (3, 64)).astype(np.float32)
FITNESS = jaxgp.RegressionFitness(WORDS, X, np.where(X[0] > X[1], X[2], -X[0]))
"""One gate is enough for these targets."""
OPTIONS = GatesOptions(
    population=3,
    elites=2,
    capacity=128,
    gates=1,
    terms=0.75,
    generations=3,
    tune=jaxgp.TuneOptions(steps=200, rate=0.1, decay=0.01),
)


@lru_cache
def evolved():
    """Return the states before each generation, and after the last one, and the metrics of each."""
    ring = Ring(FITNESS, Gated(WORDS, OPTIONS))
    states, metrics = [jax.jit(ring.init)(jax.random.key(1))], []
    step = jax.jit(ring.step)
    for _ in range(OPTIONS.generations):
        state, found = step(states[-1])
        states.append(state)
        metrics.append(found)
    return states, metrics


def test_the_fittest_learn_what_no_sum_without_gates_can_say():
    states, metrics = evolved()
    terms = np.vstack([X, np.ones(X.shape[1])]).T
    linear = np.linalg.lstsq(terms, FITNESS.outputs)[1][0] / X.shape[1]
    assert -states[-1].champion.fitness < linear * 0.75
    assert metrics[-1]["tuned_loss"] < linear * 0.75


def test_programs_have_the_share_of_terms_that_is_asked_for_in_the_last_generation():
    states, metrics = evolved()
    most = 1 + 7 + 4 * -(-FORM.terms * 3 // 4)
    assert int(metrics[-1]["max_size"]) == most < int(states[0].population.length.max())


def test_a_child_is_a_copy_of_the_fittest_with_a_gate_of_small_value_in_the_place_of_its_weakest():
    states, _ = evolved()
    weights = np.asarray(jax.jit(Gated(WORDS, OPTIONS).learner.read)(states[1].population)[0])
    parent, child = weights[0], weights[2]
    assert (child[-1] == parent[-1]).all()
    assert 0 < np.abs(child[1]).sum() < np.abs(parent[1]).sum() / 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"initial": ["x"]}, r"initial=\[x\]: accepted: \[\] with kind=gates, which begins with random sums of gates"),
        ({"left_out": ["x"]}, r"left_out=\[x\]: accepted: \[\] with kind=gates, whose sums are of all terminals"),
        ({"max_depth": 20}, "max_depth=20: accepted: null with kind=gates, whose programs keep the form"),
    ],
)
def test_options_that_sums_of_gates_do_not_use_are_refused(given, said):
    with pytest.raises(UsageError, match=said):
        replace(OPTIONS, **given)
