"""The functions that make moves: table 6.2 of the source. What it leaves open is stated in `docs/mate_programs.md`.

Source: M. Sipper, "Evolved to Win" (2011), chapter 6.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jaxgp.genotypes.moves import ONE, REPLIES, WON, Moves
from jaxgp.genotypes.primitives import BOOL, FLOAT, Primitive
from jaxgp.options import option

TRAITS = ("CapturesClose", "PinsClose", "AttacksKing", "ClearsWay", "SuicideCheck")
"""What moves are passed over for, features of the board after them."""
GATES = ("HasCheck", "KingMustMove")
"""What lets functions try moves at all, features of the board."""


@dataclass(frozen=True)
class ReadingOptions:
    """How the table is read where it says less than a program needs."""

    reply: Literal["first", "worst"] = option(
        "first", "what IfForAllOpponentMoves returns: F1 after the first reply, or the least of F1 after each"
    )
    iter: Literal["all", "first"] = option(
        "all", "whether MyMoveIter tries all moves for which B1 is true, or the first one alone"
    )
    made: bool = option(
        False, "whether IfExistsCheckingMove, IfClearingWayMove and IfSuicideCheck make the move that they find"
    )
    cutoff: bool = option(
        False,
        "whether a greatest value of 1000, and a least one of -1000, ends the search for a better one",
    )


def functions(features: Mapping[str, int], readings: ReadingOptions) -> tuple[Primitive, ...]:
    """Return the twelve functions, in the order of the table.

    Args:
        features: the number of each of `TRAITS` and `GATES`.
        readings: how the table is read.
    """
    value, kept, cutoff = (FLOAT,), not readings.made, readings.cutoff

    def made(name: str, args: tuple[str, ...], moves: Moves) -> Primitive:
        return Primitive(name, FLOAT, args, moves=moves, latex="\\mathrm{{" + name + "}}(" + _places(len(args)) + ")")

    def tests(count: int, results: int) -> tuple[str, ...]:
        return (BOOL,) * count + value * results

    mine: Literal["solver"] = "solver"
    return (
        made("IfMyMoveExistsSuchThat", tests(1, 2), Moves("first", mine, (0,), 1, 2)),
        made(
            "IfForAllOpponentMoves",
            tests(1, 2),
            Moves("every", "other", (0,), 1, 2, worst=readings.reply == "worst", cutoff=cutoff),
        ),
        made("MakeBestMove", value, Moves("best", "both", (), 0, 0, cutoff=cutoff)),
        made("MakeAllMovesSuchThat", tests(1, 2), Moves("best", "both", (0,), 1, 2, cutoff=cutoff)),
        made(
            "IfExistsCheckingMove",
            tests(0, 2),
            Moves("first", mine, (), 0, 1, forcing=True, gate=features["HasCheck"], here=kept),
        ),
        made(
            "MyMoveIter",
            tests(2, 2),
            Moves("first", mine, (0, REPLIES), 2, 3, replies=1, once=readings.iter == "first"),
        ),
        made("IfKingMustMove", tests(0, 2), Moves("first", "other", (), 0, 1, gate=features["KingMustMove"])),
        made("IfCaptureCloseToKingMove", tests(0, 2), Moves("first", mine, (), 0, 1, trait=features["CapturesClose"])),
        made("IfPinCloseToKingMove", tests(0, 2), Moves("first", mine, (), 0, 1, trait=features["PinsClose"])),
        made("IfAttackingKingMove", tests(0, 2), Moves("first", mine, (), 0, 1, trait=features["AttacksKing"])),
        made(
            "IfClearingWayMove",
            tests(0, 2),
            Moves("first", mine, (), 0, 1, trait=features["ClearsWay"], here=kept),
        ),
        made(
            "IfSuicideCheck",
            tests(1, 2),
            Moves("first", mine, (0,), 1, 2, forcing=True, trait=features["SuicideCheck"], here=kept),
        ),
    )


MATE_IN_ONE = Primitive(
    "IsMateInOneOrLess",
    "query",
    moves=Moves("first", "solver", (WON,), ONE, WON, forcing=True),
    latex="\\mathrm{{IsMateInOneOrLess}}",
)
"""Of table 6.3: on the solver's turn it makes the checks, one after the other, up to the first mate."""
AGAIN = Primitive("Again", FLOAT, moves=Moves("again"), latex="\\mathrm{{Again}}")
"""The whole tree on this board, with fewer moves left."""


def _places(count: int) -> str:
    return ";\\ ".join("{" + str(n) + "}" for n in range(count))
