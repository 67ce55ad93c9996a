"""Hints of Morpion Solitaire: searches begin with the lines that can be drawn."""

import numpy as np
import pytest

import envs
from envs.morpion.hints import _listed, hints
from envs.morpion.listed import ListedMorpion
from jaxgp.seats.moves import Stepper, game_key


@pytest.mark.thorough
@pytest.mark.parametrize("variant", ["5T", "5D"])
def test_a_search_begins_with_the_lines_of_the_position(variant):
    game = envs.make("morpion", size=24, variant=variant)
    listed, stepper = ListedMorpion(game, 64), Stepper(game, game_key(0))
    record, random = [stepper.opening()], np.random.default_rng(0)
    for _ in range(30):
        options = np.asarray(listed.options(_listed(listed, record[-1].state)))
        legal = stepper.legal(record[-1].state)
        assert sorted(options[options < listed.num_actions].tolist()) == legal
        if not legal:
            break
        record.append(stepper.after(record, int(random.choice(legal))))


def test_a_grid_that_no_search_takes_has_no_hints():
    assert hints(envs.make("morpion", size=40)) is None
