"""Hints of backgammon against a plain enumeration, and what is said of the dice."""

import jax
import numpy as np
import pytest

import envs
from envs.backgammon import network, strategies, turns, whole
from jaxgp.seats.moves import Stepper, announcement, game_key

GAME = envs.make("backgammon")


def opening():
    return Stepper(GAME, game_key(3))


def test_a_line_of_a_move_names_the_roll_that_it_was_made_with():
    stepper, spec = opening(), envs.spec("backgammon")
    first = stepper.opening()
    after = stepper.after([first], stepper.legal(first.state)[0])
    roll = "-".join(map(str, np.asarray(first.state.dice).tolist()))
    said = announcement(GAME, spec.notation, after, "Opponent", spec.table.rolled(GAME, first.state))
    assert f" with {roll} and moves again." in said
    assert envs.spec("othello").table.rolled(None, None) == ""


@pytest.mark.slow
def test_a_hint_expects_what_the_best_replies_to_all_rolls_leave():
    """Each turn of the roll is followed by the best reply to each of 36 rolls, listed by other functions."""
    state = opening().opening().state
    weights = network.read_learned()
    value = jax.jit(lambda own, other: network.value(GAME, weights, own, other))
    listed = jax.jit(lambda state: whole.positions(GAME, state))
    began = jax.jit(lambda own, other, dice: GAME.turn(own, other, dice, np.int32(1)))
    own, other, there = map(np.asarray, listed(state))
    own, other = own[there], other[there]
    best = np.argsort(-np.asarray(value(own, other)), kind="stable")[: strategies.TRIED]
    expected = []
    for mine, theirs in zip(own[best], other[best], strict=True):
        total = 0.0
        for one in range(1, 7):
            for two in range(1, 7):
                dice = np.array([max(one, two), min(one, two)], np.int32)
                replies = listed(began(theirs, mine, dice))
                worth = np.asarray(value(replies[0], replies[1]))
                total -= worth[np.asarray(replies[2])].max() / 36
        expected.append(total)
    action, says = strategies.hints(GAME)(state)
    assert float(says.split(": ")[1].split()[0]) == pytest.approx(max(expected), abs=0.006)
    names = turns.turn_names(GAME, state)
    named = says.split(" turns ")[1].split(" expects")[0]
    assert named == names[best[int(np.argmax(expected))]]
    assert action in turns.read_turn(GAME, state, named)
