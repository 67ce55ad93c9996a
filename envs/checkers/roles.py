"""How genomes play checkers: a program values the leaves of a search."""

from dataclasses import replace

from envs import stgp
from envs.checkers import export, leaves
from envs.checkers.rules import Checkers
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.searched import SearchedPlayer
from jaxgp.spec import Role


def leaf(game: Checkers, options: leaves.Options) -> tuple[PrimitiveSet, SearchedPlayer]:
    """Return the set that programs are written in, and how they play."""
    language = leaves.primitive_set(game, options)
    top = stgp.TEN_TREES if options.trees == "ten" else None
    view = lambda state: leaves.view(game, options, state)  # noqa: E731
    return language, SearchedPlayer(language, game, view, options.depth, top=top)


LEAF = Role(
    "leaf",
    "a program, or ten below a preset top, values the leaves of a search",
    "program",
    leaves.Options,
    leaf,
    deeper=lambda options, plies: replace(options, depth=plies),
    exports={"python": export.of_leaves},
    features="seen",
)
