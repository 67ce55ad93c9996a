"""Rush Hour for people: text, pictures, names of moves, how a game has ended, hints."""

import xml.etree.ElementTree as ElementTree

import jax
import numpy as np
import pytest

import envs
from envs.rush_hour import exact, render
from envs.rush_hour.boards import parse
from envs.rush_hour.rules import RushHour
from tests.envs.replays import FAST, KEY

STEP = jax.jit(RushHour.step, static_argnums=0, compiler_options=FAST)
GAME = RushHour()
EASY = RushHour(board="....../....../XX..A./....A./....../......")
STUCK = "...A../...A../XX.B../...B../...C../...C.."


def after(game, *moves):
    state = game.init(KEY)
    for move in moves:
        state = STEP(game, state, np.int32(render.parse_action(game, move)), KEY)
    return state


def test_the_board_is_drawn_with_its_letters_rows_and_columns():
    assert (
        render.text(GAME, GAME.init(KEY))
        == """\
  1 A A . . . O
  2 P . . Q . O
  3 P X X Q . O  > exit
  4 P . . Q . .
  5 B . . . C C
  6 B . R R R .
    1 2 3 4 5 6
0 moves made; X is 3 cells from the exit"""
    )


def test_a_move_is_named_by_letter_and_distance():
    names = [render.action_name(GAME, action) for action in range(16)]
    assert names == "X-4 X-3 X-2 X-1 X+1 X+2 X+3 X+4 A-4 A-3 A-2 A-1 A+1 A+2 A+3 A+4".split()  # noqa: SIM905
    for action in range(len(GAME.start.vehicles) * 8):
        assert render.parse_action(GAME, render.action_name(GAME, action)) == action


def test_a_move_may_be_typed_small_and_without_plus():
    for typed in ("A+2", "a+2", "A2", " a 2 ", "A +2"):
        assert render.action_name(GAME, render.parse_action(GAME, typed)) == "A+2"


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("", "an empty line is not a move; accepted: the letter of a vehicle and the cells"),
        ("left", '"left" is not a move; accepted: the letter'),
        ("Z+1", "there is no vehicle Z; accepted: A, B, C, O, P, Q, R, X"),
        ("A+0", "A cannot slide by 0 cells; accepted: 1 to 4, with"),
        ("A-9", "A cannot slide by -9 cells; accepted: 1 to 4, with"),
    ],
)
def test_what_is_no_move_is_answered_with_what_is(typed, fault):
    with pytest.raises(ValueError, match=fault):
        render.parse_action(GAME, typed)


def test_the_end_says_how_many_moves_it_took():
    assert render.ending(EASY, after(EASY, "A-2", "X+4")) == "Solved in 2 moves"
    assert render.ending(EASY, EASY.forfeit(after(EASY, "A-2"))) == "Given up after 1 move"
    assert render.status(EASY, after(EASY, "A-2", "X+4")) == "2 moves made; X is at the exit"


def test_the_picture_marks_the_vehicle_that_has_moved_and_where_it_stood():
    action = render.parse_action(GAME, "O+1")
    state = STEP(GAME, GAME.init(KEY), np.int32(action), KEY)
    kinds = [one.get("class") for one in ElementTree.fromstring(render.svg(GAME, state, action)).iter()]
    assert kinds.count("from") == 1
    assert [kind for kind in kinds if kind and "moved" in kind] == ["truck moved"]
    assert sum(kind in ("target", "car", "truck", "truck moved") for kind in kinds) == 8
    assert "from" not in [one.get("class") for one in ElementTree.fromstring(render.svg(GAME, state)).iter()]


@pytest.mark.thorough
def test_hints_walk_a_shortest_solution():
    hint, state = exact.hints(GAME), GAME.init(KEY)
    for left in range(8, 0, -1):
        action, why = hint(state)
        assert why == f"the shortest way to the exit takes {left} move{'s' * (left > 1)}"
        state = STEP(GAME, state, np.int32(action), KEY)
    assert GAME.solved(state)


def test_a_board_without_a_solution_is_refused():
    with pytest.raises(ValueError, match=r"game\.board=.*: it has no solution; accepted: a board that can be solved"):
        envs.make("rush_hour", board=STUCK)
    assert not exact.solvable(parse(STUCK))
