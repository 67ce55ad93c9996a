"""The tables of docs/results/morpion.md on the report's study and proposals, made from rows in docs/data.

The runs of the two designs are in `morpion_study.csv` and `morpion_best_study.csv`, those at the best levels that were
found here in `morpion_tuned.csv`, and those at the report's levels, like those of the proposals, in `morpion_runs.csv`.
What the report printed is in `conf/design/morpion_study.yaml`. Each function returns the Markdown of one table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import NamedTuple

import pandas

from jaxgp.report.generated import figure, guarded, table
from jaxgp.store import runs
from jaxgp.store.table import Cells, Table
from jaxgp.study.design import COLUMNS, RESPONSES, Design, Factor, Level, Numbers, read
from jaxgp.study.designs.model import Model, fit_groups
from jaxgp.study.designs.planning import load_file
from tables.puzzles.morpion import CLOSEST, NONE, POINTS, by_seed, equals
from tables.shared.cells import effect, family, mean_of, p_value

DESIGNS = Path(__file__).resolve().parents[3] / "conf" / "design"
STUDY, BEST = "morpion_study", "morpion_best_study"
"""Names of designs, and of the files with their rows."""
INTERCEPT = "(Intercept)"
FACTORS = {"max_depth": "maximum depth", "terminals": "terminals", "tournament": "tournament size"}
TERMS = {
    INTERCEPT: "mean",
    **FACTORS,
    "max_depth * terminals": "depth x terminals",
    "max_depth * tournament": "depth x tournament",
    "terminals * tournament": "terminals x tournament",
}
"""The terms of the models, and what they are called."""
SETTINGS = {POINTS: "points", CLOSEST: "closest"}
"""Experiments at the levels that the report found best, and their groups in the design."""
MEASURES = {"fitness": "scores", "seconds": "seconds"}
PROPOSALS = {
    "morpion_moving": "counted from a moving centre",
    "morpion_evolving": "evolving: in half of the children one point moves a step",
}
"""What the report proposed, by experiment."""


class Data(NamedTuple):
    """Rows of the files."""

    study: list[Cells]
    best: list[Cells]
    tuned: list[Cells]
    runs: list[Cells]


def results(path: Path, factors: Sequence[str] = ()) -> Table:
    """Return a table as `scripts/analyse.py analysis=design` writes it; see `jaxgp.study.results.table`."""
    measured = len(COLUMNS) - len(RESPONSES)
    return Table(path, [*COLUMNS[:3], *factors, *COLUMNS[3:measured], *RESPONSES])


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    return Data(
        results(folder / f"{STUDY}.csv", list(FACTORS)).read(),
        results(folder / f"{BEST}.csv", list(FACTORS)).read(),
        results(folder / "morpion_tuned.csv").read(),
        Table(folder / "morpion_runs.csv", runs.COLUMNS).read(),
    )


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


def design(name: str) -> Design:
    """Return a design of this project, with what the report printed of it."""
    return read(load_file(name, DESIGNS))


# Models


def terms(data: Data, name: str) -> str:
    """Return the models of the groups of a design, beside those that the report printed.

    Coefficients are for coded factors, and p values are those of the analysis of variance.
    """
    rows = {STUDY: data.study, BEST: data.best}[name]
    if not rows:
        return NONE
    made = design(name)
    found = fitted(rows, made)
    columns = [column for group, one in found.items() for column in beside(group, one, made.published.get(group))]
    lines = [[words, *(column[term] for _, column in columns)] for term, words in TERMS.items()]
    said = [explained(group, one, made.published.get(group)) for group, one in found.items()]
    return table(["term", *(head for head, _ in columns)], lines) + "\n\n" + "\n".join(said)


def fitted(rows: Sequence[Cells], made: Design) -> dict[str, Model]:
    """Return the model of each group; raises ValueError where there is none."""
    numbers = [*(factor.name for factor in made.factors), made.response]
    frame = pandas.DataFrame([{"group": row["group"], **{name: float(row[name]) for name in numbers}} for row in rows])
    models: dict[str, Model] = {}
    for group, found in fit_groups(frame, made).items():
        if isinstance(found, str):
            raise ValueError(f"{group}: {found}")
        models[group] = found
    return models


def beside(group: str, model: Model, published: Numbers | None) -> list[tuple[str, dict[str, str]]]:
    """Return the columns of a group, each with its heading: a cell for each term."""
    here = {one.term: _estimate(one.term, one.coded, one.low, one.high) for one in model.coefficients}
    p = {INTERCEPT: ""} | {one.term: p_value(one.p) for one in model.anova if one.p is not None}
    if published is None:
        return [(f"{group}: coefficient (95 %)", here), ("p", p)]
    theirs = {term: _estimate(term, value) for term, value in coded(published["coefficients"], model.factors).items()}
    p_theirs = {INTERCEPT: ""} | {term: p_value(float(value)) for term, value in published["p"].items()}
    heads = (f"{group}: here (95 %)", "the report", "p here", "p report")
    return list(zip(heads, (here, theirs, p, p_theirs), strict=True))


def _estimate(term: str, value: float, *ends: float) -> str:
    form = "z.1f" if term == INTERCEPT else "z.2f"
    return figure(value, form) + (f" ({figure(ends[0], form)} to {figure(ends[1], form)})" if ends else "")


def coded(natural: Mapping[str, Level], factors: Sequence[Factor]) -> dict[str, float]:
    """Return the coefficients for factors coded from -1 to 1 of a model whose coefficients are in their own units."""
    middle = {factor.name: float(factor.natural(0.0)) for factor in factors}
    half = {factor.name: float(factor.natural(1.0)) - middle[factor.name] for factor in factors}
    # With x = middle + half * code, a term of the coded model comes from all terms that have its factors.
    return {
        term: prod(half[name] for name in _names(term))
        * sum(
            float(value) * prod(middle[name] for name in _names(other) - _names(term))
            for other, value in natural.items()
            if _names(term) <= _names(other)
        )
        for term in natural
    }


def _names(term: str) -> set[str]:
    """Return the factors of a term."""
    return set() if term == INTERCEPT else set(term.split(" * "))


def explained(group: str, model: Model, published: Numbers | None) -> str:
    """Return how well a model fits, and where it is greatest, as an item of a list."""
    best = model.best_cell
    where = ", ".join(f"{words} {level:g}" for words, level in zip(FACTORS.values(), best.levels, strict=True))
    text = (
        f"- {group}, {len(model.residuals)} runs: R2 is {figure(model.r2, '.2f')}. Shapiro-Wilk test of normal "
        f"residuals: {equals(model.shapiro.p)}. Greatest mean of the model among the levels: "
        f"{figure(best.predicted, '.1f')} ({figure(best.low, '.1f')} to {figure(best.high, '.1f')}), at {where}"
    )
    if published is None:
        return text + "."
    at = {name: float(level) for name, level in published["optimum"].items()}
    most = sum(float(one) * prod(at[name] for name in _names(term)) for term, one in published["coefficients"].items())
    return text + f"; of the report's model {most:.1f}, at {', '.join(f'{level:g}' for level in at.values())}."


# Groups


def at_settings(data: Data) -> list[dict[str, str]]:
    """Return the scores of the runs at the report's levels as rows of the groups.

    Their seconds are left out: runs of one program have equal shares of its time.
    """
    found = by_seed(data.runs, "fitness")
    return [
        {"group": group, "fitness": str(score)}
        for name, group in SETTINGS.items()
        for score in found.get(name, {}).values()
    ]


def tuned(data: Data) -> str:
    """Return the groups at the levels that were found best here and in the report; each p is of one test."""
    made = design(STUDY)
    first, second = made.groups
    lines = []
    for rows, words in ((data.tuned, "tuned here"), (at_settings(data), "the report's settings")):
        present = {row["group"] for row in rows}
        if unknown := present - made.groups.keys():
            raise ValueError(f"{min(unknown)}: no group of the design")
        for measure, name in MEASURES.items() if present == made.groups.keys() else ():
            if measure not in rows[0]:
                continue
            values = {group: [float(row[measure]) for row in rows if row["group"] == group] for group in made.groups}
            one, p = family(values, [(first, second)], measure)[first, second]
            form = "g" if measure == "fitness" else ".1f"
            cells = [f"{mean_of(some)}, {max(some):{form}}" for some in values.values()]
            number = " and ".join(dict.fromkeys(str(len(some)) for some in values.values()))
            lines.append([f"{name}, {words}", number, *cells, effect(one.a12), p_value(p)])
    if not lines:
        return NONE
    for measure, printed in made.published["comparison"].items():
        p_printed = f"{printed['p']:.1e}".replace("e-0", "e-")
        lines.append([f"{MEASURES[measure]} in the report", "50", "", "", str(printed["a12"]), p_printed])
    heads = [f"{group}: mean (95 %), greatest" for group in made.groups]
    return table(["", "runs of each", *heads, "A12 (95 %)", "p"], lines)


def proposals(data: Data) -> str:
    """Return what the report proposed beside points as they are; p is one family."""
    scores = {name: list(some.values()) for name, some in by_seed(data.runs, "fitness").items()}
    words = {name: says for name, says in ({POINTS: f"plain, `{POINTS}`"} | PROPOSALS).items() if name in scores}
    pairs = [(name, POINTS) for name in words if name in PROPOSALS and POINTS in words]
    tested = family(scores, pairs, "score")
    lines = []
    for name, says in words.items():
        one = tested.get((name, POINTS))
        cells = [effect(one[0].a12), p_value(one[1])] if one else ["", ""]
        lines.append([says, str(len(scores[name])), mean_of(scores[name]), f"{max(scores[name]):g}", *cells])
    head = ["points", "runs", "mean (95 %)", "greatest", "A12 to plain points (95 %)", "p, Holm"]
    return table(head, lines) if lines else NONE


TABLES: dict[str, Callable[[Data], str]] = {
    "morpion_terms": partial(terms, name=STUDY),
    "morpion_tuned": tuned,
    "morpion_best_terms": partial(terms, name=BEST),
    "morpion_proposals": proposals,
}
