"""Fitness in a game for one, and a whole run of it: resumed to the bit, its champion read back and shown."""

import json

import jax
import numpy as np
import pytest

import envs
from jaxgp.bits import extend
from jaxgp.config import schema, validate
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions, GroupsOptions
from jaxgp.genotypes.text import parse_program
from jaxgp.kinds.solo import SoloFitnessOptions
from jaxgp.measure import champions
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions, SelectionOptions
from jaxgp.run.assemble import assemble
from tests.run.conduct_toy import assert_same, rows, start


def config(generations=4, **fitness):
    """A small run of Morpion Solitaire."""
    algorithm = GPOptions(
        population=32,
        generations=generations,
        elites=2,
        capacity=64,
        creation=CreationOptions(method="ramped", min_depth=1, max_depth=4),
        selection=SelectionOptions(method="tournament", tournament_size=2),
        crossover=CrossoverOptions(method="two_children", node_choice="koza"),
        mutation=MutationOptions(probability=0.0),
    )
    return schema.Config(
        game={"name": "morpion"},
        algorithm=algorithm,
        fitness=SoloFitnessOptions(**fitness),
        logger=schema.LoggerOptions(mode="disabled"),
        checkpoint_every=2,
        compilation_cache=None,
    )


@pytest.fixture(scope="module")
def experiment():
    return assemble(config(), envs)


FOUR = "(progn3 [20,20] (progn2 [20,23] [21,23]) (progn2 [22,26] [15,16]))"
TWO = "(progn3 [20,20] [20,23] [20,20])"
SAME = "(progn2 (progn2 [20,20] [20,23]) [27,28])"
TURNED = "(progn3 [20,23] [20,20] [20,20])"


@pytest.fixture(scope="module")
def judged(experiment):
    """Programs with none, two, four, two and two lines. Fitness is ten times their number, less 2 a node; or 3."""
    texts = ["[20,20]", TWO, FOUR, SAME, TURNED]
    genomes = jax.tree.map(lambda *x: np.stack(x), *[parse_program(experiment.language, text, 16) for text in texts])
    fitness = assemble(config(scale=10.0, parsimony=2.0, minimum=3.0), envs).ring.fitness
    key = jax.random.key(0)
    result, memory = jax.jit(lambda lists: fitness.evaluate(key, lists, fitness.init(key)))(genomes)
    assert memory == ()
    return jax.device_get(result)


def test_fitness_is_the_score_less_the_price_of_size(judged):
    assert judged.points.tolist() == [[0], [2], [4], [2], [2]]
    assert judged.fitness.tolist() == [3, 20 - 2 * 4, 40 - 2 * 8, 20 - 2 * 5, 20 - 2 * 4]
    assert judged.metrics["plies"] == 10
    assert judged.metrics["ended"] == 0


def test_programs_that_play_alike_are_seen_to(judged):
    _, two, four, same, turned = judged.behaviour.tolist()
    assert two == same
    assert len({tuple(row) for row in (two, four, turned)}) == 3
    assert judged.metrics["unique_behaviours"] == 4


def test_a_signature_tells_orders_and_numbers_of_moves_apart():
    further = jax.jit(extend)

    def hashed(*moves):
        signature = np.zeros(2, np.uint32)
        for move in moves:
            signature = further(signature, np.int32(move))
        return tuple(signature.tolist())

    assert len({hashed(), hashed(0), hashed(0, 0), hashed(1, 2), hashed(2, 1), hashed(1), hashed(2)}) == 7


@pytest.fixture(scope="module")
def whole(tmp_path_factory, experiment):
    path = tmp_path_factory.mktemp("solo") / "run"
    assert start(path, experiment, experiment.config) == 0
    return path


@pytest.mark.slow
def test_a_resumed_run_is_the_whole_run(whole, tmp_path, experiment):
    assert start(tmp_path / "run", experiment, config(generations=2)) == 0
    assert start(tmp_path / "run", experiment, config(), resumed=True) == 0
    assert_same(tmp_path / "run", whole)


@pytest.mark.slow
def test_the_best_never_gets_worse_and_improves(whole):
    best = [row["best_fitness"] for row in rows(whole)]
    assert best == sorted(best)
    assert best[-1] > best[0]
    assert "best_points_first" not in rows(whole)[0]


@pytest.mark.slow
def test_the_champion_has_one_score_and_plays_it_again(whole, experiment):
    content = json.loads((whole / "champion.json").read_text())
    assert content["points"] == {"first": content["fitness"], "second": None}
    loaded = champions.load(str(whole), envs)
    assert len(loaded.cast.actor.record(loaded.genome)) == content["fitness"]


@pytest.mark.slow
def test_what_is_shown_speaks_of_a_score(whole):
    page = (whole / "report.html").read_text()
    for words in (
        "Koza tableau",
        "reach a high score in morpion",
        "Its games",
        "getClosestToLast",
        "[15,16] to [27,28]",
    ):
        assert words in page
    assert "moving first" not in page
    assert "against" not in page.split("Options")[0].split("Koza tableau")[1]


def test_a_game_for_one_takes_no_opponents_and_a_game_for_two_needs_some():
    wrong = config()
    validate.check(wrong, envs)
    wrong.game = {"name": "mancala"}
    with pytest.raises(UsageError, match=r"^fitness\.kind=solo: accepted: panel, coplay, elimination, for game="):
        validate.check(wrong, envs)


def test_rule_lists_do_not_play_it():
    wrong = config()
    wrong.algorithm = GroupsOptions()
    with pytest.raises(
        UsageError,
        match=r"^algorithm\.kind=groups: accepted: gp, cma, gates, map_elites, random_search, for game=morpion",
    ):
        validate.check(wrong, envs)
