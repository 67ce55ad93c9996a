"""Paths around a track, the controller that follows one, and what programs see of one."""

import json
import math
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.rars.paths import roles
from envs.rars.paths.follower import looked_up
from envs.rars.places import SENSED
from envs.rars.tracks import track
from jaxgp.errors import UsageError
from jaxgp.fitness.roller import Roller
from jaxgp.fitness.rollout import number_of
from jaxgp.games.casting import cast
from jaxgp.genotypes import language as languages

DATA = Path(__file__).parents[3] / "docs" / "data"
OVAL = track("oval2")
MANY = len(roles.path_set(OVAL).terminals)
AT_REST = (0.0,) * MANY


def sensed(**given):
    return np.array([given.get(name, 0.0) for name in SENSED], np.float32)


@cache
def viewing():
    """What a program sees that follows the path from the grid, compiled."""
    world = envs.make("rars", track="oval2", friction="fixed")
    assert world.course == OVAL
    follower = roles.Follower(roles.path_set(OVAL), None, roles.FollowOptions(), course=OVAL, numbers=AT_REST)
    return jax.jit(follower.view)


def seen(**given):
    """What a program sees of the path that goes on from the grid, by the names of the terminals."""
    found = np.asarray(viewing()(sensed(**given)))[-len(roles.INDICATORS) :]
    return dict(zip(roles.INDICATORS, found.tolist(), strict=True))


@pytest.mark.thorough
def test_a_path_of_zeros_keeps_the_place_of_the_grid_and_no_path_leaves_the_road():
    it = roles.basis(OVAL)
    straight = roles.plan(OVAL, jnp.zeros(MANY)).table
    assert np.allclose(straight[:, 0], it.way.grid + it.way.bent, atol=1e-4)
    wild = roles.plan(OVAL, jnp.asarray(np.random.default_rng(0).uniform(-1, 1, MANY), jnp.float32)).table
    assert float(jnp.abs(wild[:, 0]).max()) <= OVAL.width / 2 - roles.MARGIN + 1e-3


def test_between_two_stations_a_table_is_read_in_proportion():
    it = roles.basis(OVAL)
    table = np.arange(5.0 * len(it.way.distance), dtype=np.float32).reshape(-1, 5)
    begin, end = np.asarray(it.way.distance)[40:42]
    places = np.array([begin, begin + 0.25 * (end - begin), end], np.float32)
    found = jax.jit(lambda table, places: looked_up(it.way, it.grid, table, places))(table, places)
    assert np.allclose(np.asarray(found)[:, 0], [200, 201.25, 205], atol=1e-2)


def test_programs_see_where_the_path_is_and_where_it_leads():
    # The back straight, from 1,220 ft to 1,820 ft behind the finish line.
    right = OVAL.width / 2 + roles.basis(OVAL).way.grid
    on_it = seen(distance=1520.0, to_rgt=right, v=100.0)
    assert (on_it["PO"], on_it["PA"], on_it["PC"]) == pytest.approx((0, 0, 0), abs=1e-3)
    beside = seen(distance=1520.0, to_rgt=right - 0.1 * OVAL.width, v=100.0, vn=-10.0)
    assert (beside["PO"], beside["PA"]) == pytest.approx((0.1, 0.1), abs=1e-3)
    # Half a second at 100 ft/s is 50 ft.
    assert seen(distance=1470.0, to_rgt=right, v=100.0)["PW"] == pytest.approx(on_it["PV"], abs=1e-5)


def test_a_left_curve_has_a_curvature_above_zero_and_a_speed_that_friction_allows():
    middle_of_the_arc = OVAL.lengths[0] - OVAL.finish * OVAL.segments[0][1] + OVAL.lengths[1] / 2
    right = OVAL.width / 2 + roles.basis(OVAL).way.grid
    found = seen(distance=middle_of_the_arc, to_rgt=right, v=100.0)
    radius = abs(OVAL.arcs[1][0]) - right
    assert found["PC"] == pytest.approx(400 / radius, rel=0.02)
    assert 0.9 < found["PV"] * 100 / math.sqrt(1.05 * 32.2 * radius) < 1.01


@pytest.mark.thorough
def test_the_controller_drives_the_path_of_zeros_to_the_finish():
    world = envs.make("rars", track="oval2", friction="fixed", seconds=60.0)
    there = cast(envs.spec("rars"), world, "path")
    genome = languages.parse(there.language, f"(PROGRAM {' '.join(['0.0'] * MANY)})")
    one = jax.tree.map(lambda x: x[None], genome)
    roller = Roller(world, there.actor)
    found = jax.jit(lambda g, keys: roller.measure(there.actor.prepare(g), keys).measures)(
        one, jax.random.split(jax.random.key(0), 1)
    )
    by_name = {name: float(found[0, 0, 0, number_of(world, name)]) for name in ("finished", "damage", "time")}
    assert (by_name["finished"], by_name["damage"]) == (1, 0)
    assert 28.2 < by_name["time"] < 45


def test_the_champion_follows_the_path_that_comes_along():
    there = cast(envs.spec("rars"), envs.make("rars"), "follow", values={"factors": True})
    champion = json.loads((DATA / "champions" / "rars_follow.jsonl").read_text().splitlines()[0])
    assert champion["language"]["name"] == there.language.name


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": None}, "program.path=null: accepted: the text of a champion with program.role=path on v01"),
        (
            {"path": "nowhere.json"},
            "program.path=nowhere.json: accepted: the text of a champion with program.role=path on v01",
        ),
    ],
)
def test_without_a_path_of_the_track_nothing_is_followed(options, said):
    with pytest.raises(UsageError, match=said):
        cast(envs.spec("rars"), envs.make("rars", track="v01"), "follow", values=options)
