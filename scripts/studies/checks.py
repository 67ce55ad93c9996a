"""What several commands accept: sides of a board of Walls, lists without repetitions, champions."""

from collections.abc import Sequence

from jaxgp.errors import UsageError, reject

LARGEST = 99
"""Side of a board of Walls."""
SIDE, SIDES = f"an odd number from 3 to {LARGEST}", f"odd numbers from 3 to {LARGEST}"


def side(number: int) -> bool:
    """Return whether a board of Walls can have this side."""
    return number % 2 == 1


def once(options: object, names: Sequence[str]) -> None:
    """Refuse lists of a dataclass of options in which a number comes twice; raises UsageError."""
    for name in names:
        values = getattr(options, name)
        if len(set(values)) < len(values):
            reject(name, list(values), "each number once")


def some_champions(runs: Sequence[str], prefix: str, name: str = "runs") -> None:
    """Refuse a command that names no champions; raises UsageError."""
    if not runs:
        raise UsageError(f"{prefix}{name}: which champions? Write {name}=[DIR,DIR], run directories or champion files")
