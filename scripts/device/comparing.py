"""Compares the figures of two sides: integers to the bit, floats by a tolerance."""

from typing import Any

import numpy as np

TOLERANCE = 1e-5
"""Of float32 figures, relative to the greater one or to 1: a few units of the last digit of a sum of some numbers."""


def unlike(expected: np.ndarray, found: np.ndarray) -> tuple[np.ndarray, float]:
    """Return where arrays differ, floats by more than `TOLERANCE`, and the largest difference of floats."""
    if not np.issubdtype(expected.dtype, np.floating):
        return expected != found, 0.0
    known = np.isfinite(expected) & np.isfinite(found)
    scale = np.maximum(1, np.maximum(np.abs(expected), np.abs(found)))
    with np.errstate(invalid="ignore"):
        off = np.where(known, np.abs(expected - found) / scale, 0)
    same = known | (expected == found) | (np.isnan(expected) & np.isnan(found))
    return (off > TOLERANCE) | ~same, float(off.max(initial=0))


def differences(cpu: dict[str, Any], device: dict[str, Any]) -> tuple[list[str], int, float]:
    """Compare figures by name.

    Returns:
        A line for each name whose figures differ, how many single figures there are, and the largest difference of
        floats, relative to the greater one or to 1.
    """
    told, count, largest = [f"{name}: on one side alone" for name in sorted(cpu.keys() ^ device.keys())], 0, 0.0
    for name in sorted(cpu.keys() & device.keys()):
        one, other = np.asarray(cpu[name]), np.asarray(device[name])
        count += one.size
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
            told.append(f"{name}: {one.dtype}{list(one.shape)} and {other.dtype}{list(other.shape)}")
            continue
        off, most = unlike(one, other)
        largest = max(largest, most)
        if off.any():
            first = np.unravel_index(off.argmax(), off.shape)
            told.append(f"{name} at {list(map(int, first))}: {one[first]} on the CPU, {other[first]} on the device")
    return told, count, largest
