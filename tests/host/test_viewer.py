"""Going through a recorded game."""

import pytest

import envs
from jaxgp.host.viewer import Viewer
from jaxgp.seats.moves import Stepper, announcement, game_key, verdict
from tests.host.games import typing

SPEC = envs.spec("walls")
GAME = envs.make("walls", size=3, stall=3)
NAMES = ("A", "B")
ACTIONS = (1, 1, 0, 0, *[1] * 6)


@pytest.fixture(scope="module")
def moves():
    """Both turn, walk once and turn until they are stalled."""
    return list(Stepper(GAME, game_key(0)).retrace(ACTIONS))


@pytest.fixture
def walk(moves):
    def run(typed, start=0):
        ask, said = typing(typed)
        Viewer(GAME, SPEC, NAMES, moves, said.append).walk(ask, start)
        return said

    return run


def test_enter_goes_through_the_game_to_its_verdict(walk):
    said = walk([""] * 11)
    assert [line.split(". ")[1] for line in said if line[0].isdigit()] == [
        f"{name} plays {move}." for move in ("left", "forward", *["left"] * 3) for name in NAMES
    ]
    assert said[-1] == "Draw, 1 to 1."


def test_a_number_and_back_go_anywhere_and_no_further_than_the_ends(walk):
    said = walk(["3", "b", "0", "back", "quit", "1"])
    shown = [line.split(".")[0] for line in said if line[0].isdigit()]
    assert shown == ["3", "2"]
    assert "This is the opening position." in said
    assert said[-1].startswith("Move 0 of 10 ")


def test_anything_else_is_explained(walk):
    said = walk(["forward", "11", "help"])
    for word in ("forward", "11"):
        assert f'"{word}" is none of them; accepted: Enter, back, a number from 0 to 10, quit, or help.' in said
    assert any("Press Enter for the next move" in line for line in said)


def test_all_positions_are_printed_at_once(moves):
    said = []
    Viewer(GAME, SPEC, NAMES, moves[:3], said.append).run()
    assert sum("+-" in line for line in said) == 3
    assert said[-1] == "The record ends here."


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([*ACTIONS, 0], "move 11: the game has ended with move 10"),
        ([0, 3], "move 2: cannot be played there"),
        ([None, 0], "move 2: the game has ended with move 1"),
    ],
)
def test_moves_that_cannot_be_are_named(actions, message):
    with pytest.raises(ValueError, match=message):
        list(Stepper(GAME, game_key(0)).retrace(actions))


def test_a_forfeit_is_told():
    last = list(Stepper(GAME, game_key(0)).retrace([0, None]))[-1]
    assert announcement(GAME, SPEC.notation, last, "B") == "B names no legal move and forfeits the game."
    assert verdict(GAME, last.state, NAMES) == "A wins, 9 to 0."
