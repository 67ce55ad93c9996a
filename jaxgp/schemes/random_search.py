"""Random search: every generation is created anew, and the best individual of all is kept. A baseline."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from jaxgp.evolution.options import GPOptions
from jaxgp.options import option

if TYPE_CHECKING:
    from jaxgp.contracts import Scheme
    from jaxgp.evolution.options import Language


@dataclass
class RandomSearchOptions(GPOptions):
    """Random programs in every generation: options of selection, crossover and mutation have no meaning."""

    selects: ClassVar[bool] = False
    breeds: ClassVar[bool] = False

    kind: str = option("random_search", "new random programs in every generation", ("random_search",))
    elites: int = option(0, "none; the run keeps its champion", low=0, high=0, label="elitism")

    def scheme(self, language: "Language") -> "Scheme":
        """Return the creation of programs."""
        from jaxgp.schemes.breeding.random_search import Anew

        return Anew(language.without(self.left_out), self)

    def rows(self) -> list[tuple[str, str]]:
        """Return the row of the search, and that of tuning."""
        return [("search", "random: every generation is created anew"), *self.tune.rows(inherited=False)]
