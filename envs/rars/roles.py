"""How genomes drive: a program of two trees, from which each step takes an angle and a speed."""

from envs.rars import export
from envs.rars.language import Options, Racer, decide, primitive_set
from envs.rars.rules import Rars
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.spec import Role


def drive(game: Rars, options: Options) -> tuple[PrimitiveSet, Racer]:
    """Return the set that programs are written in, and how they drive."""
    del game
    language = primitive_set(options)
    return language, Racer(language, decide, options)


DRIVE = Role(
    "drive",
    "two trees give the angle of the nose and the speed of the wheels",
    "program",
    Options,
    drive,
    exports={"python": export.python, "cpp": export.cpp},
    features="seen",
)
