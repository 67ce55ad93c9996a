"""Sums of gates: their numbers learn, the fittest stay, and children get gates of others, or new ones.

All numbers take steps of Adam, as with `jaxgp.evolution.tuning`. But programs that are sums of gates are tables of
weights, so values and derivatives are products of matrices. Each step sees other lessons, and the rate falls over the
whole run, by half a cosine (I. Loshchilov and F. Hutter, "SGDR", ICLR 2017, arXiv:1608.03983).

Terms are left out by what the loss is expected to change: half the square of the weight times the second derivative,
for which the mean square of the first stands, which Adam has (Y. LeCun, J. Denker, S. Solla, "Optimal brain damage",
NIPS 1990). Their number falls quickly at first, then slowly (M. Zhu and S. Gupta, "To prune, or not to prune", 2017,
arXiv:1710.01878). What was left out stays so.
"""

from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array, lax

from jaxgp.arrays import comparable, take, where
from jaxgp.contracts import Differentiable, Memory, Metrics
from jaxgp.evolution.generational import BREED, Elitist
from jaxgp.evolution.tuning.options import TuneOptions
from jaxgp.evolution.tuning.tuner import TUNE, Learner
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes import gates
from jaxgp.genotypes.gates import Form
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import Features
from jaxgp.interpreter.nodes import read_leaves, unpack_features
from jaxgp.interpreter.reverse.gradients import Examples, Loss
from jaxgp.schemes.gates import GatesOptions

VALUE = 0.1
"""Weights of the value of a new gate, as a share of those of its condition: it changes little at first."""
Weights = tuple[Array, ...]
"""Of each tree float32[..., 2 K + 1, F]: the conditions, the values, and the rest."""


@dataclass(frozen=True)
class GateTuner(Learner):
    """Lets sums of gates take steps downhill, and leave out terms.

    Attributes:
        primitives: the set, with gates.
        asked: of the algorithm.
    """

    primitives: PrimitiveSet
    asked: GatesOptions

    @property
    def options(self) -> TuneOptions:
        """Those of tuning."""
        return self.asked.tune

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Of each tree."""
        found = [gates.form(self.primitives, tree, self.asked.gates) for tree in range(self.primitives.num_trees)]
        assert None not in found
        return tuple(one for one in found if one)

    def learn(
        self, key: Array, population: Programs, fitness: Differentiable[Memory], memory: Memory, generation: Array
    ) -> tuple[Programs, Metrics]:
        """Return programs [P, T, L] after the steps of a generation, and metrics; see `Tuner.learn`."""
        asked = self.options
        weights = self.read(population)
        there = [one != 0 for one in weights]
        span = self.asked.generations * asked.steps
        rate = optax.cosine_decay_schedule(asked.rate, max(1, span - 1), asked.decay)
        adam = optax.scale_by_adam()
        rule = adam if asked.clip is None else optax.chain(optax.clip_by_global_norm(asked.clip), adam)
        judge = jax.vmap(jax.value_and_grad(self._lost), (0, None, None))

        def step(carry: tuple[Weights, optax.OptState], number: Array) -> tuple[tuple[Weights, optax.OptState], Array]:
            weights, state = carry
            examples = fitness.examples(jax.random.fold_in(child(key, TUNE), number), population, memory)
            lost, slopes = judge(weights, examples, fitness.loss)
            slopes = tuple(jnp.where(some & jnp.isfinite(x), x, 0.0) for some, x in zip(there, slopes, strict=True))
            change, state = jax.vmap(rule.update)(slopes, state)
            now = rate(generation * asked.steps + number)
            weights = tuple(
                jnp.clip(x - now * jnp.where(some, by, 0.0), -form.high, form.high)
                for form, some, x, by in zip(self.forms, there, weights, change, strict=True)
            )
            return (weights, state), lost

        start = weights, jax.vmap(rule.init)(weights)
        (weights, state), lost = lax.scan(step, start, jnp.arange(asked.steps))
        second = optax.tree.get(state, "nu")
        merits = tuple(jnp.square(x) * by for x, by in zip(weights, second, strict=True))
        left = (generation + 1.0) / self.asked.generations
        share = self.asked.terms + (1 - self.asked.terms) * (1 - jnp.minimum(left, 1.0)) ** 3
        return self.write(weights, merits, share), {"tuned_loss": lost[-asked.steps // 4 :].mean(0).min()}

    def _lost(self, weights: Weights, examples: Examples, loss: Loss) -> Array:
        """Return float32[]: the mean loss of a program over examples."""
        values = jnp.zeros(examples.tree.size)
        flat = jnp.moveaxis(examples.features, 1, 0).reshape(examples.features.shape[1], -1)
        for tree, (form, weight) in enumerate(zip(self.forms, weights, strict=True)):
            found = gates.values(form, weight, look(self.primitives, form, flat))
            values = jnp.where(examples.tree.reshape(-1) == tree, found, values)
        return jax.vmap(loss)(values.reshape(examples.tree.shape), examples.known).mean()

    def read(self, population: Programs) -> Weights:
        """Return the weights of programs [P, T, L]."""
        trees = [jax.tree.map(lambda x, t=t: x[:, t], population) for t in range(len(self.forms))]
        return tuple(jax.vmap(lambda one, f=f: gates.read(f, one))(x) for f, x in zip(self.forms, trees, strict=True))

    def write(self, weights: Weights, merits: Weights, share: Array | float) -> Programs:
        """Return programs [P, T, L] of weights, with a share of all terms at most, those of the greatest merit."""
        capacity, trees = self.asked.capacity, []
        for form, weight, merit in zip(self.forms, weights, merits, strict=True):
            most = jnp.minimum(jnp.ceil(share * form.terms).astype(jnp.int32), form.room(capacity))
            # What Adam has not moved has no second moment, and is as good as nothing.
            kept = jax.vmap(lambda one, most=most: gates.keep(one, most))(jnp.where(weight != 0, merit + 1e-30, 0.0))
            weight = jnp.where(kept, weight, 0.0)
            trees.append(jax.vmap(lambda x, form=form: gates.write(form, x, capacity))(weight))
        made: Programs = jax.tree.map(lambda *x: jnp.stack(x, 1), *trees)
        return made


def look(primitives: PrimitiveSet, form: Form, features: Features) -> Array:
    """Return float32[F, B]: what the terminals of terms are in B positions of which programs see `features`."""
    leaf = jnp.ones(len(form.codes), jnp.int16)
    terminals = Programs(jnp.asarray(form.codes, jnp.int16), jnp.asarray(form.numbers), leaf, jnp.int32(len(leaf)))
    read, number = read_leaves(primitives, terminals)
    seen = unpack_features(features)
    return jnp.where((read >= 0)[:, None], seen[jnp.maximum(read, 0)], number[:, None])


@dataclass(frozen=True)
class Gated(Elitist):
    """The fittest stay; children are copies of them, some gates of which are another individual's, or new.

    Attributes:
        primitives: the set, with gates.
        options: of creation, learning and breeding.
    """

    options: GatesOptions

    @cached_property
    def learner(self) -> GateTuner:
        """How individuals are read, written and tuned."""
        return GateTuner(self.primitives, self.options)

    @property
    def tuner(self) -> GateTuner | None:
        """How individuals learn their numbers; None: they do not."""
        return self.learner if self.options.tune.steps else None

    def init(self) -> Array:
        """Return int32[], nothing that matters."""
        return jnp.int32(0)

    def create(self, key: Array, count: int) -> Programs:
        """Return random programs [count, T, L]: random conditions, small values, and no rest."""
        weights = self._new(key, count)
        chance = [jax.random.uniform(jax.random.fold_in(key, 1 + t), x.shape) + 1e-6 for t, x in enumerate(weights)]
        return self.learner.write(weights, tuple(chance), self.options.density)

    def _new(self, key: Array, count: int) -> Weights:
        """Return the weights of random programs [count]."""
        made = []
        for tree, form in enumerate(self.learner.forms):
            drawn = jax.random.normal(jax.random.fold_in(key, 2**16 + tree), (count, form.sums, len(form.codes)))
            scale = np.repeat(np.array([1.0, VALUE, VALUE**2], np.float32), [form.gates, form.gates, 1])
            made.append(jnp.clip(self.options.spread * scale[:, None] * drawn, -form.high, form.high))
        return tuple(made)

    def breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Array
    ) -> tuple[Programs, Array, Metrics]:
        """Return the next population [P, T, L].

        A child's weakest gates, those with the smallest weights in their values, are replaced: each by the gate in its
        place of an individual drawn at random, or by a new one, with equal probability. Their values begin small.
        """
        order = jnp.argsort(-comparable(result.fitness), stable=True)
        elites = self.options.elites
        parents = take(population, order[jnp.arange(self.population) % elites])
        if elites == self.population or not self.options.renewed:
            return parents, memory, {}
        key = child(key, BREED)
        of, others, fresh = self.learner.read(parents), self.learner.read(population), self._new(key, self.population)
        who_key, coin_key = jax.random.split(jax.random.fold_in(key, 0))
        bred = []
        for tree, form in enumerate(self.learner.forms):
            shape = self.population, form.gates
            who = jax.random.randint(jax.random.fold_in(who_key, tree), shape, 0, self.population)
            coin = jax.random.bernoulli(jax.random.fold_in(coin_key, tree), 0.5, shape)
            bred.append(renew(form, self.options.renewed, of[tree], others[tree], fresh[tree], who, coin))
        born = self.learner.write(tuple(bred), tuple(jnp.abs(x) for x in bred), 1.0)
        stays = jnp.arange(self.population) < elites
        return where(stays, parents, born), memory, {}


def renew(form: Form, count: int, of: Array, others: Array, fresh: Array, who: Array, coin: Array) -> Array:
    """Return float32[P, 2 K + 1, F]: the weights of one tree, with other gates in place of the weakest.

    Args:
        form: of the tree, with K gates of sums of F terms.
        count: gates to replace, those with the smallest weights in their values.
        of: float32[P, 2 K + 1, F], the weights of the parents.
        others: those of all individuals, whose gates are taken with small values.
        fresh: those of new individuals.
        who: int32[P, K], whose gate a place gets.
        coin: bool[P, K], whether it gets that one; else a new one.
    """
    first = form.gates
    conditions, values = of[:, :first], of[:, first:-1]
    weak = (jnp.argsort(jnp.argsort(jnp.abs(values).sum(-1), axis=-1), axis=-1) < count)[..., None]
    at = jnp.arange(first)
    take_theirs = coin[..., None]
    condition = jnp.where(take_theirs, others[who, at], fresh[:, :first])
    value = jnp.where(take_theirs, VALUE * others[who, first + at], fresh[:, first:-1])
    return jnp.concatenate([jnp.where(weak, condition, conditions), jnp.where(weak, value, values), of[:, -1:]], 1)
