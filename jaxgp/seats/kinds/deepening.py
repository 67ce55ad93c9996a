"""Kind `deepening`: a search that goes deeper ply by ply, until a result is proved or a budget is spent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_COUNT, option
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.seats.agents import Agent


@dataclass(kw_only=True)
class DeepeningOptions(PlayerOptions):
    """A search that goes deeper ply by ply; it plays at the table alone."""

    kind: str = option("deepening", "alpha-beta search that goes deeper ply by ply", ("deepening",))
    depth: int = option(8, "the most plies", low=1, high=DEEPEST)
    evaluator: str | None = option(None, "one of the game's evaluators; null: the first")
    ties: str = option("first", "which of the best moves is played", ("first", "random"))
    nodes: int | None = option(
        None, "positions after which it begins no deeper search; null: there is no limit", low=1, high=MAX_COUNT
    )
    single: bool = option(False, "whether it stops where one move alone is best, in place of looking for a proof")

    main = "depth"
    words = ("depth", "evaluator", "ties", "nodes", "single")

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.single and self.ties == "first":
            reject(
                prefix + "single", True, f"false with {prefix}ties=first, which looks for the first of the best moves"
            )

    def unfit(self, cast: "Cast") -> str:
        from jaxgp.players.searches import explain_unsearched

        return super().unfit(cast) or explain_unsearched(cast.spec, cast.game)

    def check(self, option: str, cast: "Cast") -> None:
        from jaxgp.players.searches import check_evaluator

        super().check(option, cast)
        check_evaluator(option, cast.spec, cast.game, self.evaluator)

    def agent(self, option: str, cast: "Cast", champion: object = None) -> "Agent":
        from jaxgp.players.searches import TAIL
        from jaxgp.seats.deepening import deepening, deepening_agent

        self.check(option, cast)
        how = self.evaluator, self.depth, self.ties, TAIL, self.nodes, self.single
        try:
            return deepening_agent(deepening(cast.spec, cast.game, *how))
        except UsageError as error:
            raise error.within(option) from error
