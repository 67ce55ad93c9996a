"""The Koza tableau: a run's major parameters in the form that the field has used since J. R. Koza, 1992."""

from jaxgp.experiment.schema import Config, Fitness, Opponent
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet

Rows = list[tuple[str, str]]


def tableau(config: Config, primitives: PrimitiveSet) -> Rows:
    """Return (parameter, value) pairs in the customary order."""
    algorithm = config.algorithm
    weights = {kind: getattr(algorithm.mutation, kind) for kind in _MUTATIONS}
    kinds = ", ".join(f"{_MUTATIONS[kind]}" for kind, weight in weights.items() if weight > 0)
    rows = [
        ("objective", _objective(config)),
        ("terminal set", "; ".join(_terminal(p) for p in primitives.terminals)),
        ("function set", ", ".join(p.name for p in primitives.functions) or "none"),
        ("fitness", _formula(config.fitness)),
        ("population size", str(algorithm.population)),
        ("crossover probability", f"{_percent(algorithm.crossover.probability)} ({_crossover(config)})"),
        ("mutation probability", _percent(algorithm.mutation.probability) + (f" ({kinds})" if kinds else "")),
        ("selection", _selection(config)),
        ("termination criterion", "none but the number of generations"),
        ("maximum number of generations", str(algorithm.generations)),
        ("initial programs", _creation(config)),
        ("maximum depth of tree", _depth(config)),
        ("maximum mutation depth", str(algorithm.mutation.max_depth)),
        ("elitism", f"the best {algorithm.elites}" if algorithm.elites else "none"),
        ("seed", str(config.seed)),
    ]
    return [("title", config.title), *rows] if config.title else rows


_MUTATIONS = {
    "children": "new arguments",
    "subtree": "new subtree",
    "point": "other primitive",
    "hoist": "subtree becomes the tree",
    "shrink": "subtree becomes a terminal",
    "constant": "new constant",
}


def _objective(config: Config) -> str:
    opponents = [describe_opponent(opponent) for opponent in config.fitness.opponents.values()]
    return f"play {config.game.get('name', 'the game')} well against {'; '.join(opponents)}"


def describe_opponent(opponent: Opponent) -> str:
    """Say in words who an opponent is."""
    plural = "" if opponent.count == 1 else "s"
    said = {
        "search": f"a search of {opponent.depth} plies ({opponent.ties} of the best moves)",
        "random": "random moves",
        "programs": f"{opponent.count} random program{plural}",
        "champions": f"the last {opponent.count} champion{plural}",
    }[opponent.kind]
    return said + (f", {opponent.games} games from each seat" if opponent.games > 1 else "")


def _terminal(primitive: Primitive) -> str:
    return f"{primitive.name}: {primitive.domain}" if primitive.domain is not None else primitive.name


def _formula(fitness: Fitness) -> str:
    points = "score moving first + score moving second"
    if fitness.points == "result":
        points = "result moving first + result moving second (1 win, 1/2 draw, 0 loss)"
    if len(fitness.opponents) > 1:
        points = f"mean over the opponents of {points}"
    if fitness.win_bonus:
        points += f" + {fitness.win_bonus:g} for each game won"
    formula = points if fitness.scale == 1 else f"{fitness.scale:g} * ({points})"
    if fitness.parsimony:
        formula += " - number of nodes" if fitness.parsimony == 1 else f" - {fitness.parsimony:g} * number of nodes"
    return formula + ("" if fitness.minimum is None else f", at least {fitness.minimum:g}")


def _crossover(config: Config) -> str:
    crossover = config.algorithm.crossover
    nodes = "any node alike"
    if crossover.node_choice == "koza":
        nodes = f"a function in {_percent(crossover.function_probability)} of the cases"
    return f"{crossover.method.replace('_', ' ')}, {nodes}"


def _selection(config: Config) -> str:
    selection = config.algorithm.selection
    method = {
        "roulette": "roulette wheel" + (f" by fitness ** {selection.power:g}" if selection.power != 1 else ""),
        "rank": f"linear ranking, pressure {selection.rank_pressure:g}",
        "tournament": f"tournament of {selection.tournament_size}",
        "truncation": f"the best {_percent(selection.truncation_fraction)}",
    }[selection.method]
    if selection.by_case:
        method += f"; {_percent(selection.by_case)} of the parents by their games against one opponent from one seat"
    if selection.sharing:
        method += "; individuals that play alike share fitness"
        if selection.sharing_memory:
            method += f", also with earlier generations (factor {selection.sharing_memory:g} each)"
    return method


def _creation(config: Config) -> str:
    creation = config.algorithm.creation
    if creation.method == "ramped":
        return f"ramped half-and-half, depth {creation.min_depth} to {creation.max_depth}"
    return f"{creation.method}, depth up to {creation.max_depth}"


def _depth(config: Config) -> str:
    algorithm = config.algorithm
    depth = "unlimited" if algorithm.max_depth is None else str(algorithm.max_depth)
    return f"{depth} (at most {algorithm.capacity} nodes)"


def _percent(share: float) -> str:
    return f"{100 * share:g} percent"
