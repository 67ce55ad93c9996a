"""How genomes search for mates: a program makes the moves itself."""

from envs.mate import language
from envs.mate.rules import Mate
from envs.mate.terminals import view
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.prover import ProgramProver
from jaxgp.spec import Role


def search(problem: Mate, options: language.Options) -> tuple[PrimitiveSet, ProgramProver]:
    """Return the language of programs that make moves, and how they search."""
    primitives = language.primitive_set(options)
    prover = ProgramProver(
        primitives,
        problem,
        view(options.near),
        deepest=options.deepest,
        told=options.told,
        stops=options.stop,
        frames=options.frames,
    )
    return primitives, prover


SEARCH = Role(
    "search", "a program makes moves, and says what each first move is worth", "program", language.Options, search
)
