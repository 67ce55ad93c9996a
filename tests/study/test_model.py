"""The model on data with known answers: a published study's, and a small case done by hand."""

import numpy as np
import pandas
import pytest
from scipy import stats

from jaxgp.study import design
from jaxgp.study.designs import model
from tests.study import study_data as study


@pytest.mark.parametrize("name", study.COEFFICIENTS)
def test_coefficients_variance_and_optimum_are_those_that_the_report_printed(name):
    found = model.fit(study.responses(name), study.DESIGN.factors, "fitness")
    assert [c.term for c in found.coefficients] == ["(Intercept)", *study.TERMS]
    assert [c.natural for c in found.coefficients] == pytest.approx(study.COEFFICIENTS[name])
    effects, residuals = found.anova[:-1], found.anova[-1]
    assert [e.term for e in effects] == list(study.TERMS)
    assert [e.sum_sq for e in effects] == pytest.approx(study.SQUARES[name][:-1], rel=1e-3, abs=6e-4)
    assert (residuals.term, residuals.df, residuals.f) == ("residuals", 47, None)
    assert residuals.mean_sq == pytest.approx(study.SQUARES[name][-1] / 47)
    assert [e.f for e in effects] == pytest.approx(study.F[name], abs=6e-4)
    assert [e.p for e in effects] == pytest.approx(study.P[name], abs=6e-4)
    assert found.best.levels == found.best_cell.levels == study.TUNED[name]
    terms = study.columns(np.array([study.TUNED[name]], float))[0]
    assert found.best.predicted == pytest.approx(terms @ np.array(study.COEFFICIENTS[name]))
    assert found.best.run_low < found.best.low < found.best.predicted < found.best.high < found.best.run_high


def test_a_two_by_two_design_by_hand():
    made = design.read({"factors": {"a": [0, 10], "b": ["low", "high"]}, "replicates": 2})
    a, b = np.array([0, 0, 0, 0, 10, 10, 10, 10]), ["low", "low", "high", "high"] * 2
    y = np.array([3.0, 5, 6, 6, 9, 11, 20, 20])
    # Means of the cells 4, 6, 10, 20: grand mean 10, effects of a half its contrast 5, of b 3, of both 2.
    found = model.fit(pandas.DataFrame({"a": a, "b": b, "fitness": y}), made.factors, "fitness", "minimum")
    assert [c.coded for c in found.coefficients] == pytest.approx([10, 5, 3, 2])
    assert [c.natural for c in found.coefficients] == [None] * 4
    assert [e.sum_sq for e in found.anova] == pytest.approx([8 * 25, 8 * 9, 8 * 4, 4])
    assert [e.df for e in found.anova] == [1, 1, 1, 4]
    assert [e.f for e in found.anova[:3]] == pytest.approx([200, 72, 32])
    assert [e.p for e in found.anova[:3]] == pytest.approx(stats.f.sf([200, 72, 32], 1, 4))
    assert found.sigma == pytest.approx(1)
    assert found.r2 == pytest.approx(304 / 308)
    assert found.adjusted == pytest.approx(1 - 1 / (308 / 7))
    assert found.lack_of_fit is None  # four means, four coefficients
    assert found.best.levels == found.best_cell.levels == (0, "low")
    reach = stats.t.ppf(0.975, 4) * np.sqrt(1 / 2)
    assert (found.best.low, found.best.high) == pytest.approx((4 - reach, 4 + reach))
    alone = stats.t.ppf(0.975, 4) * np.sqrt(3 / 2)
    assert (found.best.run_low, found.best.run_high) == pytest.approx((4 - alone, 4 + alone))


def test_one_factor_is_a_straight_line_and_curvature_is_a_lack_of_fit():
    made = design.read({"factors": {"a": [1, 2, 3, 4]}, "replicates": 5})
    a = np.repeat([1, 2, 3, 4], 5)
    noise = np.random.default_rng(1).normal(size=20)
    straight, curved = (
        model.fit(pandas.DataFrame({"a": a, "fitness": mean + noise}), made.factors, "fitness")
        for mean in (3.0 * a, 3.0 * (a - 2.2) ** 2)
    )
    line = stats.linregress(a, 3.0 * a + noise)
    assert straight.coefficients[1].natural == pytest.approx(line.slope)
    assert straight.coefficients[1].p == pytest.approx(line.pvalue)
    assert straight.lack_of_fit.p > 0.05
    assert curved.lack_of_fit.p < 1e-6


def test_the_tests_of_normality_tell_normal_residuals_from_others():
    frame = study.responses("FunctionSet0")
    skewed = frame.assign(fitness=np.random.default_rng(0).exponential(size=len(frame)) ** 2)
    normal, other = (model.fit(one, study.DESIGN.factors, "fitness") for one in (frame, skewed))
    assert min(normal.shapiro.p, normal.anderson.p) > 0.05
    assert max(other.shapiro.p, other.anderson.p) < 1e-3
    assert normal.shapiro.statistic == pytest.approx(stats.shapiro(normal.residuals).statistic)


def test_the_optimum_may_lie_between_levels_only_where_nothing_depends_on_it():
    frame = study.responses("FunctionSet1")
    best = model.fit(frame, study.DESIGN.factors, "fitness", "minimum").best
    at = [factor.levels for factor in study.DESIGN.factors]
    assert all(level in (min(levels), max(levels)) for level, levels in zip(best.levels, at, strict=True))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([7.0] * 54, "all 54 runs have the same fitness, 7"),
        ([None, *range(53)], "1 of 54 runs have no fitness"),
    ],
)
def test_what_cannot_be_fitted_is_said(values, said):
    frame = study.responses("FunctionSet0").assign(fitness=values)
    with pytest.raises(ValueError, match=said):
        model.fit(frame, study.DESIGN.factors, "fitness")


def test_too_few_runs_are_refused():
    with pytest.raises(ValueError, match="7 runs do not determine 7 coefficients"):
        model.fit(study.responses("FunctionSet0")[::8], study.DESIGN.factors, "fitness")
