"""Programs that are sums of gates: sums of terminals that count where another such sum is above 0.

    (Add ... (Add (Add 0 (If (Greater S 0) T 0)) ...) ... (Mul c t))

S and T of each gate, and R, what is added to all gates, are sums: 0, to which terms (Mul c t) are added, or subtracted.
Here c is a constant and t a terminal, or the constant 1. Such a program is a table of weights, and is valued for many
positions by a product of matrices, much faster than node by node. A term with weight 0 has no nodes.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.genotypes import programs, surrogates
from jaxgp.genotypes.primitives import Floats, Integers, PrimitiveSet
from jaxgp.genotypes.programs import Programs

NODES = 4
"""Nodes of a term: its constant, its terminal, their product, and what adds it."""
OF_GATE = 7
"""Nodes of a gate without terms: the zeros of its two sums, two more, the comparison, If, and what adds the gate."""
FIXED, CONSTANT, TERMINAL, PRODUCT, SIGN = range(5)
"""What a node is."""


@dataclass(frozen=True, eq=False)
class Form:
    """Sums of K gates in one tree, over F terms.

    Attributes:
        gates: K.
        plus, minus, times, constant, choose, greater: opcodes.
        high: the greatest constant.
        codes: int32[F], the opcodes of the terminals of terms; the last one is the constant.
        numbers: float32[F], their parameters; of the constant 1.
    """

    gates: int
    plus: int
    minus: int
    times: int
    constant: int
    choose: int
    greater: int
    high: float
    codes: np.ndarray
    numbers: np.ndarray

    @property
    def sums(self) -> int:
        """How many sums there are: K conditions, K values, and R."""
        return 2 * self.gates + 1

    @property
    def terms(self) -> int:
        """How many terms there are in all sums."""
        return self.sums * len(self.codes)

    def room(self, capacity: int) -> int:
        """Return for how many terms so many nodes have room; below 0: for no gates either."""
        return (capacity - 1 - OF_GATE * self.gates) // NODES

    @cached_property
    def layout(self) -> "Layout":
        """The nodes of a program that has all terms."""
        code: list[int] = []
        number: list[float] = []
        part: list[int] = []
        term: list[int] = []

        def node(opcode: int, value: float = 0.0, kind: int = FIXED, of: int = -1) -> None:
            code.append(opcode)
            number.append(value)
            part.append(kind)
            term.append(of)

        def add(total: int) -> None:
            for at, (opcode, value) in enumerate(zip(self.codes, self.numbers, strict=True)):
                of = total * len(self.codes) + at
                node(self.constant, 0.0, CONSTANT, of)
                node(int(opcode), float(value), TERMINAL, of)
                node(self.times, 0.0, PRODUCT, of)
                node(self.plus, 0.0, SIGN, of)

        zero = lambda: node(self.constant)  # noqa: E731
        zero()
        for gate in range(self.gates):
            zero()
            add(gate)
            zero()
            node(self.greater)
            zero()
            add(self.gates + gate)
            zero()
            node(self.choose)
            node(self.plus)
        add(2 * self.gates)
        arity = {self.choose: 3, self.greater: 2, self.plus: 2, self.times: 2}
        sizes, open_ = [], list[int]()
        for opcode in code:
            size = 1 + sum(open_.pop() for _ in range(arity.get(opcode, 0)))
            open_.append(size)
            sizes.append(size)
        whole = [np.array(column, np.int32) for column in (code, sizes, part, term)]
        return Layout(whole[0], whole[1], whole[2], whole[3], np.array(number, np.float32))


@dataclass(frozen=True, eq=False)
class Layout:
    """The nodes of a program with all terms, N of them."""

    code: np.ndarray  # int32[N]
    size: np.ndarray  # int32[N]
    part: np.ndarray  # int32[N]: what a node is
    term: np.ndarray  # int32[N]: of which term it is, sum after sum; -1: of none
    number: np.ndarray  # float32[N]


@lru_cache(maxsize=16)
def form(primitives: PrimitiveSet, tree: int, gates: int) -> Form | None:
    """Return how a tree of an individual is a sum of so many gates; None: its set names no gates for it."""
    for (plus, minus, times, constant), (choose, greater) in zip(primitives.sums, primitives.gates, strict=False):
        codes = [primitives.opcode(name) for name in (plus, minus, times, constant, choose, greater)]
        kind, domain = primitives.root_type[tree], primitives.primitives[codes[3]].domain
        if primitives.return_type[codes[0]] != kind or not isinstance(domain, Floats):
            continue
        terms: list[tuple[int, float]] = []
        for opcode, p in enumerate(primitives.terminals):
            if opcode == codes[3] or not primitives.accepts[kind, primitives.return_type[opcode]]:
                continue
            if isinstance(p.domain, Integers):
                terms += [(opcode, float(number)) for number in range(p.domain.low, p.domain.high + 1)]
            elif p.feature is not None:
                terms.append((opcode, 0.0))
        terms.append((codes[3], 1.0))
        opcodes, numbers = (np.array(column) for column in zip(*terms, strict=True))
        c = codes
        of = opcodes.astype(np.int32), numbers.astype(np.float32)
        return Form(gates, c[0], c[1], c[2], c[3], c[4], c[5], domain.high, *of)
    return None


def write(form: Form, weights: Array, capacity: int) -> Programs:
    """Return a tree [L] whose terms have weights, float32[2 K + 1, F]; those that are 0 are left out.

    There must be room for the others, `Form.room`. No weight is beyond the greatest constant.
    """
    layout = form.layout
    flat = weights.reshape(-1)
    weight = jnp.where(layout.term >= 0, flat[layout.term], 1.0)
    kept = weight != 0
    code = jnp.where((layout.part == SIGN) & (weight < 0), form.minus, layout.code)
    number = jnp.where(layout.part == CONSTANT, jnp.minimum(jnp.abs(weight), form.high), layout.number)
    gone = jnp.pad(jnp.cumsum(~kept, dtype=jnp.int32), (1, 0))
    index = np.arange(len(layout.code))
    size = layout.size - (gone[index + 1] - gone[index + 1 - layout.size])
    place = jnp.nonzero(kept, size=capacity, fill_value=len(layout.code))[0]
    length = jnp.minimum(kept.sum(dtype=jnp.int32), capacity)
    pick = lambda x, kind: jnp.where(jnp.arange(capacity) < length, x[jnp.minimum(place, len(x) - 1)], 0).astype(kind)  # noqa: E731
    return Programs(pick(code, jnp.int16), pick(number, jnp.float32), pick(size, jnp.int16), length)


def read(form: Form, tree: Programs) -> Array:
    """Return float32[2 K + 1, F]: the weights of the terms of a tree [L] that `write` has written."""
    code, alive = tree.opcode.astype(jnp.int32), programs.live(tree)
    before = lambda which: jnp.cumsum(alive & (code == which)) - (alive & (code == which))  # noqa: E731
    gate, compared = before(form.choose), before(form.greater)
    total = jnp.where(gate == form.gates, 2 * form.gates, jnp.where(compared > gate, form.gates + gate, gate))
    first = np.full(int(max(form.codes.max(), form.constant)) + 1, -1, np.int32)
    first[form.codes[::-1]] = np.arange(len(form.codes))[::-1]  # of equal ones the first
    low = np.zeros(len(first), np.float32)
    low[form.codes[::-1]] = form.numbers[::-1]
    terminal, number = jnp.roll(code, 1), jnp.roll(tree.value, 1)
    known = jnp.minimum(terminal, len(first) - 1)
    at = jnp.asarray(first)[known] + jnp.round(number - jnp.asarray(low)[known]).astype(jnp.int32)
    sign = jnp.where(jnp.roll(code, -1) == form.minus, -1.0, 1.0)
    here = alive & (code == form.times)
    place = jnp.where(here, total * len(form.codes) + at, form.terms)
    weights = jnp.zeros(form.terms).at[place].set(sign * jnp.roll(tree.value, 2), mode="drop")
    return weights.reshape(form.sums, -1)


def values(form: Form, weights: Array, seen: Array) -> Array:
    """Return float32[B]: the values of a tree by its weights, of what its terminals are in B positions, float32[F, B].

    Derivatives are those of the functions of the set: see `jaxgp.genotypes.surrogates`.
    """
    sums = jnp.matmul(weights, seen, precision=lax.Precision.HIGHEST)
    condition, value, rest = sums[: form.gates], sums[form.gates : -1], sums[-1]
    held = surrogates.straight(jax.nn.sigmoid(condition), (condition > 0).astype(condition.dtype))
    return surrogates.choose(held, value, jnp.zeros_like(value)).sum(0) + rest


def keep(merit: Array, most: Array | int) -> Array:
    """Return bool[...]: the `most` entries of the greatest merit, of entries above 0; of equal ones the first."""
    flat = merit.reshape(-1)
    rank = jnp.zeros(len(flat), jnp.int32).at[jnp.argsort(-flat, stable=True)].set(jnp.arange(len(flat)))
    return ((rank < most) & (flat > 0)).reshape(merit.shape)
