"""Kinds of players: by name, from words, from files of earlier versions, and from a file outside the project."""

from dataclasses import asdict

import pytest

import envs
from jaxgp.config import arguments, compose, typed
from jaxgp.errors import UsageError
from jaxgp.seats.options import GuideOptions, OpponentOptions, PlayerOptions, guide, opponent, parse_player, player
from tests.scripts.commands import load

OUTSIDE = """
from dataclasses import dataclass
from typing import ClassVar

from jaxgp.options import option
from jaxgp.seats.options import PlayerOptions


@dataclass(kw_only=True)
class FirstOptions(PlayerOptions):
    kind: str = option("first", "the first legal move", ("first",))
    trains: ClassVar[bool] = True
"""


def test_every_kind_has_its_own_options_and_those_of_its_place():
    assert list(PlayerOptions.kinds.all()) == [
        "search",
        "champion",
        "deepening",
        "engine",
        "human",
        "program",
        "random",
        "strategy",
    ]
    assert list(OpponentOptions.kinds.all()) == ["search", "champion", "engine", "program", "random", "strategy"]
    assert list(GuideOptions.kinds.all()) == ["search", "champion", "program", "random", "strategy"]
    assert set(asdict(player("search"))) == {"kind", "depth", "evaluator", "ties"}
    assert set(asdict(opponent("random"))) == {"kind", "games", "weight"}
    assert set(asdict(guide("random"))) == {"kind", "games", "weight", "rounds", "cutoff"}
    assert isinstance(opponent("search"), type(player("search")))


def test_words_name_players():
    assert parse_player("a", "search:3", PlayerOptions) == player("search", depth=3)
    assert parse_player("a", "strategy:fixed", OpponentOptions) == opponent("strategy", name="fixed")
    assert (
        parse_player("a", "engine:gtp-rhino -l 1", PlayerOptions).text == "engine protocol=gtp command=gtp-rhino -l 1"
    )
    assert parse_player("a", "random", PlayerOptions).text == "random"


@pytest.mark.parametrize(
    ("word", "accepted"),
    [
        ("minimax:3", "search:3; minimax is called so no longer"),
        ("gtp:x -l 1", "engine:x -l 1; gtp is called so no longer"),
        ("programs", "program; programs is called so no longer"),
        ("search:99", "search:DEPTH, a whole number from 1 to 24"),
        ("search:deep", "search:DEPTH, a whole number from 1 to 24"),
        ("random:3", "random"),
        ("nobody", "search, champion, deepening, engine, human, program, random, strategy"),
    ],
)
def test_a_word_that_names_no_player_is_refused_with_what_does(word, accepted):
    with pytest.raises(UsageError) as raised:
        parse_player("brackets.a", word, PlayerOptions)
    assert str(raised.value) == f"brackets.a={word}: accepted: {accepted}"


def test_a_former_kind_in_a_panel_is_refused_with_what_is_written_today():
    with pytest.raises(UsageError, match=r"^one\.kind=champions: accepted: champion; champions is called so"):
        typed.make_entries(OpponentOptions, {"one": {"kind": "champions"}})


def test_an_option_of_another_kind_is_refused():
    with pytest.raises(UsageError, match=r"^one\.depth: unknown option; accepted: kind, games, weight$"):
        typed.make_entries(OpponentOptions, {"one": {"kind": "random", "depth": 3}})


def test_a_kind_in_a_folder_outside_the_project_is_one_like_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(PlayerOptions.kinds, "_outside", {})
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "__init__.py").write_text(OUTSIDE)
    given = [f"+fitness.opponents.x.kind={folder}"]
    assert compose.name_folder(given, envs).overrides == ["+fitness.opponents.x.kind=first"]
    assert arguments.parse(load("play").Options, [f"opponent={folder}"]).opponent == player("first")
    assert opponent("first", games=3).games == 3
    assert parse_player("a", "first", PlayerOptions) == player("first")
    with pytest.raises(
        UsageError, match=r"^opponent=.*: accepted: search, |or a folder with an __init__.py that has a"
    ):
        arguments.parse(load("play").Options, [f"opponent={tmp_path / 'no'}"])
