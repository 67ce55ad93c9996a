"""The rules against an independent reference, OpenSpiel, and published counts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from tests.envs.checkers.drawings import as_reference, compiled
from tests.envs.replays import FAST, KEY, replay, stepping
from tests.reference import checkers as reference

PERFT = {
    8: [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680],
    10: [9, 81, 810, 8100, 88900],
}
"""Lines of 1, 2, ... turns by size of the board; several jumps of a turn count once. 8 x 8: A. Bik, 2009."""
CHUNK = 4096
MOST = 24
"""The most moves of a position that is met there."""


@pytest.mark.parametrize(
    ("settings", "games"),
    [
        ({"size": 6, "rows": 2, "lose": True, "quiet_plies": 12}, 4),
        pytest.param({"size": 4, "rows": 1, "quiet_plies": 0}, 300, marks=pytest.mark.slow),
        pytest.param({}, 100, marks=pytest.mark.slow),
        pytest.param({"size": 10, "rows": 4, "lose": True}, 30, marks=pytest.mark.slow),
        pytest.param({"size": 12, "quiet_plies": 100}, 10, marks=pytest.mark.slow),
        pytest.param({"size": 16, "rows": 7}, 5, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_whole_random_games_equal_the_reference(settings, games):
    game = envs.make("checkers", **settings)
    step, _, legal = compiled(game)
    rng = np.random.default_rng(game.size)
    for _ in range(games):
        state = game.init(KEY)
        position = reference.start(game.size, game.rows, game.quiet_plies, game.lose)
        for _ in range(1000):  # without a draw rule a game may go on for ever
            moves = {reference.action(game.size, move): move for move in reference.moves(position)}
            assert np.flatnonzero(legal(state)).tolist() == sorted(moves)
            assert as_reference(game, state) == position
            assert bool(state.terminated) == (not moves)
            if not moves:
                result = reference.result(position)
                assert state.returns.tolist() == [result, -result]
                break
            action = int(rng.choice(sorted(moves)))
            state, position = step(state, jnp.int32(action)), reference.play(position, moves[action])


def perft(game, depth):
    """Lines of 1 to `depth` turns; a turn of several jumps is followed until the other side is to move."""

    def expand(state):
        places = jnp.arange(MOST, dtype=jnp.int32)
        after = jax.vmap(lambda place: stepping(game)(state, game.choice(state, place)))(places)
        return jnp.where(state.terminated, 0, game.choices(state)), after

    expand = jax.jit(jax.vmap(expand), compiler_options=FAST)

    def children(states):
        """Yield the positions after each action of states [N, ...]: those of ended turns, then others, by chunks."""
        count = len(states.to_move)
        for first in range(0, count, CHUNK):
            rows = np.arange(first, first + CHUNK)  # one shape, one compilation
            within = np.minimum(rows, count - 1)
            part = jax.tree.map(lambda x, r=within: x[r], states)
            moves, after = jax.device_get(expand(part))
            assert moves.max() <= MOST
            played = (np.arange(MOST) < moves[:, None]) & (rows < count)[:, None]
            turned = after.to_move != part.to_move[:, None]
            for mask in (played & turned, played & ~turned):
                yield jax.tree.map(lambda x, m=mask: x[m], after)

    def joined(parts):
        return jax.tree.map(lambda *x: np.concatenate(x), *parts)

    states, lines = jax.tree.map(lambda x: np.asarray(x)[None], game.init(KEY)), []
    while len(lines) < depth:
        done, going = [], states
        while len(going.to_move):
            parts = list(children(going))
            done += parts[::2]
            going = joined(parts[1::2])
        states = joined(done)
        lines.append(len(states.to_move))
    return lines


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("size", "depth"),
    [
        (8, 5),
        pytest.param(8, 9, marks=pytest.mark.slow),
        pytest.param(10, 5, marks=pytest.mark.slow),
    ],
)
def test_perft(size, depth):
    assert perft(envs.make("checkers", size=size), depth) == PERFT[size][:depth]


@pytest.mark.parametrize(
    ("size", "depth"), [(8, 4), (10, 3), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((8, 7), (10, 5)))]
)
def test_perft_of_the_reference(size, depth):
    assert reference.perft(reference.start(size), depth) == PERFT[size][depth - 1]


def openspiel_games(size, misere, turns, seed):
    """Random games of OpenSpiel until `turns` turns are played.

    Returns:
        Per game: our numbers of the actions; by ply the boards [size, size] from row 1 up, 0 to 4 as in a grid of
        `render.pieces`, the legal actions and the movers; the result for the first mover.
    """
    pyspiel = pytest.importorskip("pyspiel")
    name = f"checkers(rows={size},columns={size})"
    spiel = pyspiel.load_game(f"misere(game={name})" if misere else name)
    rng, games, played = np.random.default_rng(seed), [], 0
    while played < turns:
        state, actions, boards, legals, movers = spiel.new_initial_state(), [], [], [], []
        while not state.is_terminal():
            legal = state.legal_actions()
            boards.append(board_of(state, size))
            movers.append(state.current_player())
            legals.append(sorted(number(size, action) for action in legal))
            chosen = legal[int(rng.random() * len(legal))]
            actions.append(number(size, chosen))
            state.apply_action(chosen)
        boards.append(board_of(state, size))
        games.append((actions, boards, legals, movers, state.returns()[0]))
        played += 1 + int(np.count_nonzero(np.diff(movers)))
    return games, played


def number(size, action):
    """Return our number of an action of OpenSpiel: row from the top, column, one of four directions, step or jump."""
    row, column, direction, jump = np.unravel_index(action, (size, size, 4, 2))
    ours = (0, 1, 3, 2)[direction]
    square = (size - 1 - row) * (size // 2) + column // 2
    return int((4 * jump + ours) * (size * size // 2) + square)


def board_of(state, size):
    """Return the board from row 1 up, read from the drawing: o and 8 are of the first mover, + and * of the other."""
    lines = str(state).splitlines()[:size]
    return np.array([[".o+8*".index(mark) for mark in line[-size:]] for line in reversed(lines)])


def grids(game, states):
    """Return the boards of states [..., ] as those of OpenSpiel, [..., size, size]."""

    def dark(bits):
        words = np.stack(bits, -1)[..., None] >> np.arange(32, dtype=np.uint32) & 1
        return words.reshape(*words.shape[:-2], -1)[..., : game.area].astype(int)

    seat = states.to_move[..., None]
    squares = dark(states.own) * (1 + seat) + dark(states.other) * (2 - seat) + 2 * dark(states.kings)
    found = np.zeros((*squares.shape[:-1], game.size, game.size), int)
    for square in range(game.area):
        found[..., *game.place(square)] = squares[..., square]
    return found


def check_against_openspiel(size, misere, turns, seed, at_once=32):
    """Compare boards, movers, legal actions, ends and results; return turns, turns of several jumps, and draws."""
    game = envs.make("checkers", size=size, lose=misere)
    games, played = openspiel_games(size, misere, turns, seed)
    longest = -(-max(len(g[0]) for g in games) // 64) * 64
    several = 0
    for first in range(0, len(games), at_once):
        group = games[first : first + at_once]
        actions = np.zeros((at_once, longest), np.int32)
        for row, (line, *_) in zip(actions, group, strict=False):
            row[: len(line)] = line
        states, legal = jax.tree.map(np.asarray, replay(game)(actions))
        boards = grids(game, states)
        for n, (line, theirs, legals, movers, result) in enumerate(group):
            count = len(line)
            assert np.array_equal(boards[n, : count + 1], theirs)
            assert np.array_equal(states.to_move[n, :count], movers)
            assert [np.flatnonzero(row).tolist() for row in legal[n, :count]] == legals
            assert not states.terminated[n, :count].any()
            assert states.terminated[n, count]
            assert states.returns[n, count].tolist() == [result, -result]
            several += int((np.diff(movers) == 0).sum())
    return played, several, sum(g[-1] == 0 for g in games)


@pytest.mark.thorough
def test_random_games_equal_openspiel():
    turns, several, _ = check_against_openspiel(8, False, 500, seed=1, at_once=8)
    assert turns >= 500
    assert several > 0


@pytest.mark.slow
@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("size", [8, 10])
def test_many_random_games_equal_openspiel(size, misere):
    turns, several, draws = check_against_openspiel(size, misere, 100_000, seed=size + misere)
    print(f"{size} x {size}, lose={misere}: {turns} turns, {several} further jumps, {draws} draws")
    assert turns >= 100_000
    assert several > 1000
    assert draws > 100
