"""Operations on whole arrays in C++ against plain XLA: views, folds, and entries at computed places."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.lax import GatherDimensionNumbers, GatherScatterMode

from tests.native.translated import check, needs_compiler

MODES = {
    "clip": GatherScatterMode.CLIP,
    "fill": GatherScatterMode.FILL_OR_DROP,
}


def drawing(*shapes, dtype=np.int32, low=-100, high=100):
    """Return what draws arrays of shapes; a number for a shape: whole numbers below it, one."""

    def draw(k):
        rng = np.random.default_rng(k)
        return [rng.integers(low, high, shape).astype(dtype) for shape in shapes]

    return draw


def placing(shape, *indices, updates=None, dtype=np.int32, width=6):
    """Return what draws an array, indices of which many lie beyond its ends, and updates."""

    def draw(k):
        rng = np.random.default_rng(k)
        fields = [rng.integers(-100, 100, shape).astype(dtype)]
        fields += [rng.integers(-width, width, one).astype(np.int32) for one in indices]
        return fields + ([] if updates is None else [rng.integers(-100, 100, updates).astype(dtype)])

    return draw


WHOLE = drawing((2, 3, 4))
VIEWS = {
    "reshape": lambda x: (x.reshape(6, 4), x.reshape(24), x.reshape(4, 3, 2) + 1, x.reshape(2, 1, 3, 1, 4)),
    "reshape of a sum": lambda x: ((x + 1).reshape(4, 6), (x * x).reshape(-1)[5:9]),
    "reshape of a transposed array": lambda x: (
        x.T.reshape(6, 4),
        x.transpose(1, 0, 2).reshape(-1),
        x.T.reshape(2, 12),
    ),
    "reshape of a broadcast array": lambda x: jnp.broadcast_to(x[:, None], (2, 5, 3, 4)).reshape(10, 12),
    "reshape of a slice": lambda x: (
        x[:, 1:].reshape(-1),
        x[1].reshape(2, 6),
        x[:, :, ::2].reshape(3, 4),
        x[1:, 1:2].T.reshape(2, 2),
    ),
    "reshape of a turned array": lambda x: (x[::-1].reshape(-1), x[:, ::-1].reshape(4, 6)),
    "transposed reshape": lambda x: x.reshape(6, 4).T.reshape(3, 8).T,
    "slices": lambda x: (x[1, 1:, ::2], x[:, 2], x[..., 1::3], x[0, 0, 3], x[1:, :1, 2:]),
    "slices of slices": lambda x: x.reshape(-1)[2:20][3:9] + x.reshape(-1)[4::3][:6],
    "slices of sums": lambda x: ((x + 1)[1], (x + x[:1])[:, 1:], (x * 2)[::-1, 1]),
    "axes added and dropped": lambda x: (x[:, None, :, None], x[:1].squeeze(0), jnp.expand_dims(x, (0, 4)) + 1),
    "broadcast": lambda x: (
        jnp.broadcast_to(x[0, 0], (2, 4)),
        jnp.broadcast_to(x[:, :1, :1], (2, 3, 4)),
        x[:, 0, 0][:, None] * x[0, 0],
    ),
    "broadcast in the middle": lambda x: lax.broadcast_in_dim(x[:, 0], (2, 5, 4), (0, 2)),
    "turned": lambda x: (x[::-1], lax.rev(x, (0, 2)), lax.rev(x + 1, (1,))[..., 0]),
    "transposed": lambda x: (x.T, x.transpose(2, 0, 1) + 1, (x + 1).transpose(1, 2, 0)),
    "tiled": lambda x: (jnp.tile(x, (1, 2, 3)), jnp.tile(x[0, 0], 3), jnp.tile(x[:, :1], (2, 2, 2)).reshape(-1)),
    "repeated": lambda x: jnp.repeat(x, 3, axis=1),
    "rolled": lambda x: (jnp.roll(x, 1, 2), jnp.roll(x, -2), jnp.rot90(x[0])),
    "iota": lambda x: (
        x[0] + lax.iota(jnp.int32, 4),
        lax.broadcasted_iota(jnp.uint8, (3, 5), 1),
        jnp.arange(6).reshape(2, 3) + x[..., 0],
    ),
    "iota that wraps around": lambda x: lax.iota(jnp.int8, 300),
    "joined": lambda x: (jnp.concatenate([x, x + 1, x[:, :0]], 1), jnp.concatenate([x.T, x.T]), jnp.append(x, 7)),
    "unstacked": lambda x: (*jnp.unstack(x), *jnp.unstack(x, axis=-1), *x[0]),
    "stacked": lambda x: (jnp.stack([x, -x]), jnp.stack([x, x * 2, x.T.T], -1), jnp.stack([x[0, 0, 0], x[1, 1, 1]])),
    "split": lambda x: (*jnp.split(x, 2, 2), *jnp.split(x + 1, [1, 1], 1)),
    "padded": lambda x: (jnp.pad(x, 1), jnp.pad(x, ((0, 1), (2, 0), (0, 0)), constant_values=9)),
    "padded by less than nothing": lambda x: (
        lax.pad(x, 5, ((-1, 0, 0), (0, -2, 0), (-1, 3, 0))),
        lax.pad(x, 5, ((-2, 1, 0), (4, -4, 0), (-3, -1, 0))),
        lax.pad(x, 5, ((-3, 4, 0), (5, -4, 0), (0, 0, 0))),
    ),
    "padded number": lambda x: lax.pad(x[0, 0, 0] + 1, x[0, 0, 1], ()),
    "constants": lambda x: (
        x + np.arange(24, dtype=np.int32).reshape(2, 3, 4),
        jnp.array([3, 1, 2])[x % 3],
        jnp.ones((2, 2), bool),
    ),
    "arguments themselves": lambda x: (x, x),
    "nothing": lambda x: (x[:0], x[:0] + 1, x[:0].sum((0, 1)), jnp.concatenate([x[:0], x]), x[:0].reshape(5, 0)),
}
FOLDED = {
    "sum": lambda x, axes: jnp.sum(x, axes, dtype=x.dtype),
    "product": lambda x, axes: jnp.prod(x, axes, dtype=x.dtype),
    "max": jnp.max,
    "min": jnp.min,
    "or": lambda x, axes: lax.reduce_or(x, axes),
    "and": lambda x, axes: lax.reduce_and(x, axes),
    "xor": lambda x, axes: lax.reduce_xor(x, axes),
}
AXES = ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2))
RUNNING = {"sum": lax.cumsum, "product": lax.cumprod, "max": lax.cummax, "min": lax.cummin}
ENDS = {"argmax": jnp.argmax, "argmin": jnp.argmin}


def all_axes(fold):
    return lambda x: [fold(x, axes) for axes in AXES]


def all_ways(run):
    return lambda x: [run(x, axis=axis, reverse=reverse) for axis in range(3) for reverse in (False, True)]


@needs_compiler
def test_views_are_those_of_xla():
    check({name: (function, WHOLE) for name, function in VIEWS.items()})


@needs_compiler
@pytest.mark.parametrize(
    "dtypes", [("int8", "bool"), pytest.param(("uint16", "int32", "uint32"), marks=pytest.mark.thorough)]
)
def test_folds_are_those_of_xla(dtypes):
    cases = {}
    for dtype in dtypes:
        shape, low, high = (2, 3, 4), 0 if dtype[0] in "ub" else -100, 2 if dtype == "bool" else 100
        draw = drawing(shape, dtype=dtype, low=low, high=high)
        for name, fold in FOLDED.items():
            if dtype != "bool" or name in ("or", "and", "max", "min"):
                cases[f"{name}, {dtype}"] = all_axes(fold), draw
        for name, find in ENDS.items():
            cases[f"{name}, {dtype}"] = lambda x, find=find: [find(x, axis) for axis in range(3)], draw
        for name, run in RUNNING.items() if dtype != "bool" else ():
            cases[f"running {name}, {dtype}"] = all_ways(run), draw
    cases["any"] = lambda x: (x.any(1), x.all((0, 2)), x.any()), drawing((2, 3, 4), dtype=bool, low=0, high=2)
    cases["of sums"] = lambda x: ((x + 1).sum(0), (x * x).max((1, 2)), (x[:, None] > x[None]).sum()), WHOLE
    cases["first of equals"] = all_axes_ends, drawing((2, 3, 4), low=0, high=2)
    cases["axes of size 1"] = (
        lambda x: (x.sum((0, 1)), x.max(2), lax.cumsum(x, 1), jnp.argmax(x, 1)),
        drawing((1, 1, 5)),
    )
    cases["of nothing"] = lambda x: (x.sum(0), x.sum(), x.any(0), x.prod()), drawing((0, 3))
    check(cases)


def all_axes_ends(x):
    return [find(x, axis) for find in ENDS.values() for axis in (0, 1, 2, None)]


@needs_compiler
def test_greatest_and_least_fractions_are_those_of_xla():
    edges = np.array([0, -0.0, 1e-40, -1e-40, 1, -1, 3e38, np.inf, -np.inf, np.nan], np.float32)

    def draw(k):
        return [np.random.default_rng(k).choice(edges, (200, 3), p=[0.12] * 8 + [0.02] * 2)]

    check({name: (lambda x, fold=FOLDED[name]: [fold(x, axis) for axis in (0, 1)], draw) for name in ("max", "min")}, 5)


GATHERS = {
    "entries": (lambda x, i, mode: x.at[i].get(mode=mode), placing((4,), (9,))),
    "entries of a matrix": (lambda x, i, j, mode: x.at[i, j].get(mode=mode), placing((3, 4), (5,), (5,))),
    "rows": (lambda x, i, mode: x.at[i].get(mode=mode), placing((3, 4), (2, 5))),
    "columns": (lambda x, i, mode: x.at[:, i].get(mode=mode), placing((3, 4), (6,))),
    "one": (lambda x, i, mode: x.at[i].get(mode=mode), placing((5, 2), ())),
    "of an outer grid": (lambda x, i, j, mode: x.at[i[:, None], j].get(mode=mode), placing((3, 4), (5,), (2,))),
    "in the middle": (lambda x, i, mode: x.at[:, i, 1].get(mode=mode), placing((2, 4, 3), (5,))),
    "computed": (lambda x, i, mode: (x + 1).at[i * 2 - 1].get(mode=mode) * 3, placing((4,), (9,))),
    "of each row": (lambda x, i, mode: jax.vmap(lambda x, i: x.at[i].get(mode=mode))(x, i), placing((3, 4), (3, 2))),
    "windows": (lambda x, i, mode: windows(x, i, mode), placing((5, 4), (6, 2))),
    "of each row, windows": (
        lambda x, i, mode: jax.vmap(lambda x, i: windows(x, i, mode))(x, i),
        placing((3, 5, 4), (3, 2, 2)),
    ),
}


def windows(x, starts, mode):
    """Return all windows of two rows and three columns that begin at places."""
    how = GatherDimensionNumbers(offset_dims=(1, 2), collapsed_slice_dims=(), start_index_map=(1, 0))
    return lax.gather(x, starts, how, (2, 3), mode=mode)


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_entries_are_read_at_computed_places_as_xla_reads_them(mode):
    cases = {
        name: (lambda *given, read=read: read(*given, mode=MODES[mode]), draw) for name, (read, draw) in GATHERS.items()
    }
    read = GATHERS["entries"][0]
    for dtype in ("bool", "int8", "uint8", "uint32", "float32"):
        cases[dtype] = lambda x, i: read(x, i, MODES[mode]), placing((4,), (9,), dtype=dtype)
    if mode == "fill":
        cases["filling"] = lambda x, i: x.at[i].get(mode="fill", fill_value=-7), placing((4,), (9,))
    check(cases, draws=4)


@needs_compiler
def test_entries_are_read_at_promised_and_at_unsigned_places():
    def draw(k):
        rng = np.random.default_rng(k)
        return [rng.integers(-9, 9, 6).astype(np.int32), rng.integers(0, 6, 8).astype(np.uint8)]

    cases = {
        "promised": (lambda x, i: x.at[i].get(mode="promise_in_bounds"), draw),
        "unsigned": (
            lambda x, i: (x[i], x[i + 250], x[i.astype(jnp.uint32) - 1], jnp.take(x, i + 5, mode="clip")),
            draw,
        ),
        "wrapping": (lambda x, i: jnp.take(x, i.astype(int) * 3 - 9, mode="wrap"), draw),
        "along an axis": (lambda x, i: jnp.take_along_axis(x.reshape(2, 3), i.reshape(2, 4) % 3, 1), draw),
    }
    check(cases, draws=3)


SCATTERS = {
    "set": lambda x, i, y, mode: x.at[i].set(y, mode=mode),
    "add": lambda x, i, y, mode: x.at[i].add(y, mode=mode),
    "multiply": lambda x, i, y, mode: x.at[i].multiply(y, mode=mode),
    "max": lambda x, i, y, mode: x.at[i].max(y, mode=mode),
    "min": lambda x, i, y, mode: x.at[i].min(y, mode=mode),
    "subtract": lambda x, i, y, mode: x.at[i].subtract(y, mode=mode),
}


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_entries_are_written_at_computed_places_as_xla_writes_them(mode):
    way = MODES[mode]
    cases = {}
    for dtype in ("int8", "uint32"):
        for name, write in SCATTERS.items():
            draw = placing((5,), (8,), updates=(8,), dtype=dtype)
            cases[f"{name}, {dtype}"] = lambda *given, write=write: write(*given, mode=way), draw
    rows = placing((4, 3), (5,), updates=(5, 3))
    cases |= {f"{name}, rows": (lambda *given, w=write: w(*given, mode=way), rows) for name, write in SCATTERS.items()}
    cases["columns"] = lambda x, i, y: x.at[:, i].add(y, mode=way), placing((3, 4), (6,), updates=(3, 6))
    cases["pairs"] = (
        lambda x, i, j, y: x.at[i, j].set(y, mode=way),
        placing((3, 4), (7,), (7,), updates=(7,)),
    )
    cases["one"] = (
        lambda x, i, y: (x.at[i].set(y, mode=way), x.at[1, i].set(9, mode=way)),
        placing((4, 3), (), updates=(3,)),
    )
    cases["of each row"] = (
        jax.vmap(lambda x, i, y: x.at[i].set(y, mode=way)),
        placing((3, 4), (3, 2), updates=(3, 2)),
    )
    cases["computed"] = lambda x, i, y: (x * 2).at[i + 1].max(y - 1, mode=way) + 1, placing((5,), (8,), updates=(8,))
    cases["truth"] = (
        lambda x, i, y: ((x > 0).at[i].set(y > 0, mode=way), (x > 0).at[i].max(y > 0, mode=way)),
        placing((5,), (8,), updates=(8,)),
    )
    cases["windows"] = lambda x, i, y: laid(x, i, y, way), placing((5, 4), (6, 2), updates=(6, 2, 3))
    check(cases, draws=4)


def laid(x, starts, windows, mode):
    """Return an array with windows of two rows and three columns laid upon it, which begin at places."""
    how = lax.ScatterDimensionNumbers((1, 2), (), (1, 0))
    return lax.scatter(x, starts, windows, how, mode=mode)


@needs_compiler
def test_parts_at_computed_places_are_those_of_xla():
    def part(x, i, j):
        return lax.dynamic_slice(x, (i, j), (2, 3)), lax.dynamic_slice(x + 1, (i * 2, 1), (1, 2)), x[i], x[:, j]

    def replaced(x, i, j, y):
        z = lax.dynamic_update_slice(x, y, (i, j))
        return z, z * 2, lax.dynamic_update_slice(x.T, (y + 1).T, (j, i)), x.at[1, 2].set(5).at[i, j].add(1)

    cases = {
        "part": (part, placing((4, 5), (), ())),
        "replaced": (replaced, placing((4, 5), (), (), updates=(2, 3))),
        "primitive part": (lambda x, i: lax.dynamic_slice_p.bind(x, i, slice_sizes=(3,)), placing((5,), ())),
        "bytes": (lambda x, i: x[i], placing((4, 5), (), dtype=np.uint8)),
        "truth": (lambda x, i: (x > 0).at[i].set(False), placing((4,), ())),
    }
    check(cases, draws=12)
