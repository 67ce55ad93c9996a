"""Searches that are shared out among the cores of a CPU, in a process of its own: devices are made at the start."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import pytest

from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from tests.search.cases import GAME, PLAIN, check, lead, plain_lead
from tests.search.on_cores import COUNT, DEPTHS, POSITIONS, PRICES, QUEUE, drawn, searched, solved

ROOT = Path(__file__).parents[2]


def on(*arguments, **environment):
    given = {key: value for key, value in os.environ.items() if key not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    given |= {"PYTHONPATH": str(ROOT), "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "JAX_PLATFORMS": "cpu"} | environment
    command = [sys.executable, "-m", "tests.search.on_cores", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def shared():
    """What three cores find."""
    return on("3")


@pytest.mark.thorough
def test_on_several_cores_each_root_is_searched_as_if_it_were_alone(shared):
    """Ten places in the queue are no multiple of three; eight of them, one and none are searched."""
    assert shared["devices"] == 3
    for (values, nodes), count in zip(shared["found"], (COUNT, 1, 0), strict=True):
        assert [number > 0 for number in nodes] == [place < count for place in range(QUEUE)]
        rows = np.array(values, np.float32)  # None becomes NaN
        assert np.isnan(rows[count:]).all()
        result = SimpleNamespace(values=np.where(np.isnan(rows[:count]), -np.inf, rows[:count]))
        check(POSITIONS[:count], DEPTHS[:count], result, "all", [priced(*PRICES[place % 2]) for place in range(count)])


def priced(coin, move):
    return lambda position: coin * plain_lead(position) + move


@pytest.mark.slow
def test_on_any_number_of_cores_the_same_is_found(shared):
    assert shared["found"] == searched()


def test_on_several_cores_games_are_searched_natively_as_on_one():
    native, values = drawn()
    assert on("2", "checkers") == {"devices": 2, "found": [native, values]}
    alone = AlphaBeta(GAME, lead, 2).why_in_lanes(jax.tree.map(lambda x: x[0], PLAIN.states(POSITIONS)))
    assert native == (not alone)
    assert len({tuple(row) for row in values[:COUNT]}) > 1


@pytest.mark.slow
def test_puzzles_are_shared_out_as_games_are():
    shared = on("3", "puzzles")
    assert shared == {"devices": 3, "found": solved()}
    assert [number > 0 for number in shared["found"][1]] == [place < COUNT for place in range(QUEUE)]


@pytest.mark.slow
def test_who_has_said_how_many_devices_there_are_is_heeded():
    assert on("3", "devices", XLA_FLAGS="--xla_force_host_platform_device_count=2") == {"devices": 2}
    assert on("3", "devices", JAX_NUM_CPU_DEVICES="1") == {"devices": 1}


@pytest.fixture
def asked(monkeypatch):
    """What is asked of JAX, which says that nobody has set the number of devices."""
    found = []
    config = SimpleNamespace(update=lambda *option: found.append(option), jax_num_cpu_devices=-1)
    monkeypatch.setattr(cores.jax, "config", config)
    return found


def test_by_default_all_cores_are_used_up_to_a_limit(monkeypatch, asked):
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=here")
    for there in (2, 100, 1):
        monkeypatch.setattr(cores, "available", lambda there=there: there)
        cores.use()
    assert asked == [("jax_num_cpu_devices", 2), ("jax_num_cpu_devices", cores.MOST)]
    assert os.environ["XLA_FLAGS"].endswith(" --xla_dump_to=here")
    assert cores.available() >= 1


def test_nothing_is_asked_where_the_user_has_said_how_many_devices_there_are(monkeypatch, asked):
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    cores.use(3)
    monkeypatch.delenv("XLA_FLAGS")
    cores.jax.config.jax_num_cpu_devices = 1
    cores.use(3)
    assert not asked
    assert "XLA_FLAGS" not in os.environ


@pytest.mark.parametrize("number", [None, 3])
def test_after_the_first_computation_it_is_too_late_and_said_so(monkeypatch, number):
    devices, flags, update = cores.jax.local_device_count(), os.environ.get("XLA_FLAGS"), cores.jax.config.update
    monkeypatch.setattr(cores, "available", lambda: 3)
    monkeypatch.setattr(cores.jax, "config", SimpleNamespace(update=update, jax_num_cpu_devices=-1))
    with pytest.warns(RuntimeWarning, match=f"cores=3: too late, .* searches use {devices}"):
        cores.use(number)
    assert os.environ.get("XLA_FLAGS") == flags
    assert cores.jax.local_device_count() == devices
    cores.use(1)  # says nothing, since nothing is to change
