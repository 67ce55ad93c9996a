"""Learn a program that values the leaves of a search in checkers, by games of the search against itself.

python scripts/studies/checkers/learn.py lose=true plays=3 save=outputs/learned.json
python scripts/studies/checkers/learn.py size=10 plays=3 "bounds=[10,20]" apart=true lead=true save=outputs/learned.json

The program is a sum for each of a few phases of a game (`sums.py`), so it is a champion like any other. Its numbers
learn by logistic regression: the chance to win that they give a position moves towards that of the search from it,
mixed by lambda with that of the next position, and so on to the end of the game. Sources: J. Baxter, A. Tridgell,
L. Weaver, "Learning to play chess using temporal differences", Machine Learning 40 (2000); J. Veness and others,
"Bootstrapping from game tree search" (2009). A random move ends the mixing, since what follows says nothing of the
position before it. Games are played side by side with the same numbers; one that ends is followed by another. Adam
makes the steps (D. P. Kingma, J. Ba, 2015), and the rate falls to a tenth.

A share of the games may be against a guide, a search of as many plies that counts pieces (`guides`). The numbers learn
from its positions as well: one is to be worth what the next one is. No other player takes part. A draw may count by who
is ahead (`drawn`). Learning may begin with the mean of champions (`begin`), and its champion be the mean of what the
numbers are after its last steps (`averaged`): a mean has less of the chance of single games. Learning that was stopped
goes on where the same command is typed again.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import hashlib
import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct
from jax import Array, lax

import envs
import jaxgp
from envs.checkers import leaves
from envs.checkers.opponents import KING, material
from envs.checkers.rules import Checkers, State
from jaxgp import files
from jaxgp.arrays import take, where
from jaxgp.bits import pick
from jaxgp.config import arguments
from jaxgp.config.schema import Config
from jaxgp.errors import RunError, reason, reject
from jaxgp.evolution.state import BestSoFar
from jaxgp.fitness.taught.differences import goals
from jaxgp.genotypes import language as languages
from jaxgp.league.members import champion_files
from jaxgp.measure import champions
from jaxgp.options import MAX_COUNT, MAX_SEED, bound, declared, list_options, option
from jaxgp.players.ply import random_move
from jaxgp.players.searched import WON
from jaxgp.run.run import use_compilation_cache
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.search.chance import unused_key
from jaxgp.store import champion, checkpoint
from studies.checkers.sums import Sums, read

RULES = ("size", "rows", "lose", "quiet_plies")
"""Options that are settings of the rules."""
KINGS = (KING, 2.0)
"""What a king is worth to a guide, in men; one of them is drawn for every move, as by `men_2` and `men_3`."""
MOST_AHEAD = 3
"""The greatest lead, in men, that the points of a draw tell apart."""
LANES = 256
"""Searches in progress at the same time."""


@dataclass
class Options:
    """How the numbers learn."""

    seed: int = option(0, "of the random moves", low=0, high=MAX_SEED)
    size: int = declared(Checkers, "size")
    rows: int = declared(Checkers, "rows")
    lose: bool = declared(Checkers, "lose")
    quiet_plies: int = declared(Checkers, "quiet_plies")
    depth: int = option(2, "plies of the search", low=1, high=6)
    chunks: int = option(100, "how often the numbers learn; 0: not at all", low=0, high=MAX_COUNT)
    batch: int = option(256, "games that are played side by side with the same numbers", low=1, high=4096)
    plies: int = option(64, "plies of every game between", low=2, high=1000)
    passes: int = option(4, "steps of Adam for each of these plies of all games", low=1, high=100)
    lam: float = option(
        0.97, "lambda: the share of the next position's value in what a position is to be worth", low=0, high=1
    )
    rate: float = option(0.02, "of the first steps of Adam", low=0, high=1, above=True)
    decay: float = option(1e-5, "how strongly numbers are drawn to 0", low=0, high=1)
    chance: float = option(0.04, "the share of moves that are random", low=0, high=1)
    opening: int = option(12, "the first moves of a game that are random, at most", low=0, high=100)
    bounds: list[int] = option([8, 16], "pieces on the board that phases end with, ascending", low=0, high=256)
    guides: float = option(
        0.0, "the share of games against a search by material that draws one of its best moves", low=0, high=1
    )
    drawn: float = option(
        0.0, "points that a draw is worth beyond a half for each man ahead, up to three", low=0, high=0.15
    )
    lead: bool = option(False, "whether sums differ by who is ahead")
    apart: bool = option(False, "whether the steps between kings count")
    begin: list[str] = option([], "champion files, with the mean of whose numbers learning begins; none: with 0")
    averaged: int = option(
        1, "after how many of the last chunks the mean of the numbers is kept", low=1, high=MAX_COUNT
    )
    plays: int = option(0, "plies that the champion searches; 0: as in learning", low=0, high=12)
    title: str = option("Checkers, learned", "of the champion")
    folder: str = option("outputs/checkers_learn", "folder for the checkpoints", path=True)
    save: str = option("learned.json", "file for the champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse what does not go together: bounds, steps, men, and the chunks of a mean; raises UsageError."""
        bound(self, "rows", prefix, high=self.size // 2 - 1, why=f"two rows of {prefix}size={self.size} stay empty")
        bound(self, "averaged", prefix, high=max(self.chunks, 1), why=f"as many as {prefix}chunks")
        bound(self, "passes", prefix, high=self.batch * self.plies, why=f"{prefix}batch games of {prefix}plies")
        if self.bounds != sorted({*self.bounds}):
            reject(prefix + "bounds", self.bounds, "whole numbers in ascending order")


@struct.dataclass
class Learning:
    """All that learning goes on from; B games."""

    weights: Array  # float32[S, F]
    mean: Array  # float32[S, F]: of the weights after the last chunks so far
    memory: Any  # of the optimiser
    states: State  # [B]
    plies: Array  # int32[B]: moves of each game so far
    random: Array  # int32[B]: how many of the first ones are random
    key: Array  # of all random numbers, with the number of the chunk
    chunk: Array  # int32[]


@struct.dataclass
class Seen:
    """A ply of every game; B games."""

    states: State  # [B]: before the move
    found: Array  # float32[B]: the chance to win that the search finds, for the side to move
    guided: Array  # bool[B]: whether a guide moves
    cut: Array  # bool[B]: whether a random move followed
    ended: Array  # bool[B]: whether the move ended the game
    drawn: Array  # bool[B]: whether it did without a winner
    result: Array  # float32[B]: points of the side to move, if it did
    turned: Array  # bool[B]: whether the other side moves next


def wanted(seen: Seen, lam: float) -> Array:
    """Return float32[K, B]: what each of the positions is to be worth to the side to move.

    Args:
        seen: K plies of B games, in their order.
        lam: the share of the next position's goal, as far as no random move lies between; the rest is the search's.
    """
    share = jnp.where(seen.guided, 1, lam)
    return goals(seen.found, seen.result, seen.cut, seen.ended, seen.turned, share)


def guide(game: Checkers, depth: int, lanes: int = LANES) -> AlphaBeta:
    """Return the search of a guide, which finds all best moves; its contexts are what a king is worth, float32[C]."""
    sign = -1 if game.lose else 1

    def leaves_of(kings: Array, whose: Array, states: State, needed: Array) -> Array:
        del needed
        return jax.vmap(lambda state, king: material(game, state, king, sign))(states, kings[whose])

    return AlphaBeta(game, None, depth, 1, lanes, 16, ties="all", leaf_evaluator=leaves_of)


def searched(search: AlphaBeta, states: State, depth: int, these: Array, contexts: Array, whose: Array) -> Array:
    """Return float32[B, A]: what a search finds in `these` (bool[B]) states; of the others nothing that counts."""
    return cores.search_some(search, states, jnp.full(len(these), depth), these, contexts, whose).values


class Learner:
    """Plays and learns; the rules, the search and the steps follow from the options."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.game = Checkers(**{name: getattr(options, name) for name in RULES})
        self.sums = Sums(self.game, tuple(options.bounds), options.lead, options.apart)
        self.first = self._given(options.begin) if options.begin else np.zeros(self.sums.shape, np.float32)
        steps = max(options.chunks, 1) * options.passes
        self.adam = optax.adam(optax.exponential_decay(options.rate, steps, 0.1))
        self.search = AlphaBeta(
            self.game, None, options.depth, 1, min(LANES, options.batch), 16, leaf_evaluator=self._leaves
        )
        self.guide = guide(self.game, options.depth, min(LANES, options.batch))
        self.go_on = jax.jit(self._go_on, donate_argnums=0)

    def begin(self) -> Learning:
        """Return the state before the first ply."""
        one, key = self.options, jax.random.key(self.options.seed)
        weights = jnp.asarray(self.first)
        states = jax.vmap(lambda _: self.game.init(unused_key()))(jnp.arange(one.batch))
        # Games begin at different plies, so that not all end in the same chunk.
        random = jax.random.randint(jax.random.fold_in(key, MAX_SEED), (one.batch,), 0, one.plies)
        return Learning(
            weights, weights, self.adam.init(weights), states, jnp.zeros(one.batch, int), random, key, jnp.int32(0)
        )

    def _given(self, begin: list[str]) -> np.ndarray:
        """Return the mean of the numbers of champions, float32[S, F]; raises UsageError."""
        found = []
        for path in champion_files("begin", begin):
            one = champions.load(str(path), envs, "begin")
            try:
                sums, numbers = read(one.cast.game, one.cast.language, one.content.text)
                if sums != self.sums:
                    raise ValueError("this one has others")
            except ValueError as error:
                accepted = "champions of learn.py with these rules, bounds, lead and apart"
                reject("begin", files.short(one.path), accepted, str(error))
            found.append(numbers)
        return np.mean(found, 0)

    def _leaves(self, contexts: Any, whose: Array, states: State, needed: Array) -> Array:
        del whose, needed
        result = jax.vmap(lambda state: state.returns[state.to_move])(states)
        found = self.sums.values(contexts[0], states)
        return jnp.where(states.terminated, WON * result, found)

    def _choose(self, now: Learning, key: Array) -> tuple[Array, Array, Array]:
        """Return what is played unless a random move is (int32[B]), what that is worth, and whether a guide plays it.

        Guides take part in the first games, as black in one and white in the next. What their positions are worth to
        the learner is what the numbers say without a search.
        """
        one, count, number = self.options, self.options.batch, jnp.arange(self.options.batch)
        guided = (number < round(one.guides * count)) & (now.states.to_move == number % 2)
        found = searched(self.search, now.states, one.depth, ~guided, now.weights[None], jnp.zeros(count, int))
        moves, worth = found.argmax(-1), found.max(-1)
        if one.guides:
            kings, lots = jax.random.bits(key, (2, count))
            whose = (kings % len(KINGS)).astype(int)
            theirs = searched(self.guide, now.states, one.depth, guided, jnp.array(KINGS), whose)
            moves = jnp.where(guided, pick(best_moves(theirs), lots), moves)
            worth = jnp.where(guided, self.sums.values(now.weights, now.states), worth)
        return moves, jax.nn.sigmoid(worth), guided

    def _points(self, before: State, after: State) -> tuple[Array, Array]:
        """Return float32[B], points of the side that moved if the game has ended, and bool[B], whether it is drawn."""
        game, movers = self.game, before.to_move
        points = jax.vmap(lambda state, seat: game.score(state)[seat])(after, movers)
        drawn = after.terminated & (after.returns == 0).all(-1)
        ahead = jax.vmap(lambda state: leaves.counts(game, leaves.Options(), state)["PieceCount"])(after)
        ahead = jnp.where((after.to_move == movers) ^ game.lose, ahead, -ahead)
        more = self.options.drawn * jnp.clip(ahead, -MOST_AHEAD, MOST_AHEAD)
        return jnp.where(drawn, points + more, points), drawn

    def _play(self, now: Learning, key: Array) -> tuple[Learning, Seen]:
        """Make a move in every game."""
        one, game, count = self.options, self.game, self.options.batch
        bits, lots, openings, guides = (jax.random.fold_in(key, n) for n in range(4))
        moves, found, guided = self._choose(now, guides)
        any_move = jax.vmap(partial(random_move, game))(now.states, jax.random.bits(bits, (count,)))
        cut = (now.plies < now.random) | (jax.random.uniform(lots, (count,)) < one.chance)
        after = jax.vmap(lambda s, a: game.step(s, a, unused_key()))(now.states, jnp.where(cut, any_move, moves))
        points, drawn = self._points(now.states, after)
        turned = after.to_move != now.states.to_move
        seen = Seen(now.states, found, guided, cut, after.terminated, drawn, points, turned)
        fresh = jax.vmap(lambda _: game.init(unused_key()))(now.plies)
        random = jax.random.randint(openings, (count,), 0, one.opening + 1)
        return replace(
            now,
            states=where(after.terminated, fresh, after),
            plies=jnp.where(after.terminated, 0, now.plies + 1),
            random=jnp.where(after.terminated, random, now.random),
        ), seen

    def _loss(self, weights: Array, states: State, wanted: Array) -> Array:
        values = self.sums.values(weights, states)
        return optax.sigmoid_binary_cross_entropy(values, wanted).mean() + self.options.decay * (weights**2).sum()

    def _go_on(self, now: Learning) -> tuple[Learning, Array]:
        """Play some plies of every game, and learn from them; return what is new, and figures to watch."""
        one, key = self.options, jax.random.fold_in(now.key, now.chunk)
        keys = jax.vmap(lambda n: jax.random.fold_in(key, n))(jnp.arange(one.plies))
        now, seen = lax.scan(self._play, now, keys)
        goal = wanted(seen, one.lam).reshape(-1)
        states = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), seen.states)
        order = jax.random.permutation(key, len(goal))[: len(goal) // one.passes * one.passes]

        def step(carry: tuple[Array, Any], part: Array) -> tuple[tuple[Array, Any], Array]:
            weights, memory = carry
            loss, slope = jax.value_and_grad(self._loss)(weights, take(states, part), goal[part])
            steps, memory = self.adam.update(slope, memory, weights)
            return (optax.apply_updates(weights, steps), memory), loss

        (weights, memory), losses = lax.scan(step, (now.weights, now.memory), order.reshape(one.passes, -1))
        met = seen.ended & (np.arange(one.batch) < round(one.guides * one.batch))
        result = jnp.where(seen.drawn, 0.5, seen.result)
        taken = jnp.where(met, jnp.where(seen.guided, 1 - result, result), 0).sum() / jnp.maximum(met.sum(), 1)
        drawn = seen.drawn.sum() / jnp.maximum(seen.ended.sum(), 1)
        told = jnp.stack([losses.mean(), seen.ended.sum().astype(float), drawn, taken])
        mean = now.mean + (weights - now.mean) / jnp.maximum(now.chunk + 1 - one.chunks + one.averaged, 1)
        return replace(now, weights=weights, mean=mean, memory=memory, chunk=now.chunk + 1), told


def learn(options: Options, folder: Path) -> np.ndarray:
    """Learn, with checkpoints in a folder, and return the numbers, float32[S, F].

    Raises:
        UsageError: the folder has checkpoints of other options.
        RunError: it cannot be written to.
    """
    shaping = {
        name: value for name, value in asdict(options).items() if name not in ("plays", "title", "folder", "save")
    }
    digest = hashlib.sha256(repr(shaping).encode()).hexdigest()[:16]
    learner = Learner(options)
    found = checkpoint.newest(folder, jax.jit(learner.begin)(), digest)
    if found.generation < 0 and found.unusable:
        reject("folder", folder, f"one without checkpoints, or with those of the same options ({found.unusable[0][1]})")
    now, begun, games = found.tree, time.process_time(), 0
    for number in range(max(found.generation, 0) + 1, options.chunks + 1):
        now, (loss, ended, drawn, taken) = learner.go_on(now)
        games += int(ended)
        if number % 10 == 0 or number == options.chunks:
            try:
                checkpoint.save(folder, number, now, digest)
            except OSError as error:
                raise RunError(f"folder={folder}: cannot be written to ({reason(error)})") from error
            seconds = time.process_time() - begun
            told = f"{number} of {options.chunks}: {games} games, {drawn:.0%} drawn, loss {loss:.4f}"
            told += f", {taken:.0%} of the points against guides" if options.guides else ""
            print(f"{told}, {seconds:.0f} CPU-seconds", file=sys.stderr, flush=True)
    return np.asarray(now.mean)


def written(options: Options, weights: np.ndarray) -> champion.ChampionFile:
    """Return the champion with these numbers, float32[S, F]."""
    settings = {name: getattr(options, name) for name in RULES}
    program: dict[str, object] = {"depth": options.plays or options.depth, "apart": options.apart}
    cast = jaxgp.take(envs.spec("checkers"), options=program, **settings)
    sums = Sums(cast.game, options.bounds, options.lead, options.apart)
    genome = languages.parse(cast.language, sums.write(weights))
    game = {"name": cast.spec.name} | {one.name: getattr(cast.game, one.name) for one in list_options(cast.game)}
    config = Config(game=game, program=cast.program, seed=options.seed, title=options.title)
    unknown = jnp.float32(jnp.nan)
    found = BestSoFar(genome, unknown, jnp.full(2, unknown), jnp.int32(options.chunks))
    return champion.describe(found, cast.language, config)


def task(options: Options) -> int:
    """Check, learn, save."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    folder = files.make_directory(files.user_path("folder", options.folder), "folder")
    use_compilation_cache("~/.cache/jaxgp")
    text = champion.as_text(written(options, learn(options, folder)))
    files.save_text("save", path, text)
    print(f"saved: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
