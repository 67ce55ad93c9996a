"""MAP-Elites: an archive of the fittest individual of each cell; parents are drawn uniformly from it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions
from jaxgp.options import option

if TYPE_CHECKING:
    from jaxgp.contracts import Scheme
    from jaxgp.evolution.options import Language

AXES = ("size", "symbols", "balance")
METHODS = ("one_child", "two_children")
"""Of crossover, those that do not ask which of two parents is the fitter."""


@dataclass
class MapElitesOptions(GPOptions):
    """MAP-Elites of programs: parents are drawn from the archive, so options of selection have no meaning.

    Source: J.-B. Mouret and J. Clune, "Illuminating search spaces by mapping elites", arXiv 1504.04909, 2015.
    """

    selects: ClassVar[bool] = False

    kind: str = option("map_elites", "an archive of the fittest of each kind, by descriptors", ("map_elites",))
    elites: int = option(0, "none; the archive keeps them", low=0, high=0, label="elitism")
    axes: list[str] = option(
        ["size", "symbols"],
        "descriptors that tell cells of the archive apart; size: nodes, on a logarithmic scale; symbols: primitives "
        "that are used; balance: the share of points from the first seat",
        AXES,
        accepted=f"one or more of {', '.join(AXES)}, as in [size,symbols]",
        test=lambda name: name in AXES,
    )
    bins: int = option(8, "cells along each axis", low=1, high=64)

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        super().laws(prefix)
        if not self.axes or len(set(self.axes)) < len(self.axes):
            reject(prefix + "axes", self.axes, f"one or more of {', '.join(AXES)}, each once")
        if self.crossover.method not in METHODS:
            accepted = f"{', '.join(METHODS)} with {prefix}kind={self.kind}, which compares no parents"
            reject(prefix + "crossover.method", self.crossover.method, accepted)

    def scheme(self, language: "Language") -> "Scheme":
        """Return the archive and its children."""
        from jaxgp.schemes.breeding.map_elites import Elites

        return Elites(language.without(self.left_out), self)

    def rows(self) -> list[tuple[str, str]]:
        """Return the row of the archive, and that of tuning."""
        cells = f"{self.bins ** len(self.axes)} cells, {self.bins} along each of {', '.join(self.axes)}"
        archive = f"{cells}; the fittest of each cell stays, and parents are drawn uniformly from it"
        return [("archive", archive), *super().rows()]
