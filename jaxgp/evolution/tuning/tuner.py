"""Tuning: all numbers of all programs take steps of a gradient method, before they are measured.

Crossover and mutation find the form of a program, and are slow at its numbers. A gradient says at once where all of
them should go (A. Topchy and W. Punch, "Faster genetic programming based on local gradient search of numeric leaf
values", GECCO 2001; M. Kommenda et al., "Effects of constant optimization by nonlinear least squares minimization in
symbolic regression", GECCO 2013 companion; Operon, B. Burlacu et al., 2020, has reverse mode on trees and a probability
of inheriting; PySR, M. Cranmer, arXiv:2305.01582, optimises the constants of a share of its population). Those take
steps of Levenberg-Marquardt or BFGS, which ask for a loss that is a sum of squares, or for a line search. Adam asks for
the gradient alone (D. Kingma and J. Ba, arXiv:1412.6980), so that any loss will do, and all programs step together.

Whether children inherit what was learned is the question of Lamarck and Baldwin (G. Hinton and S. Nowlan, "How learning
can guide evolution", Complex Systems 1, 1987; D. Whitley, V. Gordon, K. Mathias, PPSN III, 1994).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import optax
from jax import Array, lax

from jaxgp.arrays import in_groups, take
from jaxgp.contracts import Differentiable, Memory, Metrics
from jaxgp.errors import reject
from jaxgp.evolution.tuning.options import TuneOptions
from jaxgp.fitness.evaluation import child
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.nodes import unpack_features
from jaxgp.interpreter.reverse.gradients import Examples, Loss, loss_and_slopes, losses, memory_bytes, plan_tapes
from jaxgp.interpreter.reverse.tape import unfit

TUNE = 2
"""The child of a generation's key that tuning takes."""
TOGETHER = 16
"""Programs that a CPU tunes side by side, those of like length.

Measured on an EPYC with 1 MiB of L2 cache for each core: 8 to 32 are alike, 512 take three times as long."""
ROOM = 2**30
"""Bytes of rows that another device fills at a time."""


class Learner(ABC):
    """How individuals learn their numbers."""

    @property
    @abstractmethod
    def options(self) -> TuneOptions:
        """How many steps they take, and how large these are."""

    @abstractmethod
    def learn(
        self, key: Array, population: Programs, fitness: Differentiable[Memory], memory: Memory, generation: Array
    ) -> tuple[Programs, Metrics]:
        """Return programs [P, T, L] that have learned, and metrics.

        Args:
            key: of the generation.
            population: [P, T, L].
            fitness: has the loss.
            memory: of the fitness.
            generation: int32[].
        """


@dataclass(frozen=True)
class Tuner(Learner):
    """Lets programs take steps downhill.

    Attributes:
        primitives: the set that they are written in.
        asked: how many steps, and how large.

    Raises:
        UsageError: no gradient reaches the numbers of these programs.
    """

    primitives: PrimitiveSet
    asked: TuneOptions

    @property
    def options(self) -> TuneOptions:
        """What was asked for."""
        return self.asked

    def __post_init__(self) -> None:
        if why := unfit(self.primitives):
            reject(
                "algorithm.tune.steps", self.options.steps, f"0 with the primitive set {self.primitives.name}: {why}"
            )

    def learn(
        self, key: Array, population: Programs, fitness: Differentiable[Memory], memory: Memory, generation: Array
    ) -> tuple[Programs, Metrics]:
        """Return programs [P, T, L] with the numbers of the least loss that they met, and metrics; see `Learner`."""
        del generation
        draw_key, examples_key = jax.random.split(child(key, TUNE))
        count = len(population.value)
        number = max(1, round(self.options.share * count))
        who = jax.random.permutation(draw_key, count)[:number] if number < count else jnp.arange(count)
        learners = take(population, who)
        examples = fitness.examples(examples_key, learners, memory)
        one = memory_bytes(self.primitives, 1, population.capacity, examples.tree.shape[-1])
        most = max(1, min(number, ROOM // one))
        run = partial(self._in_chunks, fitness.loss, fitness.own)
        value, before, after = lax.platform_dependent(
            learners,
            examples,
            cpu=partial(run, together=min(most, TOGETHER)),
            default=partial(run, together=most),
        )
        tuned = replace(population, value=population.value.at[who].set(value))
        return tuned, {"tuned": (after < before).sum(dtype=jnp.int32)}

    def _in_chunks(
        self, loss: Loss, own: bool, programs: Programs, examples: Examples, together: int
    ) -> tuple[Array, Array, Array]:
        """Tune so many programs at a time; return float32[P, T, L], their numbers, and the losses before and after.

        The examples are `own` ones of each program, [P, K, ...], or [K, ...].
        """

        def descend(some: tuple[Programs, Examples | None]) -> tuple[Array, Array, Array]:
            return self._descend(loss, some[0], examples if some[1] is None else by_block(some[1]))

        return in_groups(descend, (programs, examples if own else None), programs.length.sum(-1), together)

    def _descend(self, loss: Loss, programs: Programs, examples: Examples) -> tuple[Array, Array, Array]:
        """Take all steps; return float32[C, T, L], the best numbers, and float32[C], the losses before and after."""
        asked, tapes = self.options, plan_tapes(self.primitives, programs)
        code = programs.opcode.astype(jnp.int32)
        low, high = (jnp.asarray(bound)[code] for bound in self.primitives.bounds)
        moves = jnp.asarray(self.primitives.tunable)[code] & (programs.size > 0)
        steps = optax.adam(optax.exponential_decay(asked.rate, max(1, asked.steps - 1), asked.decay))
        rule = steps if asked.clip is None else optax.chain(optax.clip_by_global_norm(asked.clip), steps)

        Best = tuple[Array, Array]

        def keep(best: Best, value: Array, lost: Array) -> Best:
            better = lost < best[1]  # not where it is no number
            return jnp.where(better[:, None, None], value, best[0]), jnp.where(better, lost, best[1])

        def step(
            carry: tuple[Array, optax.OptState, Best], _: None
        ) -> tuple[tuple[Array, optax.OptState, Best], Array]:
            value, state, best = carry
            lost, slopes = loss_and_slopes(
                self.primitives,
                tapes,
                replace(programs, value=value),
                examples,
                loss,
            )
            best = keep(best, value, lost)
            slopes = jnp.where(moves & jnp.isfinite(slopes), slopes, 0.0)
            change, state = jax.vmap(rule.update)(slopes, state)
            after = jnp.clip(value + change, low, high)
            return (jnp.where(moves & jnp.isfinite(after), after, value), state, best), lost

        start = programs.value, jnp.full(len(code), jnp.inf, jnp.float32)
        first = programs.value, jax.vmap(rule.init)(programs.value), start
        (value, _, best), lost = lax.scan(step, first, None, length=asked.steps)
        end = losses(
            self.primitives,
            tapes,
            replace(programs, value=value),
            examples,
            loss,
        )
        value, least = keep(best, value, end)
        return value, lost[0], least


def by_block(own: Examples) -> Examples:
    """Return own examples of programs, [P, K, ...], as [K, P, ...] with plain features."""
    blocks = jax.tree.map(lambda x: x.swapaxes(0, 1), own)
    return blocks._replace(features=jax.vmap(jax.vmap(unpack_features))(blocks.features))


class Tunes(ABC):
    """A scheme whose individuals may learn their numbers before they are measured."""

    @property
    @abstractmethod
    def tuner(self) -> Learner | None:
        """How they learn; None: they do not."""
