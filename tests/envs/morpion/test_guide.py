"""What programs that guide a search see of a legal line, against plain Python; and that their searches heed them."""

import jax
import numpy as np
import pytest

import envs
from envs.morpion import guide
from envs.morpion.listed import ListedMorpion
from envs.morpion.notation.saved import line_points, new_crosses
from envs.morpion.roles import GUIDE, Options
from envs.morpion.rules import Morpion
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.search.nrpa import Nested
from tests.envs.replays import KEY, stepping

LENGTH = 5


def seen(game, played, legal_since, action):
    """Return the features of a legal line as their declarations word them."""
    points, crosses = line_points(game, action), new_crosses(game, [*played, action])
    new, last = crosses[-1], crosses[-2] if played else None
    age = len(played) - legal_since
    place = points.index(new)
    away = 7 if last is None else max(abs(new[0] - last[0]), abs(new[1] - last[1]))
    middle = max(abs(new[0] - 20.5), abs(new[1] - 21.5))
    about = next((value for value, most in ((0, 0), (1, 1), (3, 3), (6, 7), (12, 15)) if age <= most), 24)
    direction = action // game.size**2
    return [about, min(away, 7), min(int(middle), 11), direction % 2, min(place, 4 - place), min(len(played) // 16, 7)]


def test_kinds_are_those_of_plain_python_all_through_a_game():
    game = Morpion()
    listed = ListedMorpion(game)
    step, kinds = jax.jit(listed.step), jax.jit(lambda state: guide.kinds(listed, state))
    table, rng, met = guide.table(), np.random.default_rng(5), set()
    state, played, since = listed.init(), [], {}
    while True:
        options = np.asarray(listed.options(state))
        slots = np.flatnonzero(options < game.num_actions)
        if not slots.size:
            break
        since = {action: since.get(action, len(played)) for action in options[slots].tolist()}
        found = table[:, np.asarray(kinds(state))[slots]].T
        for action, row in zip(options[slots].tolist(), found.tolist(), strict=True):
            assert row == seen(game, played, since[action], action)
            met |= set(enumerate(row))
        played.append(int(rng.choice(options[slots])))
        state = step(state, played[-1])
    assert len(played) > 40
    assert len(met) > 25, "most classes of most features"


@pytest.fixture(scope="module")
def player():
    game = envs.make("morpion")
    return GUIDE.make(game, Options(iterations=4, searches=3))[1]


def programs(player, *texts):
    made = [parse_program(player.primitives, text, 16) for text in texts]
    return jax.tree.map(lambda *x: np.stack(x), *made)


@pytest.mark.thorough
def test_biases_are_the_values_of_a_program_for_each_kind(player):
    text = ("(ADD LAST (MUL -2.0 STAGE))", "(IF_< AGE MIDDLE INSIDE 1.5)", "(MUL 4.0 (MUL 4.0 (MUL 4.0 4.0)))")
    age, last, middle, _, inside, stage = player.features
    found = jax.jit(player.prepare)(programs(player, *text))
    wanted = [last - 2 * stage, np.where(age < middle, inside, 1.5), np.full_like(age, 40)]
    np.testing.assert_allclose(found, np.stack(wanted).clip(-40, 40))


@pytest.fixture(scope="module")
def searched(player):
    """What a program without preferences finds and one that has strong ones, and the games that both play."""

    def run(made):
        biases = player.prepare(made)
        return player.search(jax.random.key(0), biases), player.play(biases)

    strongly = "(MUL -4.0 (MUL 4.0 LAST))"  # e ** -16 for each step away from the newest cross
    return jax.device_get(jax.jit(run)(programs(player, "1.0", strongly)))


@pytest.mark.slow
def test_a_search_follows_its_guide_and_one_without_preferences_is_plain(player, searched):
    line, _ = searched
    plain = jax.device_get(Nested(player.nested.game, 2, 4).search(jax.random.key(0), 6))
    assert line.actions[:3].tolist() == plain.actions[:3].tolist()
    game = player.game
    for n in range(3, 6):
        played = line.actions[n, : line.length[n]].tolist()
        crosses = np.array(new_crosses(game, played))
        ours = np.abs(np.diff(crosses, axis=0)).max(1).mean()
        others = np.array(new_crosses(game, plain.actions[n, : plain.length[n]].tolist()))
        assert ours < np.abs(np.diff(others, axis=0)).max(1).mean() - 0.5


@pytest.mark.slow
def test_the_game_of_a_guide_is_the_best_of_its_searches(player, searched):
    line, played = searched
    scores = line.score.reshape(2, 3)
    assert played.states.count.tolist() == scores.max(1).tolist() == played.plies.tolist()
    assert played.states.terminated.all()
    follow = jax.jit(stepping(player.game))
    for program, best in enumerate(scores.argmax(1)):
        state, row = player.game.init(KEY), 3 * program + best
        for action in line.actions[row, : line.length[row]]:
            state = follow(state, action)
        state = jax.device_get(state)
        assert jax.tree.all(jax.tree.map(lambda a, b, n=program: (a == b[n]).all(), state, played.states))


def test_a_grid_that_is_too_large_is_refused():
    with pytest.raises(ValueError, match=r"game\.size=40: accepted"):
        GUIDE.make(Morpion(size=40), Options())
    with pytest.raises(ValueError, match=r"program\.searches=0: accepted: a whole number from 1 to 1000"):
        cast(envs.spec("morpion"), role="guide", values={"searches": 0})


def test_more_playouts_than_a_search_can_count_are_refused():
    accepted = {1: 1000, 3: 1000, 4: 215, 5: 73}
    for level, most in accepted.items():
        cast(envs.spec("morpion"), role="guide", values={"level": level, "iterations": most})
    for level in (4, 5):
        said = rf"program\.iterations={accepted[level] + 1}: accepted: .* to {accepted[level]} .*program\.level={level}"
        with pytest.raises(ValueError, match=said):
            cast(envs.spec("morpion"), role="guide", values={"level": level, "iterations": accepted[level] + 1})
