"""Ordered rule lists: what a rule can say (`RuleLanguage`), and the lists themselves as arrays.

    IF every condition of the mask holds THEN take the action; the first such rule of the list acts

A player sees a view: one code for every cell of a grid around it. A rule has a mask, one condition for every cell,
and an action. A condition names one code, or is DONT_CARE and always true. Rules from `length` on are padding: all
fields zero, so that equal lists are equal arrays. Functions here take one list; callers vmap.

After the "strategies" of the game of Walls (COEN 352, Concordia University, final project, 2016).
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

DONT_CARE = -1
"""The condition that is always true."""
ANY = "-"
"""DONT_CARE in the text form."""


@dataclass(frozen=True)
class Symmetry:
    """A reflection or rotation of the view: with symmetry, a rule also matches views transformed by it.

    Attributes:
        cells: cell k of the transformed view shows what cell `cells[k]` of the view does; a permutation.
        symbols: `symbols[s]` is what code s becomes; a permutation.
        actions: `actions[a]` is the action to take when a rule with action a matches the transformed view; a
            permutation.
    """

    cells: tuple[int, ...]
    symbols: tuple[int, ...]
    actions: tuple[int, ...]


@dataclass(frozen=True)
class RuleLanguage:
    """What rules can say: the cells of a view, the conditions of each cell, and the actions.

    A code is an index into `symbols`, an action an index into `actions`. Cells are numbered row by row.

    Attributes:
        name: names the language in champion files.
        shape: rows and columns of the view; C is their product.
        symbols: the text of each of the K codes. Codes that no cell accepts together may share a text.
        accepts: for each cell, the codes that it can show and a condition can name, apart from DONT_CARE; at least one.
        actions: the names of the actions; at least two.
        default: the action when no rule is valid.
        symmetries: transformations of a view, for matching with symmetry.
        legend: how people read a rule.

    Raises:
        ValueError: two names cannot be told apart, a table has the wrong size, or a symmetry is not one.
    """

    name: str
    shape: tuple[int, int]
    symbols: tuple[str, ...]
    accepts: tuple[tuple[int, ...], ...]
    actions: tuple[str, ...]
    default: int = 0
    symmetries: tuple[Symmetry, ...] = ()
    legend: str = ""

    def __post_init__(self) -> None:
        if len(self.accepts) != self.num_cells or self.num_cells == 0:
            raise self._error(f"{len(self.accepts)} cells do not make {self.shape[0]} x {self.shape[1]}")
        for text in (*self.symbols, *self.actions):
            if re.search(r"[\s/:;]", text) or text in ("", ANY):
                raise self._error(f"{text!r} cannot be a name: no spaces, no / : ; and not {ANY}")
        for cell, codes in enumerate(self.accepts):
            if not codes or not all(0 <= code < len(self.symbols) for code in codes):
                raise self._error(f"cell {cell} needs codes from 0 to {len(self.symbols) - 1}, has {codes}")
            if len({self.symbols[code] for code in codes}) < len(codes):
                raise self._error(f"cell {cell} has two codes of one name: {[self.symbols[code] for code in codes]}")
        if len(set(self.actions)) < max(2, len(self.actions)):
            raise self._error(f"at least two actions, all different, are needed: {self.actions}")
        if not 0 <= self.default < len(self.actions):
            raise self._error(f"default={self.default}: accepted: 0 to {len(self.actions) - 1}")
        if max(len(self.symbols), len(self.actions)) > 127:
            raise self._error("at most 127 symbols and 127 actions fit 8 bits")
        for symmetry in self.symmetries:
            self._check(symmetry)

    def _error(self, message: str) -> ValueError:
        return ValueError(f"rule language {self.name}: {message}")

    def _check(self, symmetry: Symmetry) -> None:
        sizes = {"cells": self.num_cells, "symbols": len(self.symbols), "actions": len(self.actions)}
        for field, size in sizes.items():
            if sorted(getattr(symmetry, field)) != list(range(size)):
                raise self._error(f"{field} of a symmetry are not a permutation of 0 to {size - 1}")
        for cell, source in enumerate(symmetry.cells):
            if {symmetry.symbols[code] for code in self.accepts[source]} != set(self.accepts[cell]):
                raise self._error(f"a symmetry takes cell {source} to cell {cell}, which accepts other codes")

    @property
    def num_cells(self) -> int:
        return self.shape[0] * self.shape[1]

    @cached_property
    def options(self) -> np.ndarray:
        """int8[C, N]: the conditions of each cell, DONT_CARE first; rows are filled up with DONT_CARE."""
        table = np.full((self.num_cells, 1 + max(map(len, self.accepts))), DONT_CARE, np.int8)
        for row, codes in zip(table, self.accepts, strict=True):
            row[1 : 1 + len(codes)] = codes
        return table

    @cached_property
    def num_options(self) -> np.ndarray:
        """int32[C]: conditions of each cell, DONT_CARE included."""
        return np.array([1 + len(codes) for codes in self.accepts], np.int32)

    @cached_property
    def version(self) -> str:
        """Twelve hexadecimal digits that change when the meaning of arrays or texts changes."""
        meaning = (self.name, self.shape, self.symbols, self.accepts, self.actions, self.default)
        return hashlib.sha256(repr(meaning).encode()).hexdigest()[:12]


@struct.dataclass
class RuleLists:
    """Rule lists of any batch shape: one list as below, or a population with a leading axis [P]."""

    condition: Array  # int8[..., R, C]: the code that each cell has to show, or DONT_CARE; 0 in padding
    action: Array  # int8[..., R]: index of the action; 0 in padding
    length: Array  # int32[...]: live rules, first in order

    @property
    def capacity(self) -> int:
        """Rules that a list can hold, R."""
        return self.action.shape[-1]


def live(one: RuleLists) -> Array:
    """Return bool[R]: the rules in use."""
    return jnp.arange(one.capacity) < one.length


def trim(condition: Array, action: Array, length: Array) -> RuleLists:
    """Make a list of the first `length` of the rules given, int8[R, C] and int8[R]."""
    kept = jnp.arange(action.shape[0]) < length
    return RuleLists(
        condition=jnp.where(kept[:, None], condition, 0).astype(jnp.int8),
        action=jnp.where(kept, action, 0).astype(jnp.int8),
        length=jnp.asarray(length, jnp.int32),
    )


def insert(one: RuleLists, place: Array, condition: Array, action: Array) -> RuleLists:
    """Put a rule, int8[C] and int8[], at a place from 0 to `length`; later rules move down.

    A full list loses its last rule. At place R the new rule itself is lost, so check `length` before.
    """
    index = jnp.arange(one.capacity)

    def put(rules: Array, new: Array) -> Array:
        at = index.reshape(-1, *[1] * (rules.ndim - 1))
        return jnp.where(at < place, rules, jnp.where(at == place, new, jnp.roll(rules, 1, axis=0)))

    length = jnp.minimum(one.length + 1, one.capacity)
    return trim(put(one.condition, condition), put(one.action, action), length)


def remove(one: RuleLists, place: Array) -> RuleLists:
    """Take away the rule at a place below `length`; later rules move up."""
    index = jnp.arange(one.capacity)
    condition = jnp.where(index[:, None] < place, one.condition, jnp.roll(one.condition, -1, axis=0))
    action = jnp.where(index < place, one.action, jnp.roll(one.action, -1))
    return trim(condition, action, one.length - 1)


def fault(lists: RuleLists, language: RuleLanguage | None = None) -> str:
    """Say what is wrong with lists that were read from a file, on the host; empty: nothing.

    Args:
        lists: of any batch shape.
        language: what they are written in; None: it is not known, so only the form of the arrays is checked.
    """
    condition, action, length = (np.asarray(one) for one in (lists.condition, lists.action, lists.length))
    if ((length < 0) | (length > action.shape[-1])).any():
        return f"length: accepted: 0 to {action.shape[-1]}"
    live = np.arange(action.shape[-1]) < length[..., None]
    if condition[~live].any() or action[~live].any():
        return "padding: accepted: zeros"
    if language is None:
        return ""
    if ((action < 0) | (action >= len(language.actions))).any():
        return f"action: accepted: 0 to {len(language.actions) - 1}"
    for cell, codes in enumerate(language.accepts):
        if not np.isin(condition[..., cell][live], (DONT_CARE, *codes)).all():
            return f"condition of cell {cell}: accepted: {', '.join(map(str, (DONT_CARE, *codes)))}"
    return ""
