"""Primitive sets, small programs and checks that the tests of the operators share."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

import envs
from envs.mancala.primitives import Options, primitive_set
from jaxgp.genotypes import programs
from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from tests.genotypes.program_cases import problems

MANCALA = primitive_set(envs.make("mancala"), Options())  # INT weighs 14, each of the four functions 1
BUSHY = primitive_set(envs.make("mancala"), Options(constants_weight=2.0))  # grows until the room ends


def _unused(*_):
    raise AssertionError("operators never evaluate a program")


# Two trees of different types, a type set, parametrised terminals, and a type without terminals whose shallowest
# tree (wide: depth 1, 6 nodes) is not its smallest (narrow: depth 2, 3 nodes).
TYPED = PrimitiveSet(
    name="typed",
    terminals=(
        Primitive("x", feature=0),
        Primitive("half", domain=Floats(0.0, 0.5)),
        Primitive("cell", domain=Integers(2, 4), call=_unused),
        Primitive("flag", BOOL, feature=1),
        Primitive("held", BOOL, domain=Integers(0, 7), call=_unused),
    ),
    functions=(
        Primitive("add", args=(FLOAT, FLOAT), call=_unused, weight=2.0),
        Primitive("sub", args=(FLOAT, FLOAT), call=_unused),
        Primitive("if", args=(BOOL, FLOAT, FLOAT), call=_unused),
        Primitive("less", BOOL, (FLOAT, FLOAT), call=_unused),
        Primitive("same", BOOL, ("any", "any"), call=_unused),
        Primitive("not", BOOL, (BOOL,), call=_unused),
        Primitive("narrow", "goal", ("goal_core",), call=_unused),
        Primitive("core", "goal_core", (BOOL,), call=_unused),
        Primitive("wide", "goal", (BOOL, FLOAT, FLOAT, FLOAT, "any"), call=_unused),
        Primitive("both", "goal", ("goal", "goal"), call=_unused),
    ),
    roots=(FLOAT, "goal"),
    type_sets=(("any", (FLOAT, BOOL)),),
)


def tree(primitives, text, capacity=16):
    """Parse postfix words, `name` or `name:value`, into a tree [L]."""
    opcode, value, size = np.zeros(capacity, np.int16), np.zeros(capacity, np.float32), np.zeros(capacity, np.int16)
    stack = []
    for i, word in enumerate(text.split()):
        name, _, number = word.partition(":")
        opcode[i], value[i] = primitives.opcode(name), float(number or 0)
        arity = primitives.primitives[opcode[i]].arity
        size[i] = 1 + sum(stack[len(stack) - arity :])
        stack = [*stack[: len(stack) - arity], size[i]]
    assert len(stack) == 1
    return Programs(opcode, value, size, np.int32(len(text.split())))


def stacked(entries):
    """Stack trees or individuals, on the host where they are there: nothing is compiled for it."""

    def stack(*fields):
        traced = any(isinstance(field, jax.core.Tracer) for field in fields)
        return jnp.stack(fields) if traced else jnp.asarray(np.stack(fields))

    return jax.tree.map(stack, *entries)


def copied(one, count):
    """Return a population [count, ...] of copies of an individual."""
    return jax.tree.map(lambda field: jnp.asarray(np.broadcast_to(field, (count, *field.shape))), one)


def individual(*trees):
    """Stack trees [L] into an individual [T, L]."""
    return stacked(trees)


def words(primitives, one):
    """Print a tree [L] as postfix words."""
    codes, values = np.asarray(one.opcode), np.asarray(one.value)
    drawn = [primitives.primitives[codes[i]].domain is not None for i in range(int(one.length))]
    names = [primitives.primitives[codes[i]].name for i in range(int(one.length))]
    return " ".join(f"{name}:{values[i]:g}" if drawn[i] else name for i, name in enumerate(names))


def lane(batch, *index):
    """Return one entry of a batch, on the host."""
    return jax.tree.map(lambda field: np.asarray(field)[index], batch)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True))


def quick(function):
    """Jit with less optimisation: where a test runs little, compiling is most of its time."""
    return jax.jit(function, compiler_options={"xla_backend_optimization_level": 0})


depths = quick(lambda batch: jax.vmap(jax.vmap(programs.depth))(batch))


def assert_valid(primitives, population, max_depth=None):
    """Check every tree of a population [P, T, L]."""
    host = jax.tree.map(np.asarray, population)
    for p in range(host.length.shape[0]):
        for t, root_type in enumerate(primitives.root_type):
            assert problems(primitives, lane(host, p, t), int(root_type)) == []
    if max_depth is not None:
        assert int(np.max(depths(population))) <= max_depth


CAPACITY, MAX_DEPTH, BATCH = 24, 5, 48
RAMPED = CreationOptions(method="ramped", min_depth=2, max_depth=MAX_DEPTH)

typed_population = quick(lambda key: create(key, TYPED, RAMPED, BATCH, CAPACITY))


def assert_distribution(observed, expected, least=25_000):
    """Chi-square test of counts against probabilities; impossible outcomes must not occur."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    assert observed.sum() >= least
    assert observed[expected == 0].sum() == 0
    possible = expected > 0
    wanted = expected[possible] / expected.sum() * observed.sum()
    assert stats.chisquare(observed[possible], wanted).pvalue > 0.001
