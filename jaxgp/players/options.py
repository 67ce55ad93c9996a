"""Options of opponents. Importing this does not import JAX."""

from dataclasses import dataclass

from jaxgp.options import DEEPEST, MAX_FITNESS, MAX_GAMES, MAX_WEIGHT, option

KINDS = ("search", "random", "programs", "champions", "strategy")


@dataclass
class Opponent:
    """One member of the panel that every individual plays against, from both seats."""

    kind: str = option(
        "search",
        "programs: random genomes; champions: those of past generations; strategy: a fixed player of the game",
        KINDS,
    )
    depth: int = option(8, "search: plies", low=1, high=DEEPEST)
    ties: str = option("first", "search: which of the best moves is played", ("first", "random"))
    evaluator: str | None = option(
        None, 'search: one of the game\'s evaluators; "A|B": one of them drawn for every move; null: the first'
    )
    name: str = option("", "strategy: name of one of the game's strategies; nothing: the first")
    command: str = option("", "gtp, a kind for measurements only: an engine outside, its program and options")
    count: int = option(1, "programs, champions: how many", low=1, high=MAX_GAMES)
    games: int = option(1, "games from each seat (each against the next of `count`, in turn)", low=1, high=MAX_GAMES)
    weight: float = option(1.0, "weight in the fitness", low=0, high=MAX_WEIGHT)
    rounds: int = option(1, "guides: rounds of `games` from each seat, one after the other", low=1, high=MAX_GAMES)
    cutoff: float | None = option(
        None,
        "guides: individuals that trail the best fitness by more than this sit a round out; null: none",
        low=0,
        high=MAX_FITNESS,
    )

    @property
    def text(self) -> str:
        """The player in words that stay the same; null stands for the first evaluator and the first strategy."""
        if self.kind == "search":
            return f"search depth={self.depth} evaluator={self.evaluator or 'null'} ties={self.ties}"
        named = {"strategy": f" name={self.name or 'null'}", "gtp": f" command={self.command}"}
        return self.kind + named.get(self.kind, "")
