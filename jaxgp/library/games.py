"""Short functions for notebooks: take a role, seat an opponent, load a champion, look at a board.

`import jaxgp` also gives classes and functions of the rooms; `jaxgp.__init__` lists them.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp import files
from jaxgp.arrays import is_legal
from jaxgp.checks.unions import of_kind
from jaxgp.checks.values import whole
from jaxgp.config.schema import Config
from jaxgp.contracts import Game, Opponent, Position
from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions, GroupsOptions
from jaxgp.evolution.state import BestSoFar as Found
from jaxgp.evolution.state import EvolutionState
from jaxgp.fitness.panel import check_opponent, check_player
from jaxgp.games import casting
from jaxgp.games.casting import Cast
from jaxgp.games.outside import Games, Only
from jaxgp.genotypes.language import Genome, fault, sizes, to_text
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.rulelists import RuleLanguage, RuleLists
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.library.evolving import History
from jaxgp.measure import champions, evaluation
from jaxgp.options import MAX_SEED, list_options, make_checked
from jaxgp.report import tree
from jaxgp.run.assemble import creator
from jaxgp.search.chance import unused_key
from jaxgp.seats.agents import Agent, genome_agent
from jaxgp.seats.options import OpponentOptions
from jaxgp.spec import Spec
from jaxgp.store import champion as champion_files


def take(spec: Spec, role: str | None = None, options: dict[str, object] | None = None, **settings: object) -> Cast:
    """Take a role in a game.

    Args:
        spec: the game, for example `envs.spec("mancala")`, or what the `spec()` of your own game returns.
        role: by name; None: the first.
        options: some options of the role.
        settings: some settings of the rules.

    Raises:
        UsageError: something that the game or the role does not have or accept; the message says what is.
    """
    if not isinstance(spec, Spec):
        reject("spec", spec, 'a Spec, such as envs.spec("mancala")')
    return casting.cast(spec, spec.make(**settings), role, values=options or {})


def opponent(cast: Cast, kind: str = "search", **values: object) -> Opponent:
    """Seat an opponent for fitness and measurements.

    Args:
        cast: the game, and how genomes play it.
        kind: search, random, program, champion or strategy.
        values: options of that kind, such as depth, and `games`.

    Raises:
        UsageError: an option that is wrong, or something that the game does not have.
    """
    _check_cast(cast)
    _check_turns(cast)
    chosen = make_checked(of_kind("kind", kind, OpponentOptions.kinds.all(), OpponentOptions.former), values, "")
    algorithm = GroupsOptions() if isinstance(cast.language, RuleLanguage) else GPOptions()
    return chosen.seat(cast, creator(cast.language, algorithm), PanelFitnessOptions())


def _check_cast(cast: object) -> None:
    if not isinstance(cast, Cast):
        reject("cast", type(cast).__name__, "a Cast, which jaxgp.take returns")


def _check_turns(cast: Cast) -> None:
    """Refuse a simulation, in which nobody moves by turns; raises UsageError."""
    if cast.simulated:
        reject("cast", cast.spec.name, "a game of turns; jaxgp.drive drives simulations")


@dataclass(frozen=True)
class Board:
    """A position that shows itself: as text where it is printed, as a picture in a notebook."""

    spec: Spec
    game: Game
    state: Position

    def __str__(self) -> str:
        return self.spec.drawing.text(self.game, self.state)

    def __repr__(self) -> str:
        return f"Board({self.spec.name})"

    def _repr_html_(self) -> str:
        return self.spec.drawing.svg(self.game, self.state)


def board(cast: Cast, state: Position) -> Board:
    """Return a position that shows itself."""
    return Board(cast.spec, cast.game, state)


@dataclass(frozen=True)
class Champion:
    """An individual that plays, and shows itself: as text where it is printed, as a tree in a notebook.

    Attributes:
        cast: its game, and how it plays.
        genome: the individual.
    """

    cast: Cast
    genome: Genome

    @cached_property
    def text(self) -> str:
        """The S-expression of a program, or a rule list with one rule on each line."""
        return to_text(self.cast.language, self.genome)

    @cached_property
    def agent(self) -> Agent:
        """The individual as a player at the table."""
        return genome_agent(self.cast, self.genome, "champion")

    def move(self, state: Position, bits: int = 0) -> int | None:
        """Return its move in a position, an action of the game; None where it names no legal one.

        Args:
            state: a position of its game, unbatched.
            bits: its random bits, a number below 2**32; unused by a player without chance.

        Raises:
            UsageError: `bits` is no such number.
        """
        whole("bits", bits, 0, MAX_SEED)
        _check_turns(self.cast)
        return self.agent.choose(state, np.uint32(bits))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Champion({self.cast.spec.name}, size {int(sizes(self.genome))})"

    def _repr_html_(self) -> str:
        if isinstance(self.cast.language, RuleLanguage):
            return f"<pre>{html.escape(self.text)}</pre>"
        return tree.draw(self.text)


def champion(cast: Cast, genome: Genome) -> Champion:
    """Return an individual, such as `state.champion.genome`, ready to play.

    Raises:
        UsageError: anything else, a population, or an individual that the language of the cast cannot have. Arrays do
            not say which language they are written in, so one of another language may pass.
    """
    _check_cast(cast)
    if not isinstance(genome, Programs | RuleLists):
        reject("genome", type(genome).__name__, "an individual, such as state.champion.genome")
    genome, lists = jax.device_get(genome), isinstance(cast.language, RuleLanguage)
    if isinstance(genome, RuleLists) != lists:
        reject(
            "genome", type(genome).__name__, f"{'rule lists' if lists else 'programs'}, as {cast.spec.name} has them"
        )
    trees = () if isinstance(cast.language, RuleLanguage) else (cast.language.num_trees,)
    if np.shape(genome.length) != trees:
        reject("genome", f"length int32{list(np.shape(genome.length))}", f"one individual, length int32{list(trees)}")
    if why := fault(genome, cast.language):
        reject("genome", type(genome).__name__, f"an individual in the language of {cast.spec.name} ({why})")
    return Champion(cast, genome)


def load(path: str | Path, games: Games | Spec) -> Champion:
    """Load the champion of a run directory, or a champion file. No code of the file is run.

    Args:
        path: of the directory or the file; FILE.jsonl#SEED names one of several.
        games: where its game comes from: the package `envs`, or the `Spec` of a game of your own.

    Raises:
        UsageError: there is none, or it cannot be used here.
    """
    if not isinstance(games, Spec) and not hasattr(games, "available"):
        reject("games", type(games).__name__, "the package envs, or a Spec of your own game")
    found = champions.load(str(path), Only(games) if isinstance(games, Spec) else games)
    return Champion(found.cast, found.genome)


def save(champion: Champion, path: str | Path, state: EvolutionState | None = None, title: str = "") -> None:
    """Write a champion file, text that `load` and every command read.

    Args:
        champion: who.
        path: the file; an older one is replaced.
        state: of the evolution that found it, for its fitness; None: the file says nothing of it.
        title: what reports call it.

    Raises:
        UsageError: no champion, or the file cannot be written.
    """
    if not isinstance(champion, Champion):
        reject("champion", type(champion).__name__, "a Champion, which jaxgp.champion returns")
    cast, unknown = champion.cast, jnp.float32(jnp.nan)
    settings = {one.name: getattr(cast.game, one.name) for one in list_options(cast.game)}
    config = Config(game={"name": cast.spec.name, **settings}, program=cast.program, title=title)
    found = Found(champion.genome, unknown, unknown[None], jnp.int32(-1)) if state is None else state.champion
    content = champion_files.describe(replace(found, genome=champion.genome), cast.language, config)
    files.save_text("path", files.user_path("path", str(path)), champion_files.as_text(content))


def evaluate(champion: Champion, opponents: Mapping[str, Opponent], seed: int = 0) -> History:
    """Let a champion play opponents from both seats.

    Args:
        champion: who.
        opponents: by name, as `opponent` returns them; each says how many games there are from each seat.
        seed: of all chance.

    Returns:
        A row for each opponent: `opponent`, `games` of both seats together, `wins`, `draws`, `losses`; `score`, the
        share won, a draw counting half, and its 95 % interval `low` to `high` (NaN for one game from each seat);
        `first` and `second`, the score by seat; `points` and `against`, mean points in the game's own unit.

    Raises:
        UsageError: a value that is not accepted, or an opponent of another game.
    """
    if not isinstance(champion, Champion):
        reject("champion", type(champion).__name__, "a Champion, which jaxgp.champion and jaxgp.load return")
    if not isinstance(opponents, Mapping) or not opponents:
        reject("opponents", type(opponents).__name__, 'opponents by name, as in {"random": jaxgp.opponent(...)}')
    whole("seed", seed, 0, MAX_SEED)
    _check_turns(champion.cast)
    cast, one = champion.cast, jax.tree.map(lambda x: jnp.asarray(x)[None], champion.genome)
    check_player(cast.game, cast.actor)
    rows = []
    for number, (name, met) in enumerate(opponents.items()):
        check_opponent(cast.game, met)
        key = jax.random.fold_in(jax.random.key(seed), number)
        played = evaluation.play_out(key, cast.game, cast.actor, one, met, name=name)
        first, second, both = evaluation.results(name, cast.game, met, played)
        counts = {"games": both.games, "wins": both.wins, "draws": both.draws, "losses": both.losses}
        share = {"score": both.score, "low": both.score_low, "high": both.score_high}
        by_seat = {"first": first.score, "second": second.score, "points": both.points, "against": both.against}
        rows.append({"opponent": name, **counts, **share, **by_seat})
    return History.of(rows)


def opening(cast: Cast, seed: int = 0) -> Position:
    """Return an opening position of a game; `seed` draws all chance in it. Raises UsageError for a wrong seed."""
    _check_cast(cast)
    whole("seed", seed, 0, MAX_SEED)
    return cast.game.init(jax.random.key(seed))


def legal(cast: Cast, state: Position, action: Array) -> Array:
    """Return bool[]: whether an action (int32[]), which may be any number, can be played in a position.

    It is traced where its caller is: under `jax.jit`, and in a batch under `jax.vmap`.
    """
    return is_legal(cast.game.legal_actions(state), action)


def step(cast: Cast, state: Position, action: int, key: Array | None = None) -> Position:
    """Return the position after an action.

    Args:
        cast: the game.
        state: a position of it, unbatched.
        action: a legal one.
        key: draws what chance does after the action; None: in a game without chance.

    Raises:
        UsageError: no key for a game with chance, or an action that is not legal.
    """
    _check_cast(cast)
    _check_turns(cast)
    legal = np.flatnonzero(cast.game.legal_actions(state))
    if not isinstance(action, int | np.integer | Array) or int(action) not in legal:
        reject("action", action, f"a legal one: {', '.join(map(str, legal)) or 'none, as the game has ended'}")
    if key is None and cast.game.chance:
        reject("key", None, f"a key of jax.random; each step of {cast.spec.name} draws from one of its own")
    return cast.game.step(state, jnp.int32(action), unused_key() if key is None else key)
