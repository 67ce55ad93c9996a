"""Messages name the option that is wrong, in one line of bounded length."""

import logging

import pytest

import envs
from jaxgp.config import arguments, validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.errors import LONGEST, UsageError, complain
from jaxgp.genotypes import language
from jaxgp.store.directory import RunDirectory, digest
from tests.config.conftest import CONF
from tests.scripts.commands import load

NAMED = [
    ("algorithm.kind=${nope}", "algorithm.kind: Interpolation key 'nope' not found"),
    ("algorithm.kind=[1]", "algorithm.kind=[1]: accepted: gp, cma, gates, groups, map_elites, random_search"),
    ("algorithm.kind=${game}", "algorithm.kind={'name': 'mancala'"),
    ("algorithm=${nope}", "algorithm=${nope}: accepted: the name of one choice"),
    ("game.name=${nope}", "game.name: Interpolation key 'nope' not found"),
    ("algorithm=[1,2]", "algorithm=[1,2]: accepted: the name of one choice"),
    ("hydra/launcher=[1,2]", "hydra/launcher=[1,2]: accepted: the name of one choice"),
    ("game.pits={a: 1}", "game.pits="),
    ("--info=nothing", "argument --info/-i: invalid choice: 'nothing'"),
    ("--config-dir=--", "--config-dir="),
    ("game=???", "game=???: accepted: the name of one choice"),
    ("seed=" + "9" * 5000, "seed=999"),
    ("title=" + "é" * 2000 + "${nope}", "title: Interpolation key 'nope' not found"),
    ("algorithm.population=" + "x" * 2000, "algorithm.population=xxx"),
    ("x" * 2000, "xxx"),
    ("algorithm.kind={a:1}", "algorithm.kind={'a': 1}: accepted: gp, cma, gates, groups, map_elites, random_search"),
    ("game=1", "game=1: accepted: the name of one choice"),
    ("hydra.verbose=" + "9" * 400, "hydra.verbose=999"),
    ("hydra.verbose=[a,[b]]", "hydra.verbose=[a,[b]]: accepted: true, false, or names of loggers"),
    ("hydra.job_logging=x", "hydra.job_logging: "),
    ("-sc", "--shell-completion, -sc: accepted: install=SHELL"),
]


@pytest.mark.few(7)
@pytest.mark.parametrize(("argument", "message"), NAMED, ids=[argument[:30] for argument, _ in NAMED])
def test_the_option_that_is_wrong_is_named(call, argument, message):
    for arguments_ in ([argument], ["-m", "seed=0,1", argument] if not argument.startswith("seed") else [argument]):
        code, err, plans = call(*arguments_)
        assert (code, plans, err.count("\n")) == (2, [], 1)
        assert err.startswith(f"error: {message}")
        assert len(err) <= LONGEST + 1


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("job_logging", ["hydra.job_logging.root=x"]),
        ("job_logging", ["-m", "seed=0,1", "hydra.job_logging.root=x"]),
        ("job_logging", ["hydra/job_logging=default", "hydra.job_logging.handlers.file.filename=/nowhere/x"]),
        ("hydra_logging", ["-m", "seed=0,1", "hydra.hydra_logging.root=x"]),
    ],
)
def test_logging_that_cannot_be_configured_is_refused_before_a_run(call, tmp_path, monkeypatch, section, words):
    monkeypatch.setattr(logging, "shutdown", lambda handlers: None)  # it would close the streams of these tests
    code, err, plans = call(*words)
    assert (code, plans, err.count("\n"), list(tmp_path.iterdir())) == (2, [], 1, [])
    assert err.startswith(f"error: hydra.{section}: accepted: what logging.config.dictConfig takes (")


def test_a_value_of_several_is_quoted_in_part(call):
    code, err, _ = call("hydra.verbose=1" + ",1" * 5000)
    assert code == 2
    assert err.startswith("error: hydra.verbose=1,1,")
    assert err.endswith("...: several values need -m (one run each); a list is written [a,b]\n")


def test_a_line_of_an_error_is_bounded(capsys):
    complain(UsageError("x" * 5_000_000))
    assert len(capsys.readouterr().err) == LONGEST + 1
    assert arguments.main(load("export").Options, lambda options: 0, "", ["run\n=" * 10**6]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("game", ["walls", "mancala"])
def test_a_word_of_a_champion_is_quoted_in_part(game):
    role = envs.spec(game).roles[0]
    written_in, _ = role.make(envs.make(game), role.options())
    with pytest.raises(ValueError, match="line 1, column 1: ") as refused:
        language.parse(written_in, "x" * 2000)
    assert len(str(refused.value)) < LONGEST


@pytest.mark.thorough
def test_options_of_a_run_that_goes_on_are_those_of_its_own_game(call, tmp_path):
    with Composer(Config, CONF, "config") as composer:
        saved = validate.check(composer.compose(["game=walls", "game.size=3"]), envs)
    (tmp_path / "run 1").mkdir()
    RunDirectory(tmp_path / "run 1").write_config(saved)
    code, err, (plan,) = call(
        "resume=run 1", "algorithm.stop=beaten", "algorithm.generations=2000", "algorithm.chunk=100"
    )
    assert (code, err, plan.config.game["size"], plan.config.algorithm.chunk) == (0, "", 3, 100)
    assert digest(plan.config) == digest(saved)
    said = {
        "algorithm.stop=never": "algorithm.stop=never: the run was started with beaten; this cannot be changed",
        "algorithm.elites=1": "algorithm.elites: unknown option with algorithm.kind=groups; it is one of gp",
        "+fitness.opponents.fixed.games=3": "fitness.opponents.fixed.games=3: the run was started with 1",
    }
    for argument, message in said.items():
        code, err, plans = call("resume='run 1'", argument)
        assert (code, plans) == (2, [])
        assert err.startswith(f"error: {message}")


@pytest.mark.thorough
def test_a_run_goes_on_with_the_islands_that_it_was_started_with(call, tmp_path):
    islands = ["game=mancala", "algorithm.population=64", "algorithm.islands.count=8", "algorithm.islands.migrants=1"]
    with Composer(Config, CONF, "config") as composer:
        saved = validate.check(composer.compose(islands), envs)
    (tmp_path / "run").mkdir()
    RunDirectory(tmp_path / "run").write_config(saved)
    code, err, (plan,) = call("resume=run", "algorithm.generations=2000", "devices.count=4")
    assert (code, err, plan.config.devices.count) == (0, "", 4)
    for argument, message in {
        "algorithm.islands.count=4": "algorithm.islands.count=4: the run was started with 8; this cannot be changed",
        "devices.count=3": "devices.count=3: accepted: a divisor of algorithm.islands.count=8: 1, 2, 4, 8",
    }.items():
        code, err, plans = call("resume=run", argument)
        assert (code, plans, err) == (2, [], f"error: {message}\n")
