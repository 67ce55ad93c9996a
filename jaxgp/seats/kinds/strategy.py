"""Kind `strategy`: a fixed player of the game."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from jaxgp.errors import UsageError, reject
from jaxgp.options import option
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.games.casting import Cast
    from jaxgp.players.panel import Create, SearchLimits
    from jaxgp.seats.agents import Agent
    from jaxgp.spec import Hand


@dataclass(kw_only=True)
class StrategyOptions(PlayerOptions):
    """One of the game's own strategies."""

    kind: str = option("strategy", "a fixed player of the game", ("strategy",))
    name: str = option("", "which of the game's strategies; nothing: the first")

    main = "name"
    words = ("name",)
    trains = True
    fixed = True
    drives = True

    @property
    def bound(self) -> bool:
        return True

    @property
    def says(self) -> str:
        return f"the strategy {self.name}"

    def named(self, cast: "Cast") -> Self:
        return replace(self, name=self.name or cast.spec.strategies[0])

    def unfit(self, cast: "Cast") -> str:
        return super().unfit(cast) or ("" if cast.spec.strategies else f"{cast.spec.name} has no strategies")

    def check(self, option: str, cast: "Cast") -> None:
        super().check(option, cast)
        if self.name and self.name not in cast.spec.strategies:
            reject(f"{option}.name", self.name, ", ".join(cast.spec.strategies))
        try:
            cast.spec.strategy_of(self.name, cast.game)
        except UsageError:
            raise
        except ValueError as error:
            raise UsageError(f"{option}.name={self.name}: {error}", f"{option}.name", self.name) from error

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "SearchLimits") -> "Opponent":
        from jaxgp.players.panel import strategy

        return strategy(cast.spec, cast.game, self.name, games)

    def agent(self, option: str, cast: "Cast", champion: object = None) -> "Agent":
        from jaxgp.players.panel import strategist
        from jaxgp.seats.agents import program_agent

        self.check(option, cast)
        player, genome = strategist(cast.spec, cast.game, self.name)
        return program_agent(player, genome, f"strategy {self.named(cast).name}")

    def hand(self, option: str, cast: "Cast", champion: object = None) -> "Hand":
        from jaxgp.players.driver import fixed_driver

        self.check(option, cast)
        return fixed_driver(cast.spec, cast.game, self.name)
