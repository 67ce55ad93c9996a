"""Results of a study: models and optima of a design, comparisons of groups; as a report, JSON and lines of text."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import partial

import numpy as np
import pandas
from omegaconf import OmegaConf

from jaxgp.report.document import Document, DocumentTable, FoldedText, Part, Picture
from jaxgp.report.markup import cell
from jaxgp.report.progress import duration
from jaxgp.statistics.comparison import Comparison, Estimate, Group
from jaxgp.statistics.permutation import least
from jaxgp.study import figures
from jaxgp.study.design import Design, Level, Numbers
from jaxgp.study.designs.model import RESIDUALS, Coefficient, Model, Optimum

SIGNIFICANCE = 0.05
SENTENCES = 6
"""The most comparisons by a measure that have a sentence each; of more, those that show a difference have one."""
UNITS = {"seconds": "run time in seconds", "found": "generation of the champion"}

Fits = Mapping[str, Model | str]
"""The model of each group, or why there is none."""


def of_design(design: Design, frame: pandas.DataFrame, fits: Fits, about: Sequence[tuple[str, str]]) -> Document:
    """Report a factorial design, group by group."""
    sections: list[tuple[str, Sequence[Part]]] = [("Design", _design(design))]
    for group, found in fits.items():
        rows = frame[frame["group"] == group]
        published = design.published.get(group) or {}
        sections.append((_title("Model", group, fits), _model(design, rows, found, published)))
    sections.append(("Cells", [_cells(design, frame)]))
    sections.append(("Settings", [FoldedText("design", OmegaConf.to_yaml(OmegaConf.create(design.as_dict())))]))
    facts = [("runs", str(len(frame))), (f"best {design.response}", _best(design, frame)), *about]
    return Document(design.title or "Factorial design", facts, sections)


def of_comparisons(
    title: str,
    found: Sequence[Comparison],
    about: Sequence[tuple[str, str]],
    published: Numbers,
    means: bool = True,
) -> Document:
    """Report comparisons of groups.

    Args:
        title: of the report.
        found: the comparisons.
        about: facts that open it.
        published: a12 and p by measure.
        means: whether it has the means of the groups; False where the page around it has them.
    """
    rows = [_compared(one, published.get(one.measure) or {}) for one in found]
    described = {
        (one.measure, group.name): {"measure": one.measure, "group": group.name, **_group(group, means)}
        for one in found
        for group in (one.first, one.second)
    }
    samples: dict[str, dict[str, np.ndarray]] = {}
    for one in found:
        samples.setdefault(one.measure, {}).update({g.name: g.values for g in (one.first, one.second)})
    pictures = [
        Picture(f"boxes_{measure}", f"{UNITS.get(measure, measure)} by group", partial(figures.boxes, groups, measure))
        for measure, groups in samples.items()
    ]
    explained = (
        "A12 is the probability that a run of the first group is higher than one of the second, ties counting half: "
        "1/2 is no difference. Its interval, like those in the table of groups, is a 95 % percentile bootstrap. U and "
        "p are of the two-sided Mann-Whitney test, exact with ties. The corrected p is Holm's, for all pairs that are "
        "compared by a measure; the sentences have that one."
    )
    sections: list[tuple[str, Sequence[Part]]] = [
        ("Comparison", [DocumentTable(rows), explained, *sentences(found), *pictures]),
        ("Groups", [DocumentTable(list(described.values()))]),
    ]
    return Document(title, list(about), sections)


def sentences(found: Sequence[Comparison]) -> list[str]:
    """Return comparisons as sentences; where there are many, those that show no difference share one."""
    lines = []
    for measure in dict.fromkeys(one.measure for one in found):
        pairs = [one for one in found if one.measure == measure]
        named = [one for one in pairs if len(pairs) <= SENTENCES or one.corrected < SIGNIFICANCE]
        lines += [said(one) for one in named]
        if others := len(pairs) - len(named):
            lines.append(f"{measure}: no difference is shown by {others} of {len(pairs)} pairs.")
    return lines


def said(one: Comparison) -> str:
    """Return a comparison as a sentence."""
    a, b = one.first.name, one.second.name
    if not _enough(one):
        runs = f"{len(one.first.values)} and {len(one.second.values)} runs"
        return f"{one.measure}: {runs} of {a} and {b} are too few to show a difference."
    if one.corrected >= SIGNIFICANCE:
        return f"{one.measure}: no difference between {a} and {b} is shown ({_how(one)})."
    higher, lower = (a, b) if one.a12.value > 0.5 else (b, a)
    return f"{one.measure}: {higher} is higher than {lower}, a {one.size} difference ({_how(one)})."


def _enough(one: Comparison) -> bool:
    """Return whether the test can show a difference at all between groups of these sizes."""
    return least(len(one.first.values), len(one.second.values)) < SIGNIFICANCE


def _how(one: Comparison) -> str:
    return f"A12 = {one.a12.value:.3f}, 95 % interval {one.a12.low:.3f} to {one.a12.high:.3f}; p = {one.corrected:.2g}"


def as_json(fits: Fits, found: Sequence[Comparison]) -> dict[str, object]:
    """Return all results, without the runs, for other programs."""
    models: dict[str, object] = {}
    for group, one in fits.items():
        if isinstance(one, str):
            models[group] = {"failure": one}
            continue
        fields = {name: value for name, value in vars(one).items() if name not in ("factors", "fitted", "residuals")}
        models[group] = _plain(fields)
    return {"models": models, "comparisons": [_plain(asdict(one)) for one in found]}


def _plain(value: object) -> object:
    """Return nested dataclasses and arrays as what JSON can hold; nan is None."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and value != value else value


def lines(design: Design, fits: Fits) -> list[str]:
    """Return lines about the models for the terminal."""
    text = []
    for group, found in fits.items():
        if isinstance(found, str):
            text.append(f"{group}: no model: {found}")
            continue
        text.append(f"{group}: {_explained(found)}")
        for coefficient, effect in zip(found.coefficients[1:], found.anova[:-1], strict=True):
            numbers = f"{coefficient.coded:9.3f} (half the range)  F {effect.f or 0:8.3f}  p {_p(coefficient.p)}"
            text.append(f"  {coefficient.term:32} {numbers}")
        text.append(f"  {design.goal} of the model: {_where(design, found.best)}")
    return text


def _title(what: str, group: str, among: Fits) -> str:
    return what if len(among) == 1 else f"{what} of group {group}"


def _design(design: Design) -> list[Part]:
    factors = [
        {
            "factor": factor.name,
            "levels": ", ".join(map(str, factor.levels)),
            "options": "; ".join(f"{name} {', '.join(map(str, values))}" for name, values in factor.options.items()),
        }
        for factor in design.factors
    ]
    groups = [{"group": name, "options": " ".join(base) or "the defaults"} for name, base in design.groups.items()]
    text = (
        f"Every combination of levels in every group, {design.replicates} times: {design.size} runs in random order "
        f"(seed {design.seed}), each with a seed of its own."
    )
    varied: list[Part] = [DocumentTable(factors), "Options of each group:"] if factors else []
    return [text, *varied, DocumentTable(groups)]


def _model(design: Design, frame: pandas.DataFrame, found: Model | str, published: Numbers) -> list[Part]:
    group = frame["group"].iloc[0]
    names = list(design.groups)
    prefix = f"{names.index(group)}_" if len(names) > 1 else ""
    spread = Picture(
        f"{prefix}effects",
        f"{design.response} by level, with means and 95 % intervals",
        partial(figures.effects, frame, design.factors, design.response),
    )
    if isinstance(found, str):
        return [f"No model: {found}.", spread]
    pictures = [
        Picture(f"{prefix}{name}", caption, partial(draw, found))
        for name, caption, draw in (
            ("residuals", "residuals against fitted values", figures.residuals),
            ("qq", "quantiles of the residuals against normal ones", figures.quantiles),
            ("histogram", "distribution of the residuals", figures.histogram),
        )
    ]
    kept = published.get("coefficients") or {}
    return [
        _explained(found) + " Factors are coded: -1 is the least level, 1 the greatest.",
        DocumentTable([_coefficient(one) | _if(kept, "published", kept.get(one.term)) for one in found.coefficients]),
        "Analysis of variance, sums of squares of type II:",
        DocumentTable(_variance(found, published.get("p") or {})),
        _tests(found),
        f"The {design.goal} of the model between the least and greatest levels, and at the design's own levels:",
        DocumentTable(_optima(design, found, published.get("optimum") or {})),
        spread,
        *pictures,
    ]


def _if(condition: object, name: str, value: object) -> dict[str, object]:
    return {name: value} if condition else {}


def _explained(found: Model) -> str:
    return (
        f"{len(found.residuals)} runs; R2 {found.r2:.3f}, adjusted {found.adjusted:.3f}; standard deviation of the "
        f"residuals {cell(found.sigma)}."
    )


def _coefficient(one: Coefficient) -> dict[str, object]:
    interval = f"{cell(one.low)} to {cell(one.high)}"
    natural = {} if one.natural is None else {"natural units": one.natural}
    return {"term": one.term, "coded": one.coded, "95 % interval": interval, "p": _p(one.p), **natural}


def _variance(found: Model, published: Mapping[str, Level]) -> list[dict[str, object]]:
    return [
        {
            "term": one.term,
            "df": one.df,
            "sum of squares": one.sum_sq,
            "mean square": one.mean_sq,
            "F": one.f,
            "p": None if one.p is None else _p(one.p),
            **_if(published, "published p", None if one.term == RESIDUALS else published.get(one.term)),
        }
        for one in found.anova
    ]


def _p(value: float) -> str:
    return f"{value:.2g}" + (" *" if value < SIGNIFICANCE else "")


def _tests(found: Model) -> str:
    normal = min(found.shapiro.p, found.anderson.p) >= SIGNIFICANCE
    text = (
        f"Normality of the residuals: Shapiro-Wilk W = {found.shapiro.statistic:.4f}, p = {found.shapiro.p:.3g}; "
        f"Anderson-Darling A2 = {found.anderson.statistic:.3f}, p = {found.anderson.p:.3g}: "
        + ("no deviation is shown." if normal else "they deviate, so the tests above are approximate.")
    )
    if found.lack_of_fit is None:
        return text
    fits = found.lack_of_fit.p >= SIGNIFICANCE
    return text + (
        f" Lack of fit against a mean for each cell: F = {found.lack_of_fit.statistic:.3f}, "
        f"p = {found.lack_of_fit.p:.3g}: " + ("none is shown." if fits else "the model misses part of the effects.")
    )


def _optima(design: Design, found: Model, published: Mapping[str, Level]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, one in (("in the box", found.best), ("at the levels", found.best_cell)):
        levels = dict(zip((factor.name for factor in design.factors), one.levels, strict=True))
        rows.append(
            {
                "where": name,
                **levels,
                f"predicted {design.response}": one.predicted,
                "95 % of the mean": f"{cell(one.low)} to {cell(one.high)}",
                "95 % of a run": f"{cell(one.run_low)} to {cell(one.run_high)}",
            }
        )
    return rows + ([{"where": "published", **published}] if published else [])


def _where(design: Design, one: Optimum) -> str:
    levels = (f"{factor.name}={cell(level)}" for factor, level in zip(design.factors, one.levels, strict=True))
    return f"{', '.join(levels)}: {cell(one.predicted)} ({cell(one.low)} to {cell(one.high)})"


def _cells(design: Design, frame: pandas.DataFrame) -> DocumentTable:
    names = ["group", *(factor.name for factor in design.factors)]
    rows = []
    for key, runs in frame.groupby(names, sort=False):
        values = runs[design.response]
        spread = float(values.std()) if len(values) > 1 else None
        time = float(runs["seconds"].mean())
        rows.append(
            dict(zip(names, key, strict=True))
            | {"runs": len(runs), f"mean {design.response}": float(values.mean()), "deviation": spread, "seconds": time}
        )
    return DocumentTable(rows)


def _best(design: Design, frame: pandas.DataFrame) -> str:
    values = frame[design.response]
    return cell(float(values.max() if design.goal == "maximum" else values.min()))


def _compared(one: Comparison, published: Mapping[str, Level]) -> dict[str, object]:
    return {
        "measure": one.measure,
        "first": one.first.name,
        "second": one.second.name,
        "A12": f"{one.a12.value:.3f}",
        "95 % interval": f"{one.a12.low:.3f} to {one.a12.high:.3f}",
        "difference": one.size if one.corrected < SIGNIFICANCE else "not shown",
        "U": one.u,
        "p": _p(one.p),
        "corrected p": _p(one.corrected),
        **_if(published, "published A12", published.get("a12")),
        **_if(published, "published p", published.get("p")),
    }


def _group(group: Group, means: bool) -> dict[str, object]:
    return {
        "runs": len(group.values),
        **_if(means, "mean", _interval(group.mean)),
        "median": _interval(group.median),
        "deviation": group.spread,
        "least": float(group.values.min()),
        "greatest": float(group.values.max()),
    }


def _interval(one: Estimate) -> str:
    return f"{cell(one.value)} ({cell(one.low)} to {cell(one.high)})"


def times(compile_seconds: float, programs: int, frame: pandas.DataFrame) -> list[tuple[str, str]]:
    """Return the facts about time that open a report."""
    made = [("programs compiled", str(programs)), ("compiling", duration(compile_seconds))] if programs else []
    return [*made, ("runs took", duration(float(frame["seconds"].sum())))]
