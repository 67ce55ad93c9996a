"""The real Robocode as a second opinion on drivers: exported, compiled, and measured there as here."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from envs.robocode.real import engine, export
from envs.robocode.real.engine import AFTERWARDS, KINDS, Arena, Battle, Fought
from jaxgp.errors import reject
from jaxgp.games.originals import Encounter, Original

if TYPE_CHECKING:
    from jaxgp.export.export import Written

MACHINES = 4
"""Virtual machines side by side. Each uses less than a tenth of a core: its robots wait to be woken."""
SAMPLES = (
    *("Corners", "Crazy", "Fire", "MyFirstRobot", "RamFire", "SittingDuck"),
    *("SpinBot", "Target", "TrackFire", "Tracker", "VelociRobot", "Walls"),
)
RIVALS = (
    *(f"haiku.{name}" for name in engine.SMALL),
    *(f"sample.{name}" for name in SAMPLES),
    *("sampleex.Alien", "sampleex.MasterAndSlave"),
)
"""Whom a robot meets unless somebody is named."""


@dataclass(frozen=True)
class RealRobocode(Original[Any]):
    """Robocode itself; see `Original`. Its rollouts are battles of as many rounds as the rules say."""

    called = f"Robocode {engine.VERSION}"

    @property
    def rivals(self) -> tuple[str, ...]:
        return RIVALS

    def missing(self) -> str:
        return engine.missing()

    def check(self, option: str, names: Sequence[str]) -> None:
        known = [name.removesuffix("*") for name in engine.known_robots()]
        for name in names:
            if name not in known:
                reject(option, name, ", ".join(difflib.get_close_matches(name, known, 5, 0.4) or known))

    def drive(
        self,
        game: Any,
        driver: "tuple[Any, Written] | str",
        rivals: Sequence[str],
        rollouts: int,
        seed: int,
        cache: Path | None,
    ) -> Iterator[Encounter]:
        name, texts = driver, {}
        if not isinstance(driver, str):
            name, (options, individual) = export.NAME, driver
            texts[name] = export.java(game, options, replace(individual, name=name))
        battles = [
            Battle(
                (_spelled(str(name)), _spelled(rival)),
                game.rounds,
                seed * rollouts + number,
                field=(int(game.width), int(game.height)),
                cooling=game.cooling,
                inactivity=game.inactivity,
            )
            for rival in rivals
            for number in range(rollouts)
        ]
        fought: dict[str, list[Fought]] = {}
        with Arena(texts, MACHINES, cache) as arena:
            for one in arena.fight(battles):
                rival = one.battle.robots[1].removesuffix("*")
                fought.setdefault(rival, []).append(one)
                if len(fought[rival]) == rollouts:
                    yield encounter(rival, sorted(fought[rival], key=lambda one: one.battle.seed))


def encounter(rival: str, fought: Sequence[Fought]) -> Encounter:
    """Return the quantities of some battles, from the first robot's view; those with missed turns are left out."""
    counted = [one for one in fought if not one.skipped]
    values = [measures(one) for one in counted]
    named = {name: np.array([one[name] for one in values]) for name in (values[0] if values else ())}
    turns = float(np.mean([(one.turns - AFTERWARDS).sum() for one in counted])) if counted else 0.0
    return Encounter(rival, named, turns, sum(one.seconds for one in fought), len(fought) - len(counted))


def measures(one: Fought) -> dict[str, float]:
    """Return the quantities of a battle by name, of the first robot, as the simulation has them."""
    survived = one.points[:, :, KINDS.index("survival")] > 0
    firsts = (survived[:, 0] | ~survived[:, 1]).sum()
    kinds = dict(zip(KINDS, one.points[:, 0].sum(0).tolist(), strict=True))
    total = float(one.score.sum())
    share = one.share if total else 0.5
    score, rounds = float(one.score[:, 0].sum()), float(len(one.points))
    return {"share": share, "score": score, **kinds, "firsts": float(firsts), "rounds": rounds}


def _spelled(name: str) -> str:
    """Return the name of a robot as the engine spells it: those without a version have a star."""
    return f"{name}*" if name.startswith("haiku.") else name


ORIGINAL = RealRobocode()
