"""Where games of chess begin: positions drawn at random until one is as asked, or listed ones."""

from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.geometry import OFF, SQUARES, Board, attacks, batch_last, legal_moves
from jaxgp.arrays import apart

if TYPE_CHECKING:
    from envs.chess.rules import Chess

TOGETHER = 16
"""Positions that are drawn together."""
ROUNDS = 256
"""How often, before a start is given up."""


class Start(NamedTuple):
    """A start; see the fields of a state."""

    men: Array  # int8[2, S]
    kinds: Array  # int8[2, S]
    clock: Array  # int8[]
    to_move: Array  # int32[]
    found: Array  # bool[]: whether there is one


def draw(game: "Chess", key: Array) -> Start:
    """Return the start of a game, a function of `key`."""
    which, key = jax.random.split(key)
    army = jax.random.randint(which, (), 0, len(game.armies)) if len(game.armies) > 1 else jnp.int32(0)
    kinds = jnp.asarray(_kinds(game))[army]
    if game.positions:
        given = Start(*(jnp.asarray(x) for x in listed(game)))
        return jax.tree.map(lambda x: x[army], given)
    present = jnp.asarray(_present(game))[army]

    # Apart, or else a CPU draws anew for each of the squares that are compared.
    fits = batch_last(lambda board: apart(lambda: fitting(game, lax.optimization_barrier(board))))

    def some(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        number, _, _ = carry
        bits = jax.random.bits(jax.random.fold_in(key, number), (*present.shape, TOGETHER), jnp.uint8)
        men = jnp.where(present[..., None], (bits % SQUARES).astype(jnp.int8), np.int8(OFF))
        good = fits(Board(men, jnp.broadcast_to(kinds[..., None], men.shape)))
        first = men[..., jnp.argmax(good)]
        return number + 1, first, good.any() & goes_on(Board(first, kinds))

    start = jnp.int32(0), jnp.full(present.shape, OFF, jnp.int8), jnp.bool_(False)
    _, men, found = lax.while_loop(lambda carry: (carry[0] < ROUNDS) & ~carry[2], some, start)
    return Start(men, kinds, jnp.int8(0), jnp.int32(0), found)


def vet(game: "Chess") -> None:
    """Refuse positions in which the game has ended, and starts that draws do not find; raises ValueError.

    Positions of up to six men are found by enough draws, whatever the men are.
    """
    if game.positions:
        given = listed(game)
        boards = Board(*(jnp.moveaxis(jnp.asarray(x), 0, -1) for x in (given.men, given.kinds)))
        going = jax.device_get(jax.jit(goes_on)(boards)) & (given.men[:, :, 1:] != OFF).any((1, 2))
        if not going.all():
            number = int(np.argmin(going)) + 1
            why = f"position {number} has ended, or has three men that give check"
            raise ValueError(f"game.fen={game.fen}: {why}; accepted: positions of games that go on")
    elif game.start == "quiet" and game.most_men > 6:
        found = jax.jit(jax.vmap(lambda key: draw(game, key).found))(jax.random.split(jax.random.key(0), 16))
        if not found.all():
            raise ValueError(
                f"game.start={game.start}: {TOGETHER * ROUNDS} draws find no such position of {game.endgame}; "
                "accepted: legal, or fewer men"
            )


def fitting(game: "Chess", board: Board) -> Array:
    """Return bool[*B]: which boards are as asked and legal; they may be ended, or have two men on one square."""
    men, size = board.men.reshape(-1, *board.men.shape[2:]), board.men.shape[1]
    same = jnp.zeros(men.shape[1:], bool)
    for n in range(len(men)):
        same |= ((men[n] == men[n + 1 :]) & (men[n] < OFF)).any(0)
    struck = attacks(board)
    found = ~same & ~struck[:size, size].any(0)
    if game.start == "quiet":
        found &= ~(struck[:size, size:] | struck[size:, :size]).any((0, 1))
    elif game.start != "legal":
        from envs.chess import tables  # built where they are asked for

        names = tuple(game.endgame.split(","))
        asked = tables.won(names, board) if game.start == "won" else tables.held(names, board, game.most_choices)
        found &= asked
    return found


def goes_on(board: Board) -> Array:
    """Return bool[*B]: whether the side to move has a move, and no more than two men give check, as in all of chess."""
    moves = legal_moves(board)
    return (moves.checks <= 2) & (moves.words != 0).any((0, 1))


def _kinds(game: "Chess") -> np.ndarray:
    """Return int8[E, 2, S]: the kinds of the men of each army, those of the side to move first."""
    kinds = np.zeros((len(game.armies), 2, game.width), np.int8)
    for row, army in enumerate(_armies(game)):
        for side, men in enumerate(army):
            kinds[row, side, : len(men)] = men
            kinds[row, side, len(men) :] = 1
    return kinds


def _present(game: "Chess") -> np.ndarray:
    """Return bool[E, 2, S]: which places have a man."""
    sizes = np.array([[len(side) for side in army] for army in _armies(game)])
    return np.arange(game.width) < sizes[..., None]


def _armies(game: "Chess") -> list[tuple[tuple[int, ...], ...]]:
    """Return the kinds of the men of each army, those of the side to move first."""
    moves = [one.first for one in game.positions] or [True] * len(game.armies)
    return [army if first else army[::-1] for army, first in zip(game.armies, moves, strict=True)]


def listed(game: "Chess") -> Start:
    """Return the listed starts, [N], in NumPy arrays."""
    men = np.full((len(game.positions), 2, game.width), OFF, np.int8)
    for row, one in enumerate(game.positions):
        for side, placed in enumerate((one.white, one.black) if one.first else (one.black, one.white)):
            men[row, side, : len(placed)] = [square for _, square in placed]
    clock = np.array([one.clock for one in game.positions], np.int8)
    to_move = np.array([not one.first for one in game.positions], np.int32)
    return Start(men, _kinds(game), clock, to_move, np.ones(len(men), bool))  # type: ignore[arg-type]
