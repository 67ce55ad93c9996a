"""Names of games on the command line: of games, of files that give a game settings, of folders."""

from pathlib import Path

import pytest

import envs
from jaxgp.config import arguments
from jaxgp.config.compose import Composer
from jaxgp.config.games import game_of, resolve_game
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from tests.scripts import commands

CONF = Path(__file__).resolve().parents[2] / "conf"
DICE = CONF.parent / "tests" / "fixtures" / "dice"
NAMES = sorted(file.stem for file in (CONF / "game").glob("*.yaml"))


@pytest.mark.thorough
def test_every_file_of_a_game_names_the_rules_that_a_run_has():
    with Composer(Config, CONF, "config") as composer:
        for name in NAMES:
            _, settings = resolve_game({"name": name}, envs, CONF)
            assert settings == composer.compose([f"game={name}"]).game
            game_of(settings, envs)
    assert set(envs.available()) <= set(NAMES)


def test_settings_of_the_command_line_come_before_those_of_the_file():
    named = resolve_game({"name": "lose_checkers"}, envs, CONF)[1]
    assert named == {"name": "checkers", "lose": True}
    other = resolve_game({"name": "lose_checkers", "lose": False, "size": 10}, envs, CONF)[1]
    assert other == {"name": "checkers", "lose": False, "size": 10}


def test_a_folder_outside_the_project_is_a_name_and_no_name_leaves_the_settings():
    games, settings = resolve_game({"name": str(DICE), "goal": 9}, envs, CONF)
    assert settings == {"name": "dice", "goal": 9}
    assert games.available() == sorted([*envs.available(), "dice"])
    assert resolve_game({"name": None, "goal": 9}, envs, CONF) == (envs, {"goal": 9})


def test_an_unknown_name_is_refused_with_all_that_are_known():
    accepted = f"{', '.join(NAMES)}, or the folder of a game outside the project"
    with pytest.raises(UsageError, match=rf"^game=shogi: accepted: {accepted}$"):
        resolve_game({"name": "shogi"}, envs, CONF)


@pytest.mark.parametrize("text", ["- 3\n", "game: 3\n", "defaults: [a]\n", "defaults: [none]\n", "a: [\n"])
def test_a_file_that_configures_no_game_is_refused_by_its_name(tmp_path, text):
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "a.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"yaml: not the configuration of a game \("):
        resolve_game({"name": "a"}, envs, tmp_path)


def test_help_beside_a_game_lists_its_settings(capsys):
    script = commands.load("play")
    for lose, given in (("true", []), ("false", ["game.lose=false"])):
        code = arguments.main(script.Options, script.task, "", ["--help", "game=lose_checkers", *given], script.about)
        said = capsys.readouterr().out
        assert code == 0
        assert f"\n  game.lose={lose}\n" in said
        assert "evaluators of searches: " in said
    code = arguments.main(script.Options, script.task, "", ["game=shogi", "-h"], script.about)
    assert (code, capsys.readouterr().err[:18]) == (2, "error: game=shogi:")
