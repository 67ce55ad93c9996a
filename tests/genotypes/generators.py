"""Random programs on the host, primitive sets for tests, and Hypothesis strategies over them."""

from dataclasses import replace
from functools import lru_cache

import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Points, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs


def _add(a, b):
    return a + b


ARITHMETIC = PrimitiveSet(
    name="arithmetic",
    terminals=(
        *(Primitive(f"x{i}", feature=i) for i in range(8)),
        Primitive("const", domain=Floats(-1.0, 1.0)),
    ),
    functions=(
        Primitive("+", args=(FLOAT, FLOAT), call=_add),
        Primitive("-", args=(FLOAT, FLOAT), call=lambda a, b: a - b),
        Primitive("*", args=(FLOAT, FLOAT), call=lambda a, b: a * b),
        Primitive("max", args=(FLOAT, FLOAT), call=jnp.maximum),
    ),
)

MIXED = PrimitiveSet(
    name="mixed",
    terminals=(
        Primitive("x", feature=0),
        Primitive("y", feature=2),
        Primitive("flag", BOOL, feature=3),
        Primitive("const", domain=Floats(-2.5, 2.5)),
        Primitive("truth", BOOL, domain=Integers(0, 1)),
        Primitive("cell", domain=Integers(0, 5), call=lambda f, n: jnp.where(n < 2, f[0], f[1]) + n),
        Primitive("above", BOOL, domain=Floats(-3, 3), call=lambda f, n: f[1] > n),
    ),
    functions=(
        Primitive("neg", args=(FLOAT,), call=lambda a: -a),
        Primitive("sub", args=(FLOAT, FLOAT), call=lambda a, b: a - b),
        Primitive("less", BOOL, (FLOAT, FLOAT), lambda a, b: a < b),
        Primitive("and", BOOL, (BOOL, BOOL), lambda a, b: a & b),
        Primitive("not", BOOL, (BOOL,), lambda a: ~a),
        Primitive("if", args=(BOOL, FLOAT, FLOAT), call=jnp.where),
        Primitive("same", BOOL, ("query", "query"), lambda a, b: a == b),
        Primitive(
            "lift",
            args=(FLOAT, "query", BOOL),
            reads_features=True,
            call=lambda f, a, q, b: jnp.maximum(f[1], a) + q - b,
        ),
        Primitive("mid", args=(FLOAT, FLOAT, FLOAT, FLOAT), call=lambda a, b, c, d: jnp.maximum(a - b, c - d)),
    ),
    roots=(FLOAT, BOOL, "query"),
    type_sets=(("query", (FLOAT, BOOL)),),
)

# Factors, with whatever folding may do to a subtree.
FACTORED = PrimitiveSet(
    name="factored",
    terminals=(
        Primitive("x", feature=7),
        Primitive("flag", BOOL, feature=8),
        Primitive("const", domain=Floats(-5.0, 5.0)),
        Primitive("no", BOOL, fixed=0.0),
        Primitive("yes", BOOL, fixed=1.0),
        Primitive("one", fixed=1.0),
        Primitive("zero", fixed=0.0),
        Primitive("square", BOOL, domain=Points(0, 5, 1, 1, 3), reads_one=7, call=lambda f, n: _entry(f, 1 + n)),
        Primitive("above", BOOL, domain=Floats(-3, 3), call=lambda f, n: f[7] > n),
    ),
    functions=(
        Primitive("add", args=(FLOAT, FLOAT), call=_add),
        Primitive("sub", args=(FLOAT, FLOAT), call=lambda a, b: a - b),
        Primitive("less", BOOL, (FLOAT, FLOAT), lambda a, b: a < b),
        Primitive("and", BOOL, (BOOL, BOOL), lambda a, b: a & b),
        Primitive("not", BOOL, (BOOL, BOOL), lambda a, b: ~a, ignores=1),
        Primitive("if", args=(BOOL, FLOAT, FLOAT), call=jnp.where, picks=2),
        Primitive("times", args=(FLOAT,), call=lambda a: a, picks=1, domain=Floats(-5.0, 5.0)),
        Primitive("null", args=(FLOAT, FLOAT), call=lambda a, b: a, picks=2),
        Primitive("read", args=(FLOAT,), reads_features=True, reads_one=6, call=lambda f, n: _entry(f, n % 6)),
        Primitive("lift", args=(FLOAT, BOOL), reads_features=True, call=lambda f, a, b: jnp.maximum(f[7], a) - b),
        Primitive("mid", args=(FLOAT, FLOAT, FLOAT, FLOAT), call=lambda a, b, c, d: jnp.maximum(a - b, c - d)),
    ),
    factored=True,
)

# The same without what gathers features, which neither C++ nor a kernel knows.
NUMBERED = replace(
    FACTORED,
    name="numbered",
    terminals=tuple(p for p in FACTORED.terminals if p.name != "square"),
    functions=tuple(p for p in FACTORED.functions if p.name != "read"),
)

# The same with a word of truth values before the numbers; functions read numbers.
PACKED = replace(
    NUMBERED,
    name="packed",
    terminals=(Primitive("x", feature=32 + 7), Primitive("flag", BOOL, feature=3), *NUMBERED.terminals[2:]),
)


def _entry(features, place):
    """Return the feature at a place, a whole number or what it is rounded down to, of each position."""
    return jnp.asarray(features)[place.astype(jnp.int32), jnp.arange(features.shape[1])]


# The same functions in NumPy, for the reference evaluator.
NUMPY_CALLS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "max": np.maximum,
    "cell": lambda f, n: np.where(n < 2, f[0], f[1]) + n,
    "above": lambda f, n: f[1] > n,
    "neg": np.negative,
    "half": lambda a: a / np.float32(2),
    "sub": np.subtract,
    "less": np.less,
    "and": np.logical_and,
    "not": np.logical_not,
    "if": np.where,
    "same": np.equal,
    "lift": lambda f, a, q, b: np.maximum(f[1], a) + q - b,
    "mid": lambda a, b, c, d: np.maximum(a - b, c - d),
}
FACTORED_CALLS = NUMPY_CALLS | {
    "square": lambda f, n: f[1 + n.astype(int), np.arange(len(n))],
    "above": lambda f, n: f[7] > n,
    "add": np.add,
    "not": lambda a, b: ~a,
    "times": lambda a: a,
    "null": lambda a, b: a,
    "read": lambda f, n: f[np.mod(n, np.float32(6)).astype(int), np.arange(len(n))],
    "lift": lambda f, a, b: np.maximum(f[7], a) - b,
}


@lru_cache
def least_trees(primitives):
    """Return two dictionaries by type: depth and size of the least tree. All types grow a level at a time."""
    depth, size = {}, {}
    for _ in primitives.types:
        for slot, kind in enumerate(primitives.types):
            for p in primitives.primitives:
                if primitives.accepts[slot, primitives.types.index(p.returns)] and all(a in depth for a in p.args):
                    deep = 1 + max(depth[a] for a in p.args) if p.args else 0
                    depth[kind] = min(depth.get(kind, deep), deep)
                    large = 1 + sum(size[a] for a in p.args)
                    size[kind] = min(size.get(kind, large), large)
    return depth, size


@lru_cache
def candidates(primitives):
    """For each type: the least size, then (opcode, least size, argument types) of fitting functions and terminals."""
    rows, size = [], least_trees(primitives)[1]
    for slot, kind in enumerate(primitives.types):
        fits = [
            (code, 1 + sum(size[a] for a in p.args), [primitives.types.index(a) for a in p.args])
            for code, p in enumerate(primitives.primitives)
            if primitives.fills[slot, code] and all(a in size for a in p.args)
        ]
        rows.append((size.get(kind), [f for f in fits if f[2]], [f for f in fits if not f[2]]))
    return rows


def random_nodes(rng, primitives, root_type, budget, stop=0.15):
    """Return [(opcode, value)] in postfix order: a random typed tree of at most about `budget` nodes.

    Grown from the root by an explicit list of open slots; a slot takes a random fitting primitive whose smallest
    completion still fits the budget. `stop` is how often a terminal is preferred.
    """
    table = candidates(primitives)
    prefix, open_slots, owed = [], [root_type], table[root_type][0]
    while open_slots:
        least, functions, terminals = table[open_slots.pop()]
        owed -= least
        room = max(budget - len(prefix) - owed, least)
        inner = [f for f in functions if f[1] <= room]
        pool = inner if inner and (not terminals or rng.random() > stop) else terminals or inner
        code, _, args = pool[int(rng.random() * len(pool))]
        factor = bool(primitives.factors[code]) and rng.choice([1.0, np.float32(rng.normal())])
        prefix.append((code, factor or random_value(rng, primitives.primitives[code])))
        open_slots += args
        owed += sum(table[a][0] for a in args)
    # Slots are popped last argument first, so this is the mirror image of prefix order: reversed, it is postfix.
    return prefix[::-1]


def random_value(rng, declared):
    """Draw the constant or parameter of a terminal; 0 for anything else."""
    if declared.domain is None:
        return 0.0
    if isinstance(declared.domain, Integers):
        return float(rng.integers(declared.domain.low, declared.domain.high + 1))
    return float(np.float32(rng.uniform(declared.domain.low, declared.domain.high)))


def sizes_of(primitives, codes):
    """Return the subtree sizes of nodes in postfix order."""
    stack, sizes = [], []
    for code in codes:
        arity = primitives.primitives[code].arity
        size = 1 + sum(stack[len(stack) - arity :])
        del stack[len(stack) - arity :]
        stack.append(size)
        sizes.append(size)
    return sizes


def stack_programs(primitives, trees, capacity):
    """Return Programs [N, L] (NumPy fields) of lists of (opcode, value)."""
    opcode = np.zeros((len(trees), capacity), np.int16)
    value = np.zeros((len(trees), capacity), np.float32)
    size = np.zeros((len(trees), capacity), np.int16)
    length = np.zeros(len(trees), np.int32)
    for row, nodes in enumerate(trees):
        codes = [code for code, _ in nodes]
        n = length[row] = len(nodes)
        opcode[row, :n] = codes
        value[row, :n] = [number for _, number in nodes]
        size[row, :n] = sizes_of(primitives, codes)
    return Programs(opcode, value, size, length)


def random_programs(seed, primitives, count, capacity, root_type=None, smallest=1):
    """Return Programs [count, L] of random sizes up to the capacity."""
    rng = np.random.default_rng(seed)
    root = int(primitives.root_type[0]) if root_type is None else root_type
    trees = []
    while len(trees) < count:
        nodes = random_nodes(rng, primitives, root, int(rng.integers(smallest, capacity + 1)), stop=rng.uniform(0, 0.4))
        if smallest <= len(nodes) <= capacity:
            trees.append(nodes)
    return stack_programs(primitives, trees, capacity)


def unpacked(packed):
    """Return float32[32 W + N, B] of packed features."""
    bits = (np.asarray(packed.words)[:, None] >> np.arange(32, dtype=np.uint32)[:, None]) & 1
    return np.concatenate([bits.reshape(-1, bits.shape[-1]).astype(np.float32), packed.numbers])


def tree_at(programs, index):
    """Return one tree of a batch."""
    return Programs(programs.opcode[index], programs.value[index], programs.size[index], programs.length[index])


@st.composite
def trees(draw, primitives, capacity, root_type=None):
    """One valid tree, as Programs [L]."""
    seed = draw(st.integers(0, 2**32 - 1))
    budget = draw(st.integers(1, capacity))
    rng = np.random.default_rng(seed)
    root = int(primitives.root_type[0]) if root_type is None else root_type
    nodes = random_nodes(rng, primitives, root, budget, stop=rng.uniform(0, 0.4))
    while len(nodes) > capacity:
        nodes = random_nodes(rng, primitives, root, budget, stop=1.0)
    return tree_at(stack_programs(primitives, [nodes], capacity), 0)
