"""Kinds of fitness: found by name, in the project and in folders outside; what was called otherwise is refused."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp import kinds
from jaxgp.config import compose, typed, validate
from jaxgp.config.cli import Command
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.genotypes.language import sizes
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.run import resume
from jaxgp.run.assemble import assemble
from jaxgp.store.directory import RunDirectory
from tests.run.toy_experiment import config

ROOT = Path(__file__).resolve().parents[2]
SHORT = '''
from dataclasses import dataclass

from jaxgp.kinds import FitnessOptions
from jaxgp.options import option


@dataclass
class ShortOptions(FitnessOptions):
    """The fewer nodes, the better, down to some."""

    kind: str = option("short", "short programs", ("short",))
    enough: int = option(3, "nodes that cost nothing", low=1, high=99)

    def make(self, config, cast, seated):
        from jaxgp.fitness.evaluation import FunctionFitness
        from jaxgp.genotypes.language import sizes

        assert not seated
        return FunctionFitness(lambda key, population: -abs(sizes(population) - self.enough))
'''


def test_kinds_are_found_by_the_names_of_their_modules_the_default_first():
    found = kinds.FitnessOptions.kinds.all()
    assert list(found) == [
        "panel",
        "coplay",
        "decisions",
        "elimination",
        "groups",
        "lessons",
        "own_play",
        "proofs",
        "rollout",
        "solo",
        "suite",
    ]
    assert all(kind().kind == name for name, kind in found.items())
    assert found["panel"] is PanelFitnessOptions is type(Config().fitness)


def test_algorithms_are_found_in_the_same_way():
    found = GPOptions.kinds.all()
    assert next(iter(found.items())) == ("gp", GPOptions)
    assert {"gp", "groups", "cma"} <= set(found) == set(typed.variants(Config)["algorithm"])
    assert GPOptions.evolving("rules") == ["groups"]


def test_no_option_of_a_kind_switches_it_off():
    for name, kind in kinds.FitnessOptions.kinds.all().items():
        assert kind(kind=name) == kind()
        assert [one for one in dataclasses.fields(kind) if one.name in kinds.FitnessOptions.kinds.all()] == []


def test_options_are_read_without_jax():
    options = "import jaxgp.config.schema as s; s.Config(); s.FitnessOptions.kinds.all()"
    code = f"{options}; import sys; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ({"coplay": 50}, "fitness.coplay=50: accepted: fitness.kind=coplay fitness.games=50, as it is called now"),
        ({"coplay_weight": 2.0}, "fitness.coplay_weight=2.0: accepted: fitness.weight=2.0 with fitness.kind=coplay, "),
        ({"elimination": 4}, "fitness.elimination=4: accepted: fitness.kind=elimination fitness.games=4, "),
        ({"lessons": {"drawn": 8}}, "fitness.lessons.drawn=8: accepted: fitness.drawn=8 with fitness.kind=lessons, "),
        ({"suite": {"boards": 8}}, "fitness.suite.boards=8: accepted: fitness.boards=8 with fitness.kind=suite, "),
        ({"suite": {"name": "JAM"}}, "fitness.suite.name=JAM: accepted: fitness.instances=JAM with fitness.kind=suite"),
        (
            {"suite": {"problems": {"population": 9}}},
            "fitness.suite.problems.population=9: accepted: fitness.problems.population=9 with fitness.kind=suite, ",
        ),
    ],
)
def test_an_old_name_is_refused_with_the_new_one(old, said):
    with pytest.raises(UsageError) as raised:
        typed.make_options(Config, {"fitness": old}, complete=False)
    assert str(raised.value).startswith(said)


def test_new_names_of_old_ones_exist():
    for old, new in kinds.RENAMED.items():
        words = [word.partition("=")[0::2] for word in new.replace(" with", "").split()]
        kind = kinds.FitnessOptions.kinds.all()[dict(words)["fitness.kind"]]
        inner = kind
        *path, last = next(name for name, _ in words if name != "fitness.kind").removeprefix("fitness.").split(".")
        for part in path:
            inner = type(getattr(inner(), part))
        assert last in {one.name for one in dataclasses.fields(inner)}, old


def test_an_option_of_another_kind_is_refused_with_the_kinds_that_have_it():
    with pytest.raises(UsageError) as raised:
        typed.make_options(Config, {"fitness": {"kind": "solo", "guides": {}}}, complete=False)
    assert str(raised.value) == (
        "fitness.guides: unknown option with fitness.kind=solo; it is one of coplay; "
        "accepted: kind, scale, parsimony, minimum"
    )


def test_a_run_of_a_version_without_kinds_is_refused_in_one_line(tmp_path):
    (tmp_path / "config.yaml").write_text("game: {name: mancala}\nfitness: {coplay: 0, scale: 1.0}\n")
    with pytest.raises(UsageError, match=r"of a version whose fitness had no kind; .* but not its run$"):
        RunDirectory(tmp_path).read_config()


@pytest.fixture
def outside(tmp_path):
    """A folder with a kind of fitness, which is forgotten again."""
    folder = tmp_path / "short"
    folder.mkdir()
    (folder / "__init__.py").write_text(SHORT)
    yield folder
    forget()


def forget():
    kinds.FitnessOptions.kinds._outside.clear()
    kinds.FitnessOptions.kinds.folders.clear()
    sys.modules.pop("jaxgp_outside_short", None)


def test_a_kind_in_a_folder_outside_is_as_good_as_one_of_the_project(outside):
    placed = compose.name_folder([f"fitness.kind={outside}", "fitness.enough=4"], envs)
    assert placed.overrides == ["fitness.kind=short", "fitness.enough=4"]
    made = typed.make_options(Config, {"fitness": {"kind": "short", "enough": 4}}, complete=False).fitness
    small = dataclasses.replace(config(), fitness=made)
    small.algorithm.selection.method = "tournament"
    ring = assemble(validate.check(small, envs), envs).ring
    state = jax.jit(ring.init)(jax.random.key(0))
    found, _ = ring.fitness.evaluate(jax.random.key(1), state.population, state.memory)
    np.testing.assert_array_equal(found.fitness, -jnp.abs(sizes(state.population) - 4))


def test_a_kind_outside_has_none_of_the_options_that_a_file_gives_another_kind(outside):
    with compose.Composer(Config, ROOT / "conf", "config") as composer:
        given = compose.name_folder([f"fitness.kind={outside}", "fitness.enough=4"], envs).overrides
        assert dataclasses.asdict(composer.compose(given).fitness).keys() == {
            "kind",
            "scale",
            "parsimony",
            "minimum",
            "enough",
        }


def test_a_sweep_may_name_kinds_outside_beside_others_and_a_command_is_shown_as_it_was_typed(outside):
    placed = compose.name_folder([f"fitness.kind=solo,{outside}", "seed=0,1"], envs, sweep=True)
    assert placed.overrides == ["fitness.kind=solo,short", "seed=0,1"]
    assert placed.kinds == (("fitness.kind", outside),)
    assert resume.command(["fitness.kind=short", "seed=1"], envs).endswith(f" fitness.kind={outside} seed=1")


def test_a_member_of_a_sweep_in_another_process_takes_its_kinds_from_their_folders(outside):
    """Launchers send the command to the process, or to the job of SLURM, as cloudpickle writes it."""
    cloudpickle = pytest.importorskip("cloudpickle")
    command = Command(Config, envs, lambda *_: None, lambda *_: 0, lambda *_: "")
    command.kinds = compose.name_folder([f"fitness.kind={outside}"], envs).kinds
    sent = cloudpickle.dumps(command)
    forget()
    assert cloudpickle.loads(sent).kinds == command.kinds
    assert kinds.FitnessOptions.kinds.all()["short"]().enough == 3


def test_a_run_of_a_kind_outside_is_resumed_where_its_folder_is_typed_and_never_says_where_it_is(tmp_path, outside):
    compose.name_folder([f"fitness.kind={outside}"], envs)
    directory = RunDirectory(tmp_path / "run")
    directory.path.mkdir()
    directory.write_config(typed.make_options(Config, {"fitness": {"kind": "short"}}, complete=False))
    assert str(outside) not in directory.config.read_text()
    forget()
    said = r"fitness\.kind=short: accepted: panel, .*; of a kind outside .* its folder .*: fitness\.kind=path/to/short$"
    with pytest.raises(UsageError, match=said):
        directory.read_config()
    compose.name_folder([f"fitness.kind={outside}"], envs)
    assert directory.read_config().fitness.kind == "short"


def test_a_folder_without_a_kind_of_its_name_is_refused(tmp_path, outside):
    with pytest.raises(UsageError, match=r"^fitness.kind=.*/none: accepted: panel, coplay, .* a folder with an __init"):
        compose.name_folder([f"fitness.kind={tmp_path / 'none'}"], envs)
    other = outside.rename(tmp_path / "shorter")
    with pytest.raises(UsageError, match=r"has a dataclass of options with the kind shorter, as the folder is; names"):
        compose.name_folder([f"fitness.kind={other}"], envs)
