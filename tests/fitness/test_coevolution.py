"""Fitness from games of the population among itself and against guides, and whole runs of it."""

from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.fitness import matches
from jaxgp.fitness.among import coplay
from jaxgp.fitness.among.coevolution import CoevolutionFitness, Guide
from jaxgp.fitness.evaluation import child
from jaxgp.fitness.panel import PanelFitness
from jaxgp.fitness.refereed import REFEREE, Refereed
from jaxgp.games.casting import cast
from jaxgp.games.outside import load
from jaxgp.genotypes import language as languages
from jaxgp.players.panel import RandomOpponent
from jaxgp.run import assemble
from tests.envs.replays import FAST
from tests.fitness.coplay_table import config
from tests.run.conduct_toy import assert_same, rows, start

POPULATION = 8


@cache
def experiment():
    return assemble.assemble(config(population=POPULATION, mild={"kind": "random", "games": 2, "weight": 2.0}), envs)


@cache
def waiting():
    """The state before the first generation."""
    return jax.jit(experiment().ring.init, compiler_options=FAST)(jax.random.key(5))


@cache
def guided(rounds, cutoff, weight):
    """Play rounds against random moves: (key, fitness before) -> fitness after, moves; nobody is prepared for it."""
    relative = experiment().ring.fitness.fitness
    guide = Guide(RandomOpponent(relative.game, games=2), rounds, cutoff, weight)

    def run(key, fitness, population):
        plans = relative.player.prepare(population)
        return relative.guided(key, guide, plans, fitness, ())

    return jax.jit(run, compiler_options=FAST)


def played_alone(key, number):
    """Points of everybody in one round, by the games themselves; the key of a round is that of its number."""
    relative = experiment().ring.fitness.fitness
    guide = RandomOpponent(relative.game, games=2)

    def run(key, population):
        plans = relative.player.prepare(population)
        own = jax.random.fold_in(key, number)
        played, _ = matches.play(own, relative.game, relative.player, plans, (guide,), ((),), 400)
        return played.states.returns, played.plies

    returns, plies = jax.jit(run, compiler_options=FAST)(key, waiting().population)
    won = np.where(matches.seats((guide,)) == 0, np.asarray(returns)[..., 0], np.asarray(returns)[..., 1])
    return (won > 0).sum(1) + (won == 0).sum(1) / 2, np.asarray(plies).sum(1)


FAR = np.array([0, 9, 9.5, 10, 3, 9, 8.9, 10], np.float32)
"""Fitness before; with a cutoff of 1 the first, the fifth and the seventh trail by too much."""
FIT = np.array([False, True, True, True, False, True, False, True])


@pytest.mark.slow
def test_a_round_gives_points_to_those_who_do_not_trail_by_more_than_the_cutoff():
    key = jax.random.key(1)
    points, plies = played_alone(key, 0)
    assert 0 < points.sum() < 4 * POPULATION
    after, _, games, moves, searches = guided(1, 1.0, 3.0)(key, jnp.asarray(FAR), waiting().population)
    np.testing.assert_allclose(after, FAR + np.where(FIT, 3 * points, 0))
    assert (int(games), int(moves), int(searches)) == (4 * FIT.sum(), plies[FIT].sum(), 0)


@pytest.mark.slow
def test_rounds_add_up_and_without_a_cutoff_everybody_plays():
    key = jax.random.key(1)
    each = [played_alone(key, number) for number in range(2)]
    after, _, games, moves, _ = guided(2, None, 1.0)(key, jnp.asarray(FAR), waiting().population)
    np.testing.assert_allclose(after, FAR + sum(points for points, _ in each))
    assert int(games) == 2 * 4 * POPULATION
    assert int(moves) == sum(plies.sum() for _, plies in each)
    assert not np.array_equal(*[points for points, _ in each])


def test_points_come_from_the_guide_and_each_other_and_the_fittest_are_measured():
    """A race with a die, which has no draws: every game of the population gives one point in all."""
    race = cast(load(Path(__file__).resolve().parents[1] / "fixtures" / "dice"))
    bench, guide = RandomOpponent(race.game, games=3), RandomOpponent(race.game, games=1)
    panel = PanelFitness(race.game, race.actor, [bench], [1.0], max_plies=100)
    among = CoevolutionFitness(race.game, race.actor, 3, (Guide(guide, rounds=2, weight=2.0),), max_plies=100)
    fitness = Refereed(among, panel, measured=2)
    texts = ["(- die 3)", "(- 0 1)", "1", "(- 3 die)"]
    population = jax.tree.map(lambda *one: np.stack(one), *(languages.parse(race.language, text, 8) for text in texts))

    @jax.jit
    def generation(key, population):
        result, memory = fitness.evaluate(key, population, fitness.init(key))
        return result, fitness.standing(key, result, population, memory)[0]

    result, standing = jax.device_get(generation(jax.random.key(0), population))
    among, against = 4 * 3, 4 * 2 * 2
    assert result.metrics["evaluations"] == among + against
    from_guide = (result.fitness.sum() - among) / 2.0
    assert 0 < from_guide < against
    assert from_guide == int(from_guide)
    assert result.points.shape == (4, 2)
    assert standing.best in np.argsort(-result.fitness, kind="stable")[:2]
    assert standing.metrics["evaluations"] == among + against + 2 * 2 * 3
    assert standing.metrics["plies"] > result.metrics["plies"] > among
    assert standing.fitness == standing.metrics["best_standing"]


@cache
def evaluated(measured=1):
    """The first generation, and so many of the best of it measured."""
    relative = replace(experiment().ring.fitness, measured=measured)
    key, state = jax.random.key(2), waiting()

    def run(key, population, memory):
        result, after = relative.evaluate(key, population, memory)
        return result, after, relative.standing(key, result, population, after)

    return jax.jit(run, compiler_options=FAST)(key, state.population, state.memory)


@pytest.mark.slow
def test_fitness_is_the_points_against_guides_and_against_each_other():
    """All of it again, piece by piece: the guide's games have the key 0, the others' the next one."""
    ring, state, key = experiment().ring, waiting(), child(jax.random.key(2), 0)
    result = evaluated()[0]
    points, plies = played_alone(jax.random.fold_in(key, 0), 0)
    draw_key, play_key = jax.random.split(jax.random.fold_in(key, 1))

    def together(population):
        pairs = coplay.draw(draw_key, POPULATION, 2)
        among = ring.fitness.fitness
        played = coplay.play(play_key, among.game, among.player, among.player.prepare(population), pairs, 400)
        return pairs, played

    pairs, played = jax.jit(together, compiler_options=FAST)(state.population)
    worth = np.asarray(played.states.returns) / 2 + 0.5
    wanted = 2.0 * points
    for first in range(POPULATION):
        for n in range(2):
            wanted[first] += worth[first, n, 0]
            wanted[int(pairs.second[first, n])] += worth[first, n, 1]
    np.testing.assert_allclose(result.fitness, wanted)
    assert int(result.metrics["plies"]) == plies.sum() + np.asarray(played.plies).sum()
    assert int(result.metrics["evaluations"]) == (4 + 2) * POPULATION
    assert float(result.metrics["won_first"]) == (worth[..., 0] == 1).mean()
    assert result.cases is result.behaviour is None


@pytest.mark.slow
@pytest.mark.parametrize("measured", [1, 3])
def test_only_the_fittest_are_measured_against_the_panel(measured):
    """The best of them by that measure goes on; games of several are those of a population of its own."""
    result, before, (found, after) = evaluated(measured)
    best, standing, points = found.best, found.fitness, found.points
    relative = experiment().ring.fitness
    assert standing == pytest.approx(50 * float(points.sum()))
    assert 0 <= standing <= 100
    used = [int((table_ != 0).sum()) for table_ in jax.tree.leaves(after.referee)]
    assert used != [int((table_ != 0).sum()) for table_ in jax.tree.leaves(before.referee)]  # the panel had to think
    assert jax.tree.all(jax.tree.map(lambda a, b: (a == b).all(), after.own, before.own))
    fittest = np.argsort(-np.asarray(result.fitness), kind="stable")[:measured]
    few = jax.tree.map(lambda x: x[fittest], waiting().population)
    alone = jax.jit(relative.referee.measure, compiler_options=FAST)
    counted = found.metrics["evaluations"]
    found, _ = alone(jax.random.fold_in(child(jax.random.key(2), 0), REFEREE), few, before.referee)
    assert int(counted) == int(result.metrics["evaluations"]) + 4 * measured, "games against the panel count as well"
    place = int(np.argmax(found.fitness))
    assert int(best) == fittest[place]
    assert (float(found.fitness[place]), found.points[place].tolist()) == (float(standing), points.tolist())


@pytest.fixture(scope="module")
def whole(tmp_path_factory, every_picture):
    made = Quick.of(config(population=POPULATION, mild={"kind": "random", "cutoff": 1.0}))
    path = tmp_path_factory.mktemp("coevolution") / "run"
    assert start(path, made, made.config) == 0
    return path, made


class Quick(assemble.Experiment):
    """An experiment that is compiled without optimizing."""

    @classmethod
    def of(cls, config):
        made = assemble.assemble(config, envs)
        return cls(made.config, made.cast, made.panel, made.ring)

    @cached_property
    def init(self):
        return jax.jit(self.ring.init, compiler_options=FAST)

    @cached_property
    def advance(self):
        return jax.jit(self.ring.step, donate_argnums=0, compiler_options=FAST)

    def replay(self, state):
        return []

    def until(self, generations):
        """The same, for a shorter run."""
        return replace(self.config, algorithm=replace(self.config.algorithm, generations=generations))


@pytest.mark.slow
def test_a_resumed_run_of_coevolution_is_the_whole_run(whole, tmp_path):
    path, made = whole
    assert start(tmp_path / "run", made, made.until(2)) == 0
    assert start(tmp_path / "run", made, made.config, resumed=True) == 0
    assert_same(tmp_path / "run", path)


@pytest.mark.slow
def test_the_champion_is_the_best_of_those_that_were_measured(whole):
    path, _ = whole
    found = rows(path)
    assert len(found) == 4
    standings = [row["best_standing"] for row in found]
    assert all(row["best_standing"] == pytest.approx(50 * row["best_points"]) for row in found)
    assert f'"fitness": {max(standings):g}' in (path / "champion.json").read_text().replace(".0,", ",")
    assert all(0 <= row["best_fitness"] <= 2 * 2 + 2 for row in found)
    page = (path / "report.html").read_text()
    assert "against others of the population" in page
    assert "by the measure that all generations share" in page
    assert "best fitness" not in page.partition("<h2>")[0], "the champion's figure is not the fitness of its generation"


def test_the_fittest_may_search_deeper_when_they_are_measured():
    """On a board of 4 x 4 squares; the player of the population stays as it is."""
    small = config(population=POPULATION)
    small.game, small.program = {"name": "othello", "size": 4}, {"role": "leaf", "features": "position", "depth": 1}
    small.fitness.measured_depth = 3
    relative = assemble.assemble(small, envs).ring.fitness
    assert (relative.fitness.player.depth, relative.referee.player.depth) == (1, 3)
    small.fitness.measured_depth = None
    relative = assemble.assemble(small, envs).ring.fitness
    assert relative.referee.player is relative.fitness.player
