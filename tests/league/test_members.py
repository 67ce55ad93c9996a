"""Players of a league, as the command line names them."""

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
