"""A first-order linear model with interactions of a response on factors, its analysis of variance, and its optimum.

    y = b0 + sum_i bi xi + sum_(i<j) bij xi xj + error

The factors are coded, from -1 at the least level to 1 at the greatest, so that coefficients can be compared;
coefficients in natural units are of the same model. Sums of squares are of type II: each main effect after all other
main effects, each interaction after all other terms. In a full factorial with equal replicates they equal those of
types I and III.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.regression.linear_model import RegressionResultsWrapper
from statsmodels.stats.diagnostic import normal_ad

from jaxgp.statistics.exact import settle, settle_number
from jaxgp.study.design import Design, Factor, Level

RESIDUALS = "residuals"


@dataclass(frozen=True)
class Coefficient:
    """One term of the model, with a 95 % interval and a t test against zero."""

    term: str  # names of the factors, with * between; "(Intercept)"
    coded: float
    low: float
    high: float
    p: float
    natural: float | None  # in the units of the factors; None where one of them is not a number


@dataclass(frozen=True)
class Effect:
    """One line of the table of variance; the last is `residuals`, without F and p."""

    term: str
    df: int
    sum_sq: float
    f: float | None
    p: float | None

    @property
    def mean_sq(self) -> float:
        return self.sum_sq / self.df


@dataclass(frozen=True)
class Test:
    """A hypothesis test."""

    statistic: float
    p: float


@dataclass(frozen=True)
class Optimum:
    """The point at which the model predicts the most, or the least.

    Attributes:
        levels: level of each factor.
        predicted: the mean response there; `low` to `high` is the 95 % confidence interval of this mean.
        run_low: `run_low` to `run_high` is the 95 % prediction interval of one run.
    """

    levels: tuple[Level, ...]
    predicted: float
    low: float
    high: float
    run_low: float
    run_high: float


@dataclass(frozen=True)
class Model:
    """A fitted model.

    Attributes:
        factors: in the order of the columns.
        coefficients: intercept, main effects, interactions.
        anova: the same terms without the intercept, then the residuals.
        r2: share of the variance that the model explains; `adjusted` is adjusted for the number of terms.
        sigma: standard deviation of the residuals.
        fitted: float[N], fitted value of each run; `residuals`, float[N], are the observed less the fitted values.
        shapiro: Shapiro-Wilk test of the hypothesis that the residuals are normal.
        anderson: Anderson-Darling test of the same hypothesis.
        lack_of_fit: F test of the model against one with a mean for each cell; None without replicates.
        best: the optimum over the box of the factors, including points between the design's levels.
        best_cell: the optimum among the design's own combinations of levels.
    """

    factors: tuple[Factor, ...]
    coefficients: tuple[Coefficient, ...]
    anova: tuple[Effect, ...]
    r2: float
    adjusted: float
    sigma: float
    fitted: np.ndarray
    residuals: np.ndarray
    shapiro: Test
    anderson: Test
    lack_of_fit: Test | None
    best: Optimum
    best_cell: Optimum


def fit(frame: pandas.DataFrame, factors: Sequence[Factor], response: str, goal: str = "maximum") -> Model:
    """Fit the model to the runs of one group.

    Args:
        frame: a column for each factor and for the response, a row for each run.
        factors: what was varied.
        response: name of its column.
        goal: `maximum` or `minimum`, for the optimum.

    Raises:
        ValueError: there is nothing to fit: too few runs, or the same response in all.
    """
    data = code_factors(frame, factors).assign(y=pandas.to_numeric(frame[response]).to_numpy(float))
    if data["y"].isna().any():
        raise ValueError(f"{int(data['y'].isna().sum())} of {len(data)} runs have no {response}")
    if np.ptp(data["y"]) == 0:
        raise ValueError(f"all {len(data)} runs have the same {response}, {data['y'].iloc[0]:g}")
    found = smf.ols(formula(len(factors)), data).fit()
    if found.df_resid < 1 or np.linalg.matrix_rank(found.model.exog) < found.model.exog.shape[1]:
        raise ValueError(f"{len(data)} runs do not determine {found.model.exog.shape[1]} coefficients and their errors")
    return Model(
        factors=tuple(factors),
        coefficients=tuple(_coefficients(found, frame, data, factors)),
        anova=tuple(_anova(found, factors)),
        r2=settle_number(found.rsquared),
        adjusted=settle_number(found.rsquared_adj),
        sigma=settle_number(np.sqrt(found.mse_resid)),
        fitted=settle(found.fittedvalues.to_numpy()),
        residuals=settle(found.resid.to_numpy()),
        shapiro=Test(*map(settle_number, stats.shapiro(found.resid))),
        anderson=Test(*map(settle_number, normal_ad(found.resid))),
        lack_of_fit=_lack_of_fit(found, data, len(factors)),
        best=_optimum(found, factors, _corners(len(factors)), goal),
        best_cell=_optimum(found, factors, _cells(factors), goal),
    )


def fit_groups(frame: pandas.DataFrame, design: Design) -> dict[str, Model | str]:
    """Return the fitted model of every group of a design, or the reason why there is none."""
    found: dict[str, Model | str] = {}
    for group in design.groups:
        try:
            found[group] = fit(frame[frame["group"] == group], design.factors, design.response, design.goal)
        except ValueError as error:
            found[group] = str(error)
    return found


def code_factors(frame: pandas.DataFrame, factors: Sequence[Factor]) -> pandas.DataFrame:
    """Return the columns x0, x1, ... of coded factors."""
    return pandas.DataFrame(
        {f"x{i}": [factor.coded(level) for level in frame[factor.name]] for i, factor in enumerate(factors)}
    )


def formula(factors: int) -> str:
    """Return the model in the notation of statsmodels: main effects and all interactions of two."""
    names = " + ".join(f"x{i}" for i in range(factors))
    return f"y ~ ({names}) ** 2" if factors > 1 else f"y ~ {names}"


def _named(term: str, factors: Sequence[Factor]) -> str:
    if term == "Intercept":
        return "(Intercept)"
    return " * ".join(factors[int(part[1:])].name for part in term.split(":"))


def _coefficients(
    found: RegressionResultsWrapper, frame: pandas.DataFrame, data: pandas.DataFrame, factors: Sequence[Factor]
) -> list[Coefficient]:
    natural = data.copy()
    for i, factor in enumerate(factors):
        if factor.numeric:
            natural[f"x{i}"] = frame[factor.name].to_numpy(float)
    numeric = all(factor.numeric for factor in factors)
    plain = smf.ols(formula(len(factors)), natural).fit().params if numeric else {}
    intervals = found.conf_int()
    return [
        Coefficient(
            _named(term, factors),
            coded=settle_number(found.params[term]),
            low=settle_number(intervals.loc[term, 0]),
            high=settle_number(intervals.loc[term, 1]),
            p=settle_number(found.pvalues[term]),
            natural=settle_number(plain[term]) if numeric else None,
        )
        for term in found.params.index
    ]


def _anova(found: RegressionResultsWrapper, factors: Sequence[Factor]) -> list[Effect]:
    made = []
    for term, line in sm.stats.anova_lm(found, typ=2).iterrows():
        last = term == "Residual"
        name = RESIDUALS if last else _named(str(term), factors)
        tests = (None, None) if last else (settle_number(line["F"]), settle_number(line["PR(>F)"]))
        made.append(Effect(name, int(line["df"]), settle_number(line["sum_sq"]), *tests))
    return made


def _lack_of_fit(found: RegressionResultsWrapper, data: pandas.DataFrame, factors: int) -> Test | None:
    """Test against the model with a mean for each cell, whose residuals are the pure error of the replicates."""
    cells = smf.ols("y ~ " + " * ".join(f"C(x{i})" for i in range(factors)), data).fit()
    # If the cells leave no share of the variance, there is no error to compare with.
    if cells.df_resid < 1 or cells.df_resid >= found.df_resid or cells.ssr <= 1e-12 * cells.centered_tss:
        return None
    line = sm.stats.anova_lm(found, cells).iloc[1]
    return Test(settle_number(line["F"]), settle_number(line["Pr(>F)"]))


def _terms(points: np.ndarray) -> np.ndarray:
    """Return the columns that the formula makes of coded factors [..., K]: ones, main effects, interactions."""
    pairs = [points[..., i] * points[..., j] for i, j in itertools.combinations(range(points.shape[-1]), 2)]
    return np.stack([np.ones(points.shape[:-1]), *np.moveaxis(points, -1, 0), *pairs], axis=-1)


def _corners(factors: int) -> np.ndarray:
    """Return the corners of the box of coded factors, float[2**K, K].

    The model is linear in each factor when the others are held, so one of them is greatest in the whole box.
    """
    return np.array(list(itertools.product((-1.0, 1.0), repeat=factors)))


def _cells(factors: Sequence[Factor]) -> np.ndarray:
    """Return the design's combinations of levels, coded, float[C, K]."""
    return np.array(list(itertools.product(*([f.coded(level) for level in f.levels] for f in factors))))


def _optimum(found: RegressionResultsWrapper, factors: Sequence[Factor], points: np.ndarray, goal: str) -> Optimum:
    """Return the best of some points, float[N, K] coded; the first one, where several are equal on a grid."""
    predicted = settle(_terms(points) @ found.params.to_numpy())
    point = points[predicted.argmax() if goal == "maximum" else predicted.argmin()]
    table = found.get_prediction(_terms(point)[None], transform=False).summary_frame(alpha=0.05).iloc[0]
    levels = tuple(_level(factor, float(code)) for factor, code in zip(factors, point, strict=True))
    names = ("mean", "mean_ci_lower", "mean_ci_upper", "obs_ci_lower", "obs_ci_upper")
    return Optimum(levels, *(settle_number(table[name]) for name in names))


def _level(factor: Factor, code: float) -> Level:
    """Return the level with this code; a level of the design is returned exactly, without rounding error."""
    near = [level for level in factor.levels if abs(factor.coded(level) - code) < 1e-6]
    return near[0] if near else factor.natural(code)
