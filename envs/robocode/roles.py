"""Who fights: programs of three trees, and robots written by hand."""

from envs.robocode.bots.samples import BOTS, NAMES
from envs.robocode.language import Options
from envs.robocode.machine import BotDriver
from envs.robocode.programs import fight
from envs.robocode.real import export
from envs.robocode.rules import Robocode
from jaxgp.spec import Hand, Role

FIGHT = Role(
    "fight",
    "three trees say how far the tank drives, and how far tank and gun turn, each time that the other robot is seen",
    "program",
    Options,
    fight,
    exports={"python": export.python, "java": export.java},
    named=("java",),
    features="seen",
)


def make(name: str, game: Robocode) -> Hand:
    """Return a robot written by hand, by its name."""
    if name not in NAMES:
        raise ValueError(f"{name}: accepted: {', '.join(NAMES)}")
    return Hand(BotDriver(BOTS, precision=game.precision), NAMES.index(name))
