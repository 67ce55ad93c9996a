"""How genomes play Kalah: the value of a program names a pit; or a program values the leaves of a search."""

from dataclasses import replace

from envs.mancala import export, leaves
from envs.mancala.opponents import search_twin
from envs.mancala.primitives import Options, decide, features, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.program import ProgramPlayer
from jaxgp.players.searched import SearchedPlayer
from jaxgp.spec import Role


def make(game: Mancala, options: Options) -> tuple[PrimitiveSet, ProgramPlayer]:
    """Return the set that programs are written in, and how they play."""
    primitives = primitive_set(game, options)
    player = ProgramPlayer(
        primitives,
        features=lambda state: features(game, options, state),
        decide=lambda state, values: decide(game, options, state, values),
    )
    return primitives, player


def leaf(game: Mancala, options: leaves.Options) -> tuple[PrimitiveSet, SearchedPlayer]:
    """Return the set that programs are written in, and how they play."""
    primitives, twin = leaves.primitive_set(game), search_twin(game)
    unpack = (lambda state: state) if twin is None else twin.unpack
    view = lambda state: leaves.view(game, unpack(state))  # noqa: E731
    return primitives, SearchedPlayer(primitives, game, view, options.depth, twin=twin)


PROGRAM = Role(
    "program",
    "the value of a program names a pit",
    "program",
    Options,
    make,
    exports={"python": export.python},
    features="cells",
)
LEAF = Role(
    "leaf",
    "a program values the leaves of a search",
    "program",
    leaves.Options,
    leaf,
    deeper=lambda options, plies: replace(options, depth=plies),
    features="seen",
)
