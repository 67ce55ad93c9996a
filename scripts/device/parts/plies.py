"""Random plies of every game: what a step makes of a position on the device, beside what the CPU makes of it.

The CPU of the same process plays random games, and is the twin of the device: it makes the same step by the same
rules, by another compiler. Each step begins from the CPU's position, so that a difference is counted once, not from
there on. Kalah is also compared with plain Python (`scripts/rivals/plain`), which shares no code with its rules. The
engines that the tests compare other games with need what is installed for tests, or map no position of a batch.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from device.comparing import unlike
from device.work import Row, Work
from jaxgp.bits import pick
from jaxgp.contracts import Game, Problem, Simulation
from jaxgp.players import ply
from jaxgp.search.chance import unused_key
from rivals.plain import kalah

GAMES = 500
"""Random games side by side."""
WANTED = 100_000
"""Plies of each game."""
STEPS = 20
"""Plies, or steps of a simulation, that are played between two looks at the clock."""


def rows(work: Work) -> Iterator[Row]:
    """Yield a row for each game and simulation."""
    names = ["mancala"] if work.small else envs.available()
    for done, name in enumerate(names):
        rules = envs.spec(name).rules
        head = {"part": "plies", "what": name, "side": work.side}
        if issubclass(rules, Problem):
            yield {**head, "left_out": "its steps are searches, which the golden runs and its own tests compare"}
            continue
        until = work.left * (1 - 1 / (len(names) - done))
        yield {**head, **compare(envs.make(name), work, until)}


def compare(game: Any, work: Work, until: float) -> Row:
    """Compare steps of a game until as many as wanted are done, or no more seconds are left than `until`."""
    cpu, device = jax.devices("cpu")[0], jax.devices()[0]
    simulated = isinstance(game, Simulation)
    games = 50 if work.small else GAMES
    with jax.default_device(cpu):
        keys = jax.random.split(jax.random.key(work.seed), games)
        states = jax.jit(jax.vmap(game.init))(keys)
        play = jax.jit(partial(_drive if simulated else _play, game))
    step = jax.jit(jax.vmap(jax.vmap(partial(_step, game))))
    count, differ, largest, told = 0, 0, 0.0, set[str]()
    oracle, checked, wrong = ORACLES.get(game.name), 0, 0
    begun = 0
    while count < (1000 if work.small else WANTED) and (not count or work.left > until):
        with jax.default_device(cpu):
            states, inputs = play(states, keys, begun + jnp.arange(STEPS))
            expected = jax.device_get(step(*inputs))
        found = jax.device_get(step(*jax.device_put(inputs, device)))
        for path, ours, theirs in _pairs(expected, found):
            off, most = unlike(ours, theirs)
            largest = max(largest, most)
            if off.any():
                told.add(path)
                differ += int(off.reshape(*off.shape[:2], -1).any(-1).sum())
        if oracle is not None:
            right = oracle(jax.device_get(inputs[0]), np.asarray(inputs[1]), found[0])
            checked, wrong = checked + len(right), wrong + right.count(False)
        count, begun = count + STEPS * games, begun + STEPS
    row: Row = {"plies": count, "differ": differ, "arrays": sorted(told), "largest_difference": largest}
    return row | ({"oracle_plies": checked, "oracle_differs": wrong} if oracle is not None else {})


def _play(game: Game, states: Any, keys: Array, numbers: Array) -> tuple[Any, tuple[Any, Array, Array]]:
    """Play random moves; return the states after them, and states, actions and keys [T, G] of every step."""

    def one(state: Any, key: Array, number: Array) -> tuple[Any, tuple[Any, Array, Array]]:
        action = pick(game.legal_actions(state), ply.bits(key, number))
        drawn = jax.random.fold_in(key, number) if game.chance else unused_key()
        after = game.step(state, action, drawn)
        fresh = game.init(jax.random.fold_in(key, number + 2**20))
        following = jax.tree.map(lambda a, b: jnp.where(after.terminated, a, b), fresh, after)
        return following, (state, action, drawn)

    return jax.lax.scan(lambda now, number: jax.vmap(partial(one, number=number))(now, keys), states, numbers)


def _drive(game: Simulation, states: Any, keys: Array, numbers: Array) -> tuple[Any, tuple[Any, Array, Array]]:
    """Drive at random, as `_play` does with moves."""

    def one(state: Any, key: Array, number: Array) -> tuple[Any, tuple[Any, Array, Array]]:
        drawn = jax.random.fold_in(key, number)
        controls = jax.random.uniform(drawn, (game.seats, game.controls), jnp.float32, -1, 1)
        return game.step(state, controls, drawn), (state, controls, drawn)

    return jax.lax.scan(lambda now, number: jax.vmap(partial(one, number=number))(now, keys), states, numbers)


def _step(game: Any, state: Any, action: Array, key: Array) -> tuple[Any, ...]:
    """Return all that the rules say of a position after a step."""
    after = game.step(state, action, key)
    if isinstance(game, Simulation):
        return after, game.measures(after), game.score(after), game.sense(after, jnp.int32(0))
    return after, game.legal_actions(after), game.score(after), game.key(after)


def _pairs(expected: Any, found: Any) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for (path, one), other in zip(jax.tree_util.tree_leaves_with_path(expected), jax.tree.leaves(found), strict=True):
        yield jax.tree_util.keystr(path), np.asarray(one), np.asarray(other)


def _kalah(before: Any, actions: np.ndarray, after: Any) -> list[bool]:
    """Say of each step of Kalah whether plain Python finds the same board."""
    boards, found = (x.board.reshape(-1, x.board.shape[-1]).tolist() for x in (before, after))
    same = (before.to_move == after.to_move).ravel().tolist()
    seen = []
    for board, pit, stays, now in zip(boards, actions.ravel().tolist(), same, found, strict=True):
        expected, _, _ = kalah.play(board, pit)
        seen.append((expected if stays else [*expected[7:], *expected[:7]]) == now)
    return seen


ORACLES: dict[str, Callable[[Any, np.ndarray, Any], list[bool]]] = {"mancala": _kalah}
"""Plain Python by game: positions, actions and what came of them -> whether each is right."""
