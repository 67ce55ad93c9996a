"""A run whose best individual has stood for long enough is finished, whatever steps it."""

import json
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import pytest

from jaxgp.errors import UsageError
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.islands import Islands
from jaxgp.evolution.options import GPOptions, MigrationOptions
from jaxgp.evolution.ring import Ring
from jaxgp.evolution.seeds import Seeds
from jaxgp.fitness.evaluation import Absolute, Evaluation
from jaxgp.run import outcome
from tests.run.conduct_toy import assert_same, rows, start
from tests.run.toy_experiment import PRIMITIVES, ToyExperiment, config

RISES, LIMIT = 3, 2


@dataclass(frozen=True)
class Rising(Absolute):
    """Everybody's fitness is the number of the generation, but no more than `RISES`."""

    seats = 1

    def init(self, key):
        return jnp.float32(0)

    def evaluate(self, key, population, memory):
        fitness = jnp.full(len(population.length), jnp.minimum(memory, RISES))
        return Evaluation(fitness, fitness[:, None], {}), memory + 1


@pytest.fixture(scope="module")
def stepped():
    """By kind of loop: whether it is finished after each of eight generations, and for how long the best has stood."""
    scheme = Generational(PRIMITIVES, GPOptions(population=4, capacity=8))
    ring = Ring(Rising(), scheme)
    loops = {
        "one population": Ring(Rising(), scheme, stagnation=LIMIT),
        "islands": Islands(ring, MigrationOptions(count=2, neighbours=1, migrants=1), stagnation=LIMIT),
        "no limit": ring,
    }
    key = jax.random.key(0)
    states = {name: one.init(key) for name, one in loops.items()}
    states["seeds"] = [loops["one population"].init(key)]

    @jax.jit
    def step(states):
        found = {name: one.step(states[name]) for name, one in loops.items()}
        return {**found, "seeds": Seeds(loops["one population"]).step(states["seeds"])[0]}

    shown = {name: [] for name in states}
    for _ in range(8):
        found = step(states)
        for name, (state, metrics) in found.items():
            shown[name].append((bool(state.finished), int(metrics.get("stagnation", -1))))
        states = {name: state for name, (state, _) in found.items()} | {"seeds": [found["seeds"][0]]}
    return shown


@pytest.mark.thorough
@pytest.mark.parametrize("loop", ["one population", "islands", "seeds"])
def test_a_run_is_finished_after_so_many_generations_without_a_better_individual(stepped, loop):
    last = RISES + LIMIT
    assert [finished for finished, _ in stepped[loop]] == [generation >= last for generation in range(8)]
    assert [stood for _, stood in stepped[loop]] == [max(0, generation - RISES) for generation in range(8)]


@pytest.mark.thorough
def test_without_a_limit_it_goes_on_and_its_record_is_as_before(stepped):
    assert set(stepped["no limit"]) == {(False, -1)}


def test_a_limit_of_no_generation_is_refused():
    with pytest.raises(UsageError, match="stagnation=0: accepted: a whole number from 1"):
        Ring(Rising(), Generational(PRIMITIVES, GPOptions(population=4, capacity=8)), stagnation=0)


class Standing(ToyExperiment):
    """The toy experiment, whose best individual stands from generation 1 on."""

    def compiled(self, state):
        program = super().compiled(state)

        def step(state):
            before = state.champion
            after, metrics = program(state)
            stood = jnp.maximum(state.generation - 1, 0)
            after = after.replace(finished=stood >= 2, champion=before if int(stood) else after.champion)
            return after, {**metrics, "stagnation": stood}

        step.memory_analysis = program.memory_analysis
        return step


@pytest.mark.thorough
def test_the_status_says_what_ended_a_run_and_an_interrupted_one_comes_to_the_same_end(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(outcome, "write", lambda run: [])
    made = config(generations=7, stagnation=2)

    def ending(path):
        return json.loads((path / "status.json").read_text()).get("ending")

    def fail(generation):
        if generation == 2:
            raise OSError("gone")

    assert start(tmp_path / "whole", Standing(made), made) == 0
    assert ending(tmp_path / "whole") == "stagnation"
    assert len(rows(tmp_path / "whole")) == 4
    assert "Ended after 4 of 7 generations: in the last 2 nobody was better" in capsys.readouterr().out
    with pytest.raises(OSError, match="gone"):
        start(tmp_path / "cut", Standing(made, fail), made)
    assert ending(tmp_path / "cut") is None
    assert start(tmp_path / "cut", Standing(made), made, resumed=True) == 0
    assert_same(tmp_path / "whole", tmp_path / "cut")
    assert ending(tmp_path / "cut") == "stagnation"
    unlimited = config(generations=3)
    assert start(tmp_path / "usual", ToyExperiment(unlimited), unlimited) == 0
    assert ending(tmp_path / "usual") == "generations"
