"""Kind `human`: a person at the terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.options import option
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast


@dataclass(kw_only=True)
class HumanOptions(PlayerOptions):
    """A person."""

    kind: str = option("human", "a person", ("human",))

    def unfit(self, cast: "Cast") -> str:
        return super().unfit(cast) if cast.simulated else ""

    def agent(self, option: str, cast: "Cast", champion: object = None) -> None:
        return None
