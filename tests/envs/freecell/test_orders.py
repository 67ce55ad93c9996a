"""Best-first search of FreeCell, node by node, against plain Python, which contracts nothing."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.freecell import plain, roles
from envs.freecell.heuristics import FEATURES
from envs.freecell.states import positions
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from tests.reference import bestfirst
from tests.reference import freecell as reference
from tests.reference.evaluator import evaluate_program

CHAMPIONS = Path(__file__).parents[3] / "docs" / "data" / "champions"
SPEC = envs.spec("freecell")
CALLS = {"AND": np.logical_and, "OR": np.logical_or, "<=": np.less_equal, ">=": np.greater_equal}
MOST = np.array([one.most for one in FEATURES], np.float32)


def valued(language, genome, options, supermoves):
    """Return what a genome values children by: the weights of the first rule whose condition holds."""
    numbers, count = genome.value[:, 0], len(roles.list_weighted(options.heuristics))
    weights = [numbers[list(rule[1:])] for rule in language.rules] + [numbers[-count:]]
    orders = [reference.weighed(some, options.heuristics) for some in weights]
    conditions = [jax.tree.map(lambda x, at=rule[0]: x[at], genome) for rule in language.rules]

    def fires(board, before, action, depth):
        seen = reference.features(board, before, plain.move_of(action), depth, supermoves)
        shares = np.minimum(np.array(seen, np.float32) * (1 / MOST), np.float32(1))
        shown = np.concatenate([np.zeros(count, np.float32), shares])[:, None]
        held = (evaluate_program(language, CALLS, one, shown)[0] for one in conditions)
        return next((at for at, one in enumerate(held) if one), -1)

    def worth(board, before, action, depth, siblings):
        at = fires(board, before, action, depth) if conditions else -1
        return orders[at](board, before, action, depth, siblings)

    return worth


def check(champion, deals, limits, autoplay=None, **settled):
    """Compare the searches of a champion, some of whose settings are changed; return what plain Python found."""
    file, _, seed = champion.partition("#")
    saved = json.loads((CHAMPIONS / file).read_text().splitlines()[int(seed)])
    settings = {"supermoves": saved["game"]["supermoves"], "autoplay": autoplay or saved["game"]["autoplay"]}
    role = saved["program"].pop("role")
    taken = cast(SPEC, SPEC.make(**settings), role, None, saved["program"] | settled)
    genome = parse_program(taken.language, saved["text"], 511 if taken.language.rules else 1)
    states, limits = positions(deals), np.broadcast_to(limits, len(deals)).astype(np.int32)

    @jax.jit
    def solve(genome, states, limits):
        plans = taken.actor.prepare(jax.tree.map(lambda x: x[None], genome))
        return taken.actor.solve(plans, jnp.zeros(len(deals), jnp.int32), states, limits)

    result = jax.device_get(solve(*jax.tree.map(jnp.asarray, (genome, states, limits))))
    value = valued(taken.language, genome, taken.options, settings["supermoves"])
    found, rules = [], reference.Puzzle(**settings, tried=taken.options.moves)
    deepest, room = taken.options.deepest, taken.options.room
    for number, (deal, limit) in enumerate(zip(deals, limits, strict=True)):
        one = bestfirst.search(rules, reference.deal(deal), int(limit), deepest, room, value, by="value")
        found.append(one)
        said = deal, bool(result.solved[number]), int(result.nodes[number]), int(result.expanded[number])
        assert said == (deal, one.solved, one.nodes, one.expanded)
        assert result.moves[number].tolist() == one.moves + [-1] * (deepest - len(one.moves))
    return found


@pytest.mark.thorough
def test_prices_of_counts_agree_with_plain_python():
    found = check("freecell_counts.jsonl#0", range(1, 5), 100)
    assert len({one.expanded for one in found}) > 1


@pytest.mark.thorough
def test_a_search_that_keeps_cards_in_sequence_together_agrees_with_plain_python():
    found = check("freecell_counts.jsonl#0", range(1, 5), 100, autoplay="needless", moves="whole")
    assert len({one.expanded for one in found}) > 1


@pytest.mark.slow
def test_prices_of_counts_agree_with_plain_python_also_where_they_are_long_sums():
    """Deal 4813 is one in which a sum that is rounded less often leads elsewhere."""
    found = check("freecell_counts.jsonl#0", [4813, *range(1, 16)], [4000, *[200] * 15])
    assert found[0].solved


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "limit"), [("counts", 1500), ("counts_hard", 600), ("weights", 1000)])
def test_many_deals_agree_with_plain_python(name, seed, limit):
    found = check(f"freecell_{name}.jsonl#{seed}", range(4800, 4840), limit)
    assert len({one.expanded for one in found}) > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_policies_agree_with_plain_python(seed):
    check(f"freecell_policy.jsonl#{seed}", range(4800, 4810), 500)
