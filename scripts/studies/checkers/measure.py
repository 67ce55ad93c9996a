"""Measure champions that are sums by their sums, which takes less time than their programs do.

python scripts/studies/checkers/measure.py runs=[docs/data/champions/checkers_10x10_apart.jsonl] table=games.csv

The numbers are read from the program (`sums.read`), and the search values leaves by them, as in learning. They are
added up in another order than the program does it, so two moves whose values differ in the seventh digit may change
places. Of the drawn games it says who is ahead in pieces at their end, and whether the champion then has a man that was
not crowned.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import envs
from envs.checkers.rules import State
from jaxgp import files
from jaxgp.arrays import product
from jaxgp.bits import count
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.fitness.matches import Played, seats
from jaxgp.league.members import champion_files
from jaxgp.measure import champions, evaluation, games, panels, together
from jaxgp.measure.champions import Loaded
from jaxgp.options import DEEPEST, MAX_CORES, MAX_GAMES, MAX_SEED, option
from jaxgp.players.searched import WON, SearchedPlayer
from jaxgp.run.run import use_compilation_cache
from jaxgp.search import cores
from studies import checks
from studies.checkers import sums
from studies.checkers.sums import Sums

PANEL = Path(__file__).resolve().parents[3] / "conf" / "panel" / "checkers.yaml"
MOST = 3
"""A greater lead at the end of a drawn game is counted with this one."""


@dataclass
class Options:
    """The champions, their opponents, and the number of games."""

    runs: list[str] = option([], "champion files, or patterns with *, ? or [0-4]")
    against: list[str] = option(["men_3"], "members of the panel checkers")
    games: int = option(500, "games of each champion from each seat", low=2, high=MAX_GAMES)
    depth: int | None = option(None, "plies of the champions; null: those in their files", low=1, high=DEEPEST)
    seed: int = option(0, "of the games", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    table: str | None = option(None, "a CSV file that gets a row for each opponent of each champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse no champions; raises UsageError."""
        checks.some_champions(self.runs, prefix)


@dataclass(frozen=True)
class SumsPlayer(SearchedPlayer):
    """Plays as a program of sums does; its genomes are their numbers, float32[P, S, F].

    Attributes:
        sums: what the numbers are multiplied by.
    """

    sums: Sums | None = None

    def prepare(self, programs: Any) -> Any:
        """Return the numbers as they are."""
        return programs

    def count(self, plans: Any) -> int:
        """Return P."""
        return len(plans)

    def evaluate_leaves(self, plans: Any, whose: Array, states: State, needed: Array) -> Array:
        """Return float32[B]: values of states [B] for the side to move, by the sums of `whose` (int32[B]).

        The products are added one after the other, in the same order in C++.
        """
        del needed
        assert self.sums is not None
        seen, numbers = self.sums.features(states).T, plans[whose, self.sums.which(states)].T

        def add(n: Array, total: Array) -> Array:
            return total + product(seen[n], numbers[n], states.to_move)

        own = lax.fori_loop(0, len(seen), add, jnp.zeros(seen.shape[1]))
        result = jax.vmap(lambda state: state.returns[state.to_move])(states)
        return jnp.where(states.terminated, WON * result, own)


def leads(played: Played, seat: np.ndarray) -> tuple[Counter[int], int]:
    """Return how many drawn games of a champion end with each lead in pieces, and how many ahead and with a man left.

    Leads are from -MOST to MOST. A man that is left was not crowned.

    Args:
        played: its games [1, G].
        seat: int[G], its seats.
    """
    states = jax.tree.map(lambda x: np.asarray(x[0]), played.states)
    moves = states.to_move == seat
    own, other = (
        tuple(np.where(moves == first, a, b) for a, b in zip(states.own, states.other, strict=True))
        for first in (True, False)
    )
    drawn = (states.returns == 0).all(-1)
    ahead = np.clip(np.asarray(count(own) - count(other)), -MOST, MOST)
    men = tuple(word & ~kings for word, kings in zip(own, states.kings, strict=True))
    return Counter(ahead[drawn].tolist()), int((drawn & (ahead > 0) & (np.asarray(count(men)) > 0)).sum())


def different(played: Played) -> int:
    """Return how many of the games [1, G] of a champion differ in its moves."""
    return len(np.unique(np.asarray(played.behaviour[0]), axis=0))


def loaded_of(options: Options) -> tuple[list[Loaded], Sums, np.ndarray]:
    """Return champions, what their sums see, and their numbers, float32[P, S, F]; raises UsageError."""
    found = [champions.load(str(path), envs, "runs") for path in champion_files("runs", options.runs)]
    together.one_game(found)
    found = found if options.depth is None else [champions.at_depth(one, options.depth) for one in found]
    read = []
    for one in found:
        try:
            read.append(sums.read(one.cast.game, one.cast.language, one.content.text))
        except ValueError as error:
            reject("runs", files.short(one.path), f"champions of learn.py; {error}")
    if len({(kind, one.player.depth) for (kind, _), one in zip(read, found, strict=True)}) > 1:
        reject("runs", options.runs, "champions with the same kind of sums and the same plies")
    return found, read[0][0], np.stack([numbers for _, numbers in read])


def said(ahead: Counter[int], men: int) -> str:
    """Say in how many drawn games the champion is behind, level and ahead, and then has a man left."""
    names = {n: "level" if n == 0 else f"{'ahead' if n > 0 else 'behind'} by {abs(n)}" for n in range(-MOST, MOST + 1)}
    names |= {sign * MOST: f"{names[sign * MOST]} or more" for sign in (-1, 1)}
    return ", ".join(f"{ahead[n]} {name}" for n, name in names.items()) + f" ({men} of those ahead with a man left)"


def task(options: Options) -> int:
    """Play, add rows, and print a line for each champion and opponent."""
    cores.use(options.cores)
    use_compilation_cache("~/.cache/jaxgp")
    loaded, kind, numbers = loaded_of(options)
    cast = loaded[0].cast
    panel, _ = panels.fitting(panels.read_panel(PANEL), cast)
    panel = panels.choose_members(panel, options.against, "against")
    player = SumsPlayer(cast.language, cast.game, cast.actor.view, cast.actor.depth, sums=kind)
    table = games.table(files.user_path("table", options.table)) if options.table else None
    if table is not None:
        table.check("table")
    command = arguments.command("scripts/studies/checkers/measure.py", options)
    for index, (name, spec) in enumerate(panel.items()):
        begin = time.perf_counter()
        opponent = evaluation.seat(cast, spec, options.games, False)
        start_key, play_key = jax.random.split(jax.random.fold_in(jax.random.key(options.seed), index))
        memory = jax.jit(opponent.init)(start_key)
        played = evaluation.play_out(play_key, cast.game, player, jnp.asarray(numbers), opponent, memory, name=name)
        seconds = (time.perf_counter() - begin) / len(loaded)
        for place, one in enumerate(loaded):
            of_games = played.states, played.plies, played.behaviour
            states, plies, behaviour = jax.tree.map(lambda x, at=place: x[at : at + 1], of_games)
            own = replace(played, states=states, plies=plies, behaviour=behaviour)
            results = evaluation.results(name, cast.game, opponent, own)
            both = results[-1]
            between = "" if both.score_low is None else f" ({both.score_low:.1%} to {both.score_high:.1%})"
            print(f"{files.short(one.path)} against {name}: {both.score:.1%}{between} of {both.games} games")
            ahead, men = leads(own, np.asarray(seats((opponent,))))
            print(f"  {different(own)} of them differ; {both.draws} are drawn, of them {said(ahead, men)}", flush=True)
            if table is not None:
                about = games.circumstances(one, command, options.seed)
                row = games.row(one.text, panels.text(spec, cast), results, seconds, about)
                table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
