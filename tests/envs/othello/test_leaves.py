"""What programs that value the leaves of searches in Othello see and do: against the plain reference of the tests."""

from functools import partial
from itertools import product

import jax
import numpy as np
import pytest
from scipy import stats

import envs
from envs.othello.leaves import Options, primitive_set, view
from jaxgp.export import export as analysis
from jaxgp.genotypes.text import parse_program
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.operators import draw
from tests.envs.othello.drawings import as_reference, read
from tests.envs.othello.sights import positions
from tests.envs.replays import FAST
from tests.genotypes.generators import unpacked
from tests.genotypes.program_cases import parse_tree
from tests.reference import othello as reference

MAP = {
    6: "cCeeCc CX..XC e....e e....e CX..XC cCeeCc",
    8: "cCeeeeCc CX....XC e......e e......e e......e e......e CX....XC cCeeeeCc",
}
NAMED = {"Corner": "c", "CSquare": "C", "XSquare": "X", "Edge": "e"}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("features", "size", "count"),
    [("position", 6, 30), ("position_corners", 8, 30), ("position_regions", 6, 20), ("position_regions", 8, 30)],
)
def test_programs_see_positions_as_the_side_to_move_does(features, size, count):
    """Every terminal but the constants, on positions of the reference; one of them is a pass."""
    game, options = envs.make("othello", size=size), Options(features=features)
    primitives = primitive_set(game, options)
    states, told = positions(size, 7, count)
    passing = read("XO" + "." * (size**2 - 2), to_move=1)[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, passing)
    told.append(as_reference(game, passing))
    packed = jax.jit(jax.vmap(lambda s: view(game, options, s), out_axes=1), compiler_options=FAST)(states)
    seen, room = unpacked(packed), 32 * game.words
    index = {p.name: p.feature for p in primitives.terminals if p.feature is not None}
    assert sorted(index.values()) == list(range(2 * room, len(seen)))
    rows = MAP[size].split()
    added = {"position": [], "position_corners": ["Corner"]}.get(features, list(NAMED))
    for i, position in enumerate(told):
        mine, theirs = (
            {at for at, seat in position.discs.items() if (seat == position.seat) == own} for own in (True, False)
        )
        legal = [move for move in reference.moves(position) if move != reference.PASS]
        expected = {
            "FriendlyPieceCount": len(mine),
            "EnemyPieceCount": len(theirs),
            "PieceCount": len(mine) - len(theirs),
            "Mobility": len(legal),
        }
        for name in added:
            own, other = (sum(rows[y][x] == NAMED[name] for x, y in side) for side in (mine, theirs))
            expected[f"{name}Count"] = own - other
            expected |= {f"Friendly{name}Count": own, f"Enemy{name}Count": other} if name == "Corner" else {}
        if features == "position_regions":
            expected["EnemyMobility"] = len(reference.placements(position, 1 - position.seat))
            expected["EmptyCount"] = size**2 - len(mine) - len(theirs)
        assert {name: seen[at, i] for name, at in index.items()} == expected
        squares = [(x, y) for y in range(size) for x in range(size)]
        assert seen[: size**2, i].tolist() == [at not in mine | theirs for at in squares]
        assert seen[room : room + size**2, i].tolist() == [at in mine for at in squares]
    assert seen[index["Mobility"], -1] == 0


TABLES = {  # of the book, 3.1 to 3.4, without kings and men: name -> type, types of arguments, and in Python
    "ERC": ("float", (), None),
    "False": ("bool", (), lambda: False),
    "One": ("float", (), lambda: 1),
    "True": ("bool", (), lambda: True),
    "Zero": ("float", (), lambda: 0),
    "EnemyPieceCount": ("float", (), None),
    "FriendlyPieceCount": ("float", (), None),
    "PieceCount": ("float", (), None),
    "Mobility": ("float", (), None),
    "IsEmptySquare": ("bool", (), None),
    "IsFriendlyPiece": ("bool", (), None),
    "AND": ("bool", ("bool", "bool"), lambda a, b: a and b),
    "LowerEqual": ("bool", ("float", "float"), lambda a, b: a <= b),
    "NAND": ("bool", ("bool", "bool"), lambda a, b: not (a and b)),
    "NOR": ("bool", ("bool", "bool"), lambda a, b: not (a or b)),
    "NOTG": ("bool", ("bool", "bool"), lambda a, b: not a),
    "OR": ("bool", ("bool", "bool"), lambda a, b: a or b),
    "IFT": ("float", ("bool", "float", "float"), lambda a, b, c: b if a else c),
    "Minus": ("float", ("float", "float"), lambda a, b: a - b),
    "MultERC": ("float", ("float",), lambda a: a),
    "NullJ": ("float", ("float", "float"), lambda a, b: a),
    "Plus": ("float", ("float", "float"), lambda a, b: a + b),
}


@pytest.mark.thorough
def test_the_typed_set_is_that_of_the_tables():
    """Signatures, and what each function makes of all truth values and of three numbers that the position decides."""
    game = envs.make("othello")
    primitives = primitive_set(game, Options(features="position"))
    assert {p.name: (p.returns, p.args) for p in primitives.primitives} == {
        name: declared[:2] for name, declared in TABLES.items()
    }
    corners = primitive_set(game, Options(features="position_corners"))
    more = {p.name for p in corners.primitives} - set(TABLES)
    assert more == {"FriendlyCornerCount", "EnemyCornerCount", "CornerCount"}
    regions = primitive_set(game, Options(features="position_regions"))
    further = {p.name for p in regions.primitives} - {p.name for p in corners.primitives}
    assert further == {"EnemyMobility", "EmptyCount", "CSquareCount", "XSquareCount", "EdgeCount"}
    seen = np.zeros((132, 1), np.float32)
    seen[[63, 128, 129, 130, 131], 0] = 1, 2, 3, 3, -7  # h8 is empty, and three counts
    known = {"Mobility": -7.0, "FriendlyPieceCount": 2.0, "EnemyPieceCount": 3.0}
    truths = {"(IsEmptySquare [8,8])": True, "(IsEmptySquare [1,8])": False}
    texts, expected, fixed = [], [], []
    for name, (returns, args, plainly) in TABLES.items():
        if plainly is None:
            continue
        for words in product(*(truths if kind == "bool" else known for kind in args)):
            text = f"({name} {' '.join(words)})" if args else name
            texts.append(text if returns == "float" else f"(IFT {text} One Zero)")
            expected.append(float(plainly(*((truths | known)[word] for word in words))))
            fixed.append(not args or name in ("NullJ", "MultERC"))
    trees = jax.tree.map(lambda *x: np.stack(x), *[parse_tree(primitives, text, 8) for text in texts])
    trees.value[trees.opcode == primitives.opcode("MultERC")] = 1
    plans = jax.jit(lambda trees: plan(primitives, trees), compiler_options=FAST)(trees)
    found = jax.jit(lambda plans: evaluate(primitives, plans, seen), compiler_options=FAST)(plans)
    assert found[:, 0].tolist() == expected
    assert (np.asarray(plans.steps)[fixed] == 0).all()  # truth values, the explicit intron, and a factor take no step
    assert (np.asarray(plans.steps)[np.logical_not(fixed)] > 0).all()


@pytest.mark.thorough
def test_erc_and_factors_are_drawn_and_squares_are_those_of_the_board():
    primitives = primitive_set(envs.make("othello", size=6), Options(features="position"))
    words = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32)
    draws = {
        name: np.asarray(jax.vmap(partial(draw.value, primitives=primitives, opcode=primitives.opcode(name)))(words))
        for name in ("ERC", "MultERC", "IsEmptySquare", "Plus", "Mobility", "AND")
    }
    for name in ("ERC", "MultERC"):
        assert -5 <= draws[name].min() < -4.99
        assert 4.99 < draws[name].max() < 5
        assert stats.kstest(draws[name], stats.uniform(-5, 10).cdf).pvalue > 0.001
    assert stats.chisquare(np.bincount(draws["IsEmptySquare"].astype(int), minlength=36)).pvalue > 0.001
    assert [set(draws[name]) for name in ("Plus", "Mobility", "AND")] == [{1}, {1}, {0}]


def test_a_program_that_values_positions_is_written_in_python_and_in_latex():
    primitives = primitive_set(envs.make("othello"), Options(features="position"))
    program = parse_program(primitives, "(IFT (IsFriendlyPiece [3,4]) Mobility:2 (NullJ PieceCount 1.5))", 16)
    equations = analysis.python(primitives, program, "seen")
    seen = np.arange(132.0)
    assert eval(equations.values[0], {"seen": seen}) == 2 * seen[131]
    assert eval(equations.values[0], {"seen": np.where(np.arange(132) == 64 + 26, 0, seen)}) == seen[130]
    assert r"\mathrm{Mobility} \cdot 2" in analysis.latex(primitives, program)
