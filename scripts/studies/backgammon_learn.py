"""Learn the weights of the network for backgammon by self-play, with TD(lambda).

python scripts/studies/backgammon_learn.py save=network.csv
python scripts/studies/backgammon_learn.py games=2000 hidden=10 measured=200 every=500 save=small.csv    a first try

Sources: R. S. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3 (1988);
G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 38 (1995). The network of
`envs/backgammon/network.py` plays both sides, always the turn that it values most: dice alone vary the games. After
every turn the value of the position before it moves towards that of the position reached, seen from the same side; and
those of earlier positions of the game follow by their eligibility traces. Games are played side by side with the same
weights; one that ends is followed by another. Adam makes the steps (D. P. Kingma, J. Ba, 2015) from the sum over the
games, and the rate falls exponentially with the games that have ended.

The options by default are the experiment whose weights are in `envs/backgammon/network.csv`. Games against Pubeval are
for watching only: nothing is learned or chosen by them. Learning that was stopped goes on where the same command is
typed again, from its last checkpoint, and finds the same weights.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jax import Array, lax

from envs.backgammon import many, network, pubeval, whole
from envs.backgammon.network import GAMMON, LOST_GAMMON, MEN, WIN, Weights
from envs.backgammon.rules import OFF, Backgammon, State, roll
from jaxgp import files
from jaxgp.arrays import where
from jaxgp.config import arguments
from jaxgp.errors import RunError, reason, reject
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_SEED, option
from jaxgp.store import checkpoint

GAME = Backgammon()
OTHER_VIEW = np.array([WIN, LOST_GAMMON, GAMMON])
"""Which output of one side tells an output of the other side; of winning, the opposite."""
ADAM = optax.scale_by_adam()
"""Its steps are those of rate 1."""
SIGN = np.array([-1.0, 1.0, 1.0], np.float32)
SHAPING = ("seed", "games", "batch", "hidden", "lam", "rate", "last_rate")
"""Options that change the weights."""
CHUNK = 1000
"""Turns of every game between two checkpoints."""
FIRST, PLAYING, WATCHING = range(3)
"""What keys are drawn for."""


@dataclass
class Options:
    """How the network learns."""

    seed: int = option(0, "of the first weights and the dice", low=0, high=MAX_SEED)
    games: int = option(120_000, "games after which learning ends", low=1, high=MAX_COUNT)
    batch: int = option(128, "games that are played side by side with the same weights", low=1, high=4096)
    hidden: int = option(80, "hidden units", low=1, high=1000)
    lam: float = option(0.7, "lambda: by what share traces shrink with each turn, 0 for none are kept", low=0, high=1)
    rate: float = option(0.01, "of the first steps of Adam", low=0, high=1, above=True)
    last_rate: float = option(0.0002, "of the last steps", low=0, high=1, above=True)
    every: int = option(10_000, "games between two measurements", low=1, high=MAX_COUNT)
    measured: int = option(1000, "games against Pubeval in each; 0: none", low=0, high=MAX_GAMES)
    folder: str = option("outputs/backgammon_learn", "folder for the checkpoints", path=True)
    save: str = option("network.csv", "file for the weights", path=True)


@struct.dataclass
class Learning:
    """All that learning goes on from; B games."""

    weights: Weights
    memory: Any  # of the optimiser
    states: State  # [B], at the beginning of a turn
    own: Array  # int8[B, 26]: the men after the last turn, of the side that has played it
    other: Array  # int8[B, 26]: those of the other side
    begun: Array  # bool[B]: whether the game has had a turn
    key: Array  # of the dice to come, with the number of the turn
    traces: Weights  # [B, 3, ...]: of each output, as the side that has played the last turn but one sees it
    turns: Array  # int32[]: how many turns every game of the batch has made
    ended: Array  # int32[]: how many games have ended


class Played(NamedTuple):
    """What whole turns lead to."""

    own: Array  # int8[B, 26]: of the side that has played
    other: Array  # int8[B, 26]
    won: Array  # bool[B]: whether that has ended the game
    states: State  # [B]: the next turns, unspecified where the game has ended


def play(states: State, turns: Array, key: Array) -> Played:
    """Play whole turns (uint32[B], as `envs.backgammon.whole` writes them), and roll for the next ones."""
    own, other = jax.vmap(whole.play_turn)(states, turns)
    dice, luck = jax.vmap(roll)(jax.random.split(key, len(turns)))
    after = jax.vmap(GAME.turn)(other, own, dice, 1 - states.to_move, states.rolls + 1, luck)
    return Played(own, other, own[:, OFF] == MEN, after)


def other_view(outputs: Array) -> Array:
    """Return float32[B, 3]: the outputs (float32[B, 3]) that the other side has where one side has these."""
    return jnp.array([1.0, 0.0, 0.0], jnp.float32) + SIGN * outputs[:, OTHER_VIEW]


def correct(
    weights: Weights, traces: Weights, inputs: Array, begun: Array, reached: Array, lam: float
) -> tuple[Weights, Weights]:
    """Make the correction of TD(lambda) after a turn of each game.

    Args:
        weights: of the network.
        traces: [B, 3, ...], of the positions before, as the side sees them that had played those.
        inputs: float32[B, 196], the positions before the turn, as the side sees them that has led to them.
        begun: bool[B], whether there are such positions; the others are left out.
        reached: float32[B, 3], what the turn has led to, as its own side sees it: outputs of the network, or results.
        lam: lambda.

    Returns:
        The sum of all errors times traces, by which the weights are to grow; and the traces, [B, 3, ...], as the side
        sees them that has led to `inputs`.
    """
    gradients = jax.vmap(jax.jacrev(network.outputs), (None, 0))(weights, inputs)

    def trace(old: Array, new: Array, begun: Array) -> Array:
        """Return [3, ...]: what is kept of a trace, as the other side sees it, and the new gradient."""
        sign = SIGN.reshape(-1, *(1,) * (new.ndim - 1))
        return jnp.where(begun, lam * sign * old[OTHER_VIEW] + new, 0)

    errors = jnp.where(begun[:, None], other_view(reached) - network.outputs(weights, inputs), 0)
    traces = jax.tree.map(lambda old, new: jax.vmap(trace)(old, new, begun), traces, gradients)
    return jax.tree.map(lambda one: jnp.tensordot(errors, one, ((0, 1), (0, 1))), traces), traces


def begin(options: Options) -> Learning:
    """Return the state before the first turn."""
    key, batch = jax.random.key(options.seed), options.batch
    drawn, opened = jax.random.split(jax.random.fold_in(key, FIRST))
    weights = network.first_weights(drawn, options.hidden)
    return Learning(
        weights,
        ADAM.init(weights),
        jax.jit(jax.vmap(GAME.init))(jax.random.split(opened, batch)),
        jnp.zeros((batch, 26), jnp.int8),
        jnp.zeros((batch, 26), jnp.int8),
        jnp.zeros(batch, bool),
        jax.random.fold_in(key, PLAYING),
        jax.tree.map(lambda one: jnp.zeros((batch, network.OUTPUTS, *one.shape)), weights),
        jnp.int32(0),
        jnp.int32(0),
    )


def learn_turn(now: Learning, lam: float, rate: optax.Schedule) -> Learning:
    """Play a turn of every game, and learn from it; `rate` is a function of the games that have ended."""
    count = len(now.begun)
    rolled, opened = jax.random.split(jax.random.fold_in(now.key, now.turns))
    value = network.make_valuer(GAME, now.weights)
    played = play(now.states, many.best_turns(GAME, now.states, jnp.ones(count, bool), value, random=False), rolled)
    found = network.outputs(now.weights, network.encode(played.own, played.other))
    reached = jnp.where(played.won[:, None], network.result(played.own, played.other), found)
    inputs = network.encode(now.own, now.other)
    growth, traces = correct(now.weights, now.traces, inputs, now.begun, reached, lam)
    steps, memory = ADAM.update(growth, now.memory)
    fresh = jax.vmap(GAME.init)(jax.random.split(opened, count))
    return Learning(
        optax.apply_updates(now.weights, jax.tree.map(lambda step: rate(now.ended) * step, steps)),
        memory,
        where(played.won, fresh, played.states),
        played.own,
        played.other,
        ~played.won,
        now.key,
        traces,
        now.turns + 1,
        now.ended + played.won.sum(dtype=jnp.int32),
    )


@cache
def learner(games: int, lam: float, rate: float, last_rate: float) -> Callable[[Learning, int], Learning]:
    """Return what learns on, until each game of the batch has made so many turns, or `games` have ended."""
    falling = optax.exponential_decay(rate, games, last_rate / rate)

    @partial(jax.jit, donate_argnums=0)
    def go_on(now: Learning, turns: int) -> Learning:
        on = lambda now: (now.turns < turns) & (now.ended < games)  # noqa: E731
        return lax.while_loop(on, lambda now: learn_turn(now, lam, falling), now)

    return go_on


@partial(jax.jit, static_argnames="games")
def against_pubeval(weights: Weights, key: Array, games: int) -> Array:
    """Return float32[G]: the points of each game of the network; see `meet_pubeval`."""
    return meet_pubeval(network.make_valuer(GAME, weights), key, games, random=False)


def meet_pubeval(value: many.Value, key: Array, games: int, random: bool = True) -> Array:
    """Return float32[G]: the points of each game, negative where Pubeval has won it. Seats change from game to game.

    Args:
        value: of positions after turns.
        key: typed; of the dice, and of lots.
        games: G.
        random: whether turns of equal value are chosen by lot; otherwise the first of them, as Pubeval's are.
    """
    seat = jnp.arange(games) % 2

    def linear(states: State) -> many.Value:
        return lambda lanes, men, needed: pubeval.score(states.racing[lanes], *(side.T for side in men))

    def turn(carry: tuple[State, Array, Array]) -> tuple[State, Array, Array]:
        states, points, number = carry
        on, mine = points == 0, states.to_move == seat
        own = many.best_turns(GAME, states, on & mine, value, random)
        other = many.best_turns(GAME, states, on & ~mine, linear(states), random=False)
        played = play(states, jnp.where(mine, own, other), jax.random.fold_in(key, number))
        gained = jnp.where(mine, 1, -1) * network.points(played.own, played.other)
        return where(on, played.states, states), jnp.where(on & played.won, gained, points), number + 1

    states = jax.vmap(GAME.init)(jax.random.split(jax.random.fold_in(key, MAX_SEED), games))
    start = states, jnp.zeros(games), jnp.int32(0)
    return lax.while_loop(lambda carry: (carry[1] == 0).any(), turn, start)[1]


def watch(options: Options, now: Learning) -> str:
    """Play games against Pubeval with the weights so far, and say how they went."""
    key = jax.random.fold_in(jax.random.fold_in(jax.random.key(options.seed), WATCHING), now.turns)
    points = np.asarray(against_pubeval(now.weights, key, options.measured))
    won, error = (points > 0).mean(), math.sqrt(((points > 0).std()) ** 2 / len(points))
    share = np.maximum(points, 0).sum() / np.abs(points).sum()
    return f"{won:.1%} of {len(points)} games against Pubeval (standard error {error:.1%}), {share:.1%} of the points"


def learn(options: Options, folder: Path) -> Weights:
    """Learn, with checkpoints in a folder, and return the weights.

    Raises:
        UsageError: the folder has checkpoints of other options.
    """
    digest = hashlib.sha256(repr([getattr(options, name) for name in SHAPING]).encode()).hexdigest()[:16]
    found = checkpoint.newest(folder, begin(options), digest)
    if found.generation < 0 and found.unusable:
        reject("folder", folder, f"one without checkpoints, or with those of the same options ({found.unusable[0][1]})")
    now, begun = found.tree, time.monotonic()
    go_on = learner(options.games, options.lam, options.rate, options.last_rate)
    while int(now.ended) < options.games:
        before = int(now.ended)
        now = go_on(now, (int(now.turns) // CHUNK + 1) * CHUNK)
        try:
            checkpoint.save(folder, int(now.turns), now, digest)
        except OSError as error:
            raise RunError(f"folder={folder}: cannot be written to ({reason(error)})") from error
        ended, last = int(now.ended), int(now.ended) >= options.games
        if ended // options.every > before // options.every or last:
            said = watch(options, now) if options.measured else ""
            seconds = time.monotonic() - begun
            print(f"{ended} games, {int(now.turns)} turns each, {seconds:.0f} s: {said}", file=sys.stderr, flush=True)
    return now.weights


def task(options: Options) -> int:
    """Check, learn, save."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    folder = files.make_directory(files.user_path("folder", options.folder), "folder")
    weights = learn(options, folder)
    files.save_text("save", path, network.write_weights(weights))
    print(f"saved: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
