"""Whole turns, as a person types them: which are played, what is said of the others, and how they are taken back."""

import pytest

import envs
from envs.checkers import turns
from envs.checkers.render import action_name
from envs.checkers.turns import read_turn
from jaxgp.host.human import TerminalGame
from jaxgp.seats.moves import Stepper, game_key
from tests.envs.checkers.drawings import play, read
from tests.host.games import first_agent, typing

FORK = """
    . . . . . . . .
    . . . . . . . .
    . . . w . w . .
    . . . . . . . .
    . . . w . . . .
    . . b . . . b .
    . . . . . . . .
    . . . . . . . .
"""
CIRCLE = """
    . . . . . . . .
    . . . . . . . .
    . . . w . w . .
    . . . . . . . .
    . . . w . w . .
    . . . . B . . .
    . . . . . . . .
    . . . . . . . .
"""
LINE = "11-15 22-18 15-22 25-18 9-13 26-22 13-17 21-14"
"""Black, who is to move, has the turn e3xg5xe7."""


def names(drawing, typed):
    game, state = read(drawing)
    return [action_name(game, action) for action in read_turn(game, state, typed)]


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("typed", "moves"),
    [
        ("c3xe5", ["c3xe5"]),
        ("c3xe5xg7", ["c3xe5", "e5xg7"]),
        (" C3-E5-C7 ", ["c3xe5", "e5xc7"]),
        ("c3e5g7", ["c3xe5", "e5xg7"]),
        ("c3xg7", ["c3xe5", "e5xg7"]),
        ("11x18x25", ["c3xe5", "e5xg7"]),
        ("11-27", ["c3xe5", "e5xc7"]),
    ],
)
def test_a_turn_may_be_typed_whole_in_part_or_by_its_ends(typed, moves):
    assert names(FORK, typed) == moves


@pytest.mark.parametrize(
    ("drawing", "typed", "said"),
    [
        (FORK, "g3-h4", '"g3-h4" cannot be played here: a capture is forced; accepted: c3xe5'),
        (FORK, "c3xe5xg3", "after c3xe5 the piece has to go on; accepted: c3xe5xc7, c3xe5xg7"),
        (FORK, "c3xe5xg7xe5", "the turn ends with c3xe5xg7; accepted: c3xe5xg7"),
        (CIRCLE, "e3xe3", "can be played in several ways; accepted: e3xg5xe7xc5xe3, e3xc5xe7xg5xe3"),
        (FORK, "c3", '"c3" is not a move; accepted: the squares of a turn, as in c3-d4 or c3xe5xg7 or 11-15'),
        (FORK, "", "an empty line is not a move"),
    ],
)
def test_what_cannot_be_played_is_answered_by_what_can(drawing, typed, said):
    game, state = read(drawing)
    with pytest.raises(ValueError, match="accepted: ") as refused:
        read_turn(game, state, typed)
    assert said in str(refused.value)


def test_a_piece_that_has_captured_is_told_where_to_go_on():
    game, state = read(FORK)
    state = play(game, state, "c3xe5")
    assert [action_name(game, action) for action in read_turn(game, state, "e5xg7")] == ["e5xg7"]
    with pytest.raises(ValueError, match="the piece that has captured has to go on; accepted: e5xc7, e5xg7"):
        read_turn(game, state, "g3-h4")


def test_jumps_that_nobody_could_count_are_asked_for_one_by_one(monkeypatch):
    monkeypatch.setattr(turns, "MOST_ROUTES", 3)
    with pytest.raises(ValueError, match="too many ways to capture; accepted: the jumps one by one"):
        names(CIRCLE, "e3xe3")


def sit(lines):
    """Play black from the position after `LINE`; return the board and what was said."""
    game = envs.make("checkers")
    spec, stepper = envs.spec("checkers"), Stepper(game, game_key(0))
    record = list(stepper.retrace(spec.notation.parse(game, LINE, None).actions))
    ask, said = typing(lines)
    seats, labels = (None, first_agent(game)), ("You", "first")
    board = TerminalGame(stepper, spec, seats, labels, ask, said.append, record=record)
    board.play()
    return board, said


def test_a_turn_that_is_typed_at_once_is_played_and_taken_back_at_once():
    board, said = sit(["e3xg5xe7", "undo", "e3xg5", "e5", "e3-f4", "g5xe7", "undo", "quit"])
    text = "\n".join(said)
    assert text.count("You play e3xg5 and move again.\nYou play g5xe7.") == 1
    assert "who has to go on from g5" in text
    assert text.count("Taken back.") == 2
    assert action_name(board.rules, board.record[-1].action) == "e3xg5"
    assert '"e3-f4" cannot be played here: the piece that has captured has to go on; accepted: g5xe7, or help.' in text
