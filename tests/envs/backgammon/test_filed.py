"""Files of lessons: what is read of them, and what is refused."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon.lessons import filed
from jaxgp.errors import UsageError
from jaxgp.fitness.taught.lessons import LessonFitness
from jaxgp.games.casting import cast
from jaxgp.players.taught import Lessons

GAME = envs.make("backgammon")
BEGIN = np.zeros(26, np.int8)
BEGIN[[6, 8, 13, 24]] = [5, 3, 5, 2]


@pytest.fixture
def path(tmp_path):
    """A file of two lessons with two and three turns; of turn n of lesson l one man has moved by l + n points."""
    change = np.zeros((5, 2, 26), np.int8)
    for row, moved in enumerate([1, 2, 2, 3, 4]):
        change[row, 0, [13, 13 - moved]] = -1, 1
    parts = {
        "own": np.stack([BEGIN, BEGIN]),
        "other": np.stack([BEGIN, BEGIN]),
        "dice": np.array([[2, 1], [6, 6]], np.int8),
        "count": np.array([2, 3], np.uint8),
        "change": change,
        "points": np.array([100, -200, 300, 400, 500], np.int16),
        "wins": np.array([1, 2, 3, 4, 5], np.int16),
    }
    np.savez_compressed(tmp_path / "lessons.npz", **parts)
    return tmp_path / "lessons.npz"


def test_lessons_have_their_states_their_positions_and_the_values_of_the_rules(path):
    found = filed.read(GAME, path)
    assert len(found) == 2
    lessons = jax.device_get(jax.jit(found.take)(np.array([1, 0, 1])))
    assert lessons.states.dice.tolist() == [[6, 6], [2, 1], [6, 6]]
    np.testing.assert_allclose(lessons.values[:2], [[0.03, 0.04, 0.05], [0.01, -0.02, -np.inf]])
    own, other = lessons.outcomes
    assert [int(np.argmax(own[0, n] - BEGIN)) for n in range(3)] == [11, 10, 9]
    assert [int(np.argmax(own[1, n] - BEGIN)) for n in range(2)] == [12, 11]
    assert (other == BEGIN).all()
    single = envs.make("backgammon", gammons=False)
    values = jax.jit(lambda at: filed.read(single, path).take(at).values)(np.array([0]))
    np.testing.assert_allclose(values, [[1e-4, 2e-4, -np.inf]])


def test_parts_are_joined_cut_and_told_apart_by_their_digest(path):
    with np.load(path) as file:
        part = dict(file)
    twice = filed.join([part, part])
    assert len(twice["change"]) == 10
    again = filed.first(twice, 2)
    assert filed.digest(again) == filed.digest(part) != filed.digest(filed.first(twice, 3))


def test_what_is_no_such_file_is_refused(path, tmp_path):
    def refused(content):
        (tmp_path / "wrong.npz").write_bytes(content)
        filed.read.cache_clear()
        with pytest.raises(UsageError, match=r"^fitness\.file=.*wro\S*: accepted: a file of python scripts/studies"):
            filed.read(GAME, tmp_path / "wrong.npz")

    refused(b"no archive")
    refused(path.read_bytes()[:-100])
    with np.load(path) as file:
        part = dict(file)
    np.savez_compressed(tmp_path / "wrong.npz", **part | {"count": np.array([2, 2], np.uint8)})
    refused((tmp_path / "wrong.npz").read_bytes())


def test_lessons_that_are_held_back_measure_and_the_others_teach():
    drawn = []

    class Noted:
        def take(self, places):
            drawn.append(places.tolist())
            return Lessons(places, places, places)

    of = partial(LessonFitness, cast(envs.spec("backgammon")).actor, None, 4, 10, held=3)
    fitness, key = of(filed=Noted()), jax.random.key(0)
    assert fitness._drawn(key, None).values.tolist() == [0, 1, 2]
    assert set(fitness._places(key, 1000).tolist()) == set(range(3, 10))
    inside = Lessons(*[jnp.arange(10)] * 3)
    assert of()._drawn(key, inside).values.tolist() == [0, 1, 2]
    assert sorted(of()._places(key, 7).tolist()) == list(range(3, 10))
