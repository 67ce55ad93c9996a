"""Recorded rounds of the engine, turn by turn: from the commands of both robots alone, to 1e-9."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from envs.robocode.physics import angles, constants, flight, movement
from tests.envs.robocode.traces import SETS, commanded, replayed


def check(name):
    """Return the number of turns of a set, none of which is further than 1e-9 from the recorded one."""
    played, places = commanded(name)
    found = replayed(played, places)
    for row, one in zip(found, played, strict=True):
        gaps = row[: len(one.robots)]
        assert gaps.max() <= 1e-9, (name, one.number, int(np.argmax(gaps > 1e-9)) + 1, gaps.max())
    return (~np.isnan(found)).sum()


@pytest.mark.thorough
def test_recorded_rounds_are_followed_from_their_commands():
    assert check("near") > 1000


@pytest.mark.slow
def test_all_recorded_rounds_are_followed_from_their_commands():
    assert sum(check(name) for name in SETS) == 28978


def never_snaps(robot, given):
    turned = TURNED(robot, given)
    return turned.replace(body=angles.wrapped(turned.body + 1e-6))


def one_box(robot, sin, cos):
    return DRIVEN(robot, sin, cos).replace(box_x=robot.box_x, box_y=robot.box_y)


def no_rams(field, robot, other, *given):
    return MOVE(field, robot, other.replace(box_x=other.box_x + 1e4), *given)


def late_bullets(*given):
    bullets, shots = FLY(*given)
    return tuple(one.replace(from_x=one.from_x - one.vx) for one in bullets), shots


def straight(field, robot, sin, cos, hurt):
    stopped, *rest = WALLED(field, robot.replace(body=robot.body * 0), sin * 0, cos * 0, hurt)
    return stopped.replace(body=robot.body), *rest


TURNED, DRIVEN, MOVE, WALLED = movement.turned, movement.driven, movement.move, movement.walled
FLY = flight.fly
"""The rules as they are."""

WRONG = {
    "a smaller robot": (constants, "HALF", 17.9),
    "larger bullets": (constants, "RADIUS", 3.5),
    "a slower gun": (constants, "GUN_RATE", math.radians(19.9)),
    "a slower radar": (constants, "RADAR_RATE", math.radians(44)),
    "rams that cost more": (constants, "RAM", 0.7),
    "fewer points for rams": (constants, "RAM_POINTS", 1.1),
    "fewer points for survival": (constants, "SURVIVAL", 49.0),
    "no points for the last survivor": (constants, "LAST", 0.0),
    "a smaller bonus for kills": (constants, "BULLET_BONUS", 0.1),
    "a limit of energy": (constants, "DISABLED", 0.5),
    "a faster tank": (constants, "FASTEST", 8.1),
    "braking too early": (movement, "braking", lambda v: jnp.abs(v)),
    "no walls on the way back": (movement, "walled", straight),
    "boxes that stay behind": (movement, "driven", one_box),
    "no rams": (movement, "move", no_rams),
    "bullets that leave later": (flight, "fly", late_bullets),
    "a body that never stands exactly": (movement, "turned", never_snaps),
}


@pytest.mark.slow
@pytest.mark.parametrize("error", WRONG)
def test_errors_in_the_rules_are_caught(error, monkeypatch):
    monkeypatch.setattr(*WRONG[error])
    found = [replayed(*commanded(name)) for name in SETS]
    assert any(np.nanmax(gaps) > 1e-9 for gaps in found)
