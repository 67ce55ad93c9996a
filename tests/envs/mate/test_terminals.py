"""What programs see of boards against python-chess, on both sides' turns, and a position for each value."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

chess = pytest.importorskip("chess")

from envs.chess.board import fen  # noqa: E402
from envs.mate import terminals  # noqa: E402
from envs.mate.rules import Mate  # noqa: E402
from tests.envs.mate.twin import Rules  # noqa: E402

GAME = Mate()
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "5K2/8/2qk4/2nPp3/3r4/6B1/B7/3R4 w - e6 0 1",
    "8/3q4/1k6/8/3Q4/2R5/5K2/4n3 b - - 0 1",
    "rnb2k1r/pp1Pbppp/2p5/q7/2B5/8/PPPQNnPP/RNB1K2R w KQ - 3 9",
    "3k4/8/3KP3/8/1q6/5N2/6B1/1R6 w - - 0 1",
)


@jax.jit
def show(before, actions):
    after = jax.vmap(GAME.advance)(before, actions)
    looks = jax.vmap(GAME.look)(after)
    wanted = jnp.ones(len(terminals.SEEN), bool)
    return jax.vmap(terminals.view(2), (0, 0, 0, 0, None))(before, actions, after, looks, wanted)


def played(count, seed=0):
    """Return boards on the way of random games, with a move from each, and the colour of a solver."""
    generator, found = random.Random(seed), []
    while len(found) < count:
        board = chess.Board(generator.choice(STARTS))
        for _ in range(generator.randrange(1, 60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            checks = [move for move in moves if board.gives_check(move)]
            move = generator.choice(checks if checks and generator.random() < 0.4 else moves)
            found.append((board.copy(stack=False), move, generator.random() < 0.5))
            board.push(move)
    return found[:count]


def check(cases):
    states, actions = [], []
    for board, move, solver in cases:
        position = fen.parse(board.fen())
        state = GAME.position(position, 5)
        seat = 0 if board.turn == solver else 1
        states.append(state.replace(rest=np.uint32(int(state.rest) | seat << 9)))
        actions.append(fen.move(position, move.uci()))
    # In blocks of one size: one program is compiled.
    size, seen = len(HAND), []
    for first in range(0, len(states), size):
        stacked = jax.tree.map(lambda *x: jnp.asarray(np.stack(x)), *states[first : first + size])
        seen.extend(np.asarray(show(stacked, jnp.asarray(actions[first : first + size], jnp.int32))))
    for row, (board, move, solver) in zip(seen, cases, strict=True):
        rules, after = Rules(solver), board.copy(stack=False)
        after.push(move)
        mine = rules.mine(after)
        expected = []
        for name in terminals.SEEN:
            other_side_only = (name in terminals.HIDDEN and name != "HasCheck") or name == "IsNextMoveForced"
            expected.append(0 if mine and other_side_only else float(rules.see(name, board, move, after)))
        wrong = {n: (a, b) for n, a, b in zip(terminals.SEEN, row, expected, strict=True) if a != b}
        assert not wrong, (board.fen(), move, solver, after.fen(), wrong)
    return seen


@pytest.mark.thorough
def test_terminals_agree_with_their_twins():
    check(played(len(HAND) * 6))


@pytest.mark.slow
def test_terminals_agree_with_their_twins_on_50_000_boards():
    for seed in range(100):
        check(played(len(HAND) * 12, seed))


ROOK = "4k3/8/8/8/8/8/8/R3K3"
HAND = [
    ("IsCheck", ROOK, "a1a8", 1),
    ("IsCheck", ROOK, "a1a7", 0),
    ("OppKingProximityToEdges", ROOK, "a1a7", 3),
    ("OppKingProximityToEdges", "8/8/8/4k3/8/8/8/R3K3", "a1a2", 0),
    ("NumOppPiecesAttacked", "4k3/4p3/8/8/8/8/8/R3K3", "a1a7", 1),
    ("NumOppPiecesAttacked", "4k3/4p3/8/8/8/8/8/R3K3", "a1a6", 0),
    ("IsCheckFork", "2q3k1/8/8/3N4/8/8/8/4K3", "d5e7", 1),
    ("IsCheckFork", "2q3k1/8/8/3N4/8/8/8/4K3", "d5f6", 0),
    ("NumNotMovesOppKing", "k7/8/1K6/8/8/8/8/7R", "h1h2", 7),
    ("NumNotMovesOppKing", "8/8/8/4k3/8/8/8/R3K3", "a1b1", 0),
    ("NumNotMovesOppBigger", ROOK, "a1a7", 1),
    ("NumNotMovesOppBigger", ROOK, "a1b1", 0),
    ("IsOppKingProtectingPiece", "4k3/4p3/8/8/8/8/8/R3K3", "a1a2", 1),
    ("IsOppKingProtectingPiece", "4k3/8/4p3/8/8/8/8/R3K3", "a1a2", 0),
    ("EvaluateMaterial", "4k3/4p3/8/8/8/8/8/R3K3", "a1a2", 4),
    ("IsMaterialChange", "4k3/8/8/8/8/p7/8/R3K3", "a1a3", 1),
    ("IsMaterialChange", "4k3/8/8/8/8/p7/8/R3K3", "a1a2", 0),
    ("IsOppKingStuck", "k7/8/1QK5/8/8/8/8/8", "c6c5", 1),
    ("IsOppKingStuck", ROOK, "a1a7", 0),
    ("IsOppPiecePinned", "4k3/4n3/8/8/8/8/8/R5K1", "a1e1", 1),
    ("IsOppPiecePinned", "4k3/4n3/8/8/8/8/8/R5K1", "a1b1", 0),
    ("IsPinCloseToKing", "4k3/4n3/8/8/8/8/8/R5K1", "a1e1", 1),
    ("IsPinCloseToKing", "4k3/8/8/8/4n3/8/8/R5K1", "a1e1", 0),
    ("IsNextMoveForced", "7k/8/5K2/8/8/8/8/R7", "a1g1", 1),
    ("IsNextMoveForced", "7k/8/5K2/8/8/8/8/R7", "a1a2", 0),
    ("IsNextMoveForcedWithKing", "7k/8/5K2/8/8/8/8/R7", "a1g1", 1),
    ("IsNextMoveForcedWithKing", "7k/p7/5K2/8/8/8/8/R7", "a1g1", 0),
    ("NumMyPiecesCanCheck", "4k3/8/8/8/8/8/8/R3KN2", "a1a2", 1),
    ("NumMyPiecesCanCheck", "4k3/8/8/8/8/8/8/4K3", "e1e2", 0),
    ("NumMyPiecesCanCheck", "3k4/8/4P3/8/8/8/8/4K3", "e6e7", 1),
    ("DidNumAttackingKingIncrease", ROOK, "a1a7", 1),
    ("DidNumAttackingKingIncrease", ROOK, "a1a2", 0),
    ("IsDiscoveredCheck", "4k3/8/8/8/4N3/8/8/K3R3", "e4c3", 1),
    ("IsDiscoveredCheck", ROOK, "a1a8", 0),
    ("IsDiscoveredProtectedCheck", "4k3/8/8/8/4N3/8/8/3KR3", "e4c3", 1),
    ("IsDiscoveredProtectedCheck", "4k3/8/8/8/4N3/8/8/K3R3", "e4c3", 0),
    ("CapturesClose", "4k3/4p3/8/8/8/8/8/4R1K1", "e1e7", 1),
    ("CapturesClose", "4k3/8/8/8/4p3/8/8/4R1K1", "e1e4", 0),
    ("PinsClose", "4k3/4n3/8/8/8/8/8/R5K1", "a1e1", 1),
    ("PinsClose", "4k3/4n3/8/8/8/8/8/4R1K1", "e1e2", 0),
    ("AttacksKing", ROOK, "a1a7", 1),
    ("AttacksKing", ROOK, "a1a2", 0),
    ("ClearsWay", "4k3/8/8/8/8/8/N7/R3K3", "a2c3", 1),
    ("ClearsWay", ROOK, "e1e2", 0),
    ("SuicideCheck", ROOK, "a1a8", 0),
    ("SuicideCheck", "4k3/8/8/8/8/8/8/3QK3", "d1d7", 1),
]


def test_terminals_on_positions_by_hand():
    cases = [(chess.Board(f"{text} w - - 0 1"), chess.Move.from_uci(move), True) for _, text, move, _ in HAND]
    for row, (name, text, move, expected) in zip(check(cases), HAND, strict=True):
        assert row[terminals.SEEN.index(name)] == expected, (name, text, move)
    hand = {name: {value for one, *_, value in HAND if one == name} for name, *_ in HAND}
    assert set(hand) >= {*terminals.SEEN} - {"HasCheck", "KingMustMove"}
