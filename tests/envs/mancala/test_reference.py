"""The rules against an independent reference that sows stone by stone, and against published counts and values."""

import dataclasses
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envs
from tests.envs.replays import KEY, stepping
from tests.reference import kalah

VARIANTS = [
    kalah.Rules(capture, extra_turn, ends, ("owner", "opponent", "nobody")[(n + m) % 3])
    for n, capture in enumerate(("opposite", "always", "never"))
    for m, (extra_turn, ends) in enumerate([(True, "either"), (True, "mover"), (False, "either"), (False, "mover")])
]
"""Every pair of settings occurs in one of the twelve."""
SIZES = [(6, 4), (1, 3), (2, 5), (3, 15), (15, 4)]
FEW = VARIANTS[::5]
"""Every value of every setting occurs in one of the three."""
CHUNK = 1024


@cache
def engine(pits, stones, rules=kalah.STANDARD):
    """The game, and its step from boards of any stones: (board [N, cells], mover [N], action [N]) -> State."""
    game = envs.make("mancala", pits=pits, stones=stones, **rules._asdict())
    start = game.init(KEY)

    def step(board, mover, action):
        return game.step(dataclasses.replace(start, board=board, to_move=mover), action, KEY)

    return game, jax.jit(jax.vmap(step))


def cells(position):
    """A reference position as the engine's board: the mover's side first."""
    board, mover = position
    return [*board[mover], *board[1 - mover]]


def random_position(draw, pits, total):
    """Any division of at most `total` stones among the cells, the mover having something to sow."""
    cuts = sorted(draw(st.lists(st.integers(0, total), min_size=2 * pits + 2, max_size=2 * pits + 2)))
    parts = [b - a for a, b in zip([0, *cuts], cuts, strict=False)]
    parts = draw(st.permutations(parts))
    sides = tuple(parts[: pits + 1]), tuple(parts[pits + 1 :])
    mover = draw(st.integers(0, 1))
    if not any(sides[mover][:-1]):
        side = (1, *sides[mover][1:])
        sides = (side, sides[1]) if mover == 0 else (sides[0], side)
    return sides, mover


@given(data=st.data(), case=st.sampled_from([*zip(FEW, [(6, 4), (3, 15), (1, 3)], strict=True)]))
@settings(max_examples=100, deadline=None)
def test_closed_form_sowing_equals_sowing_stone_by_stone(data, case):
    """From any board: most of them hold long laps and could hardly be met in play."""
    check_sowing(data, *case)


@pytest.mark.slow
@given(data=st.data(), case=st.sampled_from([(rules, SIZES[n % len(SIZES)]) for n, rules in enumerate(VARIANTS)]))
@settings(max_examples=300, deadline=None)
def test_closed_form_sowing_equals_sowing_stone_by_stone_by_all_rules_on_all_boards(data, case):
    check_sowing(data, *case)


def check_sowing(data, rules, size):
    pits, stones = size
    game, step = engine(pits, stones, rules)
    position = random_position(data.draw, pits, game.total - 1)
    pit = data.draw(st.sampled_from([n for n, held in enumerate(position[0][position[1]][:-1]) if held]))
    expected = kalah.play(position, pit, rules)
    board = np.array([cells(position)], game.init(KEY).board.dtype)
    state = step(board, np.array([position[1]], np.int32), np.array([pit], np.int32))
    assert state.to_move[0] == expected[1]
    assert state.board[0].tolist() == cells(expected)
    ended = not any(expected[0][0][:-1]) and not any(expected[0][1][:-1])
    assert state.terminated[0] == ended
    lead = kalah.lead(expected)
    assert state.returns[0].tolist() == ([np.sign(lead), -np.sign(lead)] if ended else [0, 0])


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "rules",
    [*FEW, *(pytest.param(rules, marks=pytest.mark.slow) for rules in VARIANTS[::2] if rules not in FEW)],
    ids=lambda rules: "-".join(map(str, rules)),
)
def test_whole_random_games_equal_the_reference(rules):
    """Long enough for the stores to fill: positions that only occur late, and the end itself."""
    game, _ = engine(6, 4, rules)
    step, legal = jax.jit(stepping(game)), jax.jit(game.legal_actions)
    rng = np.random.default_rng(3)
    for _ in range(4):
        state, position = game.init(KEY), kalah.start()
        for _ in range(200):
            moves = kalah.moves(position, rules)
            assert np.flatnonzero(legal(state)).tolist() == moves
            if not moves:
                break
            pit = int(rng.choice(moves))
            state, position = step(state, jnp.int32(pit)), kalah.play(position, pit, rules)
            assert state.board.tolist() == cells(position)
            assert game.score(state).tolist() == [position[0][0][-1], position[0][1][-1]]


def perft(game, depth):
    """Leaves at each depth; one sowing is one ply, and a finished game stays one leaf."""

    def expand(state):
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)
        return game.legal_actions(state), jax.vmap(stepping(game), (None, 0))(state, actions)

    # Fixed chunks, so that one compiled program serves every depth.
    expand = jax.jit(jax.vmap(expand))
    states = jax.tree.map(lambda x: np.asarray(x)[None], game.init(KEY))
    ended, leaves = 0, []
    for _ in range(depth):
        parts = []
        count = len(states.to_move)
        for first in range(0, count, CHUNK):
            rows = np.minimum(np.arange(first, first + CHUNK), count - 1)
            legal, after = jax.tree.map(np.asarray, expand(jax.tree.map(lambda x, r=rows: x[r], states)))
            legal = legal & (np.arange(first, first + CHUNK) < count)[:, None]
            parts.append(jax.tree.map(lambda x, m=legal: x[m], after))
        states = jax.tree.map(lambda *x: np.concatenate(x), *parts)
        leaves.append(ended + len(states.to_move))
        ended += int(states.terminated.sum())
        states = jax.tree.map(lambda x, m=~states.terminated: x[m], states)
    return leaves


@pytest.mark.parametrize("depth", [6, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("capture", "leaves"),
    [
        ("opposite", [6, 35, 185, 942, 4690, 23233, 114430, 563055]),
        ("always", [6, 35, 185, 942, 4685, 23169, 113959, 559885]),
    ],
)
def test_perft(capture, leaves, depth):
    """Number of lines of 1 to 8 sowings; the standard rule's first seven were also counted with OpenSpiel."""
    assert perft(envs.make("mancala", capture=capture), depth) == leaves[:depth]


@pytest.mark.parametrize(
    ("pits", "outcomes"), [(1, "DLWLWD"), (2, "WLLLWW"), (3, "DWWW"), (4, "WW"), (5, "D"), (6, "W")]
)
def test_small_boards_have_their_published_outcome(pits, outcomes):
    """Outcome for the first player with 1, 2, ... stones a pit.

    G. Irving, J. Donkers, J. Uiterwijk, "Solving Kalah", ICGA Journal 23(3), 2000; they capture always.
    """
    rules = kalah.Rules(capture="always")
    values = [kalah.solve(kalah.start(pits, stones), rules) for stones in range(1, len(outcomes) + 1)]
    assert "".join("LDW"[1 + np.sign(value)] for value in values) == outcomes


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("pits", "stones", "standard", "always"),
    [
        *((6, 1, 2, 2), (4, 2, 6, 6), (5, 2, 2, 0), (3, 4, 2, 2)),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ((4, 3, 6, 8), (6, 2, 6, 10))),
    ],
)
def test_solved_margins(pits, stones, standard, always):
    """Margin of the first player under best play, counted with two further programs."""
    assert kalah.solve(kalah.start(pits, stones)) == standard
    assert kalah.solve(kalah.start(pits, stones), kalah.Rules(capture="always")) == always


def every_position(game):
    """All positions that can be reached, found with the engine alone.

    Returns:
        Score and end of each, and the edges (parent, child), with whether the mover stays the same.
    """

    def expand(state):
        after = jax.vmap(stepping(game), (None, 0))(state, jnp.arange(game.num_actions, dtype=jnp.int32))
        return game.legal_actions(state), after, jax.vmap(game.key)(after), jax.vmap(game.score)(after)

    expand = jax.jit(jax.vmap(expand))
    start = game.init(KEY)
    number = {(0, np.asarray(game.key(start)).tobytes()): 0}
    leads, edges = [0.0], []
    wave, names = jax.tree.map(lambda x: np.asarray(x)[None], start), [0]
    while len(names):
        rows = np.minimum(np.arange(-(-len(names) // 256) * 256), len(names) - 1)  # few shapes, few compilations
        legal, after, keys, scores = jax.tree.map(np.asarray, expand(jax.tree.map(lambda x, r=rows: x[r], wave)))
        fresh = []
        for row, action in zip(*np.nonzero(legal[: len(names)]), strict=True):
            name = (int(after.to_move[row, action]), keys[row, action].tobytes())
            if name not in number:
                number[name] = len(number)
                leads.append(float(scores[row, action, 0] - scores[row, action, 1]))
                fresh.append((row, action, number[name]))
            edges.append((names[row], number[name], int(wave.to_move[row])))
        names = [n for _, _, n in fresh]
        if fresh:
            at = tuple(np.array([(row, action) for row, action, _ in fresh]).T)
            wave = jax.tree.map(lambda x, a=at: x[a], after)
    return np.array(leads), np.array(edges)


def best_play(leads, edges):
    """Value of the first position, as seat 0 sees it: relax minimax over the whole graph until nothing changes."""
    value = np.where(np.isin(np.arange(len(leads)), edges[:, 0]), np.nan, leads)
    parent, child, mover = edges.T
    for _ in range(len(leads)):
        highest, lowest = np.full(len(leads), -np.inf), np.full(len(leads), np.inf)
        with np.errstate(invalid="ignore"):  # NaN is a value that is not known yet, and spreads
            np.maximum.at(highest, parent, value[child])
            np.minimum.at(lowest, parent, value[child])
        new = value.copy()
        new[parent] = np.where(mover == 0, highest[parent], lowest[parent])
        if np.array_equal(new, value, equal_nan=True):
            break
        value = new
    return value[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("pits", "stones", "capture"),
    [
        pytest.param(1, 6, "always", marks=pytest.mark.slow),
        (2, 3, "opposite"),
        pytest.param(2, 3, "never", marks=pytest.mark.slow),
        pytest.param(3, 2, "always", marks=pytest.mark.slow),
    ],
)
def test_the_whole_game_graph_of_the_engine_has_the_same_value(pits, stones, capture):
    game = envs.make("mancala", pits=pits, stones=stones, capture=capture)
    assert best_play(*every_position(game)) == kalah.solve(kalah.start(pits, stones), kalah.Rules(capture=capture))
