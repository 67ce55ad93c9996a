"""Leagues through the script's own entry point, and all that it refuses."""

import json

import pytest

from jaxgp.config import arguments
from jaxgp.league import crosstable
from tests.scripts.commands import load, write_run

TEXTS = {
    "left": "- - - / - - - / - - - : turn-left",  # lays no brick
    "ahead": "- - - / - - - / - - - : try-forward",  # nor does who begins in front of the edge
    "turns": "- # - / - - - / - - - : turn-right\n- - - / - - - / - - - : try-forward",
    "dodges": "- # - / - - - / - - - : turn-right\n- A - / - - - / - - - : turn-left\n"
    "- - - / - - - / - - - : try-forward",
}


def champion(folder, text, size=3, **about):
    folder.mkdir(parents=True)
    return write_run(folder, {"name": "walls", "size": size}, text, **about)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two folders of runs: a with three, b with one."""
    made = tmp_path_factory.mktemp("runs")
    for number, name in enumerate(TEXTS):
        champion(made / ("b" if name == "dodges" else "a") / name, TEXTS[name], fitness=float(number))
    return made


@pytest.fixture
def league(capsys):
    script = load("tournament")

    def run(*options):
        code = arguments.main(script.Options, script.task, script.__doc__, ["compilation_cache=null", *options])
        return code, *capsys.readouterr()

    return run


def test_a_league_plays_once_and_writes_what_it_found(league, runs, tmp_path, monkeypatch):
    options = [f"brackets.a={runs / 'a'}", f"brackets.b=[{runs / 'b'}/*]", "leagues=4", f"output={tmp_path / 'out'}"]
    code, out, error = league(*options, "mode=anyone")
    assert (code, error) == (0, "Playing games of 4 players, 1 of 1\n")
    assert "turns" in out
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {
        *("crosstable.json", "league.json", "report.html", "report.md", "figures")
    }
    pictures = {path.name for path in (out / "figures").iterdir()}
    assert pictures == {"crosstable.svg", "fitness.svg", "places_anyone.svg", "ratings.svg"}
    first = json.loads((out / "league.json").read_text())
    by_name = {player["name"]: player for player in first["players"]}
    assert list(by_name) == ["ahead", "left", "turns", "dodges"]
    for name, score in (("ahead", 1 / 6), ("left", 1 / 6), ("turns", 5 / 6), ("dodges", 5 / 6)):
        assert by_name[name]["score_first"] == by_name[name]["score_second"] == pytest.approx(score)
    ratings = [by_name[name]["rating"]["value"] for name in ("left", "turns")]
    assert ratings[0] < 0 < ratings[1] == pytest.approx(-ratings[0])
    assert by_name["turns"]["fitness"] == 2.0
    assert first["won_all_or_lost_all"] == []
    assert first["fitness_and_rating"]["all"]["players"] == 4
    assert len(first["leagues"]["anyone"]) == 4

    monkeypatch.setattr(crosstable, "play", None)  # nothing is left to play
    assert league(*options, "mode=anyone")[0] == 0
    assert json.loads((out / "league.json").read_text()) == first
    code, text, error = league(*options, "seed=1", "mode=others", "draws=half", "threshold=0.4", "opponents=1")
    assert (code, error) == (0, f"All games are in {out / 'crosstable.json'}\n")
    other = json.loads((out / "league.json").read_text())
    assert other["leagues"]["others"] != first["leagues"]["anyone"]
    assert [one["rating"] for one in other["players"]] == [one["rating"] for one in first["players"]]
    assert "opponents from all other brackets" in text


def test_what_cannot_be_is_refused_in_a_line_and_nothing_is_written(league, runs, tmp_path):
    champion(tmp_path / "five", TEXTS["ahead"], size=5)
    champion(tmp_path / "old", TEXTS["ahead"])
    text = (tmp_path / "old" / "champion.json").read_text()
    (tmp_path / "old" / "champion.json").write_text(text.replace('"version": "', '"version": "0'))
    (tmp_path / "kalah").mkdir()
    write_run(tmp_path / "kalah", {"name": "mancala"}, "(VALUE_AT 3)")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    a, one = f"brackets.a={runs / 'a'}", f"brackets.b={runs / 'b' / 'dodges'}"
    for options, said in (
        ([], "brackets: who plays?"),
        (["brackets.a=[]"], "brackets.a=[]: accepted: a list of one or more of"),
        (["brackets.a=3"], "brackets.a=3: accepted"),
        ([one], "brackets=1 player: accepted: 2 to 200 players"),
        ([a, f"brackets.b={tmp_path / 'empty'}"], "empty: accepted: a run with a champion, or a folder of such"),
        ([a, f"brackets.b={tmp_path}/no*"], "it matches nothing"),
        ([a, f"brackets.b={tmp_path / 'none'}"], "no such file or directory"),
        ([a, f"brackets.b={runs / 'a' / 'left'}"], "left/champion.json is named twice"),
        ([a, "brackets.b=[random,random]"], "brackets.b: random is named twice"),
        ([a, f"brackets.b={tmp_path / 'kalah'}"], "kalah/champion.json plays mancala, but"),
        ([a, f"brackets.b={tmp_path / 'five'}"], "plays with game.size=5, but"),
        ([a, f"brackets.b={tmp_path / 'old'}"], "but this version has walls-symmetric"),
        (["brackets.a=[random,search:2]"], "brackets: no champion among the players"),
        (
            ["brackets.a=[random,search:2]", "game=morpion"],
            "game=morpion: accepted: a game for two; this one is for one",
        ),
        ([a, "game=lose_checkers"], "champion.json is a game with game.name=walls; leave it out"),
        ([a, "brackets.b=minimax:2"], "brackets.b=minimax:2: accepted: search:2; minimax is called so no longer"),
        ([a, "brackets.b=search:99"], "brackets.b=search:99: accepted: search:DEPTH, a whole number from 1 to 24"),
        ([a, "brackets.b=search:2", "evaluator=best"], "evaluator=best: accepted: decided, material"),
        ([a, "brackets.b=search:2", "evaluator=material|best"], "there is no best"),
        ([a, "brackets.b=strategy:best"], "brackets.b=strategy:best: accepted: fixed"),
        ([a, "mode=others"], "mode=others: accepted: anyone or own, as there is one bracket only (a)"),
        ([a, one, "mode=all"], "mode=all: accepted: anyone or others, as bracket b has one player only"),
        ([a, "mode=some"], "mode=some: accepted: anyone, own, others, all"),
        ([a, "threshold=1"], "threshold=1.0: accepted: a number from 0 to less than 1"),
        ([a, "leagues=0"], "leagues=0: accepted: a whole number from 1 to 10000"),
        ([a, "cores=0"], "cores=0: accepted: a whole number from 1 to 1024, or null"),
        ([a, "draws=some"], "draws=some: accepted: none, half"),
        ([a, "round=3"], "round: unknown option; did you mean rounds?"),
        ([a, f"output={tmp_path / 'file'}"], "cannot be written"),
        ([a, f"table={tmp_path / 'file'}"], "file: not JSON"),
    ):
        where = [] if options and options[-1].startswith("output") else [f"output={tmp_path / 'out' / 'deep'}"]
        code, out, error = league(*options, *where)
        assert (code, out, error.count("\n")) == (2, "", 1), error
        assert said in error, error
    assert not (tmp_path / "out").exists()


def test_a_game_for_one_has_no_league(league, tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, {"name": "morpion", "size": 20}, "getClosestToLast")
    code, _, error = league(f"brackets.a={tmp_path}", f"output={tmp_path / 'out'}")
    assert (code, error.count("\n")) == (2, 1)
    assert "champion.json plays morpion, a game for one; accepted: games for two" in error


@pytest.mark.slow
def test_a_league_without_champions_plays_the_game_that_is_named(league, tmp_path):
    given = ("brackets.a=[random,search:1]", "games=2", "leagues=2", f"output={tmp_path / 'out'}")
    code, _, error = league("game=lose_checkers", "game.size=4", "game.rows=1", *given)
    assert code == 0, error
    about = json.loads((tmp_path / "out" / "league.json").read_text())
    assert [one["name"] for one in about["players"]] == ["random", "search:1"]
    assert about["game"] == {
        "name": "checkers",
        "size": 4,
        "rows": 1,
        "lose": True,
        "quiet_plies": 40,
        "position": None,
    }
