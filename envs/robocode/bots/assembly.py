"""The instructions that robots are written in, and how those of many robots become one table.

A robot is a program for its main loop and one for each kind of event. An instruction gives one command, waits for what
it says, and then goes on, perhaps by a test. Amounts are linear in one signal: what the robot perceives, remembers or
computes (`envs.robocode.signals`). Tests compare a signal with a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from envs.robocode.signals import SIGNALS

TARGETS = ("nothing", "ahead", "turn", "gun", "limit", "fire", "scan", "stop", "resume", "rates", "line", "volley")
"""What an instruction commands. Of a robot that stops, what is left of its commands is kept until it resumes; `volley`
fires the next shot of a line. `rates` gives all commands of a rate-controlled robot, from its memory; `line` lets a
program evaluate one of its lines, from whose value and shots the next instructions take their amounts."""
WAITS = ("on", "turn_over", "ahead_done", "turn_done", "gun_done", "event", "turn_met")
"""What an instruction waits for: nothing, one turn, that the amount of a command is used up, or for events alone; last,
as `waitFor` does: in a turn that begins when the body has turned, a robot that waits so in its main loop scans."""
LEVELS = ("run", "scan", "shot", "wall", "ram", "hurt")
"""The main loop and the kinds of events, by priority; a ram has another handler where the other one is at fault."""
REGISTERS = 4
RUN = 0
END = 0
"""The first row of the table: the end of a handler."""


@dataclass(frozen=True)
class Term:
    """times * signal + plus."""

    signal: str
    times: float = 1.0
    plus: float = 0.0

    def __mul__(self, number: float) -> "Term":
        return replace(self, times=self.times * number, plus=self.plus * number)

    def __add__(self, number: float) -> "Term":
        return replace(self, plus=self.plus + number)

    def __sub__(self, number: float) -> "Term":
        return self + -number

    def __neg__(self) -> "Term":
        return self * -1


Amount = Term | float


def term(amount: Amount) -> Term:
    """Return an amount as a term."""
    return amount if isinstance(amount, Term) else Term("one", 0.0, float(amount))


@dataclass(frozen=True)
class Do:
    """One instruction.

    Attributes:
        target: what is commanded, of `TARGETS`.
        amount: how much.
        wait: what it waits for, of `WAITS`.
        keep: which register (0 to 3) takes which value when the command is given; -1: none does. The amount is that
            before.
    """

    target: str
    amount: Amount = 0.0
    wait: str = "on"
    keep: tuple[int, Amount] = (-1, 0.0)


@dataclass(frozen=True)
class When:
    """A test: `then` where a signal is below a number, else `otherwise`."""

    signal: str
    below: float
    then: "Code" = ()
    otherwise: "Code" = ()


@dataclass(frozen=True)
class Forever:
    """Instructions that begin again when they end; at least one of them waits."""

    code: "Code"


Code = Sequence[Do | When | Forever]


@dataclass(frozen=True)
class Bot:
    """A robot. Robots of one name are equal.

    Attributes:
        name: as in the engine.
        run: its main loop, which never ends.
        advanced: whether it extends `AdvancedRobot`: walls hurt it, and no shot of it is aimed.
        gun_keeps: whether the gun keeps its direction when the body turns.
        scan: what it does when it sees the other robot; None, as below: it does not handle the event.
        shot: when a bullet hits it.
        wall: when it hits a wall.
        ram: when it rams the other robot at its own fault.
        struck: when the other robot rams it.
        hurt: when its energy falls to the amount in register 0.
        registers: what it remembers at first.
    """

    name: str
    run: Code = field(compare=False)
    advanced: bool = field(default=False, compare=False)
    gun_keeps: bool = field(default=False, compare=False)
    scan: Code | None = field(default=None, compare=False)
    shot: Code | None = field(default=None, compare=False)
    wall: Code | None = field(default=None, compare=False)
    ram: Code | None = field(default=None, compare=False)
    struck: Code | None = field(default=None, compare=False)
    hurt: Code | None = field(default=None, compare=False)
    registers: tuple[float, ...] = field(default=(0.0,) * REGISTERS, compare=False)


class Table(NamedTuple):
    """All instructions, [rows], and where those of each bot begin."""

    target: np.ndarray  # int32, a place in `TARGETS`
    signal: np.ndarray  # int32, a place in `SIGNALS`, as are the next two
    times: np.ndarray
    plus: np.ndarray
    wait: np.ndarray  # int32, a place in `WAITS`
    keep: np.ndarray  # int32: the register; -1: none
    keep_signal: np.ndarray
    keep_times: np.ndarray
    keep_plus: np.ndarray
    test: np.ndarray
    below: np.ndarray
    then: np.ndarray  # int32: the row that follows where the test holds
    otherwise: np.ndarray  # int32: the row that follows where it does not


class Bots(NamedTuple):
    """The bots of a table, [bots]."""

    advanced: np.ndarray  # bool
    gun_keeps: np.ndarray  # bool
    registers: np.ndarray  # [bots, REGISTERS]
    entries: np.ndarray  # int32[bots, 7]: the rows of `HANDLERS`; END: not handled


HANDLERS = ("run", "scan", "shot", "wall", "ram", "struck", "hurt")


def assemble(bots: Sequence[Bot]) -> tuple[Table, Bots]:
    """Return the table of some bots; the number of a bot is its place among them."""
    rows: list[list[float]] = [[0] * len(Table._fields)]  # END

    def emit(code: Code, after: int) -> int:
        """Append instructions, and return the row of the first one; `after` follows the last one."""
        for n in reversed(range(len(code))):
            one = code[n]
            if isinstance(one, Forever):
                head = _row(rows, Do("nothing"), END)
                begin = emit(one.code, head)
                for row in rows:
                    row[-2:] = [begin if place == head else place for place in row[-2:]]
                after = begin
            elif isinstance(one, When):
                then, otherwise = emit(one.then, after), emit(one.otherwise, after)
                before = code[n - 1] if n else None
                test = (SIGNALS.index(one.signal), one.below, then, otherwise)
                if isinstance(before, Do):
                    after = _row(rows, before, END, test)
                    return emit(code[: n - 1], after)
                after = _row(rows, Do("nothing"), END, test)
            else:
                after = _row(rows, one, after)
        return after

    entries = []
    for bot in bots:
        handlers = [getattr(bot, name) for name in HANDLERS]
        begin, *others = [END if code is None else emit(code, END) for code in handlers]
        entries.append([_row(rows, Do("nothing"), begin), *others])
    columns = np.array(rows).T
    whole = ("target", "signal", "wait", "keep", "keep_signal", "test", "then", "otherwise")
    table = Table(
        *(
            column.astype(np.int32 if name in whole else np.float64)
            for name, column in zip(Table._fields, columns, strict=True)
        )
    )
    return table, Bots(
        np.array([bot.advanced for bot in bots]),
        np.array([bot.gun_keeps for bot in bots]),
        np.array([bot.registers for bot in bots], np.float64),
        np.array(entries, np.int32),
    )


def _row(rows: list[list[float]], one: Do, after: int, test: tuple[float, ...] = ()) -> int:
    amount, (register, value) = term(one.amount), one.keep
    kept = term(value)
    rows.append(
        [
            *(TARGETS.index(one.target), SIGNALS.index(amount.signal), amount.times, amount.plus),
            *(WAITS.index(one.wait), register, SIGNALS.index(kept.signal), kept.times, kept.plus),
            *(test or (0, 0.0, after, after)),
        ]
    )
    return len(rows) - 1


def ahead(amount: Amount, keep: tuple[int, Amount] = (-1, 0.0)) -> Do:
    """Drive so many pixels, and wait until they are driven."""
    return Do("ahead", amount, "ahead_done", keep)


def turn(amount: Amount, keep: tuple[int, Amount] = (-1, 0.0)) -> Do:
    """Turn the body right by degrees, and wait until it has turned."""
    return Do("turn", amount, "turn_done", keep)


def gun(amount: Amount, keep: tuple[int, Amount] = (-1, 0.0)) -> Do:
    """Turn the gun right by degrees, and wait until it has turned."""
    return Do("gun", amount, "gun_done", keep)


def turned(amount: Amount) -> Do:
    """Turn the body right by degrees, and wait for that as for a condition."""
    return Do("turn", amount, "turn_met")


def fire(power: Amount) -> Do:
    """Fire, and wait a turn, whether the shot goes off or not."""
    return Do("fire", power, "turn_over")


def scan() -> Do:
    """Scan for a turn; a handler of scans that sees the other robot again begins anew."""
    return Do("scan", wait="turn_over")


def rest() -> Do:
    """Do nothing but handle events."""
    return Do("nothing", wait="event")


def keep(register: int, amount: Amount) -> Do:
    """Remember a value."""
    return Do("nothing", keep=(register, amount))
