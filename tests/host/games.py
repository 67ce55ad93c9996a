"""Toy games and players for tests of the host."""

from pathlib import Path

from jaxgp.host.agents import Agent, random_agent
from jaxgp.host.moves import legal
from jaxgp.spec import load

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "dice"
SPEC = load(FOLDER)
DICE = SPEC.make()
RANDOM = random_agent(DICE)


def first_agent(game):
    """Play the first legal move."""
    return Agent("first", lambda state, bits: legal(game, state)[0])
