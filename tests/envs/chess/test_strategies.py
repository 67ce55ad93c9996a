"""The fixed players of chess are programs of its language."""

import pytest

import envs
from envs.chess import language, strategies
from jaxgp.genotypes.text import parse_program


@pytest.mark.parametrize(("name", "nodes"), [("master", None), ("gpec190", 136)])
def test_a_strategy_is_a_program_of_three_trees(name, nodes):
    made = strategies.strategy(name, envs.make("chess"))
    program = parse_program(language.primitive_set(made.options), made.text, 256)
    assert program.length.shape == (3,)
    assert nodes in (None, int(program.length[0]))
