"""Random search: nothing is inherited. Any other algorithm has to be better at an equal number of evaluations."""

from dataclasses import dataclass

from jax import Array

from jaxgp.contracts import Metrics
from jaxgp.evolution.generational import BREED, Generational
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes.programs import Programs


@dataclass(frozen=True, repr=False)
class Anew(Generational):
    """Every generation consists of random programs, independent of the last one."""

    def _breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Array
    ) -> tuple[Programs, Array, Metrics]:
        """Return random programs [P, T, L], drawn as those of the first generation are."""
        del population, result
        return self.create(child(key, BREED), self.population), memory, {}
