"""How genomes play Kalah: the value of a program names a pit."""

from envs.mancala import export
from envs.mancala.primitives import Options, decide, features, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.program import ProgramPlayer
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


PROGRAM = Role(
    "program", "the value of a program names a pit", "program", Options, make, python=export.python, features="cells"
)
