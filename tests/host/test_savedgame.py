"""Saved games: what is written is read back, and a file that was changed is refused in one line."""

import json
import os
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import envs
from jaxgp.errors import RunError, UsageError
from jaxgp.host import savedgame
from jaxgp.host.savedgame import PlayedGame
from jaxgp.seats import moves
from jaxgp.seats.agents import random_agent
from jaxgp.seats.moves import Stepper, game_key
from tests.envs.replays import EVERY, TURNS, keys_of, random_games

SPEC = envs.spec("walls")
GAME = envs.make("walls", size=3, stall=3)
STEPPER = Stepper(GAME, game_key(7))
ACTIONS = (1, 1, 0, 0, *[1] * 6)


@pytest.fixture(scope="module")
def played():
    return PlayedGame(STEPPER, SPEC, ("First <A>", "Second & B"), list(STEPPER.retrace(ACTIONS)))


@pytest.fixture
def saved(played, tmp_path):
    savedgame.write(savedgame.targets("save", str(tmp_path / "one")), played)
    return tmp_path / "one.json"


def test_a_name_stands_for_three_files_and_with_an_ending_for_one(tmp_path):
    def names(name, *suffixes):
        return [path.name for path in savedgame.targets("save", str(tmp_path / name), *suffixes)]

    assert names("one") == ["one.svg", "one.txt", "one.json"]
    assert names("v1.0") == ["v1.0.svg", "v1.0.txt", "v1.0.json"]
    assert names("one.txt") == ["one.txt"]
    assert names("one", (".svg",)) == names("one.svg", (".svg",)) == ["one.svg"]
    for wrong in (tmp_path, tmp_path / "none" / "one"):
        with pytest.raises(UsageError, match=r"^save=.*: accepted: the name of a file, in a directory that exists"):
            savedgame.targets("save", str(wrong))


def test_no_game_is_saved_in_the_place_of_a_device(tmp_path):
    os.mkfifo(tmp_path / "one.txt")
    for name in ("one", "one.txt"):
        with pytest.raises(UsageError, match=r"^save=.*: accepted: the name of a file; one\.txt is none"):
            savedgame.targets("save", str(tmp_path / name))


def test_a_game_is_read_back_as_it_was_played(saved, played):
    again = savedgame.read(str(saved), envs)
    assert (again.game, again.names) == (GAME, played.names)
    assert [move.action for move in again.moves] == [None, *ACTIONS]
    assert savedgame.record(again) == saved.read_text()


@pytest.mark.few(3)
@pytest.mark.parametrize("ending", [".json", ".txt", ".svg"])
@pytest.mark.parametrize("name", EVERY)
def test_what_is_saved_of_any_game_is_read_back_from_all_three_files(tmp_path, name, ending):
    spec, game = envs.spec(name), envs.make(name)
    agent = random_agent(game)
    stepper = Stepper(game, game_key(4))
    record = moves.play_on(stepper, [agent] * game.seats, max_plies=6)
    names = ("A <&> </metadata>", "B")[: game.seats]
    file = tmp_path / f"game{ending}"
    savedgame.write([file], PlayedGame(stepper, spec, names, record))
    for asked in ({}, {"name": name}):
        again = savedgame.read(str(file), envs, asked)
        assert (again.game, again.names) == (game, names)
        assert [move.action for move in again.moves] == [move.action for move in record]
    text = file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text)
    assert [move.action for move in savedgame.read(str(file), envs).moves] == [move.action for move in record]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"), [*((name, {}) for name in TURNS), ("checkers", {"size": 10}), ("checkers", {"lose": True})]
)
def test_1000_random_games_are_read_back_from_their_texts_and_records(tmp_path, name, settings):
    spec, game = envs.spec(name), envs.make(name, **settings)
    names = ("A", "B")[: game.seats]
    for number, record in enumerate(random_games(game, keys_of(5, 1000), 80)):
        played = PlayedGame(Stepper(game, game_key(5, number)), spec, names, record)
        for ending in (".txt", ".json", ".svg")[: 3 if number % 100 == 0 else 1]:  # a text holds the same JSON
            file = tmp_path / f"game{ending}"
            savedgame.write([file], played)
            again = savedgame.read(str(file), envs, {"name": name, **settings})
            assert [move.action for move in again.moves] == [move.action for move in record]
            assert game.key(again.moves[-1].state).tolist() == game.key(record[-1].state).tolist()


def test_a_number_after_the_name_of_a_file_of_one_game_is_refused(saved):
    with pytest.raises(UsageError, match=r"^replay=.*one\.json#2: accepted: one\.json without #2; it holds one game$"):
        savedgame.read(f"{saved}#2", envs)


def test_names_in_a_file_cannot_steer_a_terminal_or_break_a_picture(saved, tmp_path):
    content = json.loads(saved.read_text())
    content["players"] = ["\x1b]0;title\x07\n\u202eA", "\ufffe & <B>"]
    saved.write_text(json.dumps(content))
    again = savedgame.read(str(saved), envs)
    assert again.names == ("\ufffd]0;title\ufffd \ufffdA", "\ufffd & <B>")
    savedgame.write(savedgame.targets("save", str(tmp_path / "again")), again)
    assert "\x1b" not in (tmp_path / "again.txt").read_text()
    ET.parse(tmp_path / "again.svg")


def test_captions_of_pictures_are_fit_for_them(played):
    named = replace(played, names=("\x1b[31m", "\0"))
    assert "\ufffd[31m" in "".join(ET.fromstring(savedgame.animation(named)).itertext())


def test_a_file_of_the_first_version_is_a_game_without_chance(saved, played):
    content = json.loads(saved.read_text())
    del content["chance"]
    saved.write_text(json.dumps(content | {"format_version": 1}))
    again = savedgame.read(str(saved), envs)
    assert [move.action for move in again.moves] == [move.action for move in played.moves]


def test_an_unfinished_and_a_forfeited_game_are_read_back(tmp_path):
    for actions in ([0], [0, None], []):
        game = PlayedGame(STEPPER, SPEC, ("A", "B"), list(STEPPER.retrace(actions)))
        savedgame.write([tmp_path / "part.json"], game)
        assert [m.action for m in savedgame.read(str(tmp_path / "part.json"), envs).moves] == [None, *actions]
    assert "\n\nUnfinished.\n\n" in savedgame.transcript(PlayedGame(STEPPER, SPEC, ("A", "B"), game.moves))


def test_the_text_has_every_board_and_move_and_the_result(saved):
    text = saved.with_suffix(".txt").read_text()
    assert text.startswith("First <A> against Second & B\n")
    assert re.findall(r"^(\d+)\. (.*)\.$", text, re.M)[0] == ("1", "First <A> plays left")
    assert text.count("+----------+") == 2 * (len(ACTIONS) + 1)
    assert f"\nDraw, 1 to 1.\n\n{savedgame.BELOW}\n{{" in text


def test_the_pictures_are_well_formed(saved, played, tmp_path):
    moving = ET.parse(saved.with_suffix(".svg")).getroot()
    assert moving.get("aria-label").startswith("First <A>. Second & B. ply 10: Second & B plays left")
    savedgame.write_position(tmp_path / "last.svg", played)
    for file in (saved.with_suffix(".svg"), tmp_path / "last.svg"):  # text that is light in the dark lies on no white
        assert "svg:root{color-scheme:light dark}" in file.read_text()
    assert ET.parse(tmp_path / "last.svg").getroot().get("aria-label") == "Walls. Draw, 1 to 1. Bricks: 1 and 1."


def test_a_file_that_cannot_be_written_is_a_failure(played, tmp_path):
    with pytest.raises(RunError, match=r"one\.json: cannot be written \(No such file or directory\)"):
        savedgame.write([tmp_path / "none" / "one.json"], played)


def test_a_game_other_than_the_one_asked_for_is_refused(saved):
    assert savedgame.read(str(saved), envs, {"name": "walls", "size": 3}).game == GAME
    for asked, message in (
        ({"name": "mancala"}, r"^game.name=mancala: replay=.* is a game with game.name=walls; leave it out"),
        ({"name": "walls", "size": 5}, r"^game.size=5: replay=.* is a game with game.size=3"),
        ({"name": "walls", "pits": 5}, r"^game.pits=5: replay=.* is a game with game.pits=none"),
    ):
        with pytest.raises(UsageError, match=message):
            savedgame.read(str(saved), envs, asked)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, 'has no "format": "jaxgp game"; accepted: a game that was saved, or with game=NAME'),
        ({"format_version": 3}, "format_version 3 is not known here; accepted: 1, 2"),
        ({"format_version": True}, "format_version true is not known here; accepted: 1, 2"),
        ({"rules": "x" * 2000}, "accepted: games under version 1 of the rules; this one is of " + "x" * 77 + "..."),
        ({"chance": None}, "chance: null: accepted: the name of a generator of JAX, and the words of a key"),
        ({"chance": {"generator": "dice", "key": [1, 2]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [1, 2, 3]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [[1, 2]]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [1.5, 2]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [1, True]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [1, "2"]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [1, 2**32]}}, "chance: "),
        ({"chance": {"generator": "threefry2x32", "key": [-1, 2]}}, "chance: "),
        ({"moves": "fff"}, "moves is missing, or not a list"),
        ({"players": ["A"]}, "players: accepted: the names of two"),
        ({"players": ["A", 2]}, "players: accepted: names"),
        ({"game": {"name": "walls", "size": 4}}, "game.size=4: accepted: an odd number from 3 to 999"),
        ({"game": {"name": "go"}}, "game.name=go: accepted: backgammon, checkers, chess, freecell, mancala"),
        ({"game": {}}, "game.name=null: accepted: backgammon, checkers, chess, freecell, mancala"),
        ({"game": {"name": "walls", "pits": 3}}, "game.pits: unknown setting of walls"),
        ({"rules": "0"}, "accepted: games under version 1 of the rules; this one is of 0"),
        ({"moves": ["forward", "back"]}, 'move 2: "back" is not a move; accepted: forward, left, right'),
        ({"moves": ["forward", 7]}, "move 2: 7 is not the name of a move"),
        ({"moves": ["left"] * 7}, "move 7: the game has ended with move 6"),
        ({"moves": ["forward"]}, "its moves lead to 0 to 0, unfinished, but it says [1.0,1.0], finished=true"),
    ],
)
def test_a_file_that_does_not_fit_is_explained_in_one_line(saved, change, message):
    saved.write_text(json.dumps(json.loads(saved.read_text()) | change))
    with pytest.raises(UsageError) as error:
        savedgame.read(str(saved), envs)
    assert message in str(error.value)
    assert str(saved)[:40] in str(error.value)  # a long name is cut short


def test_what_is_no_json_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(UsageError, match="not JSON"):
        savedgame.read(str(tmp_path / "x.json"), envs)
    with pytest.raises(UsageError, match="cannot be read \\(No such file"):
        savedgame.read(str(tmp_path / "y.json"), envs)


def test_more_moves_than_the_game_can_have_are_refused_before_any_is_played(saved, monkeypatch):
    monkeypatch.setattr(Stepper, "retrace", lambda self, actions: pytest.fail("they were played"))
    content = json.loads(saved.read_text())
    saved.write_text(json.dumps(content | {"moves": content["moves"][:1] * 100_000}))
    with pytest.raises(UsageError, match="accepted: games of up to 10000 moves; this one has 100000"):
        savedgame.read(str(saved), envs)
    assert envs.spec("othello").longest(envs.make("othello", size=6)) == 64
    assert envs.spec("morpion").longest(envs.make("morpion", size=20)) == 400


def test_who_reads_a_long_game_is_told_how_far_it_is(saved):
    told = []
    savedgame.read(str(saved), envs, tell=lambda *now: told.append(now))
    assert told == [(n, len(ACTIONS)) for n in range(len(ACTIONS) + 1)]
