"""Searches that are shared out among the cores of a CPU, in processes of their own: devices are made at the start."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from jaxgp.search import cores
from tests.search.on_cores import COUNT, QUEUE, searched

ROOT = Path(__file__).parents[2]


def on(*arguments, **environment):
    given = {key: value for key, value in os.environ.items() if key not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    given |= {"PYTHONPATH": str(ROOT), "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "JAX_PLATFORMS": "cpu"} | environment
    command = [sys.executable, "-m", "tests.search.on_cores", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_on_any_number_of_cores_the_same_is_found():
    """Ten places in the queue are no multiple of three; eight of them, one and none are searched."""
    alone = searched()
    shared = on("3")
    assert shared["devices"] == 3
    assert shared["found"] == alone
    values, nodes = alone[0]
    assert [count > 0 for count in nodes] == [place < COUNT for place in range(QUEUE)]
    assert all(any(value is not None for value in row) for row in values[:COUNT])


def test_who_has_said_how_many_devices_there_are_is_heeded():
    assert on("3", "devices", XLA_FLAGS="--xla_force_host_platform_device_count=2") == {"devices": 2}
    assert on("3", "devices", JAX_NUM_CPU_DEVICES="1") == {"devices": 1}


def test_by_default_all_cores_are_used_up_to_a_limit(monkeypatch):
    asked = []
    update = lambda name, number: asked.append((name, number))  # noqa: E731
    monkeypatch.setattr(cores.jax, "config", SimpleNamespace(update=update, jax_num_cpu_devices=-1))
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=here")
    for there in (2, 100, 1):
        monkeypatch.setattr(cores, "available", lambda there=there: there)
        cores.use()
    assert asked == [("jax_num_cpu_devices", 2), ("jax_num_cpu_devices", cores.MOST)]
    assert os.environ["XLA_FLAGS"].endswith(" --xla_dump_to=here")
    assert cores.available() >= 1


@pytest.mark.parametrize("number", [None, 2])
def test_after_the_first_computation_nothing_changes(monkeypatch, number):
    devices, flags, update = cores.jax.local_device_count(), os.environ.get("XLA_FLAGS"), cores.jax.config.update
    monkeypatch.setattr(cores, "available", lambda: 2)
    monkeypatch.setattr(cores.jax, "config", SimpleNamespace(update=update, jax_num_cpu_devices=-1))
    cores.use(number)
    assert os.environ.get("XLA_FLAGS") == flags
    assert cores.jax.local_device_count() == devices
