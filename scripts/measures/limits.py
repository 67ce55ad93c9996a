"""What a machine could do at most, by the kind of work: the measure beside which a rate is read. Needs only Python.

On a CPU with AVX2, by cores and clock; the figures in brackets are for two cores of 2.45 GHz:

- interpreter, many positions a program: one vector operation of eight float32 lanes a cycle, the two operands and the
  value in L1, whose two loads and one store a cycle hide behind it [3.9e10 node evaluations/s];
- interpreter, two positions a program: a node costs an indirect jump whose target cannot be foreseen, some 20 cycles,
  and both positions share it [4.9e8];
- Othello, random moves: the discs turned over and the legal squares take some 250 operations on 64 bits, of which two
  units with four lanes do eight a cycle: 31 cycles a move [7.9e7 for each core].

On a GPU, by its memory and its units:

- plain XLA: the stack lies in memory, and a node evaluation moves some 20 bytes, which are two operands, the value, and
  a row read and written as the loop copies [1.7e11 at the 3.35 TB/s of an H100, 2.4e11 at the 4.8 TB/s of an H200];
- a kernel that keeps the stack on the chip: 5 to 11 instructions a node on 132 units of 128 lanes at 1.7 GHz; the
  cautious end is taken [2.6e12];
- Othello: some 1,450 operations on 32 bits a move, drawing included [2.0e10].

A limit is an estimate by counting, not a measurement; what nobody has counted has none.
"""

from typing import NamedTuple

LANES = 8
"""float32 numbers of a vector of AVX2."""
DECODING = 20
"""Cycles of a jump that was not foreseen."""
OTHELLO_CPU = 31
"""Cycles of a move of Othello on a core."""
BYTES = 20
"""That a node evaluation moves in plain XLA."""
KERNEL = 11
"""Instructions of a node evaluation in a kernel."""
OTHELLO_GPU = 1450
"""Operations of a move of Othello on a lane of a GPU."""


class Chip(NamedTuple):
    """A GPU: bytes a second of its memory, and 32-bit operations a second of all its lanes."""

    bandwidth: float
    operations: float


CHIPS = {"H100": Chip(3.35e12, 132 * 128 * 1.7e9), "H200": Chip(4.8e12, 132 * 128 * 1.7e9)}
"""By a word in the name of the device."""
CPU_CLOCK = 2.45e9
"""Of the machine that the limits were first computed for; taken where a system does not say."""


def on_cpu(work: str, cores: int, megahertz: float | None) -> float | None:
    """Return units a second that a CPU could do of some work; None: nobody has counted.

    Args:
        work: `interpreter`, `interpreter in games` or `othello`.
        cores: that work.
        megahertz: their clock; None: `CPU_CLOCK`.
    """
    cycles = cores * (megahertz * 1e6 if megahertz else CPU_CLOCK)
    limits = {
        "interpreter": cycles * LANES,
        "interpreter in games": 2 * cycles / DECODING,
        "othello": cycles / OTHELLO_CPU,
    }
    return limits.get(work)


def on_gpu(work: str, device: str, kernel: bool = False) -> float | None:
    """Return units a second that a GPU could do of some work; None: nobody has counted, or the device is not known.

    Args:
        work: `interpreter`, `interpreter in games` or `othello`.
        device: its name.
        kernel: whether the interpreter is a kernel of its own.
    """
    chip = next((chip for word, chip in CHIPS.items() if word in device), None)
    if chip is None:
        return None
    interpreter = chip.operations / KERNEL if kernel else chip.bandwidth / BYTES
    return {
        "interpreter": interpreter,
        "interpreter in games": interpreter,
        "othello": chip.operations / OTHELLO_GPU,
    }.get(work)
