"""Temporal differences: individuals that value the leaves of a search learn their numbers by games against themselves.

An individual plays some games with itself. A position is to be worth what the next one is, and so on to the end of the
game, whose result is known. What learns is the value of the leaf of the principal variation, or that of the position
before the search. Sources: J. Baxter, A. Tridgell, L. Weaver, "TDLeaf(lambda): Combining temporal difference learning
with game-tree search" (1998); J. Veness, D. Silver, W. Uther, A. Blair, "Bootstrapping from game tree search" (2009),
for the position itself; M. Szubert, W. Jaskowski, K. Krawiec, "Learning board evaluation function for Othello by
hybridizing coevolution with temporal difference learning" (2011), for both in one generation.

Values become chances to win by the logistic function. A program's values have any scale, so each individual has a rate
of its own: of some, the one by which its values say best how its games have ended.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array, lax

from jaxgp import arrays
from jaxgp.arrays import take
from jaxgp.checks.values import whole
from jaxgp.contracts import Differentiable, Game
from jaxgp.errors import reject
from jaxgp.fitness.matches import points
from jaxgp.fitness.taught.options import DifferencesOptions
from jaxgp.fitness.words import COUNTED
from jaxgp.genotypes.language import Genome
from jaxgp.interpreter.calls import Features
from jaxgp.interpreter.plan import Plan
from jaxgp.interpreter.reverse.gradients import Examples
from jaxgp.options import MAX_GAMES
from jaxgp.players import ply
from jaxgp.players.searched import MOST, SearchedPlayer
from jaxgp.printable import brief
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.chance import refuse_chance, unused_key

BLOCK = 256
"""Positions of a block of examples."""
RATES = np.exp2(np.arange(-3, 5)).astype(np.float32)
"""What an individual's values, divided by their root mean square, may be multiplied by to say chances."""
SURE = 30.0
"""Logits are clipped to this where a rate is chosen."""
HIGHEST = 1e9
"""Values are clipped to this where a gradient passes."""

State = Any


class Wanted(NamedTuple):
    """What the loss knows of a block of positions."""

    rate: (
        Array  # float32[..., B]: by what a value is multiplied to be a logit of the side that moved; 0: it is left out
    )
    goal: Array  # float32[..., B]: the chance to win that it is to say


class Ply(NamedTuple):
    """A ply of games [Q]; scanned, [K, Q]. What tells of a value is seen from the side that moves."""

    seen: Features  # [F, Q]: of the position that learns
    sign: Array  # float32[Q]: by what the program's value of it is multiplied; 0: the program does not value it
    found: Array  # float32[Q]: what the search finds
    result: Array  # float32[Q]: 1 for a win, 1/2, 0, if the move ends the game
    there: Array  # bool[Q]: whether the game goes on before the move
    cut: Array  # bool[Q]: whether a random move is made in place of the best
    ended: Array  # bool[Q]
    turned: Array  # bool[Q]: whether the other side moves next


def goals(found: Array, result: Array, cut: Array, ended: Array, turned: Array, share: Array | float) -> Array:
    """Return float32[K, *B]: what the chances to win of K plies of games [*B] are to be, for the side to move.

    Args:
        found: float32[K, *B], the chance that a search finds, for the side to move.
        result: float32[K, *B], points of the side to move, if its move ends the game.
        cut: bool[K, *B], whether what follows says nothing of the position.
        ended: bool[K, *B].
        turned: bool[K, *B], whether the other side moves next.
        share: lambda, also float32[K, *B]: the share of the next goal; the rest is what the search finds.
    """

    def back(later: Array, one: tuple[Array, ...]) -> tuple[Array, Array]:
        found, result, cut, ended, turned, share, last = one
        after = jnp.where(turned, 1 - later, later)
        known = jnp.where(ended, result, jnp.where(last, found, after))
        goal = (1 - share) * found + share * jnp.where(cut, found, known)
        return goal, goal

    shares = jnp.broadcast_to(jnp.asarray(share, jnp.float32), found.shape)
    last = np.arange(len(found)) == len(found) - 1
    return lax.scan(back, found[0], (found, result, cut, ended, turned, shares, last), reverse=True)[1]


@dataclass(frozen=True, eq=False)
class Differences(Differentiable[Any]):
    """The loss of individuals by games against themselves: the cross entropy of chances to win and their goals.

    Attributes:
        game: the rules, without chance.
        player: how individuals play; they are one tree each, and value the leaves of a search.
        asked: how many games, and what is learned from them.
        counted: what a game counts; see `jaxgp.fitness.matches.points`.

    Raises:
        UsageError: a value that is not accepted, a game with chance, or individuals of several trees.
    """

    game: Game
    player: SearchedPlayer
    asked: DifferencesOptions
    counted: str = "result"

    own: ClassVar[bool] = True

    __repr__ = brief

    def __post_init__(self) -> None:
        refuse_chance(self.game)
        whole("games", self.asked.games, 1, MAX_GAMES)
        if self.counted not in COUNTED:
            reject("counted", self.counted, ", ".join(COUNTED))
        if self.player.top is not None:
            reject("player", self.player, "a player whose individuals are one tree")

    def examples(self, key: Array, population: Genome, memory: Any) -> Examples:
        """Return positions of games of each individual against itself, [P, K, ...], packed as the player sees them."""
        del memory
        plans = self.player.prepare(population)
        count, games = self.player.count(plans), self.asked.games
        play_key, draw_key = jax.random.split(key)
        plies = jax.tree.map(lambda x: x.reshape(*x.shape[:-1], count, games), self._played(play_key, plans))
        rates = self._rates(plies)
        chances = jax.nn.sigmoid(jnp.clip(rates[:, None] * plies.found, -SURE, SURE))
        wanted = goals(chances, plies.result, plies.cut, plies.ended, plies.turned, self.asked.decay)
        learned = plies.there & (plies.sign != 0)
        learned &= ~plies.cut if self.asked.learns == "leaf" else True

        def by_individual(x: Array) -> Array:  # [K, ..., P, G] as [P, K * G, ...]
            found = jnp.moveaxis(x, (-2, 0, -1), (0, 1, 2))
            return found.reshape(count, -1, *found.shape[3:])

        marks = by_individual(learned)
        size = min(self.asked.positions, marks.shape[1])
        width = min(BLOCK, size)
        lots = jnp.where(marks, jax.random.uniform(draw_key, marks.shape), -1.0)
        drawn, places = lax.top_k(lots, size // width * width)
        pick = jax.vmap(take)

        def blocks(x: Array) -> Array:
            found = pick(by_individual(x), places)
            return found.reshape(count, -1, width, *found.shape[2:])

        there = (drawn >= 0).reshape(count, -1, width)
        seen = jax.tree.map(lambda x: jnp.moveaxis(blocks(x), -1, -2), plies.seen)
        rate = jnp.where(there, rates[:, None, None] * blocks(plies.sign), 0.0)
        return Examples(seen, jnp.where(there, 0, 1).astype(jnp.int32), Wanted(rate, blocks(wanted)))

    def loss(self, values: Array, known: Wanted) -> Array:
        """Return the mean cross entropy of chances, from values float32[B], and goals."""
        there = known.rate != 0
        logits = known.rate * jnp.clip(jnp.where(there, values, 0.0), -HIGHEST, HIGHEST)
        lost = optax.sigmoid_binary_cross_entropy(logits, known.goal)
        return jnp.where(there, lost, 0.0).sum() / jnp.maximum(there.sum(), 1)

    def _rates(self, plies: Ply) -> Array:
        """Return float32[P]: by what the values of each individual are multiplied to be logits."""
        known = plies.there & (jnp.abs(plies.found) <= MOST)
        values, axes = jnp.where(known, plies.found, 0.0), (0, 2)
        most = jnp.maximum(jnp.abs(values).max(axes, keepdims=True), np.finfo(np.float32).tiny)
        number = jnp.maximum(known.sum(axes, keepdims=True), 1)
        spread = most * jnp.sqrt(jnp.square(values / most).sum(axes, keepdims=True) / number)
        scaled = values / jnp.where(spread > 0, spread, 1.0)
        never = jnp.zeros_like(known)
        ends = goals(jnp.full(values.shape, 0.5), plies.result, never, plies.ended, plies.turned, 1.0)

        def lost(rate: Array) -> Array:
            each = optax.sigmoid_binary_cross_entropy(jnp.clip(rate * scaled, -SURE, SURE), ends)
            return jnp.where(known, each, 0.0).sum(axes)

        best = jnp.asarray(RATES)[jnp.stack([lost(rate) for rate in RATES]).argmin(0)]
        return best / jnp.where(spread > 0, spread, 1.0)[0, :, 0]

    def _played(self, key: Array, plans: Plan) -> Ply:
        """Return all plies of all games, [K, P * G]."""
        asked, total = self.asked, self.player.count(plans) * self.asked.games
        start_key, opening_key, ply_key = jax.random.split(key, 3)
        start = jax.vmap(self.game.init)(jax.random.split(start_key, total))
        random = jax.random.randint(opening_key, (total,), 0, asked.opening + 1)

        def one(states: State, number: Array) -> tuple[State, Ply]:
            bits_key, lot_key = jax.random.split(jax.random.fold_in(ply_key, number))
            drawn = jax.vmap(partial(ply.random_move, self.game))(states, jax.random.bits(bits_key, (total,)))
            cut = (number < random) | (jax.random.uniform(lot_key, (total,)) < asked.chance)
            return self._ply(plans, states, drawn, cut)

        return lax.scan(one, start, jnp.arange(asked.plies, dtype=jnp.int32))[1]

    def _ply(self, plans: Plan, states: State, drawn: Array, cut: Array) -> tuple[State, Ply]:
        """Make a move in all games, `drawn` where it is `cut`, and the best one else."""
        going = ~states.terminated
        search = replace(self.player, tail=1).search()
        values = self._searched(search, plans, states, self.player.depth, going)
        best = values.argmax(-1).astype(jnp.int32)
        learning, sign = states, jnp.where(going, 1.0, 0.0)
        if self.asked.learns == "leaf":
            learning = self._leaves(search, plans, states, best, going)
            same = learning.to_move == states.to_move
            sign = jnp.where(going & ~learning.terminated, jnp.where(same, 1.0, -1.0), 0.0)
        after = self._step(states, jnp.where(cut, drawn, best), going)
        worth = points(self.game, after, self.counted)
        result = jnp.take_along_axis(worth, states.to_move[:, None], 1)[:, 0]
        seen = jax.vmap(self._view, out_axes=-1)(learning)
        side = 1.0 if self.player.mover else -1.0
        found = jnp.where(going, values.max(-1), 0.0)
        turned = after.to_move != states.to_move
        return after, Ply(seen, side * sign, found, result, going, cut, going & after.terminated, turned)

    def _view(self, state: State) -> Features:
        """Return what a program sees of a position."""
        twin = self.player.twin
        return self.player.view(state if twin is None else twin.pack(state))

    def _leaves(self, search: AlphaBeta, plans: Plan, states: State, best: Array, going: Array) -> State:
        """Return the ends of the principal variations of states, of which the best moves are known."""

        def deeper(made: Array, here: State) -> State:
            on = going & ~here.terminated
            values = self._searched(search, plans, here, self.player.depth - made, on)
            return self._step(here, values.argmax(-1).astype(jnp.int32), on)

        return lax.fori_loop(1, self.player.depth, deeper, self._step(states, best, going))

    def _searched(self, search: AlphaBeta, plans: Plan, states: State, depth: int | Array, these: Array) -> Array:
        """Return float32[Q, A]: what a search finds in `these` (bool[Q]) of the states; 0 in the others."""
        depths, whose = jnp.full(len(these), depth, jnp.int32), jnp.arange(len(these)) // self.asked.games
        found = cores.search_some(search, states, depths, these, plans, whose)
        return jnp.where(these[:, None], found.values, 0.0)

    def _step(self, states: State, moves: Array, these: Array) -> State:
        moved = jax.vmap(lambda state, move: self.game.step(state, move, unused_key()))(states, moves)
        return arrays.where(these, moved, states)
