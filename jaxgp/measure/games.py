"""The table of games: one row for each opponent that `scripts/evaluate.py` has measured a player against."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import jax

import jaxgp
from jaxgp import files, reading
from jaxgp.config.games import describe_game
from jaxgp.measure.champions import Loaded
from jaxgp.measure.evaluation import Result
from jaxgp.store import runs
from jaxgp.store.directory import RunDirectory
from jaxgp.store.table import CSVTable

if TYPE_CHECKING:
    from jaxgp.measure.panels import MeasuredPlayer

COLUMNS = {
    "player": "who is measured: a champion by the 16 digits that the table of runs has, and its depth if it searches; "
    "or another player in words",
    "opponent": "the other player in words",
    "games": "games that were played, half of them from each seat",
    "wins": "games that the player won",
    "draws": "games that nobody won",
    "losses": "games that the player lost",
    "score": "share of games that the player won, a draw counting half",
    "low": "lower end of the 95 % interval of the score; empty for a single game from each seat",
    "high": "upper end of the interval",
    "units": "games, or groups of games, that are independent of each other",
    "effective": "number of independent games that the interval stands for",
    "first": "score in the games in which the player moves first",
    "second": "score in the games in which the player moves second",
    "plies": "mean length of the games",
    "drawn": "share of games that nobody won",
    "seconds": "wall-clock time of the games, compiling included",
    "game": "the game, and its settings that differ from the defaults",
    "experiment": "of a champion: the experiment of its run",
    "title": "of a champion: the title of its run",
    "run": "of a champion: its run directory or file, relative to where the command ran",
    "run_seed": "of a champion: the seed of its run",
    "command": "the command",
    "seed": "seed of the games; rows of one seed have games in common",
    "jaxgp": "version of jaxgp",
    "jax": "version of JAX",
    "device": "platform and kind of the device",
    "points_first": "mean points of the player where it moves first, in the game's own unit",
    "spread_first": "standard deviation of these points over games",
    "points_second": "mean points where it moves second",
    "spread_second": "standard deviation of these",
}
"""The columns and what is in them."""
NEWEST = 4
"""How many of the last columns the files of older versions lack."""


def table(path: Path) -> CSVTable:
    """Return a table of games; a file of an older version keeps its columns."""
    return CSVTable(path, COLUMNS, NEWEST)


def row(
    player: str, opponent: str, results: Sequence[Result], seconds: float, about: Mapping[str, object]
) -> dict[str, object]:
    """Return the row of the games against one opponent.

    Args:
        player: who was measured, in words that stay the same; `opponent` is the other player.
        opponent: see `player`.
        results: from the first seat, from the second, and from both.
        seconds: that the games took.
        about: the columns from `game` on, as `circumstances` returns them.
    """
    first, second, both = results
    return {
        "player": player,
        "opponent": opponent,
        "games": both.games,
        "wins": both.wins,
        "draws": both.draws,
        "losses": both.losses,
        "score": both.score,
        "low": both.score_low,
        "high": both.score_high,
        "units": both.units,
        "effective": both.effective,
        "first": first.score,
        "second": second.score,
        "plies": both.plies,
        "drawn": both.draws / both.games,
        "seconds": seconds,
        "points_first": first.points,
        "spread_first": first.spread,
        "points_second": second.points,
        "spread_second": second.spread,
        **about,
    }


def circumstances(loaded: "Loaded | MeasuredPlayer", command: str, seed: int) -> dict[str, object]:
    """Return the columns that all rows of an evaluation share."""
    device = jax.devices()[0]
    return {
        "game": describe_game(loaded.cast.game),
        **(
            _origin(loaded) if isinstance(loaded, Loaded) else dict.fromkeys(("experiment", "title", "run", "run_seed"))
        ),
        "command": command,
        "seed": seed,
        "jaxgp": jaxgp.__version__,
        "jax": jax.__version__,
        "device": f"{device.platform}: {device.device_kind}",
    }


def _origin(loaded: Loaded) -> dict[str, object]:
    """Return what is known of the run of a champion."""
    run = RunDirectory(loaded.path.parent)
    try:
        ran = runs.commands(reading.read_json(run.environment)) if loaded.in_run else []
    except (OSError, ValueError):
        ran = []  # the champion alone was kept
    return {
        "experiment": runs.find_setting("experiment", ran),
        "title": loaded.content.title,
        "run": files.short(run.path if loaded.in_run else loaded.path),
        "run_seed": loaded.content.seed,
    }


class MetSeeds(NamedTuple):
    """Seeds that a champion has met.

    Games of a run and games of a measurement have chance of their own, also where their seeds are equal. Two
    measurements with one seed, and one panel, play the same games.

    Attributes:
        run: of its evolution.
        measured: of earlier games that measured it, in ascending order.
    """

    run: int
    measured: tuple[int, ...]

    def text(self, seed: int) -> str:
        """Say which seeds it has met before games with another one are counted."""
        earlier = ", ".join(map(str, self.measured)) or "none"
        again = f"; seed {seed} is one of them, so these may be the same games" if seed in self.measured else ""
        return f"seeds that the champion has met: {self.run} in its run, {earlier} in earlier measurements{again}"


def list_met_seeds(loaded: Loaded, figures: Path, rows: Iterable[Mapping[str, str]] = ()) -> MetSeeds:
    """Return the seeds that a champion has met.

    Args:
        loaded: the champion.
        figures: the file of an earlier evaluation, which need not exist; a damaged one says nothing.
        rows: of a table of games; those of this champion count as well.
    """
    try:
        content = reading.read_json(figures)
    except (OSError, ValueError):
        content = {}
    content = content if isinstance(content, dict) else {}
    earlier = content.get("met", {}) if isinstance(content.get("met", {}), dict) else {}
    found = {*_whole(earlier.get("measured")), *_whole([content.get("seed")])}
    name = loaded.text.split(" depth=")[0]
    for row in rows:
        if row["player"].split(" depth=")[0] == name:
            seed = reading.whole_number(row["seed"])
            found |= set() if seed is None else {seed}
    return MetSeeds(loaded.content.seed, tuple(sorted(found)))


def _whole(values: object) -> list[int]:
    return [one for one in values if isinstance(one, int)] if isinstance(values, list) else []
