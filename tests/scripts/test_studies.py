"""Designs and comparisons as a person types them, with an experiment that takes no time."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

import envs
from jaxgp.config import arguments, validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.report import plots
from jaxgp.run import assemble
from jaxgp.study import design, results, study_options
from jaxgp.study.designs import planning
from tests.report.test_report import check
from tests.scripts.commands import load
from tests.study import study_data
from tests.study.quick import Quick

ROOT = Path(__file__).resolve().parents[2]
TINY = "game.pits=3,algorithm.generations=4,fitness.opponents.minimax.depth=2,compilation_cache=null"
GROUPS = ("groups.few=[algorithm.elites=1]", "groups.many=[algorithm.elites=2]")
STUDY = (
    "analysis=design",
    f"base=[{TINY}]",
    *GROUPS,
    "factors.algorithm.population=[4,64]",
    "replicates=3",
    "seed=11",
)
PICKY = ("factors.picky.levels=[2,9]", "factors.picky.options.algorithm.selection.tournament_size=[2,9]")


@pytest.fixture(scope="module")
def script():
    return load("analyse")


@pytest.fixture
def analyse(script, capsys, monkeypatch):
    monkeypatch.setattr(assemble, "assemble", lambda config, games: Quick(config))
    monkeypatch.setattr(plots, "embed", lambda figure, name: "<svg></svg>")  # drawing is most of the time

    def run(*options):
        code = script.main(options)
        return code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def studied(script, tmp_path_factory):
    """A whole study, and what it said."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assemble, "assemble", lambda config, games: Quick(config))
        assert script.main([*STUDY, f"output={folder}"]) == 0
    return folder


def table(folder):
    frame = results.load(folder)
    return frame.drop(columns=["seconds"]).sort_values("trial", ignore_index=True)


def test_a_design_leaves_a_table_a_report_and_models(studied):
    frame = table(studied)
    assert len(frame) == 2 * 2 * 3
    assert sorted(frame["order"]) == list(range(12))
    assert frame["seed"].tolist() == list(range(11, 23))
    page = (studied / "report.html").read_text()
    checked = check(page)
    assert not [value for name, value in checked.attributes if name in ("src", "href") and not value.startswith("#")]
    assert page.count("<figure>") == 2 * 4
    text = (studied / "report.md").read_text()
    assert "## Model of group few" in text
    pictures = re.findall(r"\]\((figures/\w+\.svg)\)", text)
    assert len(pictures) == 8
    assert all((studied / picture).read_text().endswith("</svg>\n") for picture in pictures)
    found = json.loads((studied / "found.json").read_text())["models"]
    assert found["few"]["best_cell"]["levels"][0] == 64  # the more, the better the best of them
    [effect] = [one for one in found["few"]["anova"] if one["term"] == "algorithm.population"]
    assert effect["p"] < 0.01


def test_the_same_command_has_nothing_left_to_do_and_another_design_is_refused(analyse, studied):
    before = (studied / "results.jsonl").read_bytes()
    code, out, err = analyse(*STUDY, f"output={studied}")
    assert (code, err) == (0, "")
    assert "algorithm.population" in out
    assert f"Written to {studied}" in out
    assert (studied / "results.jsonl").read_bytes() == before
    code, _, err = analyse(*STUDY[:-1], "seed=12", f"output={studied}")
    assert code == 2
    assert err.startswith(f"error: output={studied}: accepted: an empty directory, or the options")
    assert (studied / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_tuned_groups_are_run_at_their_optima_and_compared(analyse, studied, tmp_path):
    code, out, _ = analyse("analysis=tuned", f"study={studied}", "replicates=6", f"output={tmp_path}")
    assert code == 0
    assert re.search(r"fitness: .* \(A12 = [01]\.\d{3}, 95 % interval .* p = ", out)
    frame = table(tmp_path)
    assert frame.groupby("group", sort=False).size().to_dict() == {"few": 6, "many": 6}
    assert frame["seed"].tolist() == list(range(11 + 12, 11 + 12 + 12))  # none of the study's
    for trial in (0, 11):
        config = (tmp_path / "runs" / f"{trial:04}" / "config.yaml").read_text()
        assert "population: 64" in config
    compared = json.loads((tmp_path / "found.json").read_text())["comparisons"]
    assert [one["measure"] for one in compared] == ["fitness", "seconds"]
    assert (tmp_path / "figures" / "boxes_fitness.svg").is_file()


@pytest.mark.thorough
def test_runs_that_were_made_elsewhere_give_the_same_table(analyse, studied, tmp_path):
    code, _, _ = analyse(*STUDY, f"runs={studied / 'runs'}", f"output={tmp_path}")
    assert code == 0
    assert table(tmp_path).drop(columns="order").equals(table(studied).drop(columns="order"))


@pytest.mark.thorough
def test_runs_that_do_not_fit_the_design_are_named(analyse, studied, tmp_path):
    for number in range(3):  # all replicates of a cell
        shutil.copytree(studied / "runs" / f"{number:04}", tmp_path / "some" / str(number))
    given = (*STUDY, f"runs={tmp_path / 'some'}", f"output={tmp_path / 'new'}")
    code, _, err = analyse(*given)
    assert (code, err.partition(": 9 of")[2]) == (2, " the design's 12 runs are missing\n")
    again = shutil.copytree(tmp_path / "some" / "0", tmp_path / "some" / "3")
    code, _, err = analyse(*given)
    assert (code, err.partition("some/3 ")[2]) == (2, "repeats a run with seed 11\n")
    config = again / "config.yaml"
    config.write_text(config.read_text().replace("seed: 11", "seed: 99"))
    code, _, err = analyse(*given)
    assert (code, err.partition("some/3 ")[2]) == (2, "has more runs of its cell than replicates\n")
    config.write_text(config.read_text().replace("elites: 1", "elites: 3"))
    code, _, err = analyse(*given)
    assert (code, err.partition("some/3 ")[2]) == (2, "has options of no cell of the design\n")


@pytest.mark.thorough
def test_a_plan_writes_commands_with_the_options_of_its_runs(analyse, tmp_path):
    code, out, _ = analyse(*STUDY, *PICKY, "plan=true", f"output={tmp_path}")
    assert code == 0
    assert out.startswith("24 runs are planned.")
    said = [shlex.split(line) for line in (tmp_path / "commands.txt").read_text().splitlines()]
    assert all(words[:2] == ["python", "scripts/train.py"] for words in said)
    trials = planning.load_design(tmp_path, "output").trials()
    assert [Path(words[-1]).name for words in said] == [f"{trial.number:04}" for trial in trials]
    with Composer(Config, ROOT / "conf", "config") as composer:
        config = composer.compose(said[0][2:-1])
    assert (config.seed, config.algorithm.population) == (trials[0].seed, trials[0].cell.levels[0])
    assert config.algorithm.selection.tournament_size == trials[0].cell.levels[1]
    assert not (tmp_path / "results.jsonl").exists()


def test_two_groups_of_runs_are_compared_from_folders_and_from_tables(analyse, studied, tmp_path):
    runs = sorted((studied / "runs").iterdir())
    for name, some in (("a", runs[:6]), ("b", runs[6:])):
        for run in some:
            shutil.copytree(run, tmp_path / name / run.name)
    names = (f"a={tmp_path / 'a'}", f"b={tmp_path / 'b'}")
    said = []
    for given, output in (
        (names, "one"),
        ((f"table={studied}",), "two"),
        ((f"table={studied}", "a=many", "b=few"), "three"),
    ):
        code, _, err = analyse("analysis=comparison", *given, f"output={tmp_path / output}")
        assert (code, err) == (0, "")
        said.append(json.loads((tmp_path / output / "found.json").read_text())["comparisons"])
    assert said[0][0]["a12"] == said[1][0]["a12"]
    assert said[2][0]["a12"]["value"] == pytest.approx(1 - said[1][0]["a12"]["value"])
    assert said[1][0]["first"]["name"] == "few"
    check((tmp_path / "two" / "report.html").read_text())


@pytest.mark.thorough
def test_runs_that_all_end_alike_have_no_model_but_a_report(analyse, tmp_path, monkeypatch):
    measured = {"fitness": 7.0, "points": 1.0, "size": 1, "found": 0, "generations": 4, "seconds": 1.0}
    monkeypatch.setattr(results.member, "summary", lambda rows, found: measured)
    code, out, _ = analyse(*STUDY[:2], *STUDY[4:], f"output={tmp_path}")
    assert code == 0
    assert "all: no model: all 6 runs have the same fitness, 7" in out
    assert "No model: all 6 runs have the same fitness, 7." in (tmp_path / "report.md").read_text()
    code, _, err = analyse("analysis=tuned", f"study={tmp_path}")
    assert code == 2
    assert "accepted: a study of two groups or more" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("analysis=design",), "factors={}: accepted: at least one factor"),
        (("analysis=design", "design=unknown"), "design=unknown: accepted: morpion_best_study, morpion_study"),
        (("analysis=design", "factors.algorithm.poplation=[8,16]", "replicates=2"), "algorithm.poplation: unknown"),
        (("analysis=design", "factors.algorithm.elites=[0,9999]", "replicates=2"), "algorithm.elites=9999: accepted:"),
        (("analysis=design", "factors.game=[1,2]", "replicates=2"), "game=1: accepted: the name of one choice"),
        (
            ("analysis=design", "base=[experiment=lose_checkers_50co]", "factors.algorithm.elites=[0,1,2]"),
            "fitness.candidates=8: accepted: its default; the runs of a study",
        ),
        (("analysis=design", "base=[game=shogi]", "factors.algorithm.elites=[0,1,2]"), "game=shogi: unknown choice"),
        (("analysis=design", "factors.algorithm.elites=[0,1,2]", "batch=0"), "batch=0: accepted: a whole number"),
        (("analysis=design", "factor.x=[1,2]"), "factor: unknown option; did you mean factors?"),
        (("analysis=tuned",), "study=null: accepted: the output of analysis=design"),
        (("analysis=tuned", "study=nowhere"), "study=nowhere: not the output of a design"),
        (("analysis=comparison", "a=nowhere", "b=nowhere"), "a=nowhere: accepted: a folder of run directories"),
        (("analysis=comparison", "table=nowhere.csv"), "table=nowhere.csv: cannot be read (No such file"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line_before_anything_is_written(analyse, tmp_path, options, said):
    code, out, err = analyse(*options, f"output={tmp_path / 'new'}")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("a=few", "b=none"), "b=none: accepted: few, many, the values of group"),
        (("a=few", "b=few"), "b=few: accepted: another group than a"),
        (("column=trial",), "column=trial: accepted: one with two values, or a and b of 0, 1, 2"),
        (("column=none",), "column=none: accepted: trial, order, group"),
        (("measures=[score]",), "measures=score: accepted: columns of numbers, which are trial"),
        (("measures=[]",), "measures=[]: accepted: at least one column"),
    ],
)
def test_what_a_table_lacks_is_said(analyse, studied, options, said):
    code, _, err = analyse("analysis=comparison", f"table={studied}", *options)
    assert code == 2
    assert err.startswith(f"error: {said}")


def test_parquet_is_written_or_refused_in_one_line(analyse, studied, tmp_path, monkeypatch):
    there = results.importlib.util.find_spec
    monkeypatch.setattr(results.importlib.util, "find_spec", lambda name: None if name == "pyarrow" else there(name))
    code, _, err = analyse(*STUDY, "parquet=true", f"output={studied}")
    assert code == 2
    assert err.startswith("error: parquet=true: needs pyarrow, which is not installed")
    monkeypatch.undo()
    pytest.importorskip("pyarrow", reason="Parquet is an extra")
    results.save_parquet(tmp_path, results.load(studied))
    assert results.load(tmp_path / "results.parquet").equals(results.load(studied))


@pytest.mark.thorough
def test_the_commands_of_the_document_are_understood(script):
    text = (ROOT / "docs" / "experiments.md").read_text().replace("\\\n", "")
    commands = [shlex.split(line) for line in re.findall(r"^python (scripts/.*)$", text, re.M)]
    assert len(commands) >= 11
    for name, *words in commands:
        if name == "scripts/train.py":
            with Composer(Config, ROOT / "conf", "config") as composer:
                wanted = [word.split(",")[0] for word in words if not re.match(r"-m|hydra[./]|.*=\w+\(", word)]
                config = composer.compose(wanted)
            assert config.algorithm.kind == "gp"
            continue
        options = arguments.parse(script.ANALYSES[words[0].partition("=")[2]].schema, words)
        if isinstance(options, study_options.DesignOptions) and options.design is None:
            made = planning.plan_design(options, ROOT / "conf", envs).design
            assert (made.size, made.combinations) == (24, 6)


def test_the_published_study_is_the_one_that_the_report_describes():
    options = study_options.DesignOptions(design="morpion_study")
    made = design.read(planning.load_file(options.design, ROOT / "conf" / "design"))
    assert made.size == 108
    assert [factor.levels for factor in made.factors] == [tuple(levels) for levels in study_data.FACTORS.values()]
    for group, name in (("points", "FunctionSet0"), ("closest", "FunctionSet1")):
        published = made.published[group]
        assert tuple(published["coefficients"].values()) == study_data.COEFFICIENTS[name]
        assert tuple(published["p"].values()) == study_data.P[name]
        assert tuple(published["optimum"].values()) == study_data.TUNED[name]
        corner = [cell for cell in made.cells() if cell.group == group][-1]
        with Composer(Config, ROOT / "conf", "config") as composer:
            config = validate.check(composer.compose(corner.overrides), envs)
        assert config.program["closest_to_last"] == (group == "closest")
        creation, crossover = config.algorithm.creation, config.algorithm.crossover
        assert (creation.min_depth, creation.max_depth, crossover.function_probability) == (2, 9, 0.5)
        assert config.algorithm.selection.tournament_size == 10
        assert (config.algorithm.population, config.algorithm.generations, config.algorithm.elites) == (1024, 51, 2)
