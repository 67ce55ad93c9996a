"""The tables of docs/results/morpion.md on the report's study and proposals, made from rows in docs/data.

The runs of the design are in `morpion_study.csv`, those at the report's levels, like those of the proposals, in
`morpion_runs.csv`. What the report printed is in `conf/design/morpion_study.yaml`.
"""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from jaxgp.report.generated import figure, table
from jaxgp.store.table import Cells
from jaxgp.study.design import Design, Factor, Level, Numbers, read
from tables.puzzles.morpion import CLOSEST, POINTS, by_seed, equals
from tables.shared.cells import effect, family, mean_of, p_value
from tables.shared.data import Data, Makers

if TYPE_CHECKING:
    from jaxgp.study.designs.model import Model

DESIGNS = Path(__file__).resolve().parents[3] / "conf" / "design"
STUDY = "morpion_study"
"""Name of the design, and of the file with its rows."""
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
MEASURES = {"fitness": "scores", "seconds": "seconds"}
SETTINGS = {POINTS: "points", CLOSEST: "closest"}
"""Experiments at the levels that the report found best, and their groups in the design."""
PROPOSALS = {
    "morpion_moving": "counted from a moving centre",
    "morpion_evolving": "evolving: in half of the children one point moves a step",
}
"""What the report proposed, by experiment."""


def _design() -> Design:
    from jaxgp.study.designs.planning import load_file  # late: see `fit_models`

    return read(load_file(STUDY, DESIGNS))


# Models


def terms(data: Data) -> str:
    """Return the models of the groups of the design, beside those that the report printed.

    Coefficients are for coded factors, and p values are those of the analysis of variance.
    """
    made = _design()
    found = fit_models(data[STUDY], made)
    columns = [column for group, one in found.items() for column in beside(group, one, made.published[group])]
    lines = [[words, *(column[term] for _, column in columns)] for term, words in TERMS.items()]
    said = [explain_fit(group, one, made.published[group]) for group, one in found.items()]
    return table(["term", *(head for head, _ in columns)], lines) + "\n\n" + "\n".join(said)


def fit_models(rows: Sequence[Cells], made: Design) -> "dict[str, Model]":
    """Return the model of each group; raises ValueError where there is none."""
    numbers = [*(factor.name for factor in made.factors), made.response]
    import pandas  # late: of the extra `study`, whose lack the script names

    from jaxgp.study.designs.model import fit_groups

    frame = pandas.DataFrame([{"group": row["group"], **{name: float(row[name]) for name in numbers}} for row in rows])
    models: dict[str, Model] = {}
    for group, found in fit_groups(frame, made).items():
        if isinstance(found, str):
            raise ValueError(f"{group}: {found}")
        models[group] = found
    return models


def beside(group: str, model: "Model", published: Numbers) -> list[tuple[str, dict[str, str]]]:
    """Return the columns of a group, each with its heading: a cell for each term."""
    here = {one.term: _estimate(one.term, one.coded, one.low, one.high) for one in model.coefficients}
    p = {INTERCEPT: ""} | {one.term: p_value(one.p) for one in model.anova if one.p is not None}
    theirs = {
        term: _estimate(term, value)
        for term, value in code_coefficients(published["coefficients"], model.factors).items()
    }
    p_theirs = {INTERCEPT: ""} | {term: p_value(float(value)) for term, value in published["p"].items()}
    heads = (f"{group}: here (95 %)", "the report", "p here", "p report")
    return list(zip(heads, (here, theirs, p, p_theirs), strict=True))


def _estimate(term: str, value: float, *ends: float) -> str:
    form = "z.1f" if term == INTERCEPT else "z.2f"
    return figure(value, form) + (f" ({figure(ends[0], form)} to {figure(ends[1], form)})" if ends else "")


def code_coefficients(natural: Mapping[str, Level], factors: Sequence[Factor]) -> dict[str, float]:
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


def explain_fit(group: str, model: "Model", published: Numbers) -> str:
    """Return how well a model fits, and where it is greatest, as an item of a list."""
    best = model.best_cell
    where = ", ".join(f"{words} {level:g}" for words, level in zip(FACTORS.values(), best.levels, strict=True))
    text = (
        f"- {group}, {len(model.residuals)} runs: R2 is {figure(model.r2, '.2f')}. Shapiro-Wilk test of normal "
        f"residuals: {equals(model.shapiro.p)}. Greatest mean of the model among the levels: "
        f"{figure(best.predicted, '.1f')} ({figure(best.low, '.1f')} to {figure(best.high, '.1f')}), at {where}"
    )
    at = {name: float(level) for name, level in published["optimum"].items()}
    most = sum(float(one) * prod(at[name] for name in _names(term)) for term, one in published["coefficients"].items())
    return text + f"; of the report's model {most:.1f}, at {', '.join(f'{level:g}' for level in at.values())}."


# Groups


def settings(data: Data) -> str:
    """Return the groups at the report's levels; the p value is of one test.

    Seconds are left out: runs of one program have equal shares of its time.
    """
    found = by_seed(data["morpion_runs"], "fitness")
    values = {group: list(found[name].values()) for name, group in SETTINGS.items()}
    one, p = family(values, [(*values,)], "fitness")[(*values,)]
    cells = [f"{mean_of(some)}, {max(some):g}" for some in values.values()]
    number = " and ".join(dict.fromkeys(str(len(some)) for some in values.values()))
    lines = [["scores, the report's settings", number, *cells, effect(one.a12), p_value(p)]]
    for measure, printed in _design().published["comparison"].items():
        p_printed = f"{printed['p']:.1e}".replace("e-0", "e-")
        lines.append([f"{MEASURES[measure]} in the report", "50", "", "", str(printed["a12"]), p_printed])
    heads = [f"{group}: mean (95 %), greatest" for group in values]
    return table(["", "runs of each", *heads, "A12 (95 %)", "p"], lines)


def proposals(data: Data) -> str:
    """Return what the report proposed beside points as they are; p is one family."""
    found = by_seed(data["morpion_runs"], "fitness")
    scores = {name: list(found[name].values()) for name in (POINTS, *PROPOSALS)}
    tested = family(scores, [(name, POINTS) for name in PROPOSALS], "score")
    lines = []
    for name, says in ({POINTS: f"plain, `{POINTS}`"} | PROPOSALS).items():
        one = tested.get((name, POINTS))
        cells = [effect(one[0].a12), p_value(one[1])] if one else ["", ""]
        lines.append([says, str(len(scores[name])), mean_of(scores[name]), f"{max(scores[name]):g}", *cells])
    return table(["points", "runs", "mean (95 %)", "greatest", "A12 to plain points (95 %)", "p, Holm"], lines)


TABLES: Makers = {"morpion_terms": terms, "morpion_tuned": settings, "morpion_proposals": proposals}
