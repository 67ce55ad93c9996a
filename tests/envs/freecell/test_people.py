"""FreeCell for people: text, pictures, names of moves, games as text, hints."""

import json
import re
import xml.etree.ElementTree as ElementTree

import jax
import numpy as np
import pytest

import envs
from envs.freecell import cards, notation, plain, render, solver
from envs.freecell.cards import parse
from envs.freecell.moves import ACTIONS
from envs.freecell.rules import FreeCell
from envs.freecell.states import position
from jaxgp.host import savedgame
from jaxgp.seats.moves import Stepper, game_key
from tests.envs.replays import KEY, keys_of, random_games

GAME = FreeCell(617)
EASY = "Foundations: C-K D-J H-T S-K/Freecells: QH/KH/JH QD/KD/-/-/-/-/-"
STEP = notation.stepping(GAME).step


def after(state, *typed):
    for one in typed:
        (action,) = notation.turn(GAME, state, one)
        state = STEP(state, np.int32(action))
    return state


def test_the_table_is_drawn_with_cells_foundations_and_cascades():
    state = after(position(parse(EASY)), "3b")
    assert (
        render.text(GAME, state)
        == """\
cells  a QH  b KD  c --  d --    foundations h  C K  D J  H T  S K

 1  2  3  4  5  6  7  8
KH JH
   QD

1 move made; 47 of 52 cards on the foundations"""
    )


def test_every_move_has_a_name_that_is_read_again():
    names = [render.action_name(GAME, action) for action in range(GAME.num_actions)]
    assert names[:5] == ["ah", "bh", "ch", "dh", "1h"]
    assert names[12] == "a1"
    assert names[44 + 13 : 44 + 16] == ["12", "12v2", "12v3"]
    assert names[-1] == "8d"
    for action, (source, target, _) in enumerate(ACTIONS):
        if source != target:
            assert render.parse_action(GAME, names[action]) == action
    assert render.parse_action(GAME, "12va") == render.parse_action(GAME, "12v10")


def test_what_is_typed_need_not_say_how_many_cards_move_onto_a_card():
    state = position(parse("Foundations: C-T D-T H-T S-T/KD QS JH/KH/QD JC/-/-/-/KS QH JS/QC JD KC"))
    assert (
        notation.turn(GAME, state, "12") == notation.turn(GAME, state, "1-2v2") == [render.parse_action(GAME, "12v2")]
    )
    assert [ACTIONS[action][2] for action in notation.turn(GAME, state, " 1 4 ")] == [1]
    assert [ACTIONS[action][2] for action in notation.turn(GAME, state, "14v2")] == [2]


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("", "an empty line is not a move; accepted: two piles, from and to: cascades are 1 to 8"),
        ("27x", '"27x" is not a move; accepted: two piles'),
        ("99", '"99" is not a move; accepted: two piles'),
        ("h1", '"h1" is not a move'),
        ("33", "33 leads nowhere else; accepted: two piles"),
        ("ab", "ab leads nowhere else; accepted: two piles"),
        ("3av2", "3av2 moves 2 cards; accepted: 1"),
        ("34v14", "34v14 moves 14 cards; accepted: 1 to 13"),
        ("41", "cascade 4 is empty; accepted: 1h, 2h, 3h, a4"),
        ("b1", "cell b is empty"),
        ("ah", "KH cannot go to the foundations yet"),
        ("1a", "cell a holds KH"),
        ("1c", "cells are alike, so a card goes to the first free one, and cell c is not; accepted: 1b"),
        ("25", "empty cascades are alike, so cards go to the first one, and cascade 5 is not; accepted: 24"),
        ("14", "cascade 1 would move to cascade 4 as a whole, which changes nothing"),
        ("13", "what moves from cascade 1 does not fit on KD, or there is too little room"),
        ("23v2", "2 cards cannot move together; accepted: 23"),
    ],
)
def test_what_cannot_be_played_is_answered_with_the_reason(typed, fault):
    state = position(parse("Foundations: C-J D-Q H-J S-K/Freecells: KH/QH/KC QC/KD/-/-/-/-/-"))
    with pytest.raises(ValueError, match=fault):
        notation.turn(GAME, state, typed)


def test_the_end_says_how_many_moves_it_took():
    easy, last = position(parse(EASY)), ("2h", "3h", "2h", "ah", "1h")
    assert render.ending(GAME, after(easy, *last)) == "Solved in 5 moves"
    left = GAME.forfeit(after(easy, "2h"))
    assert render.ending(GAME, left) == "Given up after 1 move, with 48 of 52 cards on the foundations"


def test_the_picture_marks_the_cards_that_have_moved_and_both_piles():
    state = position(parse("Foundations: C-T D-T H-T S-T/KD QS JH/KH/QD JC/-/-/-/KS QH JS/QC JD KC"))
    (action,) = notation.turn(GAME, state, "12")
    drawn = ElementTree.fromstring(render.svg(GAME, STEP(state, np.int32(action)), action))
    assert [one.text for one in drawn.iter() if "used" in one.get("class", "")] == ["1", "2"]
    kinds = [one.get("class") for one in drawn.iter()]
    assert (kinds.count("card moved"), kinds.count("card")) == (2, 10 + 4)
    assert kinds.count("pile") == 4 + 3


def test_a_game_is_read_whatever_free_cells_and_empty_cascades_it_uses():
    """The text moves to cell d and to cascade 8 where the rules have cell a and cascade 4, and then 8 to 5 in vain."""
    game = FreeCell("Foundations: C-K D-J H-T S-K/KH QH/JH QD/KD/-/-/-/-/-")
    found = notation.parse_game(game, "# by hand\n8s Moves:\n1. 1d 2. 28\n2h 85 5h 3h dh 1h\n")
    assert notation.write_game(game, found) == "Moves:\n1a 24v1 2h 4h 3h ah 1h\n"


RUN = FreeCell("Foundations: C-9 D-9 H-9 S-9/KS QH JC/KH QS/KD/TD/TC JD TS/-/QC JH TH/KC QD JS")


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("56 5h", "56v2 5h"),  # as many cards as fit
        ("56 5a 5h", "56v1 5a 5h"),  # after two cards nothing would be left in cascade 5
        ("16 6h", None),  # a whole cascade, which changes nothing
        ("56v1 6h", "56v1 6h"),
    ],
)
def test_a_move_to_an_empty_cascade_takes_as_many_cards_as_fit_or_else_one_in_the_whole_game(text, moves):
    if moves is None:
        with pytest.raises(
            ValueError, match=r"^move 2, 6h: JC cannot .*; with one card to an empty cascade .*: move 2, 6h: JC"
        ):
            notation.parse_game(RUN, text)
    else:
        assert notation.write_game(RUN, notation.parse_game(RUN, text)) == f"Moves:\n{moves}\n"


def test_a_line_says_which_deal_a_game_is_of():
    found = notation.read_game(FreeCell(1), "#617\n3a\n")
    assert (found.rules.deal, len(found.actions)) == (617, 1)
    assert notation.read_game(FreeCell(617), "# 617\n3a").rules.deal == 617
    assert notation.read_game(GAME, "# by hand\n3a").rules == GAME


@pytest.mark.parametrize("line", ["#99999999999", "#61x7", "# 617 by hand", "#0", "#1000001", "#\u0663"])
def test_a_line_that_begins_like_a_deal_and_is_none_is_refused(line):
    said = re.escape(f'line 2: "{line}": accepted: the number of a deal from 1 to 1000000 after #')
    with pytest.raises(ValueError, match=said):
        notation.read_game(GAME, f"\n{line}\n3a\n")


@pytest.mark.thorough
@pytest.mark.parametrize("games", [4, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_come_back(games):
    deals = np.random.default_rng(6).integers(1, cards.DEALS + 1, games)
    dealt = [FreeCell(int(deal)) for deal in deals]
    first = jax.tree.map(lambda *x: np.stack(x), *(jax.device_get(game.init(KEY)) for game in dealt))
    for game, record in zip(dealt, random_games(GAME, keys_of(6, games), 100, first), strict=True):
        actions = [move.action for move in record[1:]]
        text = f"#{game.deal}\n" + notation.write_game(game, actions)
        found = notation.read_game(FreeCell(1), text)
        assert (found.rules.start, list(found.actions)) == (game.start, actions)


def test_a_wrong_game_says_which_move_is_wrong():
    with pytest.raises(ValueError, match="move 2, 3h: KC cannot go to the foundations yet; accepted: "):
        notation.parse_game(GAME, "1a 3h")
    with pytest.raises(ValueError, match="move 6, 1h: the game has ended; accepted: no further move"):
        notation.parse_game(FreeCell(EASY), "2h 3h 2h ah 1h 1h")
    with pytest.raises(ValueError, match="the text holds no moves; accepted: two piles"):
        notation.parse_game(GAME, "# nothing")


def test_plain_python_confirms_solutions_and_names_the_move_that_is_wrong():
    game = FreeCell(EASY)
    state, moves = game.init(KEY), notation.parse_game(game, "2h 3h 2h ah 1h")
    plain.prove(game, state, moves)
    with pytest.raises(ValueError, match=r"^the moves do not solve it$"):
        plain.prove(game, state, moves[:-1])
    with pytest.raises(ValueError, match=r"^move 4, 2h of 1: not legal$"):
        plain.prove(game, state, [moves[0], moves[0], *moves[1:]])


@pytest.mark.slow
def test_hints_lead_to_a_solution_that_plain_python_confirms():
    hint, state = solver.hints(GAME), GAME.init(KEY)
    action, why = hint(state)
    left = int(why.split()[-2])
    assert why == f"a solution that a search found takes {left} moves"
    start, played = plain.board_of(state), []
    while action is not None:
        played.append(plain.move_of(action))
        state = STEP(state, np.int32(action))
        left -= 1
        if state.terminated:
            break
        action, why = hint(state)
        assert why.endswith(f" {left} move{'s' * (left > 1)}")
    assert GAME.solved(state)
    assert plain.is_solved(plain.check(start, played))


@pytest.mark.slow
def test_a_hint_says_that_there_is_no_solution_where_there_is_none():
    """All cells are taken. Two moves are left, 9C onto TD or onto TH; none is left after either."""
    tops = [["QC", "TD"], ["QD", "TH"], ["QH"], ["QS"], ["9C"], ["8C"], ["8S"], ["6H"]]
    rest = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
    rest = [one for one in rest if one not in [card for top in tops for card in top] and one[0] != "K"]
    text = "Freecells: KC KD KH KS/" + "/".join(" ".join([*rest[n::8], *top]) for n, top in enumerate(tops))
    action, why = solver.hints(GAME)(position(parse(text)))
    assert (action, why) == (None, "there is no solution")


@pytest.mark.slow
def test_the_rules_of_autoplay_are_those_of_hints():
    game = FreeCell(EASY, autoplay="safe")
    action, why = solver.hints(game)(game.init(KEY))
    assert why == "a solution that a search found takes 1 move"
    assert GAME.solved(notation.stepping(game).step(game.init(KEY), np.int32(action)))


def test_a_saved_text_ends_with_the_moves_in_standard_notation():
    game = FreeCell(EASY)
    stepper = Stepper(game, game_key(0))
    moves = list(stepper.retrace(notation.parse_game(game, "2h 3h 2h ah 1h")))
    played = savedgame.PlayedGame(stepper, envs.spec("freecell"), ("Player",), moves)
    text = savedgame.transcript(played)
    assert text.endswith("\nMoves:\n2h 3h 2h ah 1h\n")
    assert notation.parse_game(game, text) == [one.action for one in moves[1:]]
    assert json.loads(savedgame.record(played))["moves"] == ["2h", "3h", "2h", "ah", "1h"]
    assert ElementTree.fromstring(savedgame.animation(played)).get("class") == "replay"
