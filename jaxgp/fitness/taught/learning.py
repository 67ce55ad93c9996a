"""Learning from lessons: the fittest get weights by least squares, and new terms, and hand both on.

Crossover and mutation find the form of a program, and are slow at its numbers. So a few of the fittest are taken as
weighted sums of terms (`jaxgp.fitness.taught.terms`). Their weights are fitted to the values that the teacher gives,
and each gets the terms, of many random ones, that explain best what is left. The genotype keeps what was learned:
Lamarckian evolution.

Sources: H. Iba and T. Sato, "Genetic programming with local hill-climbing", PPSN III (1994); M. Keijzer, "Improving
symbolic regression with interval arithmetic and linear scaling", EuroGP 2003; I. Arnaldo, K. Krawiec, U.-M. O'Reilly,
"Multiple regression genetic programming", GECCO 2014; and for new terms S. G. Mallat and Z. Zhang, "Matching pursuits
with time-frequency dictionaries", IEEE Transactions on Signal Processing 41 (1993).

Choices depend on the differences between the moves of one decision alone. So values are taken less their mean in a
decision; and good moves count more than bad ones, which no good player would choose.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import finite, take, where
from jaxgp.fitness.taught import terms
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter import nodes
from jaxgp.interpreter.calls import Features
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.operators import creation, draw
from jaxgp.operators.options import CreationOptions
from jaxgp.players.taught import Learns, Lessons

SHARPNESS = 0.2
"""A move counts exp(-what it loses / SHARPNESS), in units of the teacher's values."""
DAMPING = 4.0
"""Weights stay near what they were: added to the diagonal, as a share of it (K. Levenberg, 1944; D. Marquardt, 1963).
So they follow the mean of several generations, whose lessons differ."""
RIDGE = 1e-4
"""Added to the diagonal for each unit of weight, so that terms which hardly differ keep finite weights."""
TERMS = CreationOptions(method="grow", max_depth=2)
"""Random terms."""
TERM_NODES = 13
"""Nodes of a random term, at most."""
SURE = 12.0
"""A term is added where its share of the residual, squared, exceeds that of a random term by this factor; of 256 random
terms the best has 11."""
ROOM = 24
"""Moves of a lesson for which there is room, on average. Lessons that do not fit are left out."""


class Sample(NamedTuple):
    """The moves of D lessons, side by side: N places, some of them empty."""

    features: Features  # [F, N]
    tree: Array  # int32[N]: which tree values each outcome
    lesson: Array  # int32[N]: D where the place is empty
    value: Array  # float32[N]: what the teacher gives
    weight: Array  # float32[N]: how much each counts; 0 where the place is empty
    lessons: int  # D + 1


def sample(player: Learns, lessons: Lessons) -> Sample:
    """Lay out the moves of lessons [D] side by side."""
    there = lessons.values > -jnp.inf
    count, width = there.shape
    room = count * min(ROOM, width)
    there &= (jnp.cumsum(there.sum(1)) <= room)[:, None]
    place = jnp.nonzero(there.reshape(-1), size=room, fill_value=count * width)[0].astype(jnp.int32)
    used, at = place < count * width, jnp.minimum(place, count * width - 1)
    outcomes = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[at], lessons.outcomes)
    features, tree = player.looks(take(lessons.states, at // width), outcomes)
    loss = lessons.values.max(1, keepdims=True) - jnp.where(there, lessons.values, 0)
    weight = jnp.where(used, jnp.exp(-loss.reshape(-1)[at] / SHARPNESS), 0)
    lesson = jnp.where(used, at // width, count)
    value = jnp.where(used, lessons.values.reshape(-1)[at], 0)
    return Sample(features, tree, lesson, value, weight, count + 1)


def centre(sample: Sample, numbers: Array) -> Array:
    """Return float32[K, N]: numbers [K, N] less their mean in each lesson, times the roots of their weights."""
    total = jnp.maximum(jax.ops.segment_sum(sample.weight, sample.lesson, sample.lessons), 1e-9)
    sums = jax.ops.segment_sum((numbers * sample.weight).T, sample.lesson, sample.lessons)
    return (numbers - (sums / total[:, None])[sample.lesson].T) * jnp.sqrt(sample.weight)


def learn_terms(
    key: Array, primitives: PrimitiveSet, program: Programs, sample: Sample, new: int, candidates: int, most: int
) -> Programs:
    """Return an individual [T, L] that has learned from lessons.

    Args:
        key: typed key[], of random terms and where they are added.
        primitives: the set, with sums.
        program: the individual.
        sample: the lessons.
        new: terms that each tree gets.
        candidates: random terms that each of them is chosen among.
        most: terms of a tree that are fitted.
    """
    create_key, place_key = jax.random.split(key)
    drawn = creation.create(create_key, primitives, TERMS, new * candidates, TERM_NODES)
    words = draw.words(place_key, primitives.num_trees, new)
    trees = []
    for t in range(primitives.num_trees):
        made, tree = terms.find(primitives, t), jax.tree.map(lambda x, t=t: x[t], program)
        if made is not None:
            own = sample._replace(weight=jnp.where(sample.tree == t, sample.weight, 0))
            tree, missing = fit_weights(primitives, made, tree, own, most)
            random = jax.tree.map(lambda x, t=t: x[:, t].reshape(new, candidates, *x.shape[2:]), drawn)
            for n in range(new):  # each new term is chosen among candidates of its own
                some = jax.tree.map(lambda x, n=n: x[n], random)
                tree, missing = extend(words[t, n], primitives, made, tree, own, missing, some)
        trees.append(tree)
    both: Programs = jax.tree.map(lambda *x: jnp.stack(x), *trees)
    return both


def fit_weights(
    primitives: PrimitiveSet, made: terms.Sum, tree: Programs, sample: Sample, most: int
) -> tuple[Programs, Array]:
    """Fit the weights of the terms of a program [L]; one without terms becomes a term, and a loose part gets a weight.

    Returns:
        The program, and float32[N]: what it still misses of the teacher's values, `centre`.
    """
    bare = terms.terms(primitives, made, tree, 1).node[0] == tree.capacity
    tree = terms.weigh_leaf(primitives, made, where(bare, terms.as_term(made, tree), tree))
    found, values = terms.terms(primitives, made, tree, most), nodes.values(primitives, tree, sample.features)
    factors = jnp.where(
        (found.factor < tree.capacity)[:, None], values[jnp.minimum(found.factor, tree.capacity - 1)], 0
    )
    factors = centre(sample, finite(factors))
    missing = finite(centre(sample, (sample.value - values[tree.length - 1])[None])[0])
    square = factors @ factors.T
    # What has just become a term has no weight yet that it should stay near to.
    held = jnp.where(bare, 0, DAMPING) * jnp.diag(square) + _ridge(sample)
    step = finite(jnp.linalg.solve(square + jnp.diag(held), factors @ missing))
    return terms.with_weights(made, tree, found, found.weight + step), missing - step @ factors


def extend(
    word: Array,
    primitives: PrimitiveSet,
    made: terms.Sum,
    tree: Programs,
    sample: Sample,
    missing: Array,
    candidates: Programs,
) -> tuple[Programs, Array]:
    """Add to a program [L] the candidate, of [C, l], that explains most of its residual, if that passes `SURE`.

    Returns:
        The program, and float32[N]: what it still misses.
    """
    said = centre(sample, finite(evaluate(primitives, plan(primitives, candidates), sample.features)))
    size, slope = (said**2).sum(1) + _ridge(sample), said @ missing
    explained = slope**2 / size
    best = jnp.argmax(explained)
    sure = explained[best] * (sample.weight > 0).sum() > SURE * (missing**2).sum()
    weight = jnp.where(sure, slope[best] / size[best], 0)
    term = jax.tree.map(lambda x: _wide(x[best], tree.capacity), candidates)
    more = terms.with_term(word, primitives, made, tree, term, weight)
    return where(sure, more, tree), missing - weight * said[best]


def _ridge(sample: Sample) -> Array:
    return RIDGE * sample.weight.sum() + 1e-9


def _wide(field: Array, capacity: int) -> Array:
    """Return [L]: a field of a small program [l] with padding; other fields stay."""
    return field if field.ndim == 0 else jnp.pad(field, (0, capacity - len(field)))
