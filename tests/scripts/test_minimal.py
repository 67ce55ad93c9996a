"""A game that has rules and words alone: every command plays it, or says in one line what it lacks."""

from pathlib import Path

import pytest

from tests.scripts import commands

ROOT = Path(__file__).resolve().parents[2]
GAME = f"game={ROOT / 'tests' / 'fixtures' / 'nim'}"
SEARCHES = "accepted: human, random; nim has no evaluators, so that no search plays it"
GENOMES = "accepted: human, random; no genomes play nim"


def command(name, *options):
    return commands.run(name, GAME, *options)


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("play", ["player=search"], f"player.kind=search: {SEARCHES}"),
        ("play", ["opponent=deepening"], f"opponent.kind=deepening: {SEARCHES}"),
        ("play", ["player=strategy"], "player.kind=strategy: accepted: human, random; nim has no strategies"),
        ("play", ["player=program", "player.expression=(+ 1 1)"], f"player.kind=program: {GENOMES}"),
        ("play", ["player=engine:cat"], "player.kind=engine: accepted: human, random; no engine outside plays nim"),
        ("play", ["program.role=move"], "program.role=move: accepted: null; no genomes play nim"),
        (
            "tournament",
            ["brackets.a=[random,search:1]"],
            "brackets.a=search:1: accepted: human, random; nim has no evaluators, so that no search plays it",
        ),
    ],
)
def test_what_the_game_lacks_is_told_in_one_line(name, options, error, capsys):
    assert command(name, *options) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: {error}")
    assert told.count("\n") == 1


def test_training_is_refused_before_anything_is_made(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert commands.train(GAME) == 2
    assert (
        "game.name=nim: accepted: backgammon, checkers, chess, freecell, mancala, mate, morpion, othello, rars, "
        "robocode, rush_hour, walls; "
        "no genomes play nim" in capsys.readouterr().err
    )
    assert list(tmp_path.iterdir()) == []


def test_chance_plays_it_and_the_game_is_saved_and_replayed(capsys, tmp_path):
    assert command("play", "player=random", "opponent=random", "seed=3", f"save={tmp_path / 'one'}") == 0
    played = capsys.readouterr().out
    assert "|||||||\n" in played
    assert command("play", f"replay={tmp_path / 'one.json'}") == 0
    result = "First player (random) wins, 1 to -1."
    assert result in played
    assert result in capsys.readouterr().out


def test_a_run_of_a_game_that_no_search_plays_is_told_which_opponents_there_are(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dice = ROOT / "tests" / "fixtures" / "dice"
    assert commands.train(f"game={dice}", "fitness.opponents.chance.kind=search") == 2
    error = "kind=search: accepted: champion, program, random; chance takes part in dice, so that no search plays it"
    assert error in capsys.readouterr().err
