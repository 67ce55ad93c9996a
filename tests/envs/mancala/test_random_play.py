"""Random games: what never changes, how they end, and equality with OpenSpiel move by move."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from tests.envs.replays import KEY, replay

GAMES = 1024
MOST = 140
"""Sowings of a random game; far more than any that was seen."""


@pytest.fixture(scope="module")
def random_games():
    """Uniformly random games of the standard board, all states [GAMES, MOST + 1] and the actions played."""
    game = envs.make("mancala")

    def one(key):
        def ply(state, key):
            legal = game.legal_actions(state)
            action = jnp.argmax(jnp.where(legal, jax.random.uniform(key, legal.shape), -1.0)).astype(jnp.int32)
            after = game.step(state, action, KEY)
            return after, (after, action)

        first = game.init(KEY)
        _, (states, actions) = jax.lax.scan(ply, first, jax.random.split(key, MOST))
        return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, states), actions

    play = jax.jit(lambda key: jax.vmap(one)(jax.random.split(key, GAMES)))
    return jax.tree.map(np.asarray, play(jax.random.key(0)))


def test_no_stone_is_lost(random_games):
    states, _ = random_games
    assert (states.board.sum(-1, dtype=np.int32) == 48).all()
    assert (states.board >= 0).all()


def test_stores_never_shrink(random_games):
    states, _ = random_games
    game = envs.make("mancala")
    score = np.asarray(jax.jit(jax.vmap(jax.vmap(game.score)))(states))
    assert (np.diff(score, axis=1) >= 0).all()


def test_all_games_end_with_empty_pits_and_the_result_follows_the_stores(random_games):
    states, _ = random_games
    assert states.terminated[:, -1].all()
    ended = states.board[states.terminated]
    assert not ended[:, [*range(6), *range(7, 13)]].any()
    lead = ended[:, 6].astype(int) - ended[:, 13]
    by_seat = np.where(states.to_move[states.terminated] == 0, lead, -lead)
    assert np.array_equal(states.returns[states.terminated], np.stack([np.sign(by_seat), -np.sign(by_seat)], 1))


def test_no_live_position_has_an_empty_side(random_games):
    states, _ = random_games
    live = states.board[~states.terminated]
    assert live[:, :6].any(1).all()
    assert live[:, 7:13].any(1).all()


def test_keys_are_equal_for_equal_boards_only(random_games):
    states, _ = random_games
    boards = states.board[:128].reshape(-1, 14)
    keys = np.asarray(
        jax.jit(jax.vmap(lambda s: envs.make("mancala").key(s)))(
            jax.tree.map(lambda x: x[:128].reshape(-1, *x.shape[2:]), states)
        )
    )
    _, of_board = np.unique(boards, axis=0, return_inverse=True)
    _, of_key = np.unique(keys, axis=0, return_inverse=True)
    pairs = np.unique(np.stack([of_board.ravel(), of_key.ravel()]), axis=1)
    assert pairs.shape[1] == of_board.max() + 1 == of_key.max() + 1


def test_random_play_has_the_known_statistics(random_games):
    """The first player wins 48.5 % of uniformly random games and 6.2 % are drawn (20,000 games of another program).

    Bounds are five standard errors of a proportion from this many games.
    """
    states, _ = random_games
    first = states.returns[:, -1, 0]
    error = 5 * np.sqrt(0.25 / GAMES)
    assert abs((first > 0).mean() - 0.485) < error
    assert abs((first == 0).mean() - 0.062) < error / 2
    length = (~states.terminated).sum(1)
    assert abs(length.mean() - 43.8) < 5 * length.std() / np.sqrt(GAMES)


def openspiel_games(plies, seed):
    """Random games of OpenSpiel until `plies` actions are played.

    Returns:
        Per game: actions by pit, boards from the mover's side, legal pits, movers, winner's sign for seat 0.
    """
    spiel = pytest.importorskip("pyspiel").load_game("mancala")
    rng = np.random.default_rng(seed)
    games, played = [], 0
    while played < plies:
        state, actions, boards, legals, movers = spiel.new_initial_state(), [], [], [], []
        while not state.is_terminal():
            mover, legal = state.current_player(), state.legal_actions()
            # Cell 7 is the store of player 0 and cell 0 that of player 1; pits are 1 to 6 and 8 to 13.
            boards.append(state.observation_tensor(0)[:14])
            movers.append(mover)
            legals.append(legal)
            actions.append(legal[int(rng.random() * len(legal))])
            state.apply_action(actions[-1])
        boards.append(state.observation_tensor(0)[:14])
        games.append((actions, boards, legals, movers, state.returns()[0]))
        played += len(actions)
    return games


def check_against_openspiel(plies, seed):
    """Compare boards, movers, legal pits, ends and winners of random games; return how many plies were compared."""
    game = envs.make("mancala")
    games = openspiel_games(plies, seed)
    pits = np.zeros((len(games), max(len(g[0]) for g in games)), np.int32)
    for row, (actions, *_) in zip(pits, games, strict=True):
        row[: len(actions)] = [a - 1 if a < 7 else a - 8 for a in actions]
    states, legal = jax.tree.map(np.asarray, replay(game)(pits))
    for n, (actions, boards, legals, movers, result) in enumerate(games):
        count = len(actions)
        theirs = np.array(boards, np.int32)
        from_seat_0 = np.roll(theirs, -1, 1)
        seen = np.where(np.array(movers)[:, None] == 0, from_seat_0[:-1], np.roll(from_seat_0[:-1], -7, 1))
        assert np.array_equal(states.board[n, :count], seen)
        assert np.array_equal(states.to_move[n, :count], movers)
        first = np.where(np.array(movers) == 0, 1, 8)
        expected = [[pit + base in row for pit in range(6)] for row, base in zip(legals, first, strict=True)]
        assert np.array_equal(legal[n, :count], expected)
        assert not states.terminated[n, :count].any()
        assert states.terminated[n, count]
        # OpenSpiel leaves the last stones where they lie; we credit them to the owner of the pit.
        final = from_seat_0[-1]
        score = np.asarray(states.board[n, count], np.int32)[[6, 13] if states.to_move[n, count] == 0 else [13, 6]]
        assert score.tolist() == [final[:7].sum(), final[7:].sum()]
        assert states.returns[n, count].tolist() == [result, -result]
    return sum(len(g[0]) for g in games)


@pytest.mark.thorough
def test_random_games_equal_openspiel():
    assert check_against_openspiel(4_000, seed=1) >= 4_000


@pytest.mark.slow
def test_many_random_games_equal_openspiel():
    assert check_against_openspiel(200_000, seed=2) >= 200_000
