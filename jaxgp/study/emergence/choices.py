"""What a champion thinks of all moves of a position, beside what they are worth.

Worth is what the teacher of the game says, where it judges positions; else what a search by the game's first evaluator
finds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.anatomy.positions import Decider, batches
from jaxgp.arrays import take
from jaxgp.contracts import ListsMoves, States
from jaxgp.errors import UsageError
from jaxgp.games.casting import Cast
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.players.greedy import ChosenPlayer, GreedyPlayer
from jaxgp.players.searched import WON, SearchedPlayer
from jaxgp.players.searches import TAIL, explain_unsearched, searches
from jaxgp.search import cores
from jaxgp.search.chance import unused_key
from jaxgp.statistics.exact import spearman

LANES = 256
"""Searches side by side."""
Look = Callable[[States], np.ndarray]
"""States [N] -> float32[N, A]: of each action; minus infinity where it is not legal."""


@dataclass(frozen=True)
class Agreement:
    """How the values of moves agree with what they are worth, at N positions.

    Attributes:
        positions: N.
        moves: mean number of legal moves.
        topped: share of positions in which a best move is among those with the highest value.
        best: chance that one of the highest values, drawn, is that of a best move.
        random: chance that a random move is a best one.
        ties: mean number of moves with the highest value.
        rank: mean of Spearman's rank correlation, over the positions in which both differ; None: there are none.
        ranked: how many these are.
    """

    positions: int
    moves: float
    topped: float
    best: float
    random: float
    ties: float
    rank: float | None
    ranked: int


def values(cast: Cast, genome: Any) -> Look:
    """Return how a champion values moves; raises UsageError where it names its moves."""
    actor, game = cast.actor, cast.game
    programs = jax.tree.map(lambda x: jnp.asarray(x)[None], genome)
    plans = actor.prepare(programs)
    if isinstance(actor, ChosenPlayer) and isinstance(game, ListsMoves):
        listed, places = actor, jnp.arange(game.most_choices)

        def chosen(states: States) -> Array:
            outcomes = jax.vmap(jax.vmap(listed.outcome, (None, 0)), (0, None))(states, places)
            there = places < jax.vmap(game.choices)(states)[:, None]
            return _by_action(cast, states, listed.values(plans, states, outcomes, there)[0])

        return _batched(chosen)
    if isinstance(actor, GreedyPlayer):
        greedy = actor

        def tried(states: States) -> Array:
            count = jnp.arange(game.num_actions)
            moves, seen = jax.vmap(jax.vmap(greedy.outcome, (None, 0)), (0, None))(states, count)
            flat = jnp.moveaxis(seen, -1, 0).reshape(seen.shape[-1], -1)
            found = evaluate(greedy.primitives, plans, flat)[0].reshape(moves.shape)
            there = count < jax.vmap(greedy.choices)(states)[:, None]
            rows = jnp.arange(len(moves))[:, None]
            empty = jnp.full((len(moves), game.num_actions), -jnp.inf)
            return empty.at[rows, jnp.where(there, moves, game.num_actions)].set(found, mode="drop")

        return _batched(tried)
    if isinstance(actor, SearchedPlayer):
        deeper = replace(actor, depth=max(actor.depth - 1, 1), tail=max(min(actor.tail, actor.depth - 1), 1))
        searched = actor

        def replied(states: States, count: Array) -> Array:
            whose = jnp.zeros(len(states.to_move), jnp.int32)
            if searched.depth == 1:
                return searched.evaluate_leaves(plans, whose, states, count)
            depth = jnp.full(len(whose), deeper.depth, jnp.int32)
            return cores.search(deeper.search(), states, depth, count, plans, whose).values.max(-1)

        return _batched(lambda states: _after_moves(cast, states, replied))
    raise UsageError(f"parts=moves: programs of {game.name} name their moves here; accepted: programs that value them")


def worths(cast: Cast, depth: int) -> tuple[Look, str]:
    """Return what moves are worth, and by whom; raises UsageError where nobody says it."""
    game, teachers = cast.game, cast.spec.teachers
    judge = teachers.judge(game) if teachers is not None else None
    if judge is not None and isinstance(game, ListsMoves):
        judged = judge
        return _batched(lambda states: _by_action(cast, states, jax.vmap(judged)(states))), "the teacher of the game"
    if why := explain_unsearched(cast.spec, game):
        raise UsageError(f"parts=moves: nobody says what moves are worth: {why}")
    (one,) = searches(cast.spec, game, None, max(depth - 1, 1), "first", TAIL, LANES)

    def replied(states: States, count: Array) -> Array:
        amount = jnp.full(len(states.to_move), max(depth - 1, 1), jnp.int32)
        return cores.search(one, states, amount, count).values.max(-1)

    return _batched(lambda states: _after_moves(cast, states, replied)), f"a search of {max(depth, 2)} plies"


def _batched(look: Callable[[States], Array]) -> Look:
    """Compile for a fixed number of states, and return what takes any number."""
    made = jax.jit(look)
    return lambda states: np.concatenate([np.asarray(made(some))[:count] for some, count in batches(states)])


def _by_action(cast: Cast, states: States, found: Array) -> Array:
    """Return float32[N, A] from the values of the moves on the list, float32[N, W]."""
    game = cast.game
    places = jnp.arange(found.shape[1])
    actions = jax.vmap(jax.vmap(game.choice, (None, 0)), (0, None))(states, places)
    there = places < jax.vmap(game.choices)(states)[:, None]
    empty = jnp.full((len(found), game.num_actions), -jnp.inf)
    rows = jnp.arange(len(found))[:, None]
    return empty.at[rows, jnp.where(there, actions, game.num_actions)].set(found, mode="drop")


def _after_moves(cast: Cast, states: States, replied: Callable[[States, Array], Array]) -> Array:
    """Return float32[N, A]: what `replied` says of the positions after moves, turned to the side that moves."""
    game = cast.game
    actions = jnp.arange(game.num_actions)
    legal = jax.vmap(game.legal_actions)(states)
    after = jax.vmap(jax.vmap(lambda *at: game.step(*at, unused_key()), (None, 0)), (0, None))(states, actions)
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), after)
    wanted = legal.reshape(-1) & ~flat.terminated
    first = jnp.argsort(~wanted, stable=True)
    found = jnp.zeros(len(first)).at[first].set(replied(take(flat, first), wanted.sum(dtype=jnp.int32)))
    mover = jnp.repeat(states.to_move, game.num_actions)
    found = jnp.where(flat.to_move == mover, found, -found)
    found = jnp.where(flat.terminated, WON * flat.returns[jnp.arange(len(mover)), mover], found)
    return jnp.where(legal, found.reshape(legal.shape), -jnp.inf)


def agreement(found: np.ndarray, worth: np.ndarray) -> Agreement:
    """Compare values with worths, float[N, A] each; minus infinity where an action is not legal."""
    there = worth > -np.inf
    top = there & (found == found.max(1, keepdims=True))
    best = there & (worth == worth.max(1, keepdims=True))
    both = (top & best).sum(1)
    ranks = [
        float(spearman(a[here], b[here]))
        for a, b, here in zip(found, worth, there, strict=True)
        if len(np.unique(a[here])) > 1 and len(np.unique(b[here])) > 1
    ]
    return Agreement(
        len(found),
        float(there.sum(1).mean()),
        float((both > 0).mean()),
        float((both / top.sum(1)).mean()),
        float((best.sum(1) / there.sum(1)).mean()),
        float(top.sum(1).mean()),
        float(np.mean(ranks)) if ranks else None,
        len(ranks),
    )


def compare(cast: Cast, genome: Any, depth: int, positions: int, seed: int) -> tuple[Agreement, str]:
    """Compare a champion's values with what moves are worth at real positions; return by whom, too."""
    found, (worth, by) = values(cast, genome), worths(cast, depth)
    states = Decider(cast, genome).positions(positions, seed)
    return agreement(found(states), worth(states)), by


def play(cast: Cast, genome: Any, depth: int, plies: int, seed: int) -> Iterator[dict[str, object]]:
    """Yield a row for each move of a game of a champion with itself, the highest values first.

    Among moves of the highest value one is drawn where the champion draws, else the first is played.
    """
    game, notation = cast.game, cast.spec.notation
    found, (worth, _) = values(cast, genome), worths(cast, depth)
    rng = np.random.default_rng(seed)
    state = jax.jit(game.init)(jax.random.key(seed))
    step = jax.jit(lambda state, action: game.step(state, action, unused_key()))
    for ply in range(plies):
        if bool(state.terminated):
            return
        one = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        mine, true = found(one)[0], worth(one)[0]
        legal = np.flatnonzero(true > -np.inf)
        top = legal[mine[legal] == mine[legal].max()]
        played = int(rng.choice(top) if getattr(cast.actor, "random", False) else top[0])
        for action in sorted(legal, key=lambda action: (-mine[action], -true[action])):
            yield {
                "ply": ply + 1,
                "move": notation.action_name(game, int(action)),
                "value": float(mine[action]) + 0.0,
                "worth": float(true[action]) + 0.0,
                "top": int(action in top),
                "best": int(true[action] == true.max()),
                "played": int(action == played),
            }
        state = step(state, played)
