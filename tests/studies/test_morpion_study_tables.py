"""The tables of docs/results/morpion.md on the report's study, made from a few rows that are written here."""

import itertools

import pytest

from jaxgp.store import runs
from jaxgp.study.design import read
from jaxgp.study.designs.planning import load_file
from tables.puzzles import morpion_study
from tables.puzzles.morpion_study import DESIGNS, STUDY

LEVELS = {"max_depth": (4, 7, 10), "terminals": (0.1, 0.3, 0.5), "tournament": (2, 6, 10)}


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def by_term(text):
    """The cells of a table of models by what the term is called, without the lines below it."""
    return {line[0]: line[1:] for line in lines(text.partition("\n\n")[0])[2:]}


def factorial(group, score, noise=0.0):
    """Two runs of each combination of levels: their scores are a function of coded factors, and differ by the noise."""
    return [
        {"group": group, "seconds": "1.0", "fitness": str(score(*((i - 1) for i in at)) + sign * noise)}
        | {name: str(levels[i]) for (name, levels), i in zip(LEVELS.items(), at, strict=True)}
        for at in itertools.product(range(3), repeat=3)
        for sign in (1, -1)
    ]


def plane(depth, terminals, tournament):
    return 90 + 2 * depth - terminals + 0.5 * tournament + 1.5 * depth * tournament


def flat(*at):
    return 95 + at[0]


def study(noise=0.5):
    return {STUDY: factorial("points", plane, noise) + factorial("closest", flat, noise)}


def test_a_plane_gives_back_its_coefficients():
    found = by_term(morpion_study.terms(study()))
    assert {term: (cells[0].split()[0], cells[4].split()[0]) for term, cells in found.items()} == {
        "mean": ("90.0", "95.0"),
        "maximum depth": ("2.00", "1.00"),
        "terminals": ("-1.00", "0.00"),
        "tournament size": ("0.50", "0.00"),
        "depth x terminals": ("0.00", "0.00"),
        "depth x tournament": ("1.50", "0.00"),
        "terminals x tournament": ("0.00", "0.00"),
    }
    # The residuals are 0.5, 54 of them with 47 degrees of freedom: the standard error of a main effect is
    # sqrt(13.5 / 47 / 36) = 0.0893, and Student's t is 2.012 at 97.5 %.
    assert found["maximum depth"][0] == "2.00 (1.82 to 2.18)"
    assert (found["maximum depth"][2], found["depth x terminals"][2]) == ("< 0.001", "1.000")


def test_the_fit_and_the_best_levels_stand_below_the_models():
    points, closest = morpion_study.terms(study()).split("\n")[-2:]
    # Sums of squares are 36 * (4 + 1 + 0.25) + 24 * 2.25 = 243 of the model, 54 * 0.25 = 13.5 of the residuals.
    assert points.startswith("- points, 54 runs: R2 is 0.95. Shapiro-Wilk test of normal residuals: p < 0.001. ")
    # Its corner: 90 + 2 + 1 + 0.5 + 1.5.
    assert "Greatest mean of the model among the levels: 95.0 (9" in points
    assert "at maximum depth 10, terminals 0.1, tournament size 10; of the report's model 94.2, at 10, 0.5" in points
    assert closest.endswith("; of the report's model 99.4, at 4, 0.1, 2.")


def test_what_the_report_printed_is_shown_for_coded_factors():
    found = by_term(morpion_study.terms(study()))
    assert [(found[term][1], found[term][5]) for term in morpion_study.TERMS.values()] == [
        ("92.3", "93.6"),
        ("0.86", "-1.64"),
        ("-0.19", "-0.94"),
        ("-0.36", "-1.94"),
        ("0.75", "-0.42"),
        ("0.04", "1.17"),
        ("-0.21", "0.50"),
    ]
    assert [found[term][7] for term in morpion_study.FACTORS.values()] == ["0.017", "0.161", "0.005"]


def test_coded_and_natural_coefficients_are_of_one_model():
    made = read(load_file(STUDY, DESIGNS))
    model = morpion_study.fit_models(study()[STUDY], made)["points"]
    natural = {one.term: one.natural for one in model.coefficients}
    assert morpion_study.code_coefficients(natural, made.factors) == pytest.approx(
        {c.term: c.coded for c in model.coefficients}
    )


def runs_of(experiment, scores, first=0):
    about = dict.fromkeys(runs.COLUMNS, "") | {"experiment": experiment}
    return [about | {"seed": str(seed), "fitness": str(score)} for seed, score in enumerate(scores, first)]


def test_proposals_stand_beside_plain_points_as_one_family():
    low, high = range(80, 88), range(90, 98)
    rows = runs_of("morpion_points", low) + runs_of("morpion_moving", high, 10) + runs_of("morpion_evolving", low, 20)
    found = lines(morpion_study.proposals({"morpion_runs": rows}))[2:]
    assert found[0] == ["plain, `morpion_points`", "8", "83.5 (81.5 to 85.5)", "87", "", ""]
    assert found[1][1:] == ["8", "93.5 (91.5 to 95.5)", "97", "1.00 (1.00 to 1.00)", "< 0.001"]
    assert found[2][3:] == ["87", found[2][4], "1.000"]
    assert found[2][4].startswith("0.50 (0.2")


def test_groups_at_the_levels_of_the_report_are_compared_by_scores():
    rows = runs_of("morpion_points", range(80, 88)) + runs_of("morpion_closest", range(90, 98))
    found = lines(morpion_study.settings({"morpion_runs": rows}))[2:]
    # No pair of 64 is won, exact p = 2 / C(16, 8) = 0.00016. The standard error is sqrt(6 / 8), t 2.365.
    assert found[0][1:] == ["8", "83.5 (81.5 to 85.5), 87", "93.5 (91.5 to 95.5), 97", "0.00 (0.00 to 0.00)", "< 0.001"]
    assert found[1] == ["scores in the report", "50", "", "", "0.159", "3.5e-9"]
    assert found[2] == ["seconds in the report", "50", "", "", "1.0", "2.2e-16"]
