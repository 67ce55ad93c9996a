"""Fitness of searches on problems: the formula of the source, the hole in it, and the bounded one."""

from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pytest

from jaxgp.fitness.puzzles.proofs import ProofFitness, Proofs

LENGTHS = np.array([1, 2, 5, 5, 5, 5])
FITNESS = ProofFitness(
    prover=None,
    states=(),
    lengths=LENGTHS,
    winning=np.zeros((6, 1), np.int32),
    reference=np.array([600, 7_000, 1_600_000, 1_600_000, 1_600_000, 1_600_000]),
    each=2,
)


def points(right, credit, nodes, later=False, claimed=None, **changed):
    shown = Proofs(
        right=np.array([right]),
        claimed=np.array([right if claimed is None else claimed]),
        credit=np.array([credit], np.float32),
        nodes=np.array([nodes], np.int32),
        chosen=np.zeros((1, len(nodes)), np.int32),
        truncated=np.zeros((1, len(nodes)), bool),
    )
    return np.asarray(compiled(**changed)(shown, np.arange(len(nodes)), np.bool_(later)))[0].tolist()


@cache
def compiled(**changed):
    return jax.jit(replace(FITNESS, **changed).points)


@pytest.mark.thorough
def test_a_wrong_move_without_a_search_wins_by_the_formula_as_it_is_printed_alone():
    wrong = {"right": [False] * 3, "credit": [0.0, 0.0, 0.1], "nodes": [40, 40, 40]}
    np.testing.assert_allclose(points(**wrong, boards="printed"), [0, 0, 128_000])
    np.testing.assert_allclose(points(**wrong), [0, 0, 3.2])


def test_nodes_count_for_right_moves_up_to_eightfold_and_for_short_problems_later():
    found = {"right": [True, True, True], "credit": [1.0] * 3, "nodes": [600, 3_500, 850_000]}
    np.testing.assert_allclose(points(**found), [2, 4, 32 * 1_600_000 / 850_000], rtol=1e-6)
    np.testing.assert_allclose(points(**found, later=True), [2, 8, 32 * 1_600_000 / 850_000], rtol=1e-6)
    np.testing.assert_allclose(points([True] * 3, [1.0] * 3, [10, 10, 10], later=True), [16, 32, 256])


def test_half_as_many_nodes_count_alike_by_the_logarithm_and_for_right_moves_alone():
    found = {"right": [True, False, True], "credit": [1.0, 0.5, 1.0], "boards": "logarithm"}
    many = points(**found, nodes=[600, 10, 12_000])
    few = points(**found, nodes=[600, 10, 6_000])
    np.testing.assert_allclose(many[:2], [2, 2])
    np.testing.assert_allclose(few[2] - many[2], 32, rtol=0.01)


def test_near_moves_count_before_the_later_stage_alone():
    near = {"right": [False] * 3, "credit": [0.5, 0.25, 0.5], "nodes": [10, 10, 10]}
    np.testing.assert_allclose(points(**near), [1, 1, 16])
    np.testing.assert_allclose(points(**near, later=True), [0, 0, 0])


def test_a_wrong_claim_takes_what_a_right_one_would_give_and_a_move_that_is_not_claimed_counts_half():
    found = {"right": [True, True, False], "credit": [1.0, 1.0, 0.5], "nodes": [600, 7_000, 800_000], "claims": True}
    all_claimed = {**found, "claimed": [True] * 3}
    np.testing.assert_allclose(points(**all_claimed), [2, 4, -64])
    np.testing.assert_allclose(points(**all_claimed, later=True), [2, 4, -64])
    none_claimed = {**found, "claimed": [False] * 3}
    np.testing.assert_allclose(points(**none_claimed), [1, 2, 8])
    np.testing.assert_allclose(points(**none_claimed, later=True), [0, 0, 0])


@pytest.mark.parametrize("strict", [False, True])
def test_the_later_stage_holds_from_the_first_generation_on_where_that_is_wanted(strict):
    assert bool(replace(FITNESS, strict=strict).init(jax.random.key(0)).later) == strict


def test_a_generation_draws_as_many_problems_of_each_length_as_there_are_by_its_key_alone():
    drawn = [np.asarray(FITNESS.draw(jax.random.key(n))) for n in range(20)]
    assert all(LENGTHS[one].tolist() == [5, 5, 2, 1] for one in drawn)
    assert len({tuple(sorted(one.tolist())) for one in drawn}) > 3
    np.testing.assert_array_equal(drawn[0], FITNESS.draw(jax.random.key(0)))
