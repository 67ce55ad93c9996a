"""Checks a typed configuration before anything is computed or written; JAX is imported only for the last check."""

import dataclasses
from dataclasses import replace
from types import ModuleType
from typing import Any

from jaxgp import options
from jaxgp.config.schema import GENOTYPES, MAKERS, Config, evaluators, genotypes
from jaxgp.errors import UsageError, reject
from jaxgp.evolution.options import Algorithm, Groups
from jaxgp.fitness.options import no_guide
from jaxgp.players.options import KINDS, Opponent


def check(config: Config, games: ModuleType | Any) -> None:
    """Check every option.

    Args:
        config: the typed configuration.
        games: the package of games: `available()`, `make(name, **settings)`, `module(name, part)`.

    Raises:
        UsageError: the first option that is wrong; the message names it, its value and what is accepted.
    """
    _trained(config)
    algorithm = config.algorithm
    options.check(algorithm, "algorithm.")
    options.bound(config.fitness, "measured", "fitness.", high=algorithm.population, why="algorithm.population")
    options.check(config)
    if isinstance(algorithm, Algorithm) and algorithm.selection.method == "roulette":
        _roulette(config)
    if config.fitness.coplay:
        _coevolution(algorithm, config)
    _check_game(config, games, GENOTYPES[algorithm.kind])


def game(config: Config, games: Any) -> None:
    """Check the game's name, the settings of its rules and of what plays it. Imports the game, and so JAX.

    Args:
        config: its `game` and `program` are checked.
        games: the package of games.

    Raises:
        UsageError: see `check`.
    """
    _check_game(config, games, None)


def _check_game(config: Config, games: Any, genotype: str | None) -> None:
    """Check what `game` says, and where the genotype is known that the game has it and the strategies named."""
    name = config.game.get("name")
    available = games.available()
    if name not in available:
        reject("game.name", name, ", ".join(available))
    settings = {key: value for key, value in config.game.items() if key != "name"}
    _switches("game", games.module(name, "rules").GAME, settings)
    module = games.module(name, "primitives")
    try:
        made = games.make(name, **settings)
    except ValueError as error:
        raise UsageError(str(error)) from error
    _program(module.Settings, config.program)
    _measured_depth(config, module.Settings)
    if genotype is not None and not genotypes(module):
        evolved = [other for other in available if genotypes(games.module(other, "primitives"))]
        reject("game.name", name, f"{', '.join(evolved)}; no genomes play {name}")
    _genotype(config, module, made, genotype)
    if genotype is not None:
        _panel(config, getattr(made, "players", 2))
    for section in ("opponents", "guides"):
        for label, opponent in getattr(config.fitness, section).items():
            _of_game(f"fitness.{section}.{label}", opponent, games.module(name, "opponents"), made)


def member(option: str, opponent: Opponent, module: Any, game: Any) -> None:
    """Check one member of a panel that measures champions.

    Args:
        option: what it is called, for messages.
        opponent: the member.
        module: the game's module `opponents`.
        game: the rules.

    Raises:
        UsageError: see `check`.
    """
    if opponent.kind == "gtp":
        options.check(replace(opponent, kind="search"), option + ".")
    elif opponent.kind not in KINDS:
        reject(option + ".kind", opponent.kind, ", ".join((*KINDS, "gtp")))
    else:
        options.check(opponent, option + ".")
    no_guide(option, opponent)
    _of_game(option, opponent, module, game)


def _of_game(option: str, opponent: Opponent, module: Any, game: Any) -> None:
    """Check that a game has the strategy or the evaluators that an opponent asks for."""
    if opponent.kind == "strategy":
        _strategy(option, opponent.name, module, game)
    if opponent.kind == "search":
        here, asked = evaluators(module, game), opponent.evaluator.split("|")
        unknown = [part for part in asked if part not in here]
        if unknown:
            board = " on this board" if unknown[0] in module.EVALUATORS else ""
            which = f"; there is no {unknown[0] or 'evaluator without a name'}{board}" if len(asked) > 1 else ""
            several = ", or some of them with | between" if len(here) > 1 else ""
            reject(f"{option}.evaluator", opponent.evaluator, f"{', '.join(here)}{several}{which}")


def _genotype(config: Config, module: Any, game: Any, genotype: str | None) -> None:
    """Check that the game has the genotype that the algorithm evolves, and can speak of what the settings ask for."""
    has = genotypes(module)
    if not has:
        return
    if genotype is not None and genotype not in has:
        accepted = [kind for kind, evolved in GENOTYPES.items() if evolved in has]
        reject("algorithm.kind", config.algorithm.kind, f"{', '.join(accepted)}, for game={config.game['name']}")
    try:
        language = getattr(module, MAKERS[genotype or has[0]])(game, module.Settings(**config.program))
    except ValueError as error:
        raise UsageError(str(error)) from error
    if isinstance(config.algorithm, Algorithm) and config.algorithm.mutation.local and genotype == "program":
        _factors(config.algorithm, language)


def _factors(algorithm: Algorithm, language: Any) -> None:
    """Check that what local mutation moves is there."""
    if not language.factored:
        why = "0, where nodes have no factors; with game=othello program.features=position they do"
        reject("algorithm.mutation.local", algorithm.mutation.local, why)


def _panel(config: Config, players: int) -> None:
    """Check that a game for two has opponents, and a game for one has none."""
    opponents = config.fitness.opponents
    if players == 1 and config.fitness.coplay:
        reject("fitness.coplay", config.fitness.coplay, f"0; {config.game['name']} is for one")
    if players == 1 and opponents:
        reject("fitness.opponents", ", ".join(opponents), f"none, as in fitness=solo: {config.game['name']} is for one")
    if players == 2 and not opponents:
        reject("fitness.opponents", "{}", "at least one opponent; add one with +fitness.opponents.NAME.kind=KIND")


def _strategy(option: str, name: str, module: Any, game: Any) -> None:
    """Check that a game has a strategy of this name for its board."""
    if not hasattr(module, "strategy"):
        reject(f"{option}.kind", "strategy", "search, random, programs or champions: the game has no strategies")
    try:
        module.strategy(name, game)
    except ValueError as error:
        message = str(error)
        accepted = message.partition("accepted: ")[2]
        if accepted:
            reject(f"{option}.name", name, accepted)
        raise UsageError(f"{option}.name={name}: {message}") from error


def _program(settings: Any, values: dict[str, Any]) -> None:
    """Check the settings of a game's programs against its `Settings` dataclass."""
    accepted = [field.name for field in dataclasses.fields(settings)]
    for key in values:
        if key not in accepted:
            raise UsageError(f"program.{key}: unknown option; accepted: {', '.join(accepted)}")
    _switches("program", settings, values)
    try:
        settings(**values)
    except ValueError as error:
        message = str(error)
        raise UsageError(message if message.startswith("program.") else f"program.{message}") from error


def _measured_depth(config: Config, settings: Any) -> None:
    """Check how deep programs search that are measured, by what the game's programs may search."""
    depth = config.fitness.measured_depth
    if depth is None:
        return
    if "depth" not in [field.name for field in dataclasses.fields(settings)]:
        reject("fitness.measured_depth", depth, f"null; programs for {config.game['name']} do not search")
    try:
        settings(**{**config.program, "depth": depth})
    except ValueError as error:
        reject("fitness.measured_depth", depth, str(error).partition("accepted: ")[2])


def _switches(section: str, settings: Any, values: dict[str, Any]) -> None:
    """Refuse anything but true and false where a dataclass of settings has that as its default."""
    for field in dataclasses.fields(settings):
        if isinstance(field.default, bool) and not isinstance(values.get(field.name, True), bool):
            reject(f"{section}.{field.name}", values[field.name], "true or false")


def _trained(config: Config) -> None:
    """Refuse engines outside the project among those that individuals meet."""
    for section, met in (("opponents", config.fitness.opponents), ("guides", config.fitness.guides)):
        for name, one in met.items():
            if one.kind == "gtp":
                why = f"{', '.join(KINDS)}; engines outside the project measure champions, they train none"
                reject(f"fitness.{section}.{name}.kind", one.kind, why)


def _coevolution(algorithm: Algorithm | Groups, config: Config) -> None:
    """Check what does not go with games of the population among itself."""
    if isinstance(algorithm, Groups):
        accepted = "0 with algorithm.kind=groups, which has tournaments of its own"
        reject("fitness.coplay", config.fitness.coplay, accepted)
    if algorithm.population < 2:
        reject("algorithm.population", algorithm.population, "a whole number from 2, with fitness.coplay")
    for option in ("by_case", "sharing"):
        # Nobody meets the same opponents as another.
        if value := getattr(algorithm.selection, option):
            reject(f"algorithm.selection.{option}", value, "0, with fitness.coplay")


def _roulette(config: Config) -> None:
    """Roulette wheel selection needs fitness that is never negative."""
    fitness = config.fitness
    if fitness.minimum is None and fitness.parsimony > 0:
        why = "algorithm.selection.method=roulette needs it when fitness.parsimony is above 0"
        reject("fitness.minimum", None, f"a number from 0 ({why})")
    if fitness.minimum is not None and fitness.minimum < 0:
        reject("fitness.minimum", fitness.minimum, "a number from 0, with algorithm.selection.method=roulette")
