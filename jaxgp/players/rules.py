"""Rule lists as players: the first rule that matches the mover's view acts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.genotypes.rulelists import RuleLanguage, RuleLists
from jaxgp.interpreter import rules
from jaxgp.interpreter.rules import Masks
from jaxgp.printable import brief

State = Any


@dataclass(frozen=True)
class RulePlayer:
    """Direct control: the first rule that matches the view gives the move.

    Attributes:
        language: what the rules are written in; its actions are the game's, by number.
        view: state -> int8[C], what the player to move sees.
        legal: state -> bool[A].
        symmetric: whether rules also match the view as transformed by the language's symmetries.
        places: state -> the place of the board that each cell of the view shows, empty where there is none; see
            `jaxgp.spec.Pointing`. None: cells are no places.
    """

    language: RuleLanguage
    view: Callable[[State], Array]
    legal: Callable[[State], Array]
    symmetric: bool = False
    places: Callable[[State], Sequence[str]] | None = None

    random: ClassVar[bool] = False

    __repr__ = brief

    def prepare(self, lists: RuleLists) -> Masks:
        """Pack rule lists [P] for matching, once for all their games."""
        return rules.prepare(self.language, lists, self.symmetric)

    def count(self, masks: Masks) -> int:
        """Return P."""
        return masks.length.shape[0]

    def look(self, state: State) -> tuple[Array, ...]:
        """Return what the player to move sees in one state, packed like the rules."""
        return rules.look(self.language, self.view(state))

    def choose(self, masks: Masks, seen: Sequence[Array], busy: Array) -> Array:
        """Return int32[M, P]: the moves of P lists in M states each; `seen` is `look` of states [M, P].

        Only the moves where `busy` (bool[M, P]) holds need be right.
        """
        return rules.choose(self.language, masks, seen, busy)[0]

    def act(self, masks: Masks, states: State, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M, 1] moves and bool[P, M] whether each is legal, for the states [P, M] of P lists."""
        del bits
        action, _ = rules.act(self.language, masks, jax.vmap(jax.vmap(self.view))(states), active)
        legal = jax.vmap(jax.vmap(self.legal))(states)
        return action[..., None], jnp.take_along_axis(legal, action[..., None], -1)[..., 0]
