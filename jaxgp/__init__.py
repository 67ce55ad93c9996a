"""jaxgp: evolves game players. The engine; it knows no game (those are in `envs`).

The names that a notebook needs are here. Each is imported when it is first used, so that `import jaxgp` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from jaxgp.contracts import (
        Differentiable,
        Driver,
        Fitness,
        Game,
        Instanced,
        Measure,
        Opponent,
        Player,
        Puzzle,
        Scheme,
        Simulation,
        Soloist,
        Solver,
    )
    from jaxgp.errors import UsageError
    from jaxgp.evolution.generational import Generational
    from jaxgp.evolution.islands import Islands
    from jaxgp.evolution.options import AlgorithmOptions, GPOptions, GroupsOptions, MigrationOptions
    from jaxgp.evolution.pair import Pair
    from jaxgp.evolution.ring import Ring
    from jaxgp.evolution.seeds import Seeds
    from jaxgp.evolution.state import EvolutionState
    from jaxgp.evolution.tuning.options import TuneOptions
    from jaxgp.evolution.winners import Winners
    from jaxgp.fitness.among.coevolution import CoevolutionFitness, Guide
    from jaxgp.fitness.evaluation import Absolute, Evaluation, FunctionFitness
    from jaxgp.fitness.grouped import GroupFitness
    from jaxgp.fitness.panel import PanelFitness
    from jaxgp.fitness.puzzles.suite import SuiteFitness
    from jaxgp.fitness.refereed import Refereed
    from jaxgp.fitness.rollout import RolloutFitness
    from jaxgp.fitness.solo import SoloFitness
    from jaxgp.fitness.taught.adjoint import Adjoint
    from jaxgp.fitness.taught.differences import Differences
    from jaxgp.fitness.taught.options import AdjointOptions, DifferencesOptions
    from jaxgp.fitness.taught.regression import RegressionFitness
    from jaxgp.games.casting import Cast
    from jaxgp.games.notation import Notation, Showing
    from jaxgp.genotypes.language import parse, to_text
    from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet
    from jaxgp.genotypes.programs import Programs
    from jaxgp.interpreter.evaluate import evaluate_programs
    from jaxgp.interpreter.reverse.gradients import Examples
    from jaxgp.library.evolving import AskTell, Evolved, History, evolve, resume, ring
    from jaxgp.library.games import (
        Board,
        Champion,
        board,
        champion,
        evaluate,
        legal,
        load,
        opening,
        opponent,
        save,
        step,
        take,
    )
    from jaxgp.library.rollouts import drive
    from jaxgp.operators.options import (
        CreationOptions,
        CrossoverOptions,
        MutationOptions,
        RuleCreationOptions,
        RuleMutationOptions,
        SelectionOptions,
    )
    from jaxgp.options import option
    from jaxgp.players.alone.walk import Walker
    from jaxgp.players.driver import HandDriver, ProgramDriver
    from jaxgp.players.greedy import GreedyPlayer
    from jaxgp.players.panel import RandomOpponent
    from jaxgp.players.program import ProgramPlayer
    from jaxgp.players.rules import RulePlayer
    from jaxgp.players.searched import SearchedPlayer
    from jaxgp.players.solver import ProgramSolver
    from jaxgp.schemes.breeding.cma import SeparableCMA
    from jaxgp.schemes.breeding.map_elites import Archive, Elites
    from jaxgp.schemes.cma import CMAOptions
    from jaxgp.schemes.map_elites import MapElitesOptions
    from jaxgp.schemes.random_search import RandomSearchOptions
    from jaxgp.spec import Fixed, Hand, Role, Searches, Solo, Spec, Strategy, Suites, Table

_ROOMS = {
    "contracts": (
        "Differentiable",
        "Driver",
        "Fitness",
        "Game",
        "Instanced",
        "Measure",
        "Opponent",
        "Player",
        "Puzzle",
        "Scheme",
        "Simulation",
        "Soloist",
        "Solver",
    ),
    "errors": ("UsageError",),
    "evolution.generational": ("Generational",),
    "evolution.islands": ("Islands",),
    "evolution.options": ("AlgorithmOptions", "GPOptions", "GroupsOptions", "MigrationOptions"),
    "evolution.pair": ("Pair",),
    "evolution.ring": ("Ring",),
    "evolution.seeds": ("Seeds",),
    "evolution.state": ("EvolutionState",),
    "evolution.tuning.options": ("TuneOptions",),
    "evolution.winners": ("Winners",),
    "library.evolving": ("AskTell", "Evolved", "History", "evolve", "resume", "ring"),
    "fitness.among.coevolution": ("CoevolutionFitness", "Guide"),
    "fitness.evaluation": ("Absolute", "Evaluation", "FunctionFitness"),
    "fitness.grouped": ("GroupFitness",),
    "fitness.panel": ("PanelFitness",),
    "fitness.refereed": ("Refereed",),
    "fitness.rollout": ("RolloutFitness",),
    "fitness.solo": ("SoloFitness",),
    "fitness.taught.adjoint": ("Adjoint",),
    "fitness.taught.differences": ("Differences",),
    "fitness.taught.options": ("AdjointOptions", "DifferencesOptions"),
    "fitness.taught.regression": ("RegressionFitness",),
    "fitness.puzzles.suite": ("SuiteFitness",),
    "genotypes.language": ("parse", "to_text"),
    "genotypes.primitives": ("BOOL", "FLOAT", "Floats", "Integers", "Primitive", "PrimitiveSet"),
    "genotypes.programs": ("Programs",),
    "interpreter.evaluate": ("evaluate_programs",),
    "interpreter.reverse.gradients": ("Examples",),
    "library.games": (
        "Board",
        "Champion",
        "board",
        "champion",
        "evaluate",
        "legal",
        "load",
        "opening",
        "opponent",
        "save",
        "step",
        "take",
    ),
    "library.rollouts": ("drive",),
    "operators.options": (
        "CreationOptions",
        "CrossoverOptions",
        "MutationOptions",
        "RuleCreationOptions",
        "RuleMutationOptions",
        "SelectionOptions",
    ),
    "options": ("option",),
    "players.driver": ("HandDriver", "ProgramDriver"),
    "players.greedy": ("GreedyPlayer",),
    "players.panel": ("RandomOpponent",),
    "players.program": ("ProgramPlayer",),
    "players.rules": ("RulePlayer",),
    "players.searched": ("SearchedPlayer",),
    "players.solver": ("ProgramSolver",),
    "players.alone.walk": ("Walker",),
    "schemes.breeding.cma": ("SeparableCMA",),
    "schemes.breeding.map_elites": ("Archive", "Elites"),
    "schemes.cma": ("CMAOptions",),
    "schemes.map_elites": ("MapElitesOptions",),
    "schemes.random_search": ("RandomSearchOptions",),
    "games.casting": ("Cast",),
    "games.notation": ("Notation", "Showing"),
    "spec": (
        "Fixed",
        "Hand",
        "Role",
        "Searches",
        "Solo",
        "Spec",
        "Strategy",
        "Suites",
        "Table",
    ),
}
_WHERE = {name: room for room, names in _ROOMS.items() for name in names}


__all__ = sorted(_WHERE)

if not TYPE_CHECKING:  # else a checker would take any name, misspelt ones too

    def __getattr__(name: str) -> object:
        """Import a name from its room."""
        if name not in _WHERE:
            raise AttributeError(f"module 'jaxgp' has no attribute {name!r}")
        found: object = getattr(importlib.import_module(f"jaxgp.{_WHERE[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(["__version__", *_WHERE])
