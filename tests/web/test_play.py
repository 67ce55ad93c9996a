"""Games on the page, by what a browser sends: nim and Connect Four, which know nothing of the page."""

import json
import threading
import time

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from jaxgp.games.outside import Outside
from jaxgp.host import savedgame
from tests.web.site import Answers, browsing, make


@pytest.fixture(scope="module")
def last():
    """Answers of a player that takes one stick, or gives a hint."""
    said = {"move": {"action": 0}, "hint": {"action": 1, "why": "it leaves four"}}
    said["why"] = {"why": {"says": "<b>", "moves": [["2", 1.5, "1 3"]], "rules": [["a", True, "<i>"]]}}
    said["why"]["why"] |= {"then": "then", "mask": [], "legend": "<u>", "trees": [["(+ 1)", [[1, "pale"]]]]}
    return Answers(lambda question: said[question["what"]])


@pytest.fixture(scope="module")
def browser(tmp_path_factory, last):
    with browsing(make(tmp_path_factory.mktemp("site"), last)) as found:
        yield found


def test_a_game_is_played_to_its_end_and_each_move_is_answered(browser):
    address = browser.new()
    view = browser.view(address)
    assert [move["n"] for move in view["moves"]] == ["1", "2", "3"]
    assert "svg" in view["parts"]["board"]
    while view["waiting"] == "person":
        answer = browser.do(address, "move", at=view["at"], action=0)
        assert answer.status_code == 200
        view = browser.view(address)
    assert view["waiting"] == "over"
    assert "You win, 1 to -1." in view["parts"]["state"]
    assert view["moves"] == []


def test_a_double_click_an_old_page_and_a_move_that_is_not_legal_play_nothing(browser):
    address = browser.new(second="human")
    at = browser.view(address)["at"]
    assert browser.do(address, "move", at=at, action=0).status_code == 200
    for body, why in (
        ({"at": at, "action": 0}, "the board has changed"),
        ({"at": at + 1, "action": 9}, "cannot be played"),
        ({"at": at + 1, "action": -1}, "cannot be played"),
        ({"at": at + 1, "action": "0"}, "action: accepted: a whole number"),
        ({"at": None, "action": 0}, "at: accepted: a whole number"),
    ):
        answer = browser.do(address, "move", **body)
        assert answer.status_code == 409
        assert why in answer.json()["error"]
    assert browser.view(address)["at"] == at + 1


def test_moves_are_taken_back_also_while_a_player_thinks_and_after_the_end(browser, last):
    address = browser.new()
    view = browser.view(address)
    assert "no move of yours" in browser.do(address, "undo", at=view["at"]).json()["error"]
    last.may.clear()
    assert browser.do(address, "move", at=1, action=2).status_code == 200
    assert browser.view(address, "thinking")["at"] == 2
    assert "not your turn" in browser.do(address, "move", at=2, action=0).json()["error"]
    assert "not your turn" in browser.do(address, "hint", at=2).json()["error"]
    browser.do(address, "undo", at=2)
    assert browser.view(address, "person")["at"] == 1
    last.may.set()
    browser.do(address, "resign", at=1)
    view = browser.view(address, "over")
    assert "You lose" in view["parts"]["state"]
    browser.do(address, "undo", at=view["at"])
    assert browser.view(address, "person")["at"] == 1


def test_a_player_that_is_stopped_goes_on_when_it_is_told(browser, last):
    address = browser.new()
    browser.view(address)
    last.may.clear()
    browser.do(address, "move", at=1, action=0)
    browser.view(address, "thinking")
    assert browser.do(address, "stop").status_code == 200
    assert browser.view(address, "stopped")["at"] == 2
    last.may.set()
    browser.do(address, "again")
    assert browser.view(address, "person")["at"] == 3
    assert "nobody" in browser.do(address, "stop").json()["error"]
    assert "nobody" in browser.do(address, "again").json()["error"]
    assert "accepted: move" in browser.do(address, "dance").json()["error"]


def test_a_hint_names_a_move_and_reasons_are_escaped(browser):
    address = browser.new()
    browser.view(address)
    view = browser.do(address, "hint", at=1).json()["view"]
    assert "Hint: 2 (it leaves four)." in view["parts"]["state"]
    reasons = browser.do(address, "why", at=1).json()["reasons"]
    assert "&lt;b&gt;" in reasons
    assert "<mark>a</mark> fires <span class=soft>&lt;i&gt;" in reasons
    assert "&lt;u&gt;" in reasons
    assert '<g class="leaf pale">' in reasons
    assert "1 3" in reasons


def test_a_game_is_saved_as_play_py_reads_it_and_opens_again_where_it_was(browser):
    address = browser.new()
    browser.view(address)
    browser.do(address, "move", at=1, action=1)
    browser.view(address)
    name = address.rpartition("/")[2]
    file = browser.site.hall.saved()[name]
    played = savedgame.read(str(file), browser.site.hall.games)
    assert [move.action for move in played.moves[1:]] == [1, 0]
    hall = browser.site.hall
    hall._open.pop(name).close()
    again = browser.view(address, "paused")
    assert again["at"] == 3
    assert "person against random moves" in browser.get(address).text
    browser.do(address, "again")
    assert browser.view(address, "person")["at"] == 3


def test_each_position_has_an_address_from_which_a_new_game_goes_on(browser):
    address = browser.new(second="human")
    for at in (1, 2, 3):
        browser.view(address)
        browser.do(address, "move", at=at, action=0)
    page = browser.get(f"{address}?move=2").text
    assert "Position after 2 of 3 moves." in page
    assert 'rel="prev"' in page
    other = browser.do(address, "on", move=2).json()["go"]
    assert other != address
    assert browser.view(other)["at"] == 3
    assert browser.view(address)["at"] == 4
    assert "accepted: a whole number from 0 to 3" in browser.do(address, "on", move=9).json()["error"]
    assert browser.get(f"{address}?move=999").status_code == 200
    assert browser.get(f"{address}?move=x").status_code == 404


def test_a_form_that_is_wrong_is_answered_in_one_line(browser):
    for form, why in (
        ({"game": "chess2"}, "game=chess2: accepted: "),
        ({"game": "../nim"}, "accepted: "),
        ({"game": "rars"}, "simulation"),
        ({"first": "engine:/bin/sh"}, "first=engine:/bin/sh: accepted: human, random"),
        ({"first": "program:/etc/passwd"}, "accepted: human, random"),
        ({"second": "search"}, "accepted: human, random"),
        ({"seed": "-1"}, "seed=-1: accepted: a whole number from 0 to 4294967295"),
        ({"game.heap": "1000"}, "game.heap=1000: accepted: a whole number from 1 to 99"),
        ({"game.heap": "[1"}, "game.heap: cannot be read"),
        ({"game.board": "x"}, "game.board: unknown setting of nim"),
    ):
        answer = browser.post("/new", {"game": "nim", "first": "human", "second": "random"} | form)
        assert answer.status_code == 409, form
        assert why in answer.json()["error"]
        assert answer.json()["error"].count("\n") == 0


def test_the_form_lists_settings_players_and_rules(browser):
    page = browser.get("/new?game=nim").text
    assert 'name="game.heap" value="7"' in page
    assert '<option value="human" selected>a person</option>' in page
    othello = browser.get("/new?game=othello").text
    assert "Who cannot turn a disc over passes" in othello
    assert "values by" in othello
    assert "simulation" in browser.get("/new?game=robocode").text


def test_the_oldest_games_are_put_away_where_there_are_too_many(tmp_path, last):
    with browsing(make(tmp_path, last, most=2)) as browser:
        addresses = [browser.new(second="human") for _ in range(2)]
        for address in addresses:
            browser.view(address)
            browser.do(address, "move", at=1, action=0)
        browser.new(second="human")
        assert len(browser.site.hall.open) == 2
        assert browser.view(addresses[0], "person", "starting")["at"] == 2
        listed = browser.get("/games").text
        assert all(address in listed for address in addresses)


def test_a_game_without_places_has_buttons_by_the_names_of_its_moves(tmp_path, last):
    with browsing(make(tmp_path, last, game="connect_four")) as browser:
        assert isinstance(browser.site.hall.games, Outside)
        address = browser.new(game="connect_four", second="human")
        view = browser.view(address)
        notation = browser.site.hall.games.spec("connect_four").notation
        rules = browser.site.hall.games.spec("connect_four").make()
        assert [move["n"] for move in view["moves"]] == [notation.action_name(rules, n) for n in range(7)]
        assert all(move["p"] == [] for move in view["moves"])
        assert "data-place" not in view["parts"]["board"]


def test_a_file_that_names_players_that_are_not_here_opens_with_people(tmp_path, last):
    with browsing(make(tmp_path, last)) as browser:
        address = browser.new()
        browser.view(address)
        browser.do(address, "move", at=1, action=0)
        browser.view(address)
        name = address.rpartition("/")[2]
        file = browser.site.hall.saved()[name]
        for seats in (
            [{"player": {"kind": "champion"}, "name": "x", "run": "/etc"}] * 2,
            [{"player": {"kind": "engine", "command": "sh"}, "name": "x", "run": None}] * 2,
            [{"player": {"kind": "search", "depth": 10**9}, "name": "x", "run": None}] * 2,
            "x",
            [1, 2],
        ):
            file.write_text(json.dumps(json.loads(file.read_text()) | {"seats": seats}))
            browser.site.hall._open.clear()
            assert browser.view(address, "person")["at"] == 3
            assert "person against person" in browser.get(address).text
        file.write_text("{")
        browser.site.hall._open.clear()
        assert browser.get(address).status_code == 404


def test_engines_and_programs_of_the_command_line_are_offered_by_the_games_that_they_play(tmp_path):
    asked = Answers(lambda question: {"action": 1})
    (tmp_path / "turns.txt").write_text("- - - / - - - / - - - : turn-left\n")
    program = {"kind": "program", "file": str(tmp_path / "turns.txt")}
    engine = {"kind": "engine", "command": "sh -c x"}
    with browsing(make(tmp_path, asked, given=[engine, program])) as browser:
        walls, othello = (browser.get(f"/new?game={game}").text for game in ("walls", "othello"))
        assert "engine sh -c x" not in walls
        assert "program turns.txt" in walls
        assert "engine sh -c x" in othello
        assert "program turns.txt" not in othello
        address = browser.new(**{"game": "walls", "game.size": "3", "second": "given:1"})
        browser.view(address)
        browser.do(address, "move", at=1, action=1)
        assert browser.view(address)["at"] == 3
        assert asked.asked[-1]["player"] == program
        name = address.rpartition("/")[2]
        browser.site.hall._open.clear()
        assert "person against program turns.txt" in browser.get(address).text
        file = browser.site.hall.saved()[name]
        file.write_text(file.read_text().replace("turns.txt", "other.txt"))
        browser.site.hall._open.clear()
        assert "person against person" in browser.get(address).text
        for word in ("given:0", "given:2", "given:-1", "given:x", "engine:sh"):
            answer = browser.post("/new", {"game": "walls", "first": "human", "second": word})
            assert "second=" in answer.json()["error"]


def test_a_game_that_nobody_looks_at_is_put_away_and_opens_again_as_it_was(tmp_path, last):
    site = make(tmp_path, last, idle=1.0)
    with browsing(site) as browser:
        address = browser.new(second="human")
        version = browser.view(address)["version"]
        browser.do(address, "move", at=1, action=0)
        unmoved = browser.new(second="human")
        browser.view(unmoved)
        threads = threading.active_count()
        end = time.monotonic() + 10
        while site.hall.open and time.monotonic() < end:
            time.sleep(0.05)
        assert site.hall.open == {}
        assert threading.active_count() < threads
        again = browser.view(address)
        assert again["at"] == 2
        assert browser.view(unmoved)["at"] == 1
        assert again["version"] > version, "a page that is open takes it for newer"
