"""Which rule of a list fires in a position, why those before it do not, and where its conditions lie on the board."""

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from jaxgp.genotypes.rulelists import DONT_CARE, RuleLanguage, RuleLists
from jaxgp.genotypes.ruletext import print_rules
from jaxgp.players.rules import RulePlayer

Ruled = tuple[str, bool, str]
"""The text of a rule, whether it fires, and what else is to be said of it."""


def fired(actor: RulePlayer, genome: RuleLists, state: Any) -> tuple[list[Ruled], list[tuple[str, str]]]:
    """Return the rules of a list, and of the one that fires the conditions: (a place of the board, its symbol).

    A place that is not on the board is the empty text. Nothing but the default action may fire; it has no conditions.
    """
    language = actor.language
    view = np.asarray(jax.jit(actor.view)(state))
    places = [f"square {n + 1}" for n in range(language.num_cells)] if actor.places is None else actor.places(state)
    told: list[Ruled] = []
    mask: list[tuple[str, str]] = []
    done = False
    texts = print_rules(language, genome).splitlines()
    for text, condition, action in zip(texts, np.asarray(genome.condition), np.asarray(genome.action), strict=False):
        if done:
            told.append((text, False, ""))
            continue
        read = list(readings(language, condition, int(action), actor.symmetric))
        way = next((n for n, (one, _) in enumerate(read) if _holds(one, view)), None)
        if way is None:
            told.append((text, False, f"passed over: {_missed(language, places, read[0][0], view)}"))
            continue
        done, (one, act) = True, read[way]
        mask = [(places[n], language.symbols[code]) for n, code in enumerate(one.tolist()) if code != DONT_CARE]
        told.append((text, True, f"by symmetry, as {language.actions[act]}" if way else ""))
    return [*told, (f"otherwise {language.actions[language.default]}", not done, "")], mask


def readings(
    language: RuleLanguage, condition: np.ndarray, action: int, symmetric: bool
) -> Iterator[tuple[np.ndarray, int]]:
    """Yield the ways in which a rule is read, int8[C] conditions and an action each: as written, then transformed."""
    yield condition, action
    for one in language.symmetries if symmetric else ():
        back = condition[np.argsort(one.cells)]
        yield np.where(back == DONT_CARE, DONT_CARE, np.argsort(one.symbols)[back]).astype(np.int8), one.actions[action]


def _holds(condition: np.ndarray, view: np.ndarray) -> bool:
    return bool(((condition == DONT_CARE) | (condition == view)).all())


def _missed(language: RuleLanguage, places: Sequence[str], condition: np.ndarray, view: np.ndarray) -> str:
    """Say which condition does not hold, the first one."""
    cell = int(np.flatnonzero((condition != DONT_CARE) & (condition != view))[0])
    wanted, seen = language.symbols[condition[cell]], language.symbols[view[cell]]
    where = places[cell] or "a square beyond the edge"
    return f"{where} is {seen}, not {wanted}" if wanted != seen else f"{where} is another {seen}"
