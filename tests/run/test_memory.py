"""A run that does not fit into the memory is refused before it starts, by the option that makes it large."""

import re
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import pytest

from jaxgp.errors import RunError, UsageError
from jaxgp.run import loop, memory
from jaxgp.run.signals import Stop
from jaxgp.seats.options import opponent
from tests.run.conduct_toy import rows, run
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


def test_a_limit_of_the_process_counts_without_what_it_has_mapped(monkeypatch, tmp_path):
    (tmp_path / "statm").write_text("300 200 100\n")
    monkeypatch.setattr(memory, "PAGES", tmp_path / "statm")
    monkeypatch.setattr(memory.resource, "getrlimit", lambda kind: (2**21, 2**22))
    assert memory.available() == 2**21 - 300 * memory.resource.getpagesize()


def test_a_program_needs_its_arguments_its_results_and_room_to_work():
    program = jax.jit(lambda x: jnp.sort(x)[::-1] @ x).lower(jnp.zeros(10**6)).compile()
    assert 4 * 10**6 < memory.count_bytes(program) < 40 * 10**6 * jax.local_device_count()


def test_a_state_that_does_not_fit_is_refused_by_the_option_that_makes_it_large(monkeypatch):
    shapes = jax.eval_shape(lambda key: first(key, 8), jax.random.key(0))
    memory.check_state(config(), shapes)
    monkeypatch.setattr(memory, "available", lambda: 100)
    with pytest.raises(UsageError, match=r"algorithm\.population=8: accepted: less: the run needs .* are free"):
        memory.check_state(config(), shapes)
    tables = shapes.replace(memory=jax.ShapeDtypeStruct((10**5,), jnp.float32))
    with pytest.raises(UsageError, match=r"fitness\.table_size=262144: accepted: less"):
        memory.check_state(config(), tables)


def test_the_largest_number_at_a_time_that_may_fit_is_tried_next():
    """In proportion first, then by a straight line through what two numbers needed."""
    divisors = [64, 32, 16, 8, 4, 2, 1]
    assert memory.lower(divisors, {64: 6400}, 3300) == 32
    assert memory.lower(divisors, {64: 6400, 32: 4400}, 3300) == 8  # 2400 bytes and 62.5 each
    assert memory.lower(divisors, {64: 6400, 32: 4400}, 2400) == 0
    assert memory.lower([64], {64: 6400}, 3300) == 0


class Chunked:
    """An experiment whose program needs 1,000 bytes for the population and 100 for each individual at a time."""

    def __init__(self, chunks, made):
        self.chunks, self.made = chunks, made

    def in_chunks(self, chunk):
        return Chunked([one for one in self.chunks if one <= chunk], self.made)

    def compiled(self):
        self.made.append(self.chunks[0])
        sizes = {"argument_size_in_bytes": 400, "output_size_in_bytes": 400}
        need = SimpleNamespace(**sizes, temp_size_in_bytes=200 + 100 * self.chunks[0])
        return SimpleNamespace(memory_analysis=lambda: need)


def fitted(monkeypatch, free, **algorithm):
    """Compile for a device with so many free bytes; return how many individuals at a time were tried, and the run."""
    monkeypatch.setattr(memory, "available", lambda: free)
    monkeypatch.setattr(jax, "local_device_count", lambda: 1)
    made = config(population=64, **algorithm)
    state = SimpleNamespace(memory=jnp.zeros(()))
    chunks = [one for one in (64, 32, 16, 8, 4, 2, 1) if one <= (made.algorithm.chunk or 64)]
    run, tried = loop.Run(Chunked(chunks, []), made, None, state), []
    run.experiment.made = tried
    with Stop() as stop:
        loop.fitting([run], Chunked.compiled, stop, lambda seconds: None)
    return tried, run


def test_fewer_individuals_are_evaluated_at_a_time_until_a_generation_fits(monkeypatch):
    assert fitted(monkeypatch, 7400)[0] == [64]
    assert fitted(monkeypatch, 7399)[0] == [64, 32]
    tried, run = fitted(monkeypatch, 1900)
    assert (tried, run.experiment.chunks[0]) == ([64, 16, 8], 8)
    assert run.config.algorithm.chunk is None  # another machine may have room for more
    with pytest.raises(
        UsageError, match=r"algorithm\.population=64: accepted: less: the run needs .* with 8 individuals at a time"
    ):
        fitted(monkeypatch, 1099)


def test_a_number_at_a_time_that_is_set_stays_and_is_the_option_to_lower(monkeypatch):
    assert fitted(monkeypatch, 2600, chunk=16)[0] == [16]
    with pytest.raises(UsageError, match=r"algorithm\.chunk=16: accepted: less: the run needs"):
        fitted(monkeypatch, 2599, chunk=16)


def test_a_run_says_at_its_start_what_a_generation_needs(tmp_path, capsys):
    run(tmp_path / "run", config())
    assert re.search(r"^Memory: .* of .* that are free \(arguments .*, results .*, temporaries .*\)$", *said(capsys))
    program = Chunked([8], []).compiled()
    told = memory.describe_memory(program, chunk=8, population=32, runs=10, together=5)
    assert told.endswith("; 10 runs, 5 side by side; 8 of 32 individuals evaluated at a time")


def said(capsys):
    return capsys.readouterr().out, re.MULTILINE


def test_a_run_that_does_not_fit_writes_nothing(tmp_path, monkeypatch):
    own = memory.count_bytes(advanced.lower(first(jax.random.key(0), 8)).compile())
    monkeypatch.setattr(memory, "available", lambda: own - 1)
    with pytest.raises(UsageError, match=r"algorithm\.population=8"):
        run(tmp_path / "run", config())
    assert {path.name for path in (tmp_path / "run").iterdir()} == {".lock"}


@pytest.mark.thorough
def test_an_end_of_the_memory_is_told_in_one_line(tmp_path):
    def exhausted(generation):
        if generation == 4:
            raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 17179869184 bytes.")

    with pytest.raises(RunError, match=r"algorithm\.population=8 or fitness\.table_size=262144: too large"):
        run(tmp_path / "run", config(), interrupt=exhausted)
    assert len(list((tmp_path / "run" / "checkpoints").glob("generation_00000004.npz"))) == 1
    assert [row["generation"] for row in rows(tmp_path / "run")] == [0, 1, 2, 3]


def test_an_end_of_the_memory_names_every_option_that_would_help():
    made = config()
    made.fitness.opponents = {"luck": opponent("random", games=100), "other": opponent("random")}
    with pytest.raises(RunError) as raised, memory.report_exhaustion(made, [8, 4, 2, 1]):
        raise MemoryError
    names = "algorithm.chunk=8, algorithm.population=8 or fitness.opponents.luck.games=100: too large for the memory"
    assert str(raised.value).startswith(names)
