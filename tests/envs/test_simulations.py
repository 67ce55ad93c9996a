"""What every simulation promises the engine. A new one is tested by being a folder under `envs/`."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.contracts import Instanced, Simulation
from jaxgp.games.outside import load
from jaxgp.spec import lacks

OWN = [name for name in envs.available() if issubclass(envs.spec(name).rules, Simulation)]
CART = Path(__file__).parents[1] / "fixtures" / "cart"
KEY = jax.random.key(3)
STEPS, ROLLOUTS = 40, 8


@pytest.fixture(params=["cart", *(pytest.param(name, marks=pytest.mark.slow) for name in OWN)], scope="module")
def spec(request):
    return load(CART) if request.param == "cart" else envs.spec(request.param)


@pytest.fixture(scope="module")
def world(spec):
    return spec.make()


@pytest.fixture(scope="module")
def driven(world):
    """What happens under random controls, [ROLLOUTS, STEPS]; a step after the end; and the same with other keys."""

    def one(key):
        def step(state, drawn):
            controls = 3 * jax.random.normal(drawn, (world.seats, world.controls))
            keys = jnp.stack([drawn, drawn, jax.random.fold_in(drawn, 1)])
            states = jax.tree.map(lambda *x: jnp.stack(x), state, state.replace(terminated=jnp.bool_(True)), state)
            later = jax.vmap(world.step, (0, None, 0))(states, controls, keys)
            after, ended, otherwise = (jax.tree.map(lambda x, n=n: x[n], later) for n in range(3))
            sensed = jax.vmap(world.sense, (None, 0))(state, jnp.arange(world.seats))
            return after, (state, after, ended, otherwise, sensed, world.measures(state), world.score(state))

        begun = world.init(key)
        return jax.lax.scan(step, begun, jax.random.split(key, STEPS))[1]

    names = ("before", "after", "ended", "otherwise", "sensed", "measures", "score")
    found = jax.device_get(jax.jit(jax.vmap(one))(jax.random.split(KEY, ROLLOUTS)))
    return dict(zip(names, found, strict=True))


def same(one, other):
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True))


def test_is_a_simulation(spec, world):
    assert lacks(type(world)) == {}
    assert (hash(world), world) == (hash(spec.make()), spec.make())
    assert world.version
    assert world.horizon >= 1
    assert len({one.name for one in world.quantities}) == len(world.quantities) > 0


def test_a_step_keeps_the_type_of_every_field_and_all_it_says_has_its_shape(world, driven):
    assert [x.dtype for x in jax.tree.leaves(driven["before"])] == [x.dtype for x in jax.tree.leaves(driven["after"])]
    assert driven["before"].terminated.dtype == bool
    assert driven["sensed"].shape[:3] == (ROLLOUTS, STEPS, world.seats)
    assert driven["sensed"].dtype == driven["measures"].dtype == driven["score"].dtype == np.float32
    assert driven["measures"].shape[2:] == (world.seats, len(world.quantities))
    assert driven["score"].shape[2:] == (world.seats,)
    assert np.isfinite(driven["sensed"]).all()


def test_a_step_after_the_end_changes_nothing(driven):
    assert same(driven["ended"], driven["before"].replace(terminated=np.ones((ROLLOUTS, STEPS), bool)))


def test_chance_takes_part_where_it_says_so_alone(world, driven):
    assert world.chance or same(driven["after"], driven["otherwise"])


def test_it_starts_alike_unless_its_starts_are_drawn(world, driven):
    first = jax.tree.map(lambda x: x[:, 0], driven["before"])
    assert any((x != x[:1]).any() for x in jax.tree.leaves(first)) == (world.starts == "drawn")


def test_it_begins_in_every_instance_of_its_lists_and_in_its_own_one(spec, world):
    if spec.instances is None:
        assert not isinstance(world, Instanced)
        return
    own = jax.eval_shape(world.init, KEY)
    found = spec.instances.load(world, spec.instances.names(world)[0], "instances")
    assert len(found.names) == len(found.test) == len(jax.tree.leaves(found.states)[0])
    one = jax.tree.map(lambda x: jnp.asarray(x[0]), found.states)
    begun = jax.eval_shape(world.begin, one, KEY)
    assert [(x.shape, x.dtype) for x in jax.tree.leaves(begun)] == [(x.shape, x.dtype) for x in jax.tree.leaves(own)]
