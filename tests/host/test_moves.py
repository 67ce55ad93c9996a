"""The loop of games on the host: what chance does, who moves, and how games end."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from jaxgp.seats.agents import Agent
from jaxgp.seats.moves import Back, Stepper, announcement, game_key, play, play_on, verdict
from tests.host.games import DICE, RANDOM, SPEC

WALK, STEP = 0, 1
GAMES = 120


@pytest.fixture(scope="module")
def records():
    return [play_on(Stepper(DICE, game_key(7, number)), (RANDOM, RANDOM)) for number in range(GAMES)]


def rolls(record):
    return [int(move.state.die) for move in record]


def actions(record):
    return [move.action for move in record[1:]]


def fair(counts):
    return stats.chisquare(counts).pvalue > 0.001


@pytest.mark.thorough
def test_rolls_of_openings_and_of_plies_are_uniform_and_independent(records):
    found = np.array([roll for record in records for roll in rolls(record)[1:]])
    assert len(found) > 1000
    assert fair(np.bincount(found, minlength=7)[1:])
    assert fair(np.bincount([rolls(record)[0] for record in records], minlength=7)[1:])
    pairs = np.array([6 * a + b - 7 for record in records for a, b in pairwise(rolls(record)[1:])])
    assert fair(np.bincount(pairs, minlength=36))
    assert len({tuple(rolls(record)) for record in records}) == GAMES


def test_random_moves_are_uniform_and_have_nothing_to_do_with_the_dice(records):
    moved = np.zeros((6, 2), int)
    for record in records:
        for before, move in pairwise(record):
            moved[int(before.state.die) - 1, move.action] += 1
    assert fair(moved.sum(0))
    assert stats.chi2_contingency(moved).pvalue > 0.001


def test_a_record_is_retraced_with_the_same_dice_and_other_games_have_others(records):
    again = list(Stepper(DICE, game_key(7, 3)).retrace(actions(records[3])))
    assert rolls(again) == rolls(records[3])
    other = play_on(Stepper(DICE, game_key(8, 3)), (RANDOM, RANDOM))
    assert rolls(other)[:6] != rolls(again)[:6]


def test_moves_that_are_taken_back_meet_the_same_dice_and_the_same_replies():
    stepper = Stepper(DICE, game_key(1))
    plan = iter([WALK, STEP, Back(1), WALK, STEP, WALK])
    player, record, seen = Agent("player", lambda state, bits: next(plan)), [], []
    loop = play(stepper, (player, RANDOM), record, max_plies=5)
    for move in loop:
        seen.append((len(record) - 1, move.action, int(move.state.die)))
    assert [length for length, *_ in seen] == [0, 1, 2, 3, 4, 1, 2, 3, 4, 5]
    assert seen[1:5] == seen[5:9]


def test_a_game_goes_on_from_a_record_and_stops_at_its_limit():
    stepper = Stepper(DICE, game_key(2))
    whole = play_on(stepper, (RANDOM, RANDOM))
    assert actions(play_on(stepper, (RANDOM, RANDOM), whole[:5])) == actions(whole)
    cut = play_on(stepper, (RANDOM, RANDOM), whole[:5], max_plies=6)
    assert actions(cut) == actions(whole)[:6]
    assert not bool(cut[-1].state.terminated)


@pytest.mark.parametrize("answer", [None, 2, -1])
def test_who_names_no_legal_move_forfeits(answer):
    loser = Agent("loser", lambda state, bits: answer)
    last = play_on(Stepper(DICE, game_key(3)), (RANDOM, loser))[-1]
    assert (last.action, last.seat) == (None, 1)
    assert announcement(DICE, SPEC.notation, last, "B") == "B names no legal move and forfeits the game."
    assert verdict(DICE, last.state, ("A", "B")).startswith("A wins, ")


def test_a_game_for_one_may_say_in_words_how_it_has_ended():
    def ending(rules, state):
        return f"{rules.name} ended after {int(state.count)}"

    class Alone:
        name, seats = "toy", 1

    class Last:
        count = 3

    assert verdict(Alone(), Last(), ("You",), ending) == "toy ended after 3."
