"""Studies of Robocode: the parts of a program, and the options of the groups that are compared."""

import subprocess
import sys
from pathlib import Path

import pytest

import envs
from jaxgp.config import validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from studies.robocode import ablate, compare, sim_to_real
from tests.envs.robocode.test_engine import real

CONF = Path(__file__).parents[2] / "conf"


def test_a_part_is_found_by_its_way_and_another_one_is_put_in_its_place():
    tree = ablate.read("(PROGRAM (Mul (Sin X) 0.5) Zero (Neg Y))")
    assert ablate.write(tree) == "(PROGRAM (Mul (Sin X) 0.5) Zero (Neg Y))"
    found = {way: ablate.write(part) for way, part in ablate.parts(tree, 1)}
    assert found == {
        (1,): "(Mul (Sin X) 0.5)",
        (1, 1): "(Sin X)",
        (1, 2): "0.5",
        (2,): "Zero",
        (3,): "(Neg Y)",
        (3, 1): "Y",
    }
    assert ablate.write(ablate.without(tree, (1, 1), ["MaxX"])) == "(PROGRAM (Mul MaxX 0.5) Zero (Neg Y))"
    assert ablate.nodes(tree) == 8


@pytest.mark.thorough
def test_the_options_of_every_group_are_accepted(tmp_path):
    with Composer(Config, CONF, "config") as composer:
        for study, groups in compare.GROUPS.items():
            for group in groups:
                words = compare.words(compare.Options(study=study), group, 1, tmp_path)
                made = [word for word in words if not word.startswith(("hydra.", "resume="))]
                assert validate.check(composer.compose(made), envs).algorithm.generations == 100


def test_a_robot_that_is_not_known_is_refused_before_anything_is_fought():
    with pytest.raises(UsageError, match=r"^robots=sample\.Wals: accepted: sample\.Walls"):
        sim_to_real.by_hand(sim_to_real.Options(robots=["sample.Wals"]))


@real
@pytest.mark.slow
def test_new_rounds_of_robots_that_ram_wait_and_aim_are_those_of_the_engine():
    words = "robots=[sample.RamFire,sample.Crazy,sample.MyFirstRobot,sample.Tracker]", "places=81000", "machines=2"
    done = subprocess.run([sys.executable, sim_to_real.__file__, *words], capture_output=True, text=True, check=True)
    assert "6 of 6 rounds are equal to the end" in done.stdout
