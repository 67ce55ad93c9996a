"""X drives to the exit as part of the move that clears its way: the option `macro`."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.rush_hour import boards, plain, render
from envs.rush_hour.rules import RushHour, rules_of
from jaxgp.search.puzzles.breadth import explore
from tests.envs.replays import FAST, KEY
from tests.envs.rush_hour.walks import at, some
from tests.reference import deepening
from tests.reference import rush_hour as reference

MACRO, WITHOUT = rules_of(6, macro=True), rules_of(6)
STEP = jax.jit(MACRO.step, compiler_options=FAST)
LEGAL = jax.jit(MACRO.legal_actions, compiler_options=FAST)
ONE_IN_THE_WAY = "....../....../XX..A./....A./....../......"
TWO_IN_THE_WAY = "....B./....B./XX..BA/.....A/...CC./......"
WALK = st.tuples(st.sampled_from(some(6)), st.lists(st.integers(0, 31), max_size=12))


class Leaving(reference.Puzzle):
    """The same with the macro, for searches in plain Python."""

    def play(self, board, action):
        return plain.leave(super().play(board, action), 6)


def play(text, *moves):
    game = RushHour(board=text, macro=True)
    state = game.position(game.start)
    for move in moves:
        state = STEP(state, np.int32(render.parse_action(game, move)), KEY)
    return game, state


def test_the_move_that_clears_the_way_is_the_last_one():
    game, state = play(ONE_IN_THE_WAY, "A-2")
    assert MACRO.solved(state)
    assert state.terminated
    assert state.returns == -1
    assert render.action_name(game, int(state.last)) == "A-2"
    plain.prove(game, game.position(game.start), [int(state.last)])


@pytest.mark.parametrize("moves", [["X+1"], ["B+1"], ["A+1", "C-1"]])
def test_x_stays_while_a_vehicle_stands_in_its_way(moves):
    game, state = play(TWO_IN_THE_WAY, *moves)
    assert not state.terminated
    assert state.positions[0] == (1 if moves == ["X+1"] else 0)
    with pytest.raises(ValueError, match="do not solve it"):
        plain.prove(game, game.position(game.start), [render.parse_action(game, move) for move in moves])


@settings(max_examples=60, deadline=None)
@given(WALK)
def test_a_move_is_one_without_the_macro_and_what_then_is_clear(walk):
    """Two programs agree: X is at the exit if and only if nothing stood in its way after the move."""
    board, draws = walk
    state = MACRO.position(board)
    for draw in draws:
        legal = np.flatnonzero(LEGAL(state))
        if not len(legal):
            break
        action = int(legal[draw % len(legal)])
        before = plain.board_of(jax.device_get(state))
        after = plain.leave(plain.play(before, plain.slide_of(MACRO, before, action)), 6)
        state = STEP(state, np.int32(action), KEY)
        assert plain.board_of(jax.device_get(state)) == after
        assert bool(state.terminated) == plain.is_solved(after, 6)


def test_the_shortest_solution_is_one_move_shorter():
    """Without the macro the last move is that of X, which all solutions of two moves and more need."""
    for name in ("JAM01", "JAM02", "JAM03"):
        board = boards.find(name)
        found = explore(MACRO, MACRO.position(board), nearest=True)
        assert found.distance == board.moves - 1
        plain.prove(MACRO, MACRO.position(board), found.moves)


def test_a_board_whose_way_is_clear_takes_one_move():
    board = boards.parse("....../....../XX..../....AA/....../......")
    assert explore(MACRO, MACRO.position(board), nearest=True).distance == 1
    assert explore(WITHOUT, WITHOUT.position(board), nearest=True).distance == 1


def part_of(board, letters):
    """Return a board with those of its vehicles alone: it is solved within few positions."""
    return boards.parse("".join(letter if letter in {"X", *letters} else "." for letter in board.text))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(boards.read_shipped("JAM")), st.sets(st.sampled_from("ABCDOPQR"), max_size=5), st.integers(2, 8))
def test_a_blind_search_never_visits_more_with_the_macro(board, letters, first):
    """Both visit the same positions in the same order until the first whose way is clear, where one of them ends."""
    root = plain.board_of(at(WITHOUT.positions([part_of(board, letters)]), 0))
    found = []
    for puzzle in (Leaving(MACRO), reference.Puzzle(WITHOUT)):
        found.append(deepening.Search(puzzle, limit=100, table=64).run(root, first, 4, 40))
    assert found[0].nodes <= found[1].nodes
    assert found[0].solved or not found[1].solved
    assert len(found[0].moves) <= len(found[1].moves) or not found[1].solved


@pytest.mark.thorough
def test_if_x_always_had_to_move_on_most_boards_would_have_no_solution():
    """So this is not what the source means, whose search solves all of them with its macros."""

    def solvable(board):
        waiting, seen = [board], {tuple(board.values())}
        for now in waiting:
            found = list(plain.slides(now, 6, "moves"))
            on = [slide for slide in found if slide.letter == "X" and slide.distance > 0]
            for slide in on[-1:] or found:
                after = plain.play(now, slide)
                if plain.is_solved(after, 6):
                    return True
                if tuple(after.values()) not in seen:
                    seen.add(tuple(after.values()))
                    waiting.append(after)
        return False

    states = WITHOUT.positions(boards.read_shipped("JAM"))
    assert sum(solvable(plain.board_of(at(states, number))) for number in range(40)) == 8
