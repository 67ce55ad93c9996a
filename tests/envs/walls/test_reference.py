"""The rules and the neighbourhoods against an independent reference in plain Python, over whole random games."""

import jax
import numpy as np
import pytest

import envs
from envs.walls import view
from tests.envs.replays import FAST, KEY, replay
from tests.envs.walls.drawings import seats, squares
from tests.reference import walls

SIZES = (3, 5, 7, 9)
CASES = [
    {"size": 3},
    {"size": 5, "first": "right"},
    {"size": 7, "stall": 5},
    {"size": 9, "majority_ends": True, "stall": 14},
]
FORWARD = 0.6
"""Chance of a try-forward in half of the games; the others are uniformly random."""


def random_actions(games, plies, seed):
    """Return int32[games, plies]: half of the rows uniformly random, half of them walking more than they turn."""
    rng = np.random.default_rng(seed)
    uniform = rng.integers(0, 3, (games, plies))
    walking = np.where(rng.random((games, plies)) < FORWARD, 0, rng.integers(1, 3, (games, plies)))
    return np.where(np.arange(games)[:, None] % 2, walking, uniform).astype(np.int32)


def equal(game, state, legal, position):
    """Whether a state is a position of the reference, in every respect."""
    for seat, player in enumerate(seats(state)):
        walker = position.walkers[seat]
        assert (player.column, player.row) == walker.at
        assert "NESW"[player.heading] == walker.faces
        assert player.idle == walker.waste
        assert squares(player.bricks) == {y * game.size + x for (x, y), owner in position.bricks if owner == seat}
    assert state.terminated == position.over
    assert legal.tolist() == [move in walls.moves(position) for move in walls.MOVES]
    if position.over:
        assert state.returns.tolist() == [points - 1 for points in position.points]
    else:
        assert state.to_move == position.turn
        assert state.returns.tolist() == [0, 0]


def check_random_games(options, plies, seed, games=64):
    """Compare whole random games until so many plies are compared; return their number and that of ended games."""
    game = envs.make("walls", **options)
    compared = ended = 0
    while compared < plies:
        actions = random_actions(64, 20 * game.size + 120, seed)
        states, legal = jax.tree.map(np.asarray, replay(game)(actions))
        for row in range(len(actions)):
            position = walls.start(game.size, first=game.first, limit=game.stall, majority=game.majority_ends)
            for ply, action in enumerate([*actions[row], None]):
                state = jax.tree.map(lambda x, r=row, p=ply: x[r, p], states)
                equal(game, state, legal[row, ply], position)
                if position.over or action is None or compared >= plies:
                    break
                position = walls.play(position, walls.MOVES[action])
                compared += 1
            ended += position.over
        seed += 1
    return compared, ended


@pytest.mark.few(1)
@pytest.mark.parametrize("options", CASES, ids=lambda options: str(options["size"]))
def test_random_games_equal_the_reference(options):
    compared, ended = check_random_games(options, 1_000, seed=1)
    assert compared >= 1_000
    assert ended > 1


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_many_random_games_equal_the_reference(size):
    compared, ended = check_random_games({"size": size}, 25_000, seed=100)
    assert compared >= 25_000
    assert ended > 50


CODES = {"#": view.EDGE, "0": view.EMPTY, "B": view.OTHER_BRICK, "A": view.OWN_BRICK}
CODES |= {letter: view.OTHER + n for n, letter in enumerate("nesw")}
CODES |= {letter: view.OWN + n for n, letter in enumerate("NESW")}


@pytest.mark.few(1)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize(
    ("size", "window", "games"),
    [(3, 3, 8), (5, 3, 8), *(pytest.param(n, m, 16, marks=pytest.mark.slow) for n, m in ((5, 5), (7, 5), (9, 9)))],
)
def test_neighbourhoods_equal_the_reference(size, window, games, symmetric):
    game = envs.make("walls", size=size)
    actions = random_actions(games, 60, seed=size)
    states, _ = replay(game)(actions)
    look = jax.jit(
        jax.vmap(jax.vmap(lambda state: view.neighbourhood(game, state, window, symmetric))), compiler_options=FAST
    )
    seen = np.asarray(look(states))
    assert seen.dtype == np.int8
    assert seen.shape[2:] == (window**2,)
    met = set()
    for row in range(len(actions)):
        position = walls.start(size)
        for ply, action in enumerate(actions[row]):
            if position.over:
                break
            expected = [CODES[cell] for cell in walls.neighbourhood(position, window, symmetric)]
            assert seen[row, ply].tolist() == expected
            met |= set(expected)
            position = walls.play(position, walls.MOVES[action])
    assert met == set(CODES.values()) - ({view.OWN + n for n in (1, 2, 3)} if symmetric else set())


@pytest.mark.parametrize("window", [1, 2, 4, 7, -3])
def test_a_window_needs_a_centre_and_must_fit_the_board(window):
    game = envs.make("walls")
    with pytest.raises(ValueError, match=rf"^neighbourhood={window}: accepted: an odd number from 3 to 5"):
        view.neighbourhood(game, game.init(KEY), window)


def test_every_code_has_a_symbol_and_a_name():
    assert len(view.SYMBOLS) == len(view.NAMES) == view.OWN + 4
    assert {symbol for symbol, code in CODES.items() if view.SYMBOLS[code] != symbol.upper()} == set()
    assert view.NAMES[view.OTHER + 1] == "opponent facing east"
    assert view.NAMES[view.OWN + 2] == "facing south"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"size": 5}, 3),
        pytest.param({"size": 9, "stall": 14}, 7, marks=pytest.mark.slow),
        pytest.param({"size": 3, "stall": 999}, 4, marks=pytest.mark.slow),
    ],
)
def test_packed_states_are_the_same_states(settings, words):
    game = envs.make("walls", **settings)
    states, _ = replay(game)(random_actions(4, 2500, 0))
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
    assert flat.terminated.any()

    def there_and_back(state):
        return (
            game.pack(state),
            game.unpack(game.pack(state)),
            game.unpack(game.pack(game.forfeit(state))),
            game.forfeit(state),
        )

    packed, *pairs = jax.jit(jax.vmap(there_and_back), compiler_options=FAST)(flat)
    assert len(packed) == words
    for found, expected in ((pairs[0], flat), pairs[1:]):
        jax.tree.map(np.testing.assert_array_equal, found, expected)
