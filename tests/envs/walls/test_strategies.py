"""The fixed strategies on drawn boards."""

from functools import cache

import jax
import pytest

import envs
from envs.walls.primitives import rule_language, view
from envs.walls.strategies import STRATEGIES, strategy
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter import rules
from tests.envs.replays import KEY
from tests.envs.walls.drawings import read
from tests.genotypes.rule_cases import problems

ROUND_THE_END, ON, ASIDE, BACK, ALONG, ROUND = range(6)


@cache
def choosing(game, name):
    """What a strategy does in a state, compiled."""
    found = strategy(name, game)
    language = rule_language(game, found.options)
    one = parse_rules(language, found.text, 8)

    def choose(state):
        masks = rules.prepare(language, one, found.options.symmetric)
        return rules.act(language, masks, view(game, found.options, state)[None])

    return jax.jit(choose)


def chosen(state, game, name="fixed"):
    action, fired = jax.device_get(choosing(game, name)(state))
    return "flr"[int(action[0])], int(fired[0])


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("size", [3, 5, 7, 9])
def test_every_strategy_is_a_valid_rule_list(name, size):
    game = envs.make("walls", size=size)
    found = strategy(name, game)
    language = rule_language(game, found.options)
    one = parse_rules(language, found.text, 8)
    assert problems(language, one) == []
    assert int(one.length) == (0 if name == "forward" else 4 if size == 3 else 6)


def test_an_unknown_strategy_is_refused():
    with pytest.raises(ValueError, match="strategy=best: accepted: fixed, forward"):
        strategy("best", envs.make("walls"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("board", "move", "rule"),
    [
        # The wall that A has just left begins behind it on the right; the board goes on round its end.
        (". . . . . / . . . . . / . A^ . . . / . a a . . / . . . . B>", "r", ROUND_THE_END),
        (". . . . . / . . . . . / . A^ . . . / a a . . . / . . . . B>", "l", ROUND_THE_END),
        (". . . . . / . . . . . / . A^ . . . / . a . . . / . . . . B>", "f", ON),
        # At the edge.
        (". . A^ . . / . . a . . / . . a . . / . . . . . / . . . . B>", "l", ASIDE),
        (". a A^ . . / . a a . . / . . . . . / . . . . . / . . . . B>", "r", ASIDE),
        # The opponent's wall ahead, own bricks at one side.
        (". . . . . / . b b . . / . aA^ . . . / . a . . . / . . . . B>", "l", ASIDE),
        (". b b b . / b aA^ a b . / . a a . . / . . . . . / . . . . B>", "r", ALONG),
        (". . . . . / b a b . . / b aA^ b . . / . a . . . / . . . . B>", "f", BACK),
        (". . . . . / b b b . . / b aA^ b . . / . a . . . / . . . . B>", "l", ROUND),
    ],
)
def test_it_does_what_its_rules_say(board, move, rule):
    game, state = read(board.replace(" / ", "\n"))
    assert chosen(state, game) == (move, rule)


def test_forward_takes_the_default_move():
    game = envs.make("walls")
    assert chosen(game.init(KEY), game, "forward") == ("f", -1)
