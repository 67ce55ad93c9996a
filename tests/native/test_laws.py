"""What native code computes once, before loops, or not at all."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.native.translated import check, needs_compiler, written

N = jax.ShapeDtypeStruct((4,), jnp.int32)
NUMBER = jax.ShapeDtypeStruct((), jnp.int32)


def counted(text, function, *examples):
    """Return how often a text stands in what is written of a function."""
    return "\n".join(written(function, *examples)).count(text)


def place(lines, *words):
    """Return the number of the only line that has all words."""
    (found,) = [k for k, line in enumerate(lines) if all(word in line for word in words)]
    return found


def test_equal_computations_are_written_once():
    assert counted("^", lambda n: ((n ^ 5).sum(), (n ^ 5).max(), (n ^ 5)[::-1]), N) == 1
    assert counted("given0[", lambda n: (jnp.cumsum(n), jnp.cumsum(n) + 1, jnp.cumsum(n) * 2), N) == 1


def test_equal_constants_are_written_once():
    def function(n):
        return n * np.array([3, 1, 4, 1]), n + jnp.array([3, 1, 4, 1]), n + 7

    assert counted("static const", function, N) == 1


def test_equal_computations_of_a_call_and_of_its_caller_are_written_once():
    inner = jax.jit(lambda n: n ^ 5)
    assert counted("^", lambda n: (inner(n).sum(), (n ^ 5).max(), inner(n).min()), N) == 1


def test_what_only_one_reader_needs_is_written_where_it_is_read():
    lines = written(lambda n: ((n + 1) * 3 ^ n).sum(), N)
    assert sum("for (" in line for line in lines) == 1


def test_what_nothing_needs_is_not_written():
    def function(n):
        _ = jnp.sort(n), n**4
        return n + 1

    assert written(function, N) == written(lambda n: n + 1, N)


def test_what_a_loop_carries_and_reads_again_is_written_once():
    def body(i, c):
        a = c[0] ^ c[1]
        return a, a + i

    assert counted("^", lambda n: lax.fori_loop(0, n[0], body, (n, n)), N) == 1


def test_what_a_loop_does_not_change_is_computed_before_it():
    lines = written(lambda n, k: lax.fori_loop(0, k, lambda i, y: y + (n ^ 77) * i, n), N, NUMBER)
    assert place(lines, "^") < place(lines, "for (;;)")


def test_what_an_inner_loop_does_not_change_is_computed_in_the_outer_one():
    def outer(i, y):
        return lax.fori_loop(0, n_of(y), lambda j, z: z + (y ^ 77) * j, y)

    def n_of(y):
        return y[0] % 5

    lines = written(lambda n: lax.fori_loop(0, n[1], outer, n), N)
    first, second = (k for k, line in enumerate(lines) if line == "for (;;) {")
    assert first < place(lines, "^") < second


def test_a_loop_that_an_outer_one_does_not_change_runs_before_it():
    def body(i, y):
        return y + lax.fori_loop(0, 9, lambda j, t: t ^ j, 0)

    lines = written(lambda n: lax.fori_loop(0, n[0], body, n), N)
    assert place(lines, "< 9;") < place(lines, "for (;;)")


def test_what_a_branch_computes_is_written_inside_it():
    lines = written(lambda n: lax.cond(n[0] > 0, lambda n: n ^ 77, lambda n: n, n), N)
    assert place(lines, "== 1) {") < place(lines, "^")


@needs_compiler
def test_a_branch_that_is_not_taken_is_not_computed():
    def endless(y):
        return lax.while_loop(lambda k: k > -1, lambda k: k & 7, y)

    def endless_itself():
        return lax.while_loop(lambda k: k > -1, lambda k: k & 7, 3)

    def later(n, ready):
        return lax.cond(ready, lambda: n[0], lambda: endless(jnp.abs(n[1]) + 1))

    def of_constants(n, ready):
        return lax.cond(ready, lambda: n[0], endless_itself)

    def deeper(n, ready):
        inner = lambda: lax.cond(n[0] > 1000, endless_itself, lambda: 4)  # noqa: E731
        return lax.fori_loop(0, 3, lambda i, y: y + lax.cond(ready, inner, endless_itself), n[1])

    def draw(k):
        return [np.array([k, 2, 3, 4], np.int32), np.bool_(True)]

    check({case.__name__: (case, draw) for case in (later, of_constants, deeper)}, draws=2)
