"""What programs for Othello see and do: against the plain reference of the tests, square by square."""

from functools import partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from envs.othello.primitives import TO_MOVE, Settings, outcome, primitive_set, view
from scipy import stats

import envs
from envs.othello import export
from jaxgp.export import export as analysis
from jaxgp.genotypes.text import parse_program, parse_tree
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.operators import draw
from jaxgp.run.assemble import playing
from tests.envs.othello.drawings import as_reference, read
from tests.envs.replays import FAST
from tests.genotypes.generators import unpacked
from tests.reference import othello as reference

MOVES = 40
"""More than there are in any position."""


def told_by(size, seed, count):
    """Return positions of random games, passes among them where they come."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        position = reference.start(size)
        stop = rng.integers(size**2 - 4)
        while stop and (legal := reference.moves(position)):
            position, stop = reference.play(position, legal[rng.integers(len(legal))]), stop - 1
        if not reference.over(position):
            found.append(position)
    return found


def positions(size, seed, count):
    """Return states of random games, and the same positions of the reference."""
    found, states = told_by(size, seed, count), []
    for position in found:
        mark = {seat: "XO"[seat] for seat in (0, 1)}
        text = "".join(mark.get(position.discs.get((x, y)), ".") for y in range(size) for x in range(size))
        states.append(read(text, position.seat)[1])
    return jax.tree.map(lambda *x: np.stack(x), *states), found


def try_all(game, settings, states):
    """Return how many choices there are, all outcomes: moves [N, MOVES] and features [N, MOVES, F]."""

    def one(state):
        return game.choices(state), jax.vmap(lambda place: outcome(game, settings, state, place))(np.arange(MOVES))

    count, (moves, seen) = jax.jit(jax.vmap(one), compiler_options=FAST)(states)
    return np.asarray(count), np.asarray(moves), np.asarray(seen)


def region(features, n, x, y):
    """Name the regions of a square, from how far it is from the sides of the board."""
    a, b = sorted((min(x, n - 1 - x), min(y, n - 1 - y)))
    corner, near, border = (a, b) == (0, 0), (a, b) in ((0, 1), (1, 1)), a == 0
    if features == "regions":
        return [f"{'abcde'[b]}{a + 1}"]
    if features == "original":
        return [""] + corner * ["corners"] + near * ["near_corners"] + border * ["edges"]
    return ["corners"] if corner else ["near"] if near else ["sides"] if border else ["ring"] if a == 1 else []


def seen_by(features, names, position, mover):
    """Return what a program sees of a position after a move of `mover`, by the names of the features."""
    counts = dict.fromkeys(names, 0)
    for (x, y), seat in position.discs.items():
        for name in region(features, position.n, x, y):
            counts["_".join(filter(None, ["own" if seat == mover else "other", name]))] += 1
    return [counts[name] for name in names]


@pytest.mark.parametrize(
    ("features", "size", "count"), [("original", 8, 40), ("regions", 8, 40), ("few", 8, 40), ("regions", 6, 20)]
)
def test_programs_see_what_the_reference_counts_after_each_move(features, size, count):
    game, settings = envs.make("othello", size=size), Settings(features=features)
    names = [p.name for p in primitive_set(game, settings).terminals if p.feature is not None]
    states, told = positions(size, 5, count)
    many, moves, seen = try_all(game, settings, states)
    for i, position in enumerate(told):
        legal = reference.moves(position)
        assert [reference.action(size, move) for move in legal] == moves[i, : many[i]].tolist()
        for move, found in zip(legal, seen[i], strict=False):
            assert found.tolist() == seen_by(features, names, reference.play(position, move), position.seat)


@pytest.mark.parametrize("features", ["original", "few"])
def test_a_view_is_what_was_seen_after_the_move_that_led_there(features):
    game, settings = envs.make("othello"), Settings(features=features)
    states = positions(8, 5, 40)[0]
    passing = read("XO" + "." * 62, to_move=1)[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, passing)
    _, moves, seen = try_all(game, settings, states)

    def after(state, moves):
        following = jax.vmap(lambda move: game.step(state, move))(moves)
        return jax.vmap(lambda s: view(game, settings, s))(following), following.terminated

    found, ended = jax.jit(jax.vmap(after), compiler_options=FAST)(states, moves)
    np.testing.assert_array_equal(found, seen)
    assert ended.any()


MAP = {
    6: "cCeeCc CX..XC e....e e....e CX..XC cCeeCc",
    8: "cCeeeeCc CX....XC e......e e......e e......e e......e CX....XC cCeeeeCc",
}
NAMED = {"Corner": "c", "CSquare": "C", "XSquare": "X", "Edge": "e"}


@pytest.mark.parametrize(
    ("features", "size", "count"),
    [("position", 6, 30), ("position_corners", 8, 30), ("position_regions", 6, 20), ("position_regions", 8, 30)],
)
def test_programs_see_positions_as_the_side_to_move_does(features, size, count):
    """Every terminal but the constants, on positions of the reference; one of them is a pass."""
    game, settings = envs.make("othello", size=size), Settings(features=features)
    primitives = primitive_set(game, settings)
    states, told = positions(size, 7, count)
    passing = read("XO" + "." * (size**2 - 2), to_move=1)[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, passing)
    told.append(as_reference(game, passing))
    packed = jax.jit(jax.vmap(lambda s: view(game, settings, s), out_axes=1), compiler_options=FAST)(states)
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


def test_the_typed_set_is_that_of_the_tables():
    """Signatures, and what each function makes of all truth values and of three numbers that the position decides."""
    game = envs.make("othello")
    primitives = primitive_set(game, Settings(features="position"))
    assert {p.name: (p.returns, p.args) for p in primitives.primitives} == {
        name: declared[:2] for name, declared in TABLES.items()
    }
    corners = primitive_set(game, Settings(features="position_corners"))
    more = {p.name for p in corners.primitives} - set(TABLES)
    assert more == {"FriendlyCornerCount", "EnemyCornerCount", "CornerCount"}
    regions = primitive_set(game, Settings(features="position_regions"))
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


def test_erc_and_factors_are_drawn_and_squares_are_those_of_the_board():
    primitives = primitive_set(envs.make("othello", size=6), Settings(features="position"))
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


def test_a_pass_is_a_choice():
    game, state = read("XO.." + "...." + "...." + "....", to_move=1)
    many, moves, seen = try_all(game, Settings(), jax.tree.map(lambda x: x[None], state))
    assert (many[0], moves[0, 0], seen[0, 0].tolist()) == (1, 16, [1, 1, 0, 1, 1, 1, 1, 0])


def test_the_original_set_has_thirteen_primitives():
    game = envs.make("othello")
    original = [p.name for p in primitive_set(game, Settings()).primitives]
    assert len(original) == 13
    assert original[-5:] == ["TEN", "+", "-", "*", "%"]
    regions = primitive_set(game, Settings(features="regions", noop_bits=2))
    assert regions.num_terminals == 2 * 10 + 1
    assert [p.name for p in regions.functions[4:]] == ["B0", "B1", "B00", "B01", "B10", "B11"]
    assert primitive_set(game, Settings(features="few")).num_terminals == 2 * 4 + 1


def test_sets_that_mean_different_things_have_different_versions():
    game, made = envs.make("othello"), set()
    for features in ("original", "regions", "few"):
        for weights in ("none", "path", "noops"):
            made.add(primitive_set(game, Settings(features=features, weights=weights, noop_bits=1)).version)
    made |= {primitive_set(game, Settings(features=name)).version for name in TO_MOVE}
    assert len(made) == 12


def test_sets_that_value_positions_value_no_moves():
    game, settings = envs.make("othello"), Settings(features="position")
    with pytest.raises(ValueError, match=r"program.features=position: values positions"):
        outcome(game, settings, game.init(), 0)
    primitives = primitive_set(game, settings)
    program = parse_program(primitives, "(IFT (IsFriendlyPiece [3,4]) Mobility:2 (NullJ PieceCount 1.5))", 16)
    equations = analysis.python(primitives, program, export.FEATURES)
    seen = np.arange(132.0)
    assert eval(equations.values[0], {"seen": seen}) == 2 * seen[131]
    assert eval(equations.values[0], {"seen": np.where(np.arange(132) == 64 + 26, 0, seen)}) == seen[130]
    assert r"\mathrm{Mobility} \cdot 2" in analysis.latex(primitives, program)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"features": "all"},
            "program.features=all: accepted: original, regions, few, position, position_corners, position_regions",
        ),
        (
            {"features": "position", "weights": "path"},
            "program.weights=path: accepted: none with program.features=position",
        ),
        (
            {"features": "position_corners", "noop_bits": 2},
            "program.noop_bits=2: accepted: 0 with program.features=position_corners",
        ),
        ({"weights": "depth"}, "program.weights=depth: accepted: none, path, noops"),
        ({"noop_bits": 3}, "program.noop_bits=3: accepted: a whole number from 0 to 2"),
        ({"noop_bits": 1.0}, "program.noop_bits=1.0: accepted: a whole number from 0 to 2"),
        (
            {"weights": "noops"},
            "program.noop_bits=0: accepted: a whole number from 1 to 2 with program.weights=noops",
        ),
    ],
)
def test_wrong_settings_say_what_is_accepted(options, message):
    with pytest.raises(ValueError, match="program") as found:
        Settings(**options)
    assert str(found.value) == message


TEXTS = [
    "own",
    "10",  # all moves are equal
    "(- other_corners own)",
    "(% own_edges (- own own))",
    "(- (* own (* own_near_corners 10)) (* other other_edges))",
    "(% (+ own_corners own_edges) (- other own_edges))",
    "(- HUGE HUGE)",  # no number, or zero
    "(- (- HUGE HUGE) other_edges)",
    "(* HUGE (- own own_edges))",  # infinities of both signs
]
HUGE = "own_edges"
for _ in range(7):
    HUGE = f"(* {HUGE} {HUGE})"


def plainly(text, sight):
    """Evaluate an expression in float32, step by step."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()

    def value(at):
        if words[at] != "(":
            return np.float32(sight[words[at]] if words[at] in sight else float(words[at])), at + 1
        a, after = value(at + 2)
        b, after = value(after)
        sign = words[at + 1]
        if sign == "%":
            return (np.float32(1) if b == 0 else a / b), after + 1
        return {"+": np.add, "-": np.subtract, "*": np.multiply}[sign](a, b), after + 1

    with np.errstate(all="ignore"):
        return value(0)[0]


def test_the_player_plays_what_one_by_one_evaluation_finds_best():
    """Many programs and games at once; ties and values that are no numbers among them."""
    game, module = envs.make("othello"), envs.module("othello", "primitives")
    language, player = playing(game, module, {})
    texts = [text.replace("HUGE", HUGE) for text in TEXTS]
    programs = [parse_program(language, text, 600) for text in texts]
    names = [p.name for p in language.terminals if p.feature is not None]
    states, told = positions(8, 9, 24)
    passing = read("XO" + "." * 62, to_move=1)[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, passing)
    told.append(as_reference(game, passing))
    active = np.arange(len(told)) != 3

    def act(programs, states):
        plans = player.prepare(programs)
        assert player.count(plans) == len(texts)
        rows = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(texts), *x.shape)), states)
        return player.act(
            plans, rows, np.zeros((len(texts), len(told)), np.uint32), np.broadcast_to(active, (len(texts), len(told)))
        )

    stacked = jax.tree.map(lambda *x: np.stack(x), *programs)
    moves, legal = jax.jit(act, compiler_options=FAST)(stacked, states)
    assert legal.all()
    richest = 0
    for j, position in enumerate(told):
        options = reference.moves(position)
        richest = max(richest, len(options))
        sights = [
            dict(zip(names, seen_by("original", names, after, position.seat), strict=True))
            for after in (reference.play(position, move) for move in options)
        ]
        for i, text in enumerate(texts):
            values = [plainly(text, sight) for sight in sights]
            worth = [-np.inf if np.isnan(v) else v for v in values]
            best = options[worth.index(max(worth))]
            if active[j]:
                assert int(moves[i, j]) == reference.action(8, best), (text, position)
    assert richest > 8  # more than are tried at a time


def exported(game, settings, program):
    """The text of a program's module, and the module."""
    primitives, module = primitive_set(game, settings), {}
    written = export.python(game, settings, analysis.python(primitives, program, export.FEATURES))
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
    (6, 2, "position_regions", ENDING),
    (4, 1, "original", "(- other_corners (* own_edges own))"),
    pytest.param(6, 2, "original", "(- other_corners (* own_edges own))", marks=pytest.mark.slow),
    pytest.param(6, 1, "position_regions", CHOICES, marks=pytest.mark.slow),
    pytest.param(8, 2, "position", SQUARES, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("size", "depth", "features", "text"), SEARCHED)
def test_an_exported_program_that_searches_plays_like_its_player(size, depth, features, text):
    """Whole numbers, which both reckon exactly; the last position is one move from the end."""
    game, settings = envs.make("othello", size=size), Settings(features=features, depth=depth)
    language, player = playing(game, envs.module("othello", "primitives"), settings)
    program = parse_program(language, text, 16)
    states, told = positions(size, 21, 12)
    ending = read("XO" + "." * (size**2 - 2))[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, ending)
    told.append(as_reference(game, ending))

    def act(program, states):
        plans = player.prepare(jax.tree.map(lambda x: x[None], program))
        return player.act(
            plans, jax.tree.map(lambda x: x[None], states), jnp.zeros((1, len(states.to_move)), jnp.uint32)
        )[0][0]

    moves = jax.jit(act, compiler_options=FAST)(program, states)
    _, module = exported(game, settings, program)
    played = [module["choose"](as_list(position)) for position in told]
    assert [size**2 if move is None else move for move in played] == moves.tolist()
    assert played[-1] == 2


def test_an_exported_program_plays_like_the_program():
    """Each leaf is divided by what its path says: own_corners by 1, own_edges by 3, other_edges by 2, other by 3."""
    game, settings = envs.make("othello"), Settings(weights="path", noop_bits=1)
    primitives = primitive_set(game, settings)
    text = "(- (+ own_corners (B1 own_edges)) (% other_edges other))"
    plain = "(- (+ own_corners (% own_edges 3)) (% (% other_edges 2) (% other 3)))"
    program = parse_program(primitives, text, 16)
    written, module = exported(game, settings, program)
    assert "seen[4] / 3" in written
    names = [p.name for p in primitives.terminals if p.feature is not None]
    assert module["choose"]([-1, 1] + 62 * [0]) is None
    for position in told_by(8, 11, 20):
        board = as_list(position)
        options = reference.moves(position)
        afters = [seen_by("original", names, reference.play(position, move), position.seat) for move in options]
        values = [plainly(plain, dict(zip(names, after, strict=True))) for after in afters]
        near = [options[i] for i in np.flatnonzero(np.isclose(values, max(values), atol=1e-5))]
        assert module["choose"](board) in [reference.action(8, move) for move in near if move != reference.PASS] or (
            options == [reference.PASS]
        )
    assert "own_edges / 3" in analysis.dot(primitives, program)
    assert "/ 3)" in analysis.latex(primitives, program)
