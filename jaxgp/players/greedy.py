"""Programs as evaluators without a search: every move is tried, and the resulting position is valued.

The game decides what a program sees of these positions. It also decides how to make them, which need not be a whole
step of the rules. Moves are tried a few at a time, until the position with the most moves has no more.

Three players do this. `GreedyPlayer` tries the moves itself. `ChosenPlayer` leaves that to the game, which asks for
values as it goes; its individuals may have several trees, each for a phase of the game. `WeighedPlayer` does the same
with individuals that are weights.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import suited, take
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import Features, Packed
from jaxgp.interpreter.evaluate import evaluate, evaluate_owned, evaluate_uneven
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.players.taught import Learns, Plans
from jaxgp.printable import brief

State = Any
Outcome = Any
"""What a move leads to, in the form that the game chooses."""

Best = tuple[Array, Array, Array]
"""Of the best moves so far: values, lots, and what the moves are."""
Value = Callable[[Array, Outcome, Array], Array]
"""(int32[K] which states, ascending; outcomes [K]; int32[] how many of them count) -> float32[K]."""

WIDTH = 8
"""How many moves of every game are tried together."""
BLOCK = 512
"""Outcomes that `ChosenPlayer.values` looks at together."""
WIDE = 8192
"""Outcomes that `WeighedPlayer.judge` looks at together."""
GRID = 2**12
"""Steps of a weight of 1. Sums of up to as many weights stay below 2^24, as far as float32 has whole numbers."""
LOWEST = np.finfo(np.float32).min
"""Value of a move for which the program returns NaN or minus infinity."""


@dataclass(frozen=True)
class GreedyPlayer:
    """Plays the move with the highest value, the first of equal ones; NaN counts as the lowest value.

    Attributes:
        primitives: the set that the programs are written in; one tree.
        choices: state -> int32[], how many moves there are to choose from, a pass being one.
        outcome: (state, int32[] place among these moves) -> the move, int32[], and the features after it, float32[F].
    """

    primitives: PrimitiveSet
    choices: Callable[[State], Array]
    outcome: Callable[[State, Array], tuple[Array, Array]]

    random: ClassVar[bool] = False

    __repr__ = brief

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, 1, L], once for all their games."""
        return plan(self.primitives, jax.tree.map(lambda x: x[:, 0], programs))

    def count(self, plans: Plan) -> int:
        """Return P."""
        return plans.steps.shape[0]

    def look(self, state: State) -> Array:
        """Return float32[F], what a program sees of the first move from one state."""
        return self.outcome(state, jnp.int32(0) * self.choices(state))[1]

    def act(self, plans: Plan, states: State, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M, 1] moves and bool[P, M], all True, for the states [P, M] of P programs.

        Only the moves in `active` (bool[P, M], None: all) states need be right.
        """
        del bits
        choices = jax.vmap(jax.vmap(self.choices))(states)
        choices = choices if active is None else jnp.where(active, choices, 0)
        most = choices.max()
        # Features come first, so that the moves of all games of a program lie side by side.
        tried = jax.vmap(jax.vmap(jax.vmap(self.outcome, (None, 0), (0, 1)), (0, None), (0, 1)), (0, None))

        def some(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            first, best, chosen = carry
            place = first + jnp.arange(WIDTH, dtype=jnp.int32)
            moves, seen = tried(states, place)
            values = evaluate_uneven(self.primitives, plans, seen.reshape(*seen.shape[:2], -1)).reshape(moves.shape)
            values = jnp.where(place < choices[..., None], _bounded(values), -jnp.inf)
            top = values.max(-1)
            here = jnp.take_along_axis(moves, values.argmax(-1)[..., None], -1)[..., 0]
            return first + WIDTH, jnp.maximum(best, top), jnp.where(top > best, here, chosen)

        worst = jnp.full(choices.shape, -jnp.inf, jnp.float32)
        start = (jnp.int32(0), worst, jnp.zeros(choices.shape, jnp.int32))
        _, _, chosen = lax.while_loop(lambda carry: carry[0] < most, some, start)
        return chosen[..., None], jnp.ones(chosen.shape, bool)


@dataclass(frozen=True)
class ChoosingPlayer(Learns[Plans]):
    """Plays the move that leads to the highest value. The game decides among equal ones.

    Attributes:
        primitives: the set that individuals are written in.
        view: outcomes [K] -> float32[F, K], or packed: what an individual sees of them.
        tree: (state before the move, outcome) -> int32[], which of the T trees values it.
        outcome: (state, int32[] number) -> the outcome of move `number % count`, for inspection.
        choose: (states [N], bool[N] which of them matter, uint32[N] random bits, value) -> int32[N, K], next moves of
            the side to move, -1 after the last one; those that it would choose one by one.
        random: whether `choose` uses its random bits; a game may draw lots from what it has drawn already.
        names: state -> what people call the moves that `outcome` numbers, on the host; None: they are those that the
            game lists.
    """

    primitives: PrimitiveSet
    view: Callable[[Outcome], Features]
    tree: Callable[[State, Outcome], Array]
    outcome: Callable[[State, Array], Outcome]
    choose: Callable[[State, Array, Array, Value], Array]
    random: bool = False
    names: Callable[[State], Sequence[str]] | None = None

    __repr__ = brief

    @property
    @abstractmethod
    def trees(self) -> int:
        """T, how many trees of an individual value outcomes."""

    @abstractmethod
    def prepare(self, programs: Programs) -> Plans:
        """Return what values outcomes for individuals [P, ...], once for all their games: plans [P * T]."""

    @abstractmethod
    def evaluate(self, plans: Plans, seen: Features) -> Array:
        """Return float32[P, B]: the values by plans [P] of what is seen, [F, B]."""

    @abstractmethod
    def evaluate_owned(self, plans: Plans, owner: Array, seen: Features, needed: Array) -> Array:
        """Return float32[K]: the values of what is seen, [F, K], each by a plan, int32[K]; the first `needed` count."""

    def count(self, plans: Plans) -> int:
        """Return P."""
        return len(jax.tree.leaves(plans)[0]) // self.trees

    def look(self, state: State) -> Outcome:
        """Return what one of the moves from one state leads to."""
        return self.outcome(state, jnp.int32(0))

    def act(self, plans: Plans, states: State, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M, K] moves, all that `choose` knows, and bool[P, M], all True, for states [P, M].

        Only the moves in `active` (bool[P, M], None: all) states need be right; few of them take less time.
        """
        shape = states.to_move.shape
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
        wanted = jnp.ones(shape, bool) if active is None else active

        def value(lanes: Array, outcomes: Outcome, needed: Array) -> Array:
            owner = lanes // shape[1] * self.trees + jax.vmap(self.tree)(take(flat, lanes), outcomes)
            if suited(True, False):  # the runs of a tree are long enough, and sorting would take longer
                return self.evaluate_owned(plans, owner, self.view(outcomes), needed)
            # Those that count come first; each tree values its outcomes side by side.
            order = jnp.argsort(jnp.where(jnp.arange(len(owner)) < needed, owner, self.count(plans) * self.trees))
            seen = self.view(take(outcomes, order))
            found = self.evaluate_owned(plans, owner[order], seen, needed)
            return jnp.zeros_like(found).at[order].set(found)

        moves = self.choose(flat, wanted.reshape(-1), bits.reshape(-1), value)
        return moves.reshape(*shape, -1), jnp.ones(shape, bool)

    def looks(self, states: State, outcomes: Outcome) -> tuple[Features, Array]:
        """Return what programs see of outcomes [N] of moves from states [N], and int32[N], which tree values each."""
        return jax.vmap(self.view, out_axes=-1)(outcomes), jax.vmap(self.tree)(states, outcomes).astype(jnp.int32)

    def values(self, plans: Plans, states: State, outcomes: Outcome, wanted: Array) -> Array:
        """Return float32[P, D, W]: how P programs value outcomes [D, W] of moves from states [D].

        Only the `wanted` values (bool[D, W]) need be right. NaN and minus infinity become the lowest value.
        """
        trees, shape = self.trees, wanted.shape
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), outcomes)
        owner = jax.vmap(jax.vmap(self.tree, (None, 0)))(states, outcomes)
        owner = jnp.where(wanted, owner, trees).reshape(-1)
        return self._in_blocks(plans, lambda places: self.view(take(flat, places)), owner).reshape(-1, *shape)

    def judge(self, plans: Plans, seen: Features, tree: Array) -> Array:
        """Return float32[P, N]: how P programs value outcomes of which they see [F, N], each by its tree, int32[N].

        What is beyond the last tree is not valued. NaN and minus infinity become the lowest value.
        """
        return self._in_blocks(plans, lambda places: jax.tree.map(lambda x: x[..., places], seen), tree)

    def _in_blocks(self, plans: Plans, see: Callable[[Array], Features], owner: Array) -> Array:
        """Return float32[P, N], the values of N outcomes; `see` returns the features [F, B] of outcomes, int32[B]."""
        trees, population = self.trees, self.count(plans)
        # Outcomes for the same tree lie side by side, so that most blocks need one tree; the last ones need none.
        order = jnp.pad(jnp.argsort(owner), (0, -len(owner) % BLOCK), mode="edge")
        by_tree = jax.tree.map(lambda x: x.reshape(-1, trees, *x.shape[1:]), plans)

        def block(places: Array) -> Array:
            """Return float32[P, B] of the outcomes at `places`, int32[B]."""
            seen, mine = see(places), owner[places]
            found = jnp.zeros((population, len(places)), jnp.float32)
            for tree in range(trees):
                plan_of = jax.tree.map(lambda x, tree=tree: x[:, tree], by_tree)

                def valued(found: Array, plan_of: Plans = plan_of, tree: int = tree) -> Array:
                    return jnp.where(mine == tree, self.evaluate(plan_of, seen), found)

                found = lax.cond((mine == tree).any(), valued, lambda found: found, found)
            return found

        found = lax.map(block, order.reshape(-1, BLOCK))  # [blocks, P, BLOCK]
        found = jnp.moveaxis(found, 1, 0).reshape(population, -1)
        return jnp.zeros((population, len(owner)), jnp.float32).at[:, order].set(_bounded(found))


def _bounded(values: Array) -> Array:
    """Return values of which none is NaN or minus infinity, in whose place is the lowest value."""
    return jnp.where(jnp.isnan(values), LOWEST, jnp.maximum(values, LOWEST))


@dataclass(frozen=True)
class ChosenPlayer(ChoosingPlayer[Plan]):
    """A `ChoosingPlayer` whose individuals are programs."""

    __repr__ = brief

    @property
    def trees(self) -> int:
        """See `ChoosingPlayer`: all of its trees."""
        return self.primitives.num_trees

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, T, L]."""
        return plan(
            self.primitives, jax.tree.map(lambda x: x.reshape(-1, x.shape[-1]) if x.ndim > 2 else x.ravel(), programs)
        )

    def evaluate(self, plans: Plan, seen: Features) -> Array:
        """See `ChoosingPlayer`."""
        return evaluate(self.primitives, plans, seen)

    def evaluate_owned(self, plans: Plan, owner: Array, seen: Features, needed: Array) -> Array:
        """See `ChoosingPlayer`."""
        return evaluate_owned(self.primitives, plans, owner, seen, needed)


def steps_of(units: tuple[float, ...]) -> np.ndarray:
    """Return float32[F]: the steps of the grid in a weight of 1; see `WeighedPlayer`."""
    return (GRID / np.array(units)).astype(np.float32)


@dataclass(frozen=True)
class WeighedPlayer(ChoosingPlayer[Array]):
    """A `ChoosingPlayer` whose individuals are a weight, from -1 to 1, for each of F whole numbers, its terms.

    Values are the same on every device, so that moves that look alike are: each weight is rounded to steps of a grid,
    and float32 adds whole numbers without an error.

    Attributes:
        units: F numbers: a weight counts for that much of a term, which is at most as much.
        terms: what is seen [S, *B] -> float32[F, *B].
    """

    units: tuple[float, ...] = ()
    terms: Callable[[Array], Array] = lambda seen: seen

    __repr__ = brief

    @property
    def trees(self) -> int:
        """See `ChoosingPlayer`: all weights together are one."""
        return 1

    def prepare(self, programs: Programs) -> Array:
        """Return float32[P, F], whole numbers: the steps of individuals [P, F, L] for one of each term."""
        return jnp.round(programs.value[..., 0].reshape(-1, len(self.units)) * steps_of(self.units))

    def evaluate(self, plans: Array, seen: Features) -> Array:
        """See `ChoosingPlayer`."""
        assert not isinstance(seen, Packed)
        return jnp.matmul(plans, self.terms(seen), precision=lax.Precision.HIGHEST) / GRID

    def judge(self, plans: Array, seen: Features, tree: Array) -> Array:
        """See `Learns`: all in the order in which they lie, as there is one tree."""
        assert not isinstance(seen, Packed)
        count, size = len(tree), min(len(tree), WIDE)
        blocks = -(-count // size)
        padded = jnp.pad(seen, ((0, 0), (0, blocks * size - count)))

        def block(number: Array) -> Array:
            return self.evaluate(plans, lax.dynamic_slice_in_dim(padded, number * size, size, 1))

        found = lax.map(block, jnp.arange(blocks))  # [blocks, P, size]
        return jnp.moveaxis(found, 1, 0).reshape(len(plans), -1)[:, :count]

    def parts(self, plans: Array, seen: Array) -> Array:
        """Return float32[P, F, B]: what each term adds to the values of what is seen, [S, B]."""
        return plans[..., None] * self.terms(seen) / GRID

    def evaluate_owned(self, plans: Array, owner: Array, seen: Features, needed: Array) -> Array:
        """See `ChoosingPlayer`."""
        del needed
        assert not isinstance(seen, Packed)
        return (plans[owner].T * self.terms(seen)).sum(0) / GRID


def best_of(best: Best, states: Array, moves: Best) -> Best:
    """Return the best moves of N states, of those so far and of K more: by value, then by lot.

    Args:
        best: of each state so far, values float32[N], lots uint32[N], and what the moves are, [N].
        states: int32[K], whose each further move is; N: it does not count.
        moves: the same three of the further moves, [K]. Two moves of a state have different lots.
    """
    (values, lots, names), (value, lot, name) = best, moves
    here = jnp.minimum(states, len(values) - 1)
    before = values[here]
    values = values.at[states].max(value, mode="drop")
    highest = values[here]
    # Lots count among moves of the highest value.
    lots = lots.at[jnp.where(highest > before, states, len(values))].set(0, mode="drop")
    lots = lots.at[states].max(jnp.where(value == highest, lot, 0), mode="drop")
    wins = (value == highest) & (lot == lots[here])
    return values, lots, names.at[jnp.where(wins, states, len(values))].set(name, mode="drop")
