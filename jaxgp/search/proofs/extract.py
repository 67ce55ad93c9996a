"""Proofs out of claims: a search is asked again for the move in each position that the replies lead to, ply by ply."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Problem, States
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.proof import Proof

Searched = Callable[[States, Any], Claims]
"""(states [Q, ...], limits int32[Q]) -> claims; compiled."""


class UnprovedError(ValueError):
    """A search claims a win and does not find it again."""


class _Row(NamedTuple):
    states: list[Any]
    parents: list[int]


class Extractor:
    """Extracts the proofs of solved problems."""

    def __init__(self, problem: Problem[Any], search: Searched, together: int = 64) -> None:
        """Prepare.

        Args:
            problem: the rules.
            search: proves positions; it must say which move wins.
            together: positions that are searched in one call.
        """
        self._problem, self._search, self._together = problem, search, together
        self._advance = jax.jit(jax.vmap(problem.advance))
        self._list = jax.jit(jax.vmap(lambda state: listed(problem, state)))

    def proof(self, text: str, state: States, limit: int, name: Callable[[States, int], str]) -> Proof:
        """Return a proof of one problem.

        Args:
            text: the problem in the game's own words.
            state: the problem.
            limit: nodes of each search.
            name: (state, action) -> what the move is called.

        Raises:
            UnprovedError: a search finds no win.
        """
        parents: list[int] = []
        names: list[str] = []
        own = int(self._problem.left(state))
        row = _Row([jax.device_get(state)], [-1])
        while row.states:
            chosen = self._ask(row.states, limit)
            after = self.after(row.states, chosen)
            made = []
            for before, parent, action in zip(row.states, row.parents, chosen, strict=True):
                made.append(len(names))
                parents.append(parent)
                names.append(name(before, action))
            replies = [(n, action) for n, listed in enumerate(self.lists(after)) for action in listed]
            if not replies:
                break
            below = self.after([after[n] for n, _ in replies], [action for _, action in replies])
            next_parents = []
            for n, action in replies:
                next_parents.append(len(names))
                parents.append(made[n])
                names.append(name(after[n], action))
            row = _Row(below, next_parents)
        return Proof(text, own, np.array(parents, np.int32), tuple(names))

    def after(self, states: list[Any], actions: list[int]) -> list[Any]:
        """Return the states after an action each."""
        return self._map(self._advance, states, actions)

    def lists(self, states: list[Any]) -> list[list[int]]:
        """Return all actions of each state, in the order of the list."""
        return [[int(action) for action in found if action >= 0] for found in self._map(self._list, states)]

    def _ask(self, states: list[Any], limit: int) -> list[int]:
        """Return the winning move of each state."""

        def search(batch: Any) -> Any:
            claims = self._search(batch, jnp.full(self._together, limit, jnp.int32))
            return claims.chosen, claims.solved

        found = self._map(search, states)
        if not all(solved for _, solved in found):
            raise UnprovedError(f"a position of the proof is not won within {limit} nodes")
        return [int(chosen) for chosen, _ in found]

    def _map(self, function: Callable[..., Any], states: list[Any], actions: list[int] | None = None) -> list[Any]:
        """Call a function of batches on any number of states."""
        found: list[Any] = []
        for begin in range(0, len(states), self._together):
            rows = [min(n, len(states) - 1) for n in range(begin, begin + self._together)]
            batch = jax.tree.map(lambda *x: np.stack(x), *(states[n] for n in rows))
            more = () if actions is None else (np.array([actions[n] for n in rows], np.int32),)
            results = jax.device_get(function(batch, *more))
            found += [
                jax.tree.map(lambda x, n=n: x[n], results) for n in range(min(self._together, len(states) - begin))
            ]
        return found


def listed(problem: Problem[Any], state: States) -> Any:
    """Return int32[M]: all actions of a state, then -1."""
    look = problem.look(state)

    def more(found: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        actions, place, last = found
        action = problem.following(look, last)
        return actions.at[place].set(action), place + 1, action

    start = jnp.full(problem.most_choices, -1, jnp.int32), jnp.int32(0), jnp.int32(-1)
    return jax.lax.while_loop(lambda found: found[1] < look.count, more, start)[0]
