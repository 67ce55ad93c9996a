"""Kind `champion`: the champion of a run at the table; in a batch the latest champions of the run itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, option
from jaxgp.seats.options import GenomeOptions

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.games.casting import Cast
    from jaxgp.genotypes.language import Genome
    from jaxgp.players.panel import Create, SearchLimits
    from jaxgp.seats.agents import Agent
    from jaxgp.spec import Hand


@dataclass(kw_only=True)
class ChampionOptions(GenomeOptions):
    """Individuals that evolved."""

    kind: str = option(
        "champion", "in a panel the latest champions of the run, at the table that of `run`", ("champion",)
    )
    depth: int | None = option(
        None, "plies of champions that search; null: those that they were evolved with", low=1, high=DEEPEST
    )

    drives = True

    @property
    def says(self) -> str:
        return f"the last {self.count} champion{'' if self.count == 1 else 's'}"

    def check(self, option: str, cast: "Cast") -> None:
        super().check(option, cast)
        self._cast(option, cast)

    def _cast(self, option: str, cast: "Cast") -> "Cast":
        """Return how champions play; raises UsageError for a depth that they do not search."""
        if self.depth is None:
            return cast
        from jaxgp.players.searched import SearchedPlayer

        if not isinstance(cast.actor, SearchedPlayer):
            reject(f"{option}.depth", self.depth, "null", f"programs for {cast.spec.name} do not search in this role")
        return cast.at_depth(self.depth, f"{option}.depth")

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "SearchLimits") -> "Opponent":
        from jaxgp.players.program import ProgramOpponent

        actor = self._cast("champion", cast).actor
        return ProgramOpponent(cast.game, actor, create, self.count, rounds=games, champions=True)

    def agent(self, option: str, cast: "Cast", champion: "Genome | None" = None) -> "Agent":
        from jaxgp.seats.agents import genome_agent

        return genome_agent(self._cast(option, cast), self._genome(option, cast, champion), "champion")

    def hand(self, option: str, cast: "Cast", champion: "Genome | None" = None) -> "Hand":
        from jaxgp.spec import Hand

        return Hand(cast.actor, self._genome(option, cast, champion))

    def _genome(self, option: str, cast: "Cast", champion: "Genome | None") -> "Genome":
        """Return the genome of the champion; raises UsageError if there is none, or it does not fit."""
        self.check(option, cast)
        if champion is None:
            raise UsageError(f"{option}=champion: needs run=DIR as well", option, "champion", "run=DIR")
        return champion
