"""Staged deepening of FreeCell against two programs in plain Python: of the search, and of the rules."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.freecell import cards, plain
from envs.freecell.heuristics import heineman_score, hsdh
from envs.freecell.rules import rules_of
from envs.freecell.solver import solution
from envs.freecell.states import position
from jaxgp.search.puzzles.staged import Staged
from tests.envs.freecell.positions import at
from tests.envs.replays import KEY
from tests.reference import freecell, staged

LIMIT, DEEPEST = 5000, 400
DEALS, FROM_END = (1, 3), (5, 12, 20, 999)
"""Numbers of deals, and moves before the ends of their solutions."""


@cache
def positions_on_the_way():
    """Return positions on the way to solutions: deals, and some moves before the end."""
    rules, found = rules_of(), []
    step = jax.jit(rules.step)
    for deal in DEALS:
        state = jax.tree.map(jnp.asarray, position(cards.deal(deal)))
        moves = solution(rules, state, 2**16)[0]
        states = [state]
        for action in moves:
            states.append(step(states[-1], np.int32(action), KEY))
        found += [states[max(len(moves) - number, 0)] for number in FROM_END]
    return jax.device_get(jax.tree.map(lambda *x: jnp.stack(x), *found))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "supermoves", "score", "plain_score", "k"),
    [
        ("heineman", "strict", heineman_score, freecell.heineman, 6),
        ("heineman", "strict", heineman_score, freecell.heineman, 1),
        ("papers", "full", hsdh, freecell.hsdh, 5),
    ],
)
def test_equals_plain_python_node_by_node(variant, supermoves, score, plain_score, k):
    def order(contexts, whose, nodes, needed):
        return jax.vmap(lambda state: score(state).astype(jnp.float32))(nodes.state)

    roots, count = positions_on_the_way(), len(DEALS) * len(FROM_END)
    options = {"variant": variant, "k": k, "visited": 900, "queue": 40, "room": 300, "deepest": DEEPEST}
    search = Staged(rules_of(supermoves), order=order, lanes=8, narrow=8, **options)
    limits = np.full(count, LIMIT, np.int32)
    result = jax.device_get(jax.jit(search.search)(jax.tree.map(jnp.asarray, roots), limits, jnp.int32(count)))
    puzzle, found = freecell.Puzzle(supermoves), []
    for lane in range(count):
        alone = staged.Search(
            puzzle, LIMIT, lambda child, *rest: plain_score(child), widest=search.puzzle.most_choices, **options
        )
        one = alone.run(plain.board_of(at(roots, lane)))
        found.append(one)
        assert (result.solved[lane], result.nodes[lane], result.exhausted[lane]) == (
            one.solved,
            one.nodes,
            one.exhausted,
        )
        assert (result.dropped[lane], result.full[lane]) == (one.dropped, one.full)
        assert result.moves[lane].tolist() == one.moves + [-1] * (DEEPEST - len(one.moves))
        if one.solved:
            plain.check(plain.board_of(at(roots, lane)), [plain.move_of(action) for action in one.moves], supermoves)
    assert 1 < sum(one.solved for one in found) < count
    assert k > 1 or any(len(one.moves) > search.away for one in found)  # from boards beyond the first one
