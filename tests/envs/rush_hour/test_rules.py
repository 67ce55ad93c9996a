"""Every clause of the rules of Rush Hour as a drawn position."""

import jax
import numpy as np
import pytest

import envs
from envs.rush_hour import boards, render
from envs.rush_hour.boards import Board, parse
from envs.rush_hour.rules import RushHour, rules_of
from jaxgp.contracts import Packs, Puzzle
from jaxgp.errors import UsageError
from tests.envs.replays import KEY
from tests.envs.rush_hour.walks import some

BOARD = "AA...O/P..Q.O/PXXQ.O/P..Q../B...CC/B.RRR."
LAST_ROWS = {7: ".XX" + "." * 25, 8: ".XX" + "." * 37}
"""The row of X, and those below."""
OPEN = "....../....../XX..A./....A./....../......"


def names(game, state):
    return [render.action_name(game, int(action)) for action in np.flatnonzero(game.legal_actions(state))]


def play(game, *moves):
    state = game.init(KEY)
    for move in moves:
        state = game.step(state, np.int32(render.parse_action(game, move)), KEY)
    return state


def test_it_is_a_puzzle_whose_states_can_be_packed():
    assert isinstance(RushHour(), Puzzle)
    assert isinstance(RushHour(), Packs)


def test_a_vehicle_slides_along_its_line_as_far_as_cells_are_free():
    game = RushHour(board=BOARD)
    assert names(game, game.init(KEY)) == ["A+1", "A+2", "A+3", "C-3", "C-2", "C-1", "O+1", "Q-1", "Q+1", "R-1", "R+1"]


def test_steps_are_slides_of_one_cell():
    game = RushHour(board=BOARD, metric="steps")
    assert names(game, game.init(KEY)) == ["A+1", "C-1", "O+1", "Q-1", "Q+1", "R-1", "R+1"]


def test_x_at_the_exit_solves_the_board_and_ends_the_game():
    game = RushHour(board=OPEN)
    one = play(game, "A-2")
    assert not one.terminated
    assert one.returns == 0
    solved = play(game, "A-2", "X+4")
    assert solved.terminated
    assert game.solved(solved)
    assert solved.returns == game.score(solved) == -2
    assert not game.legal_actions(solved).any()
    assert game.choices(solved) == 0


def test_nothing_changes_after_the_end():
    game = RushHour(board=OPEN)
    solved = play(game, "A-2", "X+4")
    after = game.step(solved, np.int32(render.parse_action(game, "X-1")), KEY)
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(solved), jax.tree.leaves(after), strict=True))


def test_giving_up_is_no_solution():
    game = RushHour(board=OPEN)
    ended = game.forfeit(play(game, "A-1"))
    assert ended.terminated
    assert not game.solved(ended)
    assert ended.returns == -1


def test_a_slide_back_leads_to_the_same_key_and_another_count():
    game = RushHour(board=BOARD)
    there_and_back = play(game, "A+3", "A-3")
    assert np.array_equal(game.key(there_and_back), game.key(game.init(KEY)))
    assert there_and_back.count == 2
    assert not np.array_equal(game.key(play(game, "A+3")), game.key(play(game, "A+2")))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("most", "rows"),
    [
        (32, "..ABCD/..ABCD/XX..../EE..../FF..../GG...."),
        (72, "CC....DD/EE....FF/GG....HH/II....JJ/KLMNOPQR/KLMNOPQR/...AA.../...BB..."),
    ],
)
def test_no_position_has_more_legal_moves_than_these(most, rows):
    """In the first four vehicles can slide down by up to four cells, and four to the right."""
    size, cells = rows.index("/"), rows.replace("/", "")
    letters = sorted(set(cells) - {"."}, key=lambda letter: (letter != "X", letter))
    board = Board(size, tuple(boards._vehicle(letter, cells, size) for letter in letters))
    game = rules_of(size)
    assert game.choices(game.position(board)) == game.most_choices == most


@pytest.mark.few(1)
@pytest.mark.parametrize(("size", "words"), [(6, 10), (7, 13), (8, 17)])
def test_packing_keeps_every_field(size, words):
    game = RushHour(size=size, board="JAM01" if size == 6 else "." * (size * ((size - 1) // 2)) + LAST_ROWS[size])
    moves = ("O+1",) if size == 6 else ("X+1", f"X+{size - 4}")  # the second one solves the board
    for state in (game.init(KEY), play(game, *moves)):
        packed = jax.jit(game.pack)(state)
        assert (packed.dtype, packed.shape) == (np.uint32, (words,))
        for before, after in zip(jax.tree.leaves(state), jax.tree.leaves(jax.jit(game.unpack)(packed)), strict=True):
            assert (before.dtype, before.shape) == (after.dtype, after.shape)
            assert np.array_equal(before, after)


def test_packing_keeps_the_last_move_of_a_game_of_more_moves_than_it_can_count():
    game = RushHour()
    for count, kept in ((65_535, 65_535), (65_536, 65_535), (3 * 65_536 + 5, 65_535)):
        state = play(game, "O+1").replace(count=np.int32(count))
        found = game.unpack(game.pack(state))
        assert (found.count, found.last, bool(found.terminated)) == (kept, state.last, False)


def test_boards_of_a_set_have_levels_by_their_fewest_moves():
    suite = [parse(OPEN), *some(3)]
    levels = RushHour().positions(suite).level
    known = [board.moves for board in suite[1:]]
    assert levels[0] == 0  # not known
    assert np.argmax(levels[1:]) == np.argmax(known)
    assert levels[1 + int(np.argmin(known))] == 0
    assert np.isclose(levels.max(), 2 / 3)  # two of the three others take fewer


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"size": 5}, "game.size=5: accepted: a whole number from 6 to 8"),
        ({"size": 7}, "game.size=7: accepted: 6 with this board"),
        ({"metric": "cells"}, "game.metric=cells: accepted: moves, steps"),
        ({"board": "JAM0"}, "game.board=JAM0: no board has this name; accepted: 504 names from WAY000"),
        ({"board": BOARD[1:]}, "game.board=A...O/P.*: it has 35 cells; accepted: 36, 49 or 64"),
    ],
)
def test_wrong_settings_are_named_with_what_is_accepted(settings, fault):
    with pytest.raises((UsageError, ValueError), match=fault):
        envs.make("rush_hour", **settings)
