"""Battles: rounds, points, what a seed decides, and how battles are shown."""

import xml.etree.ElementTree as ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.robocode import render, rules, state
from envs.robocode.physics import flight
from envs.robocode.roles import make
from jaxgp.errors import UsageError
from jaxgp.fitness.roller import Roller


@pytest.fixture(scope="module")
def battle():
    """Two rounds of TestHaiku against SpinBot."""
    world = envs.make("robocode", rounds=2, turns=600)
    one, other = (make(name, world) for name in ("haiku.TestHaiku", "sample.SpinBot"))
    roller = Roller(world, one.driver, ((other,),))
    recorded = jax.jit(lambda key: roller.record(jnp.array([one.genome], jnp.int32), key))(jax.random.key(0))
    return world, jax.device_get(recorded)


@pytest.mark.thorough
def test_rounds_follow_each_other_until_the_last_one_is_over(battle):
    world, recorded = battle
    states, steps = recorded.states, int(recorded.steps)
    assert states.round[0] == 0
    assert states.time[0] == 0
    assert states.round[steps] == world.rounds
    assert states.terminated[steps]
    begins = np.flatnonzero(np.diff(states.round[:steps]) > 0) + 1
    assert states.time[begins].tolist() == [0]
    assert states.robots[0].energy[begins[0]] == states.robots[1].energy[begins[0]] == 100


def test_who_survives_gets_sixty_points_and_shooting_costs_energy(battle):
    world, recorded = battle
    last = jax.tree.map(lambda x: x[int(recorded.steps)], recorded.states)
    found = dict(zip([one.name for one in world.quantities], np.asarray(world.measures(last)).T, strict=True))
    assert (found["survival"] == 50 * found["firsts"]).all()
    assert (found["last"] == 10 * found["firsts"]).all()
    parts = sum(found[name] for name in ("survival", "last", "bullet", "bullet_bonus", "ram", "ram_bonus"))
    np.testing.assert_allclose(found["score"], parts, rtol=1e-5)
    assert found["share"].sum() == pytest.approx(1)
    first_shot = np.argmax(recorded.states.points[0].shots > 0)
    assert first_shot >= 31  # the gun is hot until turn 30
    assert recorded.states.robots[0].energy[first_shot] == 98


def test_a_battle_is_a_small_picture_that_moves(battle):
    world, recorded = battle
    states = jax.tree.map(lambda x: x[: int(recorded.steps) + 1], recorded.states)
    drawn = render.picture(world, {("one", "other"): states})
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert len(drawn) < 1000 * int(recorded.steps)
    assert "one" in drawn
    assert "other" in drawn


def test_places_are_drawn_apart_and_depend_on_the_seed():
    world = envs.make("robocode")
    starts = jax.device_get(jax.jit(jax.vmap(world.init))(jax.random.split(jax.random.key(1), 2000))).robots
    gap = np.maximum(abs(starts[0].x - starts[1].x), abs(starts[0].y - starts[1].y))
    assert gap.min() >= 36
    assert len(np.unique(starts[0].x)) > 1990
    assert (abs(starts[1].x - 400) <= 364).all()
    assert (abs(starts[1].y - 300) <= 264).all()
    assert starts[0].body.mean() == pytest.approx(np.pi, abs=0.15)


def test_robots_stand_apart_in_the_smallest_arena():
    world = envs.make("robocode", width=150.0, height=150.0)
    one, other = jax.device_get(jax.jit(jax.vmap(world.init))(jax.random.split(jax.random.key(1), 20_000))).robots
    assert np.maximum(abs(one.x - other.x), abs(one.y - other.y)).min() >= 36
    assert max(abs(other.x - 75).max(), abs(other.y - 75).max()) <= 39


def test_a_place_beside_a_robot_is_as_likely_as_if_places_were_drawn_until_they_are_apart():
    draws = np.random.default_rng(0)
    beside = jax.jit(lambda draw: rules.beside(jnp.float32(80), jnp.float32(110), 128.0, 78.0, *draw))
    found = np.asarray(beside(jnp.asarray(draws.random((3, 40_000)), jnp.float32)))
    x, y = draws.uniform(36, 164, 400_000), draws.uniform(36, 114, 400_000)
    apart = (abs(x - 80) >= 36) | (abs(y - 110) >= 36)
    cells = [np.linspace(36, 164, 9), np.linspace(36, 114, 7)]
    shares = [np.histogram2d(*both, cells)[0] / len(both[0]) for both in (found, (x[apart], y[apart]))]
    np.testing.assert_allclose(*shares, atol=0.005)


@pytest.mark.thorough
def test_a_shot_of_the_last_energy_is_no_faster_than_one_of_a_tenth():
    given = state.Commands(jnp.int32(state.FIRE), *jnp.array([0, 0, 0, 0, 0, 2.0, 0]))
    robot = state.robot(*jnp.array([100.0, 100.0, 1.0])).replace(energy=jnp.float32(0.036), heat=jnp.float32(0))
    after, shell = flight.command(robot, jnp.bool_(False), given)
    assert shell.power == pytest.approx(0.036)
    assert jnp.hypot(shell.vx, shell.vy) == pytest.approx(19.7)
    assert after.energy == 0


def test_in_no_arena_that_is_accepted_more_bullets_fly_than_have_slots():
    powers = np.array([0.01, *np.linspace(0.1, 3, 291)])
    for width, height, cooling in (
        (800, 600, 0.1),
        (800, 600, 0.5),
        (3769, 150, 0.1),
        (2670, 2670, 0.1),
        (1000, 1000, 0.25),
        (500, 350, 0.7),
        (150, 150, 0.7),
    ):
        slots = rules.Robocode(width=width, height=height, cooling=cooling).slots
        turns = np.ceil(np.hypot(width - 21, height - 21) / (20 - 3 * np.maximum(powers, 0.1)))
        # From the newest bullet back: turns since each shot, by the powers that make them as few as can be.
        flying, since = 0, 0.0
        while np.isfinite(since):
            flying += 1
            earlier = since + np.ceil((1 + powers / 5 - 2e-5) / cooling)
            since = np.where(turns > earlier, earlier, np.inf).min()
        assert flying <= slots <= state.MOST_SLOTS


@pytest.mark.parametrize("slots", [state.SLOTS, 12, state.MOST_SLOTS])
def test_words_of_many_slots_say_which_bullets_meet_as_words_of_few_do(slots):
    places = jax.random.uniform(jax.random.key(slots), (2, 5, slots), minval=0, maxval=40)
    old = [state.Bullets(*x, jnp.ones(slots)) for x in places]
    after = [bullets.replace(from_x=bullets.x, from_y=bullets.y) for bullets in old]
    new = jnp.arange(slots) % 5 == 0, jnp.arange(slots) % 7 == 0
    found = flight._told(flight.meetings(*zip(old, after, strict=True), *new))
    (before, mine), (earlier, theirs) = [tuple(map(flight._line, pair)) for pair in zip(old, after, strict=True)]
    expected = flight.Meetings(
        flight.cross(mine, earlier) & ~new[1],
        flight.cross(before, theirs) & ~new[0][:, None],
        flight.cross(mine, theirs),
    )
    for words, crosses in zip(found, expected, strict=True):
        assert np.array_equal((np.asarray(words)[:, None] >> np.arange(slots)) & 1, np.asarray(crosses))
        assert crosses.any()
        assert not crosses.all()


def test_a_slot_is_found_for_every_shot_until_all_are_full():
    shell = flight.Shell(*jnp.array([1.0, 2.0, 3.0, 4.0, 0.0, 0.5]))
    bullets = state.bullets(jnp.float32(0), slots=12)
    for number in range(12):
        bullets, new = flight.added(bullets, shell)
        assert new.tolist() == [slot == number for slot in range(12)]
    assert (bullets.power > 0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 0}, "game.rounds=0"),
        ({"width": 60.0}, "game.width=60"),
        ({"width": 3000.0, "height": 2667.0}, "game.width=3000.0: .* to 2679 .*31 bullets"),
        ({"width": 2667.0, "height": 3000.0}, "game.height=3000.0: .* to 2679 .*31 bullets"),
        ({"cooling": 0.6}, "game.cooling=0.6: .* to 0.5 .*in an arena of 800 x 600"),
        ({"places": "(1,2,3)"}, "game.places"),
        ({"places": "(100,100,0),(110,100,0)"}, "and apart"),
        ({"precision": "float64"}, "JAX_ENABLE_X64"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        rules.Robocode(**settings)
