"""The tables of leagues in docs/league.md and docs/results/othello.md, made from docs/data and champions there.

A file such as `mancala_league.json` is what `scripts/tournament.py` keeps: the results of all games. Leagues are held
anew from it, with the schedules of seed 0. Another file has games of the same players against opponents that nobody was
chosen by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from jaxgp import reading
from jaxgp.errors import UsageError
from jaxgp.league import crosstable, league, ratings
from jaxgp.league.circles import BY_CHANCE, circles
from jaxgp.league.crosstable import CrossTable
from jaxgp.league.league import LeagueStanding
from jaxgp.report.generated import figure, table
from jaxgp.statistics.bootstrap import counts, resample
from jaxgp.statistics.comparison import Estimate
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central, settle
from jaxgp.statistics.intervals import wilson
from jaxgp.statistics.verdicts import Score, holm, pool_rows
from jaxgp.store import champion
from jaxgp.store.table import Cells
from tables.shared.cells import p_value
from tables.shared.data import Data, Makers

LEAGUES, SEED, RESAMPLES = 100, 0, 9999
SHOWN = 8
"""Players that the table of the best names."""
BRACKETS = {
    "mancala_league": {"mancala": "default", "mancala_run1": "run1", "mancala_run2": "run2"},
    "othello_league": {
        f"othello_{name}": name
        for name in ("original", "original_weights", "regions", "regions_weights", "noops", "few", "few_weights")
    },
}
"""Names of brackets by the files of their champions, for each file with the results of a league."""


@dataclass(frozen=True)
class Games:
    """Games of named players.

    Attributes:
        names: FILE.jsonl#SEED of their champions.
        brackets: of each player.
        fitness: of each player.
        table: of the games against each other.
    """

    names: Sequence[str]
    brackets: Sequence[str]
    fitness: Sequence[float]
    table: CrossTable

    @cached_property
    def rated(self) -> ratings.Ratings:
        """Ratings from all games."""
        return ratings.fit(self.table)

    @cached_property
    def seasons(self) -> dict[str, list[league.League]]:
        """The leagues, by mode."""
        return {
            mode: league.season(self.table, self.brackets, mode, league.LeagueRules(), LEAGUES, SEED)
            for mode in league.MODES
        }

    @cached_property
    def standings(self) -> dict[str, list[LeagueStanding]]:
        """The standing of every player, by mode."""
        return {mode: league.standings(held, len(self.names)) for mode, held in self.seasons.items()}

    def among(self, bracket: str) -> np.ndarray:
        """Return int[n]: the places of the players of a bracket."""
        return np.flatnonzero(np.array(self.brackets) == bracket)

    @property
    def star(self) -> int:
        """The place of the player that wins most leagues against anyone."""
        return int(np.argmax([one.won for one in self.standings["anyone"]]))


@cache
def load(folder: Path, name: str) -> Games:
    """Read the games of a league and its champions; raises UsageError for damaged data."""
    path = folder / f"{name}.json"
    try:
        content = reading.read_json(path)
        names = [Path(row["source"]).name for row in content["players"]]
        found = crosstable.fill_table(content["results"], len(names))
        fitness = [champion.read(folder / "champions" / name).fitness for name in names]
        where = [BRACKETS[name][one.partition(".")[0]] for one in names]
    except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
        raise UsageError(f"{path}: it is damaged, or a champion that it names is missing ({error})") from error
    return Games(names, where, fitness, found)


# Figures


def both_seats(results: CrossTable) -> np.ndarray:
    """Return float[N, N]: points of the row's player in both games against the column's; nan on the diagonal."""
    worth = results.worth(0.5)
    return np.asarray((worth + 1 - worth.T) / 2)


def share(points: np.ndarray, seed: int = SEED) -> Estimate:
    """Return the mean of points float[N, M], with a percentile bootstrap over the players of both sides."""
    exact = settle(points)
    rows, columns = exact.shape

    def means(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        sums = np.einsum("rn,nm,rm->r", counts(i, rows), exact, counts(j, columns), optimize=True)
        return np.asarray(sums / exact.size)

    spread = resample(exact.shape, means, Draws(seed), RESAMPLES)
    return Estimate(float(exact.sum() / exact.size), *central(spread))


def mean(values: Sequence[float], seed: int = SEED) -> Estimate:
    """Return a mean with a percentile bootstrap over players."""
    return share(np.array(values)[:, None], seed)


def percent(one: Estimate) -> str:
    """Return a share with its interval."""
    return f"{100 * one.value:.1f} % ({100 * one.low:.1f} to {100 * one.high:.1f})"


def elo(one: Estimate) -> str:
    """Return a rating with its interval."""
    value, low, high = (figure(end, "+.0f") for end in (one.value, one.low, one.high))
    return f"{value} ({low} to {high})"


def share_won(number: float, of: int) -> str:
    """Return a number of leagues with the interval of its share of all leagues."""
    low, high = wilson(number, of)
    return f"{number:.3g} ({100 * low:.0f} to {100 * high:.0f} %)"


def name_player(found: Games, place: int) -> str:
    """Return a player as the document calls it."""
    return f"{found.brackets[place]} seed {found.names[place].rpartition('#')[2]}"


# Tables


def brackets(found: Games) -> str:
    """Return a line for each bracket: ratings, leagues won, points against the others."""
    points = both_seats(found.table)
    names = list(dict.fromkeys(found.brackets))
    rating = np.array([one.value for one in found.rated.players])
    lines = []
    for name in names:
        mine = found.among(name)
        leagues = [share_won(sum(found.standings[mode][i].won for i in mine), LEAGUES) for mode in ("anyone", "others")]
        against = [
            "-" if other == name else percent(share(points[np.ix_(mine, found.among(other))])) for other in names
        ]
        lines.append([name, str(len(mine)), elo(mean(rating[mine])), *leagues, *against])
    head = ["bracket", "players", "mean rating", "leagues won, anyone", "leagues won, others"]
    return table([*head, *(f"against {name}" for name in names)], lines)


def players(found: Games) -> str:
    """Return the players that win most leagues against anyone, and those that win most in their own brackets."""
    order = sorted(range(len(found.names)), key=lambda i: -found.standings["anyone"][i].won)
    own = [
        max(found.among(name), key=lambda i: found.standings["own"][i].won) for name in dict.fromkeys(found.brackets)
    ]
    lines = []
    for i in [*order[:SHOWN], *(i for i in own if i not in order[:SHOWN])]:
        modes = {mode: table[i] for mode, table in found.standings.items()}
        first_five = round(LEAGUES * modes["anyone"].first_five)
        cells = [share_won(modes[mode].won, LEAGUES) for mode in ("anyone", "others", "own")]
        lines.append([name_player(found, i), *cells, share_won(first_five, LEAGUES), elo(found.rated.players[i])])
    head = ["player", "leagues won, anyone", "others", "own bracket", "first five, anyone", "rating"]
    return table(head, lines)


def correlations(found: Games) -> str:
    """Return the correlations of fitness and rating; their p values are one family."""
    rating = [one.value for one in found.rated.players]
    made = ratings.correlations(found.fitness, rating, found.brackets, SEED)
    corrected = iter(holm([one.p for one in made.values() if one.p is not None]))
    lines = []
    for name, one in made.items():
        bracket = name.removeprefix("bracket ")
        own = [found.fitness[i] for i in (found.among(bracket) if name != "all" else range(len(found.names)))]
        cells = [name, str(one.players), str(len(set(own)))]
        if one.rho is None or one.p is None:
            lines.append([*cells, one.missing, "", ""])
            continue
        rho = f"{one.rho.value:+.2f} ({one.rho.low:+.2f} to {one.rho.high:+.2f})"
        lines.append([*cells, rho, p_value(one.p), p_value(next(corrected))])
    return table(["players", "N", "distinct fitnesses", "Spearman's rho (95 %)", "p", "p, Holm over all"], lines)


def facts(found: Games) -> str:
    """Return the other figures of the league."""
    held = found.seasons["anyone"]
    endings = {name: sum(one.ending == name for one in held) for name in league.ENDINGS}
    around = circles(found.table, SEED)
    assert around.share is not None, "some pairs have a winner"
    rows = [
        ["games", f"{int(found.table.games.sum()):,}"],
        ["worth of the first seat, Elo points", elo(found.rated.first_seat)],
        ["threes of players of which each pair has a winner", f"{around.decided:,}"],
        [
            f"of these, circles: A beats B, B beats C, C beats A ({100 * BY_CHANCE:.0f} % where chance decides)",
            f"{around.circles:,}, {percent(around.share)}",
        ],
        *(
            [f"leagues against anyone: {league.ENDINGS[name]}", share_won(n, LEAGUES)]
            for name, n in endings.items()
            if n
        ),
    ]
    return table(["figure", "value (95 %)"], rows)


def again(found: Games, rows: Sequence[Cells]) -> str:
    """Return the points of the star and of the brackets in games against players that nobody was chosen by."""
    scores = {Path(run).name: one for (run, _, _), one in pool_rows(rows, ("run", "opponent", "game")).items()}
    points, fresh = both_seats(found.table), np.array([scores[name].share for name in found.names])
    lines = [star(found, points, scores, fresh)]
    for name in dict.fromkeys(found.brackets):
        mine = found.among(name)
        rest = np.setdiff1d(np.arange(len(found.names)), mine)
        number = sum(scores[found.names[i]].games for i in mine)
        cells = [percent(share(points[np.ix_(mine, rest)])), "", percent(mean(fresh[mine])), f"{number:,}", ""]
        lines.append([f"bracket {name}, mean", *cells])
    head = ["player", "points in the league", "place", "points against random programs", "games", "place"]
    return table(head, lines)


def star(found: Games, points: np.ndarray, scores: Mapping[str, Score], fresh: np.ndarray) -> list[str]:
    """Return the line of the star."""
    best = found.star
    rest = np.setdiff1d(np.arange(len(found.names)), [best])
    own = scores[found.names[best]]
    assert own.interval is not None, "random programs differ"
    places = [f"{1 + int((of > of[best] + 1e-9).sum())} of {len(of)}" for of in (np.nanmean(points, 1), fresh)]
    here, there = share(points[np.ix_([best], rest)]), Estimate(own.share, *own.interval)
    return [
        f"the star, {name_player(found, best)}",
        percent(here),
        places[0],
        percent(there),
        f"{own.games:,}",
        places[1],
    ]


def _of(league: str) -> Makers:
    """Return the tables that every league has."""

    def made(function: Callable[[Games], str]) -> Callable[[Data], str]:
        return lambda data: function(load(data.path, league))

    functions = (brackets, players, correlations, facts)
    return {f"{league.removeprefix('mancala_')}_{one.__name__}": made(one) for one in functions}


TABLES: Makers = _of("mancala_league") | {
    "league_star": lambda data: again(load(data.path, "mancala_league"), data["league_games"])
}
OTHELLO = _of("othello_league")
