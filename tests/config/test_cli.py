"""The command line in process: mistakes, choices, sweeps and resuming."""

import os
import signal
from dataclasses import asdict

import pytest
from omegaconf import OmegaConf

import envs
from jaxgp.config import cli, typed, validate
from jaxgp.config.schema import Config
from jaxgp.errors import RunError
from jaxgp.evolution.options import GroupsOptions
from jaxgp.operators.options import SelectionOptions
from jaxgp.options import departures
from jaxgp.run import resume
from jaxgp.seats.options import opponent
from jaxgp.store.directory import RunDirectory, digest
from tests.config.conftest import CONF, describe

BAD = [
    ("algorithm.population=abc", "algorithm.population=abc: accepted: a whole number"),
    ("algorithm.population=null", "algorithm.population=null: accepted: a whole number"),
    ("algorithm.population=1.5", "algorithm.population=1.5: accepted: a whole number"),
    ("algorithm.population=0", "algorithm.population=0: accepted: a whole number from 1"),
    ("algorithm.max_depth=x", "algorithm.max_depth=x: accepted: a whole number from 1 to 1000, or null"),
    ("game.extra_turn=x", "game.extra_turn=x: accepted: true or false"),
    ("algorithm.creation=abc", "algorithm.creation=abc: accepted: options below it: method"),
    ("logger.tags=x", "logger.tags=x: accepted: a list"),
    ("fitness.opponents.minimax=null", "fitness.opponents.minimax=null: accepted: options below it: kind"),
    ("algorithm.populaton=3", "algorithm.populaton: unknown option; did you mean algorithm.population? accepted: "),
    ("+algorithm.populaton=3", "algorithm.populaton: unknown option; did you mean algorithm.population? accepted: "),
    ("sed=3", "sed: unknown option; did you mean seed? accepted: game, program"),
    ("+sed=3", "sed: unknown option; did you mean seed? accepted: game, program"),
    ("game.pitz=3", "game.pitz: unknown setting of mancala; accepted: pits, "),
    ("+fitness.opponents.x.knd=random", "fitness.opponents.x.knd: unknown option; did you mean "),
    (
        "fitness.opponents.minimax.weight=2",
        "fitness.opponents.minimax.weight: not set yet; with a plus sign it is added: +",
    ),
    ("fitness.opponents.x.kind=random", "fitness.opponents.x: there is none; to add it, write options as +fitness"),
    ("~fitness.opponents.minimax", "fitness.opponents={}: accepted: at least one opponent"),
    ("~seed", "~seed: an option cannot be removed"),
    (
        "game=shogi",
        "game=shogi: unknown choice; accepted: backgammon, checkers, chess, freecell, lose_checkers, mancala",
    ),
    (
        "experiment=none",
        "experiment=none: unknown choice; accepted: backgammon_coevolution, backgammon_few_gates, backgammon_gates, ",
    ),
    ("+experiment=mancala_run1", "Multiple values for experiment; write it without the +"),
    ("algorithm=3", "algorithm=3: accepted: the name of one choice"),
    ("seed=1,2", "seed=1,2: several values need -m"),
    ("seed", "seed: not an option; write option=value"),
    ("logger.tags={", "logger.tags={: not an option; write option=value"),
    ("game.pits=[3", "game.pits=[3: not an option; write option=value"),
    ("program.depth={", "program.depth={: not an option; write option=value"),
    ("title='${'", "title: "),
    ("title=${nothing}", "title: Interpolation key 'nothing' not found"),
    ("--colour", "unrecognized arguments: --colour"),
    ("--config-dir=nowhere", "--config-dir=nowhere: no such directory"),
    ("hydra.spam=1", "hydra.spam: unknown option of Hydra"),
    ("hydra/launcher=none", "hydra/launcher=none: unknown choice; accepted: basic, example_cluster, joblib"),
    ("resume=nowhere", "no such run directory; accepted: a run directory, or auto"),
    ("resume=.", "not a run directory"),
]


@pytest.mark.few(15)
@pytest.mark.parametrize(("argument", "message"), BAD, ids=[argument for argument, _ in BAD])
def test_mistakes_are_one_line_and_exit_code_2(call, argument, message, tmp_path):
    code, err, plans = call(argument)
    assert code == 2
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert not plans
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_no_options_run_the_second_experiment_of_the_study_with_its_documented_extras(call, tmp_path):
    code, err, (plan,) = call()
    assert (code, err) == (0, "")
    assert plan.directory.is_relative_to(tmp_path / "outputs" / "mancala")
    _, _, (named,) = call("experiment=mancala_run2")
    assert plan.config.algorithm.selection.sharing == 1.0
    assert plan.config.fitness.win_bonus == 10.0
    study = named.config
    study.fitness.win_bonus = 10.0
    study.algorithm.selection = SelectionOptions(power=4.0, sharing=1.0, sharing_memory=0.99, by_case=0.5)
    study.algorithm.capacity = 256
    assert asdict(study) | {"title": ""} == asdict(plan.config)
    assert plan.config.fitness.scale == 100
    assert plan.config.fitness.opponents["minimax"].depth == 8


def test_a_game_brings_its_algorithm_and_its_fitness(call):
    _, _, (plan,) = call("game=walls", "game.size=7", "algorithm.population=50", "algorithm.immigrants=0")
    config = plan.config
    assert isinstance(config.algorithm, GroupsOptions)
    assert (config.game["size"], config.algorithm.population, config.algorithm.group_size) == (7, 50, 5)
    assert config.fitness.opponents["fixed"].kind == "strategy"
    _, _, (plan,) = call("experiment=walls_written")
    assert plan.config.algorithm.creation.dont_care is None
    _, _, (plan,) = call("game=mancala", "algorithm=gp")
    assert asdict(plan.config.algorithm)["kind"] == "gp"


WALLS = [
    (
        "algorithm.elites=1",
        "algorithm.elites: unknown option with algorithm.kind=groups; it is one of gp",
    ),
    (
        "algorithm.creation.max_rulez=4",
        "unknown option; did you mean algorithm.creation.max_rules? accepted: min",
    ),
    ("algorithm.kind=tabu", "algorithm.kind=tabu: accepted: gp, cma, gates, groups"),
    ("algorithm=gp", "algorithm.kind=gp: accepted: groups, for game=walls"),
    (
        "algorithm=tabu",
        "algorithm=tabu: unknown choice; accepted: backgammon, chess, chess_truth, cma, coevolution, gates, genetic, "
        "gp, groups, koza, ",
    ),
    ("~algorithm.stop", "~algorithm.stop: an option cannot be removed"),
    ("algorithm.population=1001", "a multiple of algorithm.group_size=5, such as 1000 or 1005"),
    ("algorithm.population=ten", "algorithm.population=ten: accepted: a whole number"),
    ("program.mask=7", "program.mask=7: accepted: an odd number from 3 to 5"),
    ("game.size=4", "game.size=4: accepted: an odd number"),
    ("fitness.opponents.fixed.name=best", "fitness.opponents.fixed.name=best: accepted: fixed"),
]


@pytest.mark.few(4)
@pytest.mark.parametrize(("argument", "message"), WALLS, ids=[argument for argument, _ in WALLS])
def test_mistakes_in_a_variant_name_its_own_options(call, argument, message, tmp_path):
    code, err, plans = call("game=walls", argument)
    assert (code, plans, err.count("\n")) == (2, [], 1)
    assert message in err
    assert not list(tmp_path.iterdir())


def test_mistakes_beside_programs_that_a_run_begins_with_are_named_in_full(call):
    given = [
        "game=mancala",
        "algorithm.population=10",
        "algorithm.islands.count=3",
        "algorithm.initial=['(VALUE_AT 0)']",
    ]
    _, err, _ = call(*given)
    assert "error: algorithm.population=10: accepted: a multiple of algorithm.islands.count=3" in err


@pytest.mark.parametrize("name", sorted(path.stem for path in (CONF / "algorithm").glob("*.yaml")))
def test_every_algorithm_lists_all_its_options(name):
    """Hydra shows and removes only what a file lists."""
    given = OmegaConf.load(CONF / "algorithm" / f"{name}.yaml")
    if "defaults" in given:
        return
    variant = typed.variants(Config)["algorithm"][given.kind]
    assert not set(_names(asdict(variant()))) ^ set(_names(OmegaConf.to_container(given)))


def _names(section, prefix=""):
    for name, value in section.items():
        yield from _names(value, f"{prefix}{name}.") if isinstance(value, dict) else [prefix + name]


def test_the_first_experiment_has_no_price_on_nodes(call):
    _, _, (plan,) = call("experiment=mancala_run1")
    fitness = plan.config.fitness
    assert (fitness.scale, fitness.parsimony, fitness.minimum) == (1, 0, None)
    assert plan.config.algorithm.capacity == 1024


def test_options_of_one_s_own(call, tmp_path):
    arguments = ["+fitness.opponents.easy.kind=random", "logger.tags=[a,b]", "seed=4", "hydra.run.dir=here"]
    _, _, (plan,) = call("game.pits=4", "algorithm.max_depth=19", *arguments)
    assert plan.config.game["pits"] == 4
    assert plan.config.algorithm.max_depth == 19
    assert plan.config.fitness.opponents["easy"].kind == "random"
    assert plan.config.logger.tags == ["a", "b"]
    assert plan.directory == tmp_path / "here"
    assert list(plan.directory.iterdir()) == [], "Hydra itself writes nothing"


def test_a_sweep_runs_every_job_in_its_own_directory(call, tmp_path):
    code, err, plans = call("-m", "seed=0,1", "game.pits=3", "hydra.sweep.dir=sweep")
    assert (code, err) == (0, "")
    assert [(plan.config.seed, plan.config.game["pits"]) for plan in plans] == [(0, 3), (1, 3)]
    assert [plan.directory for plan in plans] == [tmp_path / "sweep" / str(number) for number in range(2)]


@pytest.mark.few(1)
@pytest.mark.parametrize("bad", ["seed=1,x", "algorithm.population=4,0", "game=mancala,shogi", "sed=1,2"])
def test_one_bad_job_of_a_sweep_stops_all_before_the_first(call, bad, tmp_path):
    code, err, plans = call("-m", bad)
    assert code == 2
    assert err.count("\n") == 1
    assert not plans
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("given", ["seed=0,0", "title=a b,c,a b", "game.pits=3,4,3"])
def test_a_value_that_a_sweep_has_twice_is_refused(call, given, tmp_path):
    code, err, plans = call("-m", given)
    assert (code, plans, list(tmp_path.iterdir())) == (2, [], [])
    assert err == f"error: {given}: accepted: each value once, since equal runs are one\n"


@pytest.mark.thorough
def test_the_worst_exit_code_of_a_sweep_counts(call):
    def task(plan):
        if plan.config.seed == 0:
            raise RunError("the disk\nis full")
        return 0

    code, err, plans = call("-m", "seed=0,1", task=task)
    assert (code, err, len(plans)) == (
        1,
        "error: the disk is full\nerror: 1 of 2 members of the sweep failed: 0 (seed=0)\n",
        2,
    )


def test_a_directory_that_cannot_be_written_is_named(call, tmp_path):
    (tmp_path / "file").write_text("")
    code, err, plans = call("hydra.run.dir=file/run")
    assert (code, plans) == (2, [])
    assert err.startswith(f"error: hydra.run.dir={tmp_path}/file/run: cannot be written to (")


@pytest.mark.thorough
def test_a_stop_ends_a_sweep_with_its_code(call):
    def task(plan):
        raise SystemExit(130)

    code, _, plans = call("-m", "seed=0,1", task=task)
    assert (code, len(plans)) == (130, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_members_ends_a_sweep_and_says_how_to_go_on(call, number):
    def task(plan):
        os.kill(os.getpid(), number)
        return 0

    code, err, plans = call("-m", "seed=0,1,2", task=task)
    assert (code, len(plans), err) == (128 + number, 1, "stopped\n")


def started(path, seed=0):
    """A directory in which a run was started."""
    path.mkdir()
    config = Config(seed=seed, **OmegaConf.to_container(OmegaConf.load(CONF / "game" / "mancala.yaml")))
    config.fitness.opponents["minimax"] = opponent(depth=8)
    RunDirectory(path).write_config(validate.check(config, envs))


def test_a_run_can_go_on_with_more_generations(call, tmp_path):
    started(tmp_path / "run", seed=7)
    arguments = ["algorithm.generations=300", "logger=disabled", "checkpoint_every=5", "seed=7", "game=mancala"]
    code, err, (plan,) = call("resume=run", *arguments)
    assert (code, err) == (0, "")
    assert plan.resumed
    assert plan.directory == tmp_path / "run"
    assert (plan.config.seed, plan.config.algorithm.generations) == (7, 300)
    assert (plan.config.logger.mode, plan.config.checkpoint_every) == ("disabled", 5)
    assert plan.config.logger.project == "jaxgp"
    assert {path.name for path in tmp_path.iterdir()} == {"run"}


@pytest.mark.thorough
def test_members_of_a_sweep_are_one_group_also_when_resumed(call, tmp_path):
    def logger(plan):
        return plan.config.logger.group, plan.config.logger.job_type

    code, err, plans = call("-m", "seed=1,2", "hydra.sweep.dir=outputs/2026-01-02/03-04-05", "logger.tags=[x]")
    assert (code, err) == (0, "")
    assert [logger(plan) for plan in plans] == [("2026-01-02/03-04-05", "sweep")] * 2
    RunDirectory(tmp_path / "member").path.mkdir()
    RunDirectory(tmp_path / "member").write_config(plans[1].config)
    _, _, (resumed,) = call("resume=member", "logger=online")
    assert logger(resumed) == ("2026-01-02/03-04-05", "sweep")
    _, _, (alone,) = call("seed=3")
    assert logger(alone) == (None, None)


CONFLICTS = [
    ("seed=3", "seed=3: the run was started with 7"),
    ("algorithm.generations=10", "algorithm.generations=10: the run has 150; accepted: 150 or more"),
    ("game.pits=3", "game.pits=3: the run was started with 6"),
    ("fitness.opponents.minimax.depth=3", "fitness.opponents.minimax.depth=3: the run was started with 8"),
    ("+fitness.opponents.x.kind=random", "fitness.opponents.x.kind=random: the run was started without it"),
    ("experiment=mancala_run2", "algorithm.creation.terminal_probability=0.5: the run was started with null"),
    ("algorithm.selection.method=rank", "algorithm.selection.method=rank: the run was started with roulette"),
]


@pytest.mark.few(3)
@pytest.mark.parametrize(("argument", "message"), CONFLICTS, ids=[argument for argument, _ in CONFLICTS])
def test_a_run_cannot_become_another(call, tmp_path, argument, message):
    started(tmp_path / "run", seed=7)
    code, err, plans = call("resume=run", argument)
    assert (code, plans) == (2, [])
    assert message in err
    assert err.count("\n") == 1


def test_auto_starts_or_goes_on(call, tmp_path):
    _, _, (plan,) = call("resume=auto", "hydra.run.dir=run", "seed=7")
    assert not plan.resumed
    RunDirectory(tmp_path / "run").write_config(plan.config)
    _, _, (plan,) = call("resume=auto", "hydra.run.dir=run", "seed=7")
    assert plan.resumed
    assert plan.config.resume is None
    code, err, _ = call("hydra.run.dir=run", "seed=7")
    assert code == 2
    assert "already holds a run" in err


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed: [", "cannot be read"),
        ("- 1", "not a configuration"),
        ("", "not a configuration"),
        ("seed: 3", "not a configuration"),
        ("seed: abc", "config.yaml"),
    ],
)
def test_a_config_that_was_edited_into_nonsense(call, tmp_path, text, message):
    started(tmp_path / "run")
    (tmp_path / "run" / "config.yaml").write_text(text)
    code, err, plans = call("resume=run")
    assert (code, plans, err.count("\n")) == (2, [], 1)
    assert message in err


def test_a_value_of_a_run_s_own_config_is_blamed_on_the_file(call, tmp_path):
    started(tmp_path / "run", seed=7)
    path = tmp_path / "run" / "config.yaml"
    path.write_text(path.read_text().replace("seed: 7", f"seed: {10**20}"))
    accepted = "accepted: a whole number from 0 to 4294967295"
    for given in ((), ("logger=disabled",)):
        code, err, plans = call("resume=run", *given)
        assert (code, plans, err) == (2, [], f"error: {path}: seed={10**20}: {accepted}\n")
    path.write_text(path.read_text().replace(f"seed: {10**20}", "seed: 7"))
    assert call("resume=run", "checkpoint_every=-1")[1].startswith("error: checkpoint_every=-1: ")


def test_a_run_of_an_earlier_version_has_the_defaults_of_options_that_it_does_not_know(call, tmp_path):
    started(tmp_path / "run", seed=7)
    path = tmp_path / "run" / "config.yaml"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "one_point" not in line and "table:" not in line))
    _, err, (plan,) = call("resume=run")
    assert (err, plan.config.seed, plan.config.table) == ("", 7, None)
    assert plan.config.algorithm.crossover.one_point == 0


def test_the_digest_of_a_configuration_leaves_out_what_has_its_default():
    assert digest(Config(seed=7)) == digest(Config(seed=7, title="a run", cores=3))
    assert digest(Config(seed=7)) != digest(Config(seed=8))
    assert digest(Config()) != digest(Config(algorithm=GroupsOptions()))
    assert departures(Config()) == {}
    assert departures(GroupsOptions()) == {"kind": "groups"}
    changed = Config(seed=7, game={"name": "walls", "size": 5})
    changed.fitness.opponents["first"] = opponent(depth=3)
    changed.algorithm.crossover.probability = 0.5
    assert departures(changed) == {
        "seed": 7,
        "game": {"name": "walls", "size": 5},
        "fitness": {"kind": "panel", "opponents": {"first": {"kind": "search", "depth": 3}}},
        "algorithm": {"kind": "gp", "crossover": {"probability": 0.5}},
    }


def test_what_is_shown_is_checked(call):
    code, err, _ = call("--cfg", "job", "seed=abc")
    assert (code, err) == (2, "error: seed=abc: accepted: a whole number from 0 to 4294967295\n")


def test_ctrl_c_before_the_first_generation_is_no_traceback(call):
    def task(plan):
        raise KeyboardInterrupt

    code, err, _ = call(task=task)
    assert (code, err) == (130, "stopped\n")


def test_help_lists_groups_and_the_options_of_the_game_too(call, tmp_path, capsys):
    command = cli.Command(Config, envs, resume.plan, lambda plan, games: 0, describe)
    with pytest.raises(SystemExit) as ended:
        cli.main(command, CONF, "config", ["--help", "game=othello", "program.role=leaf", "algorithm.population=33"])
    out = capsys.readouterr().out
    assert not ended.value.code
    for lines in (
        "  experiment\n      backgammon_coevolution, backgammon_few_gates, backgammon_gates,",
        "  game.size=8\n      squares on each side of the board [4, 6, 8, 10]\n",
        "  program.role=leaf\n      move: a program values the position after every move\n      leaf: ",
        "  program.depth=1\n      plies of the search whose leaves a program values [a whole number from 1 to 12]\n",
        "  algorithm.population=33\n      individuals of a generation [a whole number from 1 to 1000000]\n",
        "    fitness.opponents.NAME.ties=first\n        which of the best moves is played [first | random]\n",
        "  seed=0\n",
    ):
        assert lines in out
    assert max(map(len, out.splitlines())) <= 120
    with pytest.raises(SystemExit) as ended:
        cli.main(command, CONF, "config", ["--help", "program.role=nobody"])
    assert (ended.value.code, capsys.readouterr().err) == (2, "error: program.role=nobody: accepted: program, leaf\n")
    with pytest.raises(SystemExit):
        cli.main(command, CONF, "config", ["--cfg", "job", "seed=9"])
    assert "seed: 9" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


RULES = """
import dataclasses
from types import SimpleNamespace

from envs.mancala.rules import Mancala

class Sown(Mancala):
    name = "sown"

def spec():
    import envs
    return dataclasses.replace(envs.spec("mancala"), rules=Sown)
"""


@pytest.mark.thorough
def test_a_game_in_a_folder_outside_brings_its_own_files(call, tmp_path, capsys):
    folder = tmp_path / "games" / "sown"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(RULES)
    _, err, (plan,) = call("game=games/sown", "game.pits=3", "hydra.run.dir=run")
    assert err == ""
    assert plan.config.game | {"name": "sown", "pits": 3, "stones": 4} == plan.config.game
    assert plan.config.program["role"] == "program"
    RunDirectory(tmp_path / "run").write_config(plan.config)
    _, err, (plan,) = call("game=games/sown", "resume=run", "algorithm.generations=300")
    assert (err, plan.resumed, plan.config.game["name"]) == ("", True, "sown")
    code, err, _ = call("resume=run")
    assert (code, err.count("\n")) == (2, 1), "no file makes the folder be imported"
    assert "game.name=sown: accepted: backgammon, checkers, chess, freecell, mancala" in err
    (folder / "conf" / "game").mkdir(parents=True)
    (folder / "conf" / "game" / "sown.yaml").write_text(
        "# @package _global_\ndefaults:\n  - override /fitness: minimax\ngame: {name: sown, stones: 3}\nseed: 5\n"
    )
    _, err, plans = call("-m", f"game={folder},mancala", "game.pits=3", "hydra.sweep.dir=sweep")
    assert err == ""
    assert [(plan.config.game["name"], plan.config.game["stones"]) for plan in plans] == [("sown", 3), ("mancala", 4)]
    assert (plans[0].config.seed, plans[0].config.fitness.win_bonus) == (5, 0.0)
    code, err, _ = call("game=games/nothing")
    assert (code, err.count("\n")) == (2, 1)
    assert "error: game=games/nothing: accepted: the name of a game, or a folder with an __init__.py" in err
    code, err, _ = call("game=sown")
    assert (
        "game=sown: unknown choice; accepted: backgammon, checkers, chess, freecell, lose_checkers, mancala, mate, "
        "morpion, othello, rars, robocode, rush_hour, walls" in err
    )


@pytest.mark.thorough
def test_directories_are_named_by_the_options_as_they_were_typed(call):
    words = (
        "game.pits=3",
        "game.stones=1,2",
        "hydra.sweep.dir=sweep",
        "hydra.sweep.subdir=${hydra.job.override_dirname}",
    )
    code, _, plans = call("-m", *words)
    assert code == 0
    assert sorted(plan.directory.name for plan in plans) == ["game.pits=3,game.stones=1", "game.pits=3,game.stones=2"]
