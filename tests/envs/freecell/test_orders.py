"""Best-first search of FreeCell by weights, node by node, against plain Python, which contracts nothing."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.freecell.states import positions
from jaxgp.genotypes.text import parse_program
from jaxgp.spec import cast
from tests.reference import bestfirst
from tests.reference import freecell as reference

CHAMPIONS = Path(__file__).parents[3] / "docs" / "data" / "champions"
SPEC = envs.spec("freecell")


def check(champion, deals, limits, **options):
    """Compare the searches of a champion of weights; return what plain Python found."""
    saved = json.loads((CHAMPIONS / f"{champion}.json").read_text())
    settings = {name: saved["game"][name] for name in ("supermoves", "autoplay")}
    role = saved["program"].pop("role")
    taken = cast(SPEC, SPEC.make(**settings), role, None, saved["program"] | options)
    genome = jax.tree.map(lambda x: jnp.asarray(x)[None], parse_program(taken.language, saved["text"], 1))
    states, limits = positions(deals), np.broadcast_to(limits, len(deals)).astype(np.int32)

    @jax.jit
    def solve(genome, states, limits):
        return taken.actor.solve(taken.actor.prepare(genome), jnp.zeros(len(deals), jnp.int32), states, limits)

    result = jax.device_get(solve(genome, jax.tree.map(jnp.asarray, states), limits))
    value = reference.weighed(np.asarray(genome.value[0, :, 0]), taken.options.heuristics)
    found, rules = [], reference.Puzzle(**settings)
    deepest, room = taken.options.deepest, taken.options.room
    for number, (deal, limit) in enumerate(zip(deals, limits, strict=True)):
        one = bestfirst.search(rules, reference.deal(deal), int(limit), deepest, room, value, by="value")
        found.append(one)
        said = deal, bool(result.solved[number]), int(result.nodes[number])
        assert said == (deal, one.solved, one.nodes)
        assert result.moves[number].tolist() == one.moves + [-1] * (deepest - len(one.moves))
    return found


def test_prices_of_counts_agree_with_plain_python():
    """Deal 4813 is one in which a sum that is rounded less often leads elsewhere."""
    found = check("freecell_counts_0", [4813, *range(1, 16)], [4000, *[200] * 15])
    assert found[0].solved


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "limit"), [("counts", 2000), ("counts_hard", 1000), ("weights", 1500)])
def test_many_deals_agree_with_plain_python(name, seed, limit):
    found = check(f"freecell_{name}_{seed}", range(4800, 4840), limit)
    assert len({one.nodes for one in found}) > 3
