"""A run's major parameters; for genetic programming in the form of the Koza tableau (J. R. Koza, 1992)."""

from jaxgp.config.schema import Config
from jaxgp.evolution.options import CMA, Algorithm, Groups
from jaxgp.fitness.options import Fitness, Learning, Suite
from jaxgp.genotypes.language import Language
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.operators.options import Crossover, Mutation, RuleMutation, Selection
from jaxgp.options import find
from jaxgp.seats.options import GuideOptions, OpponentOptions, plies

Rows = list[tuple[str, str]]

NO_AIM = "none but the number of generations"


def heading(config: Config) -> str:
    """Return the heading of the table."""
    return "Koza tableau" if isinstance(config.algorithm, Algorithm) else "Parameters"


def tableau(config: Config, language: Language) -> Rows:
    """Return (parameter, value) pairs in the customary order."""
    if isinstance(config.algorithm, Groups):
        assert isinstance(language, RuleLanguage)
        rows = _groups(config, config.algorithm, language)
    else:
        assert isinstance(language, PrimitiveSet)
        if isinstance(config.algorithm, CMA):
            rows = _cma(config, config.algorithm, language)
        else:
            rows = _koza(config, config.algorithm, language)
    rows += _islands(config.algorithm)
    return [("title", config.title), *rows] if config.title else rows


def _islands(algorithm: Algorithm | Groups | CMA) -> Rows:
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


def _groups(config: Config, algorithm: Groups, language: RuleLanguage) -> Rows:
    parents = algorithm.population // algorithm.group_size
    first = next(iter(config.fitness.opponents.values()))
    creation, mutation = algorithm.creation, algorithm.mutation
    total = sum(mutation.weights.values())
    dont_care = "as likely as each other condition" if creation.dont_care is None else _percent(creation.dont_care)
    arrivals = "none"
    if algorithm.immigrants:
        arrivals = f"{algorithm.immigrants} random lists in place of children every {algorithm.immigrants_every} cycles"
    against = {"beaten": describe_opponent(first), "all_beaten": "each opponent of the panel"}.get(algorithm.stop)
    aim = f"a parent gets more than half of the points of its games against {against}" if against else NO_AIM
    restarts = f"a new random population every {algorithm.restart_every} cycles" if algorithm.restart_every else "none"
    won = f"most points, {'then fewest rules, ' if algorithm.ties == 'rules' else ''}then by lot"
    if algorithm.panel_weight:
        won += f"; points of the tournament and {algorithm.panel_weight:g} times the fitness against the panel"
    measured = "fitness against the panel" if algorithm.panel_weight else "measure of the parents"
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
        (measured, _formula(config.fitness, "rules")),
        ("termination criterion", aim),
        _row(algorithm, "generations"),
        ("initial lists", f"{creation.min_rules} to {creation.max_rules} random rules; don't care: {dont_care}"),
        _row(algorithm, "capacity"),
        _row(config, "seed"),
    ]


def _koza(config: Config, algorithm: Algorithm, primitives: PrimitiveSet) -> Rows:
    kinds = ", ".join(kind for kind, weight in _kinds(algorithm.mutation).items() if weight)
    crossover, mutation = algorithm.crossover, algorithm.mutation
    apart = "; never of crossed children" if mutation.exclusive else ""
    terminals, functions = (
        [p for p in part if p.name not in algorithm.left_out] for part in (primitives.terminals, primitives.functions)
    )
    return [
        ("objective", _objective(config)),
        ("terminal set", "; ".join(map(_terminal, terminals))),
        ("function set", ", ".join(p.name for p in functions) or "none"),
        *_measures(config.fitness),
        _row(algorithm, "population"),
        _row(crossover, "probability", f"{_percent(crossover.probability)} ({_crossover(crossover)})"),
        _row(mutation, "probability", _percent(mutation.probability) + (f" ({kinds}{apart})" if kinds else "")),
        ("selection", _selection(algorithm.selection)),
        ("termination criterion", NO_AIM),
        _row(algorithm, "generations"),
        ("initial programs", _creation(algorithm)),
        _row(algorithm, "max_depth", _depth(algorithm)),
        _row(mutation, "max_depth"),
        _row(algorithm, "elites", f"the best {algorithm.elites}" if algorithm.elites else "none"),
        _row(config, "seed"),
    ]


def _cma(config: Config, algorithm: CMA, primitives: PrimitiveSet) -> Rows:
    return [
        ("objective", _objective(config)),
        ("vectors", "; ".join(_terminal(p) for p in primitives.terminals)),
        *_measures(config.fitness),
        ("algorithm", "CMA-ES with a diagonal covariance matrix, on the logistic scale of the values"),
        _row(algorithm, "population", f"{algorithm.population}, the first of which is the mean"),
        _row(algorithm, "start"),
        _row(algorithm, "step"),
        ("termination criterion", NO_AIM),
        _row(algorithm, "generations"),
        _row(config, "seed"),
    ]


def _row(values: object, option: str, said: str | None = None) -> tuple[str, str]:
    """Return the label of an option, and `said` or else its value."""
    return find(values, option).limits.label, str(getattr(values, option)) if said is None else said


def _kinds(mutation: Mutation | RuleMutation) -> dict[str, float]:
    """Return the label and the weight of each kind of mutation."""
    return {find(mutation, kind).limits.label: weight for kind, weight in mutation.weights.items()}


def _objective(config: Config) -> str:
    game = config.game.get("name", "the game")
    if config.fitness.suite.boards:
        return f"solve {game} with few nodes of a search"
    if not config.fitness.opponents:
        return f"reach a high score in {game}"
    if config.fitness.lessons.drawn:
        return f"choose moves of {game} as a teacher does"
    if config.fitness.coplay or config.fitness.elimination:
        return f"play {game} well against others of the population"
    return f"play {game} well against {_panel(config.fitness)}"


def _panel(fitness: Fitness) -> str:
    return "; ".join(describe_opponent(opponent) for opponent in fitness.opponents.values())


def describe_opponent(opponent: OpponentOptions) -> str:
    """Say in words who an opponent is."""
    return opponent.says + (f", {opponent.games} games from each seat" if opponent.games > 1 else "")


def _terminal(primitive: Primitive) -> str:
    return f"{primitive.name}: {primitive.domain}" if primitive.domain is not None else primitive.name


def _measures(fitness: Fitness) -> Rows:
    """Return the formula of the fitness; in coevolution also the measure that is comparable between generations."""
    if fitness.suite.boards:
        return _suite(fitness)
    if fitness.elimination:
        return _elimination(fitness)
    if fitness.lessons.drawn:
        return _lessons(fitness)
    if not fitness.coplay:
        begun = f"; games begin with {fitness.opening_plies} random moves" if fitness.opening_plies else ""
        return [("fitness", _formula(fitness) + begun + _paired(fitness))]
    weight = "" if fitness.coplay_weight == 1 else f"{fitness.coplay_weight:g} * "
    games = f"{fitness.coplay} game{'' if fitness.coplay == 1 else 's'} from each seat"
    others = f"others of the population{_opening(fitness)}"
    points = f"{weight}points of {games} against {others} (1 win, 1/2 draw, 0 loss)"
    return [
        ("fitness", " + ".join([points, *(_guide(guide) for guide in fitness.guides.values())])),
        (
            f"{_fittest(fitness)} of each generation measured by",
            f"{_formula(fitness)}, {_searching(fitness)}against {_panel(fitness)}",
        ),
        ("champion", "the best of these"),
    ]


def _opening(fitness: Fitness) -> str:
    return f", each after {fitness.opening_plies} random moves" if fitness.opening_plies else ""


def _elimination(fitness: Fitness) -> Rows:
    """Return the fitness by a tournament of the population, and the measure that is comparable between generations."""
    half = fitness.elimination // 2
    points = "results" if fitness.points == "result" else "points"
    each = f"{half} from each seat{_opening(fitness)}{_paired(fitness)}"
    match = f"{fitness.elimination} games, {each}; more {points} win, then a lot"
    return [
        (
            "fitness",
            f"1 / n if beaten in a round of n individuals, 1 if never; single elimination by matches of {match}",
        ),
        (
            f"{_fittest(fitness)} of each generation measured by",
            f"{_formula(fitness)}, {_searching(fitness)}against {_panel(fitness)}{_paired(fitness)}",
        ),
    ]


def _lessons(fitness: Fitness) -> Rows:
    """Return the fitness by decisions, and the measure that names the champion."""
    asked = fitness.lessons
    by = asked.teacher or "a strategy of the game"
    worth = "value of the best move less that of the own choice"
    return [
        ("fitness", f"minus the mean loss in {asked.drawn} decisions of {asked.stock}, judged by {by}; loss: {worth}"),
        *_learning(asked.learning),
        (
            f"{_fittest(fitness)} of each generation measured by",
            f"{_formula(fitness)}, against {_panel(fitness)}{_paired(fitness)}",
        ),
    ]


def _learning(asked: Learning) -> Rows:
    """Return who learns from lessons, and how; nothing if nobody does."""
    if not asked.individuals:
        return []
    number = asked.individuals
    who = "the fittest of each generation" if number == 1 else f"the {number} fittest of each generation"
    new = f"up to {asked.terms} new terms of each tree, each the best of {asked.candidates} random ones"
    return [("learning", f"{who}: weights of terms by least squares in {asked.lessons} lessons, and {new}; inherited")]


def _paired(fitness: Fitness) -> str:
    return "; both games of a pair have the same dice" if fitness.paired else ""


def _suite(fitness: Fitness) -> Rows:
    """Return the formula of the fitness on instances of a puzzle, and the measure that names the champion."""
    suite, problems = fitness.suite, fitness.suite.problems
    what = ("" if suite.score == "share" else "the logarithm of ") + "nodes" + " expanded" * (suite.cost == "expanded")
    worth = _formula(fitness).replace("score", f"mean share of {what} saved against the reference search")
    most = "" if suite.factor == 1 else f"{suite.factor:g} times "
    drawn, second = f"{suite.boards} instances drawn in each generation", []
    if problems.population:
        size = suite.boards // problems.met
        drawn = f"the instances of {problems.met} sets that each individual draws"
        second = [
            ("second population", f"{problems.population} sets of {size} instances, each as fit as they are hard"),
            (
                "breeding of sets",
                f"every {problems.every} generations; one-point crossover {_percent(problems.crossover)}, "
                f"mutation {_percent(problems.mutation)}, of each instance {_percent(problems.gene_probability)}, "
                f"elites {problems.elites}",
            ),
        ]
    little = f"; a solution that saves nothing scores up to {suite.partial:g}" if suite.partial else ""
    gives_up = "" if suite.reference is None else f" of {suite.reference} nodes"
    failed = (
        ""
        if suite.unsolved is None
        else f"; where this{gives_up} finds no solution it counts with {suite.unsolved} nodes"
    )
    return [
        ("fitness", f"{worth}{little}; {drawn}"),
        *second,
        ("most nodes of a search", f"{most}those of the reference search, at most {suite.limit}{failed}"),
        ("suite", suite.name or "the first of the game"),
        (
            f"{_fittest(fitness)}{_first(suite)} of each generation measured by",
            f"{suite.validation} instances that are never drawn",
        ),
        ("champion", "the best of these"),
    ]


def _fittest(fitness: Fitness) -> str:
    return "best" if fitness.measured == 1 else f"{fitness.measured} best"


def _first(suite: Suite) -> str:
    return f" and first {suite.first}" if suite.first else ""


def _searching(fitness: Fitness) -> str:
    depth = fitness.measured_depth
    return "" if depth is None else f"searching {plies(depth)} "


def _guide(guide: GuideOptions) -> str:
    weight = "" if guide.weight == 1 else f"{guide.weight:g} * "
    rounds = "" if guide.rounds == 1 else f"{guide.rounds} rounds of "
    fit = "" if guide.cutoff is None else f" (of those whose fitness is not more than {guide.cutoff:g} below the best)"
    return f"{weight}points of {rounds}games against {describe_opponent(guide)}{fit}"


def _formula(fitness: Fitness, unit: str = "nodes") -> str:
    points = "score moving first + score moving second"
    if not fitness.opponents:
        points = "score"
    elif fitness.points == "share":
        points = "share of points (own / (own + opponent's)) of all games"
    elif fitness.points == "result":
        points = "result moving first + result moving second (1 win, 1/2 draw, 0 loss)"
    if len(fitness.opponents) > 1:
        points = f"mean over the opponents of {points}"
    if fitness.win_bonus:
        points += f" + {fitness.win_bonus:g} for each game won"
    formula = points if fitness.scale == 1 else f"{fitness.scale:g} * ({points})"
    if fitness.parsimony:
        formula += f" - number of {unit}" if fitness.parsimony == 1 else f" - {fitness.parsimony:g} * number of {unit}"
    return formula + ("" if fitness.minimum is None else f", at least {fitness.minimum:g}")


def _crossover(crossover: Crossover) -> str:
    said = [crossover.method.replace("_", " ")]
    if crossover.subtree:
        koza = f"a function in {_percent(crossover.function_probability)} of the cases"
        said.append(koza if crossover.node_choice == "koza" else "any node alike")
    kinds = f"; kinds: {_weighed(crossover.weights)}" if crossover.rule or crossover.one_point else ""
    return ", ".join(said) + kinds


def _weighed(weights: dict[str, float]) -> str:
    """Return the kinds that have a weight, each with it."""
    return ", ".join(f"{kind} {weight:g}" for kind, weight in weights.items() if weight)


def _selection(selection: Selection) -> str:
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


def _creation(algorithm: Algorithm) -> str:
    creation = algorithm.creation
    if creation.method == "ramped":
        return f"ramped half-and-half, depth {creation.min_depth} to {creation.max_depth}"
    return f"{creation.method}, depth up to {creation.max_depth}"


def _depth(algorithm: Algorithm) -> str:
    depth = "unlimited" if algorithm.max_depth is None else str(algorithm.max_depth)
    return f"{depth} (at most {algorithm.capacity} nodes)"


def _percent(share: float, digits: int = 6) -> str:
    return f"{round(100 * share, digits):g} percent"
