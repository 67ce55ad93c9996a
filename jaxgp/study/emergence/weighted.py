"""Weights of heuristics that can be turned off: a vector of weights, and the same with weights for further heuristics.

What takes the place of a heuristic is a heuristic with a weight of its own, which is 0 in the champion.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np

from jaxgp.genotypes.primitives import Floats, Primitive
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import arrays_of
from jaxgp.players.solver import ByWeights, ProgramSolver
from jaxgp.search.puzzles.children import Child
from jaxgp.study.emergence.altered import NOISE, further, replacements

WEIGHT = "weight:"


@dataclass(frozen=True)
class AlteredWeights:
    """An `Alterable` of vectors of weights, [H, 1] in place of [T, L]; a terminal is a heuristic.

    Attributes:
        actor: how vectors of more weights search: those of the champion, of random values, and of what takes the place
            of each heuristic.
        names: the heuristics, H.
    """

    actor: ProgramSolver
    names: tuple[str, ...]
    counted: str = "weight"

    def widened(self, program: Programs) -> Programs:
        """See `Alterable`."""
        return self._vector(dict(enumerate(_weights(program))))

    def disabled(self, program: Programs, name: str, way: str) -> Programs | None:
        """See `Alterable`."""
        weights = dict(enumerate(_weights(program)))
        weight = weights.pop(self.names.index(name))
        if not weight:
            return None
        return self._vector(weights if way == "zero" else {**weights, self._place(f"{name}~{way}"): weight})

    def alone(self, name: str) -> Iterator[tuple[str, int, Programs]]:
        """See `Alterable`."""
        for sign in (1, -1):
            yield name, sign, self._vector({self._place(name): sign})

    def random(self) -> Programs:
        """See `Alterable`."""
        return self._vector({self._place(NOISE): 1})

    def uses(self, program: Programs) -> dict[str, float]:
        """See `Alterable`."""
        return dict(zip(self.names, _weights(program), strict=True))

    def _place(self, name: str) -> int:
        """Return where the weight of a heuristic stands."""
        return self.actor.primitives.roots.index(name)

    def _vector(self, weights: dict[int, float]) -> Programs:
        """Return the vector with some weights, by their places, and else zeros."""
        count = len(self.actor.primitives.roots)
        return arrays_of([[(place, weights.get(place, 0.0), 1)] for place in range(count)], 1)


def alter_weights(solver: ProgramSolver, seen: np.ndarray, seed: int) -> AlteredWeights:
    """Return the search of a champion of weights with heuristics that can be turned off.

    Args:
        solver: how the champion searches: by weights among which no rules choose.
        seen: float32[H, N], what its heuristics count at positions at which their values are looked at.
        seed: of values that look random.
    """
    valued, own = solver.valued, solver.primitives
    assert isinstance(valued, ByWeights)
    assert not own.rules
    table, factors = replacements(seen, len(seen), np.random.default_rng(seed))
    add = further(table, factors)
    added = [NOISE, *(f"{name}~{way}" for name in valued.names for way in ("random", "elsewhere"))]
    names = (*valued.names, *added)
    wide = replace(
        own,
        name=f"{own.name}-altered",
        terminals=tuple(Primitive(WEIGHT + name, name, domain=Floats(-1.0, 1.0)) for name in names),
        roots=names,
    )
    units = (*valued.units, 1.0, *(unit for unit in valued.units for _ in range(2)))

    def look(child: Child) -> jnp.ndarray:
        return jnp.asarray(add(valued.view(child)))

    return AlteredWeights(
        replace(solver, valued=replace(valued, primitives=wide, view=look, units=units)), valued.names
    )


def _weights(program: Programs) -> list[float]:
    """Return the weights of a vector."""
    return np.asarray(program.value)[:, 0].tolist()
