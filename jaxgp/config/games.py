"""What a configuration asks of a game: its rules, a role, opponents. The functions import JAX when they are called."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jaxgp import kinds, options, reading
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, reject, show
from jaxgp.evolution.options import AlgorithmOptions
from jaxgp.files import user_path
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
    from jaxgp.games.casting import Cast
    from jaxgp.games.outside import Games
    from jaxgp.spec import Spec


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
    from jaxgp.games.outside import Outside

    return Outside(games, folder.resolve()), folder.resolve().name


def resolve_game(game: Mapping[str, object], games: "Games", folder: Path) -> "tuple[Games, dict[str, object]]":
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
    from jaxgp.games.casting import cast

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


def describe_game(game: "Game") -> str:
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
    genotype = config.algorithm.genotype
    _evolves(config, games, genotype)
    cast = cast_of(config, games, genotype)
    _fits(config, cast)
    config.algorithm.check(cast)
    for section, label, one in kinds.list_met(config.fitness):
        one.check(f"fitness.{section}.{label}", cast)
    config.fitness.check(config, cast)
    settings = {one.name: getattr(cast.game, one.name) for one in options.list_options(cast.game)}
    return replace(config, game={"name": cast.spec.name, **settings}, program=cast.program)


def _fits(config: Config, cast: "Cast") -> None:
    """Refuse a kind of fitness that the game, the role or the algorithm cannot have; raises UsageError."""
    algorithm = config.algorithm
    if config.fitness.fits(algorithm, cast):
        return
    found = [name for name, one in config.fitness.kinds.all().items() if one().fits(algorithm, cast)]
    whose = f"game={cast.spec.name} with program.role={cast.program['role']} and algorithm.kind={algorithm.kind}"
    reject("fitness.kind", config.fitness.kind, f"{', '.join(found) or 'none'}, for {whose}")


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
        accepted = AlgorithmOptions.evolving(*genotypes)
        reject("algorithm.kind", config.algorithm.kind, f"{', '.join(accepted)}, for game={name}")
