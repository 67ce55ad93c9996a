"""Values that are too many to be compiled into a program: they stay on the host, and the program asks for some."""

from dataclasses import dataclass

import jax
import numpy as np
from jax import Array


@dataclass(frozen=True, eq=False)
class Outside:
    """An array of NumPy that programs on a device read by places, as if it were theirs."""

    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.values.shape

    def __getitem__(self, places: Array) -> Array:
        """Return the values at places, int32[*B]; beyond an end those at it, as on a device."""
        found = jax.ShapeDtypeStruct(places.shape, self.values.dtype)
        return jax.pure_callback(self._read, found, places, vmap_method="broadcast_all")

    def _read(self, places: Array) -> np.ndarray:
        found: np.ndarray = self.values[np.clip(np.asarray(places), 0, len(self.values) - 1)]
        return found
