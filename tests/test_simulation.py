"""A simulation in a folder outside the project goes through all commands: a cart that has to stop at a line."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from jaxgp.contracts import ListsMoves, Measure, Simulation
from jaxgp.errors import UsageError
from jaxgp.spec import Spec
from tests.fixtures.cart import Cart
from tests.scripts.commands import compiled_once, run, train

GAME = f"game={Path(__file__).parent / 'fixtures' / 'cart'}"
SMALL = [
    *("game.horizon=30", "game.gusts=0.2", "fitness.rollouts=3", "algorithm.population=16", "algorithm.capacity=32"),
    *("algorithm.creation.max_depth=3", "logger=disabled", "compilation_cache=null", "seed=3"),
]

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of four generations, and one that was resumed after two."""
    folder = tmp_path_factory.mktemp("cart")
    assert train(GAME, *SMALL, "algorithm.generations=4", f"hydra.run.dir={folder}/whole") == 0
    assert train(GAME, *SMALL, "algorithm.generations=2", f"hydra.run.dir={folder}/halves") == 0
    assert train(f"resume={folder}/halves", GAME, "algorithm.generations=4") == 0
    return folder


def figures(folder):
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{name: row[name] for name in ("best_fitness", "mean_fitness", "steps", "blank_controls")} for row in rows]


def test_a_resumed_run_is_the_run_that_never_stopped(runs):
    assert figures(runs / "halves") == figures(runs / "whole")
    champions = [json.loads((runs / name / "champion.json").read_text())["text"] for name in ("whole", "halves")]
    assert champions[0] == champions[1]


def test_the_report_shows_the_rollout_of_the_champion(runs):
    report = (runs / "whole" / "report.html").read_text()
    assert "the champion&#x27;s rollout: distance" in report or "the champion's rollout: distance" in report
    assert "mean over 3 rollouts of" in report


def test_a_champion_is_measured_in_new_rollouts_watched_and_exported(runs, capsys):
    whole = f"run={runs / 'whole'}"
    assert run("evaluate", whole, GAME, "games=20", "compilation_cache=null") == 0
    assert "distance, m" in capsys.readouterr().out
    distance, time = json.loads((runs / "whole" / "evaluation.json").read_text())["results"]
    assert (distance["quantity"], distance["unit"], time["rollouts"], time["having"]) == ("distance", "m", 20, 20)
    assert run("play", whole, GAME, "player=champion", "seed=1") == 0
    *states, last = capsys.readouterr().out.splitlines()
    assert states[0].endswith("0.0 s, +0.00 m/s")
    assert last.startswith("champion: distance")
    assert run("export", whole, GAME) == 0
    assert capsys.readouterr().out == json.loads((runs / "whole" / "champion.json").read_text())["text"] + "\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("fitness.quantity=speed",), "fitness.quantity=speed: accepted: distance, time"),
        (("fitness.scale=0",), "fitness.scale=0.0: accepted: a number above 0, or below 0 where less is better"),
        (("fitness=solo", "fitness.scale=1"), "fitness.kind=solo: accepted: rollout, for game=cart"),
        (("game.horizon=0",), "game.horizon=0: accepted: a whole number from 1 to 1000"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(options, said, tmp_path, capsys):
    assert train(GAME, *options, f"hydra.run.dir={tmp_path}/run") == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@dataclass(frozen=True)
class Stub(Simulation, ListsMoves):
    """Promises more than it has."""

    name: ClassVar[str] = "stub"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 1
    quantities: ClassVar[tuple[Measure, ...]] = ()
    horizon: int = 9


def test_a_world_that_lacks_what_its_bases_promise_is_refused_by_name():
    with pytest.raises(UsageError) as told:
        Spec(Stub, None).make()
    assert "choice (ListsMoves)" in str(told.value)
    assert "sense (Simulation)" in str(told.value)
    assert "starts (World)" in str(told.value)
    assert "horizon" not in str(told.value)
    assert Spec(Cart, None).make(gusts=0.1).chance
