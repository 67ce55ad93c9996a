"""Checks of single values that no dataclass of options declares; the message names the value and what is accepted."""

import math
import numbers
from collections.abc import Sequence
from typing import Any

from jaxgp.errors import reject


def is_power_of_two_or_zero(number: int) -> bool:
    """Return whether a number, at least 0, is a power of two, or 0."""
    return number & (number - 1) == 0


def divisors(number: int) -> list[int]:
    """Return the divisors of a number from 1 on, in ascending order."""
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def check_parts(one: object, **kinds: type) -> None:
    """Check that parts of an object are of the types that it needs; raises UsageError."""
    for name, kind in kinds.items():
        if not isinstance(part := getattr(one, name), kind):
            reject(name, type(part).__name__, f"a {kind.__name__}")


def choice(option: str, value: object, accepted: Sequence[str]) -> str:
    """Return a value that is one of those `accepted`; raises UsageError for any other."""
    if value not in accepted:
        reject(option, value, ", ".join(accepted))
    return str(value)


def whole(option: str, value: Any, low: int, high: int | None = None, limit: str = "", or_null: bool = False) -> int:
    """Return a value that is a whole number.

    Args:
        option: its name, for the message.
        value: the value; true and false are not numbers.
        low: the least number.
        high: the greatest number; None: no limit.
        limit: where `high` comes from, in words.
        or_null: whether null would be accepted; the caller lets it pass.

    Raises:
        UsageError: anything else.
    """
    number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if number and low <= value and (high is None or value <= high):
        return int(value)
    upper = "" if high is None else f" to {high}" + (f" ({limit})" if limit else "")
    reject(option, value, f"a whole number from {low}{upper}" + (", or null" if or_null else ""))


def real(
    option: str,
    value: float,
    low: float | None = None,
    high: float | None = None,
    above: bool = False,
    unit: str = "",
    or_null: bool = False,
) -> float:
    """Return a value that is a finite number.

    Args:
        option: its name, for the message.
        value: the value.
        low: the least number; None: no limit.
        high: the greatest number; None: no limit.
        above: whether the number must be greater than `low`, not equal to it.
        unit: what it counts, as in "seconds".
        or_null: whether null would be accepted; the caller lets it pass.

    Raises:
        UsageError: anything else.
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    if number and (low is None or (value > low if above else value >= low)) and (high is None or value <= high):
        return float(value)
    lower = "" if low is None else (f" above {low:g}" if above else f" from {low:g}")
    upper = "" if high is None else f" {'up ' if above else ''}to {high:g}"
    counted = f" of {unit}" if unit else ""
    reject(option, value, f"a number{counted}{lower}{upper}" + (", or null" if or_null else ""))
