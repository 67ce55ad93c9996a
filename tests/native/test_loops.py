"""Loops and choices in C++ against plain XLA."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.native.translated import check, needs_compiler


def draw(k):
    """Return int32[4], int32[3, 4] and a number from -2 to 5."""
    rng = np.random.default_rng(k)
    return [
        rng.integers(-50, 50, 4).astype(np.int32),
        rng.integers(-50, 50, (3, 4)).astype(np.int32),
        np.int32(rng.integers(-2, 6)),
    ]


def counted(x, rows, n):
    """Loops whose number of turns is computed."""
    added = lax.fori_loop(0, n, lambda i, y: y * 3 + x + i, x)
    halved, turns = lax.while_loop(lambda c: (c[0] > 0).any(), lambda c: (c[0] // 2, c[1] + 1), (x, n))
    return added, halved, turns


def fixed(x, rows, n):
    return lax.fori_loop(0, 5, lambda i, y: y.at[i % 4].add(n + i), x), lax.fori_loop(2, 2, lambda i, y: y + 1, x)


def swapped(x, rows, n):
    """A loop that carries what it carried elsewhere before, and what it leaves alone."""
    return lax.fori_loop(0, n, lambda i, c: (c[1], c[0] + 1, c[2], c[3][::-1], c[4].T), (x, x * 2, x, x, rows[:, :3]))


def repeated(x, rows, n):
    """A loop that carries a value both as it is and changed again."""

    def body(i, c):
        a = c[0] * 5 + c[1]
        return a, a ^ (a >> 3), (a > c[2]).astype(jnp.int32)

    return lax.fori_loop(0, n, body, (x, x + 1, x - 1))


def of_arguments(x, rows, n):
    """A loop that ends with what is computed outside it."""
    y = x * 7
    return lax.fori_loop(0, n, lambda i, c: (y, c[0], jnp.int32(4), c[2]), (x, x, jnp.int32(1), n))


def scanned(x, rows, n):
    def body(carry, row):
        return carry + row, (carry * row, row.max(), carry[n % 4] > 0)

    forth, back = lax.scan(body, x, rows), lax.scan(body, x, rows, reverse=True)
    return forth, back, lax.scan(lambda c, _: (c * 3 + 1, c), n, None, length=6)


def scanned_over_many(x, rows, n):
    def body(carry, one):
        a, (b, c) = one
        return carry ^ b.sum(), (a + b, c[::-1], carry)

    return lax.scan(body, n, (x[:3], (rows + 1, rows.T[:3])), reverse=True), lax.scan(body, n, (x[:3], (rows, rows)))


def mapped(x, rows, n):
    return lax.map(lambda row: jnp.where(row > n, row, x).sum(), rows), lax.cumsum(rows, 1)


def scanned_over_nothing(x, rows, n):
    return lax.scan(lambda c, row: (c + row, c), x, rows[:0])


def nested(x, rows, n):
    def outer(i, y):
        z = lax.fori_loop(0, i, lambda j, z: z + rows[j % 3] * i, y)
        return lax.while_loop(lambda z: z.sum() > 100, lambda z: z - jnp.abs(z) // 2 - 1, z) + z[0]

    def within(carry, row):
        return lax.scan(lambda c, entry: (c * 2 + entry, c), carry, row)

    return lax.fori_loop(0, n, outer, x), lax.scan(within, n, rows), lax.scan(within, n, rows, reverse=True)


def of_what_stays(x, rows, n):
    """Loops inside loops that depend on nothing that the outer one changes."""

    def body(i, y):
        total = lax.fori_loop(0, 4, lambda j, t: t + x[j] * rows.sum(), n)
        return y + total + lax.cond(n > 2, lambda: x.max(), lambda: x.min())

    return lax.fori_loop(0, n, body, x)


def asking(x, rows, n):
    """A loop whose test takes a loop, and an array from outside."""

    def goes_on(c):
        return (lax.fori_loop(0, 3, lambda i, t: t + c[i], c[0]) < rows.sum()) & (c[3] < 1000)

    return lax.while_loop(goes_on, lambda c: c + jnp.abs(x) + 1, x)


def of_truth(x, rows, n):
    return lax.while_loop(lambda c: ~c[0], lambda c: (c[1] > 4, c[1] + 1), (n > 3, n))


def of_bytes(x, rows, n):
    x = x.astype(jnp.int8)
    return lax.fori_loop(0, n, lambda i, y: y * jnp.int8(7) + i.astype(jnp.int8), x), lax.scan(
        lambda c, y: (c + y, c), jnp.uint8(250), x.astype(jnp.uint8)
    )


def chosen(x, rows, n):
    one = lax.cond(n > 2, lambda x: (x + n, n), lambda x: (x * 2, n - 1), x)
    several = lax.switch(n, [lambda x: x, lambda x: x[::-1], lambda x: rows[1], lambda x: jnp.zeros(4, jnp.int32)], x)
    return one, several, lax.cond((x > 0).all(), lambda: 1, lambda: n), lax.switch(n, [lambda: x.sum()])


def chosen_of_chosen(x, rows, n):
    def inner(y):
        return lax.switch(y[0] % 3, [lambda y: y + 1, lambda y: lax.cond(n < 0, lambda: y, lambda: -y), lambda y: x], y)

    return lax.cond(n % 2 == 0, lambda: inner(x), lambda: inner(x + rows[0]))


def loops_in_choices(x, rows, n):
    def long(y):
        return lax.fori_loop(0, n, lambda i, z: z + rows[i % 3], y) + lax.fori_loop(0, 3, lambda i, t: t + i, 0)

    def short(y):
        carry, ys = lax.scan(lambda c, row: (c + row, c), y, rows)
        return carry + ys[1] * lax.while_loop(lambda k: k < 10, lambda k: k + 3, y[0])

    return lax.cond(n > 2, long, short, x)


def choices_in_loops(x, rows, n):
    def body(i, y):
        one = lax.cond(y[0] > i, lambda y: y - x, lambda y: y + rows[i % 3], y)
        fixed = lax.cond(n > 1, lambda: x + 1, lambda: x * 2)
        return lax.switch(i % 3, [lambda y: one, lambda y: y ^ one ^ fixed, lambda y: y[::-1]], y)

    def scanned(c, row):
        return lax.cond(row[0] > c, lambda: (row.sum(), row), lambda: (c + 1, x))

    return lax.fori_loop(0, n, body, x), lax.scan(scanned, n, rows)


def all_in_all(x, rows, n):
    def body(i, y):
        def deep(y):
            return lax.fori_loop(
                0, i, lambda j, z: lax.cond(z[j % 4] > j, lambda z: z - i * j - n, lambda z: z + x, z), y
            )

        return lax.cond(i % 2 == n % 2, deep, lambda y: y + rows[0], y)

    return lax.fori_loop(0, n + 2, body, x)


def shared(x, rows, n):
    """One value read by several branches, after them and by loops."""
    y = (x * 3) ^ rows[0]
    a = lax.cond(n > 1, lambda: y + 1, lambda: y - 1)
    b = lax.fori_loop(0, n, lambda i, z: z + y, y)
    c = lax.cond(n > 2, lambda: (y + 1) * 2, lambda: (x * 3) ^ rows[0])
    return a, b, c, y + 1


def of_views(x, rows, n):
    """Loops and choices that begin and end with views."""
    part, whole = lax.fori_loop(0, n, lambda i, c: (c[1][1, ::-1], c[1].reshape(4, 3).T), (rows[2], rows))
    return part, lax.cond(n > 1, lambda r: r.T.reshape(-1), lambda r: r[::-1].reshape(12), whole), whole.T.reshape(2, 6)


def of_nothing(x, rows, n):
    return lax.cond(n > 1, lambda y: y + 1, lambda y: y, x[:0]), lax.fori_loop(
        0, n, lambda i, c: (c[0], c[1] + 1), (x[:0], n)
    )


def over_lanes(x, rows, n):
    """What `vmap` makes of choices and loops."""
    return jax.vmap(lambda row: lax.while_loop(lambda c: c.sum() < 40, lambda c: c + jnp.abs(row) + 1, row))(
        rows
    ), jax.vmap(lambda one: lax.switch(one % 3, [lambda: one, lambda: -one, lambda: n]))(x)


def of_constants(x, rows, n):
    """Loops and choices that depend on no argument."""
    powers = lax.fori_loop(0, 5, lambda i, y: y * jnp.arange(1, 4), jnp.ones(3, jnp.int32))
    return powers, lax.cond(n > 2, lambda: powers.sum(), lambda: lax.fori_loop(0, 4, lambda i, t: t + i, 0))


CASES = [
    *(counted, fixed, swapped, repeated, of_arguments, scanned, scanned_over_many, mapped, scanned_over_nothing),
    *(nested, of_what_stays, asking, of_truth, of_bytes, chosen, chosen_of_chosen, loops_in_choices, choices_in_loops),
    *(all_in_all, shared, of_views, of_nothing, over_lanes, of_constants),
]


@needs_compiler
def test_loops_and_choices_compute_what_xla_computes():
    check({case.__name__: (case, draw) for case in CASES}, draws=20)
