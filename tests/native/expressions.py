"""Random functions of whole numbers: operations on arrays of small shapes, loops and choices among them."""

import operator

import jax.numpy as jnp
import numpy as np
from jax import lax

SHAPES = ((), (3,), (4,), (2, 3), (3, 1), (1, 4), (2, 1, 3))
TYPES = ("int8", "uint8", "int16", "uint16", "int32", "int32", "uint32", "bool")
MOST = 60
"""Arrays with more entries are read no further."""
ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor),
    *(jnp.maximum, jnp.minimum),
)
DIVISIONS = operator.floordiv, operator.mod, lax.div, lax.rem
SHIFTS = lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic
COMPARED = operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne
OF_ONE = lax.neg, lax.sign, lax.bitwise_not, lax.population_count, lax.clz, lax.square
FOLDS = jnp.sum, jnp.max, jnp.min, jnp.prod, jnp.argmax, jnp.argmin
RUNNING = lax.cumsum, lax.cummax, lax.cummin, lax.cumprod


def arguments(seed, k):
    """Return draw k of the arguments of a function."""
    rng = np.random.default_rng(seed)
    kinds = [(SHAPES[rng.integers(len(SHAPES))], TYPES[rng.integers(len(TYPES))]) for _ in range(4)]
    draw = np.random.default_rng((seed, k))
    return [drawn(draw, shape, np.dtype(kind)) for shape, kind in kinds]


def drawn(rng, shape, dtype):
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    ends = np.iinfo(dtype)
    wide = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
    return np.asarray(np.where(rng.random(shape) < 0.4, wide, rng.integers(0, 7, shape).astype(dtype)), dtype)


def expression(seed):
    """Return a function of `arguments`: 10 to 30 operations, and those of loops and branches among them."""

    def function(*given):
        rng = np.random.default_rng((seed, 0))
        pool = grown(rng, [jnp.asarray(one) for one in given], rng.integers(10, 31), 2)
        return pool[-5:]

    return function


def grown(rng, pool, count, nesting):
    """Return arrays, and others made of them."""
    pool = list(pool)
    for _ in range(count):
        makers = MAKERS if nesting == 0 or rng.random() < 0.8 else NESTED
        pool += makers[rng.integers(len(makers))](Source(rng, pool, nesting))
    return pool


class Source:
    """Where operations take their arrays and choices from."""

    def __init__(self, rng, pool, nesting):
        self.rng, self.pool, self.nesting = rng, pool, nesting

    def below(self, n):
        return int(self.rng.integers(n))

    def one_of(self, items):
        return items[self.below(len(items))]

    def array(self):
        """Return one of the arrays, late ones more often."""
        found = [one for one in self.pool if 0 < one.size <= MOST]
        return found[-1 - min(self.below(len(found)), self.below(len(found)))]

    def number(self):
        """Return an array of whole numbers."""
        one = self.array()
        return one.astype(jnp.int32) if one.dtype == bool else one

    def ranked(self):
        """Return a number array with at least one axis."""
        one = self.number()
        return one if one.ndim else one[None]

    def like(self, one):
        """Return an array of the type of another that goes with its shape."""
        other = self.array().astype(one.dtype)
        try:
            size = np.prod(np.broadcast_shapes(one.shape, other.shape), dtype=int)
        except ValueError:
            size = MOST + 1
        return other if size <= MOST else other.reshape(-1)[0]

    def axis(self, one):
        return self.below(one.ndim)

    def place(self):
        return self.array().reshape(-1)[0].astype(jnp.int32) % 9 - 3

    def places(self):
        return self.array().reshape(-1)[:5].astype(jnp.int32) % 9 - 3

    def truth(self):
        return (self.number() > 2).reshape(-1)[0]


def binary(s):
    one = s.number()
    return [s.one_of(ARITHMETIC)(*jnp.broadcast_arrays(one, s.like(one)))]


def divided(s):
    """Divide by anything but -1: XLA itself fails when it divides a constant, the least number, by it."""
    one = s.number()
    by = s.like(one)
    return [s.one_of(DIVISIONS)(*jnp.broadcast_arrays(one, jnp.where(by == ~jnp.zeros_like(by), 1, by)))]


def shifted(s):
    one = s.number()
    by = s.like(one) if s.below(2) else jnp.asarray(s.below(10), one.dtype)
    return [s.one_of(SHIFTS)(*jnp.broadcast_arrays(one, by))]


def compared(s):
    one = s.array()
    return [s.one_of(COMPARED)(one, s.like(one))]


def unary(s):
    return [s.one_of(OF_ONE)(s.number())]


def converted(s):
    return [s.array().astype(s.one_of(TYPES))]


def selected(s):
    one = s.array()
    other = s.like(one)
    return [jnp.where(one != other, one, other), jnp.where(s.truth(), one, jnp.asarray(1, one.dtype))]


def constant(s):
    one = s.ranked()
    return [one * drawn(s.rng, one.shape[-1:], np.dtype(one.dtype)), jnp.arange(one.size).reshape(one.shape) + one]


def reshaped(s):
    one = s.array()
    flat = one.reshape(-1)
    pairs = [(n, one.size // n) for n in range(1, one.size + 1) if one.size % n == 0]
    return [
        s.one_of([one.T, flat, one.reshape(s.one_of(pairs)), one[..., None], one.T.reshape(s.one_of(pairs)), one[None]])
    ]


def sliced(s):
    one = s.ranked()
    axis = s.axis(one)
    begin, step = s.below(one.shape[axis]), 1 + s.below(2)
    index = [slice(None)] * one.ndim
    index[axis] = slice(begin, None, step)
    return [one[tuple(index)], jnp.flip(one, axis)]


def joined(s):
    one = s.ranked()
    axis = s.axis(one)
    return [s.one_of([jnp.concatenate([one, one + 1], axis), jnp.stack([one, -one], axis), jnp.tile(one, 2)])]


def padded(s):
    one = s.ranked()
    config = [(s.below(4) - 1, s.below(4) - 1, 0) for _ in range(one.ndim)]
    config = [
        (max(low, -n), max(high, -(n + max(low, -n))), 0) for n, (low, high, _) in zip(one.shape, config, strict=True)
    ]
    return [lax.pad(one, jnp.asarray(s.below(5), one.dtype), config)]


def folded(s):
    one = s.ranked()
    return [s.one_of(FOLDS)(one, s.axis(one)), s.one_of(FOLDS[:4])(one), jnp.any(one > 3, s.axis(one))]


def run_on(s):
    one = s.ranked()
    return [s.one_of(RUNNING)(one, s.axis(one), reverse=bool(s.below(2)))]


def gathered(s):
    one = s.ranked()
    places, mode = s.places(), s.one_of(["clip", "fill", "wrap"])
    axis = s.axis(one)
    return [one.at[places].get(mode=mode) if mode == "fill" else jnp.take(one, places, axis, mode=mode)]


def scattered(s):
    one = s.ranked()
    places, mode = s.places(), s.one_of(["clip", "drop"])
    at = one.at[places]
    values = s.one_of(
        [jnp.asarray(3, one.dtype), jnp.arange(places.size).astype(one.dtype).reshape(-1, *[1] * (one.ndim - 1))]
    )
    return [s.one_of([at.set, at.add, at.multiply, at.max, at.min, at.subtract])(values, mode=mode)]


def parted(s):
    """Take and replace parts that lie within the array: XLA may add the places of slices of slices unbounded."""
    one = s.ranked()
    sizes = [1 + s.below(n) for n in one.shape]
    here, there = ([(s.place() + 3) % (n - m + 1) for n, m in zip(one.shape, sizes, strict=True)] for _ in range(2))
    part = lax.dynamic_slice(one, here, sizes)
    return [part, lax.dynamic_update_slice(one, part + 1, there)]


def some(s, count):
    """Return arrays that are made of others, as the types and shapes of some arrays have it."""
    kinds = [s.array() for _ in range(count)]

    def body(rng, arrays):
        found = grown(rng, arrays, 1 + rng.integers(5), s.nesting - 1)
        own = Source(rng, found, 0)
        return [fitted(own.array() if rng.random() < 0.5 else found[-1], one) for one in kinds]

    return kinds, body


def fitted(one, kind):
    """Return the first entries of an array, again and again, in the shape and the type of another."""
    flat = one.reshape(-1)
    flat = flat if flat.size else jnp.zeros(1, flat.dtype)
    return jnp.resize(flat, kind.shape).astype(kind.dtype)


def looped(s):
    first, body = some(s, 2)
    seed, outside, turns = s.below(2**31), [s.array()], s.one_of([0, 1, 3, s.place()])
    return lax.fori_loop(0, turns, lambda i, c: body(np.random.default_rng(seed), [*outside, i, *c]), first)


def whiled(s):
    first, body = some(s, 2)
    seed, outside, limit = s.below(2**31), [s.array()], 1 + s.below(5)

    def goes_on(c):
        found = grown(np.random.default_rng(seed), [*outside, *c[1:]], 2, 0)
        return (c[0] < limit) & (found[-1].sum() != 3)

    def onward(c):
        return [c[0] + 1, *body(np.random.default_rng(seed + 1), [*outside, *c])]

    return lax.while_loop(goes_on, onward, [jnp.int32(0), *first])


def scanned(s):
    first, body = some(s, 2)
    over = s.ranked()
    seed, outside = s.below(2**31), [s.array()]

    def step(c, x):
        found = body(np.random.default_rng(seed), [*outside, *c, x])
        return found, (found[0] if found[0].size < 9 else x, x)

    carry, (ys, xs) = lax.scan(step, first, over, reverse=bool(s.below(2)))
    return [*carry, ys, xs]


def chosen(s):
    operands, body = some(s, 2)
    seed, outside, count = s.below(2**31), s.array(), 2 + s.below(2)
    branches = [lambda *c, k=k: body(np.random.default_rng((seed, k)), [*c, outside]) for k in range(count)]
    if count == 2:
        return lax.cond(s.truth(), *branches, *operands)
    return lax.switch(s.place(), branches, *operands)


MAKERS = (
    *(
        binary,
        binary,
        binary,
        divided,
        shifted,
        compared,
        unary,
        converted,
        selected,
        constant,
        reshaped,
        reshaped,
        sliced,
    ),
    *(joined, padded, folded, run_on, gathered, scattered, parted),
)
NESTED = looped, whiled, scanned, chosen, chosen
