"""Hints for people: a best-first search finds a solution, which need not be a short one."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.freecell.best import best_first
from envs.freecell.cards import ROWS
from envs.freecell.heuristics import heineman_score, vacancies
from envs.freecell.rules import FreeCell, rules_of
from envs.freecell.states import State, fits
from jaxgp.search.chance import unused_key

MOST = 200_000
"""Positions at which a search gives up."""


def promise(state: State) -> Array:
    """Return float32[]: the order of the search, lowest first.

    Heineman's score, two more for each card that lies on one that it does not fit, two less for each empty cell and
    each empty cascade.
    """
    joined = fits(state.cascades[:, 1:], state.cascades[:, :-1])
    loose = ~joined & (np.arange(1, ROWS, dtype=np.int8) < state.heights[:, None])
    disorder = loose.sum(dtype=jnp.int32)
    return (heineman_score(state) + 2 * disorder - 2 * vacancies(state)).astype(jnp.float32)


def solution(game: FreeCell, state: State, most: int = MOST) -> tuple[tuple[int, ...] | None, bool]:
    """Return the moves of a solution, None if none was found; and whether all positions were met."""
    return best_first(rules_of(game.supermoves, game.autoplay), state, promise, most)


def hints(game: FreeCell) -> Callable[[State], tuple[int | None, str]]:
    """Return what answers a person who asks for a hint: the first move of a solution, and how long this is.

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
                return None, "there is no solution" if complete else f"no solution among {MOST} positions"
            at = state
            for number, action in enumerate(moves):
                known[code(at)] = moves[number:]
                at = step(at, np.int32(action), unused_key())
        left = known[code(state)]
        return left[0], f"a solution that a search found takes {len(left)} move{'s' * (len(left) > 1)}"

    return hint
