"""Gates: programs that are sums of gates, whose numbers all learn by a gradient method, and whose gates evolve."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from jaxgp.errors import reject, show
from jaxgp.evolution.options import GPOptions
from jaxgp.options import MAX_WEIGHT, find, find_changed, option

if TYPE_CHECKING:
    from jaxgp.contracts import Scheme
    from jaxgp.evolution.options import Language
    from jaxgp.games.casting import Cast

MAX_GATES = 1000
NO_MEANING = {
    "initial": "which begins with random sums of gates",
    "left_out": "whose sums are of all terminals",
    "max_depth": "whose programs keep the form of a sum of gates",
}
"""Options of genetic programming that sums of gates do not use, and why."""


@dataclass
class GatesOptions(GPOptions):
    """Sums of gates, `jaxgp.genotypes.gates`: options of creation, selection, crossover, mutation have no meaning.

    `tune.steps` are of each generation. The rate falls over the whole run by half a cosine, to `tune.decay` of itself.
    """

    selects: ClassVar[bool] = False
    breeds: ClassVar[bool] = False

    kind: str = option("gates", "sums of gates, whose constants learn by gradients", ("gates",))
    gates: int = option(16, "gates of each tree", low=1, high=MAX_GATES)
    density: float = option(1.0, "share of all terms that new sums have", low=0, high=1, above=True)
    terms: float = option(
        1.0, "share of all terms that programs of the last generation have at most", low=0, high=1, above=True
    )
    spread: float = option(0.3, "standard deviation of the weights of new conditions", low=0, high=MAX_WEIGHT)
    renewed: int = option(
        1, "gates of a child that are those of individuals drawn at random, or new ones", low=0, high=MAX_GATES
    )

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        for name in find_changed(self, list(NO_MEANING)):
            usual = show(find(self, name).default)
            reject(prefix + name, getattr(self, name), f"{usual} with {prefix}kind={self.kind}, {NO_MEANING[name]}")
        super().laws(prefix)
        if self.renewed > self.gates:
            reject(prefix + "renewed", self.renewed, f"a whole number from 0 to {prefix}gates={self.gates}")
        if not self.elites:
            reject(prefix + "elites", 0, f"a whole number from 1 to {self.population}, since children are theirs")
        if self.tune.reborn:
            reject(prefix + "tune.inherit", self.tune.inherit, f"lamarck with {prefix}kind={self.kind}")
        if self.tune.share != 1:
            reject(prefix + "tune.share", self.tune.share, f"1 with {prefix}kind={self.kind}")

    def check(self, cast: "Cast[Any]") -> None:
        """Refuse programs that have no gates, and too few nodes for those asked for; raises UsageError."""
        from jaxgp.genotypes.gates import NODES, OF_GATE, form

        super().check(cast)
        for tree in range(cast.language.num_trees):
            made = form(cast.language, tree, self.gates)
            if made is None:
                reject("algorithm.kind", self.kind, f"another one; programs of {cast.spec.name} are no sums of gates")
            least = 1 + (OF_GATE + NODES) * self.gates
            if self.capacity < least:
                reject("algorithm.capacity", self.capacity, f"from {least} with algorithm.gates={self.gates}")

    def scheme(self, language: "Language") -> "Scheme":
        """Return how gates learn and breed."""
        from jaxgp.schemes.breeding.gates import Gated

        return Gated(language, self)

    def rows(self) -> list[tuple[str, str]]:
        """Return the rows of the programs, and that of tuning."""
        said = f"{self.gates} gates in each tree, and a sum; {100 * self.density:g} % of all terms at first"
        last = "" if self.terms == 1 else f", {100 * self.terms:g} % at most in the end"
        children = (
            f"copies of the {self.elites} fittest, {self.renewed} of whose gates are drawn from the population or new"
        )
        return [("programs", said + last), ("children", children), *super().rows()]
