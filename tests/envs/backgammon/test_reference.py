"""The rules and the whole turns against plain Python and against OpenSpiel."""

from collections import Counter

import jax
import numpy as np
import pytest

import envs
from envs.backgammon import whole
from tests.envs.backgammon.positions import as_tuple, compiled, left_of, random_states, reached, state_of
from tests.reference import backgammon as reference

GAME = envs.make("backgammon")


def sides(state):
    return as_tuple(state.own), as_tuple(state.other)


@pytest.mark.parametrize(
    ("variant", "plies", "games", "every"),
    [
        ("standard", 240, 16, 73),
        pytest.param("standard", 400, 64, 3, marks=pytest.mark.slow),
        pytest.param("hypergammon", 80, 64, 1, marks=pytest.mark.slow),
    ],
)
def test_moves_and_whole_turns_of_random_games_equal_the_reference(variant, plies, games, every):
    game, states = envs.make("backgammon", variant=variant), random_states(plies, games, variant=variant)
    legal = jax.device_get(jax.jit(jax.vmap(game.legal_actions))(states))
    seen = Counter()
    for n in range(0, len(states.to_move), every):
        if states.terminated[n]:
            assert not legal[n].any()
            continue
        state = jax.tree.map(lambda x, n=n: x[n], states)
        dice = left_of(state)
        moves = {(action // 25 + 1, action % 25 + 1) for action in np.flatnonzero(legal[n][:150]).tolist()}
        assert moves == reference.first_moves(*sides(state), dice)
        assert legal[n][150] == (not moves)
        found = reached(game, state)
        assert len(set(found)) == len(found)
        assert set(found) == reference.turns(*sides(state), dice)
        assert len(found) <= whole.most_turns(game)
        seen["bar"] += state.own[25] > 0
        seen["home"] += not state.own[7:].any()
        seen["blocked"] += not moves
        seen["doubles"] += state.dice[0] == state.dice[1]
        seen["within a turn"] += sum(dice) < (4 * state.dice[0] if dice[0] == dice[-1] else sum(state.dice))
    # Three men hardly block anybody.
    kinds = ("bar", "home", "doubles", "within a turn", *(("blocked",) if variant == "standard" else ()))
    assert min(seen[kind] for kind in kinds) > 0, seen


@pytest.mark.thorough
def test_every_whole_turn_is_reached_by_its_actions_and_by_its_first_action_and_so_on():
    """Of all positions on the way, the first action leads to one from which the same turn can be completed."""
    step, _, _, _ = compiled(GAME)
    actions = jax.jit(lambda state, place: whole.actions(state, whole.nth_turn(whole.whole_turns(GAME, state), place)))
    states = random_states(240, 16)
    tried = 0
    for n in range(7, len(states.to_move), 241):
        state = jax.tree.map(lambda x, n=n: x[n], states)
        if state.terminated:
            continue
        goals = reached(GAME, state)
        for place in range(0, len(goals), 1 + len(goals) // 2):
            at, seat = state, int(state.to_move)
            whole_turn, one_by_one = actions(state, place).tolist(), []
            while not at.terminated and int(at.to_move) == seat:
                one_by_one.append(int(actions(at, reached(GAME, at).index(goals[place]))[0]))
                at = step(at, one_by_one[-1], jax.random.key(1))
            assert (sides(at) if at.terminated else sides(at)[::-1]) == goals[place]
            assert whole_turn == one_by_one + [-1] * (4 - len(one_by_one))
            tried += 1
    assert tried > 20


# -- OpenSpiel: a turn is one to several actions of the same player; a double is two turns in a row --


def openspiel_position(state, player):
    bar = state.to_string().split("Bar:")[1].split("\n")[0]
    found = []
    for who in (player, 1 - player):
        men = [0] * 26
        for cell in range(24):
            men[1 + (cell if who == 1 else 23 - cell)] = max(state.board(who, cell), 0)
        men[25] = bar.count("xo"[who])
        men[0] = 15 - sum(men)
        found.append(tuple(men))
    return tuple(found)


def openspiel_turns(state, player):
    """All positions after the whole turn, with the result of those that end the game."""
    found = {}
    for action in state.legal_actions():
        child = state.child(action)
        if child.is_terminal() or child.is_chance_node() or child.current_player() != player:
            found[openspiel_position(child, player)] = child.returns()[player] if child.is_terminal() else 0
        else:
            found |= openspiel_turns(child, player)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("plies", "seed"), [(100, 1), pytest.param(100_000, 2, marks=pytest.mark.slow)], ids=["100", "100000"]
)
def test_whole_turns_and_results_equal_openspiel(plies, seed):
    pyspiel = pytest.importorskip("pyspiel")
    spiel = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    rng, seen, results = np.random.default_rng(seed), Counter(), Counter()
    while seen["turns"] < plies:
        state = spiel.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice([action for action, _ in state.chance_outcomes()])))
                continue
            player = state.current_player()
            dice = [int(die) for die in state.to_string().split("Dice:")[1].split("\n")[0].strip()]
            own, other = openspiel_position(state, player)
            theirs = openspiel_turns(state, player)
            ours = reached(GAME, state_of(GAME, own, other, dice))
            assert len(set(ours)) == len(ours)
            assert set(ours) == set(theirs), (own, other, dice)
            for sides, result in theirs.items():
                if result:
                    results[result] += 1
                    assert reference.points(sides[1]) == result
            seen["turns"] += 1
            seen["most"] = max(seen["most"], len(ours))
            seen["doubles"] += dice[0] == dice[1]
            seen["bar"] += own[25] > 0
            seen["home"] += not any(own[7:])
            seen["blocked"] += ours == [(own, other)]
            while not (state.is_terminal() or state.is_chance_node()) and state.current_player() == player:
                state.apply_action(int(rng.choice(state.legal_actions())))
    print(dict(seen), dict(results))
    assert seen["most"] <= whole.most_turns(GAME)
    assert min(seen[kind] for kind in ("doubles", "bar", "home", "blocked")) > 0
