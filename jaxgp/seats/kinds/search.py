"""Kind `search`: alpha-beta search of a fixed depth."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from jaxgp.options import DEEPEST, option
from jaxgp.printable import plies
from jaxgp.seats.options import PlayerOptions

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.games.casting import Cast
    from jaxgp.players.panel import Create, SearchLimits
    from jaxgp.seats.agents import Agent, Hint


@dataclass(kw_only=True)
class SearchOptions(PlayerOptions):
    """A search of a fixed depth."""

    kind: str = option("search", "alpha-beta search of a fixed depth", ("search",))
    depth: int = option(8, "plies", low=1, high=DEEPEST)
    evaluator: str | None = option(
        None, 'one of the game\'s evaluators; "A|B": one of them drawn for every move; null: the first'
    )
    ties: str = option("first", "which of the best moves is played", ("first", "random"))

    main = "depth"
    words = ("depth", "evaluator", "ties")
    trains = True
    fixed = True

    @property
    def bound(self) -> bool:
        return self.evaluator is not None

    @property
    def says(self) -> str:
        chosen = "first" if self.ties == "first" else "any"
        *others, last = (self.evaluator or "").split("|")
        by = f", by {last}" if last else ""
        by = f", by {', '.join(others)} or {last}, drawn anew for every move" if others else by
        return f"a search of {plies(self.depth)} ({chosen} of the best moves{by})"

    @property
    def plies(self) -> int:
        return self.depth

    def named(self, cast: "Cast") -> Self:
        return replace(self, evaluator=self.evaluator or next(iter(cast.spec.evaluators(cast.game))))

    def unfit(self, cast: "Cast") -> str:
        from jaxgp.players.searches import explain_unsearched

        return super().unfit(cast) or explain_unsearched(cast.spec, cast.game)

    def chance(self, cast: "Cast") -> bool:
        from jaxgp.players.searches import chancy

        return chancy(cast.spec, cast.game, self.ties, self.evaluator)

    def check(self, option: str, cast: "Cast") -> None:
        from jaxgp.players.searches import check_evaluator

        super().check(option, cast)
        check_evaluator(option, cast.spec, cast.game, self.evaluator)

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "SearchLimits") -> "Opponent":
        from jaxgp.players.search import AlternatingOpponent, SearchOpponent
        from jaxgp.players.searches import searches, sizes

        found = searches(cast.spec, cast.game, self.evaluator, self.depth, self.ties, *sizes(terms.tail, terms.lanes))
        seated = tuple(SearchOpponent(one, self.depth, terms.table_size, games=games) for one in found)
        return seated[0] if len(seated) == 1 else AlternatingOpponent(seated)

    def agent(self, option: str, cast: "Cast", champion: object = None) -> "Agent":
        from jaxgp.players.searches import TAIL, searches
        from jaxgp.seats.agents import search_agent

        self.check(option, cast)
        found = searches(cast.spec, cast.game, self.evaluator, self.depth, self.ties, TAIL, lanes=1)
        return search_agent(found, self.depth)

    def hints(self, cast: "Cast") -> "Hint":
        """Return what answers a request for a hint by this search."""
        from jaxgp.players.searches import TAIL, searches
        from jaxgp.seats.agents import search_hints

        assert cast.spec.searches is not None  # it has evaluators
        found = searches(cast.spec, cast.game, self.evaluator, self.depth, self.ties, TAIL, lanes=1)
        first = self.evaluator or next(iter(cast.spec.evaluators(cast.game)))
        name = lambda action: cast.spec.notation.action_name(cast.game, action)  # noqa: E731
        known = cast.spec.searches.certainty(cast.game, first) if len(found) == 1 else None
        if known is None:
            return search_hints(found, self.depth, None, name)
        ended, certain = known
        return search_hints([replace(one, game=ended) for one in found], self.depth, certain, name)
