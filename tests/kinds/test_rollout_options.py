"""What the options of rollouts refuse before any game is imported."""

import re

import pytest

from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
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
