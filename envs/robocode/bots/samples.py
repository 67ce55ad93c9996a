"""The twelve sample robots of the engine, three robots of four lines, and what programs run in.

Written from descriptions of what they do.
"""

import math

from envs.robocode.bots.assembly import Bot, Do, Forever, Term, When, ahead, fire, gun, keep, rest, scan, turn, turned
from envs.robocode.state import ENDLESS

BEARING, DISTANCE, GUN_ERROR, RADAR_ERROR = (Term(name) for name in ("bearing", "distance", "gun_error", "radar_error"))


def above(number: float) -> float:
    """Return the bound below which numbers are not above another one."""
    return math.nextafter(number, math.inf)


ALIGNED = 1e-30
"""Degrees below which an angle is 0."""
HOT = 1e-9
"""Heat from which a gun is hot."""
R0, R1, R2 = Term("r0"), Term("r1"), Term("r2")
SPIN = [Forever([gun(ENDLESS)])]

_smart_fire = When(
    "distance",
    above(200),
    [When("energy", 15, [fire(1)], [When("distance", above(50), [fire(3)], [fire(2)])])],
    [fire(1)],
)
CORNERS = Bot(
    "sample.Corners",
    run=[
        turn(Term("to_corner")),
        ahead(5000, keep=(0, 1)),
        turn(-90),
        ahead(5000),
        gun(-90, keep=(2, 0)),
        Forever(
            [
                gun(R1 * -3, keep=(2, R2 + 1)),
                When("r2", 29.5, [], [Do("nothing", keep=(1, -R1)), keep(2, 0)]),
            ]
        ),
    ],
    scan=[
        When(
            "r0",
            0.5,
            [_smart_fire],
            [Do("stop", wait="turn_over"), _smart_fire, scan(), Do("resume", wait="turn_over")],
        )
    ],
    registers=(0.0, 1.0, 0.0, 0.0),
)
_back = [When("r0", 0.5, [Do("ahead", 40000, keep=(0, 1))], [Do("ahead", -40000, keep=(0, 0))])]
CRAZY = Bot(
    "sample.Crazy",
    run=[Forever([Do("ahead", 40000, keep=(0, 1)), turned(90), turned(-180), turned(180)])],
    advanced=True,
    scan=[fire(1)],
    wall=_back,
    ram=_back,
)
FIRE = Bot(
    "sample.Fire",
    run=[Forever([gun(5)])],
    scan=[When("distance", 50, [When("energy", above(50), [fire(1)], [fire(3)])], [fire(1)]), scan()],
    shot=[turn(Term("across_shot")), ahead(R0, keep=(0, -R0)), scan()],
    ram=(_aimed := [gun(GUN_ERROR), fire(3)]),
    struck=_aimed,
    registers=(50.0, 0.0, 0.0, 0.0),
)
MY_FIRST_ROBOT = Bot(
    "sample.MyFirstRobot",
    run=[Forever([ahead(100), gun(360), ahead(-100), gun(360)])],
    scan=[fire(1)],
    shot=[turn(BEARING - 90)],
)
_again: list[Do | When | Forever] = [
    turn(BEARING, keep=(0, Term("bearing_sign"))),
    When(
        "other_energy",
        above(4),
        [
            When(
                "other_energy",
                above(2),
                [When("other_energy", above(0.4), [], [fire(0.1)])],
                [fire(0.5)],
            )
        ],
        [When("other_energy", above(16), [When("other_energy", above(10), [fire(1)], [fire(2)])], [fire(3)])],
    ),
    ahead(40),
]
RAM_FIRE = Bot(
    "sample.RamFire",
    run=[Forever([turn(R0 * 5)])],
    scan=[turn(BEARING, keep=(0, Term("bearing_sign"))), ahead(DISTANCE + 5), scan()],
    ram=_again,
    struck=_again,
    registers=(1.0, 0.0, 0.0, 0.0),
)
SITTING_DUCK = Bot("sample.SittingDuck", run=[rest()], advanced=True)
_point_blank = When("bearing_size", 10, [fire(3)])
SPIN_BOT = Bot(
    "sample.SpinBot",
    run=[Forever([Do("turn", 10000), Do("limit", 5), ahead(10000)])],
    advanced=True,
    scan=[fire(3)],
    ram=[_point_blank, turn(10)],
    struck=[_point_blank],
)
TARGET = Bot(
    "sample.Target",
    run=[rest()],
    advanced=True,
    hurt=[turn(-65, keep=(0, R0 - 20)), ahead(100)],
    registers=(80.0, 0.0, 0.0, 0.0),
)
TRACK_FIRE = Bot(
    "sample.TrackFire",
    run=[Forever([gun(10)])],
    scan=[
        Do("nothing", keep=(0, GUN_ERROR)),
        Do("nothing", keep=(2, Term("gun_error_size"))),
        When(
            "gun_error_size",
            above(3),
            [
                gun(R0, keep=(1, Term("gun_error_size", -1, 3))),
                When("heat", HOT, [fire(Term("spare"))]),
            ],
            [gun(R0)],
        ),
        When("r2", ALIGNED, [scan()]),
    ],
)
_close = [gun(RADAR_ERROR, keep=(1, RADAR_ERROR)), fire(3)]
TRACKER = Bot(
    "sample.Tracker",
    run=[
        Forever(
            [
                gun(R1),
                keep(0, R0 + 1),
                When("r0", 2.5, [], [When("r0", 5.5, [keep(1, -10)], [keep(1, 10)])]),
            ]
        )
    ],
    gun_keeps=True,
    scan=[
        keep(0, 0),
        When(
            "distance",
            above(150),
            [
                *_close,
                When("distance", 100, [When("bearing_size", 90, [ahead(-40)], [ahead(40)])]),
                scan(),
            ],
            [gun(RADAR_ERROR, keep=(1, RADAR_ERROR)), turn(BEARING), ahead(DISTANCE - 140)],
        ),
    ],
    ram=(_off := [*_close, ahead(-50)]),
    struck=_off,
    registers=(0.0, 10.0, 0.0, 0.0),
)
VELOCI_ROBOT = Bot(
    "sample.VelociRobot",
    run=[
        Forever(
            [
                When(
                    "r0",
                    0.5,
                    [keep(2, 0), keep(1, 4)],
                    [When("r0", 31.5, [], [When("r0", 32.5, [keep(1, -6)])])],
                ),
                Do("rates", wait="turn_over", keep=(0, Term("next_beat"))),
            ]
        )
    ],
    advanced=True,
    scan=[fire(1)],
    shot=[keep(2, 5)],
    wall=[keep(1, -R1)],
)
_away = [When("bearing_size", 90, [ahead(-100)], [ahead(100)])]
WALLS = Bot(
    "sample.Walls",
    run=[
        turn(Term("past_quarter", -1)),
        ahead(Term("widest")),
        gun(90, keep=(0, 1)),
        turn(90),
        Forever([ahead(Term("widest"), keep=(0, 1)), turn(90, keep=(0, 0))]),
    ],
    scan=[fire(2), When("r0", 0.5, [], [scan()])],
    ram=_away,
    struck=_away,
)
TEST_HAIKU = Bot(
    "haiku.TestHaiku",
    run=SPIN,
    scan=[fire(2), turn(BEARING), When("distance", 160, [ahead(40)], [ahead(DISTANCE * 0.25)]), gun(30)],
)
_REVERSED = Do("gun", Term("gun_left", -1))
HAIKU_POET = Bot(
    "haiku.HaikuPoet",
    run=[Do("gun", ENDLESS), rest()],
    advanced=True,
    scan=[
        Do("turn", BEARING + 80),
        When("cool", 0.5, [Do("ahead", Term("wave") * 100)], [Do("fire", 2.1), Do("ahead", 0)]),
        _REVERSED,
    ],
)
HAIKU_WALLS = Bot(
    "haiku.HaikuWalls",
    run=SPIN,
    advanced=True,
    scan=[Do("ahead", ENDLESS), fire(3)],
    wall=[turn(BEARING + 90)],
)


def haiku(advanced: bool, shots: int) -> Bot:
    """Return what a program of three lines runs in; each line fires some shots on the way, at most so many.

    A plain robot takes a turn for each of them, before the command of its line. Of an advanced one the first shot may
    go off, in the turn of that command.
    """
    scan: list[Do | When | Forever] = []
    for line, done in enumerate((ahead, turn, gun)):
        volley: list[Do | When | Forever] = [Do("volley")]
        if not advanced:
            volley = []
            for _ in range(shots):
                volley = [Do("volley", wait="turn_over"), *([When("shots_left", 0.5, [], volley)] if volley else [])]
        scan += [Do("line", line), When("shots_left", 0.5, [], volley), done(Term("value"))]
    name = f"{'advanced' if advanced else 'robot'} of three lines with {shots} shots"
    return Bot(name, run=SPIN, advanced=advanced, scan=scan)


BOTS = (
    *(WALLS, CORNERS, CRAZY, FIRE, MY_FIRST_ROBOT, RAM_FIRE, SITTING_DUCK, SPIN_BOT, TARGET, TRACK_FIRE, TRACKER),
    *(VELOCI_ROBOT, TEST_HAIKU, HAIKU_POET, HAIKU_WALLS),
)
"""All robots, by their numbers."""
NAMES = tuple(bot.name for bot in BOTS)
SAMPLES = tuple(name for name in NAMES if name.startswith("sample."))
