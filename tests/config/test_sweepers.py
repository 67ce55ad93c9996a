"""Sweepers that choose options by results: their mistakes, and their failures, are one line."""

import pytest
from hydra.core.utils import JobReturn
from omegaconf import OmegaConf

from jaxgp.config.launching import members, sweepers
from jaxgp.config.launching.members import Members, SweepMember
from jaxgp.errors import RunError, UsageError

OPTUNA = {
    "_target_": "hydra_plugins.hydra_optuna_sweeper.optuna_sweeper.OptunaSweeper",
    "n_trials": 20,
    "n_jobs": 2,
    "max_failure_rate": 0.0,
    "direction": "maximize",
}
WRONG = [
    ("n_trials=0", "a whole number from 1"),
    ("n_jobs=0", "a whole number from 1"),
    ("max_failure_rate=2", "a number from 0 to 1"),
    ("direction=maximum", "minimize or maximize, since metric is one number"),
    ("direction=[maximize,minimize]", "minimize or maximize, since metric is one number"),
]


def config(*changes):
    changed = OmegaConf.merge(OPTUNA, OmegaConf.from_dotlist(list(changes)))
    return OmegaConf.create({"hydra": {"sweeper": changed, "runtime": {"choices": {"hydra/sweeper": "optuna"}}}})


@pytest.mark.parametrize(("option", "accepted"), WRONG)
def test_wrong_options_of_optuna_are_refused(option, accepted):
    sweepers.check(config())
    with pytest.raises(UsageError) as refused:
        sweepers.check(config(option))
    assert str(refused.value) == f"hydra.sweeper.{option}: accepted: {accepted}"


def test_what_a_sweeper_raises_is_one_line_that_names_it():
    error = ValueError("no trial is complete\nmore about it")
    assert str(sweepers.failure(config(), error, begun=True)) == "hydra/sweeper=optuna: no trial is complete"
    assert isinstance(sweepers.failure(config(), error, begun=True), RunError)
    assert isinstance(sweepers.failure(config(), error, begun=False), UsageError)


def test_what_members_raise_is_told_from_what_a_sweeper_raises():
    def prepare(words, number):
        if "wrong" in words:
            raise UsageError("wrong")
        return SweepMember(number, tuple(words), OmegaConf.create(), None, None)

    def way(launcher, due):
        return {member.number: 0 for member in due}

    launched = Members(None, way, prepare, lambda plan: False, score=lambda plan: 2.5)
    (done,) = launched.launch([["right"]], 0)
    assert isinstance(done, JobReturn)
    assert done.return_value == 2.5
    assert launched.raised is None
    with pytest.raises(UsageError) as raised:
        launched.launch([["wrong"]], 1)
    assert launched.raised is raised.value


def test_a_number_of_members_is_said_in_words():
    assert [members.count_in_words(number) for number in (0, 1, 2)] == ["0 members", "1 member", "2 members"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("hydra.sweeper.n_trials=0", "hydra.sweeper.n_trials=0: accepted: a whole number from 1"),
        ("hydra.sweeper.direction=up", "hydra.sweeper.direction=up: accepted: minimize or maximize"),
        ("algorithm.population=interval(8,4)", "hydra/sweeper=optuna: "),
        ("algorithm.population=choice(8,x)", "algorithm.population=x: accepted: a whole number"),
        ("metric=speed", "metric=speed: accepted: fitness, points"),
    ],
)
def test_a_sweep_by_optuna_refuses_mistakes_in_a_line(call, option, message):
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper", reason="needs the extra optuna")
    code, err, plans = call("-m", "hydra/sweeper=optuna", option)
    said = [line for line in err.splitlines() if line.startswith("error: ")]  # Optuna has words of its own
    assert (code, plans, len(said)) == (2, [], 1)
    assert said[0].startswith(f"error: {message}")
