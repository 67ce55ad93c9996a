"""Recorded runs of the original simulator, step by step: to 1e-5 ft, with damage, segments and laps exact."""

import math

import jax.numpy as jnp
import pytest

from envs.rars import physics, places, tracks
from envs.rars.rules import Rars
from tests.envs.rars.traces import EXCERPT, differences, read, replayed, shared


@pytest.mark.thorough
def test_the_beginning_of_a_recorded_run_is_followed():
    trace = read(EXCERPT)
    assert differences(trace, replayed([trace])[0]) == []


@pytest.mark.slow
def test_whole_recorded_runs_are_followed():
    traces = [read(path) for path in shared()]
    plain = [trace for trace in traces if trace.seed is None]
    assert (len(plain), len(traces)) == (10, 11)
    found = replayed(plain)
    assert [differences(trace, one) for trace, one in zip(plain, found, strict=True)] == [[]] * len(plain)
    assert sum(len(trace.columns["t"]) for trace in traces) == 17977
    rough = [trace for trace in traces if trace.seed is not None]
    assert [differences(trace, one) for trace, one in zip(rough, replayed(rough), strict=True)] == [[]]
    # Tuto2 on sepang leaves the road for 501 steps, and drives backward in 122.
    (lost,) = (one for trace, one in zip(plain, found, strict=True) if one["damage"].max() > 20000)
    assert ((lost["off"] > 0).sum(), lost["backward"].sum()) == (501, 122)
    assert lost["last_lap"].max() == pytest.approx(209.4973, abs=1e-4)


def never_off(world, state):
    return jnp.zeros(1, jnp.int32)


def near(world, state):
    return jnp.minimum(OFF(world, state), 1)


def at_rest(world, *given):
    state = START(world, *given)
    return state.replace(car=state.car.replace(wx=state.car.vx, wy=state.car.vy))


def later(tables, row, x, y):
    return PAST(tables, row, x - 1, y)


OFF, START, PAST = Rars.off, Rars.start, places.past_end
"""The rules as they are."""

WRONG = {
    "a step of 0.055 s": (physics, "DT", 0.055),
    "gravity of the physicists": (physics, "GRAVITY", 32.174),
    "less drag": (physics, "DRAG", 0.00649),
    "a lighter car": (physics, "MASS", 74.9),
    "more fuel for the work": (physics, "CONSUMPTION", 0.46e-6),
    "a faster nose": (physics, "SWING", 3.3),
    "all power after a cut": (physics, "CUT", 1.0),
    "less drag off the road": (physics, "ROUGH", (0.6, 0.0079)),
    "no more drag far off the road": (Rars, "off", near),
    "a road without edges": (Rars, "off", never_off),
    "less damage": (physics, "HURT", 51.0),
    "a first step like all others": (Rars, "start", at_rest),
    "segments that end later": (places, "past_end", later),
    "a more exact pi": (tracks, "PI", math.pi),
}


@pytest.mark.slow
@pytest.mark.parametrize("error", WRONG)
def test_errors_in_the_rules_are_caught(error, monkeypatch):
    monkeypatch.setattr(*WRONG[error])
    _forget()
    traces = [read(path) for path in shared() if path.name.split("_")[0] in ("sepang", "clkwis") and "nR" in path.name]
    try:
        assert any(differences(trace, one) for trace, one in zip(traces, replayed(traces), strict=True))
    finally:
        _forget()


def _forget():
    """Let tables be made anew."""
    tracks.public.cache_clear()
    tracks.tables.cache_clear()
