"""Rule lists on drawn boards: strict and symmetric matching say what the text says they do."""

from functools import cache

import jax
import jax.numpy as jnp
import pytest

import envs
from envs.walls.primitives import Options, rule_language, view
from jaxgp.games.casting import cast
from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter import rules
from tests.envs.replays import stepping

GAME = envs.make("walls", size=5)
STEP = jax.jit(stepping(GAME))


def position(moves):
    """The position after a line of moves: f, l, r."""
    state = GAME.init(jax.random.key(0))
    for move in moves:
        state = STEP(state, jnp.int32("flr".index(move)))
    return state


@cache
def acting(**options):
    """What rules are written in, and what they do in a state, compiled."""
    settings = Options(**({"matching": "strict"} | options))
    language = rule_language(GAME, settings)

    def act(one, state):
        masks = rules.prepare(language, one, settings.symmetric)
        return rules.act(language, masks, view(GAME, settings, state)[None])

    return language, jax.jit(act)


def action(text, state, **options):
    language, act = acting(**options)
    chosen, fired = jax.device_get(act(parse_rules(language, text, 4), state))
    return "flr"[int(chosen[0])], int(fired[0])


def test_the_first_player_faces_west_with_the_opponent_out_of_a_small_mask():
    assert action("0 0 0 / 0 W 0 / 0 0 0 : turn-left", position("")) == ("l", 0)
    assert action("0 0 0 / 0 E 0 / 0 0 0 : turn-left", position("")) == ("f", -1)
    assert action("- - - - - / - - - - - / - - W - E / - - - - - / - - - - - : turn-right", position(""), mask=5) == (
        "r",
        0,
    )


@pytest.mark.thorough
def test_under_symmetry_a_rule_is_about_what_lies_ahead_whatever_the_heading():
    ahead = "- # - / - N - / - - - : turn-right"  # an edge ahead
    at_the_edge = position("ff")  # both players have walked to their edges
    assert action(ahead, at_the_edge, matching="symmetric") == ("r", 0)
    assert action(ahead, at_the_edge) == ("f", -1)


def test_under_symmetry_a_mirrored_rule_turns_the_other_way():
    behind_left = "- - - / 0 N - / - A - : turn-left"
    on_the_left_edge_only = "# - - / # N - / # - - : turn-right"
    west_edge_facing_north = position("ffrr")
    assert action(on_the_left_edge_only, west_edge_facing_north, matching="symmetric") == ("r", 0)
    west_edge_facing_south = position("ffll")
    assert action(on_the_left_edge_only, west_edge_facing_south, matching="symmetric") == ("l", 0)
    assert action(behind_left, position("ff"), matching="symmetric") == ("l", 0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"mask": 4}, "program.mask=4: accepted: an odd number"),
        ({"mask": 1}, "program.mask=1: accepted: an odd number"),
        ({"mask": 7}, "program.mask=7: accepted: an odd number from 3 to 5"),
        ({"matching": "loose"}, "program.matching=loose: accepted: strict, symmetric"),
    ],
)
def test_wrong_options_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        cast(envs.spec("walls"), GAME, values=values)
