"""Boards on the way to a solution, drawn from the clusters of others."""

import random
from collections import Counter

import pytest

from envs.rush_hour.boards import find, parse
from jaxgp.errors import UsageError
from studies.rush_hour.way import Options, drawn, lines, task
from tests.operators.operator_cases import assert_distribution
from tests.reference import rush_hour as reference


def test_a_board_takes_as_many_moves_as_it_says():
    """JAM03, with 934 positions, is the smallest cluster of the first set."""
    one = drawn(find("JAM03"), 5, random.Random(1))
    assert (one.moves, one.layout) == (5, find("JAM03").layout)
    assert reference.explore(one.text) == (one.moves, one.states, one.goals)
    assert reference.explore(one.text, "steps").optimum == one.steps
    most = drawn(find("JAM03"), 1000, random.Random(1))
    assert reference.explore(most.text).optimum == most.moves == 14


def test_positions_that_take_as_many_moves_are_equally_likely():
    """Two moves are needed where A stands in the row of X, at one of two places, and X at one of four."""
    board, rng = parse(".....A/.....A/XX..../....../....../......"), random.Random(2)
    found = Counter(drawn(board, 2, rng).text for _ in range(4000))
    assert len(found) == 8
    assert all(text[17] == "A" for text in found)
    assert_distribution(list(found.values()), [1] * 8, least=4000)


def test_the_file_names_the_boards_in_their_order():
    found = list(lines(Options(), [find("JAM01"), find("JAM03")]))
    assert [line.split()[0] for line in found] == ["WAY000", "WAY001"]
    assert [line.split()[2] for line in found] == ["8", "12"]
    assert found == list(lines(Options(), [find("JAM01"), find("JAM03")]))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"^save=.*: cannot be written \(No such file or directory\)"):
        task(Options(save=str(tmp_path / "nowhere" / "way.txt")))
