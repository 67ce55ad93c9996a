"""Exports say the same as the program: Python is run against the engine, the others are parsed."""

import re
from functools import cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mancala import export as kalah_export
from envs.mancala.primitives import Options, decide, features, primitive_set
from jaxgp.export import export
from jaxgp.genotypes.primitives import FLOAT, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.interpreter.evaluate import evaluate_programs
from tests.envs.replays import KEY

GAME = envs.make("mancala")
CHAMPIONS = Path(__file__).parents[2] / "docs" / "data" / "mancala_printed.txt"
POSITIONS = 1_000
FUNCTIONS = (("ADD", 2), ("SUB", 2), ("VALUE_AT", 1), ("IF_<_DO_ELSE_", 4))


def study_champions():
    return [line for line in CHAMPIONS.read_text().splitlines() if line.startswith("(")]


@cache
def positions(seed=0):
    """Positions [POSITIONS] of random games, all in progress."""

    def one(key):
        def ply(state, key):
            legal = GAME.legal_actions(state)
            action = jnp.argmax(jnp.where(legal, jax.random.uniform(key, legal.shape), -1.0)).astype(jnp.int32)
            return GAME.step(state, action, KEY), state

        return jax.lax.scan(ply, GAME.init(KEY), jax.random.split(key, 60))[1]

    states = jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(seed), POSITIONS // 20))
    states = jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), states)
    live = np.flatnonzero(~states.terminated)
    assert len(live) >= POSITIONS
    chosen = np.random.default_rng(seed).choice(live, POSITIONS, replace=False)
    return jax.tree.map(lambda x: x[chosen], states)


@cache
def engine(settings):
    """Compile: a program, and states -> the engine's move in each, -1 where it forfeits."""
    primitives = primitive_set(GAME, settings)

    @jax.jit
    def moves(program, states):
        seen = jax.vmap(lambda state: features(GAME, settings, state))(states)
        values = evaluate_programs(primitives, jax.tree.map(lambda x: x[None], program), seen.T[None])[0]
        move, legal = jax.vmap(lambda state, value: decide(GAME, settings, state, value))(states, values.T)
        return jnp.where(legal, move, -1)

    return moves


def engine_moves(settings, program):
    return np.asarray(engine(settings)(program, positions())).tolist()


def exported_moves(settings, program):
    """Run the exported text, in a namespace that holds nothing else."""
    written = export.Written(primitive_set(GAME, settings), program, "cells")
    namespace = {}
    exec(compile(kalah_export.python(GAME, settings, written), "exported", "exec"), namespace)
    states = positions()
    boards, seats = states.board.tolist(), states.to_move.tolist()
    if settings.view == "absolute":
        return [namespace["choose"](board, seat) for board, seat in zip(boards, seats, strict=True)]
    return [namespace["choose"](board) for board in boards]


@pytest.mark.few(1)
@pytest.mark.parametrize("number", [0, 1])
def test_python_of_the_study_champions_moves_like_the_engine(number):
    program = parse_program(primitive_set(GAME, Options()), study_champions()[number], 100)
    moves = exported_moves(Options(), program)
    assert moves == engine_moves(Options(), program)
    assert len(set(moves)) > 3


def random_text(rng, depth):
    """A program whose every branch is `depth` deep."""
    if depth == 0:
        return str(rng.integers(14))
    name, arity = FUNCTIONS[rng.choice(4, p=(0.25, 0.25, 0.4, 0.1))]
    return f"({name} {' '.join(random_text(rng, depth - 1) for _ in range(arity))})"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "settings",
    [
        Options("absolute", "modulo", "next_nonempty"),
        pytest.param(Options("own", "zero", "next_legal"), marks=pytest.mark.slow),
        pytest.param(Options("absolute", "clamp", "forfeit"), marks=pytest.mark.slow),
        pytest.param(Options("own", "clamp", "forfeit"), marks=pytest.mark.slow),
        pytest.param(Options("absolute", "zero", "forfeit"), marks=pytest.mark.slow),
        pytest.param(Options("absolute", "clamp", "next_legal"), marks=pytest.mark.slow),
    ],
    ids=lambda s: f"{s.view}-{s.value_at_out_of_range}-{s.move}",
)
def test_python_moves_like_the_engine_under_every_setting(settings):
    primitives = primitive_set(GAME, settings)
    rng = np.random.default_rng(len(settings.move + settings.view))
    text = f"(ADD {random_text(rng, 7)} (SUB {random_text(rng, 7)} {random_text(rng, 7)}))"
    program = parse_program(primitives, text, text.count(" ") + 1)
    assert program.length[0] > 60
    assert exported_moves(settings, program) == engine_moves(settings, program)


def deep(levels):
    text = "(ADD 1 (VALUE_AT (SUB 9 " * levels + "3" + ")))" * levels
    return parse_program(primitive_set(GAME, Options()), text, 5 * levels + 1)


@pytest.mark.thorough
def test_python_of_a_program_deeper_than_pythons_parser_runs():
    program = deep(600)
    assert exported_moves(Options(), program) == engine_moves(Options(), program)


def test_lines_stay_narrow_and_equal_parts_share_a_name():
    primitives = primitive_set(GAME, Options())
    part = "(ADD " * 6 + "1" + " (VALUE_AT 2))" * 6
    program = parse_program(primitives, f"(SUB (ADD {part} {part}) {part})", 200)
    equations = export.python(primitives, program)
    assert len(set(equations.lines)) == len(equations.lines) == len({text for _, text in equations.lines})
    assert max(len(text) for _, text in equations.lines) < 120
    assert re.fullmatch(r"\(t(\d+) \+ t\1\) - t\1", equations.values[0])
    assert max(len(text) for _, text in export.python(primitives, deep(600)).lines) < 120


SMALL = PrimitiveSet(
    name="small",
    terminals=(
        Primitive("x_1", feature=1),
        Primitive("real", domain=Floats(-2, 2)),
        Primitive('man"piece', domain=Integers(0, 3), call=lambda f, n: f[0] + n, python="({features}[0] + {value})"),
    ),
    functions=(
        Primitive("twice", args=(FLOAT,), call=lambda a: a + a, python="({0} + {0})"),
        Primitive("50%_of", args=(FLOAT,), call=lambda a: a / 2),
    ),
    roots=(FLOAT, FLOAT),
)


def test_what_has_no_template_gets_a_form_from_its_kind():
    program = parse_program(SMALL, '(PROGRAM x_1 (twice (man"piece 2)))', 3)
    assert export.python(SMALL, program, "f").values == ["f[1]", "(f[0] + 2) + (f[0] + 2)"]
    with pytest.raises(export.ExportError, match=r"^the primitive 50%_of has no Python form$"):
        export.python(SMALL, parse_program(SMALL, "(PROGRAM (50%_of 1) 1)", 2))


SCALED = PrimitiveSet(
    name="scaled",
    terminals=(
        Primitive("x", feature=0),
        Primitive("real", domain=Floats(-2, 2)),
        Primitive("one", fixed=1.0, python="1.0"),
    ),
    functions=(
        Primitive("add", args=(FLOAT, FLOAT), call=np.add, python="({0} + {1})", latex="({0} + {1})"),
        Primitive("null", args=(FLOAT, FLOAT), call=lambda a, b: a, picks=2, python="{0}"),
    ),
    factored=True,
)


def test_factors_multiply_what_is_written():
    long = "(add " * 30 + "x" + " x)" * 30
    program = parse_program(SCALED, f"(add:-2 (null:0.5 x:3 {long}) (add one:4 7))", 100)
    equations = export.python(SCALED, program, "f")
    assert equations.values == ["((((f[0] * 3) * 0.5) + ((1.0 * 4) + 7)) * (-2))"[1:-1]]
    assert eval(equations.values[0], {"f": [5.0]}) == -2 * (7.5 + 11)
    assert r"\cdot (-2)" in export.latex(SCALED, program)
    text = export.dot(SCALED, program)
    assert [name in text for name in ('"add:-2"', '"null:0.5"', '"x:3"', '"x"', '"7"')] == [True] * 5


def test_an_argument_that_is_written_twice_does_not_double_the_text():
    program = parse_program(SMALL, f"(PROGRAM {'(twice ' * 40}-1.5{')' * 40} 0)", 41)
    equations = export.python(SMALL, program)
    namespace = {}
    exec("\n".join(f"{name} = {text}" for name, text in equations.lines), namespace)
    assert eval(equations.values[0], namespace) == -1.5 * 2**40
    assert len(equations.lines) == 39


def test_sexpr_reads_back():
    primitives = primitive_set(GAME, Options())
    for text in study_champions():
        program = parse_program(primitives, text, 100)
        again = parse_program(primitives, export.sexpr(primitives, program), 100)
        assert print_program(primitives, again) == text


def test_dot_has_every_node_and_its_edges_in_order():
    primitives = primitive_set(GAME, Options())
    text = export.dot(primitives, parse_program(primitives, "(IF_<_DO_ELSE_ 1 (VALUE_AT 2) 3 4)", 9), title='say "hi"')
    assert text.startswith("digraph program {\n")
    assert text.endswith("}\n")
    assert r'label="say \"hi\"";' in text
    names = dict(re.findall(r'(t0n\d+) \[label="([^"]*)"', text))
    edges = [(names[a], names[b]) for a, b in re.findall(r"(t0n\d+) -> (t0n\d+);", text)]
    head = "IF_<_DO_ELSE_"
    assert edges == [("VALUE_AT", "2"), (head, "1"), (head, "VALUE_AT"), (head, "3"), (head, "4")]


def test_dot_escapes_names_and_keeps_trees_apart():
    text = export.dot(SMALL, parse_program(SMALL, '(PROGRAM (twice (man"piece 2)) x_1)', 3))
    assert r'label="man\"piece 2"' in text
    assert "t1n0" in text
    for line in text.splitlines()[1:-1]:
        assert re.fullmatch(
            r'  (\w+=\w+;|node \[.*\];|t\dn\d+ \[label="(\\.|[^"\\])*"(, fillcolor="#\w+")?\];|t\dn\d+ -> t\dn\d+;)',
            line,
        )


def rows(text):
    """Return the right-hand sides of an `align*`."""
    lines = text.splitlines()
    assert (lines[0], lines[-1]) == (r"\begin{align*}", r"\end{align*}")
    return [line.removesuffix(r" \\").split(" &= ")[1] for line in lines[1:-1]]


@pytest.mark.few(2)
@pytest.mark.parametrize("program", [*study_champions(), "7", None], ids=["first", "second", "one node", "deep"])
def test_latex_is_mathematics(program):
    from matplotlib.mathtext import MathTextParser

    primitives = primitive_set(GAME, Options())
    parsed = deep(40) if program is None else parse_program(primitives, program, 100)
    for row in rows(export.latex(primitives, parsed, "b")):
        MathTextParser("path").parse(f"${row}$")


def test_latex_escapes_names():
    program = parse_program(SMALL, '(PROGRAM (50%_of x_1) (man"piece 2))', 3)
    assert rows(export.latex(SMALL, program)) == [r"\mathrm{50\%\_of}(x_{1})", '\\mathrm{man"piece}(2)']


def test_host_and_device_arrays_are_written_alike():
    primitives = primitive_set(GAME, Options())
    program = parse_program(primitives, study_champions()[0], 100)
    device = Programs(*(jnp.asarray(x) for x in (program.opcode, program.value, program.size, program.length)))
    for write in (export.sexpr, export.dot, export.latex, export.python):
        assert write(primitives, device) == write(primitives, program)


def test_a_title_is_no_code_in_any_notation():
    program = parse_program(primitive_set(GAME, Options()), "3", 4)
    title = 'x"""\nraise SystemExit\n\0\x1b[31m\\'
    written = export.Written(primitive_set(GAME, Options()), program, "cells")
    namespace = {}
    exec(kalah_export.python(GAME, Options(), written, title), namespace)
    assert namespace["__doc__"].startswith("x''' raise SystemExit \ufffd\ufffd[31m\\\n")
    drawn = export.dot(primitive_set(GAME, Options()), program, title)
    assert 'label="x\\"\\"\\"\\nraise SystemExit\\n\ufffd\ufffd[31m\\\\";' in drawn
