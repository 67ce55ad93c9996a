"""Evolve programs that make moves, as scripts/train.py does, while plain C++ makes the moves: faster on a CPU.

    python scripts/studies/mate/programs.py experiment=mate_again seed=0 hydra.run.dir=outputs/again_0

Options, records, checkpoints and champions are those of scripts/train.py, and either goes on with a run of the other:
`rivals/plain` searches as the lanes do, to the node. A generation waits for one core; give each run one of its own.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.mate import language, notation, roles
from envs.mate.rules import Mate
from jaxgp.arrays import take
from jaxgp.contracts import Prover, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import print_program
from jaxgp.interpreter.frames import most_frames
from jaxgp.interpreter.machine import MATE
from jaxgp.players.problems.prover import ProgramProver
from jaxgp.search.proofs.claims import Claims
from jaxgp.spec import Spec
from jaxgp.train.command import main
from rivals.plain import mate

KINDS = {"chosen": np.int32, "score": np.float32, "nodes": np.int32, "truncated": np.bool_, "deepest": np.int32}
"""What is kept of `rivals.plain.mate.Found`."""
Plans = tuple[Programs, Array]
"""Programs [P, 1, L], and bool[P]: which the frame machine would run."""


@dataclass(frozen=True)
class PlainProver(Prover[Plans]):
    """A `Prover`: programs as `ProgramProver` runs them, whose moves `rivals/plain` makes, one pair after the other.

    Attributes:
        primitives: the language.
        problem: the rules.
        lanes: would run the same programs.
        words: how functions are read, in the words of `rivals.plain.mate.run`.
        limit: the most nodes of a search.
    """

    proves: ClassVar[bool] = False

    primitives: PrimitiveSet
    problem: Mate
    lanes: ProgramProver
    words: tuple[str, ...] = ()
    limit: int = ProgramProver.limit

    def prepare(self, programs: Programs) -> Plans:
        """Return programs [P, 1, L], and which of them need no more frames than a lane has."""
        return programs, most_frames(self.lanes.prepare(programs), self.lanes.deepest) <= self.lanes.frames

    def prove(self, plans: Plans, whose: Array, states: States, limits: Array) -> Claims:
        """Run programs `whose` (int32[Q]) on problems [Q]; see `jaxgp.contracts.Prover`."""
        queue = len(limits)
        shapes = [jax.ShapeDtypeStruct((queue,), kind) for kind in KINDS.values()]
        chosen, score, nodes, truncated, deepest = jax.pure_callback(
            self._asked, shapes, *plans, whose, states, limits, vmap_method="sequential"
        )
        return Claims(
            chosen=chosen,
            scores=score[:, None],
            solved=score >= MATE,
            refuted=jnp.zeros(queue, bool),
            nodes=nodes,
            distinct=jnp.full(queue, -1),
            truncated=truncated,
            deepest=deepest,
        )

    def _asked(self, *given: Any) -> list[np.ndarray]:
        """Return what `KINDS` names, of each pair [Q]; -1, -inf and 0 where a program is not run."""
        programs, fits, whose, states, limits = jax.tree.map(np.asarray, given)
        at = np.flatnonzero((limits > 0) & fits[whose])
        texts, own = _distinct(whose[at], lambda n: print_program(self.primitives, take(programs, whose[at[n]])))
        every = np.concatenate([x.reshape(len(limits), -1) for x in jax.tree.leaves(states)], 1)
        names = np.unique(every, axis=0, return_inverse=True)[1].reshape(-1)
        posed, which = _distinct(names[at], lambda n: notation.text_of(self.problem, take(states, at[n])))
        lengths = [int(n) for n in self.problem.left(take(states, at))]
        left = [allowed(self.lanes, n) for n in lengths]
        pairs = list(zip(own, which, left, limits[at].tolist(), lengths, strict=True))
        found = mate.run(texts, posed, pairs, self.words)
        rest = {"chosen": -1, "score": -np.inf}
        made: list[np.ndarray] = [np.full(len(limits), rest.get(name, 0), kind) for name, kind in KINDS.items()]
        for values, name in zip(made, KINDS, strict=True):
            values[at] = [getattr(one, name) for one in found]
        return made


def _distinct(names: np.ndarray, made: Callable[[int], str]) -> tuple[list[str], list[int]]:
    """Return what is made of a place of each distinct name, and for each of `names` its number among these."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    return [made(int(n)) for n in first], inverse.reshape(-1).tolist()


def allowed(how: ProgramProver | language.Options, n: int) -> int:
    """Return how many moves a program may make on a problem of n."""
    return min(n, how.deepest) if how.told else how.deepest


def words(options: language.Options) -> tuple[str, ...]:
    """Return how functions are read, in the words of `rivals.plain.mate.run`."""
    readings = {
        "worst": options.reply == "worst",
        "once": options.iter == "first",
        "made": options.made,
        "stop": options.stop,
    }
    return (*(word for word, holds in readings.items() if holds), f"near={options.near}")


def search(problem: Mate, options: language.Options) -> tuple[PrimitiveSet, PlainProver]:
    """Return the language of programs that make moves, and how they search."""
    primitives, prover = roles.search(problem, options)
    return primitives, PlainProver(primitives, problem, prover, words(options))


class Games:
    """The games, where programs that search for mates have their moves made by plain C++."""

    def available(self) -> list[str]:
        """Return the names of all games."""
        return envs.available()

    def spec(self, name: str) -> Spec:
        """Return a game; raises UsageError for an unknown one."""
        found = envs.spec(name)
        if name != "mate":
            return found
        plain = [replace(role, make=search) if role.name == roles.SEARCH.name else role for role in found.roles]
        return replace(found, roles=tuple(plain))


if __name__ == "__main__":
    main(Games())
