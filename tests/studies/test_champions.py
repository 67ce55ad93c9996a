"""Champions measured side by side have the games that a champion has alone, where nothing is random."""

import numpy as np
import pytest

from jaxgp.config import arguments
from jaxgp.measure import games
from jaxgp.store.champion import read
from jaxgp.store.runs import identity
from studies.measure import champions
from tests.scripts.commands import compiled_once, load, write_run

pytestmark = pytest.mark.thorough

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)
GAME = {"name": "othello", "size": 4}
TEXTS = "own", "(- other own)", "(* (+ own own_corners) own)"


def run(*given):
    return arguments.main(champions.Options, champions.task, "", given)


def made(folder, game, text):
    folder.mkdir()
    return write_run(folder, game, text, {"features": "original"})


@pytest.fixture
def runs(tmp_path):
    return [made(tmp_path / str(place), GAME, text) for place, text in enumerate(TEXTS)]


@pytest.fixture
def panel(tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text(
        "first: {kind: search, depth: 2, ties: first, evaluator: material}\nchance: {kind: random}\n"
    )
    monkeypatch.setattr(champions, "PANELS", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_every_champion_has_a_row_for_every_opponent_and_the_games_that_it_has_alone(runs, panel, monkeypatch, capsys):
    named = ",".join(map(str, runs))
    assert run(f"runs=[{named}]", "panel=mine", "games=10", f"table={panel}/together.csv") == 0
    together = games.table(panel / "together.csv").read()
    assert [(row["run"], row["opponent"].split()[0]) for row in together] == [
        (str(one), opponent) for opponent in ("search", "random") for one in runs
    ]
    assert [row["player"] for row in together[:3]] == [
        f"champion {identity(read(one / 'champion.json'))}" for one in runs
    ]
    assert [row["games"] for row in together] == ["2"] * 3 + ["20"] * 3
    assert "against chance: " in capsys.readouterr().out

    evaluate = load("evaluate")
    monkeypatch.setattr("evaluating.options.PANELS", panel)
    for one in runs:
        given = (f"run={one}", "panel=mine", "against=[first]", f"table={panel}/alone.csv")
        assert arguments.main(evaluate.Options, evaluate.task, "", given) == 0
    alone = games.table(panel / "alone.csv").read()
    counts = [
        [[row[name] for name in ("wins", "draws", "losses", "plies")] for row in rows] for rows in (together, alone)
    ]
    assert counts[0][:3] == counts[1]
    assert len(np.unique(counts[1], axis=0)) > 1, "the champions differ"


def test_random_programs_may_play_in_another_role_than_the_champions(runs, panel):
    (panel / "random.yaml").write_text("some: {kind: program}\n")
    assert run(f"runs=[{runs[1]}]", "panel=random", "games=4", "programs=leaf", f"table={panel}/t.csv") == 0
    (row,) = games.table(panel / "t.csv").read()
    assert (row["opponent"], row["games"]) == ("program role=leaf", "8")


@pytest.mark.slow
def test_random_programs_play_in_the_role_of_the_champions_unless_another_one_is_named(runs, panel):
    (panel / "random.yaml").write_text("some: {kind: program}\n")
    for role in (None, "move", "leaf"):
        assert (
            run(f"runs=[{runs[1]}]", "panel=random", "games=4", f"programs={role or 'null'}", f"table={panel}/t.csv")
            == 0
        )
    own, same, other = games.table(panel / "t.csv").read()
    assert [row["opponent"] for row in (own, same, other)] == ["program", "program role=move", "program role=leaf"]
    figures = [[row[name] for name in ("wins", "points_first", "points_second", "plies")] for row in (own, same, other)]
    assert figures[0] == figures[1] != figures[2]


def test_what_cannot_be_measured_side_by_side_is_one_line(runs, panel, tmp_path, capsys):
    larger = made(tmp_path / "larger", {"name": "othello", "size": 6}, "own")
    for given, said in (
        ([], "runs: which champions? Write runs=[DIR,DIR], run directories or champion files"),
        ([f"runs=[{runs[0]}]", "panel=other"], "panel=other: accepted: mine"),
        ([f"runs=[{runs[0]}]", "panel=mine", "against=[x]"], "against=x: accepted: first, chance"),
        ([f"runs=[{runs[0]}]", "panel=mine", "programs=x"], "programs=x: accepted: "),
        ([f"runs=[{runs[0]}]", "panel=mine", "depth=3"], f"depth: given, but the champion of {runs[0]}"),
        ([f"runs=[{runs[0]},{larger}]", "panel=mine"], f"runs: {larger}/champion.json plays by other rules than"),
        ([f"runs=[{tmp_path}/x*]", "panel=mine"], f"runs={tmp_path}/x*: accepted: a pattern that matches"),
    ):
        assert run(*given, *(() if "panel" in str(given) else ("panel=mine",))) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {said}")
        assert error.count("\n") == 1
