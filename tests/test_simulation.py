"""A simulation in a folder outside the project goes through all commands: a cart that has to stop at a line."""

import csv
import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from jaxgp.contracts import ListsMoves, Measure, Simulation
from jaxgp.errors import UsageError
from jaxgp.spec import Searches, Spec, Table
from tests.fixtures import connect_four
from tests.fixtures.cart import Cart, spec
from tests.scripts.commands import compiled_once, run, train

GAME = f"game={Path(__file__).parent / 'fixtures' / 'cart'}"
SMALL = [
    *("game.horizon=30", "game.gusts=0.2", "fitness.rollouts=3", "algorithm.population=16", "algorithm.capacity=32"),
    *("fitness.instances=[all]", "fitness.progress=race", "fitness.patience=16", "fitness.lanes=5"),
    *("fitness.population_again=true", "fitness.final_rounds=2"),
    *("algorithm.creation.max_depth=3", "logger=disabled", "compilation_cache=null", "seed=3"),
]

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of four generations."""
    folder = tmp_path_factory.mktemp("cart") / "whole"
    assert train(GAME, *SMALL, "algorithm.generations=4", f"hydra.run.dir={folder}") == 0
    return folder


def figures(folder):
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [
        {name: row[name] for name in ("best_fitness", "mean_fitness", "steps", "blank_controls", "cut")} for row in rows
    ]


@pytest.mark.slow
def test_a_resumed_run_is_the_run_that_never_stopped(whole, tmp_path):
    halves = tmp_path / "halves"
    assert train(GAME, *SMALL, "algorithm.generations=2", f"hydra.run.dir={halves}") == 0
    assert train(f"resume={halves}", GAME, "algorithm.generations=4") == 0
    assert figures(halves) == figures(whole)
    champions = [json.loads((folder / "champion.json").read_text()) for folder in (whole, halves)]
    assert champions[0]["text"] == champions[1]["text"]


def test_the_champion_is_the_best_of_the_last_generation_in_new_rollouts(whole):
    candidates = json.loads((whole / "candidates.json").read_text())
    champion = json.loads((whole / "champion.json").read_text())
    assert len(candidates) == 16
    assert {one["generation"] for one in candidates} == {3}
    assert champion["text"] == candidates[0]["text"]
    assert champion["fitness"] == max(one["fitness"] for one in candidates)
    assert any(one["fitness"] != one["fitness_in_generation"] for one in candidates)


def test_the_report_shows_the_rollout_of_the_champion(whole):
    report = (whole / "report.html").read_text()
    assert "the champion&#x27;s rollout: distance" in report or "the champion's rollout: distance" in report
    assert "mean over 3 rollouts in each instance of" in report


@pytest.mark.thorough
def test_drivers_are_measured_beside_each_other_in_several_instances(whole, capsys, tmp_path):
    table, other = tmp_path / "rows.csv", shutil.copytree(whole, tmp_path / "other")
    given = (GAME, "games=20", "suite=all", "split=all", f"against=[damped,{other}]", f"table={table}")
    assert run("evaluate", f"run={whole}", *given, "compilation_cache=null") == 0
    assert "distance, m on down" in capsys.readouterr().out
    rows = json.loads((whole / "evaluation.json").read_text())["results"]
    assert {(row["driver"], row["instance"]) for row in rows} == {
        (driver, hill) for driver in ("champion", "damped", str(other)) for hill in ("flat", "up", "down")
    }
    found = {(row["driver"], row["instance"], row["quantity"]): row for row in rows}
    assert {row["quantity"] for row in rows} == {"distance", "time", "arrival"}, "scores are no quantities"
    distance = found["damped", "flat", "distance"]
    assert (distance["unit"], distance["rollouts"], distance["having"]) == ("m", 20, 20)
    assert distance["error"] == pytest.approx(distance["deviation"] / 20**0.5)
    assert found["damped", "flat", "arrival"]["having"] < 20, "not every cart arrives in three seconds"
    same = [found[who, "up", "distance"]["mean"] for who in ("champion", str(other))]
    assert same[0] == same[1], "starts and gusts are the same for all drivers"
    with table.open() as file:
        assert len(list(csv.DictReader(file))) == len(rows)


def test_a_strategy_is_measured_in_the_place_of_a_champion(capsys):
    assert run("evaluate", GAME, "player=bounce", "game.hill=up", "games=4", "compilation_cache=null") == 0
    assert "bounce" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_champion_is_watched_pictured_and_exported(whole, capsys, tmp_path):
    assert (
        run("play", f"run={whole}", GAME, "player=champion", "seed=1", "beside=[bounce]", f"save={tmp_path / 'both'}")
        == 0
    )
    first, *_, champion, bounce = capsys.readouterr().out.split("Written")[0].splitlines()
    assert first.startswith("0 s: -")
    assert champion.startswith("champion: distance")
    assert bounce.startswith("bounce: distance")
    picture = (tmp_path / "both.svg").read_text()
    assert "<text>champion</text>" in picture
    assert "<text>bounce</text>" in picture
    assert (tmp_path / "both.txt").read_text().startswith("champion\n")
    assert run("export", f"run={whole}", GAME) == 0
    assert capsys.readouterr().out == json.loads((whole / "champion.json").read_text())["text"] + "\n"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The file of a rollout that a strategy drove in the wind."""
    path = tmp_path_factory.mktemp("saved") / "rollout.json"
    assert run("play", GAME, "player=strategy:bounce", "game.gusts=0.5", "game.horizon=20", f"save={path}") == 0
    return path


def test_a_saved_rollout_is_driven_again(saved, capsys, tmp_path):
    assert run("play", f"replay={saved}", GAME, f"save={tmp_path / 'again.json'}") == 0
    assert "it is what was recorded" in capsys.readouterr().out
    assert json.loads((tmp_path / "again.json").read_text())["controls"] == json.loads(saved.read_text())["controls"]


def test_one_step_of_a_rollout_is_shown_alone(saved, capsys, tmp_path):
    assert run("play", f"replay={saved}", GAME, "move=7", f"picture={tmp_path / 'moment.svg'}") == 0
    speed = json.loads(saved.read_text())["states"][".speed"][7]
    assert capsys.readouterr().out.splitlines()[0].endswith(f"0.7 s, {speed:+.2f} m/s")
    assert (tmp_path / "moment.svg").read_text().startswith("<svg")
    assert run("play", f"replay={saved}", GAME, "move=21") == 2
    assert "move=21: accepted: a whole number from 0 to 20, the steps of" in capsys.readouterr().err


def changed(saved, tmp_path, change):
    """Return a copy of a saved rollout of which `change` has edited the content."""
    content = json.loads(saved.read_text())
    change(content)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(content))
    return path


def test_a_rollout_that_differs_says_from_which_step_on(saved, capsys, tmp_path):
    def change(content):
        content["controls"][7][0][0] = -1.0

    assert run("play", f"replay={changed(saved, tmp_path, change)}", GAME) == 0
    assert "it differs from step 8 on: .place is" in capsys.readouterr().out


WRONG = {
    "controls[3][0][0]: x: accepted: numbers": lambda it: it["controls"][3][0].__setitem__(0, "x"),
    "controls: 19 of them: accepted: a list of 20": lambda it: it["controls"].pop(),
    "steps: 5000: accepted: a whole number from 1 to 20": lambda it: it.__setitem__("steps", 5000),
    "it stops after 12 steps, where it is not at an end": lambda it: it.update(
        steps=12, controls=it["controls"][:12], states={name: one[:13] for name, one in it["states"].items()}
    ),
    "states: .place is missing": lambda it: it["states"].pop(".place"),
    "states: .height is no part": lambda it: it["states"].__setitem__(".height", []),
    "game.name=boat": lambda it: it["game"].__setitem__("name", "boat"),
    "rollouts under version 1": lambda it: it.__setitem__("rules", "0"),
    "drivers: [a,b]: accepted: a list of 1": lambda it: it.__setitem__("drivers", ["a", "b"]),
    "chance: {}: accepted: the name of a generator": lambda it: it.__setitem__("chance", {}),
    "format_version 7 is not known here": lambda it: it.__setitem__("format_version", 7),
}


@pytest.mark.parametrize("said", WRONG)
def test_a_damaged_rollout_is_refused_in_one_line(said, saved, tmp_path, capsys):
    assert run("play", f"replay={changed(saved, tmp_path, WRONG[said])}", GAME) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert "\n" not in told


def test_a_rollout_that_was_cut_short_is_refused(saved, tmp_path, capsys):
    (tmp_path / "half.json").write_text(saved.read_text()[:900])
    assert run("play", f"replay={tmp_path / 'half.json'}", GAME) == 2
    assert "not JSON" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("play", (), "player.kind=human: accepted: champion, program, strategy; cart is a simulation"),
        ("play", ("player=search",), "player.kind=search: accepted: champion, program, strategy; cart is a simulation"),
        ("play", ("player=strategy:fast",), "player.name=fast: accepted: damped, bounce"),
        ("play", ("player=strategy", "opponent=strategy"), "opponent: cart is a game for one"),
        ("play", ("player=strategy", "beside=[nobody]"), "beside=nobody: accepted: damped, bounce, a run directory"),
        ("evaluate", ("player=fast",), "player=fast: accepted: damped, bounce"),
        ("evaluate", ("player=damped", "suite=moon"), "suite=moon: accepted: all, flat, up, down"),
        ("evaluate", ("player=damped", "suite=flat"), "accepted: a list with instances of the split test"),
        (
            "evaluate",
            ("player=damped", "engine=rars"),
            "engine=rars: accepted: null, since no program outside simulates",
        ),
        ("evaluate", ("player=damped", "compare=2"), "compare: cart is a simulation; leave it out"),
        ("tournament", ("brackets.one=[random,search:2]",), "accepted: a game for two; this one is for one"),
    ],
)
def test_commands_say_in_one_line_who_can_drive(command, options, said, capsys):
    assert run(command, GAME, *options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("fitness.quantity=speed",), "fitness.quantity=speed: accepted: distance, time, arrival, race"),
        (("fitness.progress=speed",), "fitness.progress=speed: accepted: distance, time, arrival, race"),
        (("fitness.instances=[moon]",), "fitness.instances=moon: accepted: all, flat, up, down"),
        (("fitness.instances=[down]",), "fitness.instances=down: accepted: a list with instances of the split train"),
        (
            ("fitness.instances=[all]", "fitness.drawn=3"),
            "fitness.drawn=3: accepted: null, or a whole number from 1 to 2",
        ),
        (("fitness.rivals=[damped]",), "fitness.rivals=[damped]: accepted: []; cart has one seat"),
        (("fitness.candidates=2", "fitness.population_again=true"), "fitness.candidates=2: accepted: 0 with"),
        (("fitness=minimax", "fitness.scale=1"), "fitness.kind=panel: accepted: rollout, for game=cart"),
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


def test_parts_of_turns_are_refused_by_their_type_in_a_simulation_and_the_other_way_round():
    whole = spec()
    for part in (
        {"searches": Searches(lambda game: {})},
        {"table": Table(typed="moves")},
        {"dialect": lambda game: None},
    ):
        with pytest.raises(UsageError, match=f"{next(iter(part))}: cart is a simulation, which has none"):
            replace(whole, **part)
    with pytest.raises(UsageError, match="showing: connect_four is a game of turns"):
        replace(connect_four.spec(), showing=whole.showing)
