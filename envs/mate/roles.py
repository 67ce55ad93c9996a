"""How genomes search for mates: trees or weights order the moves of a complete search, or a program makes all moves."""

from envs.mate import export, language
from envs.mate.rules import Mate
from envs.mate.terminals import view
from jaxgp.errors import reject
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.players.problems.prover import GuideProver, ProgramProver, WeightsProver
from jaxgp.spec import Role


def search(problem: Mate, options: language.Options) -> tuple[PrimitiveSet, ProgramProver]:
    """Return the language of programs that make moves, and how they search; raises UsageError."""
    if options.remember and options.language != "again":
        reject("program.remember", True, f"false with program.language={options.language}, without the tree in itself")
    primitives = language.primitive_set(options)
    prover = ProgramProver(
        primitives,
        problem,
        view(options.near),
        deepest=options.deepest,
        told=options.told,
        stops=options.stop,
        frames=options.frames,
        entries=options.entries if options.remember else 0,
    )
    return primitives, prover


SEARCH = Role(
    "search", "a program makes moves, and says what each first move is worth", "program", language.Options, search
)


def guide(problem: Mate, options: language.GuideOptions) -> tuple[PrimitiveSet, GuideProver]:
    """Return the language of trees that order moves, and the search that they guide."""
    primitives = language.guide_set(options)
    prover = GuideProver(
        primitives,
        problem,
        view(options.near),
        deepest=options.deepest,
        told=options.told,
        entries=options.entries,
        within=options.within,
        equal=options.equal,
    )
    return primitives, prover


GUIDE = Role(
    "guide",
    "trees order the moves of a complete search, which proves what it claims",
    "program",
    language.GuideOptions,
    guide,
    exports={"python": export.python},
    features="seen",
)


def weights(problem: Mate, options: language.WeightsOptions) -> tuple[PrimitiveSet, WeightsProver]:
    """Return the set of vectors of weights, and the search that they guide."""
    primitives = language.weight_set(options.near, options.within)
    moved, replied = (
        tuple((language.AT[name], usual) for name, usual in names.items())
        for names in (language.MOVED, language.REPLIED)
    )
    prover = WeightsProver(
        primitives,
        problem,
        view(options.near),
        deepest=options.deepest,
        told=options.told,
        entries=options.entries,
        within="few" if options.within == "few" else "lazy",
        hopeless=problem.hopeless if options.within == "flights" else None,
        moved=moved,
        replied=replied,
    )
    return primitives, prover


WEIGHTS = Role(
    "weights",
    "weights guide the search few or lazy by what is seen after moves; it proves what it claims",
    "program",
    language.WeightsOptions,
    weights,
)
