"""A network that values moves of chess by the terminals of programs, to see how much these know of a decision.

It has two hidden layers, and learns by Adam that the sum of the chances of the best moves be high, where the chance of
a move is the softmax of its value over the moves of the decision.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from jaxgp.fitness.taught.decisions import Seen

WIDTH = 48
"""Of a hidden layer."""
EPOCHS = 20
BATCH = 256
"""Decisions of a step."""
RATE = 3e-3
"""The first step size of Adam; it falls to 0 as a cosine does."""


def values(network: Any, inputs: Array) -> Array:
    """Return float32[D, W], the values of moves of which the terminals are float32[D, W, F]."""
    for layer, (weights, bias) in enumerate(network):
        inputs = (jax.nn.relu(inputs) if layer else inputs) @ weights + bias
    return inputs[..., 0]


def kept_by_network(learned: Seen, asked: Seen, terminals: int, seed: int) -> np.ndarray:
    """Learn from some decisions and return bool[D]: whether a best move is chosen in others.

    Args:
        learned: the decisions that it learns from.
        asked: those that it is asked about.
        terminals: how many there are; the features beyond them are left out. One tree, so that `tree` is 0 or 1.
        seed: of its weights, and of the order of decisions.
    """
    count = len(learned.best)
    scale = np.maximum(1, np.abs(np.asarray(learned.features)).max((0, 2)))[:terminals]

    def inputs(seen: Seen) -> Array:
        return jnp.moveaxis(jnp.asarray(seen.features)[:, :terminals], 1, 2) / scale

    def scores(network: Any, inputs: Array, there: Array) -> Array:
        return jnp.where(there, values(network, inputs), -1e9)

    def loss(network: Any, inputs: Array, there: Array, best: Array) -> Array:
        chances = jax.nn.log_softmax(scores(network, inputs, there))
        return -jax.nn.logsumexp(jnp.where(best, chances, -1e9), axis=-1).mean()

    weights, order = jax.random.split(jax.random.key(seed))
    shapes = [(terminals, WIDTH), (WIDTH, WIDTH), (WIDTH, 1)]
    keys = jax.random.split(weights, len(shapes))
    network = [
        (jax.random.normal(key, shape) * (2 / shape[0]) ** 0.5, jnp.zeros(shape[1]))
        for key, shape in zip(keys, shapes, strict=True)
    ]
    steps = count // BATCH
    rule = optax.adam(optax.cosine_decay_schedule(RATE, EPOCHS * steps))
    every = inputs(learned), jnp.asarray(learned.tree == 0), jnp.asarray(learned.best)

    def step(carry: Any, at: Array) -> tuple[Any, None]:
        network, memory = carry
        slopes = jax.grad(loss)(network, *(x[at] for x in every))
        change, memory = rule.update(slopes, memory)
        return (optax.apply_updates(network, change), memory), None

    def epoch(carry: Any, key: Array) -> tuple[Any, None]:
        places = jax.random.permutation(key, count)[: steps * BATCH].reshape(steps, BATCH)
        return jax.lax.scan(step, carry, places)[0], None

    run = jax.jit(lambda carry: jax.lax.scan(epoch, carry, jax.random.split(order, EPOCHS))[0])
    network = run((network, rule.init(network)))[0]
    chosen = scores(network, inputs(asked), jnp.asarray(asked.tree == 0)).argmax(1)
    return np.asarray(asked.best)[np.arange(len(asked.best)), np.asarray(chosen)]
