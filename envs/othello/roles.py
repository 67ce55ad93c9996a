"""How genomes play Othello: a program values every move; or it values the leaves of a search."""

from dataclasses import replace

from envs.othello import export, leaves, moves
from envs.othello.rules import Othello
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.greedy import GreedyPlayer
from jaxgp.players.searched import SearchedPlayer
from jaxgp.search.lookahead import tail_of
from jaxgp.spec import Role


def move(game: Othello, options: moves.Options) -> tuple[PrimitiveSet, GreedyPlayer | SearchedPlayer]:
    """Return the set that programs are written in, and how they play."""
    language = moves.primitive_set(game, options)
    if options.depth:
        view = lambda state: moves.view(game, options, state)  # noqa: E731
        tail = tail_of(game, min(2, options.depth))
        return language, SearchedPlayer(language, game, view, options.depth, mover=False, tail=tail)
    return language, GreedyPlayer(language, game.choices, lambda *tried: moves.outcome(game, options, *tried))


def leaf(game: Othello, options: leaves.Options) -> tuple[PrimitiveSet, SearchedPlayer]:
    """Return the set that programs are written in, and how they play."""
    language = leaves.primitive_set(game, options)
    view = lambda state: leaves.view(game, options, state)  # noqa: E731
    return language, SearchedPlayer(language, game, view, options.depth, tail=tail_of(game, min(2, options.depth)))


MOVE = Role(
    "move",
    "a program values the position after every move",
    "program",
    moves.Options,
    move,
    deeper=lambda options, plies: replace(options, depth=plies),
    exports={"python": export.of_moves},
    features="seen",
)
LEAF = Role(
    "leaf",
    "a program values the leaves of a search",
    "program",
    leaves.Options,
    leaf,
    deeper=lambda options, plies: replace(options, depth=plies),
    exports={"python": export.of_leaves},
    features="seen",
)
