"""Matches rule lists with views: the first rule whose conditions all hold acts, or else the default action is taken.

A mask is packed like an entry of a ternary memory: every cell gets the same few bits of a word, `value` holds the codes
that the conditions name, and `care` has ones where there is a condition. With views packed alike, a rule is valid if

    (view ^ value) & care == 0

which tests eight cells at once where codes take 4 bits. For 1000 lists of 64 rules and 32 views each this took 2.0 ms
(3 x 3 cells) and 2.1 ms (5 x 5) on 2 shared CPU cores; comparing cell by cell took 3.3 and 11.1 ms, one bit for each
possible code of each cell 9.9 and 23.3 ms, and counting met conditions by a matrix product 98 and 200 ms. Symmetries
cost more than in proportion on a CPU: two ways to read a rule took 3.3 ms (3 x 3), five took 72 ms (5 x 5).
"""

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.genotypes.rulelists import DONT_CARE, RuleLanguage, RuleLists

WORD = 32


@struct.dataclass
class Masks:
    """Rule lists of any batch shape [...] made ready for matching, once for all their games.

    Every rule is there in S ways: as it is written, and as each symmetry would have it written for the same view.
    """

    value: Array  # uint32[..., S, W, R]: the codes named; 0 where nothing is cared for
    care: Array  # uint32[..., S, W, R]: ones in the bits of each cell that has a condition
    action: Array  # int8[..., S, R]
    length: Array  # int32[...]


def prepare(language: RuleLanguage, lists: RuleLists, symmetric: bool = False) -> Masks:
    """Pack the masks of lists of any batch shape.

    A rule matches a transformed view where the rule, transformed back, matches the view itself. So symmetries cost
    something here, once, and no view is ever transformed.

    Args:
        language: what the rules are written in.
        lists: RuleLists.
        symmetric: rules match the views as the language's symmetries transform them, too. Rules are still taken in
            order; each is tried plainly first, then with each symmetry in turn, which also transforms the action.
    """
    ways = [(lists.condition, lists.action)]
    for symmetry in language.symmetries if symmetric else ():
        # One more entry at the end stands for DONT_CARE, -1.
        before = jnp.asarray([*np.argsort(symmetry.symbols), DONT_CARE], jnp.int8)
        condition = before[lists.condition[..., np.argsort(symmetry.cells)]]
        ways.append((condition, jnp.asarray(symmetry.actions, jnp.int8)[lists.action]))
    condition = jnp.stack([way[0] for way in ways], -3)
    named = condition != DONT_CARE
    value = _pack(language, jnp.where(named, condition, 0))
    care = _pack(language, jnp.where(named, (1 << _width(language)) - 1, 0))
    action = jnp.stack([way[1] for way in ways], -2)
    return Masks(value.swapaxes(-1, -2), care.swapaxes(-1, -2), action, lists.length)


def act(language: RuleLanguage, masks: Masks, views: Array) -> tuple[Array, Array]:
    """Choose the actions of lists.

    Args:
        language: what the rules are written in.
        masks: prepared lists of batch shape [P], or [] (one list).
        views: int8[P, B, C], or int8[B, C] for one list: B views for each list, codes of the language.

    Returns:
        int32[P, B], the actions, and int32[P, B], the index of the rule that acts; -1 where none does.
    """
    ways, capacity = masks.action.shape[-2:]
    packed = _pack(language, views)
    # One number orders matches by rule, and by way within a rule.
    first = jnp.int32(capacity * ways)
    for way in range(ways):
        found = _first(masks.value[..., way, :, :], masks.care[..., way, :, :], packed)
        first = jnp.minimum(first, found * ways + way)
    rule = first // ways
    fires = rule < masks.length[..., None]  # padding comes last, so whatever it matches is of no account
    index = first % ways * capacity + jnp.minimum(rule, capacity - 1)
    chosen = jnp.take_along_axis(masks.action.reshape(*masks.length.shape, -1), index, -1)
    return jnp.where(fires, chosen, language.default).astype(jnp.int32), jnp.where(fires, rule, -1)


def _first(value: Array, care: Array, packed: Array) -> Array:
    """Return int32[..., B]: the first rule, live or not, that matches each view; R for none.

    Args:
        value: uint32[..., W, R].
        care: uint32[..., W, R].
        packed: uint32[..., B, W].
    """
    capacity = value.shape[-1]
    wrong = jnp.zeros((), jnp.uint32)
    for w in range(packed.shape[-1]):
        wrong |= (packed[..., w, None] ^ value[..., w, None, :]) & care[..., w, None, :]
    return jnp.where(wrong == 0, jnp.arange(capacity, dtype=jnp.int32), capacity).min(-1)


def _width(language: RuleLanguage) -> int:
    """Bits of a code."""
    return max(1, (len(language.symbols) - 1).bit_length())


def _pack(language: RuleLanguage, codes: Array) -> Array:
    """Pack codes of the cells, [..., C], into uint32[..., W], as many cells to a word as fit."""
    width, cells = _width(language), language.num_cells
    each = WORD // width
    words = []
    for start in range(0, cells, each):
        word = jnp.zeros((), jnp.uint32)
        for cell in range(start, min(start + each, cells)):
            word |= codes[..., cell].astype(jnp.uint32) << np.uint32(width * (cell - start))
        words.append(word)
    return jnp.stack(words, -1)
