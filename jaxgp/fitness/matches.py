"""Games of a population against a panel of opponents, from both seats, as one device program.

Games do not advance ply by ply together. Each goes on until it ends or needs a reply that its opponent has to think
about. Then the opponents think about all such positions at once, and the games go on. A player that knows
several moves of a turn plays them at once; this changes nothing of the games.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp import arrays
from jaxgp.bits import extend
from jaxgp.contracts import Game, InPacks, Opponent, Plans, Player
from jaxgp.players import ply
from jaxgp.search.packs import in_packs

State = Any
Memory = Any
Games = tuple[State, Array, Array, Array]
"""Games [P, G] that go on: states; plies, int32; behaviour, uint32[P, G, 2]; moves of thinkers so far, int32."""

PACK = 256
"""Games that go on together on a CPU, if the player allows it."""


@struct.dataclass
class Played:
    """The ended games [P, G] of P individuals."""

    states: State  # [P, G]: last positions
    plies: Array  # int32[P, G]: length of each game
    behaviour: Array  # uint32[P, G, 2]: two hashes of the moves that the individual made
    replies: Array  # a count, `jaxgp.arrays.counter`: moves made by opponents that may have to think
    searches: Array  # likewise: positions that opponents had to think about


def seats(opponents: Sequence[Opponent]) -> np.ndarray:
    """Return int32[G]: the individual's seat in each of its games. First seat first, opponent after opponent."""
    return np.concatenate([np.repeat([0, 1], opponent.games) for opponent in opponents]).astype(np.int32)


def points(game: Game, states: State, counted: str) -> Array:
    """Return float32[..., 2]: what games [...] are worth by seat, from 0 to 1.

    Args:
        game: the rules.
        states: positions after the last moves.
        counted: `result`: 1 for a win, 1/2, 0; `share`: the game's own points of a seat, divided by those of both; 1/2
            where neither has any.
    """
    if counted == "result":
        return states.returns * 0.5 + 0.5
    shape = states.to_move.shape
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[len(shape) :]), states)
    scores = jax.vmap(game.score)(flat)
    both = scores.sum(-1, keepdims=True)
    return jnp.where(both > 0, scores / jnp.where(both > 0, both, 1), 0.5).reshape(*shape, 2)


def mean_by_opponent(opponents: Sequence[Opponent], values: Array) -> Array:
    """Average float32[P, G] over the games of each opponent and seat: float32[P, O, 2]."""
    return jnp.stack([jnp.mean(values[:, s].reshape(len(values), 2, -1), -1) for s in _slices(opponents)], 1)


def keys_of(key: Array, population: int, opponents: Sequence[Opponent]) -> Array:
    """Return typed key[P, G]: of every game of P individuals; that of a game depends on `key` and its place alone."""
    return jax.random.split(key, (population, len(seats(opponents))))


def play(
    key: Array,
    game: Game,
    player: Player[Plans],
    plans: Plans,
    opponents: Sequence[Opponent],
    memories: Sequence[Memory],
    max_plies: int,
    entered: Array | None = None,
    paired: bool = False,
    opening: int = 0,
) -> tuple[Played, tuple[Memory, ...]]:
    """Play all games of P individuals to their ends.

    Args:
        key: typed key[], or key[P, G] as `keys_of` returns it; of chance in the game, of random players and opponents.
            What happens in one game depends on its key and its moves, never on what the opponents remember.
        game: the rules.
        player: how an individual plays.
        plans: of the P individuals, from `player.prepare`.
        opponents: the panel, at least one.
        memories: what each opponent carries.
        max_plies: games are stopped here and scored as they stand.
        entered: bool[P], who plays; the games of the others are not begun. None: all play.
        paired: whether the n-th games from both seats against an opponent have the same chance, by turns: what one side
            rolls in the one game, the other side rolls in the other. The game is a `RollsByTurn`.
        opening: plies at the beginning of each game that are random moves, uniform among the legal ones.

    Returns:
        The games, and the opponents' memories.
    """
    seat, parts = seats(opponents), _slices(opponents)
    thinker = np.concatenate([np.repeat(opponent.thinks, 2 * opponent.games) for opponent in opponents])
    keys = key if key.ndim else keys_of(key, player.count(plans), opponents)
    shape = keys.shape
    if paired:
        twins = np.concatenate([np.tile(np.arange(part.start, (part.start + part.stop) // 2), 2) for part in parts])
        keys = keys[:, twins]
    start_keys = jax.vmap(jax.vmap(lambda k: jax.random.fold_in(k, max_plies + 1)))(keys)
    replies_random = any(opponent.random for opponent in opponents)
    resigns = any(opponent.forfeits for opponent in opponents)

    def draw(keys: Array, plies: Array, wanted: bool) -> Array:
        return jax.vmap(jax.vmap(ply.bits))(keys, plies) if wanted else jnp.zeros(plies.shape, jnp.uint32)

    def after(keys: Array, states: State, action: Array, legal: Array, plies: Array) -> State:
        """Return games [B] after actions."""
        moments = ply.moments(game, states, plies) if paired else plies
        return jax.vmap(partial(ply.after, game))(states, action, legal, keys, moments)

    def replies(memories: tuple[Memory, ...], states: State, bits: Array, theirs: Array) -> tuple[Array, Array]:
        answers = [
            opponent.reply(memory, _cut(states, part), bits[:, part], theirs[:, part])
            for opponent, memory, part in zip(opponents, memories, parts, strict=True)
        ]
        most = max(moves.shape[-1] for moves, _ in answers)
        moves = [jnp.pad(x, [(0, 0), (0, 0), (0, most - x.shape[-1])], constant_values=-1) for x, _ in answers]
        return jnp.concatenate(moves, 1), jnp.concatenate([known for _, known in answers], 1)

    def going(states: State, plies: Array) -> Array:
        return ply.going(states, plies, max_plies)

    def one_turn_each(keys: Array, plans: Plans, memories: tuple[Memory, ...], games: Games) -> tuple[Games, Array]:
        """Play a turn of each side; return the games, and bool[P], who can go on without a thought of an opponent."""
        states, plies, behaviour, made = games
        mine = going(states, plies) & (states.to_move == seat)
        moves, legal = player.act(plans, states, draw(keys, plies, player.random), mine)

        def move(
            games: tuple[State, Array, Array], given: tuple[Array, Array], action: Array, now: Array
        ) -> tuple[State, Array, Array]:
            (states, plies, behaviour), (keys, legal) = games, given
            now &= going(states, plies)
            moved = after(keys, states, action, legal, plies)
            behaviour = jnp.where(now[..., None], extend(behaviour, action), behaviour)
            return arrays.where(now, moved, states), plies + now, behaviour

        states, plies, behaviour = ply.turn(move, (states, plies, behaviour), (keys, legal), moves, mine)
        theirs = going(states, plies) & (states.to_move != seat)
        moves, ready = replies(memories, states, draw(keys, plies, replies_random), theirs)

        def answer(
            games: tuple[State, Array, Array], given: tuple[Array, Array], action: Array, now: Array
        ) -> tuple[State, Array, Array]:
            (states, plies, made), (keys, thinks) = games, given
            now &= going(states, plies)
            answered = after(keys, states, action, action >= 0 if resigns else jnp.ones_like(now), plies)
            return arrays.where(now, answered, states), plies + now, made + (now & thinks)

        answering = theirs & ready
        states, plies, made = ply.turn(
            answer, (states, plies, made), (keys, jnp.broadcast_to(thinker, plies.shape)), moves, answering
        )
        more = answering | (going(states, plies) & (states.to_move == seat))
        return (states, plies, behaviour, made), more.any(1)

    def round_(carry: tuple[Games, tuple[Memory, ...], Array]) -> tuple[Games, tuple[Memory, ...], Array]:
        games, memories, searches = carry

        def advance(own: tuple[Array, Plans], games: Games, on: Array, until: Array) -> tuple[Games, Array]:
            def step(carry: tuple[Games, Array]) -> tuple[Games, Array]:
                games, more = one_turn_each(*own, memories, carry[0])
                return games, more & on

            return lax.while_loop(lambda c: c[1].sum(dtype=jnp.int32) > until, step, (games, on))

        def together(games: Games, unfinished: Array) -> Games:
            return advance((keys, plans), games, jnp.ones_like(unfinished), jnp.int32(0))[0]

        def by_packs(games: Games, unfinished: Array) -> Games:
            assert isinstance(player, InPacks)
            some, size = player.some, max(1, min(shape[0], PACK // shape[1]))
            order = arrays.longest_first(player.length(plans))[1]
            return in_packs(
                lambda who, *rest: advance((keys[who], some(plans, who)), *rest), games, unfinished, order, size
            )

        go_on = partial(lax.platform_dependent, cpu=by_packs, default=together)
        games = (go_on if isinstance(player, InPacks) else together)(games, going(*games[:2]).any(1))
        states, plies, *_ = games
        waiting, bits = going(states, plies), draw(keys, plies, replies_random)
        thought = [
            opponent.think(memory, _cut(states, part), waiting[:, part], bits[:, part])
            for opponent, memory, part in zip(opponents, memories, parts, strict=True)
        ]
        return games, tuple(m for m, _ in thought), searches + sum(n for _, n in thought)

    start = jax.vmap(jax.vmap(game.init))(start_keys)
    begun = jnp.zeros(shape, jnp.int32)
    chance = game.chance or game.starts != "fixed" or opening or player.random or replies_random
    # Equal individuals play equal games, of which one is played.
    leader = arrays.leaders(plans) if isinstance(player, InPacks) and not chance and entered is None else None
    if leader is not None:
        entered = leader == jnp.arange(len(leader))
    if entered is not None:
        begun = jnp.where(entered[:, None], begun, max_plies)

    def drawn(number: Array) -> Array:
        return draw(keys, jnp.full(shape, number), True)

    def open_by(states: State, action: Array, plies: Array) -> State:
        return jax.vmap(after)(keys, states, action, jnp.ones(shape, bool), plies)

    start, begun = ply.open_games(game, (start, begun), opening, drawn, open_by, max_plies)
    games, memories, searches = lax.while_loop(
        lambda c: going(*c[0][:2]).any(),
        round_,
        (
            (start, begun, jnp.zeros((*shape, 2), jnp.uint32), jnp.zeros(shape, jnp.int32)),
            tuple(memories),
            jnp.zeros((), arrays.counter(keys.size * max_plies)),
        ),
    )
    states, plies, behaviour, made = games if leader is None else arrays.take(games, leader)
    return Played(states, plies, behaviour, arrays.total(made, max_plies), searches), memories


def _slices(opponents: Sequence[Opponent]) -> list[slice]:
    ends = np.cumsum([2 * opponent.games for opponent in opponents])
    return [slice(int(end) - 2 * o.games, int(end)) for end, o in zip(ends, opponents, strict=True)]


def _cut(states: State, part: slice) -> State:
    return jax.tree.map(lambda x: x[:, part], states)
