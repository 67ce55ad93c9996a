"""What a run carries from one generation to the next: arrays only, so that a checkpoint is this and nothing else."""

from typing import TYPE_CHECKING, Any

from flax import struct
from jax import Array

from jaxgp.genotypes.language import Genome

if TYPE_CHECKING:
    from jaxgp.evolution.candidates import Candidates


@struct.dataclass
class BestSoFar:
    """The best individual so far; ties go to the earlier one."""

    genome: Genome
    fitness: Array  # float32[]
    points: Array  # float32[S]: what the fitness is made of: mean points as first and as second mover; or one value
    generation: Array  # int32[]: when it was found


@struct.dataclass
class EvolutionState:
    """A population that waits to be evaluated, and what the run has learned."""

    generation: Array  # int32[]: number of the waiting generation; the first is 0
    key: Array  # typed key[]: of the run; generation g uses fold_in(key, g)
    population: Genome  # [P, ...]
    memory: Any  # what the fitness carries along: reply tables, past champions
    carried: Any  # what the scheme carries along: how often behaviours were met, the number of the cycle
    champion: BestSoFar
    finished: Array  # bool[]: whether the termination criterion holds, so that nothing is left to do
    candidates: "Candidates | None" = None  # where the champion is named in new games at the end

    def __repr__(self) -> str:
        return f"EvolutionState(generation={self.generation}, best fitness={self.champion.fitness})"
