"""The real Robocode: what it tells is read rightly, and whatever a virtual machine does, nothing is left of it.

Tests with a pretended virtual machine need no Java; the slow ones need the real engine.
"""

import os
import stat
import sys
import tempfile
import textwrap

import jax
import numpy as np
import pytest

from envs.robocode.language import Options, primitive_set
from envs.robocode.real import engine, export, original
from envs.robocode.real.engine import Arena, Battle
from envs.robocode.rules import Robocode
from jaxgp.errors import RunError, UsageError
from jaxgp.export.export import Written
from jaxgp.genotypes.language import parse
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.processes import child, descendants

real = pytest.mark.skipif(bool(engine.missing()), reason=engine.missing())
WALLS, SPIN = "sample.Walls", "sample.SpinBot"
LANGUAGE = primitive_set(Options())


@pytest.fixture(autouse=True)
def nothing_left(monkeypatch, tmp_path):
    """Temporary folders go to a folder that is empty after the test; no new descendant of this process is left."""
    before = descendants.sessions()
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []
    assert descendants.sessions() <= before  # every engine has a session of its own; other tests may have left some


@pytest.fixture
def pretended(monkeypatch, tmp_path):
    """Return what puts a virtual machine in the place of Java's, given what it does with each battle in Python."""

    def put(battle, begin="print('engine 1.9.3.9', flush=True)"):
        programs = tmp_path / "programs"
        programs.mkdir()
        text = f"#!{sys.executable}\nimport os, sys, time\n{begin}\nfor line in sys.stdin:\n"
        for name, body in {"java": text + textwrap.indent(battle, "    "), "javac": "#!/bin/sh\n"}.items():
            (programs / name).write_text(body)
            (programs / name).chmod(stat.S_IRWXU)
        robots = tmp_path / "robots" / "sample"
        robots.mkdir(parents=True)
        for name in ("Walls", "SpinBot"):
            (robots / f"{name}.class").touch()
            (robots / f"{name}.properties").touch()
        (tmp_path / "robocode.jar").touch()
        monkeypatch.setattr(child, "FAREWELL", 0.1)
        monkeypatch.setattr(engine, "JAR", tmp_path / "robocode.jar")
        monkeypatch.setattr(engine, "ROBOTS", robots.parent)
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/bin")

    return put


ROUNDS = """
rounds = int(line.split('\\t')[1])
for n in range(rounds):
    sums = ' '.join(str((n + 1) * x) for x in (50, 10, 4, 0, 0, 0))
    print(f'round {n} {200 + n} 0 100 200 1.5 {sums} 300 400 3 0 0 {16 * (n + 1)} 0 0 0')
print('battle 1.5', flush=True)
"""


def fight(*battles, patience=30.0, **given):
    with Arena(patience=patience, **given) as arena:
        return list(arena.fight(battles))


def test_points_turns_and_places_of_each_round_are_read(pretended):
    pretended(ROUNDS)
    (found,) = fight(Battle((WALLS, SPIN), 3, 7))
    assert found.turns.tolist() == [200, 201, 202]
    assert found.points[:, 0].tolist() == [[50, 10, 4, 0, 0, 0]] * 3
    assert found.points[:, 1].tolist() == [[0, 0, 16, 0, 0, 0]] * 3
    assert found.score.tolist() == [[64, 16]] * 3
    assert found.share == 0.8
    assert found.places[0].tolist() == [[100, 200, 1.5], [300, 400, 3]]
    assert (found.skipped, found.seconds) == (0, 1.5)


def test_many_battles_are_shared_by_machines_and_each_is_fought_once(pretended):
    pretended(ROUNDS)
    battles = [Battle((WALLS, SPIN), 1 + seed % 2, seed) for seed in range(20)]
    found = fight(*battles, machines=3)
    assert sorted(one.battle.seed for one in found) == list(range(20))
    assert all(len(one.turns) == one.battle.rounds for one in found)


def test_a_battle_with_missed_turns_is_fought_again_and_given_up_in_the_end(pretended):
    pretended(ROUNDS.replace("{200 + n} 0", "{200 + n} {tries}").replace("rounds =", "tries = tries - 1\nrounds =", 1),
              "tries = 2\nprint('engine 1.9.3.9', flush=True)")  # fmt: skip
    assert [one.skipped for one in fight(Battle((WALLS, SPIN), 2, 1))] == [0]


def test_missed_turns_are_told_where_every_try_has_some(pretended):
    pretended(ROUNDS.replace("{200 + n} 0", "{200 + n} 3"))
    assert [one.skipped for one in fight(Battle((WALLS, SPIN), 2, 1))] == [6]


FAILURES = {
    "silent": ("time.sleep(60)", "no round ended within 0.3 s; the virtual machine was stopped"),
    "ends": ("sys.exit(3)", "robocode has ended with exit code 3"),
    "complains": ("sys.stderr.write('Out of memory'); sys.exit(1)", 'ended with exit code 1, saying "Out of memory"'),
    "floods": ("while True: print('x' * 1000)", "answered|said 'x"),
    "one endless line": ("while True: sys.stdout.write('x' * 1000)", "answered a line of more than 64 KiB"),
    "rounds without end": ("while True: print('round 0 1 0' + ' 0' * 18)", "answered more than 1024 KiB"),
    "text for numbers": ("print('round one two', flush=True)", "could not convert string to float: 'one'"),
    "too few rounds": ("print('battle 1', flush=True)", "0 rounds of 2 were fought"),
    "an error": ("print('error no robot sample.Walls', flush=True)", "no robot sample.Walls"),
    "ignores its end": (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); time.sleep(60)",
        "no round ended within 0.3 s",
    ),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("what", FAILURES)
def test_a_machine_that_fails_is_stopped_and_told_in_one_line(pretended, what):
    battle, message = FAILURES[what]
    pretended(battle)
    with pytest.raises(RunError, match=f"^robocode: sample.Walls against sample.SpinBot, seed 7: .*({message})"):
        fight(Battle((WALLS, SPIN), 2, 7), patience=0.3 if "within" in message else 30)


def test_a_machine_that_does_not_begin_is_stopped(pretended, monkeypatch):
    pretended("pass", "time.sleep(60)")
    monkeypatch.setattr(engine, "STARTING", 0.3)
    with pytest.raises(RunError, match=r"^robocode: does not begin \(it is silent\)"):
        fight(Battle((WALLS, SPIN), 1, 1))


def test_another_version_is_named(pretended, capsys):
    pretended(ROUNDS, "print('engine 1.10.0', flush=True)")
    fight(Battle((WALLS, SPIN), 1, 1))
    assert "this is engine 1.10.0; the simulation has the rules of version 1.9.3.9" in capsys.readouterr().err


def test_unknown_robots_are_refused_with_near_names(pretended):
    pretended(ROUNDS)
    with pytest.raises(UsageError, match=r"against=sample.Wals: accepted: sample.Walls"):
        fight(Battle((WALLS, "sample.Wals"), 1, 1))


def test_an_engine_that_is_not_installed_is_told_with_its_packages(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="engine=robocode: java is not on PATH; it comes with the Debian packages"):
        Arena()


def test_a_driver_meets_its_rivals_in_battles_of_equal_seeds_and_has_the_quantities_of_the_simulation(pretended):
    pretended(ROUNDS)
    game = Robocode(rounds=3)
    tree = parse(LANGUAGE, "(PROGRAM (Fire X) Zero Zero)")
    driver = Options(), Written(LANGUAGE, tree)
    (met,) = original.ORIGINAL.drive(game, driver, [SPIN], 2, 5, None)
    assert (met.rival, met.discarded, met.steps) == (SPIN, 0, 153)
    assert set(met.values) <= {one.name for one in game.quantities}
    values = {name: each.tolist() for name, each in met.values.items()}
    assert values == {
        "share": [0.8, 0.8],
        "score": [192, 192],
        "survival": [150, 150],
        "last": [30, 30],
        "bullet": [12, 12],
        **{name: [0, 0] for name in ("bullet_bonus", "ram", "ram_bonus")},
        "firsts": [3, 3],
        "rounds": [3, 3],
    }


def test_battles_with_missed_turns_count_in_no_quantity(pretended):
    pretended(ROUNDS.replace("{200 + n} 0", "{200 + n} {int(line.split()[0]) % 2}"))
    (met,) = original.ORIGINAL.drive(Robocode(), WALLS, [SPIN], 4, 0, None)
    assert met.discarded == 2
    assert met.values["share"].tolist() == [0.8, 0.8]


def test_rivals_are_spelled_as_the_original_does(pretended):
    pretended(ROUNDS)
    original.ORIGINAL.check("against", [SPIN, "haiku.HaikuPoet"])
    with pytest.raises(UsageError, match=r"against=sample.Spinbot: accepted: sample\.SpinBot"):
        original.ORIGINAL.check("against", ["sample.Spinbot"])


# With the real engine


@real
@pytest.mark.slow
def test_the_engine_scores_as_it_is_known_to(tmp_path):
    """Walls 1162, SpinBot 65: what the engine itself writes for this seed."""
    (found,) = fight(Battle((WALLS, SPIN), 10, 7, trace=tmp_path / "trace.csv"), patience=300)
    assert np.rint(found.score.sum(0)).tolist() == [1162, 65]
    assert found.skipped == 0
    lines = (tmp_path / "trace.csv").read_text().splitlines()
    assert len(lines) == found.turns.sum()
    assert all(len(line.split(",")) >= 22 for line in lines)


@real
@pytest.mark.slow
def test_the_small_robots_score_as_those_of_the_league_did():
    """The scores that the robots of this description had in the league's engine, 50 rounds, seed 1."""
    known = {("sample.Walls", "haiku.HaikuPoet*"): [2065, 5098], ("sample.SpinBot", "haiku.HaikuWalls*"): [553, 7117],
             ("sample.SpinBot", "haiku.TestHaiku*"): [5662, 9482]}  # fmt: skip
    found = fight(*(Battle(robots, 50, 1) for robots in known), machines=3, patience=300)
    assert {one.battle.robots: np.rint(one.score.sum(0)).tolist() for one in found if not one.skipped} == known


def robot(run="", scan=""):
    return f"""package haiku; import robocode.*; public class Bad extends Robot {{
  public void run() {{ {run} }}
  public void onScannedRobot(ScannedRobotEvent e) {{ {scan} }}
}}"""


@real
@pytest.mark.slow
def test_a_robot_that_hangs_is_named_and_the_machine_is_stopped():
    robots = {"haiku.Bad": robot("while (true) {}")}
    with pytest.raises(RunError, match=r"haiku.Bad. against .*: Robot haiku.Bad. is not stopping"):
        fight(Battle(("haiku.Bad*", WALLS), 1, 1), patience=120, robots=robots)


@real
@pytest.mark.slow
def test_what_robots_print_stays_in_the_engine():
    text = robot("while (true) { System.out.println(new String(new char[100000]).replace('\\0', 'x')); doNothing(); }")
    (found,) = fight(Battle(("haiku.Bad*", WALLS), 1, 1), patience=120, robots={"haiku.Bad": text})
    assert found.turns.tolist() > [0]


@real
@pytest.mark.slow
def test_a_class_that_does_not_compile_is_told_by_its_line():
    with pytest.raises(RunError, match=r"^javac: Bad.java:2: error: "):
        fight(robots={"haiku.Bad": robot("this is no Java")})


WIDEST = 2048


def full(size):
    """A tree of `size` nodes whose functions are those with the longest Java."""
    text = "(Fire (Div Random 0.123456))"
    nodes = 4
    while nodes + 8 <= size:
        text = f"(IfGreater (ArcSin Random) -0.7654321 {text} (Div Random 0.3333333))"
        nodes += 7
    return text


@real
@pytest.mark.slow
def test_the_widest_programs_compile_many_by_one_call_and_fight():
    programs = jax.device_get(create(jax.random.key(1), LANGUAGE, CreationOptions("full", 10, 10), 6, WIDEST))
    each = [jax.tree.map(lambda x, n=n: x[n], programs) for n in range(6)]
    tall = parse(LANGUAGE, f"(PROGRAM {full(600)} {full(600)} {full(600)})")
    robots = {
        f"haiku.Wide{n}": export.java(None, Options(), Written(LANGUAGE, one, name=f"haiku.Wide{n}"))
        for n, one in enumerate([*each, tall])
    }
    assert max(len(text) for text in robots.values()) > 40_000
    found = fight(*(Battle((f"{name}*", WALLS), 1, 1) for name in robots), robots=robots, machines=3, patience=300)
    assert len(found) == len(robots)
    assert not any(one.skipped for one in found)
