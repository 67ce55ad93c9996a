"""A champion against a panel, measured through the script's own entry point."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import envs
from envs.walls.primitives import Settings, rule_language
from jaxgp.analysis.evaluation import summarise, wilson
from jaxgp.experiment import arguments, champion

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "evaluate.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("script_evaluate", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def evaluate(script, capsys):
    def run(*options):
        code = arguments.main(script.Options, script.task, script.__doc__, options)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def run_directory(tmp_path):
    """The strategy that turns left for ever: it lays no brick, so that whoever lays one wins."""
    language = rule_language(envs.make("walls", size=3), Settings(matching="strict"))
    content = champion.ChampionFile(
        game={"name": "walls", "size": 3},
        program={"mask": 3, "matching": "strict"},
        language={"kind": "rules", "name": language.name, "version": language.version},
        text="\n".join(f"- - - / - {heading} - / - - - : turn-left" for heading in "NESW"),
        size=4,
        depth=None,
        fitness=0.0,
        points={"first": 0.0, "second": 0.0},
        generation=0,
        seed=0,
    )
    champion.write(tmp_path / "champion.json", content)
    return tmp_path


def test_every_opponent_of_a_panel_is_met_from_both_seats(evaluate, run_directory, script, monkeypatch, tmp_path):
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "mine.yaml").write_text(
        "fixed: {kind: strategy, name: fixed}\nrandom_lists: {kind: programs}\n"
    )
    monkeypatch.setattr(script, "PANELS", tmp_path / "panels")
    code, out, error = evaluate(f"run={run_directory}", "panel=mine", "games=20")
    assert (code, error) == (0, "Playing against fixed, 1 of 2\nPlaying against random_lists, 2 of 2\n")
    saved = json.loads((run_directory / "evaluation.json").read_text())
    rows = {(row["opponent"], row["seat"]): row for row in saved["results"]["champion"]}
    assert set(rows) == {(name, seat) for name in ("fixed", "random_lists") for seat in ("first", "second", "both")}
    lost = rows["fixed", "both"]
    assert (lost["games"], lost["losses"], lost["points"], lost["score"], lost["low"]) == (2, 2, 0.0, 0.0, None)
    assert lost["against"] == 8.0, "every square but the one that the champion stands on"
    met = rows["random_lists", "both"]
    assert met["games"] == 40
    assert met["wins"] == 0
    for count in ("wins", "draws", "losses"):
        assert met[count] == rows["random_lists", "first"][count] + rows["random_lists", "second"][count]
    assert met["score"] == met["draws"] / 80
    assert met["score_low"] <= met["score"] <= met["score_high"] < 1
    assert "random_lists" in out


def test_figures_of_a_handful_of_games():
    points, against = np.array([3.0, 5.0, 4.0, 4.0]), np.array([4.0, 1.0, 4.0, 0.0])
    row = summarise("somebody", "first", points, against, np.sign(points - against))
    assert (row.games, row.wins, row.draws, row.losses) == (4, 2, 1, 1)
    assert (row.points, row.against, row.win_rate, row.score) == (4.0, 2.25, 0.5, 0.625)
    assert row.spread == pytest.approx(np.std(points, ddof=1))
    assert (row.low, row.high) == wilson(2, 4)
    assert (row.score_low, row.score_high) == wilson(2.5, 4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert summarise("somebody", "first", *(x[:1] for x in (points, against, points))).low is None


BAD = [
    ("run=nowhere", "run=nowhere: no such file or directory"),
    ("panel=strong", "panel=strong: accepted: "),
    ("games=0", "games=0: accepted: a whole number from 1"),
    ("compare=21", "compare=21: accepted: a whole number from 0 to 20"),
    ("output=/", "output=/: cannot be written"),
]


@pytest.mark.parametrize(("option", "said"), BAD, ids=[option for option, _ in BAD])
def test_wrong_options_are_named_before_anything_is_played(evaluate, run_directory, option, said):
    given = [option] if option.startswith("run") else [f"run={run_directory}", option]
    code, out, error = evaluate(*given)
    assert (code, out) == (2, "")
    assert said in error


def test_a_panel_that_is_none_is_refused(evaluate, run_directory, script, monkeypatch, tmp_path):
    (tmp_path / "odd.yaml").write_text("forward: {kind: strategy, strength: 3}\n")
    monkeypatch.setattr(script, "PANELS", tmp_path)
    code, _, error = evaluate(f"run={run_directory}", "panel=odd")
    assert code == 2
    assert "odd.yaml: strength: unknown option; accepted: kind, " in error
