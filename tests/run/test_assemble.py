"""An experiment is put together without compiling, and leaves the states alone that it is given."""

from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.config import validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.run.assemble import Experiment, assemble
from tests.run.toy_experiment import advanced, config, first

CONF = Path(__file__).parents[2] / "conf"


@pytest.fixture
def compiled():
    """What this process compiles from here on, an entry for each program."""
    found = []

    def hear(event, duration, **also):
        if event.endswith("/backend_compile_duration"):
            found.append(duration)

    jax.monitoring.register_event_duration_secs_listener(hear)
    yield found
    jax.monitoring.unregister_event_duration_listener(hear)


GAMES = [name for name in envs.available() if envs.spec(name).roles]


@pytest.mark.parametrize(
    "names", [("mancala", "walls", "rars", "mate"), pytest.param(GAMES, marks=pytest.mark.slow)], ids=len
)
def test_a_game_is_put_together_before_anything_compiles(compiled, names):
    """A run is announced after that: its directory and its parameters are there in seconds."""
    with Composer(Config, CONF, "config") as composer:
        for name in names:
            assemble(validate.check(composer.compose([f"game={name}"]), envs), envs)
            assert compiled == [], name
    jax.jit(lambda x: x + 41)(jnp.zeros(3))
    assert compiled, "compiling is heard"


def test_a_compiled_generation_is_a_step_and_leaves_its_state():
    ring = SimpleNamespace(init=lambda key: first(key, 4), step=advanced.__wrapped__)
    experiment = Experiment(config(), None, {}, ring)
    state = experiment.init(jax.random.key(0))
    following, metrics = experiment.step(state)
    moved, same = experiment.compiled(state)(state)
    assert int(state.generation) == 0
    assert int(moved.generation) == int(following.generation) == 1
    np.testing.assert_array_equal(moved.population.value, following.population.value)
    np.testing.assert_equal(jax.tree.map(float, metrics), jax.tree.map(float, same))
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves((state, following, moved)))
