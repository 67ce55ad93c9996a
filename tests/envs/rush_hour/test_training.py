"""Evolving orders of moves: options that do not fit, and a small run from start to evaluation."""

import json
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest

import envs
from envs.rush_hour import boards
from envs.rush_hour.rules import RushHour
from jaxgp.config import schema, validate
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.games.casting import cast
from jaxgp.kinds.suite import ProblemsOptions, SuiteFitnessOptions
from jaxgp.measure import champions
from jaxgp.measure.puzzles import solving
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions, SelectionOptions
from jaxgp.run.assemble import assemble
from tests.config.test_validate import put
from tests.run.conduct_toy import assert_same, rows, start

SEARCH = {"first": 4, "grow": 4, "deepest": 16, "table": 256, "limit": 2000}


def config(generations=3, role="policy", **suite):
    algorithm = GPOptions(
        population=8,
        generations=generations,
        elites=0,
        capacity=31,
        max_depth=4,
        creation=CreationOptions(method="ramped", min_depth=1, max_depth=4, terminal_probability=0.5),
        selection=SelectionOptions(method="tournament", tournament_size=2),
        crossover=CrossoverOptions(0.4, "two_children", subtree=0.5, rule=0.5 * (role == "policy")),
        mutation=MutationOptions(0.1, 4, children=0.0, subtree=1.0, exclusive=True),
    )
    return schema.Config(
        game={"name": "rush_hour"},
        program={"role": role, **SEARCH},
        algorithm=algorithm,
        fitness=SuiteFitnessOptions(**{"instances": "JAM", "boards": 4, "validation": 3, "limit": 300, **suite}),
        logger=schema.LoggerOptions(mode="disabled"),
        checkpoint_every=2,
        compilation_cache=None,
    )


BAD = [
    ("fitness.boards", 0, "a whole number from 1"),
    ("fitness.boards", 30, "a whole number from 1 to 29; 32 instances less 3 for validation"),
    ("fitness.validation", 32, "a whole number from 1 to 31; the suite has 32 instances"),
    ("fitness.validation_instances", "JAMS", "WAY, JAM, SER, MOV, ALL, or a file of boards"),
    ("fitness.score", "ratios", "share, log, ratio"),
    ("fitness.instances", "JAMS", "WAY, JAM, SER, MOV, ALL, or a file of boards"),
    ("fitness.instances", "/nowhere/boards.txt", "a file with a name and the cells of a board on each line"),
    ("fitness.factor", 0.0, "a number above 0"),
    ("fitness.limit", 0, "a whole number from 1"),
    ("fitness.cost", "expanded", "nodes with program.search=deepening"),
    ("program.deepest", 3, "a whole number from 4 to 1000"),
    ("program.table", 1000, "0, or a power of two"),
    ("program.bound", "time", "depth, cost"),
    ("program.search", "best", "deepening, astar, greedy"),
    ("program.room", 1000, "a power of two from 4 to 1048576"),
    ("program.role", "heuristics", "policy, heuristic"),
]


@pytest.mark.parametrize(("option", "value", "accepted"), BAD, ids=[f"{o}={v}" for o, v, _ in BAD])
def test_options_that_do_not_fit_are_named_with_what_is_accepted(option, value, accepted):
    wrong = config()
    put(wrong, option, value)
    with pytest.raises(UsageError) as raised:
        validate.check(wrong, envs)
    assert str(raised.value).startswith(f"{option}={value}: ")
    assert accepted in str(raised.value)


@pytest.mark.parametrize(("name", "value"), [("by_case", 0.5), ("sharing", 1.0)])
def test_selection_by_instances_needs_the_same_instances_for_all(name, value):
    wrong = config(problems=ProblemsOptions(population=6))
    validate.check(wrong, envs)
    setattr(wrong.algorithm.selection, name, value)
    with pytest.raises(UsageError, match=rf"^algorithm.selection.{name}={value}: accepted: 0; .* different instances"):
        validate.check(wrong, envs)


@pytest.mark.thorough
def test_a_suite_needs_instances_for_training_and_for_validation(tmp_path):
    file = tmp_path / "one.txt"
    file.write_text(f"alone {boards.find('JAM01').text}\n")
    with pytest.raises(UsageError, match=r"accepted: a suite with at least 2 instances for training; this has 0$"):
        validate.check(config(instances=str(file)), envs)


def test_rules_are_exchanged_by_individuals_that_have_rules():
    wrong = config(role="heuristic")
    validate.check(wrong, envs)
    wrong.algorithm.crossover.rule = 1.0
    with pytest.raises(UsageError, match=r"^algorithm.crossover.rule=1.0: accepted: 0; .* program.role=heuristic"):
        validate.check(wrong, envs)


def test_a_suite_is_for_puzzles():
    wrong = replace(config(), game={"name": "morpion"}, program={})
    wrong.algorithm.crossover.rule = 0.0
    with pytest.raises(UsageError, match=r"^fitness.kind=suite: accepted: solo, for game=morpion"):
        validate.check(wrong, envs)


def test_no_test_board_takes_part():
    fitness = assemble(config(), envs).ring.fitness
    assert len(fitness.fitness.instances.positions) == 32 - 3
    assert len(fitness.referee.instances.positions) == 3


def test_making_the_fitness_computes_nothing_so_that_cores_can_still_become_devices():
    fitness = assemble(config(validation_instances="SER"), envs).ring.fitness
    held = jax.tree.leaves((fitness.fitness.instances, fitness.referee.instances))
    assert {type(one) for one in held} == {np.ndarray}


def test_boards_for_validation_may_come_from_another_suite_with_a_limit_of_their_own():
    own = config(boards=32, validation=5, validation_instances="SER", validation_limit=500)
    fitness = assemble(validate.check(own, envs), envs).ring.fitness
    assert len(fitness.fitness.instances.positions) == 32  # all that are for training can be drawn
    training = [board for board in boards.read_shipped("SER") if board.split == "train"]
    states = RushHour().positions(training)
    known = {tuple(row) for row in states.positions.tolist()}
    assert {tuple(row) for row in fitness.referee.instances.positions.tolist()} <= known
    assert (fitness.fitness.limit, fitness.referee.limit) == (300, 500)
    put(own, "fitness.validation", 136)
    with pytest.raises(UsageError, match=r"^fitness.validation=136: .*from 1 to 135; SER has 135 instances"):
        validate.check(own, envs)


@pytest.mark.slow
def test_a_run_of_two_populations_resumes_to_the_bit_between_two_changes_of_the_sets(tmp_path):
    sets = ProblemsOptions(population=5, met=2, every=2)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    long, short = (validate.check(config(generations=n, problems=sets), envs) for n in (5, 3))
    experiment = assemble(long, envs)
    assert start(whole, experiment, long) == 0
    assert start(parts, experiment, short) == 0
    assert start(parts, experiment, long, resumed=True) == 0
    assert_same(parts, whole)
    found = rows(whole)
    assert len(found) == 5
    assert all(
        row["problems_met"] > 0 and row["problems_mean_fitness"] <= row["problems_best_fitness"] for row in found
    )
    assert (whole / "plots" / "problems.png").is_file()


@pytest.mark.slow
def test_a_small_run_resumes_to_the_bit_and_its_champion_is_measured(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    experiment = assemble(validate.check(config(), envs), envs)
    assert start(whole, experiment, experiment.config) == 0
    assert start(parts, experiment, validate.check(config(generations=2), envs)) == 0
    assert start(parts, experiment, experiment.config, resumed=True) == 0
    assert_same(parts, whole)
    for row in rows(whole):
        assert 0 <= row["solved"] <= 1
        assert 0 <= row["best_standing"] <= 1
        assert row["evaluations"] == 8 * 4 + 3
    page = (whole / "report.html").read_text()
    assert "the champion finds" in page
    assert "instances that are never drawn" in page
    loaded = champions.load(str(whole), envs)
    suites = solving.suites_of(loaded.cast, "JAM", "test")
    found = {order: one for _, order, one in solving.solve_suites(loaded, suites, 300, lambda said: None)}
    assert list(found) == ["blind", "H1", "H2", "H3", "Hc", "champion"]
    assert found["blind"].share == 1
    assert all(one.instances == len(one.each) == 8 for one in found.values())
    assert "champion" in solving.text({"JAM": found})
    greedy = champions.with_program(loaded, {"search": "greedy", "room": 1024})
    best = {order: one for _, order, one in solving.solve_suites(greedy, suites, 3000, lambda said: None)}
    assert list(best) == ["blind", "unguided", "H1", "H2", "H3", "Hc", "champion"]
    assert best["unguided"].each != best["H1"].each
    assert best["H1"].solved >= found["H1"].solved
    json.dumps(solving.as_json({"JAM": found}))


def champion(role):
    """A champion of which nothing but its role is known."""
    spec = envs.spec("rush_hour")
    return champions.Loaded(Path("champion.json"), None, cast(spec, spec.make(), role), None)


@pytest.mark.parametrize(
    ("role", "values", "message"),
    [
        ("policy", {"search": "best"}, "program.search=best: accepted: deepening, astar, greedy"),
        ("policy", {"terminals": "all"}, "program.terminals: unknown option of program.role=policy"),
        ("policy", {"role": "heuristic"}, "program.role: unknown option"),
        ("heuristic", {"terminals": "heuristics"}, "program.terminals=heuristics: programs would see other things"),
    ],
)
def test_a_champion_keeps_what_it_sees(role, values, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        champions.with_program(champion(role), values)


def test_a_champion_steers_another_search():
    changed = champions.with_program(champion("policy"), {"search": "astar"})
    assert changed.cast.options.search == "astar"
    assert changed.cast.actor.differs
    assert not champion("policy").cast.actor.differs
