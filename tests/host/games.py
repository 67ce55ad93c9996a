"""Toy games and players for tests of the host."""

from dataclasses import replace
from pathlib import Path

from jaxgp.games.outside import load
from jaxgp.seats.agents import Agent, random_agent
from jaxgp.seats.moves import legal

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


def typing(lines):
    """Type some lines, then end the input: what asks for a line, and the list of all prompts."""
    said, left = [], iter(lines)

    def ask(prompt):
        said.append(prompt)
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return ask, said
