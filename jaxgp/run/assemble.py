"""From a configuration to the objects that run it. Games come in from outside: the engine knows none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol

import jax
from jax import Array

from jaxgp.config import schema
from jaxgp.contracts import Opponent, Player
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.options import Algorithm, Groups
from jaxgp.evolution.ring import Metrics, Ring
from jaxgp.evolution.state import EvolutionState
from jaxgp.evolution.winners import Winners
from jaxgp.fitness import coevolution
from jaxgp.fitness.coevolution import CoevolutionFitness
from jaxgp.fitness.grouped import GroupFitness
from jaxgp.fitness.panel import PanelFitness
from jaxgp.fitness.solo import SoloFitness
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome, Language
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.host.deepening import Deepening
from jaxgp.host.replay import ReplayGame, Rival, replay_alone, replay_games
from jaxgp.operators import creation, rulelists
from jaxgp.players.chance import RandomOpponent
from jaxgp.players.greedy import GreedyPlayer
from jaxgp.players.guided import Guide, plays_alone
from jaxgp.players.options import Opponent as OpponentOptions
from jaxgp.players.program import ProgramOpponent, ProgramPlayer
from jaxgp.players.rules import RulePlayer
from jaxgp.players.search import AlternatingOpponent, SearchOpponent
from jaxgp.players.searched import SearchedPlayer
from jaxgp.players.walk import Walker
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.lookahead import tail_of


class Games(Protocol):
    """Where games come from: the `envs` package."""

    def make(self, name: str, **settings: Any) -> Any: ...

    def available(self) -> list[str]: ...

    def module(self, name: str, part: str) -> Any: ...


@dataclass(frozen=True)
class Table:
    """A game with the genomes that play it.

    Attributes:
        game: the rules.
        room: imports one of the game's modules by name: primitives, opponents, render.
        settings: the game's own settings for programs or rules.
        language: what genomes are written in, a `Language`: function and terminal set, or what rules can say.
        player: how a genome plays: a `Player`, or in a game for one a `Walker` or a `Guide`.

    Where no genomes play the game, language and player are None.
    """

    game: Any
    room: Callable[[str], Any]
    settings: Any
    language: Any
    player: Any

    @property
    def primitives(self) -> PrimitiveSet:
        """The language of a game that programs play."""
        assert isinstance(self.language, PrimitiveSet)
        return self.language

    def search(self, evaluator: str | None, depth: int, ties: str, tail: int, lanes: int) -> AlphaBeta:
        """Build a search of this game, by default with its first evaluator; raises ValueError for an unknown one."""
        opponents = self.room("opponents")
        evaluators: dict[str, Callable[..., Array]] = schema.evaluators(opponents, self.game)
        evaluator = evaluator or next(iter(evaluators))
        if evaluator not in evaluators:
            here = " on this board" if evaluator in opponents.EVALUATORS else ""
            raise ValueError(f"evaluator={evaluator}: accepted{here}: {', '.join(evaluators)}")
        find_twin = getattr(opponents, "search_twin", None)
        twin = find_twin(self.game) if find_twin else None

        def value(state: Any) -> Array:
            return evaluators[evaluator](self.game if twin is None else twin, state)

        return AlphaBeta(
            self.game,
            value,
            twin=twin,
            max_depth=depth,
            tail=tail_of(self.game if twin is None else twin, min(tail, depth)),
            lanes=lanes,
            ties="all" if ties == "random" else "first",
        )

    def searches(self, evaluator: str | None, depth: int, ties: str, tail: int, lanes: int) -> tuple[AlphaBeta, ...]:
        """Build a search for each of the evaluators `A|B`; raises ValueError for an unknown one."""
        named = [None] if evaluator is None else evaluator.split("|")
        return tuple(self.search(one, depth, ties, tail, lanes) for one in named)

    def deepening(self, evaluator: str | None, depth: int, ties: str, tail: int, nodes: int | None) -> Deepening:
        """Build a search of this game that goes deeper ply by ply, and ends where a result is certain.

        Raises:
            ValueError: an unknown evaluator, or a budget of nodes below 1.
        """
        search = self.search(evaluator, depth, ties, tail, lanes=1)
        opponents = self.room("opponents")
        certainty = getattr(opponents, "certainty", None)
        found = certainty(self.game, evaluator or next(iter(opponents.EVALUATORS))) if certainty else None
        if found is None:
            return Deepening(search, nodes)
        game, value = found
        return Deepening(replace(search, game=game), nodes, certain=value)


def table(config: schema.Config, games: Games, genotype: str | None = None) -> Table:
    """Set up the game and what plays it.

    Args:
        config: its `game` and `program` are used.
        games: where games come from.
        genotype: `program` or `rules`; None: the first of them that the game has.

    Raises:
        ValueError: something that the game does not accept.
    """
    rules = dict(config.game)
    name = rules.pop("name")
    game = games.make(name, **rules)
    language, player = playing(game, games.module(name, "primitives"), config.program, genotype)
    settings = games.module(name, "primitives").Settings(**config.program)
    return Table(game, partial(games.module, name), settings, language, player)


def playing(game: Any, module: Any, settings: Any, genotype: str | None = None) -> tuple[Language | None, Any]:
    """Return a language for a game and how genomes in it play; `settings` is the game's own, or their values.

    Both are None for a game that no genomes play.

    Raises:
        ValueError: the game does not accept them, or has no such genotype.
    """
    has = schema.genotypes(module)
    if genotype is not None and genotype not in has:
        raise ValueError(f"{game.name}: genotype {genotype}: accepted: {', '.join(has)}")
    if not has:
        return None, None
    settings = module.Settings(**settings) if isinstance(settings, dict) else settings
    language = getattr(module, schema.MAKERS[genotype or has[0]])(game, settings)
    if isinstance(language, RuleLanguage):
        view = lambda state: module.view(game, settings, state)  # noqa: E731
        return language, RulePlayer(language, view, game.legal_actions, settings.symmetric)
    if getattr(settings, "guide", False):
        return language, Guide(language, game, *module.guide(game, settings))
    if hasattr(module, "perform"):
        return language, Walker(language, game, lambda *leaf: module.perform(game, settings, *leaf))
    depth = getattr(settings, "depth", 0)
    if depth:
        view = lambda state: module.view(game, settings, state)  # noqa: E731
        mover = settings.features in module.TO_MOVE
        return language, SearchedPlayer(language, game, view, depth, mover, tail_of(game, min(2, depth)))
    if hasattr(module, "outcome"):
        outcome = lambda state, place: module.outcome(game, settings, state, place)  # noqa: E731
        return language, GreedyPlayer(language, game.choices, outcome)
    return language, ProgramPlayer(
        language,
        features=lambda state: module.features(game, settings, state),
        decide=lambda state, values: module.decide(game, settings, state, values),
    )


def measured_player(at: Table, config: schema.Config, games: Games) -> Any:
    """Return what plays for the fittest of a generation when they are measured: searching deeper, perhaps."""
    depth = config.fitness.measured_depth
    if depth is None:
        return at.player
    deeper = replace(config, program={**config.program, "depth": depth})
    return table(deeper, games, schema.GENOTYPES[config.algorithm.kind]).player


def creator(language: Language, algorithm: Algorithm | Groups) -> Callable[[Array, int], Genome]:
    """Return (key, count) -> that many random individuals, made as the algorithm makes them."""
    if isinstance(language, RuleLanguage):
        options = algorithm if isinstance(algorithm, Groups) else Groups()

        def rule_lists(key: Array, count: int) -> Genome:
            keys = jax.random.split(key, count)
            return jax.vmap(lambda k: rulelists.create(k, language, options.creation, options.capacity))(keys)

        return rule_lists
    assert isinstance(algorithm, Algorithm)
    return lambda key, count: creation.create(key, language, algorithm.creation, count, algorithm.capacity)


def opponent(spec: OpponentOptions, at: Table, config: schema.Config) -> Opponent:
    """Seat one member of the panel."""
    options = config.fitness
    if spec.kind == "random":
        return RandomOpponent(at.game, games=spec.games)
    if spec.kind == "search":
        searches = at.searches(spec.evaluator, spec.depth, spec.ties, options.tail, options.lanes)
        seated = tuple(SearchOpponent(one, spec.depth, options.table_size, games=spec.games) for one in searches)
        return seated[0] if len(seated) == 1 else AlternatingOpponent(seated)
    if spec.kind in ("programs", "champions"):
        create = creator(at.language, config.algorithm)
        return ProgramOpponent(
            at.game, at.player, create, spec.count, rounds=spec.games, champions=spec.kind == "champions"
        )
    if spec.kind == "strategy":
        return strategy(spec.name, at, spec.games)
    raise ValueError(f"kind={spec.kind}: accepted: search, random, programs, champions, strategy")


def strategy(name: str, at: Table, games: int = 1) -> ProgramOpponent:
    """Seat one of the game's own strategies; raises ValueError where there is none of that name for this board."""
    player, genome = strategist(name, at)
    one = jax.tree.map(lambda x: jax.numpy.asarray(x)[None], genome)
    return ProgramOpponent(at.game, player, lambda key, count: one, count=1, rounds=games)


def strategist(name: str, at: Table) -> tuple[Player, Genome]:
    """Return one of the game's own strategies, and how it plays.

    Raises:
        ValueError: there is none of that name for this board.
    """
    named = getattr(at.room("opponents"), "strategy", None)
    if named is None:
        raise ValueError(f"kind=strategy: {at.game.name} has no strategies")
    settings, text = named(name, at.game)
    language, player = playing(at.game, at.room("primitives"), settings, "rules")
    assert language is not None
    return player, languages.parse(language, text)


@dataclass(frozen=True)
class Experiment:
    """A run, ready to go: `init`, then `step` as often as there are generations.

    Attributes:
        config: what it was assembled from.
        table: the game and what plays it.
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
    def language(self) -> Language:
        language: Language = self.table.language
        return language

    @cached_property
    def init(self) -> Callable[[Array], EvolutionState]:
        """Return the state before the first generation, for a typed key."""
        return jax.jit(self.ring.init)

    @cached_property
    def step(self) -> Callable[[EvolutionState], tuple[EvolutionState, Metrics]]:
        """Run one generation; the state that goes in is used up."""
        return jax.jit(self.ring.step, donate_argnums=0)

    def replay(self, state: EvolutionState) -> list[ReplayGame]:
        """Play the champion from both seats against every opponent as the run has left it, or alone, to look at."""
        render, genome = self.table.room("render"), state.champion.genome
        if plays_alone(self.table.player):
            return [replay_alone(self.table.player, render, genome)]
        memories = state.memory[: len(self.panel)]
        rivals = [Rival(name, one, own) for (name, one), own in zip(self.panel.items(), memories, strict=True)]
        options, seed = self.config.fitness, self.config.seed
        return replay_games(self.game, render, self.table.player, genome, rivals, options.max_plies, seed)


def assemble(config: schema.Config, games: Games) -> Experiment:
    """Build a run.

    Raises:
        ValueError: something the game or the panel does not accept; the message names the option.
    """
    at = table(config, games, schema.GENOTYPES[config.algorithm.kind])
    panel = {name: opponent(spec, at, config) for name, spec in config.fitness.opponents.items()}
    options = config.fitness
    if plays_alone(at.player):
        assert isinstance(config.algorithm, Algorithm)
        solo = SoloFitness(at.player, options.scale, options.parsimony, options.minimum)
        return Experiment(config, at, panel, Ring(solo, Generational(at.primitives, config.algorithm)))
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
    if isinstance(config.algorithm, Groups):
        rules = config.algorithm
        relative = GroupFitness(at.player, fitness, rules.group_size, rules.panel_weight, rules.ties, rules.stop)
        return Experiment(config, at, panel, Ring(relative, Winners(at.language, rules)))
    scheme = Generational(at.primitives, config.algorithm)
    if options.coplay:
        guides = tuple(
            coevolution.Guide(opponent(spec, at, config), spec.rounds, spec.cutoff, spec.weight)
            for spec in options.guides.values()
        )
        coevolved = CoevolutionFitness(
            player=at.player,
            panel=replace(fitness, player=measured_player(at, config, games)),
            guides=guides,
            games=options.coplay,
            weight=options.coplay_weight,
            opening=options.opening_plies,
            measured=options.measured,
        )
        return Experiment(config, at, panel, Ring(coevolved, scheme))
    return Experiment(config, at, panel, Ring(fitness, scheme))
