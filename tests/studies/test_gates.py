"""Games of sums of gates: their weights value positions as the programs do."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

import envs
from envs.backgammon import language
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.interpreter.evaluate import evaluate
from studies.backgammon.gates import value, weights_of
from tests.genotypes.test_gates import population

CAST = cast(envs.spec("backgammon"))


def loaded(program):
    return SimpleNamespace(cast=CAST, genome=jax.tree.map(np.asarray, program), path="champion.json")


@pytest.mark.thorough
def test_weights_of_a_champion_value_positions_as_its_trees_do():
    program = jax.tree.map(lambda x: x[1], population()[1])
    forms, weights = weights_of(loaded(program))
    own, other = np.zeros((2, 2, 26), np.int8)
    own[0, [24, 13, 8, 6]], other[0, [24, 13, 7, 6]] = [2, 5, 3, 5], [2, 5, 3, 5]  # the sides can still meet
    own[1, [0, 1, 6]], other[1, [2, 3, 5]] = [4, 5, 6], [5, 5, 5]  # they have passed each other
    found = jax.jit(lambda a, b: value(forms, weights, a, b))(own, other)
    plans = CAST.actor.prepare(jax.tree.map(lambda x: x[None], program))
    each = np.asarray(evaluate(CAST.language, plans, language.view(own.T, other.T)))
    np.testing.assert_allclose(found, [each[language.CONTACT, 0], each[language.RACE, 1]], atol=1e-5)


@pytest.mark.thorough
def test_champions_that_are_no_sums_of_gates_are_refused():
    program = jax.tree.map(lambda x: np.array(x[0]), population()[1])
    program.opcode[0, 2] = CAST.language.opcode("Player-Pip")  # in the place of (Player-Exposed n)
    program.value[0, 2] = 3
    with pytest.raises(UsageError, match=r"^runs=champion\.json: accepted: champions of algorithm=gates"):
        weights_of(loaded(program))
