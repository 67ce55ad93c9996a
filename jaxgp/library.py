"""Short functions for notebooks: take a role, seat an opponent, load a champion, look at a board.

`import jaxgp` also gives classes and functions of the rooms; `jaxgp.__init__` lists them.
"""

import html
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp import options
from jaxgp import spec as specs
from jaxgp.contracts import Game, Opponent, Position
from jaxgp.errors import UsageError, reject
from jaxgp.evolution.options import Algorithm, Groups
from jaxgp.fitness.options import Fitness
from jaxgp.genotypes.language import Genome, to_text
from jaxgp.genotypes.rulelists import RuleLanguage
from jaxgp.measure import champions
from jaxgp.report import tree
from jaxgp.run.assemble import creator
from jaxgp.search.chance import unused_key
from jaxgp.seats.agents import Agent, genome_agent
from jaxgp.seats.options import RENAMED, OpponentOptions
from jaxgp.spec import Cast, Games, Spec


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
    return specs.cast(spec, spec.make(**settings), role, values=options or {})


def opponent(cast: Cast, kind: str = "search", **values: object) -> Opponent:
    """Seat an opponent for fitness and measurements.

    Args:
        cast: the game, and how genomes play it.
        kind: search, random, program, champion or strategy.
        values: options of that kind, such as depth, and `games`.

    Raises:
        UsageError: an option that is wrong, or something that the game does not have.
    """
    made = options.made(options.of_kind("kind", kind, OpponentOptions.kinds(), RENAMED), values, "")
    algorithm = Groups() if isinstance(cast.language, RuleLanguage) else Algorithm()
    return made.seat(cast, creator(cast.language, algorithm), Fitness())


@dataclass(frozen=True)
class Board:
    """A position that shows itself: as text where it is printed, as a picture in a notebook."""

    spec: Spec
    game: Game
    state: Position

    def __str__(self) -> str:
        return self.spec.drawing.text(self.game, self.state)

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
        """
        return self.agent.choose(state, np.uint32(bits))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        if isinstance(self.cast.language, RuleLanguage):
            return f"<pre>{html.escape(self.text)}</pre>"
        return tree.draw(self.text)


def champion(cast: Cast, genome: Genome) -> Champion:
    """Return an individual, such as `state.champion.genome`, ready to play."""
    return Champion(cast, jax.device_get(genome))


def load(path: str | Path, games: Games) -> Champion:
    """Load the champion of a run directory, or a champion file. No code of the file is run.

    Raises:
        UsageError: there is none, or it cannot be used here.
    """
    found = champions.load(str(path), games)
    return Champion(found.cast, found.genome)


def opening(cast: Cast, seed: int = 0) -> Position:
    """Return an opening position of a game; `seed` draws all chance in it."""
    return cast.game.init(jax.random.key(seed))


def step(cast: Cast, state: Position, action: int, key: Array | None = None) -> Position:
    """Return the position after an action.

    Args:
        cast: the game.
        state: a position of it, unbatched.
        action: a legal one.
        key: draws what chance does after the action; None: in a game without chance.

    Raises:
        UsageError: no key for a game with chance.
    """
    if key is None and cast.game.chance:
        reject("key", None, f"a key of jax.random; each step of {cast.spec.name} draws from one of its own")
    return cast.game.step(state, jnp.int32(action), unused_key() if key is None else key)


__all__ = ["Board", "Champion", "UsageError", "board", "champion", "load", "opening", "opponent", "step", "take"]
