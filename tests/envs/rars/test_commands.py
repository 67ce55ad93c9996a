"""Commands of RARS: what is refused in one line, and a run that was killed."""

import json
import time

import pytest

from tests.scripts.commands import run, train, write_run
from tests.scripts.test_islands import start
from tests.scripts.test_islands import train as train_apart


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "player.kind=human: accepted: champion, program, strategy; rars is a simulation"),
        (("player=strategy:tuto4",), "player.name=tuto4: accepted: tuto3"),
        (("player=strategy", "game.track=sepagn"), "game.track=sepagn: accepted: sepang, "),
        (("player=strategy", "game.track=circle"), "game.laps=1: accepted: null; segment 0 of circle is a curve"),
        (("player=strategy", "game.laps=0"), "game.laps=0: accepted: a whole number from 1 to 1000"),
        (("player=strategy", "game.seconds=60"), "game.seconds=60: accepted: a number of seconds from 69"),
        (("player=strategy", "game.track=v01", "game.cars=60"), "game.cars=60: accepted: a whole number from 1 to 58"),
    ],
)
def test_races_that_cannot_be_watched_are_refused_in_one_line(options, said, capsys):
    assert run("play", "game=rars", *options) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_champion_of_another_game_is_refused_in_one_line(tmp_path, capsys):
    other = write_run(tmp_path, {"name": "morpion"}, "(progn2 [20,23] [21,23])")
    assert run("evaluate", "game=rars", "player=tuto3", f"against=[{other}]", "games=1") == 2
    assert "a champion of rars; this one plays morpion" in capsys.readouterr().err


def test_a_race_too_short_for_a_lap_is_refused_before_a_run_begins(tmp_path, capsys):
    assert train("game=rars", "game.seconds=60", f"hydra.run.dir={tmp_path}/run") == 2
    assert "game.seconds=60: accepted: a number of seconds from 69" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


OPTIONS = [
    *("game=rars", "game.laps=null", "game.seconds=20", "algorithm.population=16", "algorithm.capacity=32"),
    *("algorithm.islands.count=2", "algorithm.islands.migrants=1", "algorithm.islands.first=1"),
    *(
        "algorithm.islands.every=2",
        "algorithm.islands.neighbours=1",
        "fitness.quantity=distance",
        "checkpoint_every=1",
        "logger=disabled",
    ),
    "algorithm.generations=20",
]


def figures(folder):
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    champion = json.loads((folder / "champion.json").read_text())
    return [{k: v for k, v in row.items() if k not in ("seconds", "elapsed")} for row in rows], champion["text"]


@pytest.mark.slow
def test_a_killed_and_resumed_run_is_the_run_that_never_stopped(tmp_path):
    one, killed = tmp_path / "one", tmp_path / "killed"
    train_apart(one, *OPTIONS, f"hydra.run.dir={one}")
    running, rows = start(killed, *OPTIONS, f"hydra.run.dir={killed}"), killed / "metrics.jsonl"
    while running.poll() is None and not (rows.exists() and rows.read_text().count("\n") >= 2):
        time.sleep(0.01)
    running.kill()
    running.wait()
    assert not (killed / "champion.json").exists() or rows.read_text().count("\n") < 20, "killed too late"
    train_apart(killed, f"resume={killed}")
    assert len(figures(one)[0]) == 20
    assert figures(killed) == figures(one)
