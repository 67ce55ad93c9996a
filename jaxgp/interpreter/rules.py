"""Matches rule lists with views: the first rule whose conditions all hold acts; without one, the default action acts.

A mask is packed like an entry of a ternary memory: every cell gets a few bits of a word, as many as its codes need;
`value` holds the codes that the conditions name, and `care` has ones where there is a condition. With views packed
alike, a rule is valid if

    view & care == value

which tests nine cells at once for a player of Walls that looks one square far. Rules are tried a few at a time, each
for all lists and views. Lists are the trailing axis, where a CPU compares eight at once, and the loop ends as soon as
every list has found a valid rule or has no more rules. Random lists find one among their first few rules.
"""

import operator
from collections.abc import Sequence
from functools import partial, reduce

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.genotypes.rulelists import DONT_CARE, RuleLanguage, RuleLists

WORD = 32
STRIDE = 8
"""How many readings of rules are tried at once."""
NONE = np.int32(2**31 - 1)
"""The choice of padding, and of lists without a valid rule."""


@struct.dataclass
class Masks:
    """Rule lists of any batch shape [...] made ready for matching, once for all their games.

    Every rule has S readings in a row: as written, and as each symmetry rewrites it. So a list has up to T = R S
    readings, in the order in which they are tried. Readings are the first axis, lists the last.
    """

    value: Array  # uint32[T, W, ...]: the codes named; 0 where nothing is cared for
    care: Array  # uint32[T, W, ...]: ones in the bits of each cell that has a condition
    choice: Array  # int32[T, ...]: place * actions + action; NONE in padding
    length: Array  # int32[...]: readings in use
    ways: int = struct.field(pytree_node=False)  # S


def prepare(language: RuleLanguage, lists: RuleLists, symmetric: bool = False) -> Masks:
    """Pack the masks of lists of any batch shape.

    A rule matches a transformed view if and only if the rule, transformed back, matches the view itself. So rules are
    transformed here, once, and views never.

    Args:
        language: what the rules are written in.
        lists: RuleLists.
        symmetric: rules also match views that the symmetries of the language transform. Rules are tried in order, each
            as written and then with each symmetry in turn, which also transforms the action.
    """
    cells = [jnp.moveaxis(lists.condition[..., cell], -1, 0) for cell in range(language.num_cells)]  # [R, ...] each
    ways = [(cells, jnp.moveaxis(lists.action, -1, 0))]
    for symmetry in language.symmetries if symmetric else ():
        back = [_mapped(cells[k], np.argsort(symmetry.symbols).tolist()) for k in np.argsort(symmetry.cells)]
        ways.append((back, _mapped(ways[0][1], symmetry.actions)))

    def in_turn(of_way: Sequence[Array]) -> Array:
        """Interleave [R, ...] of each way: [T, ...]."""
        return jnp.stack(of_way, 1).reshape(-1, *of_way[0].shape[1:])

    action = in_turn([way[1] for way in ways]).astype(jnp.int32)
    place = jnp.arange(len(action), dtype=jnp.int32).reshape(-1, *[1] * lists.length.ndim)
    length = lists.length * len(ways)
    return Masks(
        value=in_turn([jnp.stack(_pack(language, way[0]), 1) for way in ways]),
        care=in_turn([jnp.stack(_pack(language, way[0], care=True), 1) for way in ways]),
        choice=jnp.where(place < length, place * len(language.actions) + action, NONE),
        length=length,
        ways=len(ways),
    )


def look(language: RuleLanguage, view: Array) -> tuple[Array, ...]:
    """Pack one view, int8[C], codes that the cells accept, into uint32[] words."""
    return tuple(_pack(language, [view[cell] for cell in range(language.num_cells)]))


def act(language: RuleLanguage, masks: Masks, views: Array, active: Array | None = None) -> tuple[Array, Array]:
    """Choose the actions of lists.

    Args:
        language: what the rules are written in.
        masks: prepared lists of batch shape [P], or [] (one list).
        views: int8[P, B, C], or int8[B, C] for one list: B views for each list, codes that the cells accept.
        active: bool[P, B], which choices matter; None: all. Few of them may take less time.

    Returns:
        int32[P, B], the actions, and int32[P, B], the index of the rule that acts; -1 where none does.
    """
    each = jax.vmap(partial(look, language))  # [B]
    words = each(views) if views.ndim == 2 else jax.vmap(each, out_axes=1)(views)
    busy = jnp.broadcast_to(True if active is None else jnp.moveaxis(active, -1, 0), words[0].shape)
    action, rule = choose(language, masks, words, busy)
    return jnp.moveaxis(action, 0, -1), jnp.moveaxis(rule, 0, -1)


def choose(language: RuleLanguage, masks: Masks, words: Sequence[Array], busy: Array) -> tuple[Array, Array]:
    """Choose the actions of lists of batch shape [...].

    Args:
        language: what the rules are written in.
        masks: prepared lists.
        words: uint32[B, ...] each, views packed by `look`.
        busy: bool[B, ...], which choices matter; few of them may take less time.

    Returns:
        int32[B, ...], the actions, and int32[B, ...], the index of the rule that acts; -1 where none does.
    """
    first = _first(masks, words, busy)
    found, actions = first != NONE, len(language.actions)
    return (
        jnp.where(found, first % actions, language.default),
        jnp.where(found, first // (actions * masks.ways), -1),
    )


def _first(masks: Masks, words: Sequence[Array], busy: Array) -> Array:
    """Return int32[B, ...]: the choice of the first reading that matches each view, or NONE.

    Args:
        masks: of batch shape [...].
        words: uint32[B, ...] each.
        busy: bool[B, ...], where the answer matters.
    """
    total = len(masks.choice)

    def tried(start: Array | int, count: int) -> Array:
        """Return the choice of the first valid reading from `start` on; readings after the last repeat the last."""
        found = jnp.full(words[0].shape, NONE)
        for at in range(count - 1, -1, -1):  # backwards: the first reading is written last, and wins
            named, cares, chosen = (
                lax.dynamic_index_in_dim(x, start + at, keepdims=False, allow_negative_indices=False)
                for x in (masks.value, masks.care, masks.choice)
            )
            met = reduce(operator.and_, (word & cares[w] == named[w] for w, word in enumerate(words)))
            found = jnp.where(met, chosen, found)
        return found

    def waiting(carry: tuple[Array, Array]) -> Array:
        start, first = carry
        return (busy & (first == NONE) & (start < masks.length)).any()

    def onward(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        start, first = carry
        return start + STRIDE, jnp.minimum(first, tried(start, STRIDE))

    if total <= STRIDE:
        return tried(0, total)
    return lax.while_loop(waiting, onward, (jnp.int32(0), jnp.full(words[0].shape, NONE)))[1]


def _mapped(codes: Array, table: Sequence[int]) -> Array:
    """Map codes by a table that changes few of them; DONT_CARE stays."""
    found = codes
    for old, new in enumerate(table):
        if old != new:
            found = jnp.where(codes == old, jnp.int8(new), found)
    return found


def _pack(language: RuleLanguage, cells: Sequence[Array], care: bool = False) -> list[Array]:
    """Pack the codes of each cell, int8[...], into uint32[...] words, as many cells to a word as fit.

    Cells with DONT_CARE are 0. With `care`, cells have ones in all their bits unless they are DONT_CARE.
    """
    words, used = [], WORD
    for codes, accepted in zip(cells, language.accepts, strict=True):
        lowest = min(accepted)
        width = max(1, (max(accepted) - lowest).bit_length())
        if used + width > WORD:
            words.append(jnp.zeros((), jnp.uint32))
            used = 0
        bits = np.uint32((1 << width) - 1) if care else codes.astype(jnp.uint32) - np.uint32(lowest)
        words[-1] |= jnp.where(codes == DONT_CARE, 0, bits << np.uint32(used))
        used += width
    return words
