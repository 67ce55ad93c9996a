"""Races in words and pictures."""

import math
import xml.etree.ElementTree as ET

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.rars import render
from envs.rars.places import SENSED


@pytest.fixture(scope="module")
def rollout():
    """Fifty seconds of a car that stands at its start, as it would be recorded, put where it might have been."""
    world = envs.make("rars", track="v01", friction="fixed")
    start = jax.jit(world.init)(jax.random.key(0))
    count = 911
    states = jax.tree.map(lambda x: np.repeat(np.asarray(x)[None], count, 0), start)
    car = states.car.replace(x=states.car.x + np.linspace(0, 300, count)[:, None].astype(np.float32))
    off = np.cumsum(np.arange(count) > 800)[:, None]
    return world, states.replace(car=car, steps=np.arange(count), off_road=off)


def test_a_race_is_told_second_by_second(rollout):
    lines = list(render.lines(*rollout))
    assert len(lines) == 51  # the last one is the end
    assert lines[0].startswith("   0.0 s  segment   0 of 6")
    assert "20.0 ft/s  laps 0" in lines[0]
    assert render.text(rollout[0], jax.tree.map(lambda x: x[-1], rollout[1])) == lines[-1]


def test_pictures_show_the_track_and_every_second_of_each_path(rollout):
    world, states = rollout
    picture = render.picture(world, {("one <driver>",): states, ("another",): states})
    root = ET.fromstring(picture)
    circles = root.findall(".//{*}circle")
    assert sum(one.get("class") == "ten" for one in circles) == 2 * 5
    assert sum(one.get("r") == "2.2" for one in circles) == 2 * 45
    assert picture.count("@keyframes") == 2
    texts = root.findall(".//{*}text")
    assert [one.text.split(":")[0] for one in texts if one.get("class") is None] == ["one <driver>", "another"]
    assert len(root.findall(".//{*}path[@class='speed']")) == 2
    assert "prefers-reduced-motion" in picture
    assert len(picture) < 100_000


@pytest.mark.thorough
def test_a_moment_shows_from_near_what_a_car_perceives(rollout):
    world, states = rollout
    state = jax.tree.map(lambda x: x[0], states)
    root = ET.fromstring(render.svg(world, state))
    (near,) = root.findall("./{*}svg")
    (seen,) = np.asarray(world.sensed(state)).T
    by_name = dict(zip(SENSED, seen.tolist(), strict=True))
    # The car stands along the road: the line to its left wall is as long, against that to its right wall, as it says.
    lengths = {name: _length(near.find(f".//{{*}}path[@class='{name}']")) for name in ("ray", "side", "other")}
    assert lengths["side"] / lengths["other"] == pytest.approx(by_name["to_lft"] / by_name["to_rgt"], rel=0.05)
    assert lengths["ray"] / lengths["other"] == pytest.approx(by_name["ahead"] / by_name["to_rgt"], rel=0.05)
    said = [one.text for one in root.findall("./{*}text")]
    assert f"AH {by_name['ahead']:.4g} ft: ahead to the first wall" in said


def _length(path):
    """Return how long a straight path is, in units of its picture."""
    (x, y), (to_x, to_y) = ((float(n) for n in place.split()) for place in path.get("d")[1:].split("L"))
    return math.hypot(to_x - x, to_y - y)


def test_a_car_that_is_out_is_said_to_be_broken(rollout):
    world, states = rollout
    state = jax.tree.map(lambda x: x[0], states)
    state = state.replace(car=state.car.replace(damage=np.array([30001])), out=jnp.array([True]))
    assert render.text(world, state).endswith("damage 30001  broken")
