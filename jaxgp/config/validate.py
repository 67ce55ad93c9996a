"""Checks a typed configuration before anything is computed or written; JAX is imported only for the last check."""

import dataclasses
from types import ModuleType
from typing import Any

from jaxgp.config.schema import (
    GENOTYPES,
    MAKERS,
    Algorithm,
    Config,
    Groups,
    Mutation,
    Opponent,
    evaluators,
    genotypes,
)
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_SEED, check_cores, choice, real, whole

CHOICES: dict[str, tuple[str, ...]] = {
    "fitness.points": ("score", "result"),
    "logger.mode": ("offline", "online", "disabled"),
}
ALGORITHM_CHOICES: dict[str, dict[str, tuple[str, ...]]] = {
    "gp": {
        "algorithm.creation.method": ("full", "grow", "ramped"),
        "algorithm.selection.method": ("roulette", "rank", "tournament", "truncation"),
        "algorithm.crossover.method": ("one_child", "two_children", "one_way", "one_or_two_way"),
        "algorithm.crossover.node_choice": ("uniform", "koza"),
    },
    "groups": {"algorithm.stop": ("beaten", "all_beaten", "never"), "algorithm.ties": ("rules", "lot")},
}
OPPONENT_CHOICES: dict[str, tuple[str, ...]] = {
    "kind": ("search", "random", "programs", "champions", "strategy"),
    "ties": ("first", "random"),
}
RULE_MUTATIONS = ("add", "delete", "reorder", "modify")
MUTATIONS = ("children", "subtree", "point", "hoist", "shrink", "constant", "creep", "local")
MAX_CAPACITY = 32767
"""Subtree sizes are stored as int16."""
MIN_GROUPS = 4
"""Two parents are recombined and two others mutated."""
MAX_DEPTH = 1000
"""A bound on every depth option, far above any useful value."""


def check(config: Config, games: ModuleType | Any) -> None:
    """Check every option.

    Args:
        config: the typed configuration.
        games: the package of games: `available()`, `make(name, **settings)`, `module(name, part)`.

    Raises:
        UsageError: the first option that is wrong; the message names it, its value and what is accepted.
    """
    algorithm = config.algorithm
    for option, accepted in (CHOICES | ALGORITHM_CHOICES[algorithm.kind]).items():
        choice(option, _get(config, option), accepted)
    _run(config)
    if isinstance(algorithm, Groups):
        _groups(algorithm)
    else:
        _algorithm(algorithm)
    _fitness(config)
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
    _opponent(option, opponent, (*OPPONENT_CHOICES["kind"], "gtp"))
    _no_guide(option, opponent)
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


def _run(config: Config) -> None:
    whole("seed", config.seed, 0, MAX_SEED)
    whole("checkpoint_every", config.checkpoint_every, 1)
    whole("keep_checkpoints", config.keep_checkpoints, 1)
    check_cores(config.cores)
    for option in ("resume", "compilation_cache"):
        if getattr(config, option) == "":
            reject(option, "", "a path, or null")


def _groups(algorithm: Groups) -> None:
    size = algorithm.group_size
    whole("algorithm.group_size", size, 2)
    whole("algorithm.population", algorithm.population, MIN_GROUPS * size)
    if algorithm.population % size:
        below = algorithm.population // size * size
        near = f"a multiple of algorithm.group_size={size}, such as {max(below, MIN_GROUPS * size)} or {below + size}"
        reject("algorithm.population", algorithm.population, near)
    whole("algorithm.generations", algorithm.generations, 1)
    whole("algorithm.capacity", algorithm.capacity, 1, MAX_CAPACITY)
    children = algorithm.population - algorithm.population // size
    whole("algorithm.immigrants", algorithm.immigrants, 0, children, "the children of a cycle")
    whole("algorithm.immigrants_every", algorithm.immigrants_every, 1)
    whole("algorithm.restart_every", algorithm.restart_every, 0)
    real("algorithm.panel_weight", algorithm.panel_weight, 0)
    creation = algorithm.creation
    whole("algorithm.creation.max_rules", creation.max_rules, 0, algorithm.capacity, "algorithm.capacity")
    whole("algorithm.creation.min_rules", creation.min_rules, 0, creation.max_rules, "algorithm.creation.max_rules")
    if creation.dont_care is not None:
        real("algorithm.creation.dont_care", creation.dont_care, 0, 1)
    weights = [getattr(algorithm.mutation, kind) for kind in RULE_MUTATIONS]
    for kind, weight in zip(RULE_MUTATIONS, weights, strict=True):
        real(f"algorithm.mutation.{kind}", weight, 0)
    if not any(weights):
        reject("algorithm.mutation.add", weights[0], f"a weight above 0 for {_or(RULE_MUTATIONS)}")


def _algorithm(algorithm: Algorithm) -> None:
    whole("algorithm.population", algorithm.population, 1)
    whole("algorithm.generations", algorithm.generations, 1)
    whole("algorithm.elites", algorithm.elites, 0, algorithm.population, "the population")
    whole("algorithm.capacity", algorithm.capacity, 1, MAX_CAPACITY)
    if algorithm.max_depth is not None:
        whole("algorithm.max_depth", algorithm.max_depth, 1, MAX_DEPTH, or_null=True)
    creation = algorithm.creation
    if algorithm.max_depth is None:
        whole("algorithm.creation.max_depth", creation.max_depth, 1, MAX_DEPTH)
    else:
        whole("algorithm.creation.max_depth", creation.max_depth, 1, algorithm.max_depth, "algorithm.max_depth")
    whole("algorithm.creation.min_depth", creation.min_depth, 0, MAX_DEPTH)
    if creation.method == "ramped":
        limit = "algorithm.creation.max_depth"
        whole("algorithm.creation.min_depth", creation.min_depth, 0, creation.max_depth, limit)
    if creation.terminal_probability is not None:
        real("algorithm.creation.terminal_probability", creation.terminal_probability, 0, 1)
    selection = algorithm.selection
    most = algorithm.population if selection.distinct else None
    limit = "the population, with algorithm.selection.distinct"
    whole("algorithm.selection.tournament_size", selection.tournament_size, 1, most, limit)
    real("algorithm.selection.rank_pressure", selection.rank_pressure, 1, 2)
    real("algorithm.selection.truncation_fraction", selection.truncation_fraction, 0, 1, above=True)
    real("algorithm.selection.power", selection.power, 0, above=True)
    real("algorithm.selection.sharing", selection.sharing, 0)
    real("algorithm.selection.sharing_memory", selection.sharing_memory, 0, 1)
    real("algorithm.selection.by_case", selection.by_case, 0, 1)
    real("algorithm.crossover.probability", algorithm.crossover.probability, 0, 1)
    real("algorithm.crossover.function_probability", algorithm.crossover.function_probability, 0, 1)
    _mutation(algorithm.mutation)


def _mutation(mutation: Mutation) -> None:
    real("algorithm.mutation.probability", mutation.probability, 0, 1)
    whole("algorithm.mutation.max_depth", mutation.max_depth, 1, MAX_DEPTH)
    weights = [getattr(mutation, kind) for kind in MUTATIONS]
    for kind, weight in zip(MUTATIONS, weights, strict=True):
        real(f"algorithm.mutation.{kind}", weight, 0)
    if mutation.probability > 0 and not any(weights):
        reject("algorithm.mutation.probability", mutation.probability, f"0, or a weight above 0 for {_or(MUTATIONS)}")


def _fitness(config: Config) -> None:
    fitness = config.fitness
    for name, opponent in fitness.opponents.items():
        _opponent(f"fitness.opponents.{name}", opponent)
        _no_guide(f"fitness.opponents.{name}", opponent)
    if fitness.opponents and not any(opponent.weight for opponent in fitness.opponents.values()):
        name = next(iter(fitness.opponents))
        reject(f"fitness.opponents.{name}.weight", 0.0, "at least one opponent with a weight above 0")
    real("fitness.scale", fitness.scale, 0, above=True)
    real("fitness.parsimony", fitness.parsimony, 0)
    real("fitness.win_bonus", fitness.win_bonus, 0)
    if fitness.minimum is not None:
        real("fitness.minimum", fitness.minimum)
    if isinstance(config.algorithm, Algorithm) and config.algorithm.selection.method == "roulette":
        _roulette(config)
    _coevolution(config)
    whole("fitness.table_size", fitness.table_size, 1)
    if fitness.table_size & (fitness.table_size - 1):
        reject("fitness.table_size", fitness.table_size, "a power of two")
    whole("fitness.lanes", fitness.lanes, 1)
    whole("fitness.max_plies", fitness.max_plies, 1)
    met = [*fitness.opponents.values(), *fitness.guides.values()]
    depths = [opponent.depth for opponent in met if opponent.kind == "search"]
    whole("fitness.tail", fitness.tail, 1, min(depths, default=None), "the least depth among the opponents")


def _coevolution(config: Config) -> None:
    """Check games of the population among itself, and that nothing goes with them without them."""
    fitness, algorithm = config.fitness, config.algorithm
    whole("fitness.coplay", fitness.coplay, 0)
    real("fitness.coplay_weight", fitness.coplay_weight, 0)
    whole("fitness.opening_plies", fitness.opening_plies, 0, fitness.max_plies, "fitness.max_plies")
    whole("fitness.measured", fitness.measured, 1, algorithm.population, "algorithm.population")
    for name, guide in fitness.guides.items():
        option = f"fitness.guides.{name}"
        _opponent(option, guide)
        whole(f"{option}.rounds", guide.rounds, 1)
        if guide.cutoff is not None:
            real(f"{option}.cutoff", guide.cutoff, 0, or_null=True)
    if not fitness.coplay:
        if fitness.opening_plies:
            reject("fitness.opening_plies", fitness.opening_plies, "0 with fitness.coplay=0")
        if fitness.measured_depth is not None:
            reject("fitness.measured_depth", fitness.measured_depth, "null with fitness.coplay=0")
        if fitness.measured != 1:
            reject("fitness.measured", fitness.measured, "1 with fitness.coplay=0; the opponents are met by all")
        if fitness.guides:
            reject("fitness.guides", ", ".join(fitness.guides), "none with fitness.coplay=0; opponents are without it")
        return
    if isinstance(algorithm, Groups):
        reject("fitness.coplay", fitness.coplay, "0 with algorithm.kind=groups, which has tournaments of its own")
    if algorithm.population < 2:
        reject("algorithm.population", algorithm.population, "a whole number from 2, with fitness.coplay")
    if not fitness.coplay_weight and not any(guide.weight for guide in fitness.guides.values()):
        reject("fitness.coplay_weight", 0.0, "a number above 0, or a guide with a weight above 0")
    for option in ("by_case", "sharing"):
        # Nobody meets the same opponents as another.
        if value := getattr(algorithm.selection, option):
            reject(f"algorithm.selection.{option}", value, "0, with fitness.coplay")


def _no_guide(option: str, opponent: Opponent) -> None:
    """Refuse what only guides have."""
    if opponent.rounds != 1:
        reject(f"{option}.rounds", opponent.rounds, "1; rounds are of guides, all games of others are one")
    if opponent.cutoff is not None:
        reject(f"{option}.cutoff", opponent.cutoff, "null; only guides are met by some of the population")


def _opponent(option: str, opponent: Opponent, accepted_kinds: tuple[str, ...] = OPPONENT_CHOICES["kind"]) -> None:
    if opponent.kind == "gtp" and "gtp" not in accepted_kinds:
        kinds = ", ".join(OPPONENT_CHOICES["kind"])
        reject(f"{option}.kind", "gtp", f"{kinds}; engines outside the project measure champions, they train none")
    for key, accepted in (OPPONENT_CHOICES | {"kind": accepted_kinds}).items():
        choice(f"{option}.{key}", getattr(opponent, key), accepted)
    whole(f"{option}.depth", opponent.depth, 1, MAX_DEPTH)
    whole(f"{option}.count", opponent.count, 1)
    whole(f"{option}.games", opponent.games, 1)
    real(f"{option}.weight", opponent.weight, 0)


def _roulette(config: Config) -> None:
    """Roulette wheel selection needs fitness that is never negative."""
    fitness = config.fitness
    if fitness.minimum is None and fitness.parsimony > 0:
        why = "algorithm.selection.method=roulette needs it when fitness.parsimony is above 0"
        reject("fitness.minimum", None, f"a number from 0 ({why})")
    if fitness.minimum is not None and fitness.minimum < 0:
        reject("fitness.minimum", fitness.minimum, "a number from 0, with algorithm.selection.method=roulette")


def _get(config: Config, option: str) -> Any:
    value: Any = config
    for part in option.split("."):
        value = getattr(value, part)
    return value


def _or(words: tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + " or " + words[-1]
