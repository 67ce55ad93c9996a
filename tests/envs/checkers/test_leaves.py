"""What programs that value the leaves of searches in checkers see: against the plain reference of the tests."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envs
from envs import stgp
from envs.checkers.leaves import SQUARES, Options, dark_squares, kings_apart, primitive_set, view
from envs.checkers.roles import leaf
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.operators import draw
from tests.envs.checkers.drawings import as_state, read
from tests.envs.replays import FAST
from tests.genotypes.generators import unpacked
from tests.reference import checkers as reference

PLAIN = {"AND", "OR", "NAND", "NOR", "NOTG", "LowerEqual", "IFT", "Minus", "MultERC", "NullJ", "Plus"}
CONSTANTS = {"ERC", "False", "One", "True", "Zero", "KingFactor"}
COUNTS = {f"{side}{what}Count" for side in ("Enemy", "Friendly", "") for what in ("King", "Man", "Piece")}


@pytest.mark.parametrize(
    ("mobility", "more"), [("none", set()), ("own", {"Mobility"}), ("both", {"Mobility", "EnemyMobility"})]
)
def test_the_set_is_that_of_the_tables(mobility, more):
    primitives = primitive_set(envs.make("checkers"), Options(mobility=mobility))
    assert {p.name for p in primitives.functions} == PLAIN
    assert {p.name for p in primitives.terminals} == CONSTANTS | COUNTS | set(SQUARES) | more
    assert {p.name for p in primitives.terminals if p.returns == "bool"} == {"False", "True", *SQUARES}
    assert next(p for p in primitives.terminals if p.name == "KingFactor").fixed == 1.4


def test_a_program_sees_how_far_kings_are_from_each_other_if_wanted():
    assert "KingsApart" in {p.name for p in primitive_set(envs.make("checkers"), Options(apart=True)).terminals}
    game, state = read("""
        . W . .
        . . . .
        . W . w
        B . . .
    """)
    assert kings_apart(game, state) == 2  # 1 and 3 steps


def test_introns_can_be_left_out():
    primitives = primitive_set(envs.make("checkers"), Options(introns=False))
    assert {p.name for p in primitives.functions} == PLAIN - {"NullJ", "NOTG"}
    assert all(p.ignores == 0 for p in primitives.functions)


def random_positions(size, number, seed):
    rng, found = np.random.default_rng(seed), []
    while len(found) < number:
        position = reference.start(size, 3 if size > 6 else 2)
        for _ in range(rng.integers(2, 60)):
            moves = reference.moves(position)
            if not moves:
                break
            position = reference.play(position, moves[rng.integers(len(moves))])
        if not reference.over(position):
            found.append(position)
    return found


def turned(position, x, y):
    """Return column and row of a square, as the side to move counts them, on the board of the reference."""
    return (x, y) if position.seat == 0 else (position.n - 1 - x, position.n - 1 - y)


def friendly(position, piece):
    return piece.lower() == "bw"[position.seat]


def apart(position):
    """Return the mean of the steps between kings of both sides."""
    kings = {seat: [at for at, piece in position.pieces.items() if piece == seat] for seat in "BW"}
    steps = [max(abs(x - u), abs(y - v)) for x, y in kings["B"] for u, v in kings["W"]]
    return sum(steps) / max(len(steps), 1)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [6, 10])
def test_programs_see_positions_as_the_side_to_move_does(size):
    game = envs.make("checkers", size=size, rows=2 if size == 6 else 3)
    options = Options(mobility="both", apart=True)
    positions = random_positions(size, 30, seed=size)
    states = jax.tree.map(lambda *x: jnp.stack(x), *(as_state(game, position) for position in positions))
    packed = jax.jit(jax.vmap(lambda s: view(game, options, s), out_axes=1), compiler_options=FAST)(states)
    seen, room, squares = unpacked(packed), 32 * game.words, dark_squares(game)
    terminals = {p.name: p for p in primitive_set(game, options).terminals}
    for i, position in enumerate(positions):
        pieces = list(position.pieces.values())
        count = {
            f"{side}{what}": sum(friendly(position, p) == mine and p.isupper() == king for p in pieces)
            for side, mine in (("Friendly", True), ("Enemy", False))
            for what, king in (("King", True), ("Man", False))
        }
        count |= {f"{side}Piece": count[f"{side}Man"] + 1.4 * count[f"{side}King"] for side in ("Friendly", "Enemy")}
        count |= {what: count[f"Friendly{what}"] - count[f"Enemy{what}"] for what in ("King", "Man", "Piece")}
        for name, value in count.items():
            assert seen[terminals[f"{name}Count"].feature, i] == pytest.approx(value, abs=1e-5), name
        assert seen[terminals["Mobility"].feature, i] == len(reference.moves(position))
        assert seen[terminals["KingsApart"].feature, i] == pytest.approx(apart(position))
        for number in range(game.area):
            x, y = squares.point(number)
            piece = position.pieces.get(turned(position, x - 1, y - 1))
            asked = [piece is None, bool(piece) and friendly(position, piece), bool(piece) and piece.isupper()]
            asked.append(bool(piece) and piece.islower())
            assert [bool(seen[place * room + number, i]) for place in range(len(SQUARES))] == asked
    assert {position.seat for position in positions} == {0, 1}
    assert any(piece.isupper() for position in positions for piece in position.pieces.values())


def test_the_mobility_of_the_opponent_is_that_of_its_turn():
    game, state = read("""
        . w . w
        . . . .
        . . . .
        b . . .
    """)
    number = [p.feature for p in primitive_set(game, Options(mobility="both")).terminals if p.name == "EnemyMobility"]
    seen = unpacked(jax.tree.map(lambda x: x[:, None], view(game, Options(mobility="both"), state)))
    assert seen[number, 0] == 3


@pytest.mark.thorough
def test_squares_are_drawn_uniformly_among_the_dark_ones_and_are_written_by_column_and_row():
    game = envs.make("checkers")
    primitives, squares = primitive_set(game, Options()), dark_squares(game)
    assert [squares.point(n) for n in (0, 3, 4, 31)] == [(1, 1), (7, 1), (2, 2), (8, 8)]
    beyond = (1, 2), (9, 9), (0, 0)
    assert [squares.number(x, y) for x, y in ((1, 1), (2, 2), (8, 8), *beyond)] == [0, 4, 31, None, None, None]
    words = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32)
    drawn = jax.vmap(partial(draw.value, primitives=primitives, opcode=primitives.opcode("IsKingPiece")))(words)
    assert stats.chisquare(np.bincount(np.asarray(drawn).astype(int), minlength=32)).pvalue > 0.001
    text = "(IFT (IsManPiece [2,2]) KingFactor Mobility)"
    assert print_program(primitives, parse_program(primitives, text, 8)) == text
    with pytest.raises(ValueError, match=r"expected a dark square from \[1,1\] to \[8,8\]"):
        parse_program(primitives, "(IFT (IsManPiece [1,2]) One Zero)", 8)


TEN = "(PROGRAM Mobility FriendlyManCount EnemyManCount 2 10 20 KingCount One 30 Plus:2)".replace(
    "Plus:2", "(Plus:2 EnemyManCount 5)"
)
"""Mobility <= my men: (enemy men <= 2: 10, else 20); else (kings <= 1: 30, else 2 (enemy men + 5))."""


CASES = [  # mobility, my men, enemy men, kings, and the value
    (3, 4, 2, 0, 10),
    (3, 4, 3, 9, 20),
    (5, 4, 2, 1, 30),
    (5, 4, 3, 2, 16),
]


@pytest.mark.thorough
def test_ten_trees_stand_below_a_preset_top():
    language, player = leaf(envs.make("checkers", size=6, rows=2), Options(trees="ten"))
    assert player.top == stgp.TEN_TREES
    program = parse_program(language, TEN, 8)
    features = {p.name: p.feature for p in language.terminals if p.feature is not None}
    seen = np.zeros((max(features.values()) + 1, len(CASES)), np.float32)
    names = ("Mobility", "FriendlyManCount", "EnemyManCount", "KingCount")
    seen[[features[name] for name in names]] = np.array(CASES).T[:4]
    plans = jax.jit(player.prepare, compiler_options=FAST)(jax.tree.map(lambda x: x[None], program))
    found = jax.jit(partial(evaluate, language), compiler_options=FAST)(plans, seen)
    assert found.tolist() == [[case[-1] for case in CASES]]
