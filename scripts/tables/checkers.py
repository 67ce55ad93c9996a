"""The tables of docs/results/checkers.md, made from checkers_runs.csv, checkers_games.csv and checkers_book.csv.

`checkers_book.csv` has the figures of M. Sipper, "Evolved to Win" (2011), tables 3.5 to 3.11: all matches of table 3.5,
and the best player of each column of the others; `points` of `games` games, a draw counting half.
"""

import re
from collections.abc import Iterable
from functools import partial
from statistics import median

import numpy as np

from jaxgp.reading import whole_number
from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import LEVEL, Score, exceeds, holm, p_of_figure, p_of_two, pool_rows
from jaxgp.store.table import Cells
from tables.shared.cells import p_value
from tables.shared.data import Data

LOSE, LARGE = "checkers lose=true", "checkers size=10"
GUIDE = "search depth=3 evaluator=noise ties=first"
"""The opponent that groups of runs are compared by."""
GROUPS, BASE = "ablation ", "ablation base"
"""How the titles of runs begin that are compared in groups, and the title of the runs that are the base."""
MEN_3 = "search depth=3 evaluator=material|king_2 ties=random"
"""The book's opponent on 10 x 10 squares."""
ON_LARGE = "Checkers on 10 x 10 squares, "
WAYS = tuple(
    ON_LARGE + way for way in ("25Co, from random openings", "17Co, temporal differences", "17Co and a hall of fame")
)
"""Titles of runs by as many games, in different ways."""
QUIET = {"": "draw after 40 plies", " quiet_plies=100": "after 100"}
"""Draw rules that champions are played by, as the names of games end."""
SEARCHED = 3
"""Plies of the champions that are played by several draw rules."""
VARIED = ("ab3 - ab2", "ab3 - ab4")
"""The matches that variants of rules and plies are tried on."""


# Searches against each other


def published(rows: Iterable[Cells], number: str) -> dict[str, Score]:
    """Return the figures of a table of the book, by match; how many games were drawn is not known."""
    return {
        f"{label(row['player'])} - {label(row['opponent'])}": Score(
            of := int(row["games"]), float(row["points"]), 0, of
        )
        for row in rows
        if row["table"] == number
    }


def ladder(data: Data) -> str:
    """Return table 3.5 of the book beside the same matches here."""
    book, scores = published(data["checkers_book"], "3.5"), pool_rows(data["checkers_games"])
    rows = [row for row in data["checkers_book"] if row["table"] == "3.5"]
    played = [scores[row["game"], row["player"], row["opponent"]] for row in rows]
    tests = holm([p_of_two(*both) for both in zip(played, book.values(), strict=True)])
    lines = []
    for (name, theirs), score, p in zip(book.items(), played, tests, strict=True):
        higher = "higher" if score.share > theirs.share else "lower"
        cells = [said(score, 10_000), f"{score.games:,}", f"{100 * score.drawn / score.games:.1f} %"]
        lines.append([name, *cells, said(theirs, 10_000), higher if p < LEVEL else "no difference"])
    header = ["match", "points of 10,000 here (95 %)", "games", "drawn", "the book's (95 %)", "here"]
    return table(header, lines)


def variants(data: Data) -> str:
    """Return the matches of three plies against two and four, by what differs from the project's rules and plies."""
    found: dict[str, dict[str, Score]] = {}
    for (game, player, opponent), score in pool_rows(data["checkers_games"]).items():
        name = f"{label(player)} - {label(opponent)}"
        if name in VARIED and (game == LOSE or game.startswith(LOSE + " ")):
            differs = game.removeprefix(LOSE).split() + ["ties=random"] * ("ties=random" in player)
            found.setdefault(", ".join(differs), {})[name] = score
    lines = [("none", found.pop("")), *sorted(found.items()), ("the book", published(data["checkers_book"], "3.5"))]
    cells = [[name, *(said(scores[one], 10_000) if one in scores else "" for one in VARIED)] for name, scores in lines]
    return table(["what differs", *VARIED], cells)


# Champions


def champions(data: Data, game: str, depth: int) -> str:
    """Return the champions of a game that search so deep, by opponent, and the book's best figure of each.

    Those of groups of runs have a table of their own.
    """
    best = {
        row["opponent"]: float(row["points"]) / int(row["games"])
        for row in data["checkers_book"]
        if (row["game"], row["player"]) == (game, f"champion depth={depth}")
    }
    rows = [row for row in data["checkers_games"] if (row["game"], plies(row["player"])) == (game, depth)]
    rows = [row for row in rows if not row["title"].startswith(GROUPS)]
    names = {
        row["player"]: f"{row['title'] or row['experiment'] or row['run']}, seed {row['run_seed']}" for row in rows
    }
    scores = pool_rows(rows, ("player", "opponent"))
    opponents = [*best, *sorted({row["opponent"] for row in rows} - set(best), key=label)]
    tested = [pair for pair, score in scores.items() if pair[1] in best and score.effective is not None]
    corrected = holm([p_of_figure(scores[pair], best[pair[1]]) for pair in tested])
    above = [pair for pair, p in zip(tested, corrected, strict=True) if exceeds(scores[pair], best[pair[1]], p)]

    def cell(player: str, opponent: str) -> str:
        if (score := scores.get((player, opponent))) is None:
            return ""
        star = " *" if (player, opponent) in above else ""
        return f"{said(score, 1000)}{star}; {100 * score.drawn / score.games:.0f} % drawn"

    def exceeded(opponent: str) -> str:
        number, of = (sum(pair[1] == opponent for pair in pairs) for pairs in (above, tested))
        return f"{number} of {of}" if of else ""

    lines = [[name, *(cell(player, one) for one in opponents)] for player, name in sorted(names.items(), key=by_name)]
    lines.append(["the book's best", *(f"{1000 * best[one]:.1f}" if one in best else "" for one in opponents)])
    lines.append(["exceeded by", *map(exceeded, opponents)])
    return table(["champion", *map(label, opponents)], lines)


def quiet(data: Data, game: str, opponent: str) -> str:
    """Return champions against an opponent by the plies without a capture after which a game is drawn."""
    rows = [row for row in data["checkers_games"] if row["opponent"] == opponent and plies(row["player"]) == SEARCHED]
    rules = {f"{game}{rule}": name for rule, name in QUIET.items()}
    scores = pool_rows([row for row in rows if row["game"] in rules], ("player", "game"))
    asked = [row for row in rows if row["game"] in rules and row["game"] != game]
    names = {row["player"]: f"{row['title']}, seed {row['run_seed']}" for row in asked}

    def cell(player: str, rule: str) -> str:
        score = scores.get((player, rule))
        drawn = "" if score is None else f"; {100 * score.drawn / score.games:.0f} % of {score.games:,} drawn"
        return "" if score is None else said(score, 1000) + drawn

    lines = [[name, *(cell(player, rule) for rule in rules)] for player, name in sorted(names.items(), key=by_name)]
    return table(["champion", *rules.values()], lines)


def plies(player: str) -> int:
    """Return how deep a champion searches, 1 if it does not search; 0 for another player."""
    found = re.fullmatch(r"champion \w+(?: depth=(\d+))?", player)
    return int(found[1] or 1) if found else 0


def by_name(named: tuple[str, str]) -> list[tuple[int, str]]:
    """Return a sort key by which seed 9 comes before seed 10."""
    parts = ((whole_number(part), part) for part in re.split(r"(\d+)", named[1]))
    return [(-1, part) if number is None else (number, "") for number, part in parts]


# Groups of runs


def beside(base: np.ndarray, groups: Iterable[np.ndarray]) -> list[list[str]]:
    """Return A12 and the corrected p of each group of scores beside those of the base, as cells."""
    from jaxgp.statistics.comparison import dominance, together
    from jaxgp.statistics.permutation import rank_sum

    found = [*groups]
    tests = holm([rank_sum(*together(scores, base)) for scores in found])
    return [[f"{dominance(scores, base):.2f}", p_value(p)] for scores, p in zip(found, tests, strict=True)]


def ablation(data: Data) -> str:
    """Return groups of runs, told apart by their titles, compared with the base by their champions' scores."""
    rows = [row for row in data["checkers_games"] if row["opponent"] == GUIDE and plies(row["player"]) == 1]
    groups: dict[str, list[float]] = {}
    for (title, _, _), score in sorted(pool_rows(rows, ("title", "run_seed", "game")).items()):
        if title.startswith(GROUPS):
            groups.setdefault(title, []).append(score.share)
    base = np.array(groups[BASE])
    others = {title: np.array(shares) for title, shares in groups.items() if title != BASE}
    compared = dict(zip(others, beside(base, others.values()), strict=True))
    lines = []
    for title in [BASE, *others]:
        low, middle, high = (f"{1000 * of(groups[title]):.1f}" for of in (min, median, max))
        seconds = [float(row["seconds"]) for row in data["checkers_runs"] if row["title"] == title]
        cells = [str(len(groups[title])), f"{middle} ({low} to {high})", f"{median(seconds) / 60:.0f}"]
        lines.append([title.removeprefix(GROUPS), *cells, *compared.get(title, ["", ""])])
    header = ["group", "runs", f"points of 1,000 against {label(GUIDE)}: median (least to greatest)", "minutes a run"]
    return table([*header, "A12 against the base", "p, Holm"], lines)


def ways(data: Data) -> str:
    """Return runs on 10 x 10 squares by ways of evolving, beside those of the first, by their champions' points."""
    rows = [row for row in data["checkers_games"] if row["opponent"] == MEN_3 and plies(row["player"]) == 2]
    shares: dict[str, dict[int, float]] = {}
    for (title, seed, _), score in pool_rows(rows, ("title", "run_seed", "game")).items():
        shares.setdefault(title, {})[int(seed)] = score.share
    base, *others = (np.array([found for _, found in sorted(shares[title].items())]) for title in WAYS)
    lines = []
    for title, found, cells in zip(WAYS, (base, *others), ([""] * 2, *beside(base, others)), strict=True):
        each = ", ".join(f"{1000 * share:.1f}" for share in found)
        measured = [float(row["fitness"]) for row in data["checkers_runs"] if row["title"] == title]
        lines.append([title.removeprefix(ON_LARGE), each, ", ".join(f"{10 * one:.0f}" for one in measured), *cells])
    header = ["runs", "points of 1,000 against `men_3`, by seed", "against the search that named them"]
    return table([*header, "A12 beside the first", "p, Holm"], lines)


# Words


def said(score: Score, of: int) -> str:
    """Return a score as points of so many games, with its interval."""
    digits = 1 if of == 1000 else 0
    value = f"{of * score.share:,.1f}" if digits else f"{of * score.share:,.1f}".removesuffix(".0")
    ends = "" if score.interval is None else " ({} to {})".format(*(f"{of * x:,.{digits}f}" for x in score.interval))
    return value + ends


def label(player: str) -> str:
    """Return a short name: `ab3` for a search of three plies that knows only results, `ab3 mobility` for another."""
    found = re.fullmatch(r"search depth=(\d+) evaluator=(\S+) ties=\w+", player)
    if found is None:
        return player
    return f"ab{found[1]}" + ("" if found[2] == "noise" else f" {found[2]}")


TABLES = {
    "checkers_ladder": ladder,
    "checkers_variants": variants,
    **{f"checkers_lose_{depth}": partial(champions, game=LOSE, depth=depth) for depth in (1, 3, 4, 5)},
    **{f"checkers_large_{depth}": partial(champions, game=LARGE, depth=depth) for depth in (2, 3)},
    "checkers_lose_quiet": partial(quiet, game=LOSE, opponent=GUIDE),
    "checkers_ablation": ablation,
    "checkers_ways": ways,
}
