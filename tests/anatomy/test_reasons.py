"""What is said of a move is what decides it."""

import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.anatomy.reasons import explain
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.genotypes import language
from jaxgp.players.searches import searches
from jaxgp.seats.agents import genome_agent, search_root
from jaxgp.seats.moves import Stepper, game_key
from jaxgp.seats.options import player


def taken(game, program=None, text=None):
    cast = cast_of(Config(game=game, program=program or {}), envs)
    return cast, None if text is None else language.parse(cast.language, text)


def position(cast, plies):
    stepper = Stepper(cast.game, game_key(0))
    record = [stepper.opening()]
    for _ in range(plies):
        record.append(stepper.after(record, stepper.legal(record[-1].state)[-1]))
    return record[-1].state


@pytest.mark.parametrize(
    ("game", "depth"), [({"name": "mancala", "pits": 3, "stones": 2}, 3), ({"name": "walls", "size": 3}, 1)]
)
def test_the_values_of_a_search_are_those_of_its_own_best_moves(game, depth):
    cast, _ = taken(game)
    state = position(cast, 2)
    told = explain(cast, player("search", depth=depth), None, state)
    (search,) = searches(cast.spec, cast.game, None, depth, "random", 1, lanes=1)
    values = np.asarray(search_root(search, state, jnp.int32(depth), jnp.uint32(0))[0])
    best = {cast.spec.notation.action_name(cast.game, n) for n in np.flatnonzero(values == values.max())}
    assert {name for name, value, _ in told.moves if value == told.moves[0][1]} == best
    assert told.moves[0][1] == values.max()
    assert all(len(line.split()) <= depth - 1 for _, _, line in told.moves)
    assert any(line for _, _, line in told.moves) == (depth > 1)


def test_the_first_of_the_valued_moves_is_the_one_that_a_program_plays():
    cast, genome = taken({"name": "othello", "size": 4}, {"role": "move"}, "(- own_corners 10)")
    state = position(cast, 3)
    told = explain(cast, player("champion"), genome, state)
    chosen = genome_agent(cast, genome, "it").choose(state, np.uint32(0))
    assert told.moves[0][0] == cast.spec.notation.action_name(cast.game, chosen)
    assert len(told.moves) == int(np.asarray(cast.game.legal_actions(state)).sum())
    assert told.trees[0].startswith("(-\u2192")
    assert "TEN\u219210" in told.trees[0]


def test_the_rule_that_fires_gives_the_move():
    cast, genome = taken(
        {"name": "walls", "size": 3}, None, "- - - / - W - / - - - : turn-left\n- - - / - E - / - - - : turn-right"
    )
    for plies in range(3):
        state = position(cast, plies)
        told = explain(cast, player("champion"), genome, state)
        (fired,) = [text for text, fires, _ in told.rules if fires]
        chosen = genome_agent(cast, genome, "it").choose(state, np.uint32(0))
        assert fired.split()[-1] == cast.language.actions[chosen]
        assert len(told.rules) == 3


def test_a_player_that_draws_its_moves_says_so():
    cast, _ = taken({"name": "walls", "size": 3})
    assert explain(cast, player("random"), None, position(cast, 0)).moves == ()
