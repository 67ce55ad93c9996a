"""Learning from lessons: hidden weights and a hidden term are found; nothing is learned where nothing is missing."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.backgammon import language
from jaxgp.fitness.taught import learning, terms
from jaxgp.fitness.taught.learning import Sample, centre, fit_weights, learn_terms, sample
from jaxgp.fitness.taught.lessons import fittest
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.players.taught import Lessons

SET = language.primitive_set()
LESSONS, MOVES = 64, 8
ROWS = 32 * len(language.BITS) + len(language.COUNTS) * 26
PLAYER_PIP, ENEMY_PIP, HITS = ROWS, ROWS + 1, ROWS + 2
BLOCKED_5 = 32 + 5


def given(teacher, tree=0):
    """Return made-up lessons in which a function of the features says what each move is worth."""
    drawn = np.random.default_rng(7)
    features = drawn.random((ROWS + len(language.GENERAL), LESSONS * MOVES), dtype=np.float32)
    features[: 32 * len(language.BITS)] = features[: 32 * len(language.BITS)] < 0.5
    lesson = np.repeat(np.arange(LESSONS), MOVES)
    offset = drawn.normal(size=LESSONS).astype(np.float32)[lesson]  # the same for all moves of a lesson
    every = jnp.ones(LESSONS * MOVES)
    return Sample(
        jnp.asarray(features),
        jnp.full(LESSONS * MOVES, tree),
        jnp.asarray(lesson),
        jnp.asarray(teacher(features) + offset),
        every,
        LESSONS + 1,
    )


def individual(contact, race="(Race-Mul 1 (Player-Position 25))"):
    return jax.tree.map(jnp.asarray, parse_program(SET, f"(PROGRAM {contact} {race})", 128))


terms_of = jax.jit(lambda tree, one, room: terms.terms(SET, terms.find(SET, tree), one, room), static_argnums=(0, 2))


def weights(program, tree=0, room=8):
    one = jax.tree.map(lambda x: x[tree], program)
    found = terms_of(tree, one, room)
    return np.asarray(found.weight)[np.asarray(found.node) < one.capacity]


def learn_once(key, program, rest):
    """Learn from lessons, with 64 random terms."""
    return learn_terms(key, SET, program, rest._replace(lessons=LESSONS + 1), 1, 64, 8)


def test_what_has_learned_is_a_program_of_the_same_shape():
    """What it has learned is compiled for some seconds."""
    lessons, program = given(lambda seen: seen[ENEMY_PIP])._replace(lessons=None), individual("(Mul 1 Enemy-Pip)")
    after = jax.eval_shape(learn_once, jax.random.key(0), program, lessons)
    assert jax.tree.map(lambda x: (x.shape, x.dtype), after) == jax.tree.map(lambda x: (x.shape, x.dtype), program)


@pytest.fixture(scope="module")
def learn():
    """Learn `times` times from the same lessons."""
    step = jax.jit(learn_once)

    def again(program, lessons, times):
        for number in range(times):
            program = step(jax.random.key(number), program, lessons._replace(lessons=None))
        return program

    return again


@pytest.mark.thorough
def test_weights_become_those_of_the_teacher_with_their_signs():
    lessons = given(lambda seen: 0.7 * seen[ENEMY_PIP] - 0.3 * seen[PLAYER_PIP] - 0.5 * seen[HITS])
    program = individual("(Sub (Add (Add 0 (Mul 2 Enemy-Pip)) (Mul 1 Player-Pip)) (Mul 1 Total-Hit-Prob))")
    tree, made = jax.tree.map(lambda x: x[0], program), terms.find(SET, 0)
    fit = jax.jit(lambda tree, rest: fit_weights(SET, made, tree, rest._replace(lessons=LESSONS + 1), 8))
    for _ in range(30):
        tree, missing = fit(tree, lessons._replace(lessons=None))
    assert np.asarray(terms_of(0, tree, 3).weight) == pytest.approx([0.7, -0.3, -0.5], abs=0.01)
    assert np.abs(missing).max() < 0.01


@pytest.mark.slow
def test_a_missing_term_is_found_and_added(learn):
    lessons = given(lambda seen: seen[ENEMY_PIP] + 0.8 * seen[BLOCKED_5])
    after = learn(individual("(Add 0 (Mul 1 Enemy-Pip))"), lessons, 25)
    assert "(Player-Blocked 5)" in print_program(SET, jax.device_get(after))


@pytest.mark.slow
def test_nothing_is_added_where_nothing_is_missing(learn):
    lessons = given(lambda seen: seen[ENEMY_PIP])
    start = individual("(Add 0 (Mul 1 Enemy-Pip))")
    # Rounding is all that is missing, and each decision's mean is taken off.
    after = learn(start, lessons._replace(value=lessons.value - lessons.value.min()), 3)
    assert weights(after)[0] == pytest.approx(1, abs=1e-3)
    assert np.abs(weights(after)[1:]).max(initial=0) < 1e-3


@pytest.mark.slow
def test_a_tree_without_lessons_of_its_own_stays_as_it_was(learn):
    start = individual("(Add 0 (Mul 1 Enemy-Pip))", "(Race-Add 0 (Race-Mul 2 (Player-Position 3)))")
    after = learn(start, given(lambda seen: seen[HITS]), 2)
    assert weights(after, tree=1).tolist() == [2]


@pytest.mark.thorough
def test_numbers_are_taken_less_their_weighted_mean_in_each_lesson():
    lessons = Sample(None, None, jnp.array([0, 0, 1, 1, 2]), None, jnp.array([1.0, 3.0, 4.0, 0.0, 0.0]), 3)
    found = centre(lessons, jnp.array([[0.0, 4.0, 7.0, 9.0, 5.0]]))
    np.testing.assert_allclose(found[0], [-3, np.sqrt(3), 0, 0, 0], atol=1e-6)


class Looker:
    """A player whose programs see the outcome itself."""

    def looks(self, states, outcomes):
        return outcomes[None], jnp.zeros(len(outcomes), jnp.int32)


def test_moves_lie_side_by_side_and_count_by_what_they_lose():
    none = -jnp.inf
    lessons = Lessons(jnp.zeros(2), jnp.arange(6.0).reshape(2, 3), jnp.array([[1.0, 0.8, none], [none, 2.0, 2.2]]))
    found = jax.jit(lambda some: sample(Looker(), some)._replace(lessons=None))(lessons)
    used = np.asarray(found.weight) > 0
    assert np.asarray(found.features)[0][used].tolist() == [0, 1, 4, 5]
    assert np.asarray(found.lesson)[used].tolist() == [0, 0, 1, 1]
    share = np.exp(-0.2 / learning.SHARPNESS)
    np.testing.assert_allclose(np.asarray(found.weight)[used], [1, share, share, 1], rtol=1e-5)
    assert set(np.asarray(found.lesson)[~used].tolist()) == {2}


def test_the_fittest_with_different_fitness_come_before_copies():
    fitness = np.array([0.5, 0.9, 0.9, -np.inf, 0.7, 0.9, np.nan], np.float32)
    assert jax.jit(fittest, static_argnums=1)(fitness, 4).tolist() == [1, 4, 0, 3]
