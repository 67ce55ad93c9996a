"""Variants of checkers: what a ply is, and when two positions are the same."""

import jax
import jax.numpy as jnp
import pytest

from envs.checkers.render import parse_action
from studies import checkers_variants
from studies.checkers_variants import Variant, _with
from tests.envs.checkers.drawings import draw, read
from tests.envs.replays import FAST

TWO_JUMPS = """
    . . . . . .
    . . . . . .
    . . . w . .
    . . . . . .
    . w . . . .
    b . . . . .
"""


def played(move, drawing=TWO_JUMPS, **settings):
    game, plain = read(drawing, rows=2)
    variant = Variant(size=6, rows=2, **settings)
    step = jax.jit(variant.step, compiler_options=FAST)
    return variant, step(_with(plain, jnp.uint32(0)), jnp.int32(parse_action(game, move)), None)


def test_further_jumps_without_a_choice_belong_to_one_step():
    game, after = played("a1xc3", turns=True)
    assert draw(game, after).count("w") == 0
    game, after = played("a1xc3")
    assert draw(game, after).count("w") == 1


def test_positions_reached_by_other_moves_have_keys_of_their_own_where_nodes_count():
    drawing = """
        . w . . . .
        . . . . . .
        . . . . . .
        . . . . . .
        . . . . . .
        b . . . b .
    """
    for nodes in (False, True):
        game, plain = read(drawing, rows=2)
        variant = Variant(size=6, rows=2, nodes=nodes)
        step, keys = jax.jit(variant.step, compiler_options=FAST), []
        for line in (("a1-b2", "b6-a5", "e1-d2"), ("e1-d2", "b6-a5", "a1-b2")):
            state = _with(plain, jnp.uint32(0))
            for move in line:
                state = step(state, jnp.int32(parse_action(game, move)), None)
            keys.append(variant.key(state).tolist())
        assert (keys[0] == keys[1]) == (not nodes)


@pytest.mark.slow
def test_a_match_is_played_and_its_row_added(tmp_path, capsys):
    options = checkers_variants.Options(player=1, opponent=1, turns=True, games=4, table=str(tmp_path / "games.csv"))
    assert checkers_variants.task(options) == 0
    row = (tmp_path / "games.csv").read_text().splitlines()[1]
    assert row.startswith("search depth=1 evaluator=noise ties=first,search depth=1 evaluator=noise ties=first,8,")
    assert "checkers lose=true turns=true" in row
