"""Hints for people: a best-first search finds a solution, which need not be a short one."""

from collections.abc import Callable
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.freecell.heuristics import disorder, heineman_score, vacancies
from envs.freecell.rules import FreeCell, rules_of
from envs.freecell.states import State
from jaxgp.search.chance import unused_key
from jaxgp.search.puzzles.bestfirst import BestFirst
from jaxgp.search.puzzles.children import of_state
from jaxgp.search.puzzles.solutions import Solutions

ROOM = 2**18
"""Positions that a search keeps, at most; it gives up where it meets more."""
DEEPEST = 2000
"""The most moves of a solution."""


def promise(state: State) -> Array:
    """Return int32[]: the order of the search, lowest first.

    Heineman's score, two more for each card that lies on one that it does not fit, two less for each empty cell and
    each empty cascade.
    """
    return heineman_score(state) + 2 * disorder(state) - 2 * vacancies(state)


def solution(game: FreeCell, state: State, room: int = ROOM) -> tuple[tuple[int, ...] | None, bool]:
    """Return the moves of a solution, None if none was found; and whether there is none."""
    found = jax.device_get(_search(rules_of(game.supermoves, game.autoplay), room)(state))
    moves = tuple(found.moves[0, : found.length[0]].tolist()) if found.solved[0] else None
    return moves, bool(found.exhausted[0])


@lru_cache(maxsize=4)
def _search(game: FreeCell, room: int) -> Callable[[State], Solutions]:
    """Compile the search of one position by `promise`."""
    search = BestFirst(game, DEEPEST, room, lanes=1, narrow=1, order=of_state(promise), by="value")

    def of_one(state: State) -> Solutions:
        one = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        return search.search(one, jnp.full(1, np.iinfo(np.int32).max), jnp.int32(1))

    return jax.jit(of_one)


def hints(game: FreeCell) -> Callable[[State], tuple[int | None, str]]:
    """Return what answers a request for a hint: the first move of a solution, and how long this is.

    As long as a person follows a solution, hints go on with it.
    """
    known: dict[bytes, tuple[int, ...]] = {}
    key_of, step = jax.jit(game.key), jax.jit(game.step)

    def code(state: State) -> bytes:
        # With the order of cells and cascades, which the numbers of moves depend on.
        return b"".join(np.asarray(part).tobytes() for part in (key_of(state), state.cascades, state.cells))

    def hint(state: State) -> tuple[int | None, str]:
        if code(state) not in known:
            moves, complete = solution(game, state)
            if moves is None:
                return None, "there is no solution" if complete else f"no solution among {ROOM} positions"
            at = state
            for number, action in enumerate(moves):
                known[code(at)] = moves[number:]
                at = step(at, np.int32(action), unused_key())
        left = known[code(state)]
        return left[0], f"a solution that a search found takes {len(left)} move{'s' * (len(left) > 1)}"

    return hint
