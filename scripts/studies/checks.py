"""Checks of lists of numbers on the command line."""

from collections.abc import Sequence

from jaxgp.errors import reject

LARGEST = 99
"""Side of a board of Walls."""
DEEPEST = 24
"""Plies of a search."""


def sides(name: str, values: Sequence[int], high: int = LARGEST, why: str = "") -> None:
    """Refuse sides that no board of Walls has, and an empty list.

    Args:
        name: of the option.
        values: its value.
        high: the greatest side.
        why: where `high` comes from.

    Raises:
        UsageError: the message names the option, its value and what is accepted.
    """
    if not values:
        reject(name, "[]", f"at least one odd number from 3 to {high}")
    for value in values:
        if value % 2 == 0 or not 3 <= value <= high:
            reject(name, value, f"odd numbers from 3 to {high}{why}")
    once(name, values)


def listed(name: str, values: Sequence[int], low: int, high: int) -> None:
    """Refuse numbers out of a range, and those that come twice; raises UsageError."""
    for value in values:
        if not low <= value <= high:
            reject(name, value, f"whole numbers from {low} to {high}")
    once(name, values)


def once(name: str, values: Sequence[int]) -> None:
    """Refuse a list in which a number comes twice; raises UsageError."""
    if len(set(values)) < len(values):
        reject(name, list(values), "each number once")
