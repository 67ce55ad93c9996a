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
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.mate import language, roles
from envs.mate.rules import Mate
from jaxgp.contracts import States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.machine.frames import MATE
from jaxgp.interpreter.machine.plan import most_frames
from jaxgp.players.problems.prover import ProgramProver
from jaxgp.search.proofs.claims import Claims
from jaxgp.spec import Spec
from jaxgp.train.command import main
from rivals.plain import mate
from studies.mate import guided
from studies.mate.asking import Plain, Question

Plans = tuple[Programs, Array]
"""Programs [P, 1, L], and bool[P]: which the frame machine would run."""


@dataclass(frozen=True)
class PlainProver(Plain[Plans, ProgramProver]):
    """Programs, as `ProgramProver` runs them."""

    proves: ClassVar[bool] = False
    rest: ClassVar = {
        "chosen": (np.int32, -1),
        "score": (np.float32, -np.inf),
        "nodes": (np.int32, 0),
        "truncated": (np.bool_, False),
        "deepest": (np.int32, 0),
    }

    def prepare(self, programs: Programs) -> Plans:
        """Return programs [P, 1, L], and which of them need no more frames than a lane has."""
        return programs, most_frames(self.lanes.prepare(programs), self.lanes.deepest) <= self.lanes.frames

    def prove(self, plans: Plans, whose: Array, states: States, limits: Array) -> Claims:
        """Run programs `whose` (int32[Q]) on problems [Q]; see `jaxgp.contracts.Prover`."""
        programs, fits = plans
        found = self.found(programs, whose, states, jnp.where(fits[whose], limits, 0))
        score = found.pop("score")
        return Claims(
            scores=score[:, None],
            solved=score >= MATE,
            refuted=jnp.zeros_like(found["truncated"]),
            distinct=jnp.full_like(found["nodes"], -1),
            **found,
        )

    def searched(self, asked: Question) -> list[mate.Found]:
        """Return what each pair has come to."""
        left = [allowed(self.lanes, n) for n in asked.lengths]
        pairs = list(zip(asked.own, asked.which, left, asked.limits, asked.lengths, strict=True))
        return mate.run(asked.texts, asked.posed, pairs, self.words)


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
        "cutoff": options.cutoff,
        "remember": options.remember,
    }
    return (*(word for word, holds in readings.items() if holds), f"near={options.near}")


def search(problem: Mate, options: language.Options) -> tuple[PrimitiveSet, PlainProver]:
    """Return the language of programs that make moves, and how they search."""
    primitives, prover = roles.search(problem, options)
    return primitives, PlainProver(primitives, problem, prover, words(options))


class Games:
    """The games, where plain C++ makes the moves of all that search for mates."""

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
