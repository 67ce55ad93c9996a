"""What a configuration asks of a game: its rules, a role, opponents. The functions import JAX when they are called."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jaxgp import options, reading
from jaxgp.config.schema import GENOTYPES, Config
from jaxgp.errors import UsageError, reject, show
from jaxgp.evolution.options import CMA, Algorithm
from jaxgp.files import user_path
from jaxgp.fitness.options import Learning
from jaxgp.seats.options import OpponentOptions

SPLITS = ("test", "train", "all")
"""The sides of a suite of instances: those that no evolution may see, the others, and both."""
OF_CHAMPIONS = (
    "a game, or its folder if it is outside the project; settings of its rules are game.OPTION=VALUE; "
    "null: the game of the champions, in this project"
)
"""The words of the option of commands that read champions."""

if TYPE_CHECKING:
    from jaxgp.contracts import Game
    from jaxgp.spec import Cast, Games, Instances, Spec


def place(name: str, games: "Games") -> "tuple[Games, str]":
    """Resolve a game that a person typed: a name, or the folder of a game outside the project.

    Names in files are never resolved here, so no file can cause an import from a folder.

    Returns:
        The source of games, with the folder's game added, and the name of the game.

    Raises:
        UsageError: `name` looks like a folder, but is not a package.
    """
    if not name or name in games.available():
        return games, name
    folder = user_path("game", name)
    if not (folder.is_dir() or os.sep in name):
        return games, name
    if not (folder / "__init__.py").is_file():
        reject("game", name, "the name of a game, or a folder with an __init__.py that has a function spec()")
    from jaxgp.spec import Outside

    return Outside(games, folder.resolve()), folder.resolve().name


def asked(game: Mapping[str, object], games: "Games", folder: Path) -> "tuple[Games, dict[str, object]]":
    """Resolve what a command line says of the game.

    A name is that of a game, that of a file of the configuration, which gives a game some settings, or the folder of a
    game outside the project. The settings of the command line come before those of the file.

    Args:
        game: the name under `name`, None if none is given, and settings of the rules.
        games: where games come from.
        folder: of the configuration; its folder `game` has the files.

    Returns:
        The source of games, with the game of a folder added; the name of the game, if one is given, and the settings.

    Raises:
        UsageError: there is no such game, or the file is not fit.
    """
    settings = {key: value for key, value in game.items() if key != "name"}
    name = game.get("name")
    if name is None:
        return games, settings
    name, files = str(name), sorted(file.stem for file in (folder / "game").glob("*.yaml"))
    if name in files:
        return games, _in_file(folder / "game", name) | settings
    games, known = place(name, games)
    if known not in games.available():
        names = sorted({*games.available(), *files})
        reject("game", name, f"{', '.join(names)}, or the folder of a game outside the project")
    return games, {"name": known} | settings


def _in_file(folder: Path, name: str) -> dict[str, object]:
    """Return the name and settings that a file of the configuration gives a game; raises UsageError.

    Only what files of games say of the game is read: entries of `defaults` that name another file, and `game`.
    """
    file = folder / f"{name}.yaml"
    try:
        content = reading.read_yaml(file)
        bases = [base for base in content.get("defaults", []) if isinstance(base, str) and base != "_self_"]
        found = [dict(_in_file(folder, base)) for base in bases]
        return {key: value for part in (*found, content.get("game", {})) for key, value in part.items()}
    except UsageError:
        raise
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{file}: not the configuration of a game ({' '.join(str(error).split())})") from error


def cast_of(config: Config, games: "Games", genotype: str | None = None) -> "Cast":
    """Take the role in the game that a configuration names.

    Args:
        config: its `game` and `program` are used; `program` is the role's name under `role`, and options of the role.
        games: where games come from.
        genotype: what the role must evolve, `program` or `rules`; None: either.

    Raises:
        UsageError: something that the game or the role does not have or accept.
    """
    from jaxgp.spec import cast

    spec, rules = game_of(config.game, games)
    values = dict(config.program)
    return cast(spec, rules, values.pop("role", None), genotype, values)


def game_of(game: Mapping[str, object], games: "Games") -> "tuple[Spec, Game]":
    """Return a game and its rules, by its name under `name` and settings of its rules.

    Raises:
        UsageError: there is no such game, or its rules do not accept the settings.
    """
    settings = dict(game)
    name = settings.pop("name", None)
    if name not in games.available():
        reject("game.name", name, ", ".join(games.available()))
    spec = games.spec(name)
    try:
        return spec, spec.make(**settings)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(str(error)) from error


def described(game: "Game") -> str:
    """Return a game as text: its name, and the settings of its rules that differ from their defaults."""
    given = options.departures(game)
    return " ".join([game.name, *(f"{name}={show(value)}" for name, value in given.items())])


def check(config: Config, games: "Games") -> Config:
    """Check everything that a run asks of its game.

    Returns:
        The configuration, completed with every setting of the game and every option of the role.

    Raises:
        UsageError: the first thing that the game does not have or accept; the message names the option.
    """
    genotype = GENOTYPES[config.algorithm.kind]
    _evolves(config, games, genotype)
    cast = cast_of(config, games, genotype)
    if config.fitness.measured_depth is not None:
        cast.at_depth(config.fitness.measured_depth, "fitness.measured_depth")
    algorithm = config.algorithm
    if isinstance(algorithm, Algorithm) and algorithm.mutation.local and not cast.language.factored:
        accepted = f"0; nodes of {cast.spec.name} with program.role={cast.program['role']} have no factors"
        reject("algorithm.mutation.local", algorithm.mutation.local, accepted)
    if isinstance(algorithm, Algorithm) and not cast.language.rules:
        for operator, weight in (("crossover", algorithm.crossover.rule), ("mutation", algorithm.mutation.rule)):
            if weight:
                accepted = f"0; individuals of {cast.spec.name} with program.role={cast.program['role']} have no rules"
                reject(f"algorithm.{operator}.rule", weight, accepted)
    if isinstance(algorithm, Algorithm) and algorithm.crossover.one_point and cast.language.num_trees < 2:
        accepted = f"0; individuals of {cast.spec.name} with program.role={cast.program['role']} are one tree"
        reject("algorithm.crossover.one_point", algorithm.crossover.one_point, accepted)
    if isinstance(algorithm, Algorithm) and algorithm.left_out:
        _left_out(algorithm.left_out, cast)
    if isinstance(algorithm, CMA):
        _vectors(cast)
    _panel(config, cast.game.seats)
    _matches(config, cast)
    _lessons(config, cast)
    _suite(config, cast)
    for section, met in (("opponents", config.fitness.opponents), ("guides", config.fitness.guides)):
        for label, one in met.items():
            one.check(f"fitness.{section}.{label}", cast)
    settings = {one.name: getattr(cast.game, one.name) for one in options.declared(cast.game)}
    return replace(config, game={"name": cast.spec.name, **settings}, program=cast.program)


def _left_out(names: list[str], cast: "Cast") -> None:
    """Refuse to leave out what individuals do not have, or what no tree can do without; raises UsageError."""
    known = [one.name for one in cast.language.primitives]
    wanted = [name for name in names if name not in known]
    if wanted or len(set(names)) < len(names):
        reject("algorithm.left_out", wanted or names, f"names among {', '.join(known)}, each once")
    try:
        cast.language.without(names)
    except ValueError as error:
        reject("algorithm.left_out", names, f"fewer of them ({error})")


def _vectors(cast: "Cast") -> None:
    """Refuse an algorithm for vectors of numbers where individuals are none."""
    from jaxgp.evolution.cma import fits

    if not fits(cast.language):
        others = ", ".join(kind for kind, genotype in GENOTYPES.items() if genotype == "program" and kind != "cma")
        why = f"individuals of {cast.spec.name} with program.role={cast.program['role']} are no vectors of numbers"
        reject("algorithm.kind", "cma", f"{others}; {why}")


def member(option: str, opponent: OpponentOptions, cast: "Cast") -> None:
    """Check one member of a panel that measures champions.

    Args:
        option: the name of the member, for messages.
        opponent: the member.
        cast: the game that champions play.

    Raises:
        UsageError: a wrong option, or something that the game does not have.
    """
    options.check(opponent, option + ".")
    opponent.check(option, cast)


def _evolves(config: Config, games: "Games", genotype: str) -> None:
    """Refuse a game that no genomes play, and one that genomes of another kind play; raises UsageError."""
    name = config.game.get("name")
    if name not in games.available():
        return  # `cast_of` says so
    genotypes = [role.genotype for role in games.spec(name).roles]
    if not genotypes:
        evolved = [other for other in games.available() if games.spec(other).roles]
        reject("game.name", name, f"{', '.join(evolved)}; no genomes play {name}")
    if genotype not in genotypes:
        accepted = [kind for kind, made in GENOTYPES.items() if made in genotypes]
        reject("algorithm.kind", config.algorithm.kind, f"{', '.join(accepted)}, for game={name}")


def _panel(config: Config, seats: int) -> None:
    """Check that a game for two has opponents, and a game for one has none; raises UsageError."""
    opponents, game = config.fitness.opponents, config.game["name"]
    for option, nothing in (("coplay", 0), ("elimination", 0), ("paired", False), ("opening_plies", 0)):
        if seats == 1 and (value := getattr(config.fitness, option)):
            reject(f"fitness.{option}", value, f"{show(nothing)}; {game} is for one")
    if seats == 1 and opponents:
        reject("fitness.opponents", ", ".join(opponents), f"none, as in fitness=solo: {game} is for one")
    if seats == 2 and not opponents:
        reject("fitness.opponents", "{}", "at least one opponent; add one with +fitness.opponents.NAME.kind=KIND")


def _matches(config: Config, cast: "Cast") -> None:
    """Refuse matches in which all games are alike, and shared rolls in a game without; raises UsageError."""
    from jaxgp.contracts import RollsByTurn  # with the game JAX is imported anyway

    fitness, name = config.fitness, cast.spec.name
    if fitness.paired and not isinstance(cast.game, RollsByTurn):
        reject("fitness.paired", True, f"false; {name} has no rolls that two games can share")
    if fitness.elimination > 2 and not (fitness.opening_plies or cast.game.chance or cast.actor.random):
        accepted = f"2, or fitness.opening_plies above 0; without chance all games of a match of {name} are alike"
        reject("fitness.elimination", fitness.elimination, accepted)


def _lessons(config: Config, cast: "Cast") -> None:
    """Refuse lessons that the game or its role cannot give; raises UsageError."""
    from jaxgp.contracts import Values

    asked, name = config.fitness.lessons, cast.spec.name
    if not asked.drawn:
        return
    if cast.spec.lessons is None:
        reject("fitness.lessons.drawn", asked.drawn, f"0; {name} has no lessons")
    if asked.teacher not in (None, *cast.spec.teachers):
        reject("fitness.lessons.teacher", asked.teacher, ", ".join(cast.spec.teachers))
    if not isinstance(cast.actor, Values):
        reject("fitness.lessons.drawn", asked.drawn, "0 with this program.role, which values no outcomes")
    if asked.learning.individuals:
        _learning(asked.learning, config, cast)
    cast.spec.lessons(cast.game, asked.teacher)


def _learning(asked: Learning, config: Config, cast: "Cast") -> None:
    """Refuse learning from lessons that programs of the game cannot do; raises UsageError."""
    from jaxgp.contracts import Learns
    from jaxgp.interpreter.nodes import traceable

    option, learners = "fitness.lessons.learning.individuals", asked.individuals
    if not isinstance(cast.actor, Learns) or not cast.language.sums or not traceable(cast.language):
        reject(option, learners, f"0; programs of {cast.spec.name} are no sums of weighted terms")
    algorithm = config.algorithm
    most = algorithm.islands.size(algorithm.population)
    if learners > most:
        alone = algorithm.islands.count == 1
        bound = f"algorithm.population={most}" if alone else f"{most}, the population of an island"
        reject(option, learners, f"a whole number from 0 to {bound}")


def _suite(config: Config, cast: "Cast") -> None:
    """Check that a puzzle has a suite with enough instances, and that no other game has one; raises UsageError."""
    from jaxgp.contracts import Solver

    suite = config.fitness.suite
    if not isinstance(cast.actor, Solver):
        if suite.boards:
            reject("fitness.suite.boards", suite.boards, f"0; {cast.spec.name} is no puzzle that searches solve")
        return
    if not suite.boards:
        accepted = f"a whole number from 1, as in fitness=suite; {cast.spec.name} is a puzzle that searches solve"
        reject("fitness.suite.boards", 0, accepted)
    number = int((~instances("fitness.suite.name", suite.name, cast).test).sum())
    if number < 2:
        reject("fitness.suite.name", suite.name, f"a suite with at least 2 instances for training; this has {number}")
    if suite.validation >= number:
        why = f"the suite has {number} instances for training and validation"
        reject("fitness.suite.validation", suite.validation, f"a whole number from 1 to {number - 1}; {why}")
    if suite.cost == "expanded" and not cast.actor.counts_expanded:
        reject("fitness.suite.cost", suite.cost, f"nodes with program.search={cast.program.get('search')}")
    left = number - suite.validation
    if suite.boards > left:
        why = f"{number} instances less {suite.validation} for validation"
        reject("fitness.suite.boards", suite.boards, f"a whole number from 1 to {left}; {why}")
    selection = getattr(config.algorithm, "selection", None)
    for name in ("by_case", "sharing"):
        if suite.problems.population and selection is not None and getattr(selection, name):
            why = "individuals meet different instances where fitness.suite.problems.population is above 0"
            reject(f"algorithm.selection.{name}", getattr(selection, name), f"0; {why}")
    if config.fitness.candidates:
        reject("fitness.candidates", config.fitness.candidates, "0; the same instances measure all generations")


def instances(option: str, name: str | None, cast: "Cast") -> "Instances":
    """Return a suite of a puzzle, by its name or as a file; None: the game's first suite.

    Raises:
        UsageError: there is none, or it cannot be used; the message names the option.
    """
    spec = cast.spec
    if spec.instances is None:
        reject(option, name, f"none; {spec.name} has no suites of instances")
    if name is not None and not name.strip():
        reject(option, name, "the name of a suite, or a file of instances")
    if name is None and not spec.suites(cast.game):
        reject(option, None, f"a file of instances; none come with {spec.name} for these settings")
    return spec.instances(cast.game, name or spec.suites(cast.game)[0], option)
