"""Morpion Solitaire for people: text, pictures, names of moves, saved games."""

import re
import xml.etree.ElementTree as ElementTree

import jax
import numpy as np
import pytest

import envs
from envs.morpion import render
from envs.morpion.notation import saved
from tests.envs.morpion.drawings import action
from tests.envs.morpion.test_reference import record_line, records
from tests.envs.replays import KEY, opening, stepping
from tests.reference.morpion import greek_cross

GAME = envs.make("morpion")


def random_game(variant, seed):
    game = envs.make("morpion", variant=variant)
    rng, state, step, legal = (
        np.random.default_rng(seed),
        game.init(KEY),
        jax.jit(stepping(game)),
        jax.jit(game.legal_actions),
    )
    actions = []
    while not state.terminated:
        actions.append(int(rng.choice(np.flatnonzero(legal(state)))))
        state = step(state, np.int32(actions[-1]))
    return game, actions, state


@pytest.fixture(scope="module", params=["5T", "5D"])
def played(request):
    return random_game(request.param, seed=3)


def test_the_opening_is_drawn_with_all_points_where_a_cross_may_be_put():
    """Both ends of the twelve edges of the cross, and the inner point of four diagonals."""
    assert (
        render.text(GAME, opening("morpion"))
        == (
            """
 28 . . . . . . . . . . . . . .
 27 . . . . . o . . o . . . . .
 26 . . . . o + + + + o . . . .
 25 . . . . . + . . + . . . . .
 24 . . o . o + . . + o . o . .
 23 . o + + + + o o + + + + o .
 22 . . + . . o . . o . . + . .
 21 . . + . . o . . o . . + . .
 20 . o + + + + o o + + + + o .
 19 . . o . o + . . + o . o . .
 18 . . . . . + . . + . . . . .
 17 . . . . o + + + + o . . . .
 16 . . . . . o . . o . . . . .
 15 . . . . . . . . . . . . . .
    1 1 1 1 1 1 2 2 2 2 2 2 2 2
    4 5 6 7 8 9 0 1 2 3 4 5 6 7
0 lines, 28 are possible next"""[1:]
        )
    )


def test_later_crosses_and_the_newest_differ_from_those_of_the_start():
    state, step = opening("morpion"), jax.jit(stepping(GAME))
    for move in (((16, 20), (1, 0)), ((19, 22), (0, 1))):
        state = step(state, np.int32(action(GAME, move)))
    rows = render.text(GAME, state).split("\n")
    assert rows[8] == " 20 . . + + + + x o + + + + o ."
    assert [row.count("@") for row in rows] == [0] * 6 + [1] + [0] * (len(rows) - 7)
    assert rows[-1].startswith("2 lines, ")


def test_an_ended_game_says_so(played):
    game, actions, state = played
    assert render.text(game, state).endswith(f"The game is over, {len(actions)} lines")
    assert "o" not in re.sub(r"[a-zA-Z ,]*over.*", "", render.text(game, state))


@pytest.mark.parametrize("typed", ["16,20-20,20", "16 20 20 20", "20,20-16,20", " 20 20  16,20 ", "16,20 - 20,20"])
def test_a_line_is_typed_by_its_ends_in_either_order(typed):
    assert render.parse_action(GAME, typed) == action(GAME, ((16, 20), (1, 0)))


def test_names_are_read_back():
    for game in (GAME, envs.make("morpion", size=64)):
        for number in np.random.default_rng(0).integers(0, game.num_actions, 200).tolist():
            name = render.action_name(game, number)
            ends = [int(n) for n in re.findall(r"-?\d+", name.replace("-", " -").replace(", -", ",-"))]
            inside = all(0 <= end - first < game.size for end, first in zip(ends, game.origin * 2, strict=True))
            if re.fullmatch(r"\d+,\d+-\d+,\d+", name) and inside:
                assert render.parse_action(game, name) == number


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "an empty line is not a move; accepted: the ends of a line, as in 16,20-20,20"),
        ("left", '"left" is not a move; accepted: the ends of a line, as in 16,20-20,20'),
        ("16,20-19,20", "16,20-19,20 is not a line; accepted: the ends of five points in a row, such as 16,20-20,20"),
        ("16,20-20,21", "16,20-20,21 is not a line; accepted: the ends of five points in a row, such as 16,20-20,20"),
        ("3,20-7,20", "3,20-7,20 leaves the grid; accepted: points from 5,5 to 36,36"),
    ],
)
def test_what_is_not_a_line_is_refused(typed, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        render.parse_action(GAME, typed)


def test_an_unknown_action_has_no_name():
    with pytest.raises(ValueError, match=r"^action 4096: accepted: 0 to 4095$"):
        render.action_name(GAME, 4096)


def parts(svg, kind):
    return ElementTree.fromstring(svg).findall(f".//*[@class='{kind}']")


def places(svg):
    """Centre of each numbered disc: number -> (cx, cy)."""
    discs = [(disc.get("cx"), disc.get("cy")) for disc in parts(svg, "disc")]
    return {int(t.text): place for t, place in zip(parts(svg, "number"), discs, strict=True)}


def test_a_game_is_drawn_with_plain_start_numbered_crosses_and_all_lines(played):
    game, actions, _ = played
    svg = render.svg_game(game, actions)
    assert len(parts(svg, "start")) == 36
    assert sorted(places(svg)) == list(range(1, len(actions) + 1))
    assert len(parts(svg, "line")) == len(actions)
    assert not parts(svg, "mark")
    # Each numbered cross lies on the line that was drawn with it.
    for number, line in enumerate(parts(svg, "line"), 1):
        x, y = (float(v) for v in places(svg)[number])
        x1, y1, x2, y2 = (float(line.get(name)) for name in ("x1", "y1", "x2", "y2"))
        assert (x - x1) * (y2 - y1) == (y - y1) * (x2 - x1)
        assert min(x1, x2) <= x <= max(x1, x2)
        assert min(y1, y2) <= y <= max(y1, y2)


def test_part_of_a_game_is_drawn_on_the_same_sheet_with_its_last_line_marked(played):
    game, actions, _ = played
    whole, part = render.svg_game(game, actions), render.svg_game(game, actions, 10)
    assert re.search('viewBox="[^"]*"', whole)[0] == re.search('viewBox="[^"]*"', part)[0]
    assert len(parts(part, "line")) == 10
    assert len(parts(part, "mark")) == 4
    assert len(parts(part, "disc")) == 9
    assert len(parts(part, "newest")) == 1
    assert render.svg_game(game, actions, 0).count('class="disc"') == 0


def test_a_position_is_drawn_with_its_crosses_and_lines(played):
    game, actions, state = played
    svg = render.svg(game, state, actions[-1])
    assert len(parts(svg, "start")) == 36
    assert len(parts(svg, "disc")) == len(actions) - 1
    assert len(parts(svg, "newest")) == 1
    assert len(parts(svg, "line")) == len(actions) * (4 if game.variant == "5T" else 1)
    assert len(parts(svg, "mark")) == 4
    ends = {tuple(float(line.get(n)) for n in ("x1", "y1", "x2", "y2")) for line in parts(svg, "line")}
    if game.variant == "5D":  # whole lines: the same as in the drawing of the game
        drawn = parts(render.svg_game(game, actions), "line")
        assert ends == {tuple(float(line.get(n)) for n in ("x1", "y1", "x2", "y2")) for line in drawn}


def test_saved_games_have_the_formats_of_the_report():
    moves = [action(GAME, move) for move in (((16, 20), (1, 0)), ((23, 17), (-1, 1)))]
    state = GAME.init(KEY)
    legal = np.flatnonzero(GAME.legal_actions(state)).tolist()
    assert moves[0] in legal
    moves[1] = next(number for number in legal if number // GAME.size**2 == 3)  # a falling diagonal
    (x, y), *_, (u, v) = saved.line_points(GAME, moves[1])
    assert (u - x, v - y) == (-4, 4)
    cx, cy = saved.new_crosses(GAME, moves)[1]
    assert saved.one_line(GAME, moves) == f"16 20 20 20 {x} {y} {u} {v} "
    assert saved.listing(GAME, moves, ["[18,21]", "getClosestToLast"]) == (
        f"16 20 20 20 20 20 1\taction\t[18,21]\n{x} {y} {u} {v} {cx} {cy} 4\taction\tgetClosestToLast\n"
    )


def test_saved_games_are_read_back(played):
    game, actions, _ = played
    reasons = [f"[{20 + n % 5},20]" for n in range(len(actions))]
    for written in (
        saved.one_line(game, actions),
        saved.listing(game, actions, reasons),
        saved.describe(game, actions, reasons),
    ):
        assert saved.parse_game(game, written) == actions
    assert f"\nScore={len(actions)}\n" in saved.describe(game, actions, reasons)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "the text holds no moves; accepted: four numbers for each, where its line starts and ends"),
        ("16 20 20 20 5", "line 1: 5 numbers: accepted: 4 for each move"),
        ("\n16 20 20 20 20 20\taction\tx", "line 2: 6 numbers: accepted: 7 for each move"),
        ("9" * 5000, f'line 1: "{"9" * 40}": accepted: whole numbers, four or seven a move'),
        ("16 20 20 2O", 'line 1: "16 20 20 2O": accepted: whole numbers, four or seven a move'),
        ("16 20 20 20 16 20 20 20", "move 2, 16,20-20,20: not legal in 5T: it would add 0 crosses, not 1"),
        ("10 10 14 10", "move 1, 10,10-14,10: not legal in 5T: it would add 5 crosses, not 1"),
        ("16 20 20 20 17 20 21 20", "move 2, 17,20-21,20: not legal in 5T: it uses again what another line uses"),
        (
            "16 20 16 21",
            "line 1: 16,20-16,21 is not a line; accepted: the ends of five points in a row, such as 16,20-20,20",
        ),
    ],
)
def test_what_is_not_a_saved_game_is_refused(written, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        saved.parse_game(GAME, written)


def test_record_games_are_drawn_and_saved():
    for variant, score, moves in records():
        game = envs.make("morpion", variant=variant)
        actions = [action(game, record_line(move)) for move in moves]
        assert len(places(render.svg_game(game, actions))) == score
        assert saved.parse_game(game, saved.one_line(game, actions)) == actions


def test_the_start_of_the_drawings_is_that_of_the_rules():
    assert saved.greek_cross() == greek_cross()
