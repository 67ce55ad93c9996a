"""Limits on the value of one option, and how all commands word them."""

import math
from collections.abc import Sequence

from jaxgp.errors import reject

MAX_SEED = 2**32 - 1
MAX_CORES = 1024


def choice(option: str, value: object, accepted: Sequence[str]) -> str:
    """Return a value that is one of those `accepted`; raises UsageError for any other."""
    if value not in accepted:
        reject(option, value, ", ".join(accepted))
    return str(value)


def whole(option: str, value: object, low: int, high: int | None = None, limit: str = "", or_null: bool = False) -> int:
    """Return a value that is a whole number.

    Args:
        option: what it is called.
        value: what was given; no truth value.
        low: the least that is accepted.
        high: the greatest; None: there is none.
        limit: where `high` comes from, in words.
        or_null: whether null would be accepted; the caller lets it pass.

    Raises:
        UsageError: anything else.
    """
    if isinstance(value, int) and not isinstance(value, bool) and low <= value and (high is None or value <= high):
        return value
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
        option: what it is called.
        value: what was given.
        low: the least that is accepted; None: there is none.
        high: the greatest; None: there is none.
        above: whether `low` itself is too little.
        unit: what it counts, as in "seconds".
        or_null: whether null would be accepted; the caller lets it pass.

    Raises:
        UsageError: anything else.
    """
    inside = (low is None or (value > low if above else value >= low)) and (high is None or value <= high)
    if math.isfinite(value) and inside:
        return value
    lower = "" if low is None else (f" above {low:g}" if above else f" from {low:g}")
    upper = "" if high is None else f" {'up ' if above else ''}to {high:g}"
    counted = f" of {unit}" if unit else ""
    reject(option, value, f"a number{counted}{lower}{upper}" + (", or null" if or_null else ""))


def check_cores(value: int | None) -> None:
    """Check of how many cores something is to make use; None: of those that there are. Raises UsageError."""
    if value is not None:
        whole("cores", value, 1, MAX_CORES, or_null=True)
