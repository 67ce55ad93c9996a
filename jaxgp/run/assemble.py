"""Builds the objects of a run from a configuration. The caller hands in the games; the engine knows none."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh
from jax.stages import Compiled

from jaxgp import kinds
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.contracts import Alone, Driver, Game, Metrics, Opponent, Prover
from jaxgp.errors import reject
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.islands import Islands
from jaxgp.evolution.options import GPOptions, GroupsOptions, chunks, of_island
from jaxgp.evolution.pair import Pair
from jaxgp.evolution.ring import Evolution, Ring
from jaxgp.evolution.seeds import Seeds
from jaxgp.evolution.state import EvolutionState
from jaxgp.evolution.winners import Winners
from jaxgp.export.export import ExportError, Written
from jaxgp.games.casting import Cast
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import Genome, Language
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.host.driving import drive, replay_rollout
from jaxgp.host.replay import ReplayGame, Rival, replay_alone, replay_games
from jaxgp.operators import creation
from jaxgp.options import MAX_PLIES
from jaxgp.players.driver import fixed_driver
from jaxgp.schemes.cma import CMAOptions
from jaxgp.seats.moves import game_key
from jaxgp.spec import Hand


def creator(language: Language, algorithm: GPOptions | GroupsOptions | CMAOptions) -> Callable[[Array, int], Genome]:
    """Return (key, count) -> random individuals [count, ...], created by the algorithm's options."""
    if isinstance(language, RuleLanguage):
        options = algorithm if isinstance(algorithm, GroupsOptions) else GroupsOptions()
        return Winners(language, options).create
    by = algorithm if isinstance(algorithm, GPOptions) else GPOptions()
    return lambda key, count: creation.create(key, language, by.creation, count, by.capacity)


@dataclass(frozen=True)
class Experiment:
    """A run, ready to go: call `init`, then `step` once for each generation.

    Attributes:
        config: what it was assembled from.
        cast: the game and how genomes play it.
        panel: the opponents by name.
        ring: one generation.
    """

    config: Config
    cast: Cast
    panel: Mapping[str, Opponent]
    ring: Evolution

    @property
    def game(self) -> Game:
        return self.cast.game

    @property
    def language(self) -> Language:
        language: Language = self.cast.language
        return language

    @cached_property
    def chunks(self) -> list[int]:
        """How many individuals can be evaluated at a time, the present number first, then all lower ones.

        Every generation asks for it; a fitness that is asked for another number checks itself, which traces its player.
        """
        algorithm = self.config.algorithm
        together = self.ring.fitness.in_chunks(None) is None
        found = [of_island(algorithm).population] if together else chunks(algorithm)
        return [one for one in found if one <= (algorithm.chunk or found[0])]

    def in_chunks(self, chunk: int) -> "Experiment":
        """Return the experiment that evaluates this many individuals at a time, one of `chunks`; it finds the same.

        Raises:
            UsageError: the fitness measures all individuals together.
        """
        fitness = self.ring.fitness.in_chunks(chunk)
        if fitness is None:
            reject("algorithm.chunk", chunk, "null; this fitness measures all individuals together")
        config = replace(self.config, algorithm=replace(self.config.algorithm, chunk=chunk))
        return replace(self, config=config, ring=self.ring.measured_by(fitness))

    def init(self, key: Array) -> EvolutionState:
        """Return the state before the first generation, for a typed key."""
        return self._init(key, _limits(self.ring))

    def begin(self, config: Config) -> EvolutionState:
        """Return the state before the first generation of a run that differs in its seed, and in what it leaves out.

        It may leave out other primitives if this one leaves out some, too.
        """
        ring = self.ring
        if isinstance(ring, Ring):
            ring = replace(ring, scheme=config.algorithm.scheme(self.language))
        return self._init(jax.random.key(config.seed), _limits(ring))

    @cached_property
    def _init(self) -> Callable[[Array, np.ndarray | None], EvolutionState]:
        """(key, what individuals may have, bool[N]; None: the scheme says it) -> the state; one program for all."""
        return jax.jit(lambda key, allowed: _limited(self.ring, allowed).init(key))

    @cached_property
    def step(self) -> Callable[[EvolutionState], tuple[EvolutionState, Metrics]]:
        """Run one generation."""
        return jax.jit(self.ring.step)

    def compiled(self, state: EvolutionState) -> Compiled:
        """Compile `step` for states of these shapes on these devices; it may take minutes."""
        return jax.jit(self.ring.step).lower(state).compile()

    def compiled_together(
        self, states: Sequence[EvolutionState], together: int | None = 1, mesh: Mesh | None = None
    ) -> Compiled:
        """Compile list of states -> list of (state, metrics), a generation of several runs; see `Seeds`."""
        return jax.jit(Seeds(self.ring, together=together, mesh=mesh).step).lower(list(states)).compile()

    def compiled_again(self, state: EvolutionState) -> Compiled:
        """Compile (state, int32[] round) -> fitness and points of the candidates; it may take minutes."""
        return jax.jit(self.ring.again).lower(state, jnp.int32(0)).compile()

    def replay(self, state: EvolutionState, seed: int) -> list[ReplayGame]:
        """Play the champion for people to look at: alone, or against every opponent in its last state, both seats.

        In a simulation each rival of the run drives the other seats. Where there are none, and whole rollouts are
        pictures, the first strategy of the simulation drives beside the champion.

        Args:
            state: of a run.
            seed: of the chance in the games.
        """
        genome = state.champion.genome
        if isinstance(self.cast.actor, Prover):
            return []
        if isinstance(self.cast.actor, Alone):
            return [replay_alone(self.cast, genome)]
        if isinstance(self.cast.actor, Driver):
            spec, game, own = self.cast.spec, self.cast.game, ("champion", Hand(self.cast.actor, genome))
            crews = self.config.fitness.crews(self.cast) or [()]
            shown = spec.strategies[:1] if crews == [()] and spec.showing.picture is not None else ()
            beside = [drive(spec, game, [(name, fixed_driver(spec, game, name))], game_key(seed)) for name in shown]
            return [replay_rollout(drive(spec, game, [own, *crew], game_key(seed)), beside=beside) for crew in crews]
        memories = self.ring.fitness.rivals(self.ring.memory(state))
        rivals = [Rival(name, one, own) for (name, one), own in zip(self.panel.items(), memories, strict=True)]
        limit = (
            self.config.fitness.max_plies if isinstance(self.config.fitness, kinds.GamesFitnessOptions) else MAX_PLIES
        )
        return replay_games(self.cast, genome, rivals, limit, seed)

    def notations(self, state: EvolutionState) -> dict[str, str]:
        """Return the champion as the game writes it for programs outside, by notation; without what it cannot write."""
        champion, role, found = state.champion, self.cast.role, dict[str, str]()
        if role is not None and isinstance(self.language, PrimitiveSet):
            written = Written(self.language, champion.genome, role.features)
            title = f"Champion of generation {int(champion.generation)}."
            for name, write in role.exports.items():
                with suppress(ExportError, ImportError):
                    found[name] = write(self.cast.game, self.cast.options, written, title)
        return found

    def closing(self, state: EvolutionState) -> str | None:
        """Say in a line what the champion of a run at its end is worth; None: its fitness says nothing of it."""
        return self.config.fitness.closing(self.config, self.cast, state.champion.genome)


def _limits(ring: Evolution) -> np.ndarray | None:
    """Return what individuals of a ring may have, bool[N]; None: all, or it is no ring whose programs can be told."""
    return ring.scheme.limits() if isinstance(ring, Ring) and isinstance(ring.scheme, Generational) else None


def _limited(ring: Evolution, allowed: Array | None) -> Evolution:
    """Return a ring whose individuals have some primitives alone; None: as it is."""
    if allowed is None:
        return ring
    assert isinstance(ring, Ring)
    assert isinstance(ring.scheme, Generational)
    return replace(ring, scheme=ring.scheme.limited(allowed))


def assemble(config: Config, games: Games) -> Experiment:
    """Build a run; islands are all on one device.

    Raises:
        ValueError: something the game, the panel or the fitness does not accept; the message names the option.
    """
    whole = _whole(config, games)
    return whole if config.algorithm.chunk is None else whole.in_chunks(config.algorithm.chunk)


def _whole(config: Config, games: Games) -> Experiment:
    """Build a run that evaluates all individuals together; see `assemble`."""
    islands, fitness = config.algorithm.islands, config.fitness
    kept, last = 0, False
    if isinstance(fitness, kinds.CandidatesFitnessOptions):
        kept, last = fitness.candidates, fitness.population_again
    if islands.count == 1:
        return Experiment(config, *_of_one(config, games, kept, last, config.algorithm.stagnation))
    # Candidates and stagnation are of all islands, so the ring of one has none.
    cast, panel, ring = _of_one(replace(config, algorithm=of_island(config.algorithm)), games)
    return Experiment(config, cast, panel, Islands(ring, islands, kept, last, config.algorithm.stagnation))


def _of_one(
    config: Config, games: Games, kept: int = 0, last: bool = False, stagnation: int | None = None
) -> tuple[Cast, Mapping[str, Opponent], Ring | Pair]:
    """Build the ring of one population; see `Ring` for the candidates that it keeps, and for what ends it.

    Returns:
        See `Experiment` for the cast, the panel and the ring.
    """
    cast, fitness = cast_of(config, games, config.algorithm.genotype), config.fitness
    create, seated = creator(cast.language, config.algorithm), dict[str, dict[str, Opponent]]()
    for section, name, one in kinds.list_met(fitness):
        assert isinstance(fitness, kinds.GamesFitnessOptions)
        seated.setdefault(section, {})[name] = one.seat(cast, create, fitness)
    ring = Ring(fitness.make(config, cast, seated), config.algorithm.scheme(cast.language), kept, last, stagnation)
    return cast, seated.get("opponents", {}), fitness.around(ring)
