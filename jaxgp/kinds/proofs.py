"""Fitness on problems whose answer is a tree: the right first move, found with few nodes; the whole pool measures."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.errors import reject
from jaxgp.kinds import AnyAlgorithm, RefereedFitnessOptions, Rows, Seated
from jaxgp.options import MAX_COUNT, MAX_GAMES, option

if TYPE_CHECKING:
    import numpy as np

    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast

MAX_LENGTH = 12


@dataclass
class ProofFitnessOptions(RefereedFitnessOptions):
    """The sum over problems of correctness * 2^n * the nodes of the reference search divided by those of a search."""

    kind: str = option("proofs", "problems that searches prove", ("proofs",))
    each: int = option(
        5, "problems of each n that a generation draws, shared by all individuals", low=1, high=MAX_GAMES
    )
    instances: str | None = option(
        None, "a suite of the game, or a file of problems; null: the first suite of the game"
    )
    longest: int = option(5, "the greatest n of a problem", low=1, high=MAX_LENGTH)
    boards: str = option(
        "capped",
        "how nodes count: for right moves alone, up to a bound (capped) or by the logarithm (logarithm), or for all "
        "moves without a bound, as the source has it (printed)",
        ("capped", "logarithm", "printed"),
    )
    most: float = option(
        8.0,
        "the most that nodes count where they are capped; searches that need far fewer nodes than the reference are "
        "told apart by a greater number",
        low=1,
        high=1_000_000,
    )
    factor: float = option(
        1.5,
        "a search is truncated at so many times the nodes of the reference search",
        low=0,
        high=1000,
        above=True,
    )
    limit: int = option(
        10_000,
        "the most nodes of a search, whatever the reference search took; at least the first moves of each problem",
        low=1,
        high=MAX_COUNT,
    )
    claims: bool = option(
        False,
        "whether the search has to claim the move that it chooses: a right one that it claims counts as 1, a wrong one "
        "that it claims as -1, another move as half of what it would count",
    )
    staged: bool = option(
        True,
        "whether correctness is 0 or 1, and nodes count for n <= 2 as well, once the best individual of a generation "
        "has solved 75 % of its problems",
    )
    strict: bool = option(
        False, "whether that stage holds from the first generation on; where claims count, nothing else counts then"
    )

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether individuals search problems."""
        from jaxgp.contracts import Prover

        del algorithm
        return isinstance(cast.actor, Prover)

    def check(self, config: "Config", cast: "Cast") -> None:
        """Check that there are problems, each with a budget for its first moves; raises UsageError."""
        _, lengths, _, _ = self._pool(cast)
        if not len(lengths):
            reject("fitness.longest", self.longest, "an n that some problem of the suite has")
        if self.limit < (most := cast.game.most_choices):
            reject("fitness.limit", self.limit, f"a whole number from {most}, the most first moves of a problem")

    def _pool(self, cast: "Cast") -> tuple[object, "np.ndarray", "np.ndarray | None", "np.ndarray"]:
        """Return the problems up to the greatest n, their n, their keys, and the nodes of the reference search."""
        import jax
        import numpy as np

        from jaxgp.fitness.puzzles.suite import instances

        found = instances("fitness.instances", self.instances, cast)
        if found.lengths is None or found.reference is None or (found.reference < 0).any():
            wanted = "problems whose lengths, and nodes of the reference search, are known"
            reject("fitness.instances", self.instances, wanted)
        if found.keys is None and not cast.actor.proves:
            role = cast.role.name if cast.role else None
            reject("fitness.instances", self.instances, f"problems whose keys are known, with program.role={role}")
        lengths = found.lengths
        at = np.flatnonzero(~found.test & (lengths <= self.longest))
        keys = None if found.keys is None else found.keys[at]
        states = jax.tree.map(lambda x: x[at], found.states)
        return states, lengths[at], keys, found.reference[at]

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness; all its problems measure the fittest."""
        from jaxgp.fitness.puzzles.proofs import ProofFitness

        del config, seated
        states, lengths, winning, reference = self._pool(cast)
        return ProofFitness(
            cast.actor,
            states,
            lengths,
            winning,
            reference,
            each=self.each,
            measured=self.measured,
            boards=self.boards,  # type: ignore[arg-type]
            most=self.most,
            factor=self.factor,
            limit=self.limit,
            claims=self.claims,
            staged=self.staged,
            strict=self.strict,
            scale=self.scale,
            parsimony=self.parsimony,
            minimum=self.minimum,
        )

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"find first moves that win by force in {game}, with few nodes"

    def rows(self, config: "Config") -> Rows:
        """Return the formula, the limits, and what names the champion."""
        del config
        bounded = {
            "capped": f"right moves alone, at most {self.most:g}-fold",
            "logarithm": "right moves alone, by log2(1 + reference nodes / nodes)",
            "printed": "all moves, without a bound",
        }[self.boards]
        claims = "counted as -1 where it is wrong" if self.claims else "not looked at"
        later = "from the start" if self.strict else "from 75 % solved by the best" if self.staged else "none"
        return [
            ("fitness", self.formula("sum of correctness * 2^n * reference nodes / nodes")),
            ("nodes count for", bounded),
            ("a claim is", claims),
            ("problems", f"{self.each} of each n up to {self.longest}, drawn in each generation"),
            ("a search is truncated at", f"{self.factor:g} times the reference nodes, at most {self.limit}"),
            ("later stage", later),
            (f"{self.fittest()} of each generation measured by", "all problems"),
            ("champion", "the best of these"),
        ]
