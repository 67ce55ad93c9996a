import dataclasses
from types import SimpleNamespace

import pytest

import envs
from jaxgp import options
from jaxgp.config import validate
from jaxgp.config.schema import Config, LoggerOptions
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions, GroupsOptions, MigrationOptions
from jaxgp.fitness.taught.options import LearningOptions
from jaxgp.kinds import FitnessOptions
from jaxgp.kinds.coplay import CoplayFitnessOptions
from jaxgp.kinds.elimination import EliminationFitnessOptions
from jaxgp.kinds.lessons import LessonsFitnessOptions
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.operators.options import MutationOptions, RuleMutationOptions
from jaxgp.schemes.map_elites import MapElitesOptions
from jaxgp.schemes.random_search import RandomSearchOptions
from jaxgp.seats.options import OpponentOptions, guide, opponent
from tests.fitness import coplay_table, walls_table
from tests.run.toy_experiment import config


def put(config, option, value):
    """Set an option by its dotted name."""
    *path, last = option.split(".")
    for part in path:
        config = config[part] if isinstance(config, dict) else getattr(config, part)
    if isinstance(config, dict):
        config[last] = value
    else:
        setattr(config, last, value)


def test_the_toy_configuration_is_right():
    validate.check(config(), envs)


BAD = [
    ("seed", -1, "a whole number from 0"),
    ("seed", 2**32, "to 4294967295"),
    ("checkpoint_every", 0, "a whole number from 1"),
    ("keep_checkpoints", 0, "a whole number from 1"),
    ("cores", 0, "a whole number from 1 to 1024, or null"),
    ("resume", "", "a path, or null"),
    ("algorithm.population", 0, "a whole number from 1"),
    ("algorithm.chunk", 0, "a whole number from 1 to 1000000, or null"),
    ("algorithm.chunk", 3, "a divisor of algorithm.population=8, such as 2 or 4, or null"),
    ("algorithm.chunk", 9, "a divisor of algorithm.population=8, such as 8, or null"),
    ("algorithm.generations", 0, "a whole number from 1"),
    ("algorithm.elites", -1, "from 0 to 8 (the population)"),
    ("algorithm.elites", 9, "from 0 to 8 (the population)"),
    ("algorithm.capacity", 0, "from 1 to 32767"),
    ("algorithm.capacity", 32768, "from 1 to 32767"),
    ("algorithm.max_depth", 0, "or null"),
    ("algorithm.creation.method", "growing", "full, grow, ramped"),
    ("algorithm.creation.max_depth", 0, "a whole number from 1"),
    ("algorithm.creation.min_depth", -1, "a whole number from 0"),
    ("algorithm.creation.terminal_probability", 1.5, "a number from 0 to 1"),
    ("algorithm.selection.method", "wheel", "roulette, rank, tournament, truncation"),
    ("algorithm.selection.tournament_size", 0, "a whole number from 1"),
    ("algorithm.selection.rank_pressure", 2.5, "a number from 1 to 2"),
    ("algorithm.selection.truncation_fraction", 0.0, "a number above 0 up to 1"),
    ("algorithm.crossover.probability", 1.1, "a number from 0 to 1"),
    ("algorithm.crossover.probability", float("nan"), "a number from 0 to 1"),
    ("algorithm.crossover.method", "two", "one_child, two_children, one_way"),
    ("algorithm.crossover.node_choice", "any", "uniform, koza"),
    ("algorithm.crossover.function_probability", -0.1, "a number from 0 to 1"),
    ("algorithm.mutation.probability", -0.1, "a number from 0 to 1"),
    ("algorithm.mutation.max_depth", 0, "a whole number from 1"),
    ("algorithm.mutation.hoist", -1.0, "a number from 0"),
    ("algorithm.mutation.local", 0.5, "0; nodes of mancala with program.role=program have no factors"),
    ("algorithm.mutation.rule", 1.0, "0; individuals of mancala with program.role=program have no rules"),
    ("algorithm.crossover.rule", 1.0, "0; individuals of mancala with program.role=program have no rules"),
    ("algorithm.mutation.children", float("inf"), "a number from 0"),
    ("algorithm.tune.steps", 5, "0, or fitness.differences.games above 0: games to learn from"),
    ("algorithm.tune.rate", 0.0, "a number above 0"),
    ("algorithm.tune.decay", 1.5, "a number above 0 up to 1"),
    ("algorithm.tune.inherit", "darwin", "lamarck, baldwin"),
    ("fitness.points", "goals", "score, result"),
    ("fitness.scale", 0.0, "a number above 0"),
    ("fitness.parsimony", -1.0, "a number from 0"),
    ("fitness.minimum", -1.0, "a number from 0"),
    ("fitness.table_size", 0, "a power of two from 1"),
    ("fitness.table_size", 1000, "a power of two"),
    ("fitness.lanes", 0, "a whole number from 1"),
    ("fitness.tail", 0, "a whole number from 1"),
    ("fitness.tail", 3, "from 1 to 2 (the least depth among the opponents)"),
    ("fitness.max_plies", 0, "a whole number from 1"),
    ("fitness.opponents.minimax.ties", "last", "first, random"),
    ("fitness.opponents.minimax.depth", 0, "a whole number from 1"),
    ("fitness.opponents.minimax.games", 0, "a whole number from 1"),
    ("fitness.opponents.minimax.weight", -1.0, "a number from 0"),
    ("fitness.opponents.minimax.weight", 0.0, "at least one opponent with a weight above 0"),
    ("fitness.opponents.minimax.evaluator", "magic", "accepted: material"),
    ("fitness.opponents.minimax.evaluator", "material|magic", "accepted: material; there is no magic"),
    ("fitness.opponents.minimax.evaluator", "|material", "there is no evaluator without a name"),
    ("logger.mode", "on", "offline, online, csv, tensorboard, disabled"),
    ("game.name", "shogi", "mancala"),
    ("game.pits", 99, "a whole number from 1 to 15"),
]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["IF"], "[IF]: accepted: names among INT, ADD, SUB, VALUE_AT, IF_<_DO_ELSE_, each once"),
        (["ADD", "ADD"], "[ADD,ADD]: accepted: names among INT, ADD, SUB"),
        (["INT"], "[INT]: accepted: fewer of them (primitive set mancala-6-zero: no finite tree has type float)"),
    ],
)
def test_primitives_that_are_left_out_are_of_the_set_and_trees_can_do_without(names, says):
    wrong = config()
    wrong.algorithm.left_out = names
    assert refused(wrong).startswith(f"algorithm.left_out={says}")
    wrong.algorithm.left_out = ["ADD", "IF_<_DO_ELSE_"]
    validate.check(wrong, envs)


@pytest.mark.parametrize(("option", "value", "accepted"), BAD, ids=[f"{o}={v}" for o, v, _ in BAD])
def test_bad_values_are_named_with_what_is_accepted(option, value, accepted):
    wrong = config()
    put(wrong, option, value)
    with pytest.raises(UsageError) as raised:
        validate.check(wrong, envs)
    message = str(raised.value)
    assert message.startswith(f"{option}={'' if value == '' else value}")
    assert accepted in message
    assert "\n" not in message


BAD_COEVOLUTION = [
    ("algorithm.population", 1, "a whole number from 2, with fitness.kind=coplay"),
    ("algorithm.chunk", 2, "null with fitness.kind=coplay; individuals that play each other are evaluated together"),
    ("algorithm.selection.by_case", 0.5, "0, with fitness.kind=coplay"),
    ("algorithm.selection.sharing", 1.0, "0, with fitness.kind=coplay"),
    ("fitness.games", 0, "a whole number from 1"),
    ("fitness.weight", -1.0, "a number from 0"),
    ("fitness.opening_plies", -1, "a whole number from 0 to 400 (fitness.max_plies)"),
    ("fitness.measured", 0, "a whole number from 1 to 8 (algorithm.population)"),
    ("fitness.tail", 2, "from 1 to 1 (the least depth among the opponents)"),
    ("fitness.guides.one.depth", 0, "a whole number from 1"),
    ("fitness.guides.one.games", 0, "a whole number from 1"),
    ("fitness.guides.one.rounds", 0, "a whole number from 1"),
    ("fitness.guides.one.cutoff", -1.0, "a number from 0 to 1000000000000, or null"),
    ("fitness.guides.one.weight", -1.0, "a number from 0"),
    (
        "fitness.guides.one.evaluator",
        "material|corner_5",
        "material, corner_4, corner_16, or some of them with | between; there is no corner_5",
    ),
    ("fitness.opponents.minimax.evaluator", "corner_4|edgar_like", "there is no edgar_like on this board"),
    ("program.depth", 0, "a whole number from 1 to 12"),
    ("program.depth", 13, "a whole number from 1 to 12"),
]


def coevolving():
    """Everything right: small programs of Othello that play each other, after a guide."""
    right = config()
    right.game, right.program = {"name": "othello", "size": 4}, {"role": "leaf", "features": "position", "depth": 2}
    first = guide(depth=1, rounds=2, cutoff=0.5, games=2, evaluator="corner_4|material")
    panel = {"minimax": opponent(depth=2, evaluator="corner_4|corner_16")}
    right.fitness = CoplayFitnessOptions(opponents=panel, games=3, guides={"one": first}, tail=1)
    return right


@pytest.mark.parametrize(
    ("option", "value", "accepted"), BAD_COEVOLUTION, ids=[f"{o}={v}" for o, v, _ in BAD_COEVOLUTION]
)
def test_bad_values_of_coevolution_are_named_with_what_is_accepted(option, value, accepted):
    wrong = coevolving()
    validate.check(wrong, envs)
    put(wrong, option, value)
    message = refused(wrong)
    assert message.startswith(f"{option}={value}: accepted: ")
    assert accepted in message


@pytest.mark.parametrize("depth", [0, 13])
def test_a_depth_to_measure_by_is_one_that_programs_may_search(depth):
    wrong = coevolving()
    wrong.fitness.measured_depth = 4
    validate.check(wrong, envs)
    wrong.fitness.measured_depth = depth
    assert f"fitness.measured_depth={depth}: accepted: a whole number from 1 to " in refused(wrong)
    wrong = coplay_table.config()
    wrong.fitness.measured_depth = 2
    assert refused(wrong) == "fitness.measured_depth=2: accepted: null; programs for mancala do not search"


@pytest.mark.parametrize(
    ("section", "member", "opening"),
    [("opponents", opponent, "measured_opening"), ("guides", guide, "opening_plies")],
)
def test_more_games_than_there_are_different_ones_are_refused(section, member, opening):
    """Othello begins alike; neither a search for material draws its moves, nor do programs."""
    again = coevolving()
    met = member(depth=2, evaluator="material", games=2)
    setattr(again.fitness, section, {"one": met})
    said = f"fitness.{section}.one.games=2: accepted: up to 1, or fitness.{opening} above 0; othello begins alike and"
    assert refused(again).startswith(said)
    setattr(again.fitness, opening, 1)
    validate.check(again, envs)
    setattr(again.fitness, opening, 0)
    for other in (
        dataclasses.replace(met, ties="random"),
        dataclasses.replace(met, games=1),
        member("random", games=2),
    ):
        setattr(again.fitness, section, {"one": other})
        validate.check(again, envs)


def test_coevolution_that_only_fails_together():
    wrong = coevolving()
    wrong.fitness.weight = 0.0
    validate.check(wrong, envs)  # the guide still counts
    wrong.fitness.guides = {}
    assert refused(wrong) == "fitness.weight=0.0: accepted: a number above 0, or a guide with a weight above 0"


@pytest.mark.parametrize(
    ("game", "fitness", "accepted"),
    [
        (
            {"name": "morpion"},
            CoplayFitnessOptions(),
            "solo, for game=morpion with program.role=walk and algorithm.kind=gp",
        ),
        ({"name": "mancala"}, LessonsFitnessOptions(minimum=0.0), "panel, coplay, elimination, for game=mancala"),
        (
            {"name": "walls"},
            PanelFitnessOptions(),
            "groups, for game=walls with program.role=rules and algorithm.kind=groups",
        ),
    ],
)
def test_a_kind_of_fitness_fits_the_game_the_role_and_the_algorithm(game, fitness, accepted):
    wrong = walls_table.config() if game["name"] == "walls" else config()
    wrong = dataclasses.replace(wrong, game=game, program={}, fitness=fitness)
    assert refused(wrong).startswith(f"fitness.kind={fitness.kind}: accepted: {accepted}")


@pytest.mark.parametrize("kind", [MapElitesOptions, RandomSearchOptions])
def test_only_an_algorithm_that_selects_by_a_roulette_wheel_needs_fitness_from_0(kind):
    right, wrong = config(), config()
    for one in (right, wrong):
        one.fitness.minimum, one.fitness.parsimony = None, 1.0
    right.algorithm = kind(population=8)
    validate.check(right, envs)
    assert "algorithm.selection.method=roulette needs it" in refused(wrong)


def test_the_options_of_a_role_are_filled_in():
    filled = validate.check(dataclasses.replace(config(), game={"name": "othello"}, program={"depth": 3}), envs)
    assert filled.program == {"role": "move", "features": "original", "weights": "none", "noop_bits": 0, "depth": 3}
    filled = validate.check(dataclasses.replace(config(), game={"name": "othello"}, program={"role": "leaf"}), envs)
    assert filled.program == {"role": "leaf", "features": "position", "depth": 1}
    wrong = dataclasses.replace(config(), game={"name": "othello"}, program={"depth": -1})
    assert refused(wrong) == "program.depth=-1: accepted: a whole number from 0 to 12"


BAD_GROUPS = [
    ("algorithm.population", 15, "a whole number from 20"),
    ("algorithm.population", 42, "a multiple of algorithm.group_size=5, such as 40 or 45"),
    (
        "algorithm.chunk",
        8,
        "a divisor of algorithm.population=40 and a multiple of algorithm.group_size=5, such as 5 or",
    ),
    ("algorithm.group_size", 1, "a whole number from 2"),
    ("algorithm.generations", 0, "a whole number from 1"),
    ("algorithm.capacity", 0, "from 1 to 32767"),
    ("algorithm.immigrants", -1, "from 0 to 32 (the children of a cycle)"),
    ("algorithm.immigrants", 33, "from 0 to 32 (the children of a cycle)"),
    ("algorithm.immigrants_every", 0, "a whole number from 1"),
    ("algorithm.stop", "soon", "beaten, all_beaten, never"),
    ("algorithm.ties", "coin", "rules, lot"),
    ("algorithm.panel_weight", -1.0, "a number"),
    ("algorithm.restart_every", -1, "a whole number"),
    ("algorithm.creation.max_rules", 17, "from 0 to 16 (algorithm.capacity)"),
    ("algorithm.creation.min_rules", 13, "from 0 to 12 (algorithm.creation.max_rules)"),
    ("algorithm.creation.dont_care", 1.5, "a number from 0 to 1"),
    ("algorithm.mutation.delete", -1.0, "a number from 0"),
    ("program.mask", 4, "an odd number from 3"),
    ("program.mask", 5, "an odd number from 3 to 3, the size of the board"),
    ("program.matching", "loose", "strict, symmetric"),
    ("game.size", 6, "an odd number from 3 to 999"),
    ("fitness.opponents.fixed.name", "best", "fixed"),
]


@pytest.mark.parametrize(("option", "value", "accepted"), BAD_GROUPS, ids=[f"{o}={v}" for o, v, _ in BAD_GROUPS])
def test_bad_values_of_the_groups_are_named_with_what_is_accepted(option, value, accepted):
    wrong = walls_table.config()
    validate.check(wrong, envs)
    put(wrong, option, value)
    message = refused(wrong)
    assert message.startswith(f"{option}={value}: accepted: ")
    assert accepted in message


def test_groups_that_only_fail_together():
    wrong = walls_table.config()
    wrong.algorithm.mutation = options.make_unchecked(
        RuleMutationOptions, dict.fromkeys(RuleMutationOptions().weights, 0.0)
    )
    assert "a weight above 0 for add, delete, reorder or modify" in refused(wrong)
    wrong = walls_table.config()
    wrong.algorithm = GPOptions()
    assert refused(wrong) == "algorithm.kind=gp: accepted: groups, for game=walls"
    wrong = config()
    wrong.algorithm = GroupsOptions()
    assert (
        refused(wrong) == "algorithm.kind=groups: accepted: gp, cma, gates, map_elites, random_search, for game=mancala"
    )
    wrong = config()
    wrong.fitness.opponents["fixed"] = opponent("strategy")
    accepted = "search, champion, program, random; mancala has no strategies"
    assert refused(wrong) == f"fitness.opponents.fixed.kind=strategy: accepted: {accepted}"
    wrong = config()
    wrong.fitness.opponents["rhino"] = opponent("engine", command="gtp-rhino")
    why = "engines outside the project measure champions, they train none"
    assert refused(wrong).endswith(f"rhino.kind=engine: accepted: search, champion, program, random, strategy; {why}")


def refused(wrong):
    with pytest.raises(UsageError) as raised:
        validate.check(wrong, envs)
    return str(raised.value)


def test_options_that_only_fail_together():
    wrong = config()
    wrong.algorithm.creation.method, wrong.algorithm.creation.min_depth = "ramped", 17
    assert "from 0 to 16 (algorithm.creation.max_depth)" in refused(wrong)
    deeper = config()
    deeper.algorithm.max_depth = 10
    assert "creation.max_depth=16: accepted: a whole number from 1 to 10 (algorithm.max_depth)" in refused(deeper)

    wrong = config()
    wrong.fitness.parsimony = 1.0
    assert refused(wrong).startswith("fitness.minimum=null: accepted: a number from 0")
    wrong.algorithm.selection.method = "tournament"
    validate.check(wrong, envs)

    wrong = config()
    wrong.algorithm.mutation.children = 0.0
    assert refused(wrong).startswith("algorithm.mutation.probability=0.005: accepted: 0, or a weight above 0")
    wrong.algorithm.mutation.probability = 0.0
    validate.check(wrong, envs)

    wrong = config()
    wrong.fitness.opponents = {}
    assert refused(wrong).startswith("fitness.opponents={}: accepted: at least one opponent")


def test_a_tail_longer_than_no_search_is_allowed():
    right = config()
    right.fitness.opponents = {"anyone": opponent("random")}
    right.fitness.tail = 5
    validate.check(right, envs)


def test_unknown_game_settings_are_refused():
    wrong = config()
    wrong.game["rows"] = 2
    assert refused(wrong).startswith("game.rows: unknown setting of mancala; accepted: pits, stones")
    wrong = config()
    wrong.program["vew"] = "own"
    assert refused(wrong).startswith("program.vew: unknown option of program.role=program; accepted: view, ")
    wrong = config()
    wrong.program["view"] = "theirs"
    assert refused(wrong).startswith("program.view=theirs: accepted: own, absolute")


@pytest.mark.parametrize(
    "schema", [GPOptions, GroupsOptions, OpponentOptions, *FitnessOptions.kinds.all().values(), LoggerOptions, Config]
)
def test_every_option_says_what_it_means_and_its_default_is_accepted(schema):
    options.check(schema())
    for one in every(schema):
        assert one.limits.says
        assert all(isinstance(value, str) for value in one.choices)
        assert not one.choices or str in (*one.kinds, *one.items)
    others = "probability max_depth gene_probability exclusive node_choice function_probability"
    assert {*MutationOptions().weights, *others.split()} == {
        field.name for field in dataclasses.fields(MutationOptions)
    }


def every(schema):
    """Return the options of a dataclass and of those within it."""
    for one in options.list_options(schema):
        yield one
        for kind in one.kinds:
            if dataclasses.is_dataclass(kind):
                yield from every(kind)


BAD_ELIMINATION = [
    (
        "algorithm.population",
        6,
        "a power of two with fitness.kind=elimination, such as 4 or 8; nobody sits out a round",
    ),
    (
        "algorithm.population",
        1,
        "a power of two with fitness.kind=elimination, such as 2 or 4; nobody sits out a round",
    ),
    ("fitness.games", 5, "an even number from 2 to 100000; half of the games are from each seat"),
    ("fitness.paired", True, "false, or fitness.opening_plies above 0; othello has no start and no rolls to share"),
    (
        "algorithm.chunk",
        2,
        "null with fitness.kind=elimination; individuals that play each other are evaluated together",
    ),
    ("algorithm.selection.by_case", 0.5, "0, with fitness.kind=elimination"),
]


def eliminating(**fitness):
    """A tournament of those who otherwise play each other and a guide."""
    right = coevolving()
    right.fitness = EliminationFitnessOptions(opponents=right.fitness.opponents, tail=1, **fitness)
    return right


@pytest.mark.parametrize(
    ("option", "value", "accepted"), BAD_ELIMINATION, ids=[f"{o}={v}" for o, v, _ in BAD_ELIMINATION]
)
def test_bad_values_of_a_tournament_are_named_with_what_is_accepted(option, value, accepted):
    # Without an opening both games of a match are all that there is, and no start is shared.
    opening = {"opening_plies": 0, "games": 2} if option == "fitness.paired" else {"opening_plies": 2, "games": 4}
    wrong = eliminating(**opening)
    validate.check(wrong, envs)
    put(wrong, option, value)
    assert refused(wrong) == f"{option}={value}: accepted: {accepted}".replace("True", "true")


def test_a_match_of_many_games_needs_something_that_tells_them_apart():
    wrong = eliminating(games=4)
    accepted = "2, or fitness.opening_plies above 0; without chance all games of a match of othello are alike"
    assert refused(wrong) == f"fitness.games=4: accepted: {accepted}"
    wrong.fitness.games = 2
    validate.check(wrong, envs)


BAD_LESSONS = [
    ("fitness.teacher", "pubeval", "network, gnubg"),
    ("fitness.drawn", 5000, "a whole number from 1 to 4096 (fitness.stock)"),
    ("algorithm.chunk", 2, "null with fitness.kind=lessons"),
    ("game.variant", "hypergammon", "standard; network plays with 15 men"),
]


@pytest.mark.parametrize(("option", "value", "accepted"), BAD_LESSONS, ids=[f"{o}={v}" for o, v, _ in BAD_LESSONS])
def test_bad_values_of_lessons_are_named_with_what_is_accepted(option, value, accepted):
    wrong = learning(individuals=0)
    validate.check(wrong, envs)
    if option == "game.variant":
        wrong.game["variant"] = value
        wrong.fitness.opponents = {"random": opponent("random")}
    else:
        put(wrong, option, value)
    assert refused(wrong) == f"{option}={value}: accepted: {accepted}"


BAD_LEARNING = [
    ("individuals", 17, "a whole number from 0 to algorithm.population=16"),
    ("lessons", 5000, "a whole number from 1 to 4096 (fitness.stock)"),
    ("terms", 0, "a whole number from 1 to 100"),
]


@pytest.mark.parametrize(("option", "value", "accepted"), BAD_LEARNING)
def test_bad_values_of_learning_are_named_with_what_is_accepted(option, value, accepted):
    wrong = learning()
    validate.check(wrong, envs)
    put(wrong, f"fitness.learning.{option}", value)
    assert refused(wrong) == f"fitness.learning.{option}={value}: accepted: {accepted}"


def learning(individuals=2):
    """Everything right: programs of backgammon that learn from lessons."""
    found = dataclasses.replace(config(), game={"name": "backgammon"}, program={})
    found.algorithm.population = 16
    network = {"network": opponent("strategy", name="network")}
    found.fitness = LessonsFitnessOptions(
        opponents=network, drawn=8, minimum=0.0, points="share", learning=LearningOptions(individuals)
    )
    return found


def test_a_teacher_that_is_not_installed_is_told_with_what_installs_it(monkeypatch):
    monkeypatch.setattr("envs.backgammon.lessons.find_spec", lambda name: None)
    wrong = learning()
    wrong.fitness.teacher = "gnubg"
    needed = "network; gnubg needs a package: pip install 'jaxgp[gnubg]'"
    assert refused(wrong) == f"fitness.teacher=gnubg: accepted: {needed}"


def test_a_game_that_no_genomes_play_is_not_evolved():
    """All games have roles, so one is made without."""

    def spec(name):
        return dataclasses.replace(envs.spec(name), roles=()) if name == "othello" else envs.spec(name)

    games = SimpleNamespace(available=envs.available, spec=spec)
    wrong = dataclasses.replace(config(), game={"name": "othello"}, program={})
    with pytest.raises(UsageError) as raised:
        validate.check(wrong, games)
    accepted = "backgammon, checkers, chess, freecell, mancala, mate, morpion, rars, robocode, rush_hour, walls"
    assert str(raised.value) == f"game.name=othello: accepted: {accepted}; no genomes play othello"


def test_local_mutation_goes_with_factors_and_different_individuals_with_a_population():
    right = dataclasses.replace(config(), game={"name": "othello"}, program={"role": "leaf"})
    right.algorithm.mutation = MutationOptions(0.2, local=0.5)
    right.algorithm.selection.tournament_size = 9
    validate.check(right, envs)
    right.algorithm.selection.distinct = True
    with pytest.raises(UsageError) as raised:
        validate.check(right, envs)
    accepted = "a whole number from 1 to 8 (the population, with algorithm.selection.distinct)"
    assert str(raised.value) == f"algorithm.selection.tournament_size=9: accepted: {accepted}"


def test_options_of_othello_programs_are_checked():
    right = dataclasses.replace(config(), game={"name": "othello"}, program={"weights": "noops", "noop_bits": 2})
    validate.check(right, envs)
    for wrong, accepted in (
        (
            {"features": "every"},
            "program.features=every: accepted: original, regions, few",
        ),
        ({"weights": "noops"}, "program.noop_bits=0: accepted: a whole number from 1 to 2 with program.weights=noops"),
        (
            {"features": "position"},
            "program.features=position: accepted: original, regions, few; with program.role=leaf it is one",
        ),
        ({"role": "walk"}, "program.role=walk: accepted: move, leaf"),
        (
            {"weight": "path"},
            "program.weight: unknown option of program.role=move; accepted: features, weights, noop_bits, depth",
        ),
    ):
        assert refused(dataclasses.replace(right, program=wrong)) == accepted


@pytest.mark.parametrize("port", ["0", "65536", "9" * 5000, "\u00b2", ""])
def test_a_port_is_a_number_of_16_bits(port):
    wrong = config()
    wrong.devices.coordinator = f"localhost:{port}"
    assert refused(wrong).endswith(": accepted: HOST:PORT, as in localhost:1234")


BAD_ISLANDS = [
    ("algorithm.islands.count", 65, "a whole number from 1 to 64 (algorithm.population)"),
    ("algorithm.population", 60, "a multiple of algorithm.islands.count=8, such as 56 or 64"),
    ("devices.count", 3, "a divisor of algorithm.islands.count=8: 1, 2, 4, 8"),
    ("devices.count", 16, "a divisor of algorithm.islands.count=8: 1, 2, 4, 8"),
    (
        "algorithm.islands.migrants",
        9,
        "a whole number from 1 to 2 (an island of 8 individuals replaces 8 and is sent to by 3 others)",
    ),
]


@pytest.mark.parametrize(("option", "value", "accepted"), BAD_ISLANDS, ids=[f"{o}={v}" for o, v, _ in BAD_ISLANDS])
def test_bad_values_of_islands_are_named_with_what_is_accepted(option, value, accepted):
    wrong = config()
    wrong.algorithm.population, wrong.algorithm.elites, wrong.algorithm.chunk = 64, 0, None
    wrong.algorithm.islands = MigrationOptions(8, migrants=1)
    validate.check(wrong, envs)
    put(wrong, option, value)
    assert refused(wrong) == f"{option}={value}: accepted: {accepted}"
