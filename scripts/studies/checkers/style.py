"""Evolve a few numbers that change how sums of checkers play when a side is ahead.

python scripts/studies/checkers/style.py begin=[docs/data/champions/checkers_10x10_mean.jsonl] save=outputs/style.json

Sums that learned (`learn.py`) come to be ahead, and then often draw, with men that they did not crown. So six numbers
are added to theirs, for each of the last phases. They say what is good in positions in which a side is ahead, from the
view of that side: a row forward, a king of each side, a step between kings, a move that the other side has, where that
is to move, and being ahead in this phase. CMA-ES with a diagonal matrix evolves them. An individual plays on from
positions of games of the first sums against the guide, in which the sums are ahead. They are of earlier phases as well,
since what a phase is worth decides who wants to come to it. The guide is a search of two plies that counts pieces and
draws its best moves. The fitness is the share of points. The champion is the mean of the last distribution, so that no
single measure names it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import jaxgp
from envs.checkers.rules import Checkers, State
from jaxgp import files
from jaxgp.arrays import take, where
from jaxgp.bits import count, pick
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.library.evolving import RECORD
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.players.ply import random_move
from jaxgp.run.run import use_compilation_cache
from jaxgp.schemes.breeding.cma import SeparableCMA
from jaxgp.schemes.cma import CMAOptions
from jaxgp.search.alphabeta import best_moves
from jaxgp.search.chance import unused_key
from jaxgp.store import champion
from studies import checks
from studies.checkers import learn
from studies.checkers.measure import Options as Measured
from studies.checkers.measure import SumsPlayer, loaded_of
from studies.checkers.sums import KINDS, Sums

STYLE = 6
"""Numbers of a phase, for who is ahead: a row, its king, the other king, a step, a move of the other side, being so."""
WIDEST = 0.5
"""The greatest of these numbers; a man is worth some 0.2."""


@dataclass
class Options:
    """How the numbers evolve."""

    begin: list[str] = option([], "a champion file of learn.py, with apart and lead")
    phases: int = option(1, "phases that it changes, those with the fewest pieces", low=1, high=100)
    pieces: int = option(30, "pieces of the positions that games begin with, at most", low=2, high=256)
    generations: int = option(25, "of CMA-ES", low=1, high=MAX_COUNT)
    population: int = option(12, "individuals of a generation", low=5, high=1024)
    games: int = option(96, "positions that an individual plays on from in a generation", low=2, high=4096)
    plies: int = option(160, "games are stopped after these", low=2, high=1000)
    bank: int = option(1024, "games whose positions are drawn from", low=16, high=MAX_COUNT)
    seed: int = option(0, "of all that is drawn", low=0, high=MAX_SEED)
    title: str = option("Checkers, sums with a style", "of the champion")
    folder: str = option("outputs/checkers_style", "folder for the checkpoints", path=True)
    save: str = option("style.json", "file for the champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse no champions; raises UsageError."""
        checks.some_champions(self.begin, prefix, "begin")


class Bank(NamedTuple):
    """Positions that games begin with."""

    states: State  # [N]
    seat: Array  # int32[N]: the seat of the sums


class Kept(NamedTuple):
    """What is kept of games [N] so far."""

    states: State  # [N]: a position of each
    met: Array  # int32[N]: positions that might have been kept


def styled(sums: Sums, numbers: Array, style: Array) -> Array:
    """Return float32[S, F]: the numbers of sums, changed by those of a style.

    Args:
        sums: with `lead` and `apart`.
        numbers: float32[S, F].
        style: float32[N, 6], of the N phases with the fewest pieces.
    """
    game, area = sums.game, sums.game.area
    rows = np.array([game.place(square)[0] for square in range(area)], np.float32) / (game.size - 1)
    forward, back = jnp.asarray(rows), jnp.asarray(1 - rows)  # as the side to move and as the other one goes
    none, every, zero = jnp.zeros(area), jnp.ones(area), jnp.float32(0)

    def of_phase(one: Array) -> Array:
        row, king, other, step, move, lead = one

        def sum_of(parts: list[Array], *rest: Array) -> Array:
            return jnp.concatenate([*parts, jnp.stack(rest)])

        ahead = sum_of([row * forward, king * every, none, -other * every], step, zero, lead)
        behind = sum_of([none, other * every, -row * back, -king * every], -step, move, -lead)
        return jnp.stack([behind, jnp.zeros_like(ahead), ahead])

    assert sums.lead
    assert sums.apart
    assert numbers.shape[1] == KINDS * area + 3
    changed = jax.vmap(of_phase)(style).reshape(-1, numbers.shape[1])
    return numbers.at[: len(changed)].add(changed)


class Playing:
    """Games of sums against the guide; what a game is follows from the champion that they begin with."""

    def __init__(self, options: Options, player: SumsPlayer, numbers: np.ndarray) -> None:
        """Take sums that play, and their numbers, float32[S, F]; raises UsageError for more phases than they have."""
        assert player.sums is not None
        phases = len(player.sums.bounds) + 1
        if options.phases > phases:
            reject("phases", options.phases, f"a whole number from 1 to {phases}, the phases of the champion")
        self.options, self.player, self.numbers = options, player, jnp.asarray(numbers)
        self.game: Checkers = player.game
        self.search = player.search()
        self.guide = learn.guide(self.game, 2)

    def _move(self, key: Array, weights: Array, states: State, seat: Array, whose: Array) -> State:
        """Make a move in all games [Q] that go on, of the sums `whose` (int32[Q]) or of the guide."""
        going = ~states.terminated
        mine = going & (states.to_move == seat)
        own = learn.searched(self.search, states, self.player.depth, mine, weights, whose).argmax(-1)
        kings, lots = jax.random.bits(key, (2, len(seat)))
        theirs = learn.searched(self.guide, states, 2, going & ~mine, jnp.array(learn.KINGS), (kings % 2).astype(int))
        moves = jnp.where(mine, own, pick(best_moves(theirs), lots))
        after = jax.vmap(lambda state, move: self.game.step(state, move, unused_key()))(states, moves)
        return where(going, after, states)

    def bank(self, key: Array) -> Bank:
        """Return positions of games of the first sums, one of each game, in which these are ahead."""
        total, one = self.options.bank, self.options
        open_key, ply_key, lot_key = jax.random.split(key, 3)
        start = jax.vmap(lambda _: self.game.init(unused_key()))(jnp.arange(total))
        seat = jnp.arange(total, dtype=jnp.int32) % 2

        def opened(number: Array, states: State) -> State:
            bits = jax.random.bits(jax.random.fold_in(open_key, number), (total,))
            moves = jax.vmap(partial(random_move, self.game))(states, bits)
            return jax.vmap(lambda state, move: self.game.step(state, move, unused_key()))(states, moves)

        def ply(number: Array, carry: tuple[State, Kept]) -> tuple[State, Kept]:
            states, kept = carry
            whose = jnp.zeros(total, jnp.int32)
            states = self._move(jax.random.fold_in(ply_key, number), self.numbers[None], states, seat, whose)
            own, other = count(states.own), count(states.other)
            ahead = jnp.where(states.to_move == seat, own - other, other - own)
            fits = (
                ~states.terminated
                & ((ahead < 0) if self.game.lose else (ahead > 0))
                & (own + other <= self.options.pieces)
            )
            met = kept.met + fits
            # Each position of a game that fits is kept with the same probability.
            lots = jax.random.uniform(jax.random.fold_in(lot_key, number), (total,))
            new = fits & (lots * jnp.maximum(met, 1) < 1)
            return states, Kept(where(new, states, kept.states), met)

        begun = lax.fori_loop(0, 6, opened, start)
        kept = lax.fori_loop(0, one.plies, ply, (begun, Kept(begun, jnp.zeros(total, jnp.int32))))[1]
        there = jnp.argsort(kept.met == 0, stable=True)[: int((np.asarray(kept.met) > 0).sum())]
        return Bank(take(kept.states, there), seat[there])

    def points(self, key: Array, bank: Bank, weights: Array) -> Array:
        """Return float32[P]: the share of points of sums, float32[P, S, F], on from the same positions for all."""
        one, count_ = self.options, len(weights)
        draw_key, ply_key = jax.random.split(key)
        places = jax.random.randint(draw_key, (one.games,), 0, len(bank.seat))
        states, seat = jax.tree.map(
            lambda x: jnp.concatenate([x] * count_), (take(bank.states, places), bank.seat[places])
        )
        whose = jnp.repeat(jnp.arange(count_, dtype=jnp.int32), one.games)

        def go_on(carry: tuple[Array, State]) -> Array:
            return (carry[0] < one.plies) & ~carry[1].terminated.all()

        def ply(carry: tuple[Array, State]) -> tuple[Array, State]:
            number, states = carry
            key = jax.random.fold_in(ply_key, number)
            return number + 1, self._move(key, weights, states, seat, whose)

        ended = lax.while_loop(go_on, ply, (jnp.int32(0), states))[1]
        result = jnp.where(seat == 0, ended.returns[:, 0], ended.returns[:, 1]) * 0.5 + 0.5
        return result.reshape(count_, -1).mean(1)


def evolve(options: Options, playing: Playing, sums: Sums, folder: Path) -> np.ndarray:
    """Return the mean of the last distribution, float32[N, 6]; the folder gets checkpoints, and is gone on from."""
    phases = options.phases
    domain = jaxgp.Floats(-WIDEST, WIDEST)
    words = jaxgp.PrimitiveSet(
        "style", (jaxgp.Primitive("number", domain=domain),), (), roots=(jaxgp.FLOAT,) * (phases * STYLE)
    )
    start_key, run_key = jax.random.split(jax.random.key(options.seed))
    bank = playing.bank(start_key)
    if not len(bank.seat):
        why = f"in none of so many games the sums are ahead, with up to {options.pieces} pieces"
        reject("bank", options.bank, "a greater number", why)
    print(f"{len(bank.seat)} positions to go on from", flush=True)

    def styles(population: Any) -> Array:
        return population.value[..., 0].reshape(-1, phases, STYLE)

    def fitness(key: Array, population: Any) -> Array:
        weights = jax.vmap(lambda style: styled(sums, playing.numbers, style))(styles(population))
        return playing.points(key, bank, weights)

    scheme = SeparableCMA(
        words, CMAOptions(population=options.population, generations=options.generations, start=0.5, step=0.25)
    )
    ring = jaxgp.Ring(jaxgp.FunctionFitness(fitness), scheme)
    made = (folder / RECORD).exists()
    found = (
        jaxgp.resume(ring, folder, options.generations)
        if made
        else jaxgp.evolve(ring, run_key, options.generations, folder=folder)
    )
    print(found.metrics["mean_fitness"].round(3).tolist(), flush=True)
    # The first individual of a generation is the mean of its distribution.
    return np.asarray(styles(jax.tree.map(lambda x: x[:1], found.state.population))[0])


def task(options: Options) -> int:
    """Check, evolve, save."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    folder = files.make_directory(files.user_path("folder", options.folder), "folder")
    use_compilation_cache("~/.cache/jaxgp")
    loaded, sums, numbers = loaded_of(Measured(runs=options.begin))
    cast = loaded[0].cast
    player = SumsPlayer(cast.language, cast.game, cast.actor.view, cast.actor.depth, sums=sums)
    style = evolve(options, Playing(options, player, numbers[0]), sums, folder)
    for phase, row in enumerate(style):
        print(f"phase {phase}: {row.round(3).tolist()}")
    game = cast.game
    learned = learn.Options(
        size=game.size,
        rows=game.rows,
        lose=game.lose,
        quiet_plies=game.quiet_plies,
        bounds=list(sums.bounds),
        lead=sums.lead,
        apart=sums.apart,
        plays=cast.actor.depth,
        title=options.title,
        seed=options.seed,
    )
    text = champion.as_text(
        learn.written(learned, np.asarray(styled(sums, jnp.asarray(numbers[0]), jnp.asarray(style))))
    )
    files.save_text("save", path, text)
    print(f"saved: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
