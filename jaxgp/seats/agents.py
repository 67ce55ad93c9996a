"""Players that choose one move at a time on the host: for the terminal, where a person waits for the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.bits import lot, pick
from jaxgp.contracts import Alone, Game, Opponent, Player, Position, Solver
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome
from jaxgp.players import ply
from jaxgp.players.searches import draws
from jaxgp.printable import plies
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.search.chance import unused_key
from jaxgp.seats.moves import Move, Stepper, game_key

EXPECTED = 3
"""Moves that a hint tells of after its own."""

Choice = Callable[[Position, np.uint32], int | None]
"""(state, random bits, uniform) -> a move, or None: there is no legal one."""
Hint = Callable[[Position, np.uint32], tuple[int | None, str]]
"""(state, random bits, uniform) -> the move to make, None if there is none, and in words what is known of it."""


def _nothing(*_: object) -> None:
    """Do nothing: the default of the hooks beside `choose`."""


@dataclass(frozen=True)
class Agent:
    """A player that is not a person; a `Mover`.

    Attributes:
        name: its name in announcements.
        choose: (state, random bits) -> its move, or None where it names no legal one. The bits are its only chance.
        attend: called with the record of the game, the opening and all moves, before each choice.
        close: called when the player is no longer needed.
        remark: what is to be said before the game; empty: nothing.
    """

    name: str
    choose: Choice
    attend: Callable[[Sequence[Move]], object] = _nothing
    close: Callable[[], object] = _nothing
    remark: str = ""

    def reply(self, record: Sequence[Move], bits: np.uint32) -> int | None:
        """Return its move in the position that a record leads to, or None where it names no legal one."""
        self.attend(record)
        return self.choose(record[-1].state, bits)


def random_agent(game: Game) -> Agent:
    """Play any legal move with equal probability."""
    move = jax.jit(partial(ply.random_move, game))
    return Agent("random", lambda state, bits: int(move(state, bits)))


def search_agent(searches: Sequence[AlphaBeta], depth: int) -> Agent:
    """Play a best move of an alpha-beta search: the first one, or a uniformly random one if its `ties` are "all".

    Of several searches one is drawn uniformly for every move.
    """

    def choose(state: Position, bits: np.uint32) -> int:
        drawn, left = lot(jnp.uint32(bits), len(searches))
        return int(_searching(searches[int(drawn)])(state, jnp.int32(depth), left)[0])

    return Agent(f"search, {plies(depth)}", choose)


def search_hints(searches: Sequence[AlphaBeta], depth: int, certain: float | None, name: Callable[[int], str]) -> Hint:
    """Return what answers a request for a hint by a search: a best move, its value for the side to move, what follows.

    Args:
        searches: of several one is drawn uniformly for every hint.
        depth: plies.
        certain: values at least this far from 0 prove a result; None: no value does.
        name: what people call an action.
    """

    def hint(state: Position, bits: np.uint32) -> tuple[int, str]:
        drawn, left = lot(jnp.uint32(bits), len(searches))
        search = searches[int(drawn)]
        move, best = _searching(search)(state, jnp.int32(depth), left)
        value, by = float(best), f"a search of {plies(depth)}"
        line = " ".join(name(action) for action in _expected(search, state, int(move), depth, left))
        then = f", and expects {line}" if line else ""
        if certain is not None and abs(value) >= certain:
            return int(move), f"{by} proves a {'win' if value > 0 else 'loss'}{then}"
        return int(move), f"{by} values it at {value:.4g}{then}"

    return hint


def _expected(search: AlphaBeta, state: Position, move: int, depth: int, bits: Array) -> list[int]:
    """Return the moves that a search expects after a move, a few of them."""
    found: list[int] = []
    step = _stepping(search.game)
    for left in range(depth - 1, max(depth - 1 - EXPECTED, 0), -1):
        state = step(state, jnp.int32(move))
        if bool(state.terminated):
            break
        move = int(_searching(search)(state, jnp.int32(left), bits)[0])
        found.append(move)
    return found


@lru_cache(maxsize=16)
def _stepping(game: Game) -> Callable[[Position, Array], Position]:
    """Compile the moves of a game without chance."""
    return jax.jit(lambda state, action: game.step(state, action, unused_key()))


@lru_cache(maxsize=16)
def _searching(search: AlphaBeta) -> Callable[[Position, Array, Array], tuple[Array, Array]]:
    """Compile (state, int32[] depth, uint32[] bits) -> int32[], a best move, its value; once for all depths."""

    def move(state: Position, depth: Array, bits: Array) -> tuple[Array, Array]:
        values, _ = search_root(search, state, depth, bits)
        return pick(best_moves(values), bits) if search.ties == "all" else jnp.argmax(values), values.max()

    return jax.jit(move)


def search_root(search: AlphaBeta, state: Position, depth: Array, bits: Array) -> tuple[Array, Array]:
    """Search one position, int32[] plies deep; return float32[A], the values of its moves, and int32[], nodes."""
    root = jax.tree.map(lambda x: x[None], state)
    found = search.search(root, depth[None], jnp.int32(1), *draws(search, bits[None]))
    return found.values[0], found.nodes[0]


def program_agent(player: Player, genome: Genome, name: str) -> Agent:
    """Play the moves of one individual: a program, a rule list."""
    prepare, move = _acting(player)
    plans = prepare(genome)

    def choose(state: Position, bits: np.uint32) -> int | None:
        action, legal = move(plans, state, bits)
        return int(action) if bool(legal) else None

    return Agent(name, choose)


@lru_cache(maxsize=16)
def _acting(player: Player) -> tuple[Callable[..., object], Callable[..., tuple[Array, Array]]]:
    """Compile what a player does for one genome at one board; genomes of one shape share the compiled functions."""

    def prepare(genome: Genome) -> object:
        return player.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))

    def move(plans: object, state: Position, bits: Array) -> tuple[Array, Array]:
        moves, legal = player.act(plans, jax.tree.map(lambda x: jnp.asarray(x)[None, None], state), bits[None, None])
        return moves[0, 0, 0], legal[0, 0]

    return jax.jit(prepare), jax.jit(move)


def opponent_agent(opponent: Opponent, memory: object, name: str, place: int = 0) -> Agent:
    """Make an agent of an opponent from the device loops, with its memory.

    Args:
        opponent: the opponent.
        memory: what it carries: reply tables, champions of the past.
        name: its name in announcements.
        place: which of its 2 * `games` games this is; an opponent of several genomes plays each game with another one.
    """
    shape = (1, 2 * opponent.games)
    here = jnp.arange(shape[1])[None] == place
    reply, think = _replying(opponent)
    known = [memory]

    def choose(state: Position, bits: np.uint32) -> int | None:
        states = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *jnp.shape(x))), state)
        drawn = jnp.full(shape, bits, jnp.uint32)
        action, ready = reply(known[0], states, drawn)
        if not bool(ready[0, place]):
            known[0], _ = think(known[0], states, here, drawn)
            action, _ = reply(known[0], states, drawn)
        move = int(action[0, place, 0])
        return move if move >= 0 else None

    return Agent(name, choose)


@lru_cache(maxsize=16)
def _replying(opponent: Opponent) -> tuple[Callable[..., tuple[Array, Array]], Callable[..., tuple[object, Array]]]:
    """Compile what an opponent does; games from both seats share the compiled functions."""
    return jax.jit(opponent.reply), jax.jit(opponent.think)


def genome_agent(cast: Cast, genome: Genome, name: str) -> Agent:
    """Play as one individual, in any position, or in the one game that it plays alone."""
    make = solo_agent if isinstance(cast.actor, Alone) else program_agent
    return make(cast.actor, genome, name)


def solo_agent(soloist: Alone, genome: Genome, name: str) -> Agent:
    """Play the one game of an individual that plays alone; it has no move in positions outside that game."""
    actions = [action for action, _ in soloist.record(genome)]
    game = soloist.game
    *before, _ = Stepper(game, game_key(0)).retrace(actions)
    moves = {np.asarray(game.key(move.state)).tobytes(): action for move, action in zip(before, actions, strict=True)}
    remark = ""
    if isinstance(soloist, Solver) and not actions:
        remark = f"{name} finds no solution within {soloist.limit:,} nodes"
    return Agent(name, lambda state, bits: moves.get(np.asarray(game.key(state)).tobytes()), remark=remark)
