"""Boards as text: what is read, what is refused and how, the lists that come with the game."""

import re
from collections import Counter
from dataclasses import replace

import jax
import numpy as np
import pytest

from envs.rush_hour import plain, render
from envs.rush_hour.boards import Board, Vehicle, database_line, find, parse, read_file, read_shipped
from envs.rush_hour.rules import RushHour, rules_of
from jaxgp.errors import UsageError
from jaxgp.search.puzzles.breadth import explore
from tests.envs.replays import KEY

ROWS = ("AA...O", "P..Q.O", "PXXQ.O", "P..Q..", "B...CC", "B.RRR.")
CELLS = "".join(ROWS)


def test_a_board_is_read_from_its_cells_or_from_its_rows():
    board = parse(CELLS)
    assert board.vehicles[0] == Vehicle("X", vertical=False, line=2, start=1, length=2)
    assert [vehicle.letter for vehicle in board.vehicles] == list("XABCOPQR")
    assert board.vehicles[4] == Vehicle("O", vertical=True, line=5, start=0, length=3)
    assert board.text == CELLS
    for text in ("/".join(ROWS), "\n".join(ROWS), " ".join(ROWS), CELLS.replace(".", "o")):
        assert parse(text) == board


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (("AA...O", "P..Q.O"), "it has 12 cells; accepted: 36, 49 or 64 cells"),
        (("AA...O.", "P..Q.", *ROWS[2:]), "row 1 has 7 cells; accepted: 6"),
        (("AA...O", "P..Q.O", "PXX..x", "P..Q..", "B...CC", "B.RRR."), "Q is bent or in parts"),
        (("AA....", "P.....", "PXX..x", "P.....", *ROWS[4:]), "a wall stands between X and the exit"),
        (
            ("xxxxxx", "xxxxxx", "XX....", "xxxxxx", "......", "......"),
            "it has 19 vehicles and walls; accepted: up to 18",
        ),
        (("1....O", *ROWS[1:]), "'1' is no letter of a vehicle; accepted: 36, 49 or 64 cells"),
        (("ZA...O", *ROWS[1:]), "A has 1 cell; accepted: vehicles of 2 or 3 cells"),
        (("AAAA.O", *ROWS[1:]), "A has 4 cells; accepted: vehicles of 2 or 3 cells"),
        (
            (".A...O", "PA.Q.O", "PXXQ.O", "PA.Q..", *ROWS[4:]),
            r"A is bent or in parts \(row 1 column 2, row 2 column 2",
        ),
        (("AA...O", "PA.Q.O", *ROWS[2:]), "A is bent or in parts"),
        ((*ROWS[:2], "P..Q.O", *ROWS[3:]), "there is no X; accepted: XX in the row of the exit"),
        (("AA...O", "P....O", "PXXX.O", "P.....", *ROWS[4:]), "X has 3 cells; accepted: 2"),
        (("AAX..O", "P.XQ.O", "P..Q.O", *ROWS[3:]), "X is vertical; accepted: a horizontal X in row 3"),
        (("XX...O", "P..Q.O", "P..Q.O", *ROWS[3:]), "X is in row 1; accepted: row 3"),
        (("AA....", "P.....", "PXX.DD", "P.....", *ROWS[4:]), "D is horizontal and stands between X and the exit"),
    ],
)
def test_what_is_no_board_is_refused_with_the_reason(rows, fault):
    with pytest.raises(ValueError, match=fault):
        parse("/".join(rows))


def test_boards_have_up_to_eight_rows_and_x_above_the_middle():
    assert parse("." * 21 + "XX" + "." * 26).size == 7
    assert parse("." * 24 + "XX" + "." * 38).vehicles[0].line == 3
    with pytest.raises(ValueError, match="X is in row 5; accepted: row 4"):
        parse("." * 32 + "XX" + "." * 30)


def test_a_file_has_a_board_on_each_line_or_the_rows_of_one(tmp_path):
    many = tmp_path / "many.txt"
    many.write_text(f"# a comment\n\none {CELLS} 8\ntwo {read_shipped()[1].text}\n")
    assert [board.name for board in read_file(str(many), "boards")] == ["one", "two"]
    rows = tmp_path / "mine.txt"
    rows.write_text("\n".join(ROWS))
    assert read_file(str(rows), "boards") == [parse(CELLS, "mine")]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it holds no board; accepted: a file with a name and the cells of a board on each line"),
        (f"one {CELLS}\n# two\ntwo {CELLS[1:]}\n", "line 3: two: it has 35 cells; accepted: 36, 49 or 64"),
        (f"one {CELLS}\nalone\n", "line 2: one word; accepted: a name and the cells of a board"),
        (f"one {CELLS}\none {CELLS}\n", "line 2: one is the board of line 1; accepted: another name"),
    ],
)
def test_a_wrong_file_is_refused_by_line(tmp_path, text, fault):
    file = tmp_path / "boards.txt"
    file.write_text(text)
    with pytest.raises(UsageError, match=fault) as caught:
        read_file(str(file), "suite.boards")
    assert str(caught.value).startswith(f"suite.boards={file}: ")
    assert "\n" not in str(caught.value)


DATABASE = """51 GBBoLoGHIoLMGHIAAMCCCKoMooJKDDEEJFFo 4780
60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332
"""
"""Lines of M. Fogleman's database, without walls and with them."""


@pytest.mark.thorough
def test_lines_of_the_database_are_read_and_solved_in_their_number_of_moves(tmp_path):
    file = tmp_path / "rush.txt"
    file.write_text(DATABASE.replace("\n", "\r\n"))
    found = read_file(str(file), "suite.boards")
    assert [(board.name, board.moves, board.states) for board in found] == [
        ("rush:1", 51, 4780),
        ("rush:2", 60, 2332),
    ]
    assert database_line(found[0], 51, 4780) == DATABASE.splitlines()[0]
    for line, board in zip(DATABASE.splitlines(), found, strict=True):
        assert find(line).vehicles == board.vehicles
        rules = rules_of(6)
        assert explore(rules, rules.position(board), nearest=True).distance == board.moves


def test_a_line_of_the_database_that_lacks_a_cell_is_named(tmp_path):
    file = tmp_path / "rush.txt"
    file.write_text(DATABASE + "58 BBoKMxDDDKMoIAALooJoLEEooJFFNoGGoxN 9192\n")
    with pytest.raises(
        UsageError, match=r"boards=.*rush\.txt: line 3: rush:3: it has 35 cells; accepted: 36, 49 or 64"
    ):
        read_file(str(file), "boards")


@pytest.mark.parametrize("rest", ["-5", "2.5", "many", "\u00b2", "9" * 5000, "2332 7", "2332 hard"])
def test_a_line_of_the_database_has_one_number_after_its_cells(tmp_path, rest):
    line = f"{DATABASE.splitlines()[1].removesuffix(' 2332')} {rest}"
    file = tmp_path / "rush.txt"
    file.write_text(f"{DATABASE}{line}\n")
    said = rf'"{re.escape(rest[:40])}" after the cells; accepted: nothing, or the positions that can be reached'
    with pytest.raises(UsageError, match=rf"rush\.txt: line 3: rush:3: {said}"):
        read_file(str(file), "boards")
    if " " not in rest:
        with pytest.raises(ValueError, match=said):
            parse(line)


def test_walls_never_move_and_hold_up_what_slides_towards_them():
    board = parse("x.AA.x/....../XX..../....../B...../B....x")
    game = RushHour(board=board.text)
    state, legal = jax.jit(lambda key: (game.init(key), game.legal_actions(game.init(key))))(KEY)
    names = [render.action_name(game, int(action)) for action in np.flatnonzero(legal)]
    assert names == ["X+1", "X+2", "X+3", "X+4", "A-1", "A+1", "B-1"]
    assert sorted((one.letter, one.distance) for one in plain.slides(plain.board_of(state), 6, "moves")) == sorted(
        ("A" if name[0] == "A" else name[0], int(name[1:])) for name in names
    )
    assert render.text(game, state).splitlines()[0] == "  1 x . A A . x"
    assert render.svg(game, state).count('class="wall"') == 3
    with pytest.raises(ValueError, match="there is no vehicle W"):
        render.parse_action(game, "w1")
    assert render.parse_action(game, "x1") == render.parse_action(game, "X+1")


def relabelled(board):
    return sorted((one.letter == "X", one.letter == "x", *one.cells(board.size)) for one in board.vehicles)


@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_positions_come_back_from_lines_of_the_database(count):
    rng = np.random.default_rng(3)
    starts = [*read_shipped(), *map(find, DATABASE.splitlines())]
    for _ in range(count):
        board = starts[rng.integers(len(starts))]
        position = plain.board_of(rules_of(6).position(board))
        for _ in range(10):
            slides = list(plain.slides(position, 6, "moves"))
            position = plain.play(position, slides[rng.integers(len(slides))])
        vehicles = [
            replace(one, start=cells[0][0] if one.vertical else cells[0][1])
            for one, cells in zip(board.vehicles, position.values(), strict=True)
        ]
        moved = Board(6, tuple(vehicles))
        line = database_line(moved, int(rng.integers(60)))
        again = find(line)
        assert relabelled(again) == relabelled(moved)
        assert database_line(again, int(line.split()[0])) == line


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"suite=.*none: cannot be read .*; accepted: a file"):
        read_file(str(tmp_path / "none"), "suite")
    with pytest.raises(UsageError, match=r"suite=.*bytes: not text in UTF-8; accepted: a file"):
        read_file(str(tmp_path / "bytes"), "suite")


def test_the_lists_have_their_boards_and_their_optima():
    assert Counter(board.name[:3] for board in read_shipped()) == {"JAM": 40, "SER": 160, "MOV": 304}
    assert [board.moves for board in read_shipped("JAM")] == [
        *(8, 8, 14, 9, 9, 9, 13, 12, 12, 17, 25, 17, 16, 17, 23, 21, 24, 25, 22, 10),
        *(21, 26, 29, 25, 27, 28, 28, 30, 31, 32, 37, 37, 40, 43, 43, 44, 47, 48, 50, 51),
    ]  # the published lengths
    assert find("SER000").steps == 93  # the hardest board of 6 x 6, by Collette, Raskin and Servais
    assert max(board.moves for board in read_shipped("MOV")) == 51
    assert all(board.steps >= board.moves and board.goals < board.states for board in read_shipped())


def test_evolved_boards_have_eight_rows_and_a_known_length():
    evolved = read_shipped("EVO")
    assert [board.name for board in evolved] == [f"EVO{number:02d}" for number in range(1, 16)]
    assert all(board.size == 8 and board.moves in (6, 7, 8) and board.states is None for board in evolved)
    assert len({board.layout for board in evolved}) == 15
    assert {board.size for board in read_shipped()} == {6}


def test_boards_on_the_way_are_of_the_clusters_of_the_puzzles():
    near = read_shipped("WAY")
    assert [board.name for board in near] == [f"WAY{number:03}" for number in range(504)]
    assert set(Counter(board.moves for board in near)) >= {8, 12, 16, 20, 24}
    for board, puzzle in zip(near, read_shipped(), strict=True):
        assert (board.layout, board.states, board.goals) == (puzzle.layout, puzzle.states, puzzle.goals)
        assert board.moves <= min(24, board.steps)


def test_an_unknown_name_is_answered_with_the_names():
    with pytest.raises(
        ValueError, match="no board has this name; accepted: 504 names from WAY000 to WAY503, 40 names from JAM01"
    ):
        find("JAM99")


def test_a_fifth_of_each_list_is_kept_for_testing():
    for prefix in ("JAM", "SER", "MOV"):
        sides = Counter(board.split for board in read_shipped(prefix))
        assert 0.15 < sides["test"] / sides.total() < 0.25
    assert [find(f"JAM0{n}").split for n in (1, 2, 3, 4)] == ["test", "train", "train", "train"]
    assert find("JAM40").split == find("MOV000").split  # positions of one cluster


def test_boards_that_can_be_reached_from_each_other_are_on_one_side():
    """A slides down: the layout, on which the side depends, stays as it is. Another vehicle changes it."""
    before, after = (
        parse(rows)
        for rows in ("...A../...A../XX..../BB..../....../......", "....../....../XX..../BB.A../...A../......")
    )
    assert before.layout == after.layout == "6-22-32|32"
    assert parse("...A../...A../XX.A../BB..../....../......").layout == "6-22-32|33"
