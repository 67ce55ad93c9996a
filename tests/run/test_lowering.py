"""The step of every experiment lowers for a GPU, without a call back to the host."""

import re
from pathlib import Path

import jax
import pytest

import envs
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.run.assemble import assemble

CONF = Path(__file__).parents[2] / "conf"
EXPERIMENTS = sorted(file.stem for file in (CONF / "experiment").glob("*.yaml"))
CALLBACKS = ("callback", "infeed", "outfeed", "host")


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_step_of_an_experiment_lowers_for_cuda_without_a_host_callback(name):
    with Composer(Config, CONF, "config") as composer:
        config = composer.compose([f"experiment={name}"])
    ring = assemble(config, envs).ring
    state = jax.eval_shape(ring.init, jax.random.key(0))
    exported = jax.export.export(jax.jit(ring.step), platforms=["cuda"])(state)
    assert exported.platforms == ("cuda",)
    targets = set(re.findall(r"custom_call @(\w+)", exported.mlir_module()))
    assert not [target for target in targets for word in CALLBACKS if word in target.lower()]
