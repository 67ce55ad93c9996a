"""Every promise between rooms, on one page: what is asked of a game, an actor, an opponent, a fitness and a scheme.

There is no code here. `P` counts individuals, `M` and `G` games of each, `A` actions, `T` trees of a program.

A key is a typed JAX random key, key[]. States, plans and memories are trees of arrays, whose types the implementers
choose. Everything is pure; `jax.vmap` happens at the outermost call, so a game sees one state at a time.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from jax import Array

if TYPE_CHECKING:
    from jaxgp.evolution.state import Champion
    from jaxgp.fitness.evaluation import Evaluation

State = TypeVar("State", bound="Position")
Plans = TypeVar("Plans")
Memory = TypeVar("Memory")
Genome = TypeVar("Genome")
States = Any
"""One state of a game, or many of them, [*B]: a tree of arrays whose type the game chooses."""
Genomes = Any
"""One genome, or many of them, [*B]: programs, rule lists, or the genomes of a user's own scheme."""
Metrics = Mapping[str, Array]
"""Scalars of one generation, by name; of several islands also arrays [I]."""


class Position(Protocol):
    """What every state of a game has beside its own fields. A state is a `flax.struct.dataclass`."""

    @property
    def to_move(self) -> Array:
        """int32[]: the seat that moves next. It need not alternate: extra turns and passes are allowed."""

    @property
    def terminated(self) -> Array:
        """bool[]: True once the game has ended. A step of an ended game changes nothing."""

    @property
    def returns(self) -> Array:
        """float32[seats]: zero until the end; then 1 a win, -1 a loss, 0 a draw. In a game for one: the score."""


class World(Protocol[State]):
    """What games, puzzles and simulations share: a frozen dataclass of settings whose methods are pure functions."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changes whenever the rules do."""

    @property
    def seats(self) -> int:
        """How many play: 1, alone; 2."""

    def init(self, key: Array) -> State:
        """Return the opening; all chance in it is drawn from `key`."""

    def score(self, state: State) -> Array:
        """Return float32[seats]: points by seat, in the game's own unit."""

    def __hash__(self) -> int:
        """Be the same for equal settings, so that a program is compiled once for them."""


@runtime_checkable
class Game(World[State], Protocol[State]):
    """A game of turns. In each turn one seat plays one of A discrete actions; A is `num_actions`."""

    @property
    def num_actions(self) -> int: ...

    @property
    def chance(self) -> bool:
        """Whether `step` uses its key. A search cannot play such a game."""

    def legal_actions(self, state: State) -> Array:
        """Return bool[A]: what the side to move may play; at least one before the end, none after it."""

    def step(self, state: State, action: Array, key: Array) -> State:
        """Play `action` (int32[], legal) for the side to move, then do what chance does after it, drawn from `key`."""

    def forfeit(self, state: State) -> State:
        """End the game as a loss for the side to move; a game for one ends as it stands."""

    def key(self, state: State) -> Array:
        """Return uint32[W]: an exact, collision-free code of all that the future of the game depends on, as the side
        to move sees it. States with equal keys have the same legal actions and the same continuations.
        """


class Searchable(Protocol[State]):
    """What a search needs of the rules: a part of `Game`."""

    @property
    def num_actions(self) -> int: ...

    def legal_actions(self, state: State) -> Array: ...

    def step(self, state: State, action: Array, key: Array) -> State: ...


class Twin(Searchable[Any], Protocol):
    """The same game as another one, with states of its own that are faster to search."""

    def pack(self, state: States) -> States:
        """Return a state of the other game in this form."""


@runtime_checkable
class ListsMoves(Protocol):
    """A game with many actions, few of them legal. Searches try those on the list alone."""

    @property
    def most_choices(self) -> int:
        """The most moves that there can be; a search keeps a place for each, so a low bound makes it faster."""

    def choices(self, state: States) -> Array:
        """Return int32[]: how many moves there are, a pass being one; at least 1, unspecified after the end."""

    def choice(self, state: States, place: Array) -> Array:
        """Return int32[]: the action at a place (int32[]) of the list, in ascending order; unspecified beyond it."""


@runtime_checkable
class RollsByTurn(Protocol):
    """A game whose chance comes at moments that both games of a pair share, such as the rolls at the start of turns."""

    def moment(self, state: States) -> Array:
        """Return int32[]: which moment the next chance after this state is; it grows from one to the next."""


@runtime_checkable
class ChoosesTogether(Protocol):
    """A fixed player that chooses in many states at once, where this is faster than in each of them alone."""

    def together(self, states: States, bits: Array, active: Array) -> Array:
        """Return int32[N] moves for states [N]; `bits` is uint32[N]. Only those of `active` (bool[N]) ones count."""


@runtime_checkable
class ChoosesTurns(Protocol):
    """A fixed player that chooses several moves of its side at once, where this is faster than one by one."""

    def turns(self, states: States, bits: Array, active: Array) -> Array:
        """Return int32[N, K]: one or more next moves of the side to move, -1 after the last one, for states [N].

        They are those that the player would choose one by one, and none is of the other side. `bits` is uint32[N]. Only
        the moves of `active` (bool[N]) ones count.
        """


@runtime_checkable
class PlaysTurns(Protocol):
    """A player or an opponent that chooses several moves of its side at once.

    Loops then play them one after the other, each as a ply of its own, and ask again when the side has another turn.
    """

    def turn(self, mind: Any, states: States, bits: Array, active: Array | None = None, /) -> tuple[Array, Array]:
        """Return int32[P, M, K], the next moves of the side to move, -1 after the last one; and bool[P, M].

        The first moves, and the rest, are as in `Player.act`, where `mind` is the plans, or in `Opponent.reply`, where
        it is the memory.
        """


@runtime_checkable
class Values(Protocol):
    """A player that values what moves lead to, and so can be asked about decisions that it does not play."""

    def values(self, plans: Any, states: States, outcomes: Any, wanted: Array, /) -> Array:
        """Return float32[P, D, W]: how P individuals value outcomes [D, W] of moves from states [D].

        Only the `wanted` values (bool[D, W]) need be right.
        """


class Lessons(NamedTuple):
    """Decisions that a teacher has judged, N of them, with up to W moves to choose from.

    Attributes:
        states: [N], before the decision.
        outcomes: [N, W], what the moves lead to, in the form that the player of the game looks at.
        values: float32[N, W], how much the teacher values them; minus infinity where there is no such move.
    """

    states: Any
    outcomes: Any
    values: Array


@runtime_checkable
class Learns(Values, Protocol):
    """A player whose individuals are programs, and that can say what these see of an outcome."""

    @property
    def primitives(self) -> Any:
        """The set that the programs are written in."""

    def looks(self, states: States, outcomes: Any, /) -> tuple[Any, Array]:
        """Return (features [F, N], tree int32[N]): what a program sees of each outcome, and which tree values it.

        Args:
            states: [N], before the moves.
            outcomes: [N], what the moves lead to.
        """


@runtime_checkable
class Puzzle(Game[State], ListsMoves, Protocol[State]):
    """A game for one, with many instances that searches solve.

    A state carries its whole instance, also what no move changes. So instances are a batch of states, [B, ...].
    `terminated` is True where the puzzle is `solved`, and where no move is left. A step of such a state changes
    nothing. `key` tells the states of one instance apart: states of different instances may have equal keys, and the
    number of moves made is not part of a key. Symmetric states may share a key, even if their actions are numbered
    differently.
    """

    def solved(self, state: State) -> Array:
        """Return bool[]: whether the goal is reached."""


@runtime_checkable
class Packs(Protocol):
    """A game whose states fit into fewer words than they have fields, for loops that move whole games about."""

    def pack(self, state: States) -> States: ...

    def unpack(self, words: States) -> States: ...


@runtime_checkable
class Player(Protocol[Plans]):
    """How a genome becomes moves: plays the games of many individuals at once."""

    @property
    def random(self) -> bool:
        """Whether `act` uses its random bits."""

    def prepare(self, genomes: Genomes, /) -> Plans:
        """Derive what individuals [P, ...] need to act, once for all their games."""

    def count(self, plans: Plans, /) -> int:
        """Return P."""

    def act(self, plans: Plans, states: States, bits: Array, active: Array | None = None, /) -> tuple[Array, Array]:
        """Return int32[P, M] moves and bool[P, M], whether each is legal, for states [P, M] of P individuals.

        `bits` is uint32[P, M], uniform. Only the moves in `active` (bool[P, M], None: all) states need be right.
        """

    def __hash__(self) -> int: ...


class Performance(NamedTuple):
    """Results of individuals that play alone.

    Attributes:
        points: float32[P].
        behaviour: uint32[P, W], equal for individuals that do the same.
        metrics: scalars over all individuals.
    """

    points: Array
    behaviour: Array
    metrics: Metrics


class Played(Protocol):
    """The games that a soloist shows, one of each individual."""

    @property
    def states(self) -> States:
        """[P]: the positions that end them."""


@runtime_checkable
class Alone(Protocol):
    """An actor in a game for one that has a game of its own to show, in place of a move in any position."""

    @property
    def game(self) -> Game: ...

    def record(self, genome: Genomes, /) -> list[tuple[int, int]]:
        """Return the moves of the game that is shown of one individual, each with the node that made it."""

    def reason(self, genome: Genomes, node: int, /) -> str:
        """Say in words what made a move."""


@runtime_checkable
class Soloist(Alone, Protocol[Plans]):
    """A player of a game for one that plays a game of its own."""

    def prepare(self, genomes: Genomes, /) -> Plans:
        """Derive what individuals [P, ...] need to play."""

    def perform(self, key: Array, plans: Plans, /) -> Performance:
        """Measure P individuals."""

    def play(self, plans: Plans, /) -> Played:
        """Play the game that is shown of each of P individuals; their last positions are in `states`."""


class Solved(Protocol):
    """What searches found for Q instances of a puzzle."""

    @property
    def solved(self) -> Array:
        """bool[Q]."""

    @property
    def nodes(self) -> Array:
        """int32[Q]: nodes visited."""

    @property
    def length(self) -> Array:
        """int32[Q]: moves of the solution; -1 where none was found."""

    @property
    def expanded(self) -> Array:
        """int32[Q]: nodes whose moves were listed; -1 where the search does not count them."""

    @property
    def moves(self) -> Array:
        """int16[Q, D]: actions of the solution, then -1."""


@runtime_checkable
class Solver(Alone, Protocol[Plans]):
    """Solves instances of a puzzle by a search in which genomes say what is tried first."""

    @property
    def limit(self) -> int:
        """The most nodes that a search visits."""

    def prepare(self, genomes: Genomes, /) -> Plans:
        """Derive what individuals [P, ...] need to search."""

    def solve(self, plans: Plans, whose: Array, states: States, limits: Array, /) -> Solved:
        """Search for solutions of instances [Q], each for the individual `whose` (int32[Q]).

        A search that has visited as many nodes as `limits` (int32[Q]) says ends without a solution.
        """

    @property
    def reference(self) -> str:
        """The name of `baseline`."""

    def baseline(self, states: States, limits: Array, /) -> Solved:
        """Search without any individual. All other searches are compared with this one."""

    @property
    def counts_expanded(self) -> bool:
        """Whether `solve` and `baseline` count the nodes whose moves they list."""

    @property
    def differs(self) -> bool:
        """Whether `unguided` is another search than `baseline`."""

    def unguided(self, states: States, limits: Array, /) -> Solved:
        """Search as `solve` does, without any individual."""


Actor = Player | Soloist | Solver
"""What a role makes of genomes."""


class Opponent(Protocol[Memory]):
    """Plays the other side in the games [P, M] of P individuals."""

    @property
    def games(self) -> int:
        """Games that each individual plays against it from each seat; M = 2 * games, first mover's games first."""

    @property
    def random(self) -> bool:
        """Whether `reply` uses its random bits."""

    @property
    def thinks(self) -> bool:
        """Whether a reply can be unknown, so that `think` has to find it."""

    @property
    def forfeits(self) -> bool:
        """Whether a reply can be -1, which forfeits the game."""

    def init(self, key: Array) -> Memory:
        """Return the memory at the start; it is carried from generation to generation."""

    def reply(self, memory: Memory, states: States, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M] moves, and bool[P, M]: whether each is known; `bits` is uint32[P, M].

        Only the replies in `active` (bool[P, M], None: all) states need be right.
        """

    def think(self, memory: Memory, states: States, waiting: Array, bits: Array) -> tuple[Memory, Array]:
        """Find replies for at least one of the `waiting` (bool[P, M]) games.

        The random bits (uint32[P, M]) are those that `reply` will get next in the same games. Return the memory and
        int32[], the number of positions searched.
        """

    def observe(self, memory: Memory, best: Genomes, improved: Array) -> Memory:
        """See the generation's best individual, and whether it is a new champion (bool[])."""

    def __hash__(self) -> int: ...


class Standing(NamedTuple):
    """How the best individual of a generation stands, by a measure that generations share.

    Attributes:
        best: int32[], its index in the population.
        fitness: float32[], by that measure.
        points: float32[S], what the fitness is made of, by seat.
        reached: bool[], whether it meets the aim of the run, which then is finished.
        metrics: of this measurement; they replace metrics of the same name in the evaluation.
    """

    best: Array
    fitness: Array
    points: Array
    reached: Array
    metrics: Metrics


class Fitness(Protocol[Memory]):
    """How good each individual is.

    `evaluate`, `standing` and the scheme's `breed` get the same key, the generation's. Each draws from children of this
    key that the others do not use; `jaxgp.evolution.ring` lists them.
    """

    @property
    def seats(self) -> int:
        """S, entries of points."""

    def init(self, key: Array) -> Memory:
        """Return the memory at the start, such as opponents' tables; it is carried from generation to generation."""

    def evaluate(self, key: Array, population: Genomes, memory: Memory) -> "tuple[Evaluation, Memory]":
        """Measure a population [P, ...]."""

    def standing(
        self, key: Array, result: "Evaluation", population: Genomes, memory: Memory
    ) -> tuple[Standing, Memory]:
        """Find the best individual by a measure that holds from one generation to the next."""

    def again(self, key: Array, genomes: Genomes, memory: Memory) -> tuple[Array, Array]:
        """Return float32[K] fitness and float32[K, S] points of individuals [K, ...] in new games, by `standing`."""

    def improves(self, standing: Standing, best: Genomes, champion: "Champion") -> Array:
        """Return bool[]: whether the generation's best individual takes the place of the champion."""

    def observe(self, memory: Memory, best: Genomes, improved: Array) -> Memory:
        """See the generation's best individual, and whether it is the new champion (bool[])."""

    def improve(
        self, key: Array, population: Genomes, result: "Evaluation", memory: Memory
    ) -> "tuple[Genomes, Evaluation]":
        """Change individuals after `evaluate`, with its key: they learn, and their children inherit it.

        Return the population [P, ...] after learning, and its evaluation.
        """

    def rivals(self, memory: Memory) -> tuple[Any, ...]:
        """Return the memories of the opponents that measure the champion; empty if there are none."""

    def in_chunks(self, chunk: int | None) -> "Fitness[Memory] | None":
        """Return the fitness that measures this many individuals at a time, at most, to need less memory; None: all.

        It finds the same. A fitness that measures all individuals together returns None.
        """


class Scheme(Protocol[Memory]):
    """How parents become children."""

    @property
    def population(self) -> int:
        """P."""

    @property
    def kept(self) -> int:
        """How many individuals of the next population, its first ones, are parents that stay as they are."""

    def init(self) -> Memory:
        """Return the memory at the start; it is carried from generation to generation."""

    def create(self, key: Array, count: int) -> Genomes:
        """Return random individuals [count, ...]."""

    def breed(
        self, key: Array, population: Genomes, result: "Evaluation", memory: Memory
    ) -> tuple[Genomes, Memory, Metrics]:
        """Return the next population [P, ...]; see `Fitness` for the key."""

    def describe(self, population: Genomes, best: Array) -> Metrics:
        """Return metrics of the genomes of a generation: sizes, how many are distinct; `best` is int32[]."""
