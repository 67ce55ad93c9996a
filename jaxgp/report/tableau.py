"""A run's major parameters; for genetic programming in the form of the Koza tableau (J. R. Koza, 1992)."""

from jaxgp.config.schema import Config
from jaxgp.evolution.options import GPOptions, GroupsOptions
from jaxgp.genotypes.language import Language
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.kinds import Rows
from jaxgp.operators.options import CrossoverOptions, MutationOptions, RuleMutationOptions, SelectionOptions
from jaxgp.options import find
from jaxgp.schemes.breeding.cma import numbers_of
from jaxgp.schemes.cma import CMAOptions


def heading(config: Config) -> str:
    """Return the heading of the table."""
    return "Koza tableau" if isinstance(config.algorithm, GPOptions) else "Parameters"


def tableau(config: Config, language: Language) -> Rows:
    """Return (parameter, value) pairs in the customary order."""
    if isinstance(config.algorithm, GroupsOptions):
        assert isinstance(language, RuleLanguage)
        rows = _groups(config, config.algorithm, language)
    else:
        assert isinstance(language, PrimitiveSet)
        if isinstance(config.algorithm, CMAOptions):
            rows = _cma(config, config.algorithm, language)
        else:
            rows = _koza(config, config.algorithm, language)
    rows += [*config.algorithm.rows(), *_islands(config.algorithm)]
    return [("title", config.title), *rows] if config.title else rows


def _islands(algorithm: GPOptions | GroupsOptions | CMAOptions) -> Rows:
    asked = algorithm.islands
    if asked.count == 1:
        return []
    turn = "island after island" if asked.staggered else "all islands at once"
    sent = f"{asked.migrants} to each of {asked.neighbours} neighbours, by tournaments of {asked.tournament_size}"
    when = f"every {asked.every} generations from generation {asked.first} on, {turn}"
    return [
        _row(asked, "count", f"{asked.count}, of {asked.size(algorithm.population)} individuals each"),
        ("migrants", f"{sent}; {when}"),
    ]


def _groups(config: Config, algorithm: GroupsOptions, language: RuleLanguage) -> Rows:
    parents = algorithm.population // algorithm.group_size
    creation, mutation = algorithm.creation, algorithm.mutation
    total = sum(mutation.weights.values())
    dont_care = "as likely as each other condition" if creation.dont_care is None else _percent(creation.dont_care)
    arrivals = "none"
    if algorithm.immigrants:
        arrivals = f"{algorithm.immigrants} random lists in place of children every {algorithm.immigrants_every} cycles"
    restarts = f"a new random population every {algorithm.restart_every} cycles" if algorithm.restart_every else "none"
    won = f"most points, {'then fewest rules, ' if algorithm.ties == 'rules' else ''}then by lot"
    if algorithm.panel_weight:
        won += f"; points of the tournament and {algorithm.panel_weight:g} times the fitness against the panel"
    rows, columns = language.shape
    return [
        ("objective", _objective(config)),
        ("rules", f"masks of {rows} x {columns} cells; {', '.join(language.actions)}; {language.name}"),
        ("default action", language.actions[language.default]),
        _row(algorithm, "population"),
        (
            "tournaments",
            f"groups of {algorithm.group_size}, everybody meets everybody in a double game; 2, 1, 0 points",
        ),
        ("winners", won),
        ("parents", f"{parents}, who stay in the population"),
        ("children", f"{algorithm.population - parents}: 2 by recombination, 2 by mutation, and so on"),
        (
            "kinds of mutation",
            ", ".join(f"{kind} {_percent(weight / total, 1)}" for kind, weight in _kinds(mutation).items()),
        ),
        _row(algorithm, "immigrants", arrivals),
        _row(algorithm, "restart_every", restarts),
        *config.fitness.rows(config),
        _termination(config),
        _row(algorithm, "generations"),
        ("initial lists", f"{creation.min_rules} to {creation.max_rules} random rules; don't care: {dont_care}"),
        _row(algorithm, "capacity"),
        _row(config, "seed"),
    ]


def _koza(config: Config, algorithm: GPOptions, primitives: PrimitiveSet) -> Rows:
    kinds = ", ".join(kind for kind, weight in _kinds(algorithm.mutation).items() if weight)
    crossover, mutation = algorithm.crossover, algorithm.mutation
    apart = "; never of crossed children" if mutation.exclusive else ""
    bred = [
        _row(crossover, "probability", f"{_percent(crossover.probability)} ({_crossover(crossover)})"),
        _row(mutation, "probability", _percent(mutation.probability) + (f" ({kinds}{apart})" if kinds else "")),
    ]
    terminals, functions = (
        [p for p in part if p.name not in algorithm.left_out] for part in (primitives.terminals, primitives.functions)
    )
    return [
        ("objective", _objective(config)),
        ("terminal set", "; ".join(map(_terminal, terminals))),
        ("function set", ", ".join(p.name for p in functions) or "none"),
        *config.fitness.rows(config),
        _row(algorithm, "population"),
        *(bred if algorithm.breeds else []),
        *([("selection", _selection(algorithm.selection))] if algorithm.selects else []),
        _termination(config),
        _row(algorithm, "generations"),
        ("initial programs", _creation(algorithm)),
        _row(algorithm, "max_depth", _depth(algorithm)),
        *([_row(mutation, "max_depth")] if algorithm.breeds else []),
        _row(algorithm, "elites", f"the best {algorithm.elites}" if algorithm.elites else "none"),
        _row(config, "seed"),
    ]


def _cma(config: Config, algorithm: CMAOptions, primitives: PrimitiveSet) -> Rows:
    scale, about = "on the logistic scale of the values", [_row(algorithm, "start")]
    what = ("vectors", "; ".join(_terminal(p) for p in primitives.terminals))
    if algorithm.initial:
        coding = numbers_of(primitives, algorithm.initial)
        said = (
            f"{len(coding.start)} real numbers of one program of {coding.program.length.sum()} nodes, whose form stays"
        )
        what, scale, about = ("numbers", said), "in widths of domains and magnitudes of factors", []
    return [
        ("objective", _objective(config)),
        what,
        *config.fitness.rows(config),
        ("algorithm", f"CMA-ES with a diagonal covariance matrix, {scale}"),
        _row(algorithm, "population", f"{algorithm.population}, the first of which is the mean"),
        *about,
        _row(algorithm, "step"),
        _termination(config),
        _row(algorithm, "generations"),
        _row(config, "seed"),
    ]


def _row(values: object, option: str, said: str | None = None) -> tuple[str, str]:
    """Return the label of an option, and `said` or else its value."""
    return find(values, option).limits.label, str(getattr(values, option)) if said is None else said


def _kinds(mutation: MutationOptions | RuleMutationOptions) -> dict[str, float]:
    """Return the label and the weight of each kind of mutation."""
    return {find(mutation, kind).limits.label: weight for kind, weight in mutation.weights.items()}


def _objective(config: Config) -> str:
    return config.fitness.objective(config.game.get("name", "the game"))


def _termination(config: Config) -> tuple[str, str]:
    ends = [config.fitness.aim(config)]
    if limit := config.algorithm.stagnation:
        ends.append(f"{limit} generations without a better individual than all before")
    return "termination criterion", "; or ".join(filter(None, ends)) or "none but the number of generations"


def _terminal(primitive: Primitive) -> str:
    return f"{primitive.name}: {primitive.domain}" if primitive.domain is not None else primitive.name


def _crossover(crossover: CrossoverOptions) -> str:
    said = [crossover.method.replace("_", " ")]
    if crossover.subtree:
        koza = f"a function in {_percent(crossover.function_probability)} of the cases"
        said.append(koza if crossover.node_choice == "koza" else "any node alike")
    kinds = f"; kinds: {_weighed(crossover.weights)}" if crossover.rule or crossover.one_point else ""
    return ", ".join(said) + kinds


def _weighed(weights: dict[str, float]) -> str:
    """Return the kinds that have a weight, each with it."""
    return ", ".join(f"{kind} {weight:g}" for kind, weight in weights.items() if weight)


def _selection(selection: SelectionOptions) -> str:
    method = {
        "roulette": "roulette wheel" + (f" by fitness ** {selection.power:g}" if selection.power != 1 else ""),
        "rank": f"linear ranking, pressure {selection.rank_pressure:g}",
        "tournament": f"tournament of {selection.tournament_size}{' different ones' if selection.distinct else ''}",
        "truncation": f"the best {_percent(selection.truncation_fraction)}",
    }[selection.method]
    if selection.by_case:
        method += f"; {_percent(selection.by_case)} of the parents by their games against one opponent from one seat"
    if selection.sharing:
        method += "; individuals that play alike share fitness"
        if selection.sharing_memory:
            method += f", also with earlier generations (factor {selection.sharing_memory:g} each)"
    return method


def _creation(algorithm: GPOptions) -> str:
    creation = algorithm.creation
    if creation.method == "ramped":
        return f"ramped half-and-half, depth {creation.min_depth} to {creation.max_depth}"
    return f"{creation.method}, depth up to {creation.max_depth}"


def _depth(algorithm: GPOptions) -> str:
    depth = "unlimited" if algorithm.max_depth is None else str(algorithm.max_depth)
    return f"{depth} (at most {algorithm.capacity} nodes)"


def _percent(share: float, digits: int = 6) -> str:
    return f"{round(100 * share, digits):g} percent"
