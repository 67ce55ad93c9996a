"""Rule lists as players: the first rule that is valid for what the mover sees acts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.genotypes.rulelists import RuleLanguage, RuleLists
from jaxgp.interpreter import rules
from jaxgp.interpreter.rules import Masks

State = Any


@dataclass(frozen=True)
class RulePlayer:
    """One look, one move.

    Attributes:
        language: what the rules are written in; its actions are the game's, by number.
        view: state -> int8[C], what the player to move sees.
        legal: state -> bool[A].
        symmetric: rules match what the language's symmetries make of a view, too.
    """

    language: RuleLanguage
    view: Callable[[State], Array]
    legal: Callable[[State], Array]
    symmetric: bool = False

    def prepare(self, lists: RuleLists) -> Masks:
        """Pack rule lists [P] for matching, once for all their games."""
        return rules.prepare(self.language, lists, self.symmetric)

    def act(self, masks: Masks, states: State, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M] moves and bool[P, M] whether each is legal, for the states [P, M] of P lists."""
        del active  # leaving states out would cost more than the few words that are compared for each
        action, _ = rules.act(self.language, masks, jax.vmap(jax.vmap(self.view))(states))
        legal = jax.vmap(jax.vmap(self.legal))(states)
        return action, jnp.take_along_axis(legal, action[..., None], -1)[..., 0]
