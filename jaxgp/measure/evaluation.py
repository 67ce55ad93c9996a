"""How strong a program is: games against named opponents from both seats, with intervals."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import jax
import numpy as np
from jax import Array

from jaxgp import files
from jaxgp.contracts import Game, Memory, Opponent, Player
from jaxgp.errors import RunError, reject
from jaxgp.evolution.options import GPOptions, GroupsOptions
from jaxgp.files import Json
from jaxgp.fitness.matches import Played, play, seats
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome, kind
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.measure import external
from jaxgp.operators.options import CreationOptions, RuleCreationOptions
from jaxgp.players.panel import Create
from jaxgp.players.program import ProgramOpponent
from jaxgp.printable import one_line
from jaxgp.report.waiting import following, waiting
from jaxgp.run import assemble
from jaxgp.seats.agents import program_agent
from jaxgp.seats.options import OpponentOptions, PlayerOptions
from jaxgp.seats.options import opponent as opponent_options
from jaxgp.statistics.intervals import effective, interval

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.panels import MeasuredPlayer

SEATS, BOTH = ("first", "second"), "both"
MAX_PLIES = 100_000
"""Limit of plies. Games end by themselves; this guards against rules under which they do not."""
RANDOM: dict[str, GPOptions | GroupsOptions] = {
    "program": GPOptions(creation=CreationOptions(method="grow", max_depth=16, terminal_probability=0.5)),
    "rules": GroupsOptions(creation=RuleCreationOptions(dont_care=0.8)),
}
"""How the random players of every panel are created; the creation options of the run are not used."""


@dataclass(frozen=True)
class Result:
    """Games of one player against one opponent from one seat.

    Attributes:
        opponent: its name in the panel.
        seat: the measured player's seat, `first` or `second`; `both` for the games from both seats together.
        games: how many were played; one if nothing is random, since all would be the same game.
        wins: games won; `draws` and `losses` are the others.
        points: mean points of the player in the game's own unit; `against` are those of the opponent.
        spread: standard deviation of the points over games (0 for a single game).
        low: 95 % interval of the share of games won, `low` to `high`, as `interval` has it; None for a single game, and
            for one game from each seat.
        score_low: the same of `score`, `score_low` to `score_high`; it is conservative where games are drawn.
        units: games, or groups of games, that are independent of each other.
        effective: number of independent games that the interval of the score stands for; None without an interval.
        plies: mean length of the games; None if it is not known.
    """

    opponent: str
    seat: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    against: float
    spread: float
    low: float | None
    high: float | None
    score_low: float | None
    score_high: float | None
    units: int
    effective: float | None
    plies: float | None

    @property
    def win_rate(self) -> float:
        return self.wins / self.games

    @property
    def score(self) -> float:
        """The share of games won; a draw counts half."""
        return (self.wins + self.draws / 2) / self.games

    def as_dict(self) -> Json:
        return {**asdict(self), "win_rate": self.win_rate, "score": self.score}


def summarise(
    opponent: str,
    seat: str,
    points: np.ndarray,
    against: np.ndarray,
    returns: np.ndarray,
    plies: np.ndarray | None = None,
) -> Result:
    """Summarise games; `points`, `against`, `returns` (1, 0, -1 for the player), `plies` are float[N], or float[N, K].

    With K games in each of N units, only the units are independent of each other.
    """
    units, games = len(points), points.size
    returns = returns.reshape(units, -1)
    won, drawn = returns > 0, returns == 0
    wins, draws = int(won.sum()), int(drawn.sum())
    low, high = interval(won.astype(float)) if units > 1 else (None, None)
    score_low, score_high = interval(won + drawn / 2) if units > 1 else (None, None)
    spread = float(points.std(ddof=1)) if games > 1 else 0.0
    return Result(
        opponent,
        seat,
        games,
        wins,
        draws,
        games - wins - draws,
        float(points.mean()),
        float(against.mean()),
        spread,
        low,
        high,
        score_low,
        score_high,
        units,
        effective(won + drawn / 2) if units > 1 else None,
        None if plies is None else float(plies.mean()),
    )


def play_out(
    key: Array,
    game: Game,
    player: Player,
    genomes: Genome,
    opponent: Opponent,
    memory: Memory | None = None,
    max_plies: int = MAX_PLIES,
    name: str = "an opponent",
) -> Played:
    """Play individuals [P, ...] against one opponent; every call compiles its program, and says so by a `name`."""
    start_key, play_key = jax.random.split(key)

    @jax.jit
    def run(start_key: Array, play_key: Array, genomes: Genome, memory: Memory) -> Played:
        own = opponent.init(start_key) if memory is None else memory
        return play(play_key, game, player, player.prepare(genomes), (opponent,), (own,), max_plies)[0]

    given = start_key, play_key, genomes, memory
    with waiting(f"Compiling the games against {name}"):
        compiled = run.lower(*given).compile()
    with following(lambda: f"{name}: the games are being played"):
        done: Played = jax.block_until_ready(compiled(*given))
    return done


def results(name: str, game: Game, opponent: Opponent, played: Played, swap: bool = False) -> list[Result]:
    """Summarise games [P, G] by seat and for both seats, pooled over individuals; `swap` measures the opponent.

    Games of several individuals, or against several programs, are no independent trials: all games of one of these are
    a unit. Games of one player against another have chance of their own each, so each game is a unit.
    """
    scores = np.asarray(jax.vmap(jax.vmap(game.score))(played.states))
    returns, plies = np.asarray(played.states.returns), np.asarray(played.plies)
    seat = seats((opponent,))
    measured = 1 - seat if swap else seat
    programs = opponent.count if isinstance(opponent, ProgramOpponent) else 1

    def units(games: np.ndarray) -> np.ndarray:
        if len(games) > 1:
            return games
        return games.reshape(-1, programs).T if programs > 1 else games.T

    by_seat = []
    for side in range(len(SEATS)):
        mine = measured == side
        figures = scores[:, mine, side], scores[:, mine, 1 - side], returns[:, mine, side], plies[:, mine]
        by_seat.append(list(map(units, figures)))
    return _table(name, by_seat, paired=len(scores) > 1 or programs > 1)


def _table(name: str, by_seat: Sequence[Sequence[np.ndarray]], paired: bool) -> list[Result]:
    """Summarise by seat and for both seats.

    Args:
        name: of the opponent.
        by_seat: points, points against, returns and plies of each seat's games, float[N, K]: N units of K games.
        paired: whether unit n of one seat and unit n of the other are one unit, as with games from one opening.
    """
    alone = all(len(games) == 1 for games in by_seat[0])
    together = [np.concatenate(pair, axis=1 if paired or alone else 0) for pair in zip(*by_seat, strict=True)]
    return [summarise(name, label, *x) for label, x in zip((*SEATS, BOTH), (*by_seat, together), strict=True)]


def measure_player(
    loaded: "Loaded | MeasuredPlayer",
    panel: Mapping[str, OpponentOptions],
    games: int,
    compare: int = 0,
    seed: int = 0,
    say: Callable[[str], object] = lambda _: None,
    terms: external.EngineTerms | None = None,
) -> Iterator[tuple[str, list[Result]]]:
    """Play a champion, or another player, against every opponent of a panel, from both seats.

    Args:
        loaded: the player and its game.
        panel: opponents by name. An opponent with chance is met `games` times from each seat, a deterministic one once.
            There are `games` random programs. Engines outside are met by `terms`.
        games: see `panel`.
        compare: depth of a search that meets the same random programs; 0: none.
        seed: of chance and of the random programs.
        say: told which opponent comes next, since each program takes a while to compile.
        terms: terms of games against engines outside, which must be installed; None: the defaults, `games` from each
            seat.

    Yields:
        A player, by name, or, where compared, `search:DEPTH`, and its results against one opponent.

    Raises:
        RunError: an engine outside failed.
        UsageError: there are too few openings for games against engines outside.
    """
    cast, player, key = loaded.cast, loaded.player, jax.random.key(seed)
    champion = jax.tree.map(lambda x: jax.numpy.asarray(x)[None], loaded.genome)
    for index, (name, spec) in enumerate(panel.items()):
        say(f"Playing against {name}, {index + 1} of {len(panel)}")
        if not spec.trains:
            try:
                yield (
                    loaded.name,
                    against_engine(loaded, name, spec, terms or external.EngineTerms(games, seed=seed), say),
                )
            except RunError as error:
                raise RunError(f"{name}: {error}") from error
            continue
        other = seat(cast, spec, games, player.random)
        start_key, play_key = jax.random.split(jax.random.fold_in(key, index))
        with waiting(f"Compiling {name}"):
            memory = jax.jit(other.init)(start_key)
        played = play_out(play_key, cast.game, player, champion, other, memory, name=name)
        yield loaded.name, results(name, cast.game, other, played)
        if compare and spec.kind == "program":
            search = seat(cast, searching(compare), games, cast.actor.random)
            rival = jax.jit(search.init)(start_key)
            met = play_out(play_key, cast.game, cast.actor, memory.programs, search, rival, name=f"search:{compare}")
            yield f"search:{compare}", results(name, cast.game, search, met, swap=True)


def against_engine(
    loaded: "Loaded | MeasuredPlayer",
    name: str,
    spec: OpponentOptions,
    terms: external.EngineTerms,
    say: Callable[[str], object],
) -> list[Result]:
    """Play a champion against an engine outside; raises what `external.play` raises."""
    cast = loaded.cast
    champion = program_agent(loaded.player, loaded.genome, loaded.name)
    played = external.play(cast, name, spec, champion, terms)
    if played.different < 2 * terms.games:
        say(f"{name}: only {played.different} of {2 * terms.games} games differ, so intervals are too narrow")
    figures = np.stack([played.points, played.against, played.returns, played.plies], axis=1)
    return _table(name, list(figures[..., None]), paired=True)


def searching(depth: int) -> OpponentOptions:
    """Return the search that meets the same random programs as a champion."""
    return opponent_options("search", depth=depth)


def seat(cast: Cast, spec: PlayerOptions, games: int, chance: bool) -> Opponent:
    """Build an opponent for `games` games from each seat if chance is involved, else for one.

    `chance` says whether the other player's moves depend on it.
    """
    spread, each = spec.spread(games)
    many = seat_opponent(cast, spread, each)
    return many if many.random or cast.game.chance or chance else seat_opponent(cast, spread, 1)


def seat_opponent(cast: Cast, spec: PlayerOptions, games: int) -> Opponent:
    """Build an opponent for a number of games from each seat."""
    return spec.opponent(cast, creator(cast), games, PanelFitnessOptions())


def creator(cast: Cast) -> Create:
    """Return what makes random genomes of a game."""
    if cast.role is None:
        return lambda key, count: reject("kind", "program", f"another kind; no genomes play {cast.spec.name}")
    return assemble.creator(cast.language, RANDOM[kind(cast.language)])


def table_text(report: Mapping[str, Sequence[Result]]) -> str:
    """Draw the results as a table, 132 columns wide."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=132, record=True, file=io.StringIO())
    for player, rows in report.items():
        table = Table(title=Text(player), title_justify="left")
        for column, side in (("opponent", "left"), ("seat", "left"), *((c, "right") for c in COLUMNS)):
            table.add_column(column, justify=side)  # type: ignore[arg-type]
        for row in rows:
            share = f"{100 * row.win_rate:.1f} %"
            counts = (str(n) for n in (row.games, row.wins, row.draws, row.losses))
            between, of_score = _interval(row.low, row.high), _interval(row.score_low, row.score_high)
            score = f"{100 * row.score:.1f} %"
            points = f"{row.points:.2f}", f"{row.against:.2f}"
            table.add_row(Text(one_line(row.opponent)), row.seat, *counts, share, between, score, of_score, *points)
        console.print(table)
    return console.export_text().rstrip()


COLUMNS = ("games", "won", "drawn", "lost", "won %", "95 %", "score", "95 %", "points", "against")


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.1f} - {100 * high:.1f}"


def save(report: Mapping[str, Sequence[Result]], path: Path, **about: object) -> None:
    """Write the results as JSON."""
    files.write_json(path, {**about, "results": {who: [row.as_dict() for row in rows] for who, rows in report.items()}})
