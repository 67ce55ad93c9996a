"""Results of leagues: standings, ratings, pictures; as a report, as JSON for other programs, and on the terminal."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from jaxgp.files import Json
from jaxgp.league import league_figures as figures
from jaxgp.league.circles import BY_CHANCE, circles
from jaxgp.league.crosstable import CrossTable
from jaxgp.league.league import ENDINGS, League, LeagueRules, LeagueStanding, standings
from jaxgp.league.members import Member
from jaxgp.league.ratings import Correlation, Ratings
from jaxgp.report.document import Document, DocumentTable, FoldedText, Part, Picture
from jaxgp.statistics.exact import settle

WORDS = {
    "anyone": "opponents from everywhere",
    "own": "opponents from the player's own bracket",
    "others": "opponents from all other brackets",
}
TOLD = 3
"""Leagues that are told round by round in the report; the others are in the JSON file."""


@dataclass(frozen=True)
class LeagueOutcome:
    """All that was found.

    Attributes:
        members: the players.
        table: their games.
        ratings: the ratings from all games.
        correlations: of fitness and rating, for all players and within brackets.
        seasons: leagues by mode.
        rules: of the leagues.
        game: name and settings.
        quantities: what a simulation measures, by name; of a game nothing.
    """

    members: Sequence[Member]
    table: CrossTable
    ratings: Ratings
    correlations: Mapping[str, Correlation]
    seasons: Mapping[str, Sequence[League]]
    rules: LeagueRules
    game: Mapping[str, Any]
    quantities: Sequence[str] = ()

    @cached_property
    def names(self) -> list[str]:
        return [member.name for member in self.members]

    @cached_property
    def brackets(self) -> list[str]:
        return [member.bracket for member in self.members]

    @cached_property
    def standings(self) -> dict[str, list[LeagueStanding]]:
        """Return the standing of every player, by mode."""
        return {mode: standings(leagues, len(self.members)) for mode, leagues in self.seasons.items()}

    def ranking(self, mode: str) -> list[int]:
        """Return the players by mean place, then by leagues won; in mode `own` bracket by bracket."""
        found, order = self.standings[mode], list(dict.fromkeys(self.brackets))
        bracket = [order.index(name) if mode == "own" else 0 for name in self.brackets]
        return sorted(range(len(found)), key=lambda i: (bracket[i], found[i].mean_rank, -found[i].won))


def document(found: LeagueOutcome, title: str, about: Sequence[tuple[str, str]]) -> Document:
    """Report all of it."""
    seat = found.ratings.first_seat
    games = int(found.table.games.sum())
    facts = [
        ("players", str(len(found.members))),
        ("brackets", str(len(set(found.brackets)))),
        ("games", f"{games:,}"),
        ("worth of the first seat", f"{seat.value:+.0f} ({seat.low:+.0f} to {seat.high:+.0f}) Elo points"),
        *about,
    ]
    sections: list[tuple[str, Sequence[Part]]] = [
        (f"Leagues: {WORDS[mode]}", _season(found, mode)) for mode in found.seasons
    ]
    sections.append(("Ratings", _ratings(found)))
    if found.quantities:
        sections.append(("What was measured", [DocumentTable(measured_rows(found))]))
    if len(set(found.brackets)) > 1:
        sections.append(("Brackets", _brackets(found)))
    sections.append(("Fitness and rating", _fitness(found)))
    sections.append(("All games", _games(found)))
    return Document(title, facts, sections)


def _rules(found: LeagueOutcome) -> str:
    rules = found.rules
    draw = "a draw counts half a win" if rules.draw else "a draw is no win"
    return (
        f"In each round every player meets up to {rules.opponents} opponents drawn by lot among those still in, from "
        f"both seats, and stays if it wins more than {100 * rules.threshold:g} % of these games ({draw})."
    )


def _season(found: LeagueOutcome, mode: str) -> list[Part]:
    leagues, table = found.seasons[mode], found.standings[mode]
    rows = [
        {"player": found.names[i], "bracket": found.brackets[i], **standing_row(table[i])} for i in found.ranking(mode)
    ]
    ranks: list[list[int]] = [[] for _ in found.members]
    for league in leagues:
        for player, rank in zip(league.players, league.rank, strict=True):
            ranks[player].append(int(rank))
    endings = {name: sum(league.ending == name for league in leagues) for name in ENDINGS}
    ended = "; ".join(f"{number} times {ENDINGS[name]}" for name, number in endings.items() if number)
    within = " Each bracket has a league of its own, and places are places in it." if mode == "own" else ""
    told = "\n\n".join(_told(found, number, league) for number, league in enumerate(leagues[:TOLD], 1))
    return [
        f"{_rules(found)}{within} {len(leagues)} leagues, each with a schedule of its own, ended: {ended}.",
        DocumentTable(rows),
        Picture(
            f"places_{mode}",
            "places over all leagues, the best on top",
            partial(figures.places, ranks, found.names, found.brackets, f"Places in {len(leagues)} leagues"),
        ),
        FoldedText(f"The first {min(TOLD, len(leagues))} leagues, round by round", told),
    ]


def measured_rows(found: LeagueOutcome) -> list[dict[str, object]]:
    """Return for each player of a simulation, by rating, the mean of each quantity over its battles."""
    order = sorted(range(len(found.members)), key=lambda i: -found.ratings.players[i].value)
    means = found.table.measured()
    return [
        {"player": found.names[i], "rating": round(found.ratings.players[i].value)}
        | {name: round(float(value), 3) for name, value in zip(found.quantities, means[i], strict=True)}
        for i in order
    ]


def standing_row(one: LeagueStanding) -> dict[str, object]:
    """Return a standing as a row of a table."""
    return {
        "leagues won": f"{one.won:.3g} of {one.leagues}",
        "mean place": f"{one.mean_rank:.1f}",
        "last half": f"{100 * one.last_half:.0f} %",
        "first five": f"{100 * one.first_five:.0f} %",
        "rounds": f"{one.rounds:.1f}",
    }


def _told(found: LeagueOutcome, number: int, league: League) -> str:
    """Describe a league round by round: who stayed, who dropped out, with their wins."""
    lines = [f"League {number}, {len(league.players)} players"]
    for count, one in enumerate(league.rounds, 1):
        order = np.argsort(-settle(one.wins / one.games), kind="stable")
        said = [f"{found.names[one.players[i]]} {one.wins[i]:g}/{one.games[i]}" for i in order]
        passed = int(one.stays.sum())
        lines.append(
            f"  round {count}: stay {', '.join(said[:passed]) or 'none'}; go {', '.join(said[passed:]) or 'none'}"
        )
    first = ", ".join(found.names[i] for i in league.winners)
    return "\n".join([*lines, f"  first: {first} ({ENDINGS[league.ending]})"])


def _ratings(found: LeagueOutcome) -> list[Part]:
    scores = found.table.scores()
    order = np.argsort([-one.value for one in found.ratings.players], kind="stable")
    rows = [
        {
            "player": found.names[i],
            "bracket": found.brackets[i],
            "rating": f"{found.ratings.players[i].value:+.0f}",
            "95 % interval": f"{found.ratings.players[i].low:+.0f} to {found.ratings.players[i].high:+.0f}",
            "score moving first": f"{100 * scores[i, 0]:.1f} %",
            "score moving second": f"{100 * scores[i, 1]:.1f} %",
            "fitness": found.members[i].fitness,
        }
        for i in order
    ]
    extreme = [found.names[i] for i in found.ratings.separated]
    held = f" Only that keeps these finite, who won all or lost all: {', '.join(extreme)}." if extreme else ""
    text = (
        "Ratings are of a Bradley-Terry model with a term for the first seat, fitted by maximum likelihood to all "
        "games of the table; a draw is half a win. 400 points are odds of ten to one, and the mean is zero. A weak "
        "prior, one drawn game of each player against a player of rating zero, pulls them a little to the middle."
        f"{held} The intervals take each game as an independent trial: between players without chance they say how far "
        "such ratings would change against other opponents of this kind, not how often a game would come out otherwise."
    )
    draw = partial(figures.ratings, found.ratings.players, found.names, found.brackets)
    return [text, DocumentTable(rows), Picture("ratings", "ratings with 95 % intervals", draw)]


def _brackets(found: LeagueOutcome) -> list[Part]:
    worth = found.table.worth(0.5)
    both = (worth + 1 - worth.T) / 2
    names = list(dict.fromkeys(found.brackets))
    where = np.array(found.brackets)
    rating = np.array([one.value for one in found.ratings.players])
    rows = []
    for name in names:
        mine = where == name
        against = {
            f"against {other}": None
            if other == name
            else f"{100 * np.nanmean(both[np.ix_(mine, where == other)]):.1f} %"
            for other in names
        }
        won = {
            f"leagues won ({mode})": f"{sum(one.won for one, m in zip(table, mine, strict=True) if m):.3g}"
            for mode, table in found.standings.items()
            if mode != "own"
        }
        mean = {"players": int(mine.sum()), "mean rating": f"{rating[mine].mean():+.0f}"}
        rows.append({"bracket": name, **mean, **won, **against})
    return ["Scores are of all games between two brackets, from both seats, a draw half a win.", DocumentTable(rows)]


def _fitness(found: LeagueOutcome) -> list[Part]:
    rows = []
    for name, one in found.correlations.items():
        rho = one.rho
        rows.append(
            {
                "players": name,
                "N": one.players,
                "Spearman's rho": None if rho is None else f"{rho.value:+.2f}",
                "95 % interval": one.missing if rho is None else f"{rho.low:+.2f} to {rho.high:+.2f}",
                "p": None if one.p is None else f"{one.p:.2g}",
            }
        )
    text = (
        "Does the fitness of a champion in its own run foretell its rating? Intervals are percentile bootstraps over "
        "players. Runs whose fitness is measured differently can be compared within their brackets only."
    )
    values = [member.fitness for member in found.members]
    parts: list[Part] = [text, DocumentTable(rows)]
    if any(value is not None for value in values):
        draw = partial(figures.fitness, values, found.ratings.players, found.brackets)
        parts.append(Picture("fitness", "rating over fitness", draw))
    return parts


def around(found: LeagueOutcome) -> str:
    """Say how many threes of players are circles."""
    seen = circles(found.table)
    if seen.share is None:
        return "No three players beat each other by the points of both seats, so there are no circles."
    share, low, high = (100 * one for one in (seen.share.value, seen.share.low, seen.share.high))
    return (
        f"Circles, A beats B, B beats C, C beats A: {seen.circles} of {seen.decided} threes whose pairs all have a "
        f"winner, {share:.1f} % (95 % {low:.1f} to {high:.1f}); {100 * BY_CHANCE:.0f} % where chance decides."
    )


def _games(found: LeagueOutcome) -> list[Part]:
    order_of = list(dict.fromkeys(found.brackets))
    rating = [one.value for one in found.ratings.players]
    order = sorted(range(len(rating)), key=lambda i: (order_of.index(found.brackets[i]), -rating[i]))
    worth = found.table.worth(0.5)[np.ix_(order, order)]
    names, brackets = [found.names[i] for i in order], [found.brackets[i] for i in order]
    draw = partial(figures.cross_table, worth, names, brackets)
    listed = [{"player": m.name, "bracket": m.bracket, "from": m.source} for m in found.members]
    return [
        "Brackets one after the other, within each the highest rating first; a pair that plays several games has a "
        "shade of the colours.",
        Picture("crosstable", "result of the row's player, who begins, against the column's", draw),
        around(found),
        "The players:",
        DocumentTable(listed),
    ]


def as_json(found: LeagueOutcome, options: Mapping[str, object]) -> Json:
    """Return all results except the games, which the cross-table file holds."""
    fits = zip(found.members, found.ratings.players, found.table.scores().tolist(), strict=True)
    measures = found.table.measured().round(4).tolist() if found.quantities else None
    players = [
        {
            **{name: getattr(member, name) for name in ("name", "bracket", "source", "identity", "fitness")},
            "rating": asdict(rating),
            "score_first": first,
            "score_second": second,
            "standings": {mode: asdict(table[place]) for mode, table in found.standings.items()},
            **({"measures": dict(zip(found.quantities, measures[place], strict=True))} if measures else {}),
        }
        for place, (member, rating, (first, second)) in enumerate(fits)
    ]
    return {
        "options": dict(options),
        "game": dict(found.game),
        "players": players,
        "first_seat": asdict(found.ratings.first_seat),
        "won_all_or_lost_all": [found.names[i] for i in found.ratings.separated],
        "fitness_and_rating": {name: asdict(one) for name, one in found.correlations.items()},
        "leagues": {mode: [_league(league) for league in leagues] for mode, leagues in found.seasons.items()},
    }


def _league(league: League) -> Json:
    """Return a league as JSON; players are numbered from 0 in the order of the list of players."""
    rounds = [{name: value.tolist() for name, value in vars(one).items()} for one in league.rounds]
    about = {"ending": league.ending, "players": league.players.tolist(), "rank": league.rank.tolist()}
    return about | {"rounds": rounds}


def text(found: LeagueOutcome) -> str:
    """Draw the standings with the ratings for the terminal, 132 columns wide."""
    from rich.console import Console
    from rich.table import Table as Drawn
    from rich.text import Text as Words  # a string would be read as Rich's markup

    console = Console(width=132, record=True, file=io.StringIO())
    for mode in found.seasons:
        drawn = Drawn(title=f"{WORDS[mode]}, {len(found.seasons[mode])} leagues", title_justify="left")
        for place, i in enumerate(found.ranking(mode)):
            row = {"player": found.names[i], "bracket": found.brackets[i], **standing_row(found.standings[mode][i])}
            rating = found.ratings.players[i]
            row |= {"rating": f"{rating.value:+.0f}", "95 %": f"{rating.low:+.0f} to {rating.high:+.0f}"}
            if place == 0:
                for name in row:
                    drawn.add_column(
                        name, overflow="fold", justify="left" if name in ("player", "bracket") else "right"
                    )
            drawn.add_row(*(Words(str(value)) for value in row.values()))
        console.print(drawn)
    seat = found.ratings.first_seat
    lines = [
        f"To begin is worth {seat.value:+.0f} Elo points (95 % {seat.low:+.0f} to {seat.high:+.0f}).",
        around(found),
    ]
    for name, one in found.correlations.items():
        rho = one.rho
        what = one.missing if rho is None else f"{rho.value:+.2f} (95 % {rho.low:+.2f} to {rho.high:+.2f})"
        lines.append(f"Fitness and rating, {name}, N = {one.players}: rho {what}".replace("rho fewer", "fewer"))
    return "\n".join([console.export_text().rstrip(), *lines])
