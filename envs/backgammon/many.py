"""The best whole turns of many games side by side, by the value of the position that each of them leads to.

`envs.backgammon.whole` lists the turns of one position. Under `vmap` every position would pay for 680 rows of doubles,
and for as many turns as the position with the most has. So positions with doubles are taken apart here, some at a time;
and the turns of all positions form one queue, which is valued some at a time. The work is the number of turns.

Turns of equal value are chosen by lot, each with equal probability. Loops on the device play a turn whole. At the table
it is played man by man, and is looked for anew before each man. So the lot is a number that follows from the position
after the turn and from the random bits of the roll: the turn that wins it at first wins it again among the turns that
are left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.backgammon import whole
from envs.backgammon.rules import BAR, Backgammon, State, column
from jaxgp.arrays import apart, suited, take
from jaxgp.bits import finalise, nth_bit
from jaxgp.players.greedy import LOWEST, Best, best_of
from jaxgp.spec import ChoosesTurns

Men = tuple[Array, Array]
"""int8[..., 26], men of the side that has played, and int8[..., 26], those of the other side, by its points."""
Value = Callable[[Array, Men, Array], Array]
"""(int32[K] which states, ascending; the positions [K] after turns; int32[] how many of them count) -> float32[K]."""

Sizes = tuple[int, int, int]
SIZES: Sizes = (256, 64, 2560)
"""Positions without doubles whose turns are listed together, and with doubles, and rows for all of the latter, at least
as many as one position may need."""
WIDE_SIZES: Sizes = (2**13, 2**11, 2**16)
"""The same on devices other than a CPU."""
TOGETHER, WIDE = 512, 2**17
"""Turns that are valued together, on a CPU and on other devices."""
FEW = 16
"""Positions up to which these are the sizes. The last games of many, which go on alone, need no more."""
FEW_SIZES: Sizes = (FEW, 4, 0)
FEW_TOGETHER = 128
MIX = np.random.default_rng(0).integers(2**32, size=(2, BAR + 1), dtype=np.uint32) | np.uint32(1)
"""Odd factors that mix the men of the points into one number."""


def lots(own: Array, other: Array, luck: Array) -> Array:
    """Return uint32[...], at least 1: what positions (int8[26, ...] twice) draw with random bits (uint32[...])."""
    mine, theirs = (side.astype(jnp.uint32) * column(mix, side) for side, mix in zip((own, other), MIX, strict=True))
    mixed = (mine + theirs).sum(0, dtype=jnp.uint32)
    drawn = mixed ^ (luck * np.uint32(0x9E3779B9))
    return jnp.maximum(finalise(drawn), 1)


def best_turns(game: Backgammon, states: State, active: Array, value: Value, random: bool = True) -> Array:
    """Return uint32[N]: the codes of the turns with the highest values; see `envs.backgammon.whole`.

    Args:
        game: the rules.
        states: [N].
        active: bool[N], the states whose turns are wanted; the others get 0, a pass.
        value: of the positions after turns; NaN counts as the lowest value.
        random: whether equal turns are chosen by lot; otherwise the first of them in their order.
    """
    wanted = active & (states.moves != 0).any(-1) & ~states.terminated
    if len(active) <= FEW:
        return _in_batches(game, states, wanted, value, random, FEW_SIZES, FEW_TOGETHER)
    # Both are computed, one of them with nothing to do. A conditional would compute both in full under `vmap`.
    few = wanted.sum() <= FEW
    some = _in_batches(game, states, wanted & few, value, random, FEW_SIZES, FEW_TOGETHER)
    return some | _in_batches(
        game, states, wanted & ~few, value, random, suited(SIZES, WIDE_SIZES), suited(TOGETHER, WIDE)
    )


@dataclass(frozen=True)
class BestTurns(ChoosesTurns):
    """Plays the turn with the highest value, the first of equal ones.

    Attributes:
        game: the rules.
    """

    game: Backgammon

    def __call__(self, state: State, bits: Array) -> Array:
        """Return int32[], the next move of the best turn; `bits` is not used."""
        del bits
        alone: State = jax.tree.map(lambda x: x[None], state)
        return self.together(alone, jnp.zeros(1, jnp.uint32), jnp.ones(1, bool))[0]

    def together(self, states: State, bits: Array, active: Array) -> Array:
        """Return int32[N], the next moves in many games at once."""
        return self.turns(states, bits, active)[:, 0]


def best_moves(game: Backgammon, states: State, active: Array, value: Value, random: bool = True) -> Array:
    """Return int32[N, 4]: the moves of these turns, one after the other, then -1."""
    return jax.vmap(whole.actions)(states, best_turns(game, states, active, value, random))


def _in_batches(
    game: Backgammon, states: State, wanted: Array, value: Value, random: bool, sizes: Sizes, together: int
) -> Array:
    """Return uint32[N]: the codes of the best turns, 0 for states that are not wanted, in batches of these sizes."""
    count = len(wanted)
    doubles = states.dice[:, 0] == states.dice[:, 1]
    widths = [min(width, count) for width in sizes[:2]]
    rows = [widths[0] * BAR, max(sizes[2], whole.most_rows(game))]  # one position has room in any case

    def listed(kind: int, todo: Array) -> tuple[Array, ...]:
        lanes, over, shifts, heads, lasts, owner = _listed(states, todo[kind], game, kind > 0, widths[kind], rows[kind])
        heads, lasts = (jnp.pad(x, (0, max(rows) - rows[kind])) for x in (heads, lasts))
        owner = jnp.pad(owner, (0, max(rows) - rows[kind]), constant_values=max(widths))
        lanes = jnp.pad(lanes, (0, max(widths) - widths[kind]), constant_values=count)
        return lanes, *(jnp.pad(x, (0, max(widths) - widths[kind])) for x in (over, shifts)), heads, lasts, owner

    def batch(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        todo, codes = carry  # todo: bool[2, N], without and with doubles
        kind = (~todo[0].any()).astype(jnp.int32)
        lanes, over, shifts, heads, lasts, owner = lax.switch(kind, [partial(listed, kind) for kind in (0, 1)], todo)
        found = _valued(states, lanes, shifts, heads, lasts, owner, value, random, together)
        return todo.at[kind, lanes].set(over, mode="drop"), codes.at[lanes].set(found, mode="drop")

    start = jnp.stack([wanted & ~doubles, wanted & doubles]), jnp.zeros(count, jnp.uint32)
    return lax.while_loop(lambda carry: carry[0].any(), batch, start)[1]


@partial(jax.jit, static_argnums=(2, 3, 4, 5))  # traced once for all who play
def _listed(
    states: State, todo: Array, game: Backgammon, doubles: bool, width: int, rows: int
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """List the turns of the next states; `todo` is bool[N].

    Args:
        states: [N].
        todo: bool[N].
        game: the rules.
        doubles: whether the dice of these states are equal.
        width: states that are looked at, B.
        rows: of all of them, R.

    Returns:
        int32[B], the states, N for none; bool[B], whether there was no room for the rows of a state; int32[B], the
        place of the last move; uint32[R] and uint32[R], the rows; int32[R], ascending, whose they are, by place in B.
    """
    count = len(todo)
    lanes = jnp.nonzero(todo, size=width, fill_value=count)[0].astype(jnp.int32)
    some = take(states, jnp.minimum(lanes, count - 1))
    if doubles:
        left = jnp.where(lanes < count, some.left[:, 0], 0)
        heads, lasts, owner, shifts, over = whole.sequences(game, some.own, some.other, some.dice[:, 0], left, rows)
        return lanes, over, shifts, heads, lasts, owner
    heads, lasts, shifts = jax.vmap(whole.pairs)(some)
    lasts = jnp.where((lanes < count)[:, None], lasts, 0)
    owner = jnp.repeat(jnp.arange(width, dtype=jnp.int32), rows // width)
    return lanes, jnp.zeros(width, bool), shifts, heads.reshape(-1), lasts.reshape(-1), owner


def _valued(
    states: State,
    lanes: Array,
    shifts: Array,
    heads: Array,
    lasts: Array,
    owner: Array,
    value: Value,
    random: bool,
    together: int,
) -> Array:
    """Return uint32[B]: the codes of the best turns of the states `lanes` (int32[B]), whose rows `owner` tells apart.

    `together` turns are valued at a time.
    """
    width, last_lane = len(lanes), states.terminated.shape[0] - 1
    together = min(together, 64 * width)
    sizes = lax.population_count(lasts).astype(jnp.int32)
    ends = jnp.cumsum(sizes)

    def some(carry: tuple[Array, Best]) -> tuple[Array, Best]:
        first, best = carry
        place = first + jnp.arange(together, dtype=jnp.int32)
        row = jnp.minimum(jnp.searchsorted(ends, place, side="right"), len(ends) - 1).astype(jnp.int32)
        here = jnp.minimum(owner[row], width - 1)
        rank = place - (ends[row] - sizes[row])
        code = heads[row] | nth_bit(lasts[row], rank).astype(jnp.uint32) << shifts[here].astype(jnp.uint32)
        lane = jnp.minimum(lanes[here], last_lane)
        # Apart, or else a CPU gathers and plays anew inside of all that reads it.
        columns = tuple(x[lane].T for x in (states.own, states.other, states.dice, states.luck))
        *before, luck, code = apart(lambda *x: x, *columns, code)
        own, other = apart(whole.after, *before, code)
        used = place < ends[-1]
        values = value(lane, (own.T, other.T), jnp.minimum(ends[-1] - first, together))
        values = jnp.where(jnp.isnan(values), LOWEST, jnp.maximum(values, LOWEST))
        draw = lots(own, other, luck) if random else ~place.astype(jnp.uint32)
        # Apart, or else a CPU computes them anew in all that compares them.
        turns = lax.optimization_barrier((values, draw, code))
        return first + together, best_of(best, jnp.where(used, here, width), turns)

    none = jnp.zeros(width, jnp.uint32)
    start = jnp.int32(0), (jnp.full(width, -jnp.inf, jnp.float32), none, none)
    return lax.while_loop(lambda carry: carry[0] < ends[-1], some, start)[1][2]
