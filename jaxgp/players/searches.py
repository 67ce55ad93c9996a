"""Searches of a game by its evaluators: what searched opponents, players at the table and measurements are made of."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import suited
from jaxgp.contracts import States
from jaxgp.errors import UsageError, reject
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.lookahead import Contexts, tail_of
from jaxgp.spec import Evaluator, RandomEvaluator, Spec, Turns

TAIL = 2
"""Last plies that a search at the table, of a league, or on a CPU looks at full width."""
WIDE_TAIL = 3
"""Last plies that a search on another device looks at full width."""
LANES, WIDE_LANES = 64, 4096
"""Searches of an opponent that run side by side, on a CPU and on another device."""


def explain_unsearched(spec: Spec[Turns], game: Turns) -> str:
    """Say why no search plays a game; the empty text if searches do."""
    if game.chance:
        return f"chance takes part in {spec.name}, so that no search plays it"
    if not spec.evaluators(game):
        return f"{spec.name} has no evaluators, so that no search plays it"
    return ""


def evaluators(spec: Spec[Turns], game: Turns, named: str | None) -> tuple[Evaluator | RandomEvaluator, ...]:
    """Return the evaluators of a game that an option names.

    Args:
        spec: the game.
        game: its rules.
        named: one of the game's evaluators, or several of them with | between; None: the first.

    Raises:
        UsageError: no search plays the game, or these rules have no such evaluator. The message begins with
            `evaluator=`.
    """
    why = explain_unsearched(spec, game)
    if why:
        reject("evaluator", named, "none", why)
    here = spec.evaluators(game)
    asked = [next(iter(here))] if named is None else named.split("|")
    unknown = [one for one in asked if one not in here]
    if unknown:
        elsewhere = unknown[0] in spec.evaluators(spec.make())
        board = " on this board" if elsewhere else ""
        which = f"; there is no {unknown[0] or 'evaluator without a name'}{board}" if len(asked) > 1 or board else ""
        several = ", or some of them with | between" if len(here) > 1 else ""
        reject("evaluator", named, f"{', '.join(here)}{several}{which}")
    return tuple(here[one] for one in asked)


def check_evaluator(option: str, spec: Spec[Turns], game: Turns, named: str | None) -> None:
    """Refuse what `evaluators` refuses, of the player that `option` names; raises UsageError."""
    try:
        evaluators(spec, game, named)
    except UsageError as error:
        raise error.within(option) from error


def searches(
    spec: Spec[Turns], game: Turns, evaluator: str | None, depth: int, ties: str, tail: int, lanes: int
) -> tuple[AlphaBeta, ...]:
    """Return a search for each of the evaluators that are named.

    Args:
        spec: the game.
        game: its rules.
        evaluator: see `evaluators`.
        depth: the most plies.
        ties: `first` finds the first of the best moves, `random` all of them.
        tail: the most last plies that are searched full width.
        lanes: searches that run side by side.

    Raises:
        UsageError: see `evaluators`.
    """
    twin = None if spec.searches is None else spec.searches.twin(game)
    searched = game if twin is None else twin

    def search(value: Evaluator | RandomEvaluator) -> AlphaBeta:
        return AlphaBeta(
            game,
            evaluate=None if isinstance(value, RandomEvaluator) else BoundEvaluator(value, searched),
            leaf_evaluator=Drawn(value, searched) if isinstance(value, RandomEvaluator) else None,
            twin=twin,
            max_depth=depth,
            tail=tail_of(searched, min(tail, depth)),
            lanes=lanes,
            ties="all" if ties == "random" else "first",
        )

    return tuple(search(value) for value in evaluators(spec, game, evaluator))


def sizes(tail: int | None, lanes: int | None) -> tuple[int, int]:
    """Return the last plies at full width, and the searches side by side, as asked for or as suits the device."""
    return tail or suited(TAIL, WIDE_TAIL), lanes or suited(LANES, WIDE_LANES)


def draws(search: AlphaBeta, bits: Array) -> tuple[Contexts, Array | None]:
    """Return what a search of Q roots takes beside the roots: contexts, and the context of each root.

    Args:
        search: one of `searches`.
        bits: uint32[Q], uniform: the draw of each root if the evaluator is random.
    """
    return (bits, jnp.arange(len(bits))) if draws_anew(search) else ((), None)


def draws_anew(search: AlphaBeta) -> bool:
    """Return whether the values of a search are drawn anew every time."""
    return isinstance(search.leaf_evaluator, Drawn)


def chancy(spec: Spec[Turns], game: Turns, ties: str, evaluator: str | None) -> bool:
    """Return whether a search that these options describe draws its moves; raises what `evaluators` raises."""
    found = evaluators(spec, game, evaluator)
    return ties == "random" or len(found) > 1 or isinstance(found[0], RandomEvaluator)


@dataclass(frozen=True)
class BoundEvaluator:
    """An evaluator bound to one game: state -> float32[]. Equal ones compare equal, so searches are compiled once."""

    value: Evaluator
    game: Any

    def __call__(self, state: States) -> Array:
        """Return what a position is worth."""
        return self.value(self.game, state)


@dataclass(frozen=True)
class Drawn:
    """A random evaluator bound to one game; a leaf evaluator whose contexts are draws, uint32[C]."""

    value: RandomEvaluator
    game: Any

    def __call__(self, contexts: Array, whose: Array, states: States, needed: Array) -> Array:
        """Return float32[B]: what positions [B, ...] are worth in the contexts `whose` (int32[B])."""
        del needed
        return jax.vmap(lambda draw, state: self.value.value(self.game, state, draw))(contexts[whose], states)
