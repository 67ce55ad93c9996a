"""What a run carries from one generation to the next: arrays only, so that a checkpoint is this and nothing else."""

from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from flax import struct
from jax import Array

from jaxgp.genotypes.language import Genome, Language, fault
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.rulelists import RuleLists

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


def fault_of(state: EvolutionState, language: Language | None, generation: int) -> str:
    """Say which array of a state that was read from a file is beyond its bounds; empty: none.

    Args:
        state: of the right shapes and types.
        language: what the population is written in.
        generation: whose state it has to be.
    """
    if (np.asarray(state.generation) != generation).any():
        return f"generation: accepted: {generation}"
    named = {name: getattr(state, name) for name in ("population", "champion", "carried", "memory", "candidates")}
    if not all(_begun(one).all() for one in _parts(state.population)):
        return "population: length: accepted: at least 1"
    for name, part in named.items():
        for one in _parts(part):
            # What the fitness remembers may be of players that are written in something else.
            if why := _fault(one, None if name == "memory" else language, generation):
                return f"{name}: {why}"
    return ""


def _parts(tree: object) -> list[Any]:
    """Return the genomes and champions of a tree, and its other arrays."""
    return jax.tree.leaves(tree, is_leaf=lambda one: isinstance(one, Programs | RuleLists | BestSoFar))


def _begun(genomes: object) -> np.ndarray:
    """Return for each tree whether it has a node; lists may have no rules."""
    return np.asarray(genomes.length) > 0 if isinstance(genomes, Programs) else np.array(True)


def _fault(one: object, language: Language | None, generation: int) -> str:
    """Say what is beyond its bounds in a genome, a champion or an array; empty: nothing."""
    if isinstance(one, Programs | RuleLists):
        return fault(one, language)
    if not isinstance(one, BestSoFar):
        return ""
    found, there = np.asarray(one.generation), np.asarray(one.generation) >= 0
    if ((found < -1) | (found > generation)).any():
        return f"generation: accepted: -1 to {generation}"
    if np.isnan(np.asarray(one.fitness))[there].any():
        return "fitness: accepted: numbers"
    parts = _parts(one.genome)
    if why := next(filter(None, (fault(each, language) for each in parts)), ""):
        return f"genome: {why}"
    begun = all(_begun(each)[there].all() for each in parts if isinstance(each, Programs))
    return "" if begun else "genome: length: accepted: at least 1"
