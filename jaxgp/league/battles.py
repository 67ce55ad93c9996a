"""All battles of a league in a simulation for two: each driver against every other one, from both seats.

Battles with the same number begin alike and have the same chance, whoever fights. Who has the higher score at the end
has won.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Driver, Simulation
from jaxgp.fitness.among.crews import Crew
from jaxgp.fitness.roller import Ended, Roller
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome
from jaxgp.league.crosstable import CrossTable, Team, gather, plan_games
from jaxgp.league.members import GenomeActor, Member
from jaxgp.report.waiting import waiting
from jaxgp.spec import Hand

LANES = 8
"""Drivers whose battles go on at a time; who has ended makes room for the next one."""


def fight(
    cast: Cast, members: Sequence[Member], games: int, seed: int, say: Callable[[str], object] = lambda _: None
) -> CrossTable:
    """Let each driver fight every other one from both seats; see `jaxgp.league.crosstable.play`."""
    number = plan_games(members, games)
    count, many, world = len(members), int(number.max()), cast.game
    assert isinstance(world, Simulation)
    crews = tuple((_hand(one),) for one in members)
    keys = jnp.repeat(jax.random.split(jax.random.key(seed), many), count)
    results = np.zeros((count, count, many), np.int8)
    measures = np.zeros((count, count, 2, len(world.quantities)))
    teams = _teams(members)
    for place, team in enumerate(teams, 1):
        say(f"Battles of {len(team.places)} of {count} drivers, {place} of {len(teams)}")
        with waiting("Compiling the battles, and fighting"):
            ended: Ended = jax.device_get(jax.jit(partial(_measure, world, team.player, crews))(team.genomes, keys))
        # By driver, battle and rival.
        scores = np.asarray(ended.scores).reshape(len(team.places), many, count, 2)
        results[team.places] = np.sign(scores[..., 0] - scores[..., 1]).swapaxes(1, 2)
        found = np.asarray(ended.measures, float).reshape(len(team.places), many, count, 2, -1)
        measures[team.places] = found.sum(1)
    here = np.eye(count, dtype=bool)
    results[here], measures[here] = 0, 0
    return CrossTable(results, number, measures)


def _measure(world: Simulation, driver: Any, crews: tuple[Crew, ...], genomes: Genome, keys: Array) -> Ended:
    return Roller(world, driver, crews).measure(driver.prepare(genomes), keys, lanes=LANES)


def _hand(member: Member) -> Hand:
    assert isinstance(member.plays, GenomeActor)
    assert isinstance(member.plays.player, Driver)
    return Hand(member.plays.player, member.plays.genome)


def _teams(members: Sequence[Member]) -> list[Team]:
    """Group the drivers that one device program can have fight side by side."""
    by_driver: dict[object, list[int]] = {}
    for place, member in enumerate(members):
        assert isinstance(member.plays, GenomeActor)
        by_driver.setdefault((member.plays.player, member.plays.language), []).append(place)
    return [gather(members, places) for places in by_driver.values()]
