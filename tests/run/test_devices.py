"""What several devices can share of one population is said before anything is computed."""

import pytest

import envs
from jaxgp.config import validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.run import devices
from jaxgp.run.assemble import assemble
from tests.config.conftest import CONF


def composed(*words: str) -> Config:
    with Composer(Config, CONF, "config") as composer:
        return validate.check(composer.compose(list(words)), envs)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["experiment=chess_kqkq"], "coplay"),
        (["game=walls"], "groups"),
        (["experiment=robocode_two_phases"], "rollout"),
    ],
    ids=["coevolution", "groups", "rollouts among individuals"],
)
def test_individuals_that_meet_each_other_cannot_be_shared_by_devices(words, kind):
    asked = composed(*words, "devices.count=2")
    with pytest.raises(UsageError, match=rf"^devices\.count=2: accepted: 1, or islands; .* fitness\.kind={kind}$"):
        devices.spread(asked, assemble(asked, envs))


def test_the_number_of_devices_divides_that_of_the_individuals():
    accepted = r"^devices\.count=3: accepted: a divisor of algorithm\.population=64: 1, 2, 4, 8, 16, 32, 64$"
    with pytest.raises(UsageError, match=accepted):
        composed("game=mancala", "algorithm.population=64", "devices.count=3")
