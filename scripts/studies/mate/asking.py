"""What plain C++ is asked: pairs of an individual and a problem, each distinct one of these written once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import Array
from jax.experimental.buffer_callback import buffer_callback

from envs.mate import notation
from envs.mate.rules import Mate
from jaxgp.arrays import take


class Question(NamedTuple):
    """N pairs of an individual and a problem."""

    texts: list[str]  # of distinct individuals
    posed: list[str]  # distinct problems, in FEN
    own: list[int]  # of each pair, its individual among these
    which: list[int]  # its problem
    lengths: list[int]  # its n


def question(problem: Mate, whose: np.ndarray, states: Any, written: Callable[[int], str]) -> Question:
    """Return what is asked of individuals `whose` (int[N]), whose texts are `written`, and problems [N]."""
    texts, own = _distinct(whose, lambda n: written(int(whose[n])))
    every = np.concatenate([x.reshape(len(whose), -1) for x in jax.tree.leaves(states)], 1)
    names = np.unique(every, axis=0, return_inverse=True)[1].reshape(-1)
    posed, which = _distinct(names, lambda n: notation.text_of(problem, take(states, np.array(n))))
    return Question(texts, posed, own, which, [int(n) for n in problem.left(states)])


def called(asked: Callable[..., Any], rest: dict[str, tuple[type[np.generic], Any]], count: int, *given: Any) -> Any:
    """Return by name what `asked` makes of what is given, as NumPy has it: an array [count] for each name of `rest`.

    Buffers are read where they lie: `jax.pure_callback` copies arguments by threads that may all be waiting for it.
    """

    def answer(context: Any, out: Any, *buffers: Any) -> None:
        del context
        for name, values in asked(*jax.tree.map(np.asarray, buffers)).items():
            np.asarray(out[name])[...] = values

    shapes = {name: jax.ShapeDtypeStruct((count,), kind) for name, (kind, _) in rest.items()}
    found: dict[str, Array] = buffer_callback(answer, shapes, vmap_method="sequential")(*given)
    return found


def spread(at: np.ndarray, count: int, found: list[Any], rest: dict[str, tuple[type[np.generic], Any]]) -> Any:
    """Return by name what pairs `at` have come to among `count`, and others; `rest` has each type, and that value."""
    made = {name: np.full(count, usual, kind) for name, (kind, usual) in rest.items()}
    for name, values in made.items():
        values[at] = [getattr(one, name) for one in found]
    return made


def _distinct(names: np.ndarray, made: Callable[[int], str]) -> tuple[list[str], list[int]]:
    """Return what is made of a place of each distinct name, and for each of `names` its number among these."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    return [made(int(n)) for n in first], inverse.reshape(-1).tolist()
