"""Evolve what searches for mates, as scripts/train.py does, while plain C++ makes the moves: faster on a CPU.

    python scripts/studies/mate/programs.py experiment=mate_again seed=0 hydra.run.dir=outputs/again_0
    python scripts/studies/mate/programs.py experiment=mate_guide_few program.equal=less seed=0

Options, records, checkpoints and champions are those of scripts/train.py, and either goes on with a run of the other:
`rivals/plain` searches as the lanes do, to the node, but that its tables replace no entry (see `guided.py`). Lanes
make the searches lazy and flights; `lazy.py` has these. A generation waits for one core; give each run one of its own.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

    import jax

    # Where cores are devices, each of them would ask C++ for the same.
    jax.config.update("jax_num_cpu_devices", 1)

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.mate import language, roles
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
from studies.mate import guided
from studies.mate.asking import called, question, spread

REST: dict[str, tuple[type[np.generic], Any]] = {
    "chosen": (np.int32, -1),
    "score": (np.float32, -np.inf),
    "nodes": (np.int32, 0),
    "truncated": (np.bool_, False),
    "deepest": (np.int32, 0),
}
"""What is kept of `rivals.plain.mate.Found`: its type, and what it is where a program is not run."""
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
        found = called(self._asked, REST, queue, *plans, whose, states, limits)
        score = found.pop("score")
        return Claims(
            scores=score[:, None],
            solved=score >= MATE,
            refuted=jnp.zeros(queue, bool),
            distinct=jnp.full(queue, -1),
            **found,
        )

    def _asked(self, programs: Any, fits: np.ndarray, whose: np.ndarray, states: Any, limits: np.ndarray) -> Any:
        """Return what `REST` names, of each pair [Q]."""
        at = np.flatnonzero((limits > 0) & fits[whose])
        written = partial(print_program, self.primitives)
        asked = question(self.problem, whose[at], take(states, at), lambda n: written(take(programs, np.array(n))))
        left = [allowed(self.lanes, n) for n in asked.lengths]
        pairs = list(zip(asked.own, asked.which, left, limits[at].tolist(), asked.lengths, strict=True))
        return spread(at, len(limits), mate.run(asked.texts, asked.posed, pairs, self.words), REST)


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
    """The games, where plain C++ makes the moves of whatever searches for mates."""

    def available(self) -> list[str]:
        """Return the names of all games."""
        return envs.available()

    def spec(self, name: str) -> Spec:
        """Return a game; raises UsageError for an unknown one."""
        found = envs.spec(name)
        if name != "mate":
            return found
        makes: dict[str, Any] = {"search": search, "guide": guided.guide, "weights": guided.weights}
        return replace(found, roles=tuple(replace(role, make=makes[role.name]) for role in found.roles))


if __name__ == "__main__":
    main(Games())
