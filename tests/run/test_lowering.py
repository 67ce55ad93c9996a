"""The step of every experiment lowers for a GPU, without a call back to the host."""

import re
from pathlib import Path

import jax
import pytest
import yaml

import envs
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.run.assemble import assemble

CONF = Path(__file__).parents[2] / "conf"
EXPERIMENTS = sorted((CONF / "experiment").glob("*.yaml"))
CALLBACKS = ("callback", "infeed", "outfeed", "host")


def game_of(file):
    """Return the game that an experiment names; empty if it is another experiment with a few options changed."""
    text = file.read_text(encoding="utf-8")
    if "_self_" in yaml.safe_load(text)["defaults"]:
        return ""
    found = re.search(r"override /game: (\w+)", text)
    return found[1] if found else "mancala"


GAMES = {game_of(file): file.stem for file in reversed(EXPERIMENTS) if game_of(file)}
"""The first experiment of each game."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GAMES.values()))
def test_the_step_of_an_experiment_of_each_game_lowers_for_cuda_without_a_host_callback(name):
    check_lowering(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [file.stem for file in EXPERIMENTS if file.stem not in GAMES.values()])
def test_the_step_of_any_other_experiment_lowers_as_well(name):
    check_lowering(name)


def check_lowering(name):
    with Composer(Config, CONF, "config") as composer:
        config = composer.compose([f"experiment={name}"])
    ring = assemble(config, envs).ring
    state = jax.eval_shape(ring.init, jax.random.key(0))
    exported = jax.export.export(jax.jit(ring.step), platforms=["cuda"])(state)
    assert exported.platforms == ("cuda",)
    targets = set(re.findall(r"custom_call @(\w+)", exported.mlir_module()))
    assert not [target for target in targets for word in CALLBACKS if word in target.lower()]
