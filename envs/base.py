"""What every game is: the contract between the rules in `envs/<game>/rules.py` and the engine.

A game is a frozen, hashable dataclass of compile-time settings whose methods are pure functions of one unbatched
state. `jax.vmap` happens once, at the outermost call.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

import jax
import jax.numpy as jnp
from jax import Array, lax

State = TypeVar("State")


@runtime_checkable
class Game(Protocol):
    """A game of perfect information for two, or for one, with a fixed number of actions.

    A state is a `flax.struct.dataclass` with at least

    - `to_move`: int32[], the seat (0 or 1) that moves next. It need not alternate: extra turns and passes are allowed.
    - `terminated`: bool[], True once the game has ended. A step of an ended game changes nothing.
    - `returns`: float32[2], result by seat, zero until the end: 1 for a win, -1 for a loss, 0 for a draw.

    A game for one says so by `players = 1` (see `players`). Its only seat is 0, and its `returns` at the end are its
    score and 0.
    """

    @property
    def num_actions(self) -> int: ...

    def init(self, key: Array | None = None) -> Any:
        """Return the opening state."""
        ...

    def step(self, state: Any, action: Array, key: Array | None = None) -> Any:
        """Play `action` (int32[], legal) for the side to move."""
        ...

    def legal_actions(self, state: Any) -> Array:
        """Return bool[A]: what the side to move may play."""
        ...

    def score(self, state: Any) -> Array:
        """Return float32[2]: points by seat, in the game's own unit."""
        ...

    def forfeit(self, state: Any) -> Any:
        """End the game as a loss for the side to move; a game for one ends as it stands."""
        ...

    def key(self, state: Any) -> Array:
        """Return uint32[W]: an exact, collision-free code of all that the future of the game depends on, as the side
        to move sees it. Two states with equal keys have the same legal actions and the same continuations.
        """
        ...


def players(game: Game) -> int:
    """Return how many play the game: 2, unless it has an attribute of this name that says 1."""
    return int(getattr(game, "players", 2))


def freeze(before: State, after: State) -> State:
    """Return `before` if its game has ended, else `after`: the one place where ended games are kept."""
    ended = before.terminated  # type: ignore[attr-defined]
    return jax.tree.map(lambda b, a: jnp.where(ended, b, a), before, after)


def win_loss(scores: Array) -> Array:
    """Turn float32[2] scores into returns: 1 for the higher, -1 for the lower, 0 and 0 when equal."""
    sign = jnp.sign(scores[0] - scores[1])
    return jnp.stack([sign, -sign]).astype(jnp.float32)


def apart(function: Callable[..., Any], *args: Any) -> Any:
    """Call `function` so that XLA's CPU compiler does not fuse it with what uses its result.

    It would compute the whole chain anew for each array that depends on it. An optimization barrier alone does not stop
    it, a conditional does, whose condition is behind a barrier: it is true, but the compiler does not know.
    """

    def conditional(*args: Any) -> Any:
        nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(function, *args))
        return lax.cond(lax.optimization_barrier(jnp.bool_(True)), function, lambda *_: nothing, *args)

    return lax.platform_dependent(*args, cpu=conditional, default=function)
