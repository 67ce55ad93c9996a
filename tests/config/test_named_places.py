"""What a file may not name: places that code is loaded from, engines, and what is written or called outside a run.

Such options come from the command line and from `conf/` alone. Each file that others may send is tried here.
"""

import json
import shlex
from pathlib import Path

import pytest
from omegaconf import OmegaConf

import envs
from jaxgp import options
from jaxgp.config.compose import Composer
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.host import savedgame
from jaxgp.run import resume
from jaxgp.store.directory import RunDirectory
from jaxgp.study import design
from jaxgp.study.designs import planning
from jaxgp.study.study_options import DesignOptions
from tests.config.conftest import CONF

OWN = ["table", "devices.coordinator", "compilation_cache"]


@pytest.fixture
def folder(tmp_path):
    """A package that leaves a trace where it is imported."""
    made = tmp_path / "trap"
    made.mkdir()
    (made / "__init__.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()\n")
    yield made
    assert not (tmp_path / "sprung").exists(), "code of the folder was run"


@pytest.fixture
def run(call):
    """The directory of a run, and how to change a value in its config.yaml."""
    _, _, (plan,) = call("hydra.run.dir=run", "compilation_cache=null")
    directory = RunDirectory(plan.directory)
    directory.write_config(plan.config)

    def change(option, value):
        content = OmegaConf.load(directory.config)
        OmegaConf.update(content, option, value, force_add=True)
        directory.config.write_text(OmegaConf.to_yaml(content))

    return change


def test_every_option_that_is_a_path_is_for_the_command_line():
    assert options.own(Config) == OWN
    paths = [one.name for one in options.list_options(Config) if one.limits.path]
    assert set(paths) - set(OWN) == {"resume"}, "a new path: may a file of a run name it?"


@pytest.mark.thorough
def test_a_run_that_is_resumed_takes_these_options_from_the_command_line_alone(call, run, tmp_path):
    for option in OWN:
        run(option, str(tmp_path / "evil"))
    _, _, (plan,) = call("resume=run")
    assert (plan.config.table, plan.config.devices.coordinator) == (None, None)
    assert plan.config.compilation_cache == Config().compilation_cache
    _, _, (plan,) = call("resume=run", "compilation_cache=mine", "table=mine.csv")
    assert (plan.config.table, plan.config.compilation_cache) == ("mine.csv", "mine")
    assert RunDirectory(tmp_path / "run").read_config().table is None, "nor does anything else read them"


def test_the_way_to_go_on_repeats_them_as_they_were_typed(call):
    _, _, (plan,) = call("hydra.run.dir=run", "compilation_cache=null", "table='my rows.csv'")
    words = shlex.split(resume.again(plan.config, Path("run")))
    assert words == ["resume=run", "table=my rows.csv", "compilation_cache=null"]
    assert resume.again(Config(), Path("run")) == "resume=run"


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("game.name", "{}", "game.name={}: accepted: backgammon, checkers"),
        ("fitness.kind", "{}", "fitness.kind={}: accepted: panel"),
        ("algorithm.kind", "{}", "algorithm.kind={}: accepted: gp"),
        ("fitness.opponents.x", {"kind": "{}"}, "fitness.opponents.x.kind={}: accepted: "),
        ("fitness.opponents.x", {"kind": "engine", "command": "sh {}"}, "fitness.opponents.x.kind=engine: accepted: "),
        ("hydra.searchpath", ["{}"], "hydra: unknown option"),
        ("_target_", "os.system", "_target_: unknown option"),
    ],
)
def test_a_configuration_of_a_run_names_no_code(call, run, folder, option, value, said):
    run(option, json.loads(json.dumps(value).replace("{}", str(folder))))
    code, err, plans = call("resume=run")
    assert (code, plans, err.count("\n")) == (2, [], 1)
    assert said.replace("{}", str(folder))[:60] in err


REFUSED = [
    "compilation_cache={}", "++compilation_cache={}", "devices.coordinator=evil:1", "table={}", "resume={}",
    "hydra.searchpath=[{}]", "+hydra.callbacks.x._target_=os.system", "++hydra.launcher._target_=x", "hydra/launcher=x",
    "game={}", "experiment=../../{}", "+experiment={}", "algorithm=../x", "--config-dir={}", "game@hydra.x={}",
    "../../x=y", "fitness.kind={}", "+fitness.opponents.x.kind={}",
]  # fmt: skip


@pytest.mark.few(4)
@pytest.mark.parametrize("written", REFUSED)
def test_a_design_names_no_place(folder, tmp_path, monkeypatch, written):
    word = written.replace("{}", str(folder))
    name, _, value = word.partition("=")
    other = value.replace(str(folder), "other")
    given = [
        {"base": ["game=mancala", word], "groups": {"a": [], "b": []}},
        {"base": ["game=mancala"], "groups": {"a": [word], "b": []}},
        {"base": ["game=mancala"], "factors": {"x": {"levels": ["a", "b"], "options": {name: [value, other + "2"]}}}},
    ]
    monkeypatch.chdir(tmp_path)
    for content in given:
        file = tmp_path / "design.yaml"
        file.write_text(json.dumps({**content, "replicates": 3}))
        with pytest.raises(UsageError):
            planning.plan_design(DesignOptions(design="design.yaml"), CONF, envs)
    assert not list(tmp_path.glob("outputs"))


def test_what_a_command_line_adds_to_a_design_is_not_kept_in_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Composer, "compose", lambda self, words: seen.append(words) or Config())
    monkeypatch.setattr(planning.validate, "check", lambda config, games: config)
    seen: list = []
    asked = DesignOptions(base=["game=mancala", "compilation_cache=null"], groups={"a": [], "b": []})
    plan = planning.plan_design(asked, CONF, envs)
    assert seen[0] == ("game=mancala", "compilation_cache=null")
    assert "compilation_cache" not in str(plan.design.as_dict())
    assert all(" compilation_cache=null " in line for line in planning.commands(plan))
    with pytest.raises(UsageError, match="any option but compilation_cache"):
        design.read({"base": ["compilation_cache=x"], "groups": {"a": [], "b": []}})


def test_champions_and_saved_games_name_no_folder(folder, tmp_path):
    saved = tmp_path / "game.json"
    content = {"format": savedgame.FORMAT, "format_version": 2, "game": {"name": str(folder)}, "rules": "1"}
    saved.write_text(json.dumps({**content, "players": ["a", "b"], "finished": False, "score": [], "moves": []}))
    with pytest.raises(UsageError, match=r"game\.name="):
        savedgame.read(str(saved), envs)
    with pytest.raises(UsageError, match=r"game\.name="):
        cast_of(Config(game={"name": str(folder)}), envs)  # as champions are read
