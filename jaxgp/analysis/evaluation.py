"""How strong a program is: games against named opponents from both seats, with intervals."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import jax
import numpy as np
from jax import Array

from jaxgp.fitness.matches import Played, play, seats
from jaxgp.genotypes.programs import Programs
from jaxgp.players.opponent import Memory, Opponent
from jaxgp.players.program import ProgramPlayer

SEATS = ("first", "second")


@dataclass(frozen=True)
class Result:
    """Games of one player against one opponent from one seat.

    Attributes:
        opponent: its name in the panel.
        seat: `first` or `second`, of the player that is measured.
        games: how many were played; where nothing is random they are all the same game, so one is.
        wins: games won; `draws` and `losses` are the others.
        points: mean points of the player in the game's own unit, and `against` those of the opponent.
        spread: standard deviation of the points over games (0 for a single game).
        low: 95 % Wilson interval of the share of games won, to `high`; None for a single game.
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

    @property
    def win_rate(self) -> float:
        return self.wins / self.games

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "win_rate": self.win_rate}


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share (E. B. Wilson, JASA 22, 1927)."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(wins, games, alpha=0.05, method="wilson")
    return float(low), float(high)


def summarise(opponent: str, seat: str, points: np.ndarray, against: np.ndarray, returns: np.ndarray) -> Result:
    """Count one seat's games; each argument is float[N], `returns` is 1, 0 or -1 for the player."""
    games = len(points)
    wins, draws = int((returns > 0).sum()), int((returns == 0).sum())
    low, high = wilson(wins, games) if games > 1 else (None, None)
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
    )


def play_out(
    key: Array,
    game: Any,
    player: ProgramPlayer,
    programs: Programs,
    opponent: Opponent,
    memory: Memory | None = None,
    max_plies: int = 400,
) -> Played:
    """Play programs [P, T, L] against one opponent, compiled for the occasion."""
    start_key, play_key = jax.random.split(key)

    @jax.jit
    def run(start_key: Array, play_key: Array, programs: Programs, memory: Memory) -> Played:
        own = opponent.init(start_key) if memory is None else memory
        return play(play_key, game, player, player.prepare(programs), (opponent,), (own,), max_plies)[0]

    return run(start_key, play_key, programs, memory)


def results(name: str, game: Any, opponent: Opponent, played: Played, swap: bool = False) -> list[Result]:
    """Summarise games [P, G] by seat, pooled over programs; `swap` measures the opponent instead of the programs."""
    scores = np.asarray(jax.vmap(jax.vmap(game.score))(played.states))
    returns = np.asarray(played.states.returns)
    seat = seats((opponent,))
    measured = 1 - seat if swap else seat
    rows = []
    for side, label in enumerate(SEATS):
        mine = measured == side
        points, against = scores[:, mine, side].ravel(), scores[:, mine, 1 - side].ravel()
        rows.append(summarise(name, label, points, against, returns[:, mine, side].ravel()))
    return rows


def against_panel(
    key: Array, game: Any, player: ProgramPlayer, program: Programs, panel: Mapping[str, Opponent], max_plies: int = 400
) -> list[Result]:
    """Measure one program [T, L] against every opponent of a panel, from both seats."""
    one = jax.tree.map(lambda x: x[None], program)
    rows: list[Result] = []
    for index, (name, opponent) in enumerate(panel.items()):
        played = play_out(jax.random.fold_in(key, index), game, player, one, opponent, max_plies=max_plies)
        rows += results(name, game, opponent, played)
    return rows
