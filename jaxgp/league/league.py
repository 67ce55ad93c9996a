"""Leagues: rounds of games against randomly drawn opponents. After each round, players with too few wins drop out.

After the round-robin tournament of a student project that evolved Othello players with weighted features. Each of its
seven kinds of players was a bracket. "Players play both white and black and their opponents are randomly chosen";
"Players were disqualified when they failed to win more than 60 percent of their games"; opponents come from all
brackets, or "exclusively from the same bracket as the player or from all other brackets". Nothing is played here:
results are looked up in a cross-table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import stats

from jaxgp.league.crosstable import CrossTable
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import settle

MODES = ("anyone", "own", "others")
"""Where a player's opponents are drawn from: all brackets, its own bracket, or all other brackets."""
ENDINGS = {
    "winner": "one player was left",
    "nobody": "nobody won enough games in the last round; its players stand by their wins in it",
    "bracket": "only players of one bracket were left, who do not meet; they stand by their wins in the last round",
    "rounds": "the greatest number of rounds was reached; those left stand by their wins in the last one",
}
FIRST = 5
"""The places counted by `Standing.first_five`: places 1 to 5."""


@dataclass(frozen=True)
class LeagueRules:
    """How a league goes.

    Attributes:
        threshold: a player stays if its share of wins in a round is greater than this.
        opponents: opponents of each player in a round, met from both seats; all others, if there are fewer.
        draw: worth of a drawn game, in wins.
        rounds: the greatest number of rounds.
    """

    threshold: float = 0.6
    opponents: int = 5
    draw: float = 0.0
    rounds: int = 100


@dataclass(frozen=True)
class Round:
    """One round: for each of its players the number of its games, its wins, and whether it stays."""

    players: np.ndarray  # int[n]
    games: np.ndarray  # int[n]
    wins: np.ndarray  # float[n]; with draws of half a win not always whole
    stays: np.ndarray  # bool[n]


@dataclass(frozen=True)
class League:
    """One league that has ended.

    Attributes:
        players: int[n], all players at the beginning.
        rounds: the rounds played.
        rank: int[n], the place of each player; equal players share the better place.
        ending: one of ENDINGS.
    """

    players: np.ndarray
    rounds: list[Round]
    rank: np.ndarray
    ending: str

    @property
    def winners(self) -> np.ndarray:
        """int[w]: the players in first place."""
        return self.players[self.rank == 1]


@dataclass(frozen=True)
class LeagueStanding:
    """Results of one player over many leagues.

    Attributes:
        leagues: number of leagues that it played in.
        won: number of leagues that it won; first place shared by n players counts 1 / n.
        mean_rank: mean place over leagues.
        last_half: share of leagues in which it was in the better half of the ranking, the last half of players to stay.
        first_five: share of leagues in which it was among the first five.
        rounds: mean number of rounds that it survived.
    """

    leagues: int
    won: float
    mean_rank: float
    last_half: float
    first_five: float
    rounds: float


def season(
    table: CrossTable, brackets: Sequence[str], mode: str, rules: LeagueRules, leagues: int, seed: int
) -> list[League]:
    """Hold several leagues, each with a schedule of its own; in mode `own` each is held once for every bracket."""
    where = np.unique(np.asarray(brackets), return_inverse=True)[1]
    everybody = np.arange(len(brackets))
    fields = [everybody[where == one] for one in dict.fromkeys(where)] if mode == "own" else [everybody]
    return [
        hold(table, where, mode, rules, players, Draws([seed, MODES.index(mode), number, place]))
        for number in range(leagues)
        for place, players in enumerate(fields)
    ]


def hold(
    table: CrossTable, brackets: np.ndarray, mode: str, rules: LeagueRules, players: np.ndarray, draws: Draws
) -> League:
    """Hold one league.

    Args:
        table: the results of all games.
        brackets: int[N], the bracket of each player of the table.
        mode: one of MODES.
        rules: the rules of the league.
        players: int[n], who takes part.
        draws: random numbers for the schedule, and for which of a pair's several games counts.
    """
    left, rounds = players, list[Round]()
    stayed, share = np.zeros(len(brackets), int), np.zeros(len(brackets))
    ending = "winner"
    while len(left) > 1:
        if mode == "others" and len(set(brackets[left])) == 1:
            ending = "bracket"
            break
        if len(rounds) == rules.rounds:
            ending = "rounds"
            break
        rounds.append(_round(table, brackets, mode, rules, left, draws))
        last = rounds[-1]
        share[left] = settle(last.wins / last.games)
        left = left[last.stays]
        stayed[left] += 1
    if not len(left):
        ending = "nobody"
    # Players that survived more rounds rank first, then those with more wins in their last round.
    order = np.unique(np.stack([-stayed[players], -share[players]], 1), axis=0, return_inverse=True)[1].ravel()
    return League(players, rounds, stats.rankdata(order, method="min").astype(int), ending)


def _round(
    table: CrossTable, brackets: np.ndarray, mode: str, rules: LeagueRules, left: np.ndarray, draws: Draws
) -> Round:
    won, games = np.zeros(len(left)), np.zeros(len(left), int)
    for place, player in enumerate(left):
        met = left[left != player]
        if mode != "anyone":
            met = met[(brackets[met] == brackets[player]) == (mode == "own")]
        met = draws.choose(met, min(rules.opponents, len(met)))
        for first, second in [*((player, other) for other in met), *((other, player) for other in met)]:
            result = table.results[first, second, draws.one(int(table.games[first, second]))]
            mine = result if first == player else -result
            won[place] += 1.0 if mine > 0 else rules.draw if mine == 0 else 0.0
        games[place] = 2 * len(met)
    # Compared in games, with a tolerance: 0.6 times 10 is not exactly 6 in floating point.
    return Round(left, games, won, won > rules.threshold * games + 1e-9)


def standings(leagues: Sequence[League], count: int) -> list[LeagueStanding]:
    """Return the results of each of `count` players over all leagues."""
    ranks: list[list[int]] = [[] for _ in range(count)]
    half: list[list[bool]] = [[] for _ in range(count)]
    won, rounds = [Fraction(0)] * count, np.zeros(count)
    for league in leagues:
        for player, rank in zip(league.players, league.rank, strict=True):
            ranks[player].append(int(rank))
            half[player].append(2 * rank <= len(league.players))
        for player in league.winners:
            won[player] += Fraction(1, len(league.winners))
        for one in league.rounds:
            rounds[one.players[one.stays]] += 1
    return [
        LeagueStanding(
            len(places),
            float(won[player]),
            float(np.mean(places)),
            float(np.mean(half[player])),
            float(np.mean([place <= FIRST for place in places])),
            float(rounds[player] / len(places)),
        )
        for player, places in enumerate(ranks)
    ]
