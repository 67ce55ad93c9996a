"""An engine that says what positions of chess are worth, through python-chess."""

from typing import TYPE_CHECKING

from envs.chess.notation.uci import PACKAGES
from jaxgp.errors import UsageError
from jaxgp.seats.gtp import find

if TYPE_CHECKING:
    import chess.engine


def check(engine: str, instead: str = "") -> None:
    """Refuse an engine that cannot be asked; `instead` says what is accepted besides. Raises UsageError."""
    try:
        import chess.engine  # noqa: F401
    except ImportError as error:
        raise UsageError(f"python-chess is not installed; accepted: pip install chess{instead}") from error
    try:
        find(engine, PACKAGES)
    except ValueError as error:
        raise UsageError(f"engine: {error}") from error


def begin(engine: str, megabytes: int, tables: str | None) -> "chess.engine.SimpleEngine":
    """Start an engine with one thread, a hash table of some megabytes, and Syzygy tables of a folder if it is named."""
    import chess.engine

    begun = chess.engine.SimpleEngine.popen_uci(find(engine, PACKAGES))
    begun.configure({"Threads": 1, "Hash": megabytes} | ({"SyzygyPath": tables} if tables else {}))
    return begun
