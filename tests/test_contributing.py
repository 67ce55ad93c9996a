"""The game and the simulation that CONTRIBUTING shows are played and evolved from their folders."""

import re
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest

import envs
import jaxgp
from jaxgp.config import validate
from jaxgp.config.compose import Composer, usual_fitness
from jaxgp.config.schema import Config
from jaxgp.games import outside
from tests.scripts.commands import run, train

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
KEY = jax.random.key(0)


def block(name):
    """Return the block of code below a mark."""
    return re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", TEXT, re.S)[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The game's folder, outside the project."""
    path = tmp_path_factory.mktemp("games") / "tic_tac_toe"
    (path / "conf" / "game").mkdir(parents=True)
    (path / "__init__.py").write_text(block("game"))
    (path / "conf" / "game" / "tic_tac_toe.yaml").write_text(block("conf"))
    return path


def played(game, squares):
    """Return the positions of a game, from the opening."""
    step = jax.jit(game.step)
    states = [game.init(KEY)]
    for square in squares:
        assert game.legal_actions(states[-1])[square - 1]
        states.append(step(states[-1], np.int32(square - 1), KEY))
    return states


def test_three_in_a_line_win_and_nothing_follows(folder):
    tic_tac_toe = outside.load(folder)
    game, drawing = tic_tac_toe.make(), tic_tac_toe.drawing
    *_, last = played(game, [1, 4, 2, 5, 3])
    assert drawing.text(game, last) == "X X X\nO O .\n. . ."
    assert (bool(last.terminated), last.returns.tolist()) == (True, [1, -1])
    assert not game.legal_actions(last).any()
    after = game.step(last, np.int32(8), KEY)
    assert drawing.text(game, after) == drawing.text(game, last)


def test_a_full_board_without_a_line_is_a_draw(folder):
    game = outside.load(folder).make()
    *_, last = played(game, [5, 1, 2, 8, 7, 3, 6, 4, 9])
    assert (bool(last.terminated), game.score(last).tolist()) == (True, [0.5, 0.5])


def test_moves_are_named_by_squares(folder):
    notation = outside.load(folder).notation
    assert [notation.parse_action(None, notation.action_name(None, n)) for n in range(9)] == list(range(9))
    with pytest.raises(ValueError, match="accepted: 1 to 9"):
        notation.parse_action(None, "10")


def test_without_a_file_of_its_own_it_evolves_by_results_against_chance_and_shallow_searches(folder, tmp_path):
    bare = tmp_path / "tic_tac_toe"
    bare.mkdir()
    shutil.copy(folder / "__init__.py", bare)
    root = Path(__file__).parents[1]
    with Composer(Config, root / "conf", "config", [bare]) as composer:
        config = validate.check(composer.compose(["game=tic_tac_toe"]), outside.Outside(envs, bare))
    assert (config.game, config.fitness.points) == ({"name": "tic_tac_toe"}, "result")
    assert {name: one.kind for name, one in config.fitness.opponents.items()} == {
        "chance": "random",
        "search_2": "search",
        "search_3": "search",
    }


@pytest.mark.parametrize(("game", "fitness"), [("connect_four", "shallow"), ("nim", "chance"), ("cart", "rollout")])
def test_games_of_other_kinds_have_a_fitness_that_fits(game, fitness):
    assert usual_fitness(Path(__file__).parent / "fixtures" / game) == fitness


@pytest.mark.slow
def test_it_evolves(folder, tmp_path):
    small = ["algorithm.population=16", "algorithm.generations=2", "algorithm.capacity=16", "fitness.table_size=64"]
    run = f"hydra.run.dir={tmp_path}/run"
    assert train(f"game={folder}", *small, run, "logger=disabled", "compilation_cache=null") == 0
    assert (tmp_path / "run" / "champion.json").is_file()


@pytest.fixture(scope="module")
def trolley(tmp_path_factory):
    """The folder of the simulation, outside the project."""
    path = tmp_path_factory.mktemp("simulations") / "trolley"
    (path / "conf" / "game").mkdir(parents=True)
    (path / "__init__.py").write_text(block("simulation"))
    (path / "conf" / "game" / "trolley.yaml").write_text(block("simulation conf"))
    return path


def test_the_simulation_is_driven_by_hand_and_its_strategy_stops_near_the_line(trolley):
    cast = jaxgp.take(outside.load(trolley))
    rollout = jaxgp.drive(cast, "damped", seed=1)
    assert rollout.measures["distance"] < 0.2
    assert abs(rollout.states.place[0]) >= 1
    assert rollout._repr_html_().startswith("<svg")


@pytest.mark.slow
def test_the_simulation_evolves_and_is_measured(trolley, tmp_path, capsys):
    small = ["algorithm.population=16", "algorithm.generations=2", "algorithm.capacity=16", "logger=disabled"]
    assert train(f"game={trolley}", *small, f"hydra.run.dir={tmp_path}/run", "compilation_cache=null") == 0
    given = (f"game={trolley}", f"run={tmp_path}/run", "games=10", "against=[damped]", "compilation_cache=null")
    assert run("evaluate", *given) == 0
    assert "damped" in capsys.readouterr().out
