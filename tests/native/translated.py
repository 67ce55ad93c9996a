"""Functions of JAX as functions of C++, compiled together and called with arrays of NumPy."""

import ctypes
import os
import tempfile
from functools import cache
from pathlib import Path

import jax
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from jaxgp.native import build
from jaxgp.native.arrays import WRITTEN
from jaxgp.native.graph import TYPES, Graph, given
from jaxgp.native.writer import Writer

FAST = {"xla_backend_optimization_level": 0}
"""XLA takes less time to compile so."""
HEAD = """\
#include "jaxgp/native/numbers.h"
#if defined(__SSE__)
#include <immintrin.h>
#endif

using namespace jaxgp;

// Flushes denormal numbers to zero, as XLA does where it calls handlers.
struct Flushed {
#if defined(__SSE__)
  const unsigned before = _mm_getcsr();
  Flushed() { _mm_setcsr(before | 0x8040); }
  ~Flushed() { _mm_setcsr(before); }
#else
  Flushed() {}
  ~Flushed() {}
#endif
};
"""


@cache
def missing():
    """Return why nothing can be compiled here; nothing: it can."""
    try:
        build._compiler(os.environ.get("CXX", ""))
    except OSError as error:
        return str(error)
    return ""


needs_compiler = pytest.mark.skipif(bool(missing()), reason=f"not compiled here: {missing()}")


def written(function, *examples):
    """Return the lines of C++ that a function of arrays becomes; it reads given0, given1, ..., and writes out0, ..."""
    graph, writer = Graph(), Writer(WRITTEN)
    nodes = [given(f"given{k}", one.shape, one.dtype) for k, one in enumerate(examples)]
    outs = jax.tree.leaves(graph.trace(function, *nodes))
    writer.plan(outs)
    for k, one in enumerate(outs):
        writer.copy(one, f"out{k}")
    (lines,) = writer.blocks
    return lines


def defined(name, function, *examples):
    """Return a function of C++ of addresses: those of the arguments, then those of the results."""
    outs = jax.tree.leaves(jax.eval_shape(function, *examples))
    sides = [("given", "const ", one) for one in examples], [("out", "", one) for one in outs]
    arguments, lines = [], ["Flushed flushed;"]
    for side in sides:
        for k, (word, fixed, one) in enumerate(side):
            own = f"{fixed}{TYPES[str(one.dtype)]}*"
            arguments.append(f"{fixed}uint8_t* {word}_{k}")
            lines.append(f"{own} {word}{k} = reinterpret_cast<{own}>({word}_{k});")
    body = [f"  {line}" for line in [*lines, *written(function, *examples)]]
    return "\n".join([f'extern "C" void {name}({", ".join(arguments)}) {{', *body, "}"])


class Translated:
    """Functions that have been compiled.

    Args:
        cases: functions, by any names, and arrays like those that they will be called with.
    """

    def __init__(self, cases):
        self.kinds, self.numbers = {}, {name: k for k, name in enumerate(cases)}
        texts = [HEAD]
        for name, (function, examples) in cases.items():
            self.kinds[name] = jax.eval_shape(function, *examples)
            texts.append(defined(f"f{self.numbers[name]}", function, *examples))
        source = build.Source("tests", "\n".join(texts), ("jaxgp/native/numbers.h",), (), build.CAREFUL)
        compiler = build._compiler(os.environ.get("CXX", ""))
        with tempfile.TemporaryDirectory() as folder:
            self.library = build._loaded(source, compiler, Path(folder), source.name)

    def __call__(self, name, *arrays):
        """Return what a function computes."""
        leaves, tree = jax.tree.flatten(self.kinds[name])
        outs = [np.empty(one.shape, one.dtype) for one in leaves]
        plain = [np.ascontiguousarray(one) for one in arrays]
        places = [ctypes.c_void_p(one.ctypes.data) for one in [*plain, *outs]]
        self.library[f"f{self.numbers[name]}"](*places)
        return jax.tree.unflatten(tree, outs)


def same(found, expected):
    """Check that arrays are equal to the bit; one NaN is as good as another."""
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        other = np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        if other.dtype.kind == "f":
            known = ~np.isnan(other)
            np.testing.assert_array_equal(~np.isnan(one), known)
            one, other = (np.where(known, x, 0).astype(np.float32).view(np.int32) for x in (one, other))
        np.testing.assert_array_equal(one, other)


def agree(found, expected):
    """Return whether arrays are equal to the bit."""
    try:
        same(found, expected)
    except AssertionError:
        return False
    return True


def one_by_one(function, arrays):
    """Return what a function computes if XLA compiles one operation at a time."""
    return tuple(jaxpr_as_fun(jax.make_jaxpr(function)(*arrays))(*arrays))


def check(cases, draws=1):
    """Check that functions compute in C++ what XLA computes, each on several draws of its arguments.

    XLA compiles some long programs of whole numbers wrongly: it takes parts of parts of arrays as parts that may begin
    elsewhere. So where it differs, it is asked once more, one operation at a time.

    Args:
        cases: (function, draw) by name; draw(k) returns arguments, of the same shapes for all k.
        draws: how many k are tried.
    """
    compiled = Translated({name: (function, draw(0)) for name, (function, draw) in cases.items()})
    plain = jax.jit(lambda given: {name: cases[name][0](*given[name]) for name in cases}, compiler_options=FAST)
    for k in range(draws):
        given = {name: draw(k) for name, (_, draw) in cases.items()}
        expected, wrong = plain(given), {}
        for name, arrays in given.items():
            found = compiled(name, *arrays)
            try:
                same(found, expected[name])
            except AssertionError as error:
                if not agree(found, one_by_one(cases[name][0], arrays)):
                    wrong[name] = str(error)
        assert not wrong, f"draw {k}, {[*wrong]}: " + "\n".join(f"{name}: {told}" for name, told in wrong.items())
