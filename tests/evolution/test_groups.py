"""The cycle of rule lists: who plays, who stays, who comes; reproducible, and at an end when it has reached its aim."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.arrays import count_unique
from jaxgp.evolution import winners
from jaxgp.evolution.options import GroupsOptions
from jaxgp.evolution.state import BestSoFar
from jaxgp.fitness.evaluation import Evaluation
from jaxgp.run.assemble import assemble
from jaxgp.seats.options import opponent
from tests.fitness.walls_table import board, config, population
from tests.genotypes.rule_cases import problems


@pytest.fixture(scope="module")
def experiment():
    """Its aim is reached within few cycles, and it goes on."""
    made = config(restart_every=11)
    made.fitness.opponents = {"forward": opponent("strategy", name="forward")}
    return assemble(made, envs)


def run(experiment, seed, generations):
    state, lines = experiment.init(jax.random.key(seed)), []
    for _ in range(generations):
        state, metrics = experiment.step(state)
        lines.append({name: float(value) for name, value in metrics.items()})
    return state, lines


def rows(lists):
    """Each list as something that can be compared."""
    fields = [np.asarray(field).reshape(len(lists.length), -1) for field in jax.tree.leaves(lists)]
    return [tuple(row) for row in np.concatenate(fields, 1).tolist()]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_run_and_another_seed_another(experiment):
    (a, lines_a), (b, lines_b), (c, _) = run(experiment, 3, 4), run(experiment, 3, 4), run(experiment, 4, 4)
    assert str(lines_a) == str(lines_b)
    assert rows(a.population) == rows(b.population)
    jax.tree.map(np.testing.assert_array_equal, a.champion, b.champion)
    assert rows(a.population) != rows(c.population)
    assert experiment.step._cache_size() == 1


@pytest.mark.slow
def test_parents_stay_children_come_and_strangers_in_every_fifth_cycle_until_all_begin_anew(experiment):
    state = experiment.init(jax.random.key(0))
    for cycle in range(1, 12):
        before = set(rows(state.population))
        state, metrics = experiment.step(state)
        after = rows(state.population)
        assert len(after) == 40
        assert int(metrics["restart"]) == (cycle == 11)
        if cycle == 11:
            assert not set(after) & before
            break
        assert set(after[:8]) <= before, "the winners of eight groups of five stay"
        kinds = [float(value) for name, value in metrics.items() if name.startswith("mutations_")]
        assert sum(kinds) == 16, "of 32 children half are mutated"
        assert int(metrics["immigrants"]) == (8 if cycle % 5 == 0 else 0)
    lists = jax.device_get(state.population)
    for i in range(40):
        one = jax.tree.map(lambda x, i=i: x[i], lists)
        assert problems(experiment.language, one) == []


@pytest.mark.thorough
def test_the_numbers_of_the_study():
    """1000 strategies, 200 parents, 800 children; and 700 children with 100 strangers in each fifth cycle."""
    made = config()
    made.algorithm = GroupsOptions()
    ring = assemble(made, envs).ring
    state = jax.eval_shape(ring.init, jax.random.key(0))
    result, _ = jax.eval_shape(ring.fitness.evaluate, jax.random.key(0), state.population, state.memory)
    assert result.parents.shape == (200,)
    following, _, _ = jax.eval_shape(ring.scheme.breed, jax.random.key(0), state.population, result, state.carried)
    assert following.length.shape == (1000,)


@pytest.mark.thorough
@pytest.mark.parametrize("few", [winners.FEW, pytest.param(0, marks=pytest.mark.slow)], ids=["shuffled", "drawn"])
def test_children_in_turn_two_by_recombination_two_by_mutation_of_four_different_parents(experiment, monkeypatch, few):
    monkeypatch.setattr(winners, "FEW", few)
    parents = population(board(3), 8, seed=3)
    breed = jax.jit(lambda key, parents: experiment.ring.scheme.children(key, parents, 32))
    children, kinds, possible = jax.device_get(breed(jax.random.key(1), parents))
    assert kinds.shape == possible.shape == (16,)
    content = [rules(parents, i) for i in range(8)]
    for turn in range(8):
        made = [rules(children, 4 * turn + i) for i in range(4)]
        dealt = sorted(made[0] + made[1])
        pairs = [(a, b) for a in range(8) for b in range(a) if sorted(content[a] + content[b]) == dealt]
        assert pairs, "two parents' rules, each in one of two children"
        changed = [{i for i in range(8) if len(set(content[i]) ^ set(one)) <= 2} for one in made[2:]]
        assert all(changed)
        assert changed[0] != changed[1]
        assert not set(pairs[0]) & changed[0] & changed[1]


def rules(lists, index):
    one = jax.tree.map(lambda x: np.asarray(x)[index], lists)
    return [(*one.condition[r].tolist(), int(one.action[r])) for r in range(int(one.length))]


def test_a_last_alternation_is_cut_short(experiment):
    parents = population(board(3), 8)
    breed = lambda key, parents: experiment.ring.scheme.children(key, parents, 30)  # noqa: E731
    children, _, _ = jax.eval_shape(breed, jax.random.key(0), parents)
    assert children.length.shape == (30,)


def test_the_order_of_champions():
    """Fitness first, then fewer rules, then the earlier; where the run stops at a winner, the winner before all."""
    lists = population(board(3), 4, seed=5).replace(length=np.array([5, 3, 9, 3], np.int32))
    won, lost = np.array([1.0, 1.0, 0.0, 0.0]), np.zeros(4)
    nobody = BestSoFar(jax.tree.map(lambda x: x[0], lists), np.float32(-np.inf), np.zeros(2, np.float32), np.int32(-1))

    @cache
    def judge(stop):
        fitness = assemble(config(stop=stop), envs).ring.fitness

        @jax.jit
        def standing(result, lists, champion):
            found, _ = fitness.standing(jax.random.key(0), result, lists, ())
            best = jax.tree.map(lambda x: x[found.best], lists)
            new = BestSoFar(best, found.fitness, found.points, jnp.int32(0))
            return found.best, fitness.improves(found, best, champion), new

        return standing

    def crown(fitness, results, champion, stop="beaten"):
        """Let all four be parents of whom the panel says this; return the best, whether it improves, the champion."""
        found = Evaluation(
            np.asarray(fitness, np.float32),
            np.zeros((4, 2), np.float32),
            dict.fromkeys(("plies", "evaluations"), np.int32(0)),
            results=np.stack([results] * 2, -1)[:, None],
        )
        result = Evaluation(lost, np.zeros((4, 1)), found.metrics, parents=np.arange(4), benchmark=found)
        best, improved, new = judge(stop)(result, lists, champion)
        return int(best), bool(improved), new

    known = [2.0, 2.0, 3.0, np.nan]
    assert crown(known, won, nobody, "never")[:2] == (2, True)
    best, _, champion = crown(known, won, nobody)
    assert best == 1, "of the winners the one with the fewest rules"
    assert crown(known, lost, champion)[:2] == (2, True), "more fitness"
    assert crown([2.0] * 4, lost, champion)[:2] == (1, False), "the earlier of equals"


@pytest.mark.slow
def test_a_run_ends_with_the_first_parent_that_beats_the_first_opponent(experiment):
    state = experiment.init(jax.random.key(0))
    for _ in range(20):
        state, metrics = experiment.step(state)
        assert bool(state.finished) == (int(metrics["beaten"]) > 0)
        if state.finished:
            break
    assert state.finished
    assert np.asarray(state.champion.points).sum() > 1
    assert int(state.champion.generation) == int(state.generation) - 1


@pytest.mark.slow
def test_games_against_the_panel_count_in_tournaments():
    """A weight beyond all points of a tournament makes the panel decide."""
    made = config(panel_weight=1000.0, ties="lot", stop="all_beaten")
    made.fitness.opponents = {"forward": opponent("strategy", name="forward"), "chance": opponent("random")}
    fitness = assemble(made, envs).ring.fitness

    @jax.jit
    def judge(key, lists):
        memory = fitness.init(key)
        result, _ = fitness.evaluate(key, lists, memory)
        return result, fitness.standing(key, result, lists, memory)[0]

    reached = set()
    for seed in range(12):
        result, standing = jax.device_get(judge(jax.random.key(seed), population(board(3), 40, seed)))
        measured, metrics = result.benchmark.fitness, standing.metrics
        assert metrics["best_fitness"] == measured.max(), "the best of all wins its group"
        assert metrics["all_beaten"] <= metrics["beaten"], "who beats all beats the first"
        assert standing.reached == (metrics["all_beaten"] > 0)
        reached.add((int(metrics["beaten"]) > 0, bool(standing.reached)))
    assert reached == {(False, False), (True, False), (True, True)}


@pytest.mark.thorough
def test_metrics_have_the_promised_names(experiment):
    _, (line,) = run(experiment, 0, 1)
    promised = "generation best_fitness mean_fitness best_points best_size mean_size unique_lists group_points beaten"
    assert set(promised.split()) <= set(line)
    assert line["evaluations"] == 40 * 4 + 8 * 2


def test_different_lists_are_counted():
    lists = population(board(3), 8)
    double = jax.tree.map(lambda x: np.concatenate([x, x[:3]]), lists)
    assert int(jax.jit(count_unique)(double)) == len(set(rows(lists)))
