"""Builds the objects of a run from a configuration. The caller hands in the games; the engine knows none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh
from jax.stages import Compiled

from jaxgp.arrays import take
from jaxgp.config.games import cast_of, instances
from jaxgp.config.schema import GENOTYPES, Config
from jaxgp.contracts import Alone, Divides, Fitness, Game, Opponent, Soloist, Solver
from jaxgp.errors import reject
from jaxgp.evolution.cma import SeparableCMA
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.islands import Islands
from jaxgp.evolution.options import CMA, Algorithm, Groups, chunks, of_island
from jaxgp.evolution.pair import Pair, problem_set
from jaxgp.evolution.ring import Metrics, Ring
from jaxgp.evolution.seeds import Seeds
from jaxgp.evolution.state import EvolutionState
from jaxgp.evolution.winners import Winners
from jaxgp.fitness.among import coevolution
from jaxgp.fitness.among.coevolution import CoevolutionFitness
from jaxgp.fitness.among.elimination import EliminationFitness
from jaxgp.fitness.grouped import GroupFitness
from jaxgp.fitness.panel import PanelFitness
from jaxgp.fitness.puzzles.meetings import ProblemFitness, SolverFitness
from jaxgp.fitness.puzzles.suite import SuiteFitness, apart
from jaxgp.fitness.solo import SoloFitness
from jaxgp.fitness.taught.lessons import LessonFitness
from jaxgp.genotypes.language import Genome, Language
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.host.replay import ReplayGame, Rival, replay_alone, replay_games
from jaxgp.operators import creation, rulelists
from jaxgp.operators.options import Creation, Crossover, Mutation
from jaxgp.spec import Cast, Games


def creator(language: Language, algorithm: Algorithm | Groups | CMA) -> Callable[[Array, int], Genome]:
    """Return (key, count) -> random individuals [count, ...], created by the algorithm's options."""
    if isinstance(language, RuleLanguage):
        options = algorithm if isinstance(algorithm, Groups) else Groups()

        def rule_lists(key: Array, count: int) -> Genome:
            keys = jax.random.split(key, count)
            return jax.vmap(lambda k: rulelists.create(k, language, options.creation, options.capacity))(keys)

        return rule_lists
    by = algorithm if isinstance(algorithm, Algorithm) else Algorithm()
    return lambda key, count: creation.create(key, language, by.creation, count, by.capacity)


def scheme_of(language: Language, algorithm: Algorithm | Groups | CMA) -> Generational | SeparableCMA:
    """Return how parents that are programs become children."""
    assert isinstance(language, PrimitiveSet)
    if isinstance(algorithm, CMA):
        return SeparableCMA(language, algorithm)
    assert isinstance(algorithm, Algorithm)
    return Generational(language.without(algorithm.left_out), algorithm)


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
    ring: Ring | Pair | Islands

    @property
    def game(self) -> Game:
        return self.cast.game

    @property
    def language(self) -> Language:
        language: Language = self.cast.language
        return language

    @property
    def chunks(self) -> list[int]:
        """How many individuals can be evaluated at a time, the present number first, then all lower ones."""
        algorithm = self.config.algorithm
        found = chunks(algorithm) if isinstance(_fitness(self.ring), Divides) else [of_island(algorithm).population]
        return [one for one in found if one <= (algorithm.chunk or found[0])]

    def in_chunks(self, chunk: int) -> "Experiment":
        """Return the experiment that evaluates this many individuals at a time, one of `chunks`; it finds the same.

        Raises:
            UsageError: the fitness measures all individuals together.
        """
        if not isinstance(_fitness(self.ring), Divides):
            reject("algorithm.chunk", chunk, "null; this fitness measures all individuals together")
        config = replace(self.config, algorithm=replace(self.config.algorithm, chunk=chunk))
        return replace(self, config=config, ring=_in_chunks(self.ring, chunk))

    @cached_property
    def init(self) -> Callable[[Array], EvolutionState]:
        """Return the state before the first generation, for a typed key."""
        return jax.jit(self.ring.init)

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
        return jax.jit(Seeds(self.ring.step, together, mesh)).lower(list(states)).compile()

    def compiled_again(self, state: EvolutionState) -> Compiled:
        """Compile (state, int32[] round) -> fitness and points of the candidates; it may take minutes."""
        assert isinstance(self.ring, Ring | Islands)  # a pair has no candidates
        return jax.jit(self.ring.again).lower(state, jnp.int32(0)).compile()

    def replay(self, state: EvolutionState, seed: int) -> list[ReplayGame]:
        """Play the champion for people to look at: alone, or against every opponent in its last state, both seats.

        Args:
            state: of a run.
            seed: of the chance in the games.
        """
        genome = state.champion.genome
        if isinstance(self.cast.actor, Alone):
            return [replay_alone(self.cast, genome)]
        memory = self.ring.memory(state) if isinstance(self.ring, Islands) else state.memory
        memories = memory[: len(self.panel)]
        rivals = [Rival(name, one, own) for (name, one), own in zip(self.panel.items(), memories, strict=True)]
        return replay_games(self.cast, genome, rivals, self.config.fitness.max_plies, seed)


def _fitness(ring: Ring | Pair | Islands) -> Fitness:
    """Return the fitness of those who evolve; in a pair these are the solvers."""
    if isinstance(ring, Ring):
        return ring.fitness
    return _fitness(ring.solvers if isinstance(ring, Pair) else ring.ring)


def _in_chunks(ring: Any, chunk: int) -> Any:
    """Return a ring, a pair or islands whose fitness measures so many individuals at a time."""
    if isinstance(ring, Islands):
        return replace(ring, ring=_in_chunks(ring.ring, chunk))
    if isinstance(ring, Pair):
        return replace(ring, solvers=_in_chunks(ring.solvers, chunk))
    return replace(ring, fitness=ring.fitness.in_chunks(chunk))


def suite_of(config: Config, cast: Cast) -> SuiteFitness:
    """Return the fitness on the suite of a puzzle; its test instances take no part."""
    options = config.fitness
    found = instances("fitness.suite.name", options.suite.name, cast)
    known = np.flatnonzero(~found.test)
    aside = apart(len(known), options.suite.validation)
    return SuiteFitness(
        cast.actor,
        take(found.states, known[~aside]),
        take(found.states, known[aside]),
        boards=options.suite.boards,
        factor=options.suite.factor,
        limit=options.suite.limit,
        reference=options.suite.reference,
        unsolved=options.suite.unsolved,
        by_log=options.suite.score == "log",
        by_expanded=options.suite.cost == "expanded",
        partial=options.suite.partial,
        measured=options.measured,
        first=options.suite.first,
        scale=options.scale,
        parsimony=options.parsimony,
        minimum=options.minimum,
    )


def _of_solvers(config: Config, cast: Cast) -> Ring | Pair:
    """Return the ring of those who solve a puzzle, or a pair of this and the ring of the problems that they meet."""
    suite, scheme = suite_of(config, cast), scheme_of(cast.language, config.algorithm)
    options = config.fitness.suite.problems
    if not options.population:
        return Ring(suite, scheme)
    language = problem_set(suite.number, suite.boards // options.met)
    breeding = Algorithm(
        population=options.population,
        elites=options.elites,
        capacity=1,
        creation=Creation(max_depth=1),
        crossover=Crossover(options.crossover, "two_children", subtree=0.0, one_point=1.0),
        mutation=Mutation(
            options.mutation, children=0.0, genes=1.0, gene_probability=options.gene_probability, exclusive=True
        ),
    )
    problems = Ring(ProblemFitness(options.unsolved), Generational(language, breeding))
    return Pair(Ring(SolverFitness(suite, options.met), scheme), problems, options.every)


def assemble(config: Config, games: Games) -> Experiment:
    """Build a run; islands are all on one device.

    Raises:
        ValueError: something the game, the panel or the fitness does not accept; the message names the option.
    """
    whole = _whole(config, games)
    return whole if config.algorithm.chunk is None else whole.in_chunks(config.algorithm.chunk)


def _whole(config: Config, games: Games) -> Experiment:
    """Build a run that evaluates all individuals together; see `assemble`."""
    islands, kept = config.algorithm.islands, config.fitness.candidates
    if islands.count == 1:
        return _of_one(config, games)
    # Candidates are of all islands, so the ring of one keeps none.
    alone = replace(config, algorithm=of_island(config.algorithm), fitness=replace(config.fitness, candidates=0))
    one = _of_one(alone, games)
    assert not isinstance(one.ring, Islands)
    return replace(one, config=config, ring=Islands(one.ring, islands, kept))


def _of_one(config: Config, games: Games) -> Experiment:
    """Build a run of one population; see `assemble`."""
    cast, options = cast_of(config, games, GENOTYPES[config.algorithm.kind]), config.fitness
    create = creator(cast.language, config.algorithm)
    panel = {name: one.seat(cast, create, options) for name, one in options.opponents.items()}
    if isinstance(cast.actor, Solver):
        return Experiment(config, cast, panel, _of_solvers(config, cast))
    if isinstance(cast.actor, Soloist):
        solo = SoloFitness(cast.actor, options.scale, options.parsimony, options.minimum)
        return Experiment(config, cast, panel, Ring(solo, scheme_of(cast.language, config.algorithm)))
    fitness = PanelFitness(
        cast.game,
        cast.actor,
        tuple(panel.values()),
        tuple(one.weight for one in options.opponents.values()),
        points=options.points,
        scale=options.scale,
        parsimony=options.parsimony,
        win_bonus=options.win_bonus,
        minimum=options.minimum,
        max_plies=options.max_plies,
        paired=options.paired,
        opening=0 if options.coplay or options.elimination else options.opening_plies,
    )
    if isinstance(config.algorithm, Groups):
        rules = config.algorithm
        relative = GroupFitness(cast.actor, fitness, rules.group_size, rules.panel_weight, rules.ties, rules.stop)
        return Experiment(config, cast, panel, Ring(relative, Winners(cast.language, rules)))
    scheme = scheme_of(cast.language, config.algorithm)
    if options.lessons.drawn:
        assert cast.spec.lessons is not None  # see `jaxgp.config.games.check`
        asked = options.lessons
        taught = LessonFitness(
            cast.actor,
            fitness,
            (),
            games=0,
            measured=options.measured,
            drawn=asked.drawn,
            stock=asked.stock,
            teach=cast.spec.lessons(cast.game, asked.teacher),
            learning=asked.learning,
        )
        return Experiment(config, cast, panel, Ring(taught, scheme, options.candidates))
    if options.coplay or options.elimination:
        guides = tuple(
            coevolution.Guide(one.seat(cast, create, options), one.rounds, one.cutoff, one.weight)
            for one in options.guides.values()
        )
        depth = options.measured_depth
        measured = cast if depth is None else cast.at_depth(depth, "fitness.measured_depth")
        common = {
            "player": cast.actor,
            "panel": replace(fitness, player=measured.actor),
            "guides": guides,
            "games": options.coplay or options.elimination // 2,
            "weight": options.coplay_weight,
            "opening": options.opening_plies,
            "measured": options.measured,
        }
        coevolved = CoevolutionFitness(**common)
        if options.elimination:
            coevolved = EliminationFitness(**common, paired=options.paired)
        return Experiment(config, cast, panel, Ring(coevolved, scheme, options.candidates))
    return Experiment(config, cast, panel, Ring(fitness, scheme, options.candidates))
