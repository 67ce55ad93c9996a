"""People at the board, where chance takes part: what is typed, taken back, saved and shown again."""

import json
import re

import pytest

import envs
from jaxgp.errors import UsageError
from jaxgp.games.outside import Outside
from jaxgp.host import savedgame
from jaxgp.host.human import TerminalGame
from jaxgp.seats.moves import Stepper, game_key
from jaxgp.terminal import Stopped
from tests.host.games import DICE, FOLDER, RANDOM, SPEC, typing

GAMES = Outside(envs, FOLDER)
NAMES = ("Person", "random")


@pytest.fixture
def sit():
    """Play a game against random moves by lines that are typed; return the board and what was said."""

    def run(typed, seed=5):
        ask, said = typing(typed)
        board = TerminalGame(Stepper(DICE, game_key(seed)), SPEC, (None, RANDOM), NAMES, ask, said.append)
        board.play()
        return board, said

    return run


def dice(record):
    return [int(move.state.die) for move in record]


def test_a_person_sees_the_die_plays_to_the_end_and_hears_who_has_won(sit):
    board, said = sit(["walk"] * 20)
    assert bool(board.state.terminated)
    shown = [line.split("die: ")[1].strip() for line in said if "die: " in line]
    assert shown[0] == str(dice(board.record)[0])
    assert said[-1] in (f"{name} wins, {a} to {b}." for name in NAMES for a in range(30) for b in range(30))
    assert [line for line in said if "(walk, step)" in line]


def test_moves_that_are_taken_back_and_played_again_meet_the_same_dice_and_replies(sit):
    straight, _ = sit(["walk", "step", "walk"])
    bent, said = sit(["walk", "step", "undo", "undo", "step", "undo", "walk", "step", "walk"])
    assert said.count("Taken back.") == 3
    assert dice(bent.record) == dice(straight.record)
    assert [move.action for move in bent.record] == [move.action for move in straight.record]
    other, _ = sit(["walk", "step", "walk"], seed=6)
    assert dice(other.record) != dice(straight.record)


def test_a_saved_game_holds_what_chance_did_and_replays_it(sit, tmp_path):
    board, _ = sit(["walk", "step", "undo", "walk", "step"])
    savedgame.write([tmp_path / "one.json"], savedgame.PlayedGame(board.stepper, SPEC, NAMES, board.record))
    again = savedgame.read(str(tmp_path / "one.json"), GAMES)
    assert dice(again.moves) == dice(board.record)
    assert len(dice(again.moves)) == 7
    content = json.loads((tmp_path / "one.json").read_text())
    assert content["format_version"] == 2
    content["chance"]["key"][1] ^= 1
    (tmp_path / "other.json").write_text(json.dumps(content))
    with pytest.raises(UsageError, match="its moves lead to"):
        savedgame.read(str(tmp_path / "other.json"), GAMES)
    del content["chance"]
    (tmp_path / "old.json").write_text(json.dumps(content | {"format_version": 1}))
    with pytest.raises(UsageError, match="holds no chance, but chance takes part in dice"):
        savedgame.read(str(tmp_path / "old.json"), GAMES)


@pytest.mark.thorough
def test_long_names_of_moves_have_numbers_and_no_line_breaks_one():
    game = envs.make("morpion", size=20)
    ask, said = typing(["3", "quit"])
    board = TerminalGame(
        Stepper(game, game_key(0)), envs.spec("morpion"), (None,), ("You",), ask, said.append, width=60
    )
    board.play()
    prompt = next(line for line in said if line.startswith("1 "))
    *lines, last = prompt.split("\n")
    assert last == "You: "
    assert max(map(len, lines)) <= 60
    entries = " ".join(lines).split("; ")
    assert [entry.split()[0] for entry in entries] == [str(n) for n in range(1, len(entries) + 1)]
    assert all(re.fullmatch(r"\d+ \d+,\d+-\d+,\d+;?", one) for line in lines for one in line.split("; ")), lines
    assert board.record[1].action == board.stepper.legal(board.record[0].state)[2]


def test_the_number_of_a_move_may_be_typed_with_any_number_of_digits():
    spec, game = envs.spec("rush_hour"), envs.make("rush_hour")
    ask, said = typing(["9" * 5000, "\u00b2", "1", "quit"])
    board = TerminalGame(Stepper(game, game_key(0)), spec, (None,), ("You",), ask, said.append)
    board.play()
    assert board.record[1].action == board.stepper.legal(board.record[0].state)[0]


def test_a_hint_that_is_stopped_leaves_the_game_as_it_is(monkeypatch):
    def stopped():
        def hint(state, bits):
            raise Stopped

        return hint

    ask, said = typing(["hint", "walk", "quit"])
    board = TerminalGame(Stepper(DICE, game_key(5)), SPEC, (None, RANDOM), NAMES, ask, said.append, adviser=stopped)
    board.play()
    assert "The hint was stopped." in said
    assert board.record[1].action is not None
