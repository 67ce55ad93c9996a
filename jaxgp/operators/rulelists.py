"""Random rule lists, their recombination and their mutation.

After the strategies of "Walls" (COEN 352, Concordia University, final project, 2016): "random in the context of this
problem means uniformly random". Functions here take one list (or pair of lists), and are pure; callers vmap.

With conditions uniform over all that a cell accepts, a Walls rule over 3 x 3 cells matches one view in 420,000, and
a list nearly always takes its default action. `dont_care` sets the share of conditions that are always true instead;
the others stay uniform.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import where
from jaxgp.genotypes import rulelists
from jaxgp.genotypes.rulelists import DONT_CARE, RuleLanguage, RuleLists
from jaxgp.operators import draw
from jaxgp.operators.options import RuleCreationOptions, RuleMutationOptions
from jaxgp.options import bound

KINDS = tuple(RuleMutationOptions().weights)
"""The kinds of mutation by index."""


def condition_weights(language: RuleLanguage, dont_care: float | None) -> np.ndarray:
    """Return int32[C, N]: how likely each of `language.options` is, relative to the others of its cell."""
    table = np.zeros(language.options.shape, np.int32)
    for row, count in zip(table, language.num_options, strict=True):
        row[:count] = 1
        if dont_care is not None:
            row[0] = round(dont_care * 2**20)
            row[1:count] = round((1 - dont_care) / (count - 1) * 2**20)
    return table


def random_condition(
    word: Array, language: RuleLanguage, weights: np.ndarray, cell: Array, other: Array | int
) -> Array:
    """Turn a word into int8[]: a condition of a cell other than `other`, drawn by weight.

    Where all of them weigh nothing, they are equally likely. To allow every condition, pass an `other` that is no
    condition, such as DONT_CARE - 1.
    """
    options = jnp.asarray(language.options)[cell]
    index = jnp.arange(options.shape[0])
    allowed = (options != other) & (index < jnp.asarray(language.num_options)[cell])
    weight = jnp.where(allowed, jnp.asarray(weights)[cell], 0)
    return options[draw.weighted(word, jnp.where(weight.any(), weight, allowed.astype(jnp.int32)))]


def random_rule(words: Array, language: RuleLanguage, weights: np.ndarray) -> tuple[Array, Array]:
    """Turn the first C + 1 words into a rule, int8[C] and int8[]: conditions by weight, the action uniform."""
    cells = jnp.arange(language.num_cells)
    condition = jax.vmap(lambda word, cell: random_condition(word, language, weights, cell, DONT_CARE - 1))(
        words[1 : 1 + language.num_cells], cells
    )
    return condition, draw.below(words[0], len(language.actions)).astype(jnp.int8)


def create(key: Array, language: RuleLanguage, config: RuleCreationOptions, capacity: int) -> RuleLists:
    """Make a random list.

    Raises:
        UsageError: a list may be longer than the capacity.
    """
    bound(config, "max_rules", "creation.", high=capacity, why="capacity")
    weights = condition_weights(language, config.dont_care)
    length_key, rule_key = jax.random.split(key)
    length = config.min_rules + draw.below(draw.words(length_key), config.max_rules - config.min_rules + 1)
    words = draw.words(rule_key, capacity, language.num_cells + 1)
    return rulelists.trim(*jax.vmap(lambda word: random_rule(word, language, weights))(words), length)


def recombine(key: Array, first: RuleLists, second: RuleLists) -> tuple[RuleLists, RuleLists]:
    """Deal the rules of two parents between two children.

    For each place a fair coin decides which child gets the rule that the first parent has there; the other child gets
    the rule of the second parent. Beyond the end of the shorter parent the rules of the longer one are dealt likewise.
    Children keep the order of the places and close the gaps.

    So every rule of either parent is in exactly one child, none is altered, and a child is never longer than the
    longer parent: the capacity cannot be exceeded. A child may be empty; short parents make this most likely.
    """
    coins = draw.below(draw.words(key, first.capacity), 2) == 0

    def child(own: Array) -> RuleLists:
        condition = jnp.where(own[:, None], first.condition, second.condition)
        action = jnp.where(own, first.action, second.action)
        kept = jnp.where(own, rulelists.live(first), rulelists.live(second))
        order = jnp.argsort(~kept, stable=True)
        return rulelists.trim(condition[order], action[order], kept.sum(dtype=jnp.int32))

    return child(coins), child(~coins)


def add(words: Array, language: RuleLanguage, weights: np.ndarray, one: RuleLists) -> RuleLists:
    """Insert a random rule at one of the length + 1 places; a full list stays as it is. Takes C + 2 words."""
    place = draw.below(words[0], one.length + 1)
    made = rulelists.insert(one, place, *random_rule(words[1:], language, weights))
    return where(one.length < one.capacity, made, one)


def delete(words: Array, one: RuleLists) -> RuleLists:
    """Delete a random rule; a list without rules stays as it is. Takes one word."""
    return where(one.length > 0, rulelists.remove(one, draw.below(words[0], one.length)), one)


def reorder(words: Array, one: RuleLists) -> RuleLists:
    """Shift a random rule down by 1 to length - 1 places, past the end to the start. Takes two words.

    These are all shifts, since down by k places is up by length - k places on a circle. The other rules keep their
    order. A list of fewer than two rules stays as it is.
    """
    at = draw.below(words[0], one.length)
    to = (at + 1 + draw.below(words[1], one.length - 1)) % jnp.maximum(one.length, 1)
    moved = rulelists.insert(rulelists.remove(one, at), to, one.condition[at], one.action[at])
    return where(one.length > 1, moved, one)


def modify(words: Array, language: RuleLanguage, weights: np.ndarray, one: RuleLists) -> RuleLists:
    """Change a random rule: with equal chances its action, or its condition in a random cell. Takes five words.

    The new action is uniform over the others; the new condition is drawn like any other, but differs from the old.
    A list without rules stays as it is.
    """
    at = draw.below(words[0], one.length)
    acts = draw.below(words[1], 2) == 0
    actions = len(language.actions)
    action = (one.action[at] + 1 + draw.below(words[2], actions - 1)) % actions
    cell = draw.below(words[3], language.num_cells)
    condition = random_condition(words[4], language, weights, cell, one.condition[at, cell])
    here = jnp.arange(one.capacity) == at
    there = here[:, None] & (jnp.arange(language.num_cells) == cell)
    changed = RuleLists(
        condition=jnp.where(there & ~acts, condition, one.condition),
        action=jnp.where(here & acts, action.astype(jnp.int8), one.action),
        length=one.length,
    )
    return where(one.length > 0, changed, one)


def mutate(
    key: Array, language: RuleLanguage, config: RuleMutationOptions, dont_care: float | None, one: RuleLists
) -> tuple[RuleLists, Array, Array]:
    """Mutate a list once, by a kind that is drawn by weight.

    Args:
        key: typed key[].
        language: what the rules are written in.
        config: weights of the kinds.
        dont_care: as in `RuleCreationOptions`, for the conditions of new rules and for new conditions.
        one: a list.

    Returns:
        The list; int32[], the kind, an index into KINDS; and bool[], whether the list could be mutated so: there is
        nothing to add to a full list, nothing to delete or modify in an empty one, nothing to re-order below two.
    """
    shares = np.array(list(config.weights.values()), np.float64)
    weights = condition_weights(language, dont_care)
    words = draw.words(key, language.num_cells + 7)
    whole = np.ceil(shares / shares.sum() * 2**20).astype(np.int32)  # a kind with any weight stays possible
    kind = draw.weighted(words[0], jnp.asarray(whole))
    made = [
        add(words[1:], language, weights, one),
        delete(words[1:], one),
        reorder(words[1:], one),
        modify(words[1:], language, weights, one),
    ]
    possible = jnp.stack([one.length < one.capacity, one.length > 0, one.length > 1, one.length > 0])
    return jax.tree.map(lambda *kinds: jax.lax.select_n(kind, *kinds), *made), kind, possible[kind]
