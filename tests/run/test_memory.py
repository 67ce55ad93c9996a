"""A run that does not fit into the memory is refused before it starts, by the option that makes it large."""

import jax
import jax.numpy as jnp
import pytest

from jaxgp.errors import RunError, UsageError
from jaxgp.run import memory
from tests.run.conduct_toy import run
from tests.run.toy_experiment import advanced, config, first


def test_the_memory_of_this_machine_is_known():
    free = memory.available()
    assert free is None or 2**20 < free < 2**50


def test_the_limit_of_a_container_counts_without_what_can_be_freed(tmp_path, monkeypatch):
    (tmp_path / "meminfo").write_text("MemTotal:  9000000 kB\nMemAvailable:  4096 kB\n")
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1500000\n")
    (tmp_path / "memory.stat").write_text("anon 7\ninactive_file 500000\n")
    monkeypatch.setattr(memory, "MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "GROUPS", ())
    assert memory.available() == 4096 * 1024
    monkeypatch.setattr(memory, "GROUPS", ((tmp_path, "memory.max", "memory.current", "inactive_file"),))
    assert memory.available() == 2_000_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available() == 4096 * 1024
    monkeypatch.setattr(memory, "MEMORY", tmp_path / "nothing")
    assert memory.available() is None


def test_a_program_needs_its_arguments_its_results_and_room_to_work():
    program = jax.jit(lambda x: jnp.sort(x)[::-1] @ x).lower(jnp.zeros(10**6)).compile()
    assert 4 * 10**6 < memory.needed(program) < 40 * 10**6 * jax.local_device_count()


def test_a_state_that_does_not_fit_is_refused_by_the_option_that_makes_it_large(monkeypatch):
    shapes = jax.eval_shape(lambda key: first(key, 8), jax.random.key(0))
    memory.check_state(config(), shapes)
    monkeypatch.setattr(memory, "available", lambda: 100)
    with pytest.raises(UsageError, match=r"algorithm\.population=8: accepted: less: the run needs .* are free"):
        memory.check_state(config(), shapes)
    tables = shapes.replace(memory=jax.ShapeDtypeStruct((10**5,), jnp.float32))
    with pytest.raises(UsageError, match=r"fitness\.table_size=262144: accepted: less"):
        memory.check_state(config(), tables)


def test_a_run_that_does_not_fit_writes_nothing(tmp_path, monkeypatch):
    own = memory.needed(advanced.lower(first(jax.random.key(0), 8)).compile())
    monkeypatch.setattr(memory, "available", lambda: own - 1)
    with pytest.raises(UsageError, match=r"algorithm\.population=8"):
        run(tmp_path / "run", config())
    assert {path.name for path in (tmp_path / "run").iterdir()} == {".lock"}


def test_an_end_of_the_memory_is_told_in_one_line(tmp_path):
    def exhausted(generation):
        if generation == 4:
            raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.")

    with pytest.raises(RunError, match=r"algorithm\.population=8 or fitness\.table_size=262144: too large"):
        run(tmp_path / "run", config(), interrupt=exhausted)
    assert len(list((tmp_path / "run" / "checkpoints").glob("generation_00000004.npz"))) == 1
