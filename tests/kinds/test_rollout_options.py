"""What the options of rollouts refuse, most of it before any game is imported."""

import re

import pytest

import envs
import jaxgp
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.fitness.taught.options import AdjointOptions
from jaxgp.kinds.rollout import RolloutFitnessOptions
from jaxgp.options import check


def rollouts(**given):
    made = RolloutFitnessOptions(**given)
    check(made, "fitness.")
    return made


TWO = {"rivals": ["a", "b"], "phases": ["rivals", "coplay"]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"phases": []}, "fitness.phases=[]: accepted: [rivals], [coplay] or [rivals,coplay]"),
        ({"phases": ["coplay", "rivals"]}, "accepted: [rivals], [coplay] or [rivals,coplay]"),
        ({"phases": ["coplay"]}, "fitness.phases=[coplay]: accepted: [rivals]; fitness.rivals names nobody"),
        (TWO, "fitness.phase_generations=null: accepted: a whole number from 1, or fitness.phase_stagnation"),
        ({"phase_generations": 3}, "fitness.phase_generations=3: accepted: null with fitness.phases=rivals"),
        (
            {"rivals": ["a"], "rivals_drawn": 2},
            "fitness.rivals_drawn=2: accepted: a whole number from 1 to 1 (fitness.rivals), or null",
        ),
        ({"rivals_drawn": 1, "drawn_by": "lot"}, "fitness.drawn_by=lot: accepted: generation, individual"),
    ],
)
def test_conditions_between_options_are_checked(given, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        rollouts(**given)


def test_cases_that_are_not_the_same_for_all_are_not_selected_by():
    algorithm = GPOptions()
    algorithm.selection.by_case = 0.5
    rollouts(rivals=["a", "b"], rivals_drawn=1).suits(algorithm)
    with pytest.raises(UsageError, match=re.escape("algorithm.selection.by_case=0.5: accepted: 0")):
        rollouts(rivals=["a", "b"], rivals_drawn=1, drawn_by="individual").suits(algorithm)
    with pytest.raises(UsageError, match=re.escape("algorithm.population=1: accepted")):
        rollouts(**TWO, phase_generations=3).suits(GPOptions(population=1))


def test_rollouts_that_nobody_learns_from_are_refused():
    algorithm = GPOptions()
    with pytest.raises(UsageError, match=re.escape("fitness.adjoint.rollouts=1: accepted: 0, or algorithm.tune.steps")):
        rollouts(adjoint=AdjointOptions(rollouts=1)).suits(algorithm)
    algorithm.tune.steps = 3
    rollouts(adjoint=AdjointOptions(rollouts=1)).suits(algorithm)
    with pytest.raises(UsageError, match=re.escape("algorithm.tune.steps=3: accepted: 0, or fitness.adjoint.rollouts")):
        rollouts().suits(algorithm)


@pytest.mark.parametrize(
    ("game", "given", "said"),
    [
        ("rars", {"adjoint": AdjointOptions(rollouts=1, grows="fun")}, "fitness.adjoint.grows=fun: accepted: race, "),
        (
            "robocode",
            {"adjoint": AdjointOptions(rollouts=1)},
            "fitness.adjoint.rollouts=1: accepted: 0; programs whose",
        ),
    ],
)
def test_only_programs_whose_values_are_controls_learn_and_what_grows_is_measured(game, given, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        rollouts(**given).check(Config(), jaxgp.take(envs.spec(game)))


RARS = jaxgp.take(envs.spec("rars"))


@pytest.mark.parametrize(("named", "given"), [("laps", "laps"), (None, "null")])
def test_what_has_no_derivative_is_refused_with_what_has_one(named, given):
    """A race counts whole eighths of a foot; without a name its time is the first quantity."""
    learns = AdjointOptions(rollouts=1, grows=named)
    said = f"fitness.adjoint.grows={given}: accepted: distance, .*; {named or 'race'} has no derivative"
    with pytest.raises(UsageError, match=said) as told:
        rollouts(adjoint=learns, quantity="race").check(Config(), RARS)
    assert not {"race", "pace", "time", "laps"} & set(
        re.findall(r"\w+", str(told.value).split("accepted: ")[1].split(";")[0])
    )


def test_what_has_a_derivative_may_grow():
    rollouts(adjoint=AdjointOptions(rollouts=1, grows="distance"), quantity="race").check(Config(), RARS)
    rollouts(adjoint=AdjointOptions(rollouts=1), progress="distance", quantity="race").check(Config(), RARS)
