"""Programs for checkers as Python modules: they play as the players of the programs do."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.checkers.roles import LEAF
from jaxgp.export import export
from jaxgp.genotypes.text import parse_program
from tests.envs.checkers.drawings import as_state
from tests.envs.replays import FAST
from tests.reference import checkers as reference

WHOLE = "(Minus (Plus ManCount:2 (IFT (IsManPiece [2,2]) KingCount:3 Mobility)) EnemyMobility:4)"
FAR = "(Plus (Minus (Plus ManCount:2 (IFT (IsManPiece [2,2]) KingCount:3 Mobility)) EnemyMobility:4) KingsApart:0.3)"
SQUARES = "(IFT (AND (IsEmptySquare [3,3]) (IsFriendlyPiece [6,4])) EnemyPieceCount (NullJ FriendlyManCount:-2 One))"
TREES = (
    "(Minus Mobility KingFactor)",
    "FriendlyManCount",
    "EnemyKingCount",
    "KingCount",
    "ManCount",
    "(MultERC:-2 ManCount)",
    "PieceCount",
    "Mobility",
    "(IFT (IsKingPiece [1,1]) KingFactor PieceCount:-3)",
    "(Plus One EnemyManCount)",
)


def positions(settings, count):
    """Positions of random games of the reference, in progress; every second one in the middle of a turn if possible."""
    rng, found, held = np.random.default_rng(3), [], []
    while len(found) < count:
        position = reference.start(settings.get("size", 8), settings.get("rows", 3), lose=settings.get("lose", False))
        stop = rng.integers(40)
        while stop and (legal := reference.moves(position)):
            position, stop = reference.play(position, legal[rng.integers(len(legal))]), stop - 1
            if position.held is not None:
                held.append(position)
        if not reference.over(position):
            found.append(held.pop() if held and len(found) % 2 else position)
    assert {position.seat for position in found} == {0, 1}
    assert any(position.held for position in found)
    return found


def as_board(game, position):
    """A board as exported modules take it."""
    board = [0] * game.area
    for (column, row), piece in position.pieces.items():
        board[game.square(row, column)] = {"b": 1, "B": 2, "w": -1, "W": -2}[piece]
    return board


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("settings", "options", "texts"),
    [
        ({"size": 6, "rows": 2, "lose": True}, {"depth": 2, "mobility": "both", "apart": True}, [FAR]),
        pytest.param({"lose": True}, {"depth": 3, "mobility": "both"}, [WHOLE], marks=pytest.mark.slow),
        pytest.param({"size": 10}, {"depth": 2}, [SQUARES], marks=pytest.mark.slow),
        pytest.param({"size": 6}, {"depth": 1, "trees": "ten"}, TREES, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_an_exported_program_plays_like_its_player(settings, options, texts):
    game, options = envs.make("checkers", **{"rows": 2} | settings), LEAF.options(**options)
    language, player = LEAF.make(game, options)
    text = texts[0] if len(texts) == 1 else f"(PROGRAM {' '.join(texts)})"
    program = parse_program(language, text, 32)
    told = positions({"rows": 2} | settings, 24)
    states = jax.tree.map(lambda *x: jnp.stack(x), *(as_state(game, position) for position in told))

    def act(program, states):
        plans = player.prepare(jax.tree.map(lambda x: x[None], program))
        bits = jnp.zeros((1, len(states.to_move)), jnp.uint32)
        return player.act(plans, jax.tree.map(lambda x: x[None], states), bits)[0][0, :, 0]

    moves = jax.jit(act, compiler_options=FAST)(program, states)
    module = {}
    exec(LEAF.exports["python"](game, options, export.Written(language, program, LEAF.features), "A player"), module)
    for position, action in zip(told, moves.tolist(), strict=True):
        held = None if position.held is None else game.square(position.held[1], position.held[0])
        start, end = module["choose"](as_board(game, position), position.seat, held, position.quiet)
        places = [game.place(square)[::-1] for square in (start, end)]
        assert reference.action(game.size, tuple(places)) == action


def test_an_exported_player_has_no_move_after_the_end():
    game, options = envs.make("checkers"), LEAF.options()
    language = LEAF.make(game, options)[0]
    program = parse_program(language, "ManCount", 32)
    individual, module = export.Written(language, program, LEAF.features), {}
    written = LEAF.exports["python"](game, options, individual, 'He said "a\\b"')
    exec(written, module)
    assert module["choose"]([0] * 31 + [-1]) is None
    assert max(map(len, written.splitlines())) <= 120
