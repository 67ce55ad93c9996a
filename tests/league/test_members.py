"""Players of a league, as the command line names them."""

import json
from pathlib import Path

import pytest

import envs
from jaxgp.errors import UsageError
from jaxgp.league import members
from tests.scripts.commands import write_run


def test_names_of_players_are_fit_to_be_shown(tmp_path):
    for name in ("one\x1b[31m", "two\udc80"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, {"name": "walls", "size": 3}, "- - - / - - - / - - - : turn-left")
    _, found = members.read({"b\u202e": str(tmp_path)}, envs, "first", None)
    assert [one.name for one in found] == ["one\ufffd[31m", "two\ufffd"]
    assert {one.bracket for one in found} == {"b\ufffd"}
    assert all(one.source.isprintable() for one in found)


def test_a_champion_that_is_a_link_to_itself_is_refused_by_the_bracket(tmp_path):
    (tmp_path / "champion.json").symlink_to("champion.json")
    for word in (tmp_path, tmp_path / "champion.json"):
        with pytest.raises(UsageError, match=r"^brackets\.a="):
            members.read({"a": str(word), "b": "random"}, envs, "first", None)


def test_brackets_are_a_pattern_unless_a_path_has_them(tmp_path):
    for name in ("a_0", "a_1", "a_2", "b[1]"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, {"name": "walls", "size": 3}, "- - - / - - - / - - - : turn-left")

    def found(word):
        return [path.parent.name for path in members.champion_files("runs", [f"{tmp_path}/{word}"])]

    assert found("a_[0-1]") == ["a_0", "a_1"]
    assert found("b[1]") == ["b[1]"]
    with pytest.raises(UsageError, match=r"a_\[7-9\]: accepted: a pattern that matches"):
        found("a_[7-9]")


def test_a_file_of_several_champions_stands_for_all_of_them():
    file = Path(__file__).resolve().parents[2] / "docs/data/champions/othello_few.jsonl"
    found = members.champion_files("runs", [f"{file.parent}/othello_few*.jsonl", f"{file.parent}/mancala.jsonl#3"])
    assert [path.name for path in found[:2] + found[-2:]] == [
        "othello_few.jsonl#0",
        "othello_few.jsonl#1",
        "othello_few_weights.jsonl#9",
        "mancala.jsonl#3",
    ]
    with pytest.raises(UsageError, match=r"^runs=.*none\.jsonl: .*cannot be read"):
        members.champion_files("runs", [f"{file.parent}/none.jsonl"])


def test_champions_are_called_by_title_and_seed_and_by_their_place_where_that_is_not_enough(tmp_path):
    for folder, title, seed in (("0", "Walls", 0), ("1", "Walls", 1), ("again", "Walls", 1), ("bare", "", 2)):
        (tmp_path / folder).mkdir()
        run = write_run(tmp_path / folder, {"name": "walls", "size": 3}, "- - - / - - - / - - - : turn-left")
        path = run / "champion.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"title": title, "seed": seed}))
    _, found = members.read({"all": str(tmp_path)}, envs, "first", None)
    assert [one.name for one in found] == ["Walls, seed 0", "Walls, seed 1 (1)", "Walls, seed 1 (again)", "bare"]
