"""From a configuration to the objects that run it. Games come in from outside: the engine knows none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import jax
from jax import Array

from jaxgp.evolution.ring import Metrics, Ring
from jaxgp.evolution.state import EvolutionState
from jaxgp.experiment import schema
from jaxgp.experiment.interface import ReplayGame
from jaxgp.experiment.replay import replay_games
from jaxgp.fitness.panel import PanelFitness
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators.creation import create
from jaxgp.players.opponent import Opponent, RandomOpponent
from jaxgp.players.program import ProgramOpponent, ProgramPlayer
from jaxgp.players.search import SearchOpponent
from jaxgp.search.alphabeta import AlphaBeta


class Games(Protocol):
    """Where games come from: the `envs` package."""

    def make(self, name: str, **settings: Any) -> Any: ...

    def available(self) -> list[str]: ...

    def module(self, name: str, part: str) -> Any: ...


@dataclass(frozen=True)
class Table:
    """A game with the programs that play it.

    Attributes:
        game: the rules.
        room: imports one of the game's modules by name: primitives, opponents, render.
        settings: the game's own settings for programs.
        primitives: function and terminal set.
        player: how a program plays.
    """

    game: Any
    room: Callable[[str], Any]
    settings: Any
    primitives: PrimitiveSet
    player: ProgramPlayer

    def search(self, evaluator: str, depth: int, ties: str, tail: int, lanes: int) -> AlphaBeta:
        """Build a search of this game; raises ValueError for an unknown evaluator."""
        opponents = self.room("opponents")
        evaluators: dict[str, Callable[..., Array]] = opponents.EVALUATORS
        if evaluator not in evaluators:
            raise ValueError(f"evaluator={evaluator}: accepted: {', '.join(evaluators)}")
        find_twin = getattr(opponents, "search_twin", None)
        twin = find_twin(self.game) if find_twin else None

        def value(state: Any) -> Array:
            return evaluators[evaluator](self.game if twin is None else twin, state)

        return AlphaBeta(
            self.game,
            value,
            twin=twin,
            max_depth=depth,
            tail=min(tail, depth),
            lanes=lanes,
            ties="all" if ties == "random" else "first",
        )


def table(config: schema.Config, games: Games) -> Table:
    """Set up the game and its programs; raises ValueError for what the game does not accept."""
    rules = dict(config.game)
    name = rules.pop("name")
    game = games.make(name, **rules)
    language = games.module(name, "primitives")
    settings = language.Settings(**config.program)
    primitives = language.primitive_set(game, settings)
    player = ProgramPlayer(
        primitives,
        features=lambda state: language.features(game, settings, state),
        decide=lambda state, values: language.decide(game, settings, state, values),
    )
    return Table(game, partial(games.module, name), settings, primitives, player)


def opponent(spec: schema.Opponent, at: Table, config: schema.Config) -> Opponent:
    """Seat one member of the panel."""
    options, algorithm = config.fitness, config.algorithm

    def random_programs(key: Array, count: int) -> Programs:
        return create(key, at.primitives, algorithm.creation, count, algorithm.capacity)

    if spec.kind == "random":
        return RandomOpponent(at.game, games=spec.games)
    if spec.kind == "search":
        search = at.search(spec.evaluator, spec.depth, spec.ties, options.tail, options.lanes)
        return SearchOpponent(search, spec.depth, options.table_size, games=spec.games)
    if spec.kind in ("programs", "champions"):
        return ProgramOpponent(
            at.game, at.player, random_programs, spec.count, rounds=spec.games, champions=spec.kind == "champions"
        )
    raise ValueError(f"kind={spec.kind}: accepted: search, random, programs, champions")


@dataclass(frozen=True)
class Experiment:
    """A run, ready to go: `init`, then `step` as often as there are generations.

    Attributes:
        config: what it was assembled from.
        table: the game and its programs.
        panel: the opponents by name.
        ring: one generation.
    """

    config: schema.Config
    table: Table
    panel: Mapping[str, Opponent]
    ring: Ring

    @property
    def game(self) -> Any:
        return self.table.game

    @property
    def primitives(self) -> PrimitiveSet:
        return self.table.primitives

    @cached_property
    def init(self) -> Callable[[Array], EvolutionState]:
        """Return the state before the first generation, for a typed key."""
        return jax.jit(self.ring.init)

    @cached_property
    def step(self) -> Callable[[EvolutionState], tuple[EvolutionState, Metrics]]:
        """Run one generation; the state that goes in is used up."""
        return jax.jit(self.ring.step, donate_argnums=0)

    def replay(self, program: Programs) -> list[ReplayGame]:
        """Play an individual ([T, L]) from both seats against every opponent, for people to look at."""
        render = self.table.room("render")
        return replay_games(self.game, render, self.table.player, program, self.panel, self.config.fitness.max_plies)


def assemble(config: schema.Config, games: Games) -> Experiment:
    """Build a run.

    Raises:
        ValueError: something the game or the panel does not accept; the message names the option.
    """
    at = table(config, games)
    panel = {name: opponent(spec, at, config) for name, spec in config.fitness.opponents.items()}
    options = config.fitness
    fitness = PanelFitness(
        at.game,
        at.player,
        tuple(panel.values()),
        tuple(spec.weight for spec in options.opponents.values()),
        points=options.points,
        scale=options.scale,
        parsimony=options.parsimony,
        win_bonus=options.win_bonus,
        minimum=options.minimum,
        max_plies=options.max_plies,
    )
    return Experiment(config, at, panel, Ring(at.primitives, config.algorithm, fitness))
