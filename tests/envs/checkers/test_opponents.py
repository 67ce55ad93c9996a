"""Searches of checkers against plain minimax in Python, which shares no code with them."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envs
from envs.checkers.opponents import EVALUATORS, WON, certainty, evaluators
from jaxgp.players.search import SearchOpponent
from jaxgp.players.searches import searches
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.seats.agents import search_agent
from jaxgp.seats.deepening import deepening
from tests.envs.checkers.drawings import as_reference, as_state, compiled, read
from tests.envs.replays import FAST
from tests.reference import checkers as reference


def fewest(position):
    return reference.worth(position) if reference.over(position) else -reference.worth(position)


WORTH = {
    "material": reference.worth,
    "king_2": partial(reference.worth, king=2),
    "lose_material": fewest,
    "mobility": reference.mobility,
}
"""The evaluators by their definitions, but for those made of random numbers."""


@cache
def random_positions(number, seed, size=6, rows=2, lose=False):
    """Positions met in random play, of each game some and the last one in progress; then the ended ones."""
    game = envs.make("checkers", size=size, rows=rows, lose=lose)
    rng, found, ended = np.random.default_rng(seed), [], []
    while len(found) < number:
        position, line = reference.start(size, rows, game.quiet_plies, lose), []
        while moves := reference.moves(position):
            line.append(position)
            position = reference.play(position, moves[rng.integers(len(moves))])
        found += [line[-1], *(one for one in line if one.held)][:2]
        found += [line[int(n)] for n in rng.choice(len(line) - 1, 2, replace=False)]
        ended.append(position)
    return game, found[:number], ended


def stacked(game, positions):
    return jax.tree.map(lambda *x: jnp.stack(x), *(as_state(game, position) for position in positions))


@pytest.mark.few(1)
@pytest.mark.parametrize("lose", [False, True])
def test_evaluators_equal_their_definition(lose):
    game, positions, ended = random_positions(24, seed=3, lose=lose)
    both = [*positions, *ended]
    values = {name: jax.vmap(partial(EVALUATORS[name], game)) for name in WORTH}
    found = jax.jit(lambda states: {name: value(states) for name, value in values.items()}, compiler_options=FAST)(
        stacked(game, both)
    )
    for name, worth in WORTH.items():
        assert found[name].tolist() == [(1 - 2 * one.seat) * worth(one) for one in both], name
    assert any(position.held for position in positions)


@pytest.mark.thorough
def test_noise_differs_between_positions_and_draws_and_knows_results_alone():
    game, positions, ended = random_positions(24, seed=3)
    value = jax.jit(jax.vmap(partial(EVALUATORS["noise"].value, game), (0, None)), compiler_options=FAST)
    noise, other = (np.asarray(value(stacked(game, positions), jnp.uint32(draw))) for draw in (1, 2))
    results = np.asarray(value(stacked(game, ended), jnp.uint32(1)))
    assert abs(np.corrcoef(noise, other)[0, 1]) < 0.7
    assert (abs(noise) <= 1).all()
    assert len(set(noise.tolist())) == len({str(position) for position in positions})
    assert noise.min() < -0.3 < 0.3 < noise.max()
    assert set(results.tolist()) <= {WON, 0, -WON}


def test_every_game_has_all_evaluators_and_an_apt_one_first():
    games = [envs.make("checkers", lose=lose) for lose in (False, True)]
    assert [next(iter(evaluators(game))) for game in games] == ["material", "lose_material"]
    assert [set(evaluators(game)) for game in games] == [set(EVALUATORS)] * 2
    assert set(EVALUATORS) - set(WORTH) == {"noise"}
    assert all(len(searches(envs.spec("checkers"), game, "material|king_2", 2, "first", 1, 4)) == 2 for game in games)


@pytest.mark.slow
def test_a_search_by_noise_chooses_uniformly_anew_each_time_and_remembers_each_draw():
    """One ply deep, where no move decides the game: chi-square over the moves of 2,000 games in one position."""
    game, state = read("""
        . w . w
        . . . .
        . . . .
        b . b .
    """)
    (search,) = searches(envs.spec("checkers"), game, "noise", 1, "first", 1, 8)
    opponent = SearchOpponent(search, 1, table_size=2**14, games=500)
    shape = (2, 1000)
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *jnp.shape(x))), state)
    bits = jax.random.bits(jax.random.key(0), shape)
    bits = bits.at[1, 0].set(bits[0, 0])
    think, reply = (jax.jit(one, compiler_options=FAST) for one in (opponent.think, opponent.reply))
    memory, count = think(opponent.init(None), states, jnp.ones(shape, bool), bits)
    moves, known = reply(memory, states, bits)
    assert int(count) == 1999
    assert not reply(memory, states, bits + 1)[1].any()
    assert moves[0, 0] == moves[1, 0]
    drawn = np.unique(np.asarray(moves)[known], return_counts=True)
    assert set(drawn[0]) == set(np.flatnonzero(game.legal_actions(state)))
    assert len(drawn[0]) == 3
    assert stats.chisquare(drawn[1]).pvalue > 0.01


@pytest.mark.slow
def test_a_search_by_noise_at_the_table_draws_anew_for_every_move():
    game = envs.make("checkers", size=4, rows=1)
    state = jax.jit(game.init, compiler_options=FAST)(None)
    agent = search_agent(searches(envs.spec("checkers"), game, "noise", 1, "first", 1, 1), 1)
    drawn = [agent.choose(state, bits) for bits in np.arange(40, dtype=np.uint32)]
    assert set(drawn) == set(np.flatnonzero(game.legal_actions(state)))
    assert drawn[:9] == [agent.choose(state, bits) for bits in np.arange(9, dtype=np.uint32)]


@cache
def searcher(game, name, ties, depth):
    search = AlphaBeta(game, partial(EVALUATORS[name], game), depth, tail=1, lanes=8, narrow=8, ties=ties)
    return jax.jit(search.search, compiler_options=FAST)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("size", "rows", "lose", "name", "ties", "depth", "number"),
    [
        (6, 2, False, "material", "all", 4, 24),
        pytest.param(8, 3, True, "lose_material", "first", 4, 40, marks=pytest.mark.slow),
        pytest.param(8, 3, True, "mobility", "all", 3, 40, marks=pytest.mark.slow),
        pytest.param(10, 3, False, "king_2", "all", 3, 40, marks=pytest.mark.slow),
    ],
)
def test_searches_find_the_best_moves_of_plain_minimax(size, rows, lose, name, ties, depth, number):
    """A jump of several is a ply of its own, after which the same side moves."""
    game, positions, _ = random_positions(number, 1, size, rows, lose)
    depths = np.random.default_rng(2).integers(1, depth + 1, number)
    found = searcher(game, name, ties, depth)(
        stacked(game, positions), jnp.asarray(depths, jnp.int32), jnp.int32(number)
    )
    for values, position, plies in zip(np.asarray(found.values), positions, depths, strict=True):
        wanted = reference.move_values(position, int(plies), WORTH[name])
        best = max(wanted.values())
        actions = sorted(reference.action(size, move) for move, value in wanted.items() if value == best)
        assert values.max() == best
        assert values.argmax() == actions[0]
        if ties == "all":
            assert np.flatnonzero(best_moves(values)).tolist() == actions


def test_all_evaluators_prove_results():
    game, positions, _ = random_positions(24, seed=3)
    for name in EVALUATORS:
        assert certainty(game, name) == (game, WON)
    assert max(abs(worth(position)) for position in positions for worth in WORTH.values()) < WON


@pytest.mark.slow
def test_a_search_proves_a_win_within_its_depth():
    game, state = read("""
        . . . .
        w . . .
        . . . .
        b . b .
    """)
    thought = deepening(envs.spec("checkers"), game, "material", 4, "first", 1).think(state)
    assert (thought.value, thought.decided, thought.depth) == (WON, True, 1)
    assert as_reference(game, compiled(game)[0](state, jnp.int32(thought.move))).seat == 1
