"""Alpha-beta with lanes that wait for each other, to measure what free-running lanes gain."""

import dataclasses

from jax import Array

from jaxgp.search.alphabeta import AlphaBeta, _Lane


@dataclasses.dataclass(frozen=True)
class LockStep(AlphaBeta):
    """Hands out roots only when all lanes are done; the results are those of `AlphaBeta`."""

    def _free(self, lanes: _Lane) -> Array:
        return super()._free(lanes) & ~lanes.busy.any()


def lock_step(search: AlphaBeta) -> LockStep:
    """Return the same search with lanes that wait."""
    return LockStep(**{field.name: getattr(search, field.name) for field in dataclasses.fields(search)})
