"""The rules against an independent reference, OpenSpiel, and published counts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.othello.rules import GAME
from jaxgp.bits import pick
from tests.envs.othello.drawings import as_reference, compiled, discs
from tests.envs.replays import FAST, KEY, replay, stepping
from tests.reference import othello as reference

PERFT = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
"""Lines of 1, 2, ... moves of the 8 x 8 game; a pass is a move, first met at the ninth. A. Bik, 2009."""
CHUNK = 1024


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("size", "games"), [(4, 8), (10, 2), *(pytest.param(n, 64 // n, marks=pytest.mark.slow) for n in (4, 6, 8, 10))]
)
def test_whole_random_games_equal_the_reference(size, games):
    game = envs.make("othello", size=size)
    step, legal = compiled(game)[0], jax.jit(game.legal_actions, compiler_options=FAST)
    rng = np.random.default_rng(size)
    for _ in range(games):
        state, position = game.init(KEY), reference.start(size)
        while True:
            moves = {reference.action(size, move): move for move in reference.moves(position)}
            assert np.flatnonzero(legal(state)).tolist() == list(moves)
            assert as_reference(game, state) == position
            assert bool(state.terminated) == (not moves)
            if not moves:
                break
            action = int(rng.choice(list(moves)))
            state, position = step(state, jnp.int32(action)), reference.play(position, moves[action])
        lead = np.sign(reference.lead(position))
        assert state.returns.tolist() == [lead, -lead]
        assert game.score(state).tolist() == [reference.count(position, seat) for seat in (0, 1)]


def perft(game, depth):
    """Lines of 1 to `depth` moves; the last ones are counted without being played."""

    def expand(state):
        legal = game.legal_actions(state)
        after = jax.vmap(stepping(game), (None, 0))(state, jnp.arange(game.num_actions, dtype=jnp.int32))
        return legal, after, jax.vmap(lambda s: game.legal_actions(s).sum())(after)

    expand = jax.jit(jax.vmap(expand))
    states = jax.tree.map(lambda x: np.asarray(x)[None], game.init(KEY))
    lines = [int(game.legal_actions(game.init(KEY)).sum())]
    while len(lines) < depth:
        parts, total, count = [], 0, len(states.to_move)
        for first in range(0, count, CHUNK):
            rows = np.minimum(np.arange(first, first + CHUNK), count - 1)  # one shape, one compilation
            legal, after, moves = expand(jax.tree.map(lambda x, r=rows: x[r], states))
            legal = np.asarray(legal) & (np.arange(first, first + CHUNK) < count)[:, None]
            total += int(np.asarray(moves)[legal].sum())
            if len(lines) + 1 < depth:
                parts.append(jax.tree.map(lambda x, m=legal: np.asarray(x)[m], after))
        lines.append(total)
        if parts:
            states = jax.tree.map(lambda *x: np.concatenate(x), *parts)
    return lines


def test_perft():
    assert perft(GAME(), 6) == PERFT[:6]


@pytest.mark.slow
def test_deep_perft():
    assert perft(GAME(), 9) == PERFT


def openspiel_games(plies, seed):
    """Random games of OpenSpiel until `plies` moves are played.

    Returns:
        Per game: actions, boards of 64 marks ('-', 'x' black, 'o' white), legal actions, movers, result for black.
    """
    spiel = pytest.importorskip("pyspiel").load_game("othello")
    rng = np.random.default_rng(seed)
    games, played = [], 0
    while played < plies:
        state, actions, boards, legals, movers = spiel.new_initial_state(), [], [], [], []
        while not state.is_terminal():
            legal = state.legal_actions()
            boards.append(board_of(state))
            movers.append(state.current_player())
            legals.append(legal)
            actions.append(legal[int(rng.random() * len(legal))])
            state.apply_action(actions[-1])
        boards.append(board_of(state))
        games.append((actions, boards, legals, movers, state.returns()[0]))
        played += len(actions)
    return games


def board_of(state):
    """Squares of OpenSpiel's board, row by row: 0 empty, 1 black, 2 white."""
    empty, black, white = np.reshape(state.observation_tensor(0), (3, 64))
    assert (empty + black + white == 1).all()
    return (black + 2 * white).astype(np.int8)


def check_against_openspiel(plies, seed):
    """Compare boards, movers, legal moves, ends and winners; count plies, passes and games that ended early."""
    game = GAME()
    games = openspiel_games(plies, seed)
    longest = max(len(g[0]) for g in games)
    actions = np.zeros((-(-len(games) // 64) * 64, longest), np.int32)
    for row, (played, *_) in zip(actions, games, strict=False):
        row[: len(played)] = played
    see = jax.jit(jax.vmap(jax.vmap(lambda s: game.squares(s.own) + 2 * game.squares(s.other))))
    parts = [jax.tree.map(np.asarray, replay(game)(part)) for part in np.split(actions, len(actions) // 64)]
    states, legal = jax.tree.map(lambda *x: np.concatenate(x), *parts)
    boards = np.asarray(see(states))
    passes = early = 0
    for n, (played, theirs, legals, movers, result) in enumerate(games):
        count = len(played)
        by_seat = np.where(states.to_move[n, :, None] == 0, boards[n], (3 - boards[n]) % 3)
        assert np.array_equal(by_seat[: count + 1], theirs)
        assert np.array_equal(states.to_move[n, :count], movers)
        assert [np.flatnonzero(row).tolist() for row in legal[n, :count]] == legals
        assert not states.terminated[n, :count].any()
        assert states.terminated[n, count]
        assert states.returns[n, count].tolist() == [result, -result]
        passes += played.count(64)
        early += (theirs[-1] == 0).any()
    return sum(len(g[0]) for g in games), passes, int(early)


@pytest.mark.thorough
def test_random_games_equal_openspiel():
    plies, passes, early = check_against_openspiel(5_000, seed=1)
    assert plies >= 5_000
    assert passes > 10
    assert early > 0


@pytest.mark.slow
def test_many_random_games_equal_openspiel():
    plies, passes, early = check_against_openspiel(100_000, seed=2)
    assert plies >= 100_000
    assert passes > 500
    assert early > 3


def lengths(games, seed):
    """Moves of uniformly random games, passes among them."""
    game = GAME()

    def ply(state, key):
        live = ~state.terminated
        bits = jax.random.bits(key, live.shape)
        action = pick(jax.vmap(game.legal_actions)(state), bits)
        return jax.vmap(stepping(game))(state, action), live

    first = jax.tree.map(lambda x: jnp.broadcast_to(x, (games, *x.shape)), game.init(KEY))
    keys = jax.random.split(jax.random.key(seed), 80)
    last, live = jax.jit(lambda states: jax.lax.scan(ply, states, keys))(first)
    assert np.asarray(last.terminated).all()
    return np.asarray(live).sum(0)


def openspiel_lengths(games, seed):
    spiel = pytest.importorskip("pyspiel").load_game("othello")
    rng = np.random.default_rng(seed)
    found = np.zeros(games)
    for n in range(games):
        state = spiel.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            found[n] += 1
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("games", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_games_are_as_long_as_those_of_openspiel(games):
    """Within four standard errors of the difference of the means."""
    ours, theirs = lengths(games, 3), openspiel_lengths(games, 4)
    error = np.hypot(ours.std(), theirs.std()) / np.sqrt(games)
    print(
        f"{games} games: {ours.mean():.3f}, OpenSpiel {theirs.mean():.3f}, standard error of the difference {error:.3f}"
    )
    assert abs(ours.mean() - theirs.mean()) < 4 * error


def test_drawings_of_engine_and_reference_agree_on_the_opening():
    game = GAME()
    assert discs(game.init(KEY)) == ({28, 35}, {27, 36})
    assert as_reference(game, game.init(KEY)) == reference.start()
