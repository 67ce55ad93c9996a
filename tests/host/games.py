"""Toy games and players for tests of the host."""

from dataclasses import replace
from pathlib import Path

from jaxgp.host.agents import Agent, random_agent
from jaxgp.host.moves import legal
from jaxgp.spec import load

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "dice"
SPEC = load(FOLDER)
DICE = SPEC.make()
RANDOM = random_agent(DICE)


class Certain(SPEC.rules):
    """The same rules, which say that chance takes no part."""

    chance = False


MUTE = replace(SPEC, rules=Certain, roles=())
"""A game that has nothing but rules."""


def first_agent(game):
    """Play the first legal move."""
    return Agent("first", lambda state, bits: legal(game, state)[0])
