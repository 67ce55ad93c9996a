"""The way ahead against a plain ray caster, at random places and headings of all public tracks."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rars import ray, tracks
from tests.envs.rars.caster import cast

COURSES = tuple(tracks.public().values())


def drawn(count):
    """Rows, places and directions in the frames of segments, [count, 5], and what the plain caster says, [count, 2]."""
    rng = np.random.default_rng(1)
    firsts = np.cumsum([0, *(len(course.segments) for course in COURSES)])
    given, found = [], []
    for _ in range(count):
        number = rng.integers(len(COURSES))
        course = COURSES[number]
        segment = rng.choice(len(course.segments), p=course.lengths / course.length)
        (radius, extent), (left, top, base) = course.arcs[segment], course.frames[segment]
        along, side = rng.uniform(0, extent), rng.uniform(0, course.width)
        # Half of the headings are about along the road, where rays pass many segments.
        heading = rng.normal(0, 0.3) if rng.random() < 0.5 else rng.uniform(-math.pi, math.pi)
        x, y = along, side
        if radius:
            turn = math.copysign(along, radius)
            heading += turn
            x, y = (radius - side) * math.sin(turn), radius - (radius - side) * math.cos(turn)
        given.append((firsts[number] + segment, x, y, math.cos(heading), math.sin(heading)))
        cos, sin = math.cos(base), math.sin(base)
        found.append(cast(course, segment, left + x * cos - y * sin, top + y * cos + x * sin, base + heading))
    return np.array(given), np.array(found)


def rays(given, kind):
    with jax.enable_x64(kind == np.float64):
        places = (jnp.asarray(column, kind) for column in given[:, 1:].T)
        cast_all = jax.jit(lambda row, *rest: jnp.stack(ray.ahead(COURSES, row, *rest), 1))
        return np.asarray(cast_all(jnp.asarray(given[:, 0], jnp.int32), *places))


def agree(count):
    given, plain = drawn(count)
    for kind, limit in ((np.float64, 1e-8), (np.float32, 0.01)):
        found = rays(given, kind)
        assert np.abs(found[:, 0] - plain[:, 0]).max() < limit
        assert np.abs(np.angle(np.exp(1j * (found[:, 1] - plain[:, 1])))).max() < limit
    return plain


def test_rays_end_where_plain_ones_do():
    assert agree(2000)[:, 0].max() > 2000  # feet, over many segments


@pytest.mark.slow
def test_a_hundred_thousand_rays_end_where_plain_ones_do():
    agree(100_000)
