"""Tournaments of groups against the same double games in plain Python."""

from functools import cache

import jax
import numpy as np
import pytest

from jaxgp.fitness.matches import play
from jaxgp.fitness.tournament import _to_rivals, round_robin
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.players.panel import strategy
from jaxgp.players.rules import RulePlayer
from tests.envs.replays import FAST, KEY
from tests.fitness.walls_table import board, game, plain, population
from tests.reference import rules as reference


@cache
def tournaments(at, size):
    """Compile tournaments: (lists, most plies) -> points."""

    def run(lists, max_plies):
        return round_robin(jax.random.key(0), at.game, at.actor, lists, size, max_plies)

    return jax.jit(run, compiler_options=FAST)


@pytest.mark.few(1)
@pytest.mark.parametrize(("board_size", "matching", "size"), [(3, "strict", 5), (5, "symmetric", 3)])
def test_points_are_those_of_the_same_double_games_played_one_by_one(board_size, matching, size):
    at = board(board_size, matching)
    lists = population(at, 5 * size)
    played = tournaments(at, size)(lists, 100_000)
    expected = np.zeros(5 * size, int)
    for group in range(5):
        members = range(group * size, (group + 1) * size)
        for a in members:
            for b in members:
                if a != b:
                    first, second = game(at, plain(lists, a), plain(lists, b))
                    expected[a] += first
                    expected[b] += second
    assert np.asarray(played.points).tolist() == expected.tolist()
    assert len(set(expected.tolist())) > 2, "games that are all alike would prove nothing"
    assert int(played.games) == 5 * size * (size - 1)
    assert expected.sum() == 2 * int(played.games)


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_games_are_brought_to_the_rival_and_back(size):
    games = np.array([[[(a, (a + k + 1) % size)] for a in range(size)] for k in range(size - 1)])  # [g - 1, g, 1, 2]
    assert len({tuple(pair) for pair in games.reshape(-1, 2).tolist()}) == size * (size - 1)
    there = np.asarray(_to_rivals(games))
    np.testing.assert_array_equal(there, games[..., ::-1])
    np.testing.assert_array_equal(_to_rivals(there), games)


def test_a_game_that_is_stopped_is_a_draw():
    at = board(3, "strict")
    played = tournaments(at, 5)(population(at, 25), 3)
    assert np.asarray(played.points).tolist() == [8] * 25
    assert int(played.plies) == 3 * 100


@pytest.mark.thorough
def test_a_list_plays_against_a_strategy_as_in_plain_python():
    at = board(5, "strict")
    lists, fixed = population(at, 12), strategy(at.spec, at.game)

    @jax.jit
    def run(lists):
        memories = (fixed.init(jax.random.key(0)),)
        return play(jax.random.key(0), at.game, at.actor, at.actor.prepare(lists), (fixed,), memories, 1000)

    returns = np.asarray(run(lists)[0].states.returns)
    written = at.spec.strategy_of("fixed", at.game)
    theirs = at.role.make(at.game, written.options)[0]
    rules = reference.plain(parse_rules(theirs, written.text, 50))
    for i in range(12):
        for seat in (0, 1):
            assert returns[i, seat, seat] == result(at, plain(lists, i), (theirs, written.options, rules), seat)


def result(at, own, strategy, seat):
    """1, 0 or -1 for `own` in `seat`."""
    from tests.fitness.walls_table import seen
    from tests.reference import walls

    language, settings, rules = strategy
    position = walls.start(at.game.size)
    while not position.over:
        if position.turn == seat:
            view = seen(position, at.language.shape[0], at.options.symmetric)
            action, _ = reference.act(at.language, own, view, at.options.symmetric)
        else:
            view = seen(position, language.shape[0], settings.symmetric)
            action, _ = reference.act(language, rules, view, settings.symmetric)
        position = walls.play(position, walls.MOVES[action])
    return position.points[seat] - 1


def test_an_action_that_is_not_legal_is_said_to_be_none():
    at = board(3)
    player = RulePlayer(at.language, at.actor.view, lambda state: np.array([True, False, True]))
    one = parse_rules(at.language, "- - - / - - - / - - - : turn-left", 4)
    lists = jax.tree.map(lambda x: np.asarray(x)[None], one)
    states = jax.tree.map(lambda x: np.asarray(x)[None, None], at.game.init(KEY))
    act = jax.jit(lambda lists, states: player.act(player.prepare(lists), states, np.zeros((1, 1), np.uint32)))
    action, legal = jax.device_get(act(lists, states))
    assert (int(action[0, 0, 0]), bool(legal[0, 0])) == (1, False)
