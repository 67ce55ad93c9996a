"""Where the entries of views, gathers and slices are in the arrays that they look at: an index for each axis."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from jaxgp.native.graph import Operation

Index = Sequence[str]
"""An expression of C++ for each axis."""
Read = Callable[[Operation, Index], str]
"""(node, index) -> an expression for an entry of it."""

AXES = ("reshape", "squeeze", "expand_dims")
"""Views of all entries in their order in memory."""


def linear(index: str, step: int, first: int) -> str:
    """Return index * step + first."""
    scaled = index if step == 1 or index == "0" else f"{step} * {index}"
    if not first:
        return scaled
    return str(first) if scaled == "0" else f"({scaled} + {first})"


def in_memory(shape: Sequence[int], at: Index) -> str:
    """Return the place of an entry among all entries of an array, the last axis fastest."""
    terms, size = [], 1
    for n, i in zip(reversed(shape), reversed(at), strict=True):
        if i != "0":
            terms.append(i if size == 1 else f"{i} * {size}")
        size *= n
    return " + ".join(reversed(terms)) or "0"


def keeps_axes(node: Operation) -> bool:
    """Return whether a reshape does no more than to add or drop axes of size 1."""
    return [n for n in node.shape if n != 1] == [n for n in node.inputs[0].shape if n != 1]


def _of_broadcast(node: Operation, at: Index) -> Index:
    axes = node.params["broadcast_dimensions"]
    return [at[k] if n != 1 else "0" for k, n in zip(axes, node.inputs[0].shape, strict=True)]


def _of_slice(node: Operation, at: Index) -> Index:
    steps = node.params["strides"] or [1] * len(at)
    return [linear(i, step, first) for i, step, first in zip(at, steps, node.params["start_indices"], strict=True)]


def _of_axes(node: Operation, at: Index) -> Index:
    rest = iter([i for i, n in zip(at, node.shape, strict=True) if n != 1])
    return ["0" if n == 1 else next(rest) for n in node.inputs[0].shape]


def _of_rev(node: Operation, at: Index) -> Index:
    turned = node.params["dimensions"]
    return [f"({n - 1} - {i})" if k in turned else i for k, (i, n) in enumerate(zip(at, node.shape, strict=True))]


def _of_transpose(node: Operation, at: Index) -> Index:
    axes = node.params["permutation"]
    return [at[axes.index(k)] for k in range(len(at))]


def _of_tile(node: Operation, at: Index) -> Index:
    return [f"({i} % {n})" if n != 1 else "0" for i, n in zip(at, node.inputs[0].shape, strict=True)]


VIEWS: dict[str, Callable[[Operation, Index], Index]] = {
    **dict.fromkeys(AXES, _of_axes),
    "broadcast_in_dim": _of_broadcast,
    "slice": _of_slice,
    "rev": _of_rev,
    "transpose": _of_transpose,
    "tile": _of_tile,
}
"""(view, index) -> the index in the array that it looks at."""


def of_dynamic_slice(node: Operation, at: Index, read: Read) -> Index:
    """Return the index in the array that a slice with computed begins is taken from, or written to."""
    one, *firsts = node.inputs
    part = node
    if node.op == "dynamic_update_slice":
        one, part, *firsts = node.inputs
    spare = [n - m for n, m in zip(one.shape, part.shape, strict=True)]
    begins = [f"bounded({read(first, ())}, {most})" for first, most in zip(firsts, spare, strict=True)]
    return [f"({begin} + {i})" for begin, i in zip(begins, at, strict=True)]


def of_gather(node: Operation, at: Index, read: Read) -> tuple[Index, list[str]]:
    """Return the index in the array that is gathered from, and conditions for it to lie there."""
    one, indices = node.inputs
    how, sizes = node.params["dimension_numbers"], node.params["slice_sizes"]
    names = how.offset_dims, how.collapsed_slice_dims, how.start_index_map
    batching = how.operand_batching_dims, how.start_indices_batching_dims
    return _computed(one, indices, at, read, names, batching, sizes)


def of_scatter(node: Operation, at: Index, read: Read) -> tuple[Index, list[str]]:
    """Return the index in the array that entry `at` of the updates is written to, and conditions to be there."""
    one, indices, updates = node.inputs
    how = node.params["dimension_numbers"]
    lone = (*how.inserted_window_dims, *how.operand_batching_dims)
    window = iter([updates.shape[k] for k in how.update_window_dims])
    sizes = [1 if k in lone else next(window) for k in range(len(one.shape))]
    names = how.update_window_dims, how.inserted_window_dims, how.scatter_dims_to_operand_dims
    batching = how.operand_batching_dims, how.scatter_indices_batching_dims
    return _computed(one, indices, at, read, names, batching, sizes)


def _computed(
    one: Operation,
    indices: Operation,
    at: Index,
    read: Read,
    names: tuple[Sequence[int], Sequence[int], Sequence[int]],
    batching: tuple[Sequence[int], Sequence[int]],
    sizes: Sequence[int],
) -> tuple[Index, list[str]]:
    """Return an index whose parts are computed numbers, as those of gathers and scatters are."""
    window, lone, mapped = names
    batch = [i for k, i in enumerate(at) if k not in window]
    offsets = iter([at[k] for k in window])
    places, inside = [], []
    for axis, n in enumerate(one.shape):
        if axis in batching[0]:
            places.append(batch[batching[1][batching[0].index(axis)]])
            continue
        place = "0" if axis in lone else next(offsets)
        if axis in mapped:
            first = read(indices, [*batch, str(mapped.index(axis))])
            place = f"(bounded({first}, {n - sizes[axis]}) + {place})"
            inside.append(f"within({first}, {n - sizes[axis]})")
        places.append(place)
    return places, inside


def drops(node: Operation) -> bool:
    """Return whether a gather or scatter leaves out what lies beyond the ends, where others take the nearest."""
    return GatherScatterMode.from_any(node.params["mode"]) == GatherScatterMode.FILL_OR_DROP


def filling(node: Operation) -> Any:
    """Return what a gather gives for places that there are not."""
    value, dtype = node.params["fill_value"], node.dtype
    if value is None and dtype.kind in "iu":
        value = np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
    elif value is None:
        value = True if dtype.kind == "b" else np.nan
    return np.array(value, dtype)
