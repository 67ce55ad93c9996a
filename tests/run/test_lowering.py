"""The step of every experiment lowers for a GPU, without a call back to the host and without slow scatters."""

import re
from collections import Counter
from pathlib import Path
from unittest import mock

import jax
import jax.export
import pytest
import yaml

import envs
from device.programs import ahead
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.run.assemble import assemble

CONF = Path(__file__).parents[2] / "conf"
EXPERIMENTS = sorted((CONF / "experiment").glob("*.yaml"))
KERNEL = jax.export.DisabledSafetyCheck.custom_call("__gpu$xla.gpu.triton")
CALLBACKS = ("callback", "infeed", "outfeed", "host")
SCATTER = re.compile(r'"stablehlo\.scatter"\(.*?\^bb0\(%\w+: tensor<(\w+)>.*?\):(.*?)\n\s*\}\)', re.DOTALL)
COMBINED = {
    "f32 maximum": {"": "marks of behaviours, and of cells of an archive: a few hundred updates of as many places"},
    "f32 add": {
        "morpion": "nested search: weights of the moves of each game, all but distinct; means of guides alike in play",
        "rush_hour": "nodes of the boards that were drawn, once a generation",
        "freecell": "nodes of the deals that were drawn, once a generation",
        "backgammon": "sums by lesson, which many samples share, and gradients: slow on a GPU if anything here is",
    },
}
"""Scatters that combine floats where updates meet: by game, or empty for all, why they remain. XLA makes a loop of
compare-and-swap of `f32 add` on a GPU, so that many updates of few cells take hundreds of times as long."""


def game_of(file):
    """Return the game that an experiment names; empty if it is another experiment with a few options changed."""
    text = file.read_text(encoding="utf-8")
    if "_self_" in yaml.safe_load(text)["defaults"]:
        return ""
    found = re.search(r"override /game: (\w+)", text)
    return found[1] if found else "mancala"


GAMES = {game_of(file): file.stem for file in reversed(EXPERIMENTS) if game_of(file)}
"""The first experiment of each game."""
USUAL = ("backgammon", "othello")
"""Games whose programs are lowered at every change: one with dice that learns, one that searches."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if game in USUAL else pytest.mark.slow)
        for game, name in sorted(GAMES.items())
    ],
)
def test_the_step_of_an_experiment_of_each_game_lowers_for_cuda_without_a_host_callback(name):
    check_lowering(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [file.stem for file in EXPERIMENTS if file.stem not in GAMES.values()])
def test_the_step_of_any_other_experiment_lowers_as_well(name):
    check_lowering(name)


def scatters(module):
    """Count the scatters of a lowered program by type and by what they do where updates meet: `set`, `add`, ..."""
    found = Counter()
    for kind, body in SCATTER.findall(module):
        done = re.findall(r"stablehlo\.(?!return)(\w+)", body)
        found[f"{kind} {done[-1] if done else 'set'}"] += 1
    return found


def test_scatters_are_told_by_what_they_do():
    def step(x, at, y):
        return x.at[at].add(y).at[at].set(y[0]), x.at[at].max(y).astype(int).at[at].add(1)

    text = jax.jit(step).lower(jax.numpy.zeros(4), jax.numpy.arange(3), jax.numpy.ones(3)).as_text()
    assert scatters(text) == {"f32 add": 1, "f32 set": 1, "f32 maximum": 1, "i32 add": 1}


def check_lowering(name):
    with Composer(Config, CONF, "config") as composer:
        config = composer.compose([f"experiment={name}"])
    ring = assemble(config, envs).ring
    # What is chosen by the device is chosen as for a GPU, kernels too.
    with mock.patch("jax.default_backend", return_value="gpu"), ahead.as_if_there():
        state = jax.eval_shape(ring.init, jax.random.key(0))
        exported = jax.export.export(jax.jit(ring.step), platforms=["cuda"], disabled_checks=[KERNEL])(state)
    assert exported.platforms == ("cuda",)
    module = exported.mlir_module()
    targets = set(re.findall(r"custom_call @(\w+)", module))
    assert not [target for target in targets for word in CALLBACKS if word in target.lower()]
    for one in scatters(module):
        known = COMBINED.get(one, {})
        whole = one[0] != "f" or one.endswith("set")
        assert whole or "" in known or config.game["name"] in known, f"floats are combined by scatters: {one}"
