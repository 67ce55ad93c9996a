"""Every promise between rooms, on one page: what is asked of a game, an actor, an opponent, a fitness and a scheme.

These are declarations; `Driver.arrange` alone has a body. Comments give what a member returns: its shape, then its
meaning. `P` counts individuals, `M` and `G` games of each, `A` actions, `T` trees of a program.

A key is a typed JAX random key, key[]. States, plans and memories are trees of arrays, whose types the implementers
choose. Everything is pure; `jax.vmap` happens at the outermost call, so a game sees one state at a time.

A game or an actor says what else it can do by its base classes: `ListsMoves`, `RollsByTurn`, `Packs`, `Puzzle`,
`Simulation`, `Instanced`, `Problem`; `Soloist`, `Solver`, `Driver`, `Prover`. So does a fitness: `Differentiable`.
Methods are looked up by their names only to refuse a value that lacks them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol, TypeVar

from jax import Array
from jax.sharding import Mesh

if TYPE_CHECKING:
    from jaxgp.evolution.state import BestSoFar
    from jaxgp.fitness.evaluation import Evaluation, Standing
    from jaxgp.interpreter.reverse.gradients import Examples
    from jaxgp.players.alone.walk import Performance, Walked
    from jaxgp.search.proofs.claims import Claims
    from jaxgp.search.puzzles.solutions import Solutions

Scene = TypeVar("Scene", bound="Ends")
State = TypeVar("State", bound="Position")
Plans = TypeVar("Plans")
Memory = TypeVar("Memory")
States = Any
"""One state of a game, or many of them, [*B]: a tree of arrays whose type the game chooses."""
Genomes = Any
"""One genome, or many of them, [*B]: programs, rule lists, or the genomes of a user's own scheme."""
Metrics = Mapping[str, Array]
"""Scalars of one generation, by name; of several islands also arrays [I]."""
Starts = Literal["fixed", "drawn", "instance"]
"""Where a game begins: always alike, drawn by `init`, or from one of many instances, which a setting names."""


class Ends(Protocol):
    """What every state has beside its own fields. A state is a `flax.struct.dataclass`."""

    @property
    def terminated(self) -> Array: ...  # bool[]: True once it has ended. A step of an ended state changes nothing.


class Position(Ends, Protocol):
    """A state of a game of turns."""

    @property
    def to_move(self) -> Array: ...  # int32[]: the seat that moves next. Extra turns and passes are allowed.
    @property
    def returns(self) -> Array: ...  # float32[seats]: 0 until the end, then 1 won, -1 lost, 0 drawn; alone: the score.


class World(Protocol[Scene]):
    """What games and simulations share: a frozen dataclass of settings with pure methods. Equal settings hash alike."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...  # Changes whenever the rules do.
    @property
    def seats(self) -> int: ...  # How many play: 1, alone; 2.
    @property
    def starts(self) -> Starts: ...
    @property
    def chance(self) -> bool: ...  # Whether `step` uses its key. A search cannot play such a game.
    def init(self, key: Array) -> Scene: ...  # The start; all chance in it is drawn from `key`.
    def score(self, state: Scene) -> Array: ...  # float32[seats]: points by seat, in the game's own unit.


class Game(World[State], Protocol[State]):
    """A game of turns. In each turn one seat plays one of A discrete actions."""

    @property
    def num_actions(self) -> int: ...  # A.
    def __hash__(self) -> int: ...
    def legal_actions(self, state: State) -> Array:
        """Return bool[A]: what the side to move may play; at least one before the end, none after it."""

    def step(self, state: State, action: Array, key: Array) -> State:
        """Play `action` (int32[]) for the side to move, then do what chance does after it, drawn from `key`.

        A number that is not a legal action here changes nothing, whatever number it is; `jaxgp.arrays.is_legal` tells.
        """

    def forfeit(self, state: State) -> State:
        """End the game as a loss for the side to move; a game for one ends as it stands."""

    def key(self, state: State) -> Array:
        """Return uint32[W]: an exact code of all that the future of the game depends on, as the side to move sees it.

        States have equal keys only where legal actions and continuations are the same.
        """


class Measure(NamedTuple):
    """One of the quantities that a simulation measures."""

    name: str  # What options and tables call it.
    unit: str  # Of its values; empty: none.
    says: str  # What it is, in a few words.
    score: bool = False  # Whether it only ranks rollouts, the greater the better; tables leave it out.


class Simulation(World[Scene]):
    """Time: in each step all seats act at once, each by K real numbers.

    `init` and `step` draw from keys that depend on the key of the rollout and the number of the step alone.
    """

    horizon: int  # Steps after which a rollout is stopped, and measured as it stands.
    controls: int  # K.
    quantities: tuple[Measure, ...]  # The Q quantities that `measures` returns.

    @abstractmethod
    def sense(self, state: Scene, seat: Array) -> Array: ...  # float32[F]: what a seat (int32[]) perceives.
    @abstractmethod
    def step(self, state: Scene, controls: Array, key: Array) -> Scene:
        """Advance by one step under finite controls (float32[seats, K]); what chance does is drawn from `key`."""

    @abstractmethod
    def measures(self, state: Scene) -> Array:
        """Return float32[seats, Q]: the quantities, for a rollout that ends here; NaN where there is no such thing."""


class Instanced(ABC):
    """A simulation that takes place in one of many instances, such as tracks; `init` begins in that of its settings.

    An instance is a tree of arrays, of the same shapes for all: padded, or a number into a table that is a constant.
    """

    @abstractmethod
    def begin(self, instance: States, key: Array) -> States: ...  # The start in an instance; see `init`.


class ListsMoves(ABC):
    """A game with many actions, few of them legal. Searches try those on the list alone."""

    @property
    @abstractmethod
    def most_choices(self) -> int: ...  # The most moves there can be; a low bound makes searches faster.
    @abstractmethod
    def choices(self, state: States) -> Array:
        """Return int32[]: how many moves there are, a pass being one; at least 1, unspecified after the end."""

    @abstractmethod
    def choice(self, state: States, place: Array) -> Array:
        """Return int32[]: the action at a place (int32[]) of the list, in ascending order; unspecified beyond it."""


class RollsByTurn(ABC):
    """A game whose chance comes at moments that both games of a pair share, such as the rolls at the start of turns."""

    @abstractmethod
    def moment(self, state: States) -> Array: ...  # int32[]: the moment of the next chance after this state; it grows.


class Packs(ABC):
    """Writes states of a game in fewer words than they have fields, for loops that move whole games about."""

    @abstractmethod
    def pack(self, state: States) -> States: ...
    @abstractmethod
    def unpack(self, words: States) -> States: ...


class Puzzle(Game[State], ListsMoves):
    """A game for one, with many instances that searches solve.

    A state carries its whole instance, also what no move changes. So instances are a batch of states, [B, ...].
    `terminated` is True where the puzzle is `solved`, and where no move is left. `key` tells the states of one instance
    apart: states of different instances may have equal keys, and the number of moves made is not part of a key.
    Symmetric states may share a key, even if their actions are numbered differently.
    """

    __hash__ = object.__hash__

    @abstractmethod
    def advance(self, state: State, action: Array) -> State:
        """Play `action` (int32[]) without checking it: as `step` does if it is legal, unspecified if it is not.

        For searches, which try no other actions than those that they have listed.
        """

    @abstractmethod
    def solved(self, state: State) -> Array: ...  # bool[]: whether the goal is reached.


class Look(Protocol):
    """What is read off a position of a problem without a move: it costs nothing. A `flax.struct.dataclass`.

    A problem's own has more fields, such as the sets of legal moves, which searches may keep.
    """

    @property
    def count(self) -> Array: ...  # int32[]: how many moves there are; 0: the play is over.
    @property
    def won(self) -> Array: ...  # bool[]: the side that has just moved has won.
    @property
    def forcing(self) -> Array: ...  # int32[]: how many moves, the first ones of the list, are forcing, such as checks.


class Problem(World[State], ListsMoves):
    """A game for two, with many instances, in each of which the side that moves first has to prove that it wins.

    That side is the solver, seat 0. It may make so many moves of its own as `left` says at the root; whoever has moves
    must make one. A state carries its whole instance: instances are a batch of states, [B, ...].

    *One node is one legal move made*, anywhere, also one that is taken back or made again. The root costs nothing, and
    neither does what is read off a position: `look`, `won`, `over`, `choices`.

    `choices` and `choice` list the moves in one order, which the problem states: forcing moves stand first. The list is
    that of the rules alone; where `left` is 0, the solver has moves and may not make them. `terminated` of a state
    need not be kept up: searches ask for `look`.
    """

    @property
    @abstractmethod
    def deepest(self) -> int: ...  # The most moves of its own that an instance may give to the solver.
    @property
    @abstractmethod
    def orders(self) -> tuple[str, ...]: ...  # Names of orders of moves; the first is that of the list.

    __hash__ = object.__hash__

    @abstractmethod
    def look(self, state: State) -> Look: ...
    @abstractmethod
    def following(self, look: Any, action: Array, order: Any = None) -> Array:
        """Return int32[]: the action after this one (int32[]) in an order, by default that of the list.

        -1 comes after the last one, and the first one after -1. Other orders may number actions otherwise; `advance`
        plays them as well.
        """

    @abstractmethod
    def advance(self, state: State, action: Array) -> State:
        """Play `action` (int32[]) without checking it; unspecified if it is not legal."""

    @abstractmethod
    def won(self, state: State) -> Array: ...  # bool[]: the side that has just moved has won.
    @abstractmethod
    def over(self, state: State) -> Array: ...  # bool[]: there is no legal move.
    @abstractmethod
    def left(self, state: State) -> Array: ...  # int32[]: moves that the solver may still make.
    @abstractmethod
    def within(self, state: State, left: Array | int) -> State: ...  # The same position with so many moves left.
    @abstractmethod
    def key(self, state: State) -> Array: ...  # uint32[W]: exact code of the position, `left` apart.
    @abstractmethod
    def credit(self, action: Array, key: Array) -> Array:
        """Return float32[]: how near a first move (int32[]) comes to one that wins; 1: it is the same one."""


class Player(Protocol[Plans]):
    """How a genome becomes moves: plays the games of many individuals at once."""

    @property
    def random(self) -> bool: ...  # Whether `act` uses its random bits.
    def __hash__(self) -> int: ...
    def prepare(self, genomes: Genomes, /) -> Plans: ...  # What individuals [P, ...] need in all their games.
    def count(self, plans: Plans, /) -> int: ...  # P.
    def act(self, plans: Plans, states: States, bits: Array, active: Array | None = None, /) -> tuple[Array, Array]:
        """Return int32[P, M, K] moves and bool[P, M], whether each first one is legal, for states [P, M].

        They are one or more next moves of the side to move, -1 after the last one: those that the player would choose
        one by one, and none is of the other side. Loops play them one after the other, each as a ply of its own, and
        ask again when the side has another turn. `bits` is uint32[P, M], uniform. Only the moves in `active`
        (bool[P, M], None: all) states need be right.
        """


class InPacks(ABC, Generic[Plans]):
    """A player that needs nothing but its plans for a move, so that games can go on a few individuals at a time."""

    @abstractmethod
    def length(self, plans: Plans, /) -> Array: ...  # int32[P]: how long a move takes, in any unit.
    @abstractmethod
    def some(self, plans: Plans, who: Array, /) -> Any: ...  # Of individuals `who`, int32[C], as `act` takes them, too.


class Alone(ABC, Generic[Plans]):
    """An actor in a game for one that has a game of its own to show, in place of a move in any position."""

    game: Game

    @abstractmethod
    def prepare(self, genomes: Genomes, /) -> Plans: ...  # What individuals [P, ...] need to play or to search.
    @abstractmethod
    def record(self, genome: Genomes, /) -> list[tuple[int, int]]:
        """Return the moves of the game that is shown of one individual, each with the node that made it."""

    @abstractmethod
    def reason(self, genome: Genomes, node: int, /) -> str: ...  # What made a move, in words.


class Soloist(Alone[Plans]):
    """A player of a game for one that plays a game of its own."""

    @abstractmethod
    def perform(self, key: Array, plans: Plans, /) -> Performance: ...  # Measures P individuals.
    @abstractmethod
    def play(self, plans: Plans, /) -> Walked:
        """Play the game that is shown of each of P individuals; their last positions are in `states`."""


class Solver(Alone[Plans]):
    """Solves instances of a puzzle by a search in which genomes say what is tried first."""

    limit: int  # The most nodes that a search visits.
    reference: str  # The name of `baseline`.

    @abstractmethod
    def solve(self, plans: Plans, whose: Array, states: States, limits: Array, /) -> Solutions:
        """Search for solutions of instances [Q], each for the individual `whose` (int32[Q]).

        A search that has visited as many nodes as `limits` (int32[Q]) says ends without a solution.
        """

    @abstractmethod
    def baseline(self, states: States, limits: Array, /) -> Solutions:
        """Search without any individual. All other searches are compared with this one."""

    @abstractmethod
    def unguided(self, states: States, limits: Array, /) -> Solutions:
        """Search as `solve` does, without any individual."""

    @property
    @abstractmethod
    def counts_expanded(self) -> bool: ...  # Whether `solve` and `baseline` count the nodes whose moves they list.
    @property
    @abstractmethod
    def differs(self) -> bool: ...  # Whether `unguided` is another search than `baseline`.


class Prover(ABC, Generic[Plans]):
    """Searches instances of a problem for a first move that wins by force."""

    problem: Problem[Any]
    limit: int  # The most nodes of a search.
    proves: ClassVar[bool]  # Whether what it claims is proved, by the way it searches.

    @abstractmethod
    def prepare(self, genomes: Genomes, /) -> Plans: ...  # What individuals [P, ...] need to search.
    @abstractmethod
    def prove(self, plans: Plans, whose: Array, states: States, limits: Array, /) -> Claims:
        """Search instances [Q], each for the individual `whose` (int32[Q]).

        A search that has made as many nodes as `limits` (int32[Q]) says is truncated: it makes no further move, and
        what it has is taken.
        """


class Driver(ABC, Generic[Plans, Memory]):
    """Drives simulations: how a genome becomes controls, in the rollouts of many individuals at once."""

    random: bool  # Whether `control` uses its random bits.

    @abstractmethod
    def prepare(self, genomes: Genomes, /) -> Plans: ...  # What individuals [P, ...] need in all their rollouts.
    def arrange(self, plans: Plans, /) -> Any:
        """Return plans as `control` takes them, for some steps of the same individuals; by default as they are."""
        return plans

    @abstractmethod
    def start(self, plans: Plans, rollouts: int, /) -> Memory:
        """Return what P individuals remember at the start of M rollouts each, [P, M, ...]; () where it is nothing."""

    @abstractmethod
    def control(self, plans: Any, memory: Memory, sensed: Array, bits: Array, active: Array, /) -> tuple[Array, Memory]:
        """Return float32[P, M, K] controls, and the memory after them.

        `plans` are arranged, `sensed` is float32[P, M, F], `bits` is uint32[P, M], uniform. Only what is `active`
        (bool[P, M]) need be right.
        Controls that are not finite count as 0.
        """


Actor = Player | Soloist | Solver | Driver | Prover
"""What a role makes of genomes."""


class Remembers(Protocol[Memory]):
    """Carries a memory, such as a table, from generation to generation."""

    def init(self, key: Array) -> Memory: ...  # The memory at the start.
    def observe(self, memory: Memory, best: Genomes, improved: Array) -> Memory:
        """See the generation's best individual, and whether it is the new champion (bool[])."""


class Opponent(Remembers[Memory], Protocol[Memory]):
    """Plays the other side in the games [P, M] of P individuals."""

    @property
    def games(self) -> int: ...  # Of each individual against it, from each seat; M = 2 * games, first mover's first.
    @property
    def random(self) -> bool: ...  # Whether `reply` uses its random bits.
    @property
    def thinks(self) -> bool: ...  # Whether a reply can be unknown, so that `think` has to find it.
    @property
    def forfeits(self) -> bool: ...  # Whether a reply can be -1, which forfeits the game.
    def __hash__(self) -> int: ...
    def reply(self, memory: Memory, states: States, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return moves as `Player.act` does, for like `bits` and `active`, and bool[P, M]: whether they are known."""

    def think(self, memory: Memory, states: States, waiting: Array, bits: Array) -> tuple[Memory, Array]:
        """Find replies for at least one of the `waiting` (bool[P, M]) games; return also int32[], positions searched.

        `bits` (uint32[P, M]) are those that `reply` will get next in the same games.
        """


class Fitness(Remembers[Memory], Protocol[Memory]):
    """How good each individual is.

    `evaluate`, `standing` and the scheme's `breed` get the same key, the generation's. Each draws from children of this
    key that the others do not use; `jaxgp.evolution.ring` lists them.
    """

    @property
    def seats(self) -> int: ...  # S, entries of points.
    def evaluate(self, key: Array, population: Genomes, memory: Memory) -> tuple[Evaluation, Memory]:
        """Measure a population [P, ...]."""

    def standing(self, key: Array, result: Evaluation, population: Genomes, memory: Memory) -> tuple[Standing, Memory]:
        """Find the best individual by a measure that holds from one generation to the next."""

    def again(self, key: Array, genomes: Genomes, memory: Memory) -> tuple[Array, Array]:
        """Return float32[K] fitness and float32[K, S] points of individuals [K, ...] in new games, by `standing`."""

    def improves(self, standing: Standing, best: Genomes, champion: BestSoFar) -> Array:
        """Return bool[]: whether the generation's best individual takes the place of the champion."""

    def improve(
        self, key: Array, population: Genomes, result: Evaluation, memory: Memory
    ) -> tuple[Genomes, Evaluation]:
        """Return the population [P, ...] that has learned, with the key of `evaluate`, and its evaluation.

        What they learn, their children inherit.
        """

    def rivals(self, memory: Memory) -> tuple[object, ...]: ...  # Memories of opponents that measure champions, if any.
    def in_chunks(self, chunk: int | None) -> Fitness[Memory] | None:
        """Return a fitness that finds the same, at most `chunk` individuals (None: all) at a time, to need less memory.

        A fitness that can only measure all of them together returns None.
        """

    def shared(self, mesh: Mesh | None) -> Fitness[Memory] | None:
        """Return a fitness that finds the same, whose individuals a mesh of devices shares; None: one device has all.

        A fitness whose individuals cannot be measured apart returns None.
        """


class Differentiable(ABC, Generic[Memory]):
    """A fitness with a loss that the numbers of programs can follow downhill, as `algorithm.tune` lets them.

    Attributes:
        own: whether each program has examples of its own.
    """

    own: ClassVar[bool] = False

    @abstractmethod
    def examples(self, key: Array, population: Genomes, memory: Memory) -> Examples:
        """Return what programs [P, ...] learn from in a generation: the same for all of them, or [P, ...] if `own`."""

    @abstractmethod
    def loss(self, values: Array, known: Any) -> Array:
        """Return float32[], the loss of a program by its values in a block of examples (float32[B]).

        `known` is what the examples know of the block. JAX must be able to differentiate it by the values.
        """


class Scheme(Protocol[Memory]):
    """How parents become children."""

    @property
    def population(self) -> int: ...  # P.
    @property
    def kept(self) -> int: ...  # How many of the next population, its first ones, are parents that stay as they are.
    def init(self) -> Memory: ...  # The memory at the start; it is carried from generation to generation.
    def create(self, key: Array, count: int) -> Genomes: ...  # Random individuals [count, ...].
    def breed(
        self, key: Array, population: Genomes, result: Evaluation, memory: Memory
    ) -> tuple[Genomes, Memory, Metrics]:
        """Return the next population [P, ...]; see `Fitness` for the key."""

    def describe(self, population: Genomes, best: Array) -> Metrics:
        """Return metrics of the genomes of a generation: sizes, how many are distinct; `best` is int32[]."""
