"""Champions of a game from a folder outside the project, with chance in it, at every command that takes champions."""

import json
from pathlib import Path

import pytest

import envs
from jaxgp.config.games import place
from jaxgp.study.designs.planning import load_design
from tests.scripts import commands
from tests.scripts.commands import compiled_once, load, write_run

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "dice"
GAME = f"game={FOLDER}"

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


@pytest.fixture
def command(capsys):
    """Run a command: its exit code, and what it said."""

    def run(name, *options):
        code = commands.run(name, *options)
        return code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two champions: one walks as long as the die helps it more than a step, the other always steps."""
    made = tmp_path_factory.mktemp("runs")
    for name, text in (("wise", "(- die 3)"), ("steps", "(- 0 1)")):
        (made / name).mkdir()
        write_run(made / name, {"name": "dice", "goal": 9}, text, games=place(str(FOLDER), envs)[0])
    return made


@pytest.mark.thorough
def test_shared_panels_measure_a_champion_where_no_search_plays(command, runs):
    code, _, error = command("evaluate", f"run={runs / 'wise'}", GAME, "panel=quick", "games=40")
    why = "chance takes part in dice, so that no search plays it"
    assert (code, error) == (0, f"Skipping minimax_4: {why}\nPlaying against random_moves, 1 of 1\n")
    saved = json.loads((runs / "wise" / "evaluation.json").read_text())
    assert saved["skipped"] == {"minimax_4": why}
    rows = {row["seat"]: row for row in saved["results"]["champion"]}
    assert [rows[seat]["games"] for seat in ("first", "second", "both")] == [40, 40, 80]
    assert rows["both"]["wins"] > 40, "who looks at the die wins more often"
    assert command("evaluate", f"run={runs / 'wise'}", GAME, "compare=2") == (
        2,
        "",
        f"error: compare=2: accepted: 0; {why}\n",
    )


@pytest.mark.slow
def test_a_league_plays_as_many_games_as_there_is_chance(command, runs, tmp_path):
    given = (f"brackets.a={runs}", GAME, "leagues=2", "games=30", "compilation_cache=null", f"output={tmp_path}")
    code, _, error = command("tournament", *given)
    assert (code, error) == (0, "Playing games of 2 players, 1 of 1\n")
    table = json.loads((tmp_path / "crosstable.json").read_text())
    assert [len(cell) for row in table["results"] for cell in row] == [0, 30, 30, 0]
    found = json.loads((tmp_path / "league.json").read_text())["players"]
    rating = {one["name"]: one["rating"]["value"] for one in found}
    assert rating["wise"] > rating["steps"]
    code, _, error = command("tournament", *given, "brackets.b=search:2")
    assert (code, error.count("\n")) == (2, 1)
    assert "chance takes part in dice, so that no search plays it" in error


def test_a_champion_is_written_in_what_its_role_has(command, runs):
    assert command("export", f"run={runs / 'wise'}", GAME) == (0, "(- die 3)\n", "")
    code, _, error = command("export", f"run={runs / 'wise'}", GAME, "format=python")
    assert (code, error) == (
        2,
        "error: format=python: accepted: text, sexpr, latex, dot, for a champion of dice\n",
    )


def test_no_file_makes_a_folder_be_imported(command, runs):
    code, _, error = command("export", f"run={runs / 'wise'}")
    assert (code, error.count("\n")) == (2, 1)
    assert (
        "game.name=dice: accepted: backgammon, checkers, chess, freecell, mancala, mate, morpion, othello, rars, "
        "robocode, rush_hour, walls" in error
    )


def test_a_design_names_the_folder_in_the_commands_of_its_runs(tmp_path, capsys):
    script = load("analyse")
    base = f"base=[{GAME},fitness.opponents.chance.games=4]"
    given = ("analysis=design", base, "factors.algorithm.population=[4,8]", "replicates=2", "plan=true")
    assert script.main([*given, f"output={tmp_path}"]) == 0, capsys.readouterr().err
    lines = (tmp_path / "commands.txt").read_text().splitlines()
    assert len(lines) == 4
    assert all(f"scripts/train.py {GAME} " in line for line in lines)
    assert load_design(tmp_path, "output").groups["all"][0] == "game=dice"
