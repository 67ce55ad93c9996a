"""Programs at the leaves of a search: against the greedy player, and against plain minimax in Python."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.othello.leaves import Options, primitive_set
from envs.othello.roles import LEAF, MOVE
from jaxgp.genotypes.text import parse_program
from jaxgp.search.alphabeta import AlphaBeta, RootResult
from tests.envs.othello.drawings import as_reference
from tests.envs.replays import FAST, KEY
from tests.reference import othello as reference
from tests.reference.evaluator import evaluate_program
from tests.search.othello_positions import OTHELLO, othello_positions

POSITIONS = 40

HUGE = "own"
for _ in range(7):
    HUGE = f"(* {HUGE} {HUGE})"
VALUES_MOVES = ["own", "10", "(- other_corners own)", f"(- {HUGE} {HUGE})", "(% own_edges (- own own))"]
"""Plain ones, one with all moves equal, one that is no number or zero."""
VALUES_POSITIONS = [
    "PieceCount",
    "(Minus Mobility:2 FriendlyPieceCount)",
    "(IFT (IsFriendlyPiece [1,1]) 3.5 (Plus EnemyPieceCount:-1 (NullJ Mobility One)))",
    "(IFT (AND (IsEmptySquare [2,2]) (NOTG (LowerEqual PieceCount Zero) True)) Mobility -1.25)",
    "One",
]
CALLS = {
    "AND": np.logical_and,
    "NOTG": lambda a, b: ~a,
    "LowerEqual": np.less_equal,
    "IFT": np.where,
    "Minus": np.subtract,
    "Plus": np.add,
    "NullJ": lambda a, b: a,
    "IsEmptySquare": lambda seen, square: seen[square.astype(int), 0] != 0,
    "IsFriendlyPiece": lambda seen, square: seen[16 + square.astype(int), 0] != 0,
}


def stacked(primitives, texts, capacity=600):
    return jax.tree.map(lambda *x: np.stack(x), *[parse_program(primitives, text, capacity) for text in texts])


@cache
def positions():
    """The positions, which of their moves are legal, and which of these end the game: bool[M, A] each."""
    states = jax.device_get(jax.tree.map(lambda *x: jnp.stack(x), *othello_positions(POSITIONS)))

    def look(state):
        after = jax.vmap(lambda move: OTHELLO.step(state, move, KEY).terminated)(jnp.arange(OTHELLO.num_actions))
        legal = OTHELLO.legal_actions(state)
        return legal, legal & after

    return states, *map(np.asarray, jax.jit(jax.vmap(look), compiler_options=FAST)(states))


def acting(player, programs, active):
    """Return the moves [P, M] of programs in all of the positions."""
    states, _, _ = positions()

    def act(programs):
        plans = player.prepare(programs)
        rows = jax.tree.map(lambda x: jnp.broadcast_to(x, (player.count(plans), *x.shape)), states)
        return player.act(plans, rows, jnp.zeros(rows.to_move.shape, jnp.uint32), active)

    moves, legal = jax.jit(act, compiler_options=FAST)(programs)
    assert legal.all()
    return np.asarray(moves)[..., 0]


@pytest.mark.slow
def test_one_ply_deep_it_is_the_greedy_player():
    """An ended game counts by its result here and by its discs there, so that moves which end a game are left out."""
    moves = []
    for depth in (0, 1):
        course, player = MOVE.make(OTHELLO, MOVE.options(depth=depth))
        moves.append(acting(player, stacked(course, VALUES_MOVES), None))
    _, legal, ending = positions()
    compared = 0
    for at in range(POSITIONS):
        if legal[at].any() and not ending[at].any():
            np.testing.assert_array_equal(moves[0][:, at], moves[1][:, at])
            assert moves[0][1, at] == legal[at].argmax()
            compared += legal[at].sum() > 1
    assert compared > 10
    assert len({tuple(row) for row in moves[1].tolist()}) > 2


@cache
def language():
    return primitive_set(OTHELLO, Options(features="position"))


def sight(position):
    """What a program sees of a position, float32[F, 1]: each square empty or not, own or not, and numbers by name."""
    squares = [(x, y) for y in range(4) for x in range(4)]
    mine, theirs = (reference.count(position, seat) for seat in (position.seat, 1 - position.seat))
    legal = [move for move in reference.moves(position) if move != reference.PASS]
    numbers = {
        "FriendlyPieceCount": mine,
        "EnemyPieceCount": theirs,
        "PieceCount": mine - theirs,
        "Mobility": len(legal),
    }
    counted = {p.feature: numbers[p.name] for p in language().terminals if p.feature is not None}
    seen = np.zeros((max(counted) + 1, 1), np.float32)
    seen[:16, 0] = [at not in position.discs for at in squares]
    seen[16:32, 0] = [position.discs.get(at) == position.seat for at in squares]
    seen[list(counted), 0] = list(counted.values())
    return seen


@cache
def plain(program, at, depth):
    """Values of the legal moves by minimax, each line walked to its leaf and each leaf evaluated node by node."""
    tree = jax.tree.map(lambda x: np.asarray(x)[0], parse_program(language(), VALUES_POSITIONS[program], 64))

    def worth(position):
        """As seat 0 sees it; ended games are beyond all others."""
        if reference.over(position):
            return float(np.sign(reference.lead(position))) * 1e30
        said = evaluate_program(language(), CALLS, tree, sight(position))[0]
        return float(said) * (1 - 2 * position.seat)

    values = reference.move_values(as_reference(OTHELLO, othello_positions(POSITIONS)[at]), depth, worth)
    return {reference.action(4, move): value for move, value in values.items()}


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2, 3])
def test_moves_are_the_first_best_of_plain_minimax_by_the_program(depth):
    _, player = LEAF.make(OTHELLO, Options(depth=depth))
    active = np.random.default_rng(depth).random((len(VALUES_POSITIONS), POSITIONS)) < 0.5
    moves = acting(player, stacked(language(), VALUES_POSITIONS, 64), active)
    forced = ended = 0
    for program, at in np.ndindex(active.shape):
        state = othello_positions(POSITIONS)[at]
        ended += bool(state.terminated)
        if active[program, at] and not state.terminated:
            values = plain(program, at, depth)
            best = [move for move, value in values.items() if value == max(values.values())]
            assert moves[program, at] == best[0], (VALUES_POSITIONS[program], at)
            forced += len(values) == 1
    assert forced > 3
    assert ended > 3
    assert len({tuple(row) for row in moves.tolist()}) > 2


def test_only_where_there_is_a_choice_is_anything_searched(monkeypatch):
    """A search that finds nothing, which is told how many positions wait for it."""
    _, player = LEAF.make(OTHELLO, Options())
    asked = []

    def nothing(self, states, depth, count, contexts, whose):
        del states, contexts
        jax.debug.callback(lambda whose, count: asked.append(np.bincount(whose[:count]).tolist()), whose, count)
        values = jnp.full((*depth.shape, OTHELLO.num_actions), -jnp.inf)
        return RootResult(values, jnp.zeros(depth.shape, jnp.int32), jnp.int32(0))

    monkeypatch.setattr(AlphaBeta, "search", nothing)
    states, may, _ = positions()
    legal = [np.flatnonzero(moves) for moves in may]
    batch = jax.tree.map(lambda x: np.stack([x] * 2), states)
    active = np.stack([np.ones(POSITIONS, bool), np.arange(POSITIONS) < 10])
    programs, bits = stacked(language(), ["One", "Zero"], 64), np.zeros(active.shape, np.uint32)
    act = jax.jit(lambda programs, batch: player.act(player.prepare(programs), batch, bits, active)[0])
    moves = np.asarray(act(programs, batch))[..., 0]
    jax.effects_barrier()
    choice = np.array([len(moves) > 1 for moves in legal])
    assert asked == [[choice.sum(), choice[:10].sum()]]
    forced = [at for at, moves in enumerate(legal) if len(moves) == 1]
    assert 0 < len(forced) < POSITIONS
    assert any(legal[at][0] == OTHELLO.area for at in forced)  # a pass
    for at in forced:
        assert moves[:, at].tolist() == [legal[at][0]] * 2
