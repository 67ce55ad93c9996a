"""CMA-ES: an evolution strategy for vectors of numbers, or for the numbers of one program."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxgp.errors import reject
from jaxgp.evolution.options import CHUNK, STAGNATION, AlgorithmOptions, MigrationOptions, check_chunk
from jaxgp.options import MAX_COUNT, MAX_POPULATION, find, find_changed, option

if TYPE_CHECKING:
    from jaxgp.contracts import Scheme
    from jaxgp.evolution.options import Language
    from jaxgp.games.casting import Cast


@dataclass
class CMAOptions(AlgorithmOptions):
    """An evolution strategy for vectors of numbers, or those of a program: CMA-ES with a diagonal covariance matrix."""

    kind: str = option("cma", "an evolution strategy for vectors of numbers, or those of a program", ("cma",))
    population: int = option(
        24,
        "individuals of a generation: the mean of the distribution, and those drawn from it",
        low=5,
        high=MAX_POPULATION,
        label="population size",
    )
    generations: int = option(
        150, "generations of the run", low=1, high=MAX_COUNT, label="maximum number of generations"
    )
    stagnation: int | None = option(None, STAGNATION, low=1, high=MAX_COUNT)
    start: float = option(
        0.25,
        "where the mean begins, as a share of the way from the least to the greatest value",
        low=0.001,
        high=0.999,
        label="first mean",
    )
    initial: list[str] = option(
        [],
        "one program as text, or a champion: a run directory, a champion file, FILE.jsonl#SEED; its real numbers move, "
        "and its form stays",
    )
    step: float = option(
        0.5,
        "standard deviation of the first individuals, on the logistic scale of the values; with `initial`, in widths "
        "of the domains of constants and magnitudes of factors",
        low=0.001,
        high=10,
        label="first step size",
    )
    chunk: int | None = option(None, CHUNK, low=1, high=MAX_POPULATION)
    islands: MigrationOptions = option(
        MigrationOptions(), "there are none: all individuals are drawn from one distribution"
    )

    def laws(self, prefix: str) -> None:
        """Refuse islands, two beginnings, and chunks that do not divide the population; raises UsageError."""
        if self.islands.count != 1:
            accepted = "1 with algorithm.kind=cma, whose individuals are drawn from one distribution"
            reject(prefix + "islands.count", self.islands.count, accepted)
        if self.initial and find_changed(self, ["start"]):
            usual = find(self, "start").default
            reject(prefix + "start", self.start, f"{usual} with {prefix}initial: the first mean is that program")
        check_chunk(self, prefix)

    def check(self, cast: "Cast[Any]") -> None:
        """Refuse individuals that are no vectors of numbers, and a program that has none; raises UsageError."""
        from jaxgp.schemes.breeding.cma import fits, numbers_of

        if self.initial:
            try:
                numbers_of(cast.language, self.initial)
            except ValueError as error:
                of = f"of {cast.spec.name} with program.role={cast.program['role']}"
                reject("algorithm.initial", self.initial, f"a program {of} with real numbers ({error})")
        elif not fits(cast.language):
            others = ", ".join(kind for kind in self.evolving("program") if kind != "cma")
            why = f"individuals of {cast.spec.name} with program.role={cast.program['role']} are no vectors of numbers"
            reject("algorithm.kind", "cma", f"{others}; {why}, and algorithm.initial names no program")

    def scheme(self, language: "Language") -> "Scheme":
        """Return the evolution strategy."""
        from jaxgp.schemes.breeding.cma import SeparableCMA

        return SeparableCMA(language, self)
