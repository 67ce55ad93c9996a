"""What methods are compared on: small budgets in games of the project, and how champions are measured.

A task names the options of a run, as scripts/train.py takes them. Champions are measured by a fitness of their own,
with games, boards or opponents that took no part in the run. Its unit is that of the game, and more is better.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jaxgp.schemes.cma import CMAOptions
from studies.methods.averaging import AveragingOptions

COLUMNS: Mapping[str, str] = {
    "task": "the task",
    "method": "the method",
    "budget": "individuals that the run evaluates",
    "seed": "of the run",
    "evaluations": "individuals that the run had evaluated",
    "score": "what the champion was worth then, in games that took no part in the run",
    "size": "its nodes",
    "generation": "in which it was found",
    "cpu_seconds": "of the run so far, of all cores together, without compiling and without measuring champions",
    "jax": "version of JAX",
    "python": "version of Python",
    "date": "day, UTC",
}
"""The columns of the table and what is in them."""

SMALL = (
    "algorithm.capacity=64",
    "algorithm.max_depth=8",
    "algorithm.creation.method=ramped",
    "algorithm.creation.min_depth=1",
    "algorithm.creation.max_depth=4",
    "algorithm.mutation.max_depth=4",
)
"""Programs are small in all tasks, so that what differs between methods is how they search."""
BRED = (
    "algorithm.crossover.probability=0.8",
    "algorithm.mutation.probability=0.2",
    "algorithm.mutation.exclusive=true",
)
GP = (
    "algorithm=gp",
    *SMALL,
    *BRED,
    "algorithm.selection.method=tournament",
    "algorithm.selection.tournament_size=4",
)
ISLANDS = (
    "algorithm.islands.count=4",
    "algorithm.islands.neighbours=1",
    "algorithm.islands.migrants=1",
    "algorithm.islands.first=2",
    "algorithm.islands.every=2",
)


@dataclass(frozen=True)
class Method:
    """An algorithm with its options.

    Attributes:
        says: what it is, in words.
        programs: options where genomes are programs; empty: it breeds none.
        vectors: options where genomes are vectors of numbers; empty: it breeds none.
        population: individuals of a generation.
        leaves: whether it breeds only programs that value the leaves of a search.
        numbers: individuals of a generation in the second half of the budget, in which the numbers of the champion
            move; 0: the method has the whole of it.
        moves: by what they move.
    """

    says: str
    programs: Sequence[str] = ()
    vectors: Sequence[str] = ()
    population: int = 64
    leaves: bool = False
    numbers: int = 0
    moves: type[CMAOptions] = CMAOptions


METHODS: Mapping[str, Method] = {
    "random_search": Method(
        "every generation is created anew",
        ("algorithm=random_search", "algorithm.elites=0", *SMALL),
        ("algorithm=random_search", "algorithm.elites=0", "algorithm.capacity=1", "algorithm.creation.max_depth=1"),
    ),
    "gp": Method(
        "generational genetic programming, one elite; of vectors a genetic algorithm", GP, ("algorithm=genetic",)
    ),
    "tuned": Method(
        "`gp` whose programs value leaves, and learn by four games a generation against themselves beside the budget",
        (*GP, "fitness.differences.games=4", "algorithm.tune.steps=10", "algorithm.tune.rate=0.03"),
        leaves=True,
    ),
    "gp_numbers": Method(
        "`gp` for half of the budget, then CMA-ES on the factors of its champion, whose form stays",
        GP,
        leaves=True,
        numbers=16,
    ),
    "gp_averaged": Method(
        "the same, but in place of CMA-ES the champion is averaged with those around it that play better",
        GP,
        leaves=True,
        numbers=16,
        moves=AveragingOptions,
    ),
    "islands": Method("the same as `gp` on four islands in a ring", (*GP, *ISLANDS), ("algorithm=genetic", *ISLANDS)),
    "map_elites": Method(
        "an archive of 8 x 8 cells, by size and by primitives used",
        ("algorithm=map_elites", "algorithm.elites=0", *SMALL, *BRED),
    ),
    "cma": Method("CMA-ES with a diagonal matrix", (), ("algorithm=cma",), population=16),
}


@dataclass(frozen=True)
class Task:
    """A game, how genomes play it, what selects them, and what their champions are worth.

    Attributes:
        says: what is measured, in words.
        game: options of the game and of how genomes play it.
        selected: options of the fitness of a run.
        reported: options of the fitness that measures champions.
        genomes: `programs` or `vectors`.
        leaves: whether programs value the leaves of a search.
    """

    says: str
    game: Sequence[str]
    selected: Sequence[str]
    reported: Sequence[str]
    genomes: str = "programs"
    leaves: bool = False


def against(**players: str) -> tuple[str, ...]:
    """Return the options of a panel of these players alone; the fitness is the share of points, draws as a half."""
    members = [f"+fitness.opponents.{name}={{{how}}}" for name, how in players.items()]
    alone = ("fitness=chance", "~fitness.opponents.chance", "fitness.points=result", "fitness.scale=0.5")
    return (*alone, "fitness.tail=1", *members)


def boards(number: int, instances: str, naming: int = 4) -> tuple[str, ...]:
    """Return the options of a suite: so many instances of one list a generation; the fitness is a share of nodes.

    Of the list `naming` others are set apart, which name the champion.
    """
    return (
        f"fitness.boards={number}",
        f"fitness.instances={instances}",
        "fitness.limit=3000",
        f"fitness.validation={naming}",
        "fitness.parsimony=0",
    )


TASKS: Mapping[str, Task] = {
    "kalah": Task(
        "share of points in 200 games against a search of 2 plies; selected by 30 games against 1 and 3 plies",
        ("game=mancala", "program.role=leaf", "program.depth=1"),
        against(shallow="kind:search,depth:1,ties:random,games:5", deep="kind:search,depth:3,ties:random,games:10"),
        against(deeper="kind:search,depth:2,ties:random,games:100"),
        leaves=True,
    ),
    "othello": Task(
        "share of points in 100 games against a search of 2 plies; selected by 16 games against 1 and 3 plies",
        ("game=othello",),
        against(shallow="kind:search,depth:1,ties:random,games:4", deep="kind:search,depth:3,ties:random,games:4"),
        against(deeper="kind:search,depth:2,ties:random,games:50"),
    ),
    "lose_checkers": Task(
        "share of points in 100 games against a search of 2 plies; selected by 12 games against 3 plies",
        ("game=lose_checkers", "program.depth=1"),
        against(deep="kind:search,depth:3,evaluator:noise,ties:random,games:6"),
        against(deeper="kind:search,depth:2,evaluator:noise,ties:random,games:50"),
        leaves=True,
    ),
    "backgammon": Task(
        "share of games won of 400 against the network; selected by 12 games against Pubeval",
        ("game=backgammon",),
        (*against(pubeval="kind:strategy,name:pubeval,games:6"), "fitness.max_plies=2000"),
        (*against(network="kind:strategy,name:network,games:200"), "fitness.max_plies=2000"),
    ),
    "chess": Task(
        "share of 4,096 critical decisions of KQKQ that keep the result; selected by 256 others a generation",
        ("game=chess", "fitness.parsimony=0"),
        ("fitness.drawn=256",),
        ("fitness.drawn=4096",),
    ),
    "morpion": Task(
        "lines of the one game that a program plays, which selects as well: there is no other",
        ("game=morpion",),
        (),
        (),
    ),
    "rush_hour": Task(
        "share of nodes saved on 50 boards of WAY; selected by 8 boards of JAM a generation, named by 16 others",
        ("game=rush_hour", "program.role=policy"),
        boards(8, "JAM", naming=16),
        boards(50, "WAY"),
    ),
    "freecell": Task(
        "share of nodes saved on 50 of deals 20,001 to 22,000; selected by 4 of deals 1 to 2,000 a generation",
        ("game=freecell", "program.role=weights"),
        boards(4, "1-2000"),
        boards(50, "20001-22000"),
        "vectors",
    ),
    "rars": Task(
        "score of a race on the track oval2, where a greater one is better; selected by one on sepang",
        ("game=rars",),
        (),
        ("game.track=oval2",),
    ),
    "robocode": Task(
        "share of the points in 20 rounds against sample.Walls; selected by 2 rounds against haiku.HaikuWalls",
        ("game=robocode", "game.turns=1000"),
        ("game.rounds=2", "fitness.rivals=[haiku.HaikuWalls]"),
        ("game.rounds=20", "fitness.rivals=[sample.Walls]"),
    ),
    "mate": Task(
        "points of 30 other problems of each n <= 3, nodes by logarithms; selected by 5 of each a generation",
        ("game=mate", "program.role=guide", "fitness.longest=3", "fitness.limit=1000", "fitness.boards=logarithm"),
        ("fitness.each=5", "fitness.instances=train"),
        ("fitness.each=30", "fitness.instances=choose"),
    ),
}


def words(task: str, method: str, budget: int) -> list[str] | None:
    """Return the options of a run; None: the method breeds no such genomes.

    Args:
        task: a name of `TASKS`.
        method: a name of `METHODS`, or of an algorithm outside the project: it has the options of `gp` that it knows.
        budget: individuals that are evaluated.
    """
    one, of = METHODS.get(method), TASKS[task]
    population = 64 if one is None else one.population
    algorithm = getattr(METHODS["gp"] if one is None else one, of.genomes)
    if not algorithm or (one is not None and one.leaves and not of.leaves):
        return None
    kind = [f"algorithm.kind={method}"] if one is None else []
    own = budget // 2 if one is not None and one.numbers else budget
    size = [f"algorithm.population={population}", f"algorithm.generations={max(1, own // population)}"]
    return [*of.game, *of.selected, *algorithm, *size, *kind]


def reported(task: str) -> list[str]:
    """Return the options of the measure of a task."""
    of = TASKS[task]
    return [*of.game, *of.reported, *getattr(METHODS["random_search"], of.genomes), "algorithm.population=64"]
