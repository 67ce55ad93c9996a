"""Where runs and the members of sweeps go, and text that is taken as it is written."""

import shlex
from concurrent.futures import ThreadPoolExecutor

import pytest

from jaxgp.config import compose, places, quoting
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.store.directory import RunDirectory

ODD = 'my run, no. 1 [x]=#é {it\'s} "so" 100% (a) ~'
TIMED = "hydra.run.dir=runs/${now:%Y}"


def test_runs_of_the_same_moment_have_directories_of_their_own(call, tmp_path):
    directories = []
    for _ in range(3):
        code, err, (plan,) = call(TIMED)
        assert (code, err) == (0, "")
        RunDirectory(plan.directory).write_config(plan.config)
        directories.append(plan.directory)
    year = directories[0].name
    assert [path.name for path in directories] == [year, f"{year}_2", f"{year}_3"]


@pytest.mark.thorough
def test_sweeps_of_the_same_moment_have_directories_of_their_own(call, tmp_path):
    arguments = ("-m", "seed=0,1", "hydra.sweep.dir=sweeps/${now:%Y}")
    first, second = (call(*arguments)[2] for _ in range(2))
    assert len({plan.directory for plan in (*first, *second)}) == 4
    assert [plan.directory.parent.name for plan in second] == [first[0].directory.parent.name + "_2"] * 2


def test_a_directory_is_claimed_by_one_process_alone(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(lambda _: places.claim(tmp_path / "runs" / "12-00-00", "hydra.run.dir"), range(16)))
    assert len(set(claimed)) == 16
    assert sorted(path.name for path in claimed)[:2] == ["12-00-00", "12-00-00_10"]


def test_a_claim_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^hydra\.run\.dir="):
        places.claim(tmp_path / "file" / "run", "hydra.run.dir")


def test_a_named_directory_is_never_replaced_by_another(call, tmp_path):
    _, _, (plan,) = call("hydra.run.dir=mine")
    RunDirectory(plan.directory).write_config(plan.config)
    code, err, _ = call("hydra.run.dir=mine")
    assert (code, err.count("\n")) == (2, 1)
    assert "already holds a run" in err


def test_a_sweep_refuses_the_directory_of_one_run(call, tmp_path):
    code, err, plans = call("-m", "seed=0,1", "hydra.run.dir=mine")
    assert (code, plans, list(tmp_path.iterdir())) == (2, [], [])
    assert err == "error: hydra.run.dir=mine: accepted: nothing with -m; the runs of a sweep go to hydra.sweep.dir\n"


def test_one_run_refuses_the_directory_of_a_sweep(call, tmp_path):
    code, err, plans = call("hydra.sweep.dir=mine")
    assert (code, plans, list(tmp_path.iterdir())) == (2, [], [])
    assert err == "error: hydra.sweep.dir=mine: accepted: nothing without -m; one run goes to hydra.run.dir\n"


def test_a_run_goes_on_where_it_is_and_nowhere_else(call, tmp_path):
    _, _, (plan,) = call("hydra.run.dir=mine")
    RunDirectory(plan.directory).write_config(plan.config)
    for option in ("hydra.run.dir=other", "hydra.sweep.dir=other"):
        code, err, plans = call("resume=mine", option)
        assert (code, plans, [path.name for path in tmp_path.iterdir()]) == (2, [], ["mine"])
        assert err.startswith(f"error: {option}: accepted: ")
    assert "other: accepted: mine, where the run is, or nothing\n" in call("resume=mine", "hydra.run.dir=other")[1]
    _, _, (again,) = call("resume=mine", f"hydra.run.dir={tmp_path}/mine")
    assert again.directory == plan.directory


NOWHERE = [
    ("hydra.run.dir=",),
    ("hydra.run.dir=null",),
    ("hydra.run.dir=~no_such_user/x",),
    (f"hydra.run.dir={'x' * 300}",),
    ("hydra.run.dir=${nothing}",),
    ("hydra.sweep.dir=~no_such_user/x",),
    ("-m", "seed=0,1", "hydra.sweep.dir="),
    ("-m", "seed=0,1", "hydra.sweep.subdir="),
    ("-m", "seed=0,1", "hydra.sweep.subdir=all"),
    ("-m", "seed=0,1", "hydra.sweep.dir=~no_such_user"),
]


@pytest.mark.few(3)
@pytest.mark.parametrize("arguments", NOWHERE, ids=lambda arguments: arguments[-1][:40])
def test_a_directory_that_is_none_is_refused_by_its_option(call, arguments, tmp_path):
    code, err, plans = call(*arguments)
    assert (code, plans, err.count("\n")) == (2, [], 1)
    assert err.startswith(f"error: {arguments[-1].partition('=')[0]}")
    assert not list(tmp_path.iterdir())


def test_the_working_directory_is_a_choice(call, tmp_path):
    _, err, (plan,) = call("hydra.run.dir=.")
    assert (err, plan.directory) == ("", tmp_path)


@pytest.mark.thorough
def test_home_is_known_in_every_directory(call, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    _, err, (plan,) = call("hydra.run.dir=~/run", "compilation_cache=~/.cache/jaxgp")
    assert (err, plan.directory) == ("", tmp_path / "home" / "run")
    assert plan.config.compilation_cache == "~/.cache/jaxgp"
    _, err, plans = call("-m", "seed=0,1", "hydra.sweep.dir=~/sweep")
    assert err == ""
    assert [plan.directory for plan in plans] == [tmp_path / "home" / "sweep" / str(n) for n in range(2)]


@pytest.mark.thorough
def test_a_run_in_an_odd_directory_goes_on_by_a_pasted_line(call, tmp_path):
    _, err, (plan,) = call(f"hydra.run.dir={ODD}", f"title={ODD}")
    assert (err, plan.directory, plan.config.title) == ("", tmp_path / ODD, ODD)
    RunDirectory(plan.directory).write_config(plan.config)
    for word in (f"resume={ODD}", *shlex.split(quoting.quote_for_shell("resume", plan.directory))):
        code, err, (plan,) = call(word)
        assert (code, err, plan.resumed) == (0, "", True)
        assert (plan.directory, plan.config.title) == (tmp_path / ODD, ODD)


@pytest.mark.few(3)
@pytest.mark.parametrize("text", ["0123", "1e3", "true", "a # b", "c:\\d", "a=b", "run(1)", "$x", "null "])
def test_text_is_taken_as_it_is_written(call, text):
    _, err, (plan,) = call(f"title={text}")
    assert (err, plan.config.title) == ("", text)


@pytest.mark.thorough
def test_text_may_fill_in_other_options_but_hold_no_mark_of_them(call):
    _, _, (plan,) = call("title=run ${seed} of [x]", "seed=7")
    assert plan.config.title == "run 7 of [x]"
    for text in ("${", "a ${b", "\\${seed}", "${nothing}"):
        code, err, plans = call(f"title={text}")
        assert (code, plans, err.count("\n")) == (2, [], 1)
        assert err.startswith("error: title")


@pytest.mark.thorough
def test_several_texts_are_a_sweep(call, tmp_path):
    _, err, plans = call("title=a b,c#d,'e,f'", "hydra.sweep.dir=s w,e[e]p", "-m")
    assert (err, [plan.config.title for plan in plans]) == ("", ["a b", "c#d", "e,f"])
    assert plans[0].directory == tmp_path / "s w,e[e]p" / "0"


@pytest.mark.thorough
def test_a_member_that_has_no_directory_does_not_end_the_others(call, tmp_path):
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "1").write_text("a file")
    code, err, plans = call("seed=0,1,2", "hydra.sweep.dir=sweep", "-m")
    assert (code, [plan.config.seed for plan in plans]) == (1, [0, 2])
    assert err.splitlines() == [
        f"error: {tmp_path}/sweep/1: File exists",
        "error: 1 of 3 members of the sweep failed: 1 (seed=1)",
    ]


def test_a_launcher_that_is_missing_says_how_to_install_it(call):
    code, err, _ = call("-m", "seed=0,1", "hydra/launcher=rq")
    assert (code, err) == (2, "error: hydra/launcher=rq: not installed; pip install hydra-rq-launcher\n")


@pytest.mark.parametrize("path", ["title", "fitness.opponents.any.command", "resume", "logger.group"])
def test_options_of_text_are_known(path):
    assert compose.adapt_override(Config, f"{path}=a b").endswith("='a b'")


def test_other_options_are_read_as_hydra_reads_them():
    assert compose.adapt_override(Config, "seed=1") == "seed=1"
    assert compose.adapt_override(Config, "fitness.points=score") == "++fitness.points=score"
    assert compose.adapt_override(Config, "fitness.opponents.any.depth=3") == "fitness.opponents.any.depth=3"
    assert compose.adapt_override(Config, "game.pits=3") == "++game.pits=3"
