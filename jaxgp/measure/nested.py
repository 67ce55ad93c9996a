"""Nested searches to compare a program with: run in pieces, with checkpoints; the best game can be saved."""

import json
import shutil
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.contracts import Game
from jaxgp.errors import RunError, UsageError, reason
from jaxgp.files import Json
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome
from jaxgp.host import savedgame
from jaxgp.measure.alone import best_of, random_scores
from jaxgp.options import MAX_SECONDS
from jaxgp.players.alone.guided import GuidedSoloist
from jaxgp.report.waiting import waiting
from jaxgp.search.listed import Listed, ListedGame
from jaxgp.search.nrpa import Line, Nested, NRPAState
from jaxgp.seats.moves import Stepper, game_key
from jaxgp.statistics.comparison import compare
from jaxgp.store import checkpoint

SLOTS = 64
"""Slots for legal moves, for games that keep no list of their own."""
PIECE = 5.0
"""Seconds of search on the device before control returns to the host."""
EVERY = 60.0
"""Seconds between checkpoints."""
MOST_RESTARTS = 2_000_000
"""The most random games that are played for comparison; if a comparison needs more, none are played."""


@dataclass(frozen=True)
class NestedPlan:
    """What is to be searched.

    Attributes:
        level: how deep searches are nested.
        iterations: iterations of each level.
        searches: independent searches side by side.
        seed: seed of the searches.
        group: playouts of each policy; the best counts.
    """

    level: int
    iterations: int = 100
    searches: int = 4
    seed: int = 0
    group: int = 1


@struct.dataclass
class NestedProgress:
    """What a checkpoint holds."""

    search: NRPAState
    seconds: Array  # float32[]: spent so far, compilation included


def make_listed(cast: Cast) -> ListedGame:
    """Return the game's own `make_listed` form, or else one that `Listed` makes of its rules."""
    return Listed(cast.game, SLOTS) if cast.spec.solo is None else cast.spec.solo.listed(cast.game)


def search(
    cast: Cast,
    plan: NestedPlan,
    say: Callable[[str], object],
    folder: Path | None = None,
    save: Sequence[Path] = (),
    genome: Genome | None = None,
) -> dict[str, Json]:
    """Run nested searches, and play as many random games unless that exceeds `MOST_RESTARTS`.

    Args:
        cast: a game for one.
        plan: what is to be searched.
        say: told about progress.
        folder: folder of checkpoints; searches that it holds are continued. None: no checkpoints.
        save: files for the best game.
        genome: a champion that guides searches.

    Returns:
        Figures by kind of search: `nested`; `guided` if the champion guides searches; `restarts`, the best of as many
        random games as a search plays. Each has the scores of all searches, their mean, the greatest, and the total
        seconds; the searches also have `crowded`, in how many of them a position had more legal moves than slots.
        `comparisons` holds the results of `compare_searches`.

    Raises:
        RunError: a file cannot be written.
    """
    nested = Nested(make_listed(cast), plan.level, plan.iterations, group=plan.group)
    kinds: dict[str, tuple[Nested, Array | None]] = {"nested": (nested, None)}
    if isinstance(cast.actor, GuidedSoloist) and genome is not None:
        guide = cast.actor.by(plan.level, plan.iterations, plan.group)
        bias = jax.jit(guide.prepare)(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
        kinds["guided"] = (guide.nested, jnp.repeat(bias, plan.searches, 0))
    figures: dict[str, dict[str, Any]] = {}
    about = {"playouts": nested.playouts, "level": plan.level, "iterations": plan.iterations, "group": plan.group}
    best: Line | None = None
    for name, (kind, biases) in kinds.items():
        say(f"Searching, {name}: {plan.searches} times {nested.playouts} playouts")
        line, took = run(kind, plan, cast.game, say, folder / name if folder else None, biases)
        crowded = int(line.overflow.sum())
        if crowded:
            say(f"In {crowded} searches a position had more than {kind.game.slots} legal moves; some were left out")
        figures[name] = about | best_of(np.asarray(line.score)) | {"seconds": took, "crowded": crowded}
        best = line if best is None or line.score.max() > best.score.max() else best
    if save and best is not None:
        savedgame.write(save, best_game(cast, best))
        say(f"saved: {', '.join(map(str, save))}")
    games = plan.searches * nested.playouts
    if games <= MOST_RESTARTS:
        say(f"Playing {plan.searches} times {nested.playouts} random games")
        started = time.perf_counter()
        # Other games than those that `alone.measure` plays.
        random = random_scores(cast, games, plan.seed ^ 1 << 31).reshape(plan.searches, -1).max(1)
        seconds = time.perf_counter() - started
        figures["restarts"] = {"playouts": nested.playouts} | best_of(random) | {"seconds": seconds}
    figures["comparisons"] = compare_searches(figures)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    return figures


def compare_searches(figures: dict[str, Json]) -> Json:
    """Compare the scores of each two kinds of search: rank-sum test, and A12 of the first over the second."""
    found = {}
    for one, other in (("guided", "nested"), ("guided", "restarts"), ("nested", "restarts")):
        if one in figures and other in figures and len(figures[one]["scores"]) > 1:
            result = compare("score", (one, figures[one]["scores"]), (other, figures[other]["scores"]))
            about = {"a12": result.a12.value, "low": result.a12.low, "high": result.a12.high, "size": result.size}
            found[f"{one} against {other}"] = {"u": result.u, "p": result.p} | about
    return found


def run(
    nested: Nested,
    plan: NestedPlan,
    game: Game,
    say: Callable[[str], object],
    folder: Path | None = None,
    biases: Array | None = None,
) -> tuple[Line, float]:
    """Search in pieces; return the best game of each search, and the seconds spent.

    A search that continues from a checkpoint gives the result of one that was never stopped.

    Raises:
        UsageError: the checkpoints are of another search.
        KeyboardInterrupt: stopped; what was searched is kept first.
    """
    key, digest = jax.random.key(plan.seed), identity(nested, plan, game, biases)
    progress = NestedProgress(nested.begin(plan.searches), jnp.float32(0))
    if folder:
        number, progress, unusable = checkpoint.newest(folder, progress, digest, partial(fault, nested))
        for path, why in unusable:
            if number < 0:
                raise UsageError(f"resume: {why}; accepted: the options that the search was begun with")
            say(f"{why}; going on after {number} steps")
            with suppress(OSError):
                checkpoint.set_aside(path)
        if number >= 0:
            say(f"Going on after {number} of {nested.steps} steps")
    search, before, started = progress.search, float(progress.seconds), time.perf_counter()
    size, saved = 16, started

    def keep() -> None:
        if folder:
            done = NestedProgress(search, jnp.float32(before + time.perf_counter() - started))
            try:
                checkpoint.save(folder, int(search.number), done, digest)
            except OSError as error:  # the search goes on, and the next one may be written
                say(f"{folder}: the search so far is not written ({reason(error)})")

    try:
        while (number := int(search.number)) < nested.steps:
            begun = time.perf_counter()
            until = jnp.int32(min(number + size, nested.steps))
            with waiting("Compiling the search") if search is progress.search else nullcontext():
                search = nested.advance(key, search, until, biases)
                jax.block_until_ready(search)
            now = time.perf_counter()
            if now - begun < PIECE:
                size *= 2
            elif now - begun > 4 * PIECE:  # others use the machine too
                size = max(1, size // 2)
            if folder and now - saved > EVERY:
                keep()
                saved = now
                say(f"{int(search.number)} of {nested.steps} steps: best {float(search.best.score.max()):g}")
    except KeyboardInterrupt:
        if folder and int(search.number):
            keep()
            say(f"{int(search.number)} of {nested.steps} steps are done; resume=auto goes on")
        raise
    keep()
    return jax.tree.map(lambda x: x[-1], search.best), before + time.perf_counter() - started


def fault(nested: Nested, progress: NestedProgress, number: int) -> str:
    """Say what in a checkpoint of a search is beyond its bounds; empty: nothing."""
    search, best, none = progress.search, progress.search.best, nested.game.num_actions
    bounds = {
        "number": (search.number, number, min(number, nested.steps)),
        "seconds": (progress.seconds, 0, MAX_SECONDS),
        "length": (best.length, 0, nested.longest),
        "actions": (best.actions, 0, none),
        "options": (best.options, 0, none),
    }
    for name, (array, low, high) in bounds.items():
        if not ((np.asarray(array) >= low) & (np.asarray(array) <= high)).all():
            return f"{name}: accepted: {low} to {high}"
    return "policies: accepted: numbers" if np.isnan(np.asarray(search.policies)).any() else ""


def identity(nested: Nested, plan: NestedPlan, game: Any, biases: Array | None) -> str:
    """Return one line of JSON with everything that a search depends on."""
    rules = {"name": game.name, "version": game.version} | asdict(game)
    guided = None if biases is None else zlib.crc32(np.asarray(biases).tobytes())
    about = {"game": rules, "alpha": nested.alpha, "longest": nested.longest, "biases": guided}
    return json.dumps(about | asdict(plan), sort_keys=True)


def best_game(cast: Cast, line: Line) -> savedgame.PlayedGame:
    """Play the best of S games again, with every move checked; raises RunError where a checkpoint was changed."""
    place = int(line.score.argmax())
    actions = np.asarray(line.actions[place])[: int(line.length[place])].tolist()
    stepper = Stepper(cast.game, game_key(0))
    try:
        moves = list(stepper.retrace(actions))
    except ValueError as error:
        raise RunError(f"save: the best game cannot be played ({error}); its checkpoint was changed") from error
    return savedgame.PlayedGame(stepper, cast.spec, ("Nested search",), moves)


def is_cut_off(folder: Path) -> bool:
    """Tell whether a folder holds checkpoints of an unfinished search."""
    return any(checkpoint.available(inside) for inside in folder.glob("*/"))
