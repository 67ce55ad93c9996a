"""Searches of puzzles in C++ against the lanes of plain XLA: to the bit, for the games and for random genomes."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.freecell import roles as freecell
from envs.freecell import rules as cards
from envs.freecell import states as deals
from envs.rush_hour import boards
from envs.rush_hour import roles as rush_hour
from envs.rush_hour import rules as vehicles
from jaxgp.native import build
from jaxgp.search.puzzles.bestfirst import BestFirst
from jaxgp.search.puzzles.breadth import explore
from jaxgp.search.puzzles.native.generate import BEST_FIRST, DEEPENING
from jaxgp.search.puzzles.native.run import why_not
from tests.genotypes.generators import random_programs
from tests.search.puzzles import LAMPS, Lamps, instances, states

BLIND = why_not(Lamps(), None)
pytestmark = pytest.mark.skipif(bool(BLIND), reason=f"not searched natively here: {BLIND}")
GENOMES, QUEUE, COUNT = 4, 16, 15
ROLES = {
    "Rush Hour, cost": (rush_hour.policy, rush_hour.SolverOptions(limit=4000, table=4096)),
    "Rush Hour, depth": (rush_hour.policy, rush_hour.SolverOptions(limit=4000, table=0, bound="depth")),
    "Rush Hour, A*": (rush_hour.heuristic, rush_hour.HeuristicOptions(limit=4000, search="astar")),
    "Rush Hour, greedy": (rush_hour.policy, rush_hour.SolverOptions(limit=4000, search="greedy", room=1024)),
    "Rush Hour, macro": (rush_hour.heuristic, rush_hour.HeuristicOptions(limit=4000, terminals="heuristics")),
    "Rush Hour, steps": (rush_hour.policy, rush_hour.SolverOptions(limit=4000, search="greedy")),
    "FreeCell, the book's": (freecell.weights, freecell.SolverOptions(limit=2000, room=2048)),
    "FreeCell, A*": (
        freecell.weights,
        freecell.SolverOptions(limit=2000, room=2048, heuristics="more", search="astar"),
    ),
    "FreeCell, counts": (freecell.weights, freecell.SolverOptions(limit=2000, room=2048, heuristics="counts")),
    "FreeCell, whole runs": (freecell.weights, freecell.SolverOptions(limit=2000, heuristics="counts", moves="whole")),
    "FreeCell, rules": (freecell.policy, freecell.SolverOptions(limit=2000, room=2048, rising="as_is")),
    "FreeCell, rules of counts": (freecell.policy, freecell.SolverOptions(limit=2000, heuristics="counts")),
}
GAMES = {
    "Rush Hour, macro": vehicles.rules_of(6, macro=True),
    "Rush Hour, steps": vehicles.rules_of(6, metric="steps"),
    "FreeCell, the book's": cards.rules_of(),
    "FreeCell, A*": cards.rules_of("strict", "safe"),
    "FreeCell, whole runs": cards.rules_of("full", "needless"),
}
SIX, SAFE = vehicles.rules_of(6), cards.rules_of("full", "safe")


def roots(game):
    if isinstance(game, cards.FreeCell):
        return jax.tree.map(jnp.asarray, deals.positions(range(1, QUEUE + 1)))
    some = boards.read_shipped("WAY")[: QUEUE - 4] + boards.read_shipped("JAM")[-4:]
    return jax.tree.map(jnp.asarray, game.positions(some))


def genomes(language):
    """Random individuals, all trees of each drawn alone."""
    nodes = 15 if language.functions else 1
    trees = [random_programs(k, language, GENOMES, nodes, root) for k, root in enumerate(language.root_type.tolist())]
    return jax.tree.map(lambda *fields: jnp.stack(fields, 1), *trees)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ROLES)
def test_random_genomes_find_what_lanes_find(name, monkeypatch):
    role, options = ROLES[name]
    game = GAMES.get(name, SIX if name.startswith("Rush Hour") else SAFE)
    language, solver = role(game, options)
    plans, start = jax.jit(solver.prepare)(genomes(language)), roots(game)
    search = solver.guided(solver.valued.values)
    limits = jnp.full(QUEUE, options.limit, jnp.int32).at[0].set(1).at[1].set(50)
    whose = jnp.arange(QUEUE, dtype=jnp.int32) % GENOMES
    found = []
    for way, target in (("on", True), ("off", False)):
        monkeypatch.setenv(build.SWITCH, way)
        run = jax.jit(lambda *given: search.search(*given)).lower(start, limits, jnp.int32(COUNT), plans, whose)
        assert ((BEST_FIRST if isinstance(search, BestFirst) else DEEPENING) in run.as_text()) == target
        found.append(jax.device_get(run.compile()(start, limits, jnp.int32(COUNT), plans, whose)))
    native, lanes = (replace(one, iterations=0) for one in found)
    jax.tree.map(np.testing.assert_array_equal, native, lanes)
    assert native.nodes[:COUNT].std() > 0
    assert not native.nodes[COUNT:].any()


@pytest.mark.thorough
@pytest.mark.parametrize("game", [SIX, vehicles.rules_of(6, macro=True), vehicles.rules_of(6, metric="steps")])
def test_boards_are_explored_as_on_a_device(game, monkeypatch):
    start = roots(game)
    for at in (0, QUEUE - 1):
        one = jax.tree.map(lambda x, at=at: x[at], start)
        native = explore(game, one, 20_000)
        monkeypatch.setenv(build.SWITCH, "off")
        assert native == explore(game, one, 20_000)
        monkeypatch.delenv(build.SWITCH)


class RoundLamps(Lamps):
    """Lamps whose rules compute with what has no translation."""

    def advance(self, state, action):
        return super().advance(state, jnp.argsort(state.wires)[action])


def test_rules_without_a_translation_are_searched_in_lanes():
    assert why_not(RoundLamps(), None) == "sort has no translation"
    lit, wires = instances(1, 3)
    root = jax.tree.map(lambda x: x[0], states(lit, wires))
    assert explore(RoundLamps(), root).states <= 2**LAMPS


def test_an_order_that_xla_may_round_otherwise_is_refused():
    def order(contexts, whose, nodes, needed):
        return nodes.depth * jnp.float32(0.3) + nodes.siblings * jnp.float32(0.7)

    assert why_not(Lamps(), order) == "add of a product, which XLA may round once for both"


def test_another_device_is_given_lanes():
    search = BestFirst(Lamps(), deepest=12, room=64, lanes=2, narrow=2)
    given = states(*instances(4, 0)), jnp.full(4, 100), jnp.int32(4)
    traced = jax.jit(search.search).trace(*given)
    assert BEST_FIRST in traced.lower().as_text()
    assert BEST_FIRST not in traced.lower(lowering_platforms=("cuda",)).as_text()


def test_a_solution_too_long_to_be_written_down_is_found_by_the_device(monkeypatch):
    lit, wires = instances(12, 3)
    roots_of = [jax.tree.map(lambda x, at=at: x[at], states(lit, wires)) for at in range(12)]
    found = [explore(Lamps(), one, 5000) for one in roots_of]
    assert max(one.distance for one in found) > 1
    monkeypatch.setattr("jaxgp.search.puzzles.native.run.LONGEST", 1)
    assert [explore(Lamps(), one, 4999) for one in roots_of] == found
