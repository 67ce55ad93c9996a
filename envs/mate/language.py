"""Languages of programs that search for mates: tables 6.2 to 6.4 of the source, and what these tables lack.

`book` is what the tables have. `again` adds `Again`, the tree in itself, and `Depth`, the moves that the solver has
left, without which algorithm 6.3 of the source cannot be written. A program that is told the number of moves has
`Depth` in both.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from envs.chess.language import functions as generic
from envs.mate import terminals
from envs.mate.functions import AGAIN, MATE_IN_ONE, ReadingOptions, functions
from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Levels, Primitive, PrimitiveSet
from jaxgp.options import option, power_of_two
from jaxgp.search.proofs.guided import Order
from jaxgp.search.proofs.lazy import Exponents

ROOT = 1000.0
CONSTANTS = Levels(tuple(sorted(sign * ROOT / n for n in (1, 2, 3, 4) for sign in (-1, 1))))
"""Those of chapter 4 of the source, and +-1000."""
AT = {name: n for n, name in enumerate(terminals.SEEN)}
"""The number of each feature; the moves left are the one after them."""
ERC = Primitive("ERC", domain=CONSTANTS, python="{value}", latex="{value}")
COUNT = Primitive("Count", domain=Levels(tuple(map(float, range(9)))), python="{value}", latex="{value}")
"""What terminals that count can be compared with; the source has no such constants."""
DEPTH = Primitive("Depth", feature=len(AT), latex="\\mathrm{{Depth}}")
WEIGHT = Floats(-16.0, 16.0)
"""Replies that one of what a terminal counts stands for."""
SEEN_WEIGHT = Floats(-4.0, 4.0)
"""Exponents of first numbers that it stands for."""
REPLIED = {"NumNotMovesOppKing": 6, "IsMaterialChange": 0}
"""Terminals that the search lazy weighs where the solver is to move, and what is taken from them, about their mean."""
MOVED = {
    **REPLIED,
    "IsCheck": 0,
    "OppKingProximityToEdges": 2,
    "IsNextMoveForced": 0,
    "NumMyPiecesCanCheck": 2,
    "NumOppPiecesAttacked": 1,
    "IsOppKingProtectingPiece": 0,
    "DidNumAttackingKingIncrease": 0,
}
"""Those that it weighs where the other side is to move."""
LAZY = (
    *Exponents._fields,
    *(f"{side}_{number}:{name}" for side, names in (("and", MOVED), ("or", REPLIED)) for number in ("pn", "dn")
      for name in names),
)  # fmt: skip
"""The weights of the search lazy: of its own exponents, and of terminals in its first proof and disproof numbers."""
TYPE_SETS = tuple((kind, ("query",)) for kind in (FLOAT, BOOL))


@dataclass(frozen=True)
class Options(ReadingOptions):
    """What programs are made of, and what they are told."""

    language: Literal["book", "again"] = option(
        "book", "book: the tables of the source; again: also the tree in itself, and the moves left"
    )
    told: bool = option(True, "whether programs know how many moves they may make; else they may make `deepest`")
    near: int = option(2, "king steps within which a square is close to the king", low=1, high=7)
    deepest: int = option(5, "the most moves that a program makes on a line", low=1, high=8)
    stop: bool = option(False, "whether the first move that is worth 1000 is the last that is tried")
    counts: bool = option(False, "whether 0 to 8 are constants too, for what is counted")
    remember: bool = option(
        False,
        "whether a search keeps what the tree in itself was worth on a board with so many moves left; what the board "
        "came from is not asked",
    )
    entries: int = power_of_two(
        1024, "of the table in which it is kept; a new one replaces an old one", low=2, high=2**20
    )
    frames: int = option(
        48, "functions of a program that may wait for each other; programs that need more are not run", low=2, high=512
    )


def seen(name: str) -> Primitive:
    """Return the terminal that shows a feature."""
    kind = FLOAT if name in terminals.NUMBERS else "query"
    return Primitive(name, kind, feature=AT[name], latex="\\mathrm{{" + name + "}}")


def shown(makes: bool) -> tuple[Primitive, ...]:
    """Return the terminals of tables 6.3 and 6.4; `makes`: with the one that makes moves."""
    chess = [seen(name) for name in terminals.CHESS]
    place = terminals.CHESS.index("IsOppKingStuck")
    return (*chess[:place], *[MATE_IN_ONE] * makes, *chess[place:], *(seen(name) for name in terminals.MATE))


@lru_cache(maxsize=32)
def primitive_set(options: Options) -> PrimitiveSet:
    """Build the language of programs that make moves."""
    depth = options.told or options.language == "again"
    readings = "-".join(
        [options.reply, options.iter, *["made"] * options.made, *["cutoff"] * options.cutoff, f"near{options.near}"]
    )
    return PrimitiveSet(
        f"mate-{options.language}{'-told' * options.told}{'-counts' * options.counts}-{readings}",
        (*shown(True), ERC, *[COUNT] * options.counts, *[DEPTH] * depth, *[AGAIN] * (options.language == "again")),
        (*functions(AT, options), *generic()),
        type_sets=TYPE_SETS,
    )


@dataclass(frozen=True)
class GuideOptions:
    """What trees that order moves see, and the search that they guide."""

    told: bool = option(True, "whether searches know how many moves a problem allows; else they deepen from 1")
    near: int = option(2, "king steps within which a square is close to the king", low=1, high=7)
    deepest: int = option(5, "the most moves of the solver", low=1, high=8)
    entries: int = power_of_two(
        1024, "entries of the table of each search; a search by proof numbers ends where it is full", low=2, high=2**20
    )
    within: Literal["deepening", "proof"] = option(
        "deepening",
        "the search: depth first, with two trees, which order moves, or by proof numbers, with a third one, for first "
        "numbers",
    )
    equal: Order = option(
        "list",
        "the order of the solver's moves of equal value, depth first: that of the list, or by the number of replies, "
        "as the search few has it; less: all are ordered by value less the number of replies",
    )


@lru_cache(maxsize=8)
def guide_set(options: GuideOptions) -> PrimitiveSet:
    """Build the language of trees that guide: for moves of the solver, for replies, and for first numbers."""
    third = options.within == "proof"
    return PrimitiveSet(
        f"mate-guide{'-proof' * third}-near{options.near}",
        (*shown(False), ERC, DEPTH),
        generic(),
        roots=(FLOAT,) * (2 + third),
        type_sets=TYPE_SETS,
    )


@dataclass(frozen=True)
class WeightsOptions:
    """What weights stand before, and the search that they guide."""

    told: bool = option(True, "whether searches know how many moves a problem allows; else they deepen from 1")
    near: int = option(2, "king steps within which a square is close to the king", low=1, high=7)
    deepest: int = option(5, "the most moves of the solver", low=1, high=8)
    entries: int = power_of_two(
        1024, "entries of the table of each search; lazy ends where it is full", low=2, high=2**20
    )
    within: Literal["few", "lazy", "flights"] = option(
        "few",
        "the search: few, whose order they correct, or lazy or flights, to whose exponents of numbers they are added",
    )


@lru_cache(maxsize=16)
def weight_set(near: int, within: str = "few") -> PrimitiveSet:
    """Build the set of vectors of weights: a tree for each of them, which is a constant."""
    lazy = within != "few"
    names = LAZY if lazy else (*terminals.CHESS, *terminals.MATE)
    domain = {name: SEEN_WEIGHT if lazy and name not in Exponents._fields else WEIGHT for name in names}
    return PrimitiveSet(
        f"mate-weights{'-lazy' * lazy}-near{near}",
        # Each has a type of its own, so that no weight takes the place of another's.
        tuple(Primitive(f"weight:{name}", name, domain=domain[name]) for name in names),
        (),
        roots=names,
    )
