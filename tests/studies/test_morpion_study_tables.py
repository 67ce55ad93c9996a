"""The tables of docs/results/morpion.md on the report's study, made from a few rows that are written here."""

import itertools
import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.store import runs
from jaxgp.store.table import Table
from jaxgp.study import results
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables.puzzles import morpion_study
from tables.puzzles.morpion_study import BEST, STUDY

EMPTY = morpion_study.Data([], [], [], [])
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


def pair(scores, seconds):
    """Runs of two groups."""
    return [
        {"group": group, "fitness": str(score), "seconds": str(second)}
        for group in scores
        for score, second in zip(scores[group], seconds[group], strict=True)
    ]


def plane(depth, terminals, tournament):
    return 90 + 2 * depth - terminals + 0.5 * tournament + 1.5 * depth * tournament


def flat(*at):
    return 95 + at[0]


def study(noise=0.5):
    return EMPTY._replace(study=factorial("points", plane, noise) + factorial("closest", flat, noise))


def test_tables_without_files_say_so(tmp_path):
    for made in morpion_study.parts(tmp_path).values():
        assert made() == "No rows yet."


def test_a_plane_gives_back_its_coefficients():
    found = by_term(morpion_study.terms(study(), STUDY))
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
    points, closest = morpion_study.terms(study(), STUDY).split("\n")[-2:]
    # Sums of squares are 36 * (4 + 1 + 0.25) + 24 * 2.25 = 243 of the model, 54 * 0.25 = 13.5 of the residuals.
    assert points.startswith("- points, 54 runs: R2 is 0.95. Shapiro-Wilk test of normal residuals: p < 0.001. ")
    # Its corner: 90 + 2 + 1 + 0.5 + 1.5.
    assert "Greatest mean of the model among the levels: 95.0 (9" in points
    assert "at maximum depth 10, terminals 0.1, tournament size 10; of the report's model 94.2, at 10, 0.5" in points
    assert closest.endswith("; of the report's model 99.4, at 4, 0.1, 2.")


def test_what_the_report_printed_is_shown_for_coded_factors():
    found = by_term(morpion_study.terms(study(), STUDY))
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
    made = morpion_study.design(STUDY)
    model = morpion_study.fitted(study().study, made)["points"]
    natural = {one.term: one.natural for one in model.coefficients}
    assert morpion_study.coded(natural, made.factors) == pytest.approx({c.term: c.coded for c in model.coefficients})


def test_the_design_with_get_best_has_its_models_alone():
    rows = factorial("best", plane, 0.5) + factorial("all", flat, 0.5)
    text = morpion_study.terms(EMPTY._replace(best=rows), BEST)
    assert lines(text)[0] == ["term", "best: coefficient (95 %)", "p", "all: coefficient (95 %)", "p"]
    assert lines(text)[3] == ["maximum depth", "2.00 (1.82 to 2.18)", "< 0.001", "1.00 (0.82 to 1.18)", "< 0.001"]
    assert "96.0 (95.6 to 96.4), at maximum depth 10, " in text
    assert "report" not in text


def test_tuned_groups_are_compared_by_scores_and_seconds():
    scores = {"points": range(80, 88), "closest": range(90, 98)}
    seconds = {"points": [2.0] * 8, "closest": [1.5] * 8}
    found = lines(morpion_study.tuned(EMPTY._replace(tuned=pair(scores, seconds))))[2:]
    # No pair of 64 is won, exact p = 2 / C(16, 8) = 0.00016. The standard error is sqrt(6 / 8), t 2.365.
    assert found[0] == [
        "scores, tuned here",
        "8",
        "83.5 (81.5 to 85.5), 87",
        "93.5 (91.5 to 95.5), 97",
        "0.00 (0.00 to 0.00)",
        "< 0.001",
    ]
    assert found[1][:5] == ["seconds, tuned here", "8", "2.0 (2.0 to 2.0), 2.0", "1.5 (1.5 to 1.5), 1.5", found[1][4]]
    assert found[2] == ["scores in the report", "50", "", "", "0.159", "3.5e-9"]
    assert found[3] == ["seconds in the report", "50", "", "", "1.0", "2.2e-16"]
    at_report = [row for name in ("points", "closest") for row in runs_of(f"morpion_{name}", [90, 91])]
    both = morpion_study.tuned(EMPTY._replace(tuned=pair(scores, seconds), runs=at_report))
    assert [line[0] for line in lines(both)[4:6]] == ["scores, the report's settings", "scores in the report"]


def runs_of(experiment, scores, first=0):
    about = dict.fromkeys(runs.COLUMNS, "") | {"experiment": experiment}
    return [about | {"seed": str(seed), "fitness": str(score)} for seed, score in enumerate(scores, first)]


def test_proposals_stand_beside_plain_points_as_one_family():
    low, high = range(80, 88), range(90, 98)
    rows = runs_of("morpion_points", low) + runs_of("morpion_moving", high, 10) + runs_of("morpion_evolving", low, 20)
    found = lines(morpion_study.proposals(EMPTY._replace(runs=rows + runs_of("morpion_random", high))))[2:]
    assert found[0] == ["plain, `morpion_points`", "8", "83.5 (81.5 to 85.5)", "87", "", ""]
    assert found[1][1:] == ["8", "93.5 (91.5 to 95.5)", "97", "1.00 (1.00 to 1.00)", "< 0.001"]
    assert found[2][3:] == ["87", found[2][4], "1.000"]
    assert found[2][4].startswith("0.50 (0.2")
    alone = lines(morpion_study.proposals(EMPTY._replace(runs=runs_of("morpion_moving", high))))[2:]
    assert [line[-2:] for line in alone] == [["", ""]], "there is nothing to compare with"


def written(path, rows, factors=()):
    """Write rows as `scripts/analyse.py analysis=design` does."""
    about = {"order": 0, "replicate": 0, "seed": 0, "points": 0.0, "size": 1, "found": 0, "generations": 1}
    results.save_csv(path.parent, results.table([{"trial": i} | about | row for i, row in enumerate(rows)], factors))
    (path.parent / results.CSV).rename(path)


def test_files_are_read_as_they_are_written(tmp_path):
    written(tmp_path / "morpion_study.csv", study().study, list(LEVELS))
    written(
        tmp_path / "morpion_tuned.csv",
        pair({"points": [1, 2], "closest": [3, 4]}, {"points": [1, 1], "closest": [1, 1]}),
    )
    made = morpion_study.parts(tmp_path)
    assert made["morpion_terms"]() == morpion_study.terms(study(), STUDY)
    assert "scores, tuned here | 2 |" in made["morpion_tuned"]()
    assert made["morpion_best_terms"]() == "No rows yet."


@pytest.mark.parametrize("column", ["fitness", "terminals", "group"])
def test_a_damaged_cell_of_a_design_is_one_line(tmp_path, column):
    rows = [row | {column: "x"} for row in study().study]
    written(tmp_path / "morpion_study.csv", rows, list(LEVELS))
    with pytest.raises(UsageError, match="morpion_terms: a cell is not the number that it should be") as error:
        morpion_study.parts(tmp_path)["morpion_terms"]()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("column", ["fitness", "seconds", "group"])
def test_a_damaged_cell_of_groups_is_one_line(tmp_path, column):
    rows = pair({"points": [1, 2], "closest": [3, 4]}, {"points": [1, 1], "closest": [1, 1]})
    written(tmp_path / "morpion_tuned.csv", [row | {column: "x"} for row in rows])
    with pytest.raises(UsageError, match="morpion_tuned: a cell is not the number that it should be"):
        morpion_study.parts(tmp_path)["morpion_tuned"]()


def test_a_file_with_other_columns_is_refused(tmp_path):
    written(tmp_path / "morpion_tuned.csv", study().study, list(LEVELS))
    with pytest.raises(UsageError, match=r"morpion_tuned\.csv: its columns are not trial,order,group,replicate,seed"):
        morpion_study.parts(tmp_path)


def test_a_damaged_cell_of_a_proposal_is_one_line(tmp_path):
    Table(tmp_path / "morpion_runs.csv", runs.COLUMNS).extend(runs_of("morpion_points", ["many"]), print)
    with pytest.raises(UsageError, match="morpion_proposals: a cell is not the number that it should be"):
        morpion_study.parts(tmp_path)["morpion_proposals"]()
