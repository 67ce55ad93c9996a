"""From rows of the table of games to scores with intervals, and to tests with Holm's correction.

Sources: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979;
E. B. Wilson, JASA 22, 1927, whose interval holds what a score test does not reject.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from jaxgp.statistics.exact import settle_number
from jaxgp.statistics.intervals import wilson

LEVEL = 0.05
"""A corrected p value below this shows a difference."""


@dataclass(frozen=True)
class Score:
    """Games of one player against another, of several evaluations together.

    Attributes:
        games: how many.
        points: games won, and half of those drawn.
        drawn: games that nobody won.
        effective: number of independent games that they stand for; None if nothing in them was random.
    """

    games: int
    points: float
    drawn: int
    effective: float | None

    @property
    def share(self) -> float:
        """Points of a game."""
        return self.points / self.games

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the share; None if nothing was random."""
        return None if self.effective is None else wilson(self.share * self.effective, self.effective)

    def __add__(self, other: "Score") -> "Score":
        both = None if self.effective is None or other.effective is None else self.effective + other.effective
        return Score(self.games + other.games, self.points + other.points, self.drawn + other.drawn, both)


Pairing = tuple[str, str, str]
"""Game, player and opponent."""


def pool_rows(
    rows: Iterable[Mapping[str, str]], by: Sequence[str] = ("game", "player", "opponent")
) -> dict[Pairing, Score]:
    """Pool rows that agree in some columns. Of rows with one seed, whose games are in part the same, the last counts.

    Raises:
        ValueError: a cell that should be a number is none.
    """
    last = {(*(row[name] for name in by), row["player"], row["seed"]): row for row in rows}
    found: dict[Pairing, Score] = {}
    for key, row in last.items():
        drawn, effective = int(row["draws"]), float(row["effective"]) if row["effective"] else None
        score = Score(int(row["games"]), int(row["wins"]) + drawn / 2, drawn, effective)
        pair: Pairing = key[: len(by)]  # type: ignore[assignment]
        found[pair] = found[pair] + score if pair in found else score
    return found


def p_of_figure(score: Score, figure: float) -> float:
    """Return the two-sided p value of the score test that a share is `figure`, a number between 0 and 1.

    It is below 5 % if and only if the 95 % interval does not hold the figure.
    """
    from scipy import stats

    if score.effective is None:
        raise ValueError("games without chance are no sample")
    spread = sqrt(figure * (1 - figure) / score.effective)
    return settle_number(float(2 * stats.norm.sf(abs(score.share - figure) / spread)))


def p_of_two(one: Score, other: Score) -> float:
    """Return the two-sided p value of the test that two shares are equal, with their variances pooled."""
    from statsmodels.stats.proportion import proportions_ztest

    if one.effective is None or other.effective is None:
        raise ValueError("games without chance are no sample")
    sizes = [one.effective, other.effective]
    _, p = proportions_ztest([one.share * sizes[0], other.share * sizes[1]], sizes)
    return settle_number(float(p))


def holm(p: Sequence[float]) -> list[float]:
    """Return p values corrected by Holm for being one family."""
    from statsmodels.stats.multitest import multipletests

    return [settle_number(float(one)) for one in multipletests(p, method="holm")[1]] if p else []


def exceeds(score: Score, figure: float, corrected: float) -> bool:
    """Whether a score lies above a figure: its interval does, and the p value is small after Holm's correction."""
    return score.interval is not None and score.interval[0] > figure and corrected < LEVEL
