"""Evaluators, and the shared alpha-beta search with them, against plain minimax of the reference."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.walls.opponents import EVALUATORS
from envs.walls.rules import Player, State
from jaxgp.search.alphabeta import AlphaBeta
from tests.envs.replays import FAST, KEY
from tests.envs.walls.drawings import bits, read
from tests.reference import walls

SIZE = 5
ROOTS = 48


def random_positions(number, seed=0, **options):
    """Positions met in random play that walks a lot, half of them near the end: there players are stalled."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < number:
        position = walls.start(SIZE, **options)
        line = [position]
        while not position.over:
            position = walls.play(position, walls.MOVES[rng.choice(3, p=(0.6, 0.2, 0.2))])
            line.append(position)
        found += [line[rng.integers(len(line))], line[-int(rng.integers(1, 8))]]
    return found[:number]


def as_states(positions):
    """Stack positions of the reference as states [Q]."""

    def player(position, seat):
        walker, n = position.walkers[seat], position.n
        laid = bits([y * n + x for (x, y), owner in position.bricks if owner == seat], n * n)
        return Player(laid, walker.at[1], walker.at[0], "NESW".index(walker.faces), walker.waste)

    def state(position):
        returns = np.array([points - 1.0 for points in position.points]) * position.over
        players = player(position, position.turn), player(position, 1 - position.turn)
        return State(*players, position.turn, position.over, returns.astype(np.float32))

    def stack(*values):
        array = np.stack(values)
        return jnp.asarray(array.astype(np.int32) if array.dtype == np.int64 else array)

    return jax.tree.map(stack, *map(state, positions))


def decided(position):
    """The value of the evaluator of that name, as seat 0 sees it, by its definition."""
    counts = [position.count(seat) for seat in (0, 1)]
    area = position.n**2
    most = [counts[seat] if position.stalled(seat) or position.over else area - counts[1 - seat] for seat in (0, 1)]
    if counts[0] > most[1]:
        return area
    return -area if counts[1] > most[0] else counts[0] - counts[1]


WORTH = {"material": walls.lead, "decided": decided}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", EVALUATORS)
def test_evaluators_equal_their_definition(name):
    game = envs.make("walls")
    positions = random_positions(200, seed=3)
    value = jax.jit(jax.vmap(lambda state: EVALUATORS[name](game, state)), compiler_options=FAST)
    expected = [(1 - 2 * position.turn) * WORTH[name](position) for position in positions]
    assert value(as_states(positions)).tolist() == expected
    assert len(set(expected)) > 4


@pytest.mark.parametrize(
    ("board", "idle", "material", "decided"),
    [
        ("a a a\na aA> .\nb . B>", (0, 0), 4, 9),
        ("a a a\na A> .\nb . B>", (0, 0), 3, 3),
        ("a . .\na A> .\nb . B>", (0, 9), 1, 9),
        ("a . .\na A> .\nb . B>", (9, 0), 1, 1),
        ("a . .\nb A> .\nb . B>", (9, 0), -1, -9),
        ("a . .\n. A> .\nb . B>", (0, 9), 0, 0),
    ],
    ids=["majority", "four of nine", "opponent stalled", "stalled ahead", "stalled behind", "level"],
)
def test_a_game_is_decided_once_the_other_cannot_catch_up(board, idle, material, decided):
    game, state = read(board, idle=idle)
    assert EVALUATORS["material"](game, state) == material
    assert EVALUATORS["decided"](game, state) == decided


def test_evaluators_know_the_result_of_a_forfeited_game():
    game = envs.make("walls")
    ended = game.forfeit(game.init(KEY))
    assert [float(evaluate(game, ended)) for evaluate in EVALUATORS.values()] == [-25, -25]


@cache
def searcher(name, tail, ties):
    game = envs.make("walls", size=SIZE)
    search = AlphaBeta(game, lambda state: EVALUATORS[name](game, state), 4, tail=tail, lanes=16, narrow=16, ties=ties)
    return jax.jit(search.search, compiler_options=FAST)


def check_search(positions, depth, name, tail, ties):
    """Compare values of the best moves: all of them, or at least the first."""
    depths = jnp.full(len(positions), depth, jnp.int32)
    found = searcher(name, tail, ties)(as_states(positions), depths, jnp.int32(len(positions)))
    values = np.asarray(found.values)
    for row, position in zip(values, positions, strict=True):
        if position.over:
            assert np.isneginf(row).all()
            continue
        sign = 1 - 2 * position.turn
        want = [sign * walls.value(walls.play(position, move), depth - 1, WORTH[name]) for move in walls.MOVES]
        best = [value if value == max(want) else -np.inf for value in want]
        if ties == "all":
            assert row.tolist() == best
        else:
            assert row.argmax() == np.argmax(best)
            assert row.max() == max(best)


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_alpha_beta_equals_plain_minimax(depth):
    positions = random_positions(ROOTS)
    assert any(position.stalled(1 - position.turn) and not position.over for position in positions)
    assert any(position.over for position in positions)
    check_search(positions, depth, "material", tail=1, ties="all")


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2, 4])
def test_alpha_beta_that_stops_at_the_first_best_move(depth):
    check_search(random_positions(ROOTS, seed=1), depth, "decided", tail=2, ties="first")


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("name", EVALUATORS)
def test_alpha_beta_equals_plain_minimax_on_many_positions(name, depth):
    for seed in range(10):
        check_search(random_positions(ROOTS, seed=100 + seed), depth, name, tail=1, ties="all")
