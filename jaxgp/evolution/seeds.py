"""Several runs in one program: the same generation of each, from states of their own.

What a run computes depends on its own state alone. So it is the same, bit for bit, as if the run were alone, for every
number of runs, of runs at a time and of devices.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import PartitionSpec

from jaxgp.arrays import PARTS, each
from jaxgp.contracts import Metrics
from jaxgp.evolution.ring import ManyPopulations
from jaxgp.evolution.state import EvolutionState


@dataclass(frozen=True, repr=False)
class Seeds(ManyPopulations):
    """A generation of every run; each run is a part."""

    def init(self, keys: Array) -> list[EvolutionState]:
        """Return the state of each run before generation 0, for typed keys [S]."""
        return [self.ring.init(key) for key in keys]

    def step(self, states: Sequence[EvolutionState]) -> list[tuple[EvolutionState, Metrics]]:
        """Measure the waiting generation of each run and breed the next; a list as long as `states`."""
        run: Callable[[Any], Any] = partial(each, self.ring.step, together=self.together)
        shares = 1
        if self.mesh is not None:
            part = PartitionSpec(PARTS)
            run = jax.shard_map(run, mesh=self.mesh, in_specs=(part,), out_specs=part, check_vma=False)
            shares = self.mesh.size
        # Devices have equal shares. What is computed of a run twice is dropped.
        equal = [*states, *[states[-1]] * (-len(states) % shares)]
        found = run(jax.tree.map(lambda *leaves: jnp.stack(leaves), *equal))
        return [jax.tree.map(lambda x, i=number: x[i], found) for number in range(len(states))]
