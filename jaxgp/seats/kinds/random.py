"""Kind `random`: legal moves, drawn uniformly."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.options import option
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.games.casting import Cast
    from jaxgp.players.panel import Create, SearchLimits
    from jaxgp.seats.agents import Agent


@dataclass(kw_only=True)
class RandomOptions(PlayerOptions):
    """Plays every legal move with equal probability."""

    kind: str = option("random", "legal moves, drawn uniformly", ("random",))

    trains = True
    fixed = True

    @property
    def says(self) -> str:
        return "random moves"

    def unfit(self, cast: "Cast") -> str:
        return super().unfit(cast) if cast.simulated else ""

    def chance(self, cast: "Cast") -> bool:
        del cast
        return True

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "SearchLimits") -> "Opponent":
        from jaxgp.players.panel import RandomOpponent

        return RandomOpponent(cast.game, games=games)

    def agent(self, option: str, cast: "Cast", champion: object = None) -> "Agent":
        from jaxgp.seats.agents import random_agent

        return random_agent(cast.game)
