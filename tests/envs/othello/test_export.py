"""Programs for Othello as Python modules: they play as the players of the programs do."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.othello.roles import LEAF, MOVE
from jaxgp.export import export as analysis
from jaxgp.genotypes.text import parse_program
from tests.envs.othello.drawings import as_reference, read
from tests.envs.othello.sights import plainly, positions, seen_by, told_by
from tests.envs.replays import FAST
from tests.reference import othello as reference


def exported(game, role, options, program):
    """The text of a program's module, and the module."""
    language, module = role.make(game, options)[0], {}
    individual = analysis.Written(language, program, role.features)
    written = role.exports["python"](game, options, individual, "A player of Othello.")
    exec(written, module)
    return written, module


def as_list(position):
    """A board as exported modules take it: 1 for discs of the side to move."""
    board = [0] * position.n**2
    for (x, y), seat in position.discs.items():
        board[y * position.n + x] = 1 if seat == position.seat else -1
    return board


ENDING = "(IFT (LowerEqual EmptyCount 5) PieceCount (Plus XSquareCount:3 (Minus Mobility EdgeCount)))"
CHOICES = "(Plus EnemyMobility (Plus CSquareCount:4 (Minus FriendlyCornerCount Mobility:2)))"
SQUARES = "(IFT (AND (IsEmptySquare [3,3]) (IsFriendlyPiece [6,5])) Mobility EnemyPieceCount:2)"
SEARCHED = [
    (4, 2, "position_regions", ENDING.replace("EdgeCount", "CornerCount")),
    pytest.param(4, 1, "original", "(- other_corners (* own_edges own))", marks=pytest.mark.slow),
    pytest.param(6, 2, "position_regions", ENDING, marks=pytest.mark.slow),
    pytest.param(6, 2, "original", "(- other_corners (* own_edges own))", marks=pytest.mark.slow),
    pytest.param(6, 1, "position_regions", CHOICES, marks=pytest.mark.slow),
    pytest.param(8, 2, "position", SQUARES, marks=pytest.mark.slow),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "depth", "features", "text"), SEARCHED)
def test_an_exported_program_that_searches_plays_like_its_player(size, depth, features, text):
    """Whole numbers, which both reckon exactly; the last position is one move from the end."""
    game, role = envs.make("othello", size=size), LEAF if "position" in features else MOVE
    options = role.options(features=features, depth=depth)
    language, player = role.make(game, options)
    program = parse_program(language, text, 16)
    states, told = positions(size, 21, 12)
    ending = read("XO" + "." * (size**2 - 2))[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, ending)
    told.append(as_reference(game, ending))

    def act(program, states):
        plans = player.prepare(jax.tree.map(lambda x: x[None], program))
        return player.act(
            plans, jax.tree.map(lambda x: x[None], states), jnp.zeros((1, len(states.to_move)), jnp.uint32)
        )[0][0, :, 0]

    moves = jax.jit(act, compiler_options=FAST)(program, states)
    _, module = exported(game, role, options, program)
    played = [module["choose"](as_list(position)) for position in told]
    assert [size**2 if move is None else move for move in played] == moves.tolist()
    assert played[-1] == 2


def test_an_exported_program_plays_like_the_program():
    """Each leaf is divided by what its path says: own_corners by 1, own_edges by 3, other_edges by 2, other by 3."""
    game, options = envs.make("othello"), MOVE.options(weights="path", noop_bits=1)
    primitives = MOVE.make(game, options)[0]
    text = "(- (+ own_corners (B1 own_edges)) (% other_edges other))"
    plain = "(- (+ own_corners (% own_edges 3)) (% (% other_edges 2) (% other 3)))"
    program = parse_program(primitives, text, 16)
    written, module = exported(game, MOVE, options, program)
    assert "seen[4] / 3" in written
    names = [p.name for p in primitives.terminals if p.feature is not None]
    assert module["choose"]([-1, 1] + 62 * [0]) is None
    for position in told_by(8, 11, 20):
        board = as_list(position)
        legal = reference.moves(position)
        afters = [seen_by("original", names, reference.play(position, move), position.seat) for move in legal]
        values = [plainly(plain, dict(zip(names, after, strict=True))) for after in afters]
        near = [legal[i] for i in np.flatnonzero(np.isclose(values, max(values), atol=1e-5))]
        assert module["choose"](board) in [reference.action(8, move) for move in near if move != reference.PASS] or (
            legal == [reference.PASS]
        )
    assert "own_edges / 3" in analysis.dot(primitives, program)
    assert "/ 3)" in analysis.latex(primitives, program)
