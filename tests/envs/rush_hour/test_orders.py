"""Searches of Rush Hour in the order of programs, node by node, against plain Python, which contracts nothing."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.rush_hour import plain
from envs.rush_hour.boards import read_shipped
from envs.rush_hour.heuristics import FEATURES
from envs.rush_hour.rules import ANYWHERE
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from tests.envs.rush_hour.walks import at
from tests.reference import bestfirst, deepening
from tests.reference import rush_hour as reference
from tests.reference.evaluator import evaluate_program

CHAMPIONS = Path(__file__).parents[3] / "docs" / "data" / "champions"
SPEC = envs.spec("rush_hour")
GAME = SPEC.make()
CALLS = {
    **{"*": np.multiply, "+": np.add, "AND": np.logical_and, "OR": np.logical_or},
    **{"<=": np.less_equal, ">=": np.greater_equal},
}


def valued(language, genome, state):
    """Return what a genome values the children of a search from a state by."""
    start, level = plain.board_of(state), float(state.level)
    goal = {}
    for (letter, vehicle), place in zip(start.items(), state.goals.tolist(), strict=False):
        if place != ANYWHERE:
            first = vehicle[0][plain.direction(vehicle)[0] == 0]
            goal[letter] = plain.slide_vehicle(vehicle, place - first)
    most = np.array([one.maximum(GAME) for one in FEATURES], np.float32)

    def worth(board, before, action, depth, siblings):
        slide = plain.slide_of(GAME, before, action)
        seen = np.array(reference.features(GAME.size, goal, board, before, slide, depth, siblings, level), np.float32)
        if language.rules:
            seen = np.concatenate([seen, np.minimum(seen * (1 / most), np.float32(1))])

        def tree(number):
            one = jax.tree.map(lambda x: x[number], genome)
            return evaluate_program(language, CALLS, one, seen[:, None])[0]

        return next((tree(value) for condition, value in language.rules if tree(condition)), None) or tree(-1)

    return worth


def check(champion, boards, limit, search):
    """Compare the searches of a champion; return what plain Python found."""
    file, _, seed = champion.partition("#")
    saved = json.loads((CHAMPIONS / file).read_text().splitlines()[int(seed)])
    role = saved["program"].pop("role")
    taken = cast(SPEC, GAME, role, None, saved["program"] | {"search": search})
    options = taken.options
    genome = parse_program(taken.language, saved["text"], 511)
    states, limits = GAME.positions(boards), jnp.full(len(boards), limit, jnp.int32)

    @jax.jit
    def solve(genome, states):
        plans = taken.actor.prepare(jax.tree.map(lambda x: x[None], genome))
        return taken.actor.solve(plans, jnp.zeros(len(boards), jnp.int32), states, limits)

    result = jax.device_get(solve(*jax.tree.map(jnp.asarray, (genome, states))))
    found, rules = [], reference.Puzzle(GAME)
    for number, board in enumerate(boards):
        state = at(states, number)
        root, value = plain.board_of(state), valued(taken.language, genome, state)
        if search == "deepening":
            alone = deepening.Search(rules, limit, options.table, value, cost=options.bound == "cost")
            one = alone.run(root, options.first, options.grow, options.deepest)
        else:
            one = bestfirst.search(rules, root, limit, options.deepest, options.room, value, by="value")
            assert int(result.expanded[number]) == one.expanded
        found.append(one)
        said = board.name, bool(result.solved[number]), int(result.nodes[number])
        assert said == (board.name, one.solved, one.nodes)
        assert result.moves[number].tolist() == one.moves + [-1] * (options.deepest - len(one.moves))
    return found


def test_a_single_heuristic_agrees_with_plain_python():
    """It multiplies and adds counts, quotients and a share."""
    found = check("rush_hour_greedy_heuristic.jsonl#2", read_shipped("WAY")[:6], 400, "greedy")
    assert any(one.solved and len(one.moves) > 3 for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "search"),
    [
        ("greedy_heuristic", "greedy"),
        ("heuristic", "deepening"),
        ("greedy", "greedy"),
        ("policy", "greedy"),
        ("policy", "deepening"),
    ],
)
def test_many_boards_agree_with_plain_python(name, search, seed):
    check(f"rush_hour_{name}.jsonl#{seed}", read_shipped("JAM", "WAY")[seed::40], 600, search)
