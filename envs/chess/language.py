"""What programs that value positions of chess see, and what they are made of: tables 4.1 to 4.3 of the source.

Source: M. Sipper, "Evolved to Win" (2011), chapters 4 and 5, figure 12.1. A program sees the position after a move. The
player is the side that has moved, its opponent the other one, whose turn it is. `docs/chess_programs.md` has a
sentence for each terminal. A truth value is a query: 0 or 1, or the number of its name, where a number is wanted, and
true where not 0.

The source leaves these points open:

- A piece is any man, the king too; nothing is said to attack where the king is all that is counted by its value, 0.
- The king's distance from the edges is 0 to 3, its proximity 3 minus that. King and rook: the nearest rook of the same
  side, in steps of a king, or 7 minus these; 0 without a rook.
- A fork is one man that attacks two or more of the other side, the king included.
- Without retaliation: a man is taken, and taking back on that square does not cost as much. A king takes, and takes
  back, where it may. Men that are pinned attack as others do.
- Two men protect each other if each of them could take back on the square of the other.
- The king is stuck if each of its legal moves brings it closer to the edges, so also where it has none.
- A king is behind a man of its side that a man of the other side attacks along a ray, if it is on this ray, two or more
  squares beyond it.
- A pin is absolute: the man stands between its king and a man that would attack it.
- NotMyKingInCheck is always true after a legal move.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.geometry import (
    OFF,
    QUEEN,
    ROOK,
    SQUARES,
    Board,
    Relation,
    around,
    batch_last,
    checking_moves,
    escapes,
    legal_moves,
    line,
    relate,
    strikes,
)
from envs.chess.rules import VALUES, moved
from envs.chess.sums import further
from envs.chess.sums.further import FURTHER
from jaxgp.arrays import apart
from jaxgp.bits import nth_square
from jaxgp.errors import reject
from jaxgp.genotypes.primitives import BOOL, FLOAT, Domain, Floats, Levels, Primitive, PrimitiveSet
from jaxgp.options import option

MAX = 1000.0
FRACTIONS = {"figure": (1, 2, 4), "table": (2, 3, 4)}
"""What divides the constants, by their sets: of figure 12.1, and of chapter 4."""
SIMPLE = (
    "NotMyKingInCheck",
    "IsOppKingInCheck",
    "MyKingDistEdges",
    "OppKingProximityToEdges",
    "NumMyPiecesNotAttacked",
    "NumOppPiecesAttacked",
    "ValueMyPiecesAttacking",
    "ValueOppPiecesAttacking",
    "IsMyQueenNotAttacked",
    "AreMyPiecesUnattacked",
    "IsOppQueenAttacked",
    "IsMyFork",
    "IsOppNotFork",
    "NumMovesMyKing",
    "NumNotMovesOppKing",
    "MyKingProxRook",
    "OppKingDistRook",
    "MyPiecesSameLine",
    "OppPiecesNotSameLine",
    "IsOppKingProtectingPiece",
    "IsMyKingProtectingPiece",
)
"""Table 4.2."""
COMPLEX = (
    "EvaluateMaterial",
    "100*IsMaterialIncrease",
    "1000*IsMate",
    "-1000*IsMateInOne",
    "OppPieceCanBeCaptured",
    "MyPieceCannotBeCaptured",
    "IsOppKingStuck",
    "IsMyKingNotStuck",
    "IsOppKingBehindPiece",
    "IsMyKingNotBehindPiece",
    "IsOppPiecePinned",
    "IsMyPieceNotPinned",
)
"""Table 4.3; the factors are those of figure 5.1."""
EXTRA = ("IsStalemate",)
"""In the text, in no table."""
DEEPEST = 4
"""Plies of a search; with six men each more takes about thirty times as long."""
STAGES = {
    "first": (
        "IsMyKingInCheck",
        "IsOppKingInCheck",
        "IsMyPieceAttacked",
        "IsOppPieceAttacked",
        "EvaluateMaterial",
        "NumMovesMyKing",
        "NumMovesOppKing",
        "IsMyPieceProtected",
        "IsOppPieceProtected",
        "IsMyQueenAttacked",
        "IsOppQueenAttacked",
        "1000*IsMate",
    ),
    "later": (
        "NotMyKingInCheck",
        "IsOppKingInCheck",
        "MyKingDistEdges",
        "OppKingProximityToEdges",
        "EvaluateMaterial",
        "100*IsMaterialIncrease",
        "NumMyPiecesNotAttacked",
        "NumOppPiecesNotAttacked",
        "IsMyKingProtectingPiece",
        "IsMyPieceAttackedUnprotected",
        "IsOppKingBehindPiece",
        "IsMyQueenNotAttacked",
        "IsOppQueenAttacked",
        "1000*IsMate",
        "IsStalemate",
    ),
}
"""The terminals of the first two of the three steps of figure 12.1, as far as they are told there: `MaterialCount` is
EvaluateMaterial; whether a king has fewer moves than before is left out."""
NUMBERS = frozenset(
    {
        "MyKingDistEdges",
        "OppKingProximityToEdges",
        "NumMyPiecesNotAttacked",
        "NumOppPiecesAttacked",
        "ValueMyPiecesAttacking",
        "ValueOppPiecesAttacking",
        "NumMovesMyKing",
        "NumNotMovesOppKing",
        "MyKingProxRook",
        "OppKingDistRook",
        "EvaluateMaterial",
        "NumMovesOppKing",
        "NumOppPiecesNotAttacked",
        *FURTHER,
    }
)
"""The terminals that are no truth values."""


@dataclass(frozen=True)
class Options:
    """Which trees value a position, and what they are made of."""

    trees: Literal["three", "one"] = option(
        "three", "three: a tree each for positions with more, as much, and less material than the other side; one tree"
    )
    phase: Literal["before", "after"] = option(
        "before", "of three trees, which position chooses: the one before the move, or the one after it"
    )
    erc: Literal["figure", "table", "inverses"] = option(
        "figure",
        "constants; figure: +-1000, +-500, +-250; table: +-500, +-333.3, +-250; inverses: these and one divided by "
        "each of these",
    )
    ties: Literal["lot", "first"] = option("lot", "which of equal moves is played: one of them by lot, or the first")
    extra: bool = option(False, "whether programs may use IsStalemate, which the tables of the source do not have")
    stage: Literal["final", "first", "later"] = option(
        "final",
        "the language; final: that of the tables of the source; first, later: what it began with, by its figure 12.1, "
        "for one tree",
    )

    def laws(self, prefix: str) -> None:
        """Refuse three trees of early programs; raises UsageError."""
        if self.stage != "final" and self.trees != "one":
            reject(prefix + "trees", self.trees, f"one, with {prefix}stage={self.stage}")

    @property
    def terminals(self) -> tuple[str, ...]:
        """The names of the terminals that see the position, in the order of what programs see."""
        if self.stage != "final":
            return STAGES[self.stage]
        return (*SIMPLE, *COMPLEX, *(EXTRA if self.extra else ()))


@dataclass(frozen=True)
class LeafOptions:
    """How deep the search is, and what the one tree is made of that values its leaves."""

    depth: int = option(2, "plies of the search whose leaves a program values", low=1, high=DEEPEST)
    erc: Literal["figure", "table", "inverses"] = option("figure", "constants, as those of role move")
    extra: bool = option(False, "whether programs may use IsStalemate, which the tables of the source do not have")


class After(NamedTuple):
    """What a move leads to."""

    men: Array  # int8[*B, 2, S]: the side to move, the opponent, first
    kinds: Array  # int8[*B, 2, S]
    captured: Array  # bool[*B]


def view(after: After, names: tuple[str, ...] = (*SIMPLE, *COMPLEX, *EXTRA)) -> Array:
    """Return float32[F, *B]: what programs see of positions after moves, these terminals in their order."""
    men, kinds = (jnp.moveaxis(x, (-2, -1), (0, 1)) for x in after[:2])

    @batch_last
    def features(board: Board, captured: Array) -> Array:
        found = terminals(board, captured)
        return jnp.stack([found[name].astype(jnp.float32) for name in names])

    seen: Array = features(Board(men, kinds), after.captured)
    return seen


def terminals(board: Board, captured: Array) -> dict[str, Array]:
    """Return each terminal, [*B]; the player is the second side of the board."""
    size = board.men.shape[1]
    men, kinds = (x.reshape(-1, *x.shape[2:]) for x in board)
    seen = apart(lambda: relate(men, men))
    struck, without = apart(lambda: _attacks(kinds, seen))
    there = board.men < OFF
    worth = jnp.where(there, jnp.asarray(VALUES)[board.kinds], np.int8(0))
    opp, my = slice(0, size), slice(size, 2 * size)
    hits, hit = struck[my, opp], struck[opp, my]
    queens = there & (board.kinds == QUEEN)
    opp_moves, my_moves = apart(lambda: (escapes(board, 0), escapes(board, 1)))
    pins = apart(lambda: [line(board, side).pinned for side in range(2)])
    moves = legal_moves(board)
    stuck = (moves.words == 0).all((0, 1))
    edges = [to_edge(board.men[side, 0]) for side in range(2)]
    goals = [to_edge(around(board.men[side, 0])) for side in range(2)]
    rooks = [_nearest_rook(board, side) for side in range(2)]
    return {
        "NotMyKingInCheck": ~hit[:, 0].any(0),
        "IsOppKingInCheck": hits[:, 0].any(0),
        "MyKingDistEdges": edges[1],
        "OppKingProximityToEdges": 3 - edges[0],
        "NumMyPiecesNotAttacked": (there[1] & ~hit.any(0)).sum(0),
        "NumOppPiecesAttacked": hits.any(0).sum(0),
        "ValueMyPiecesAttacking": jnp.where(hits.any(1), worth[1], 0).sum(0),
        "ValueOppPiecesAttacking": jnp.where(hit.any(1), worth[0], 0).sum(0),
        "IsMyQueenNotAttacked": ~(queens[1] & hit.any(0)).any(0),
        "AreMyPiecesUnattacked": ~hit.any((0, 1)),
        "IsOppQueenAttacked": (queens[0] & hits.any(0)).any(0),
        "IsMyFork": (hits.sum(1) >= 2).any(0),
        "IsOppNotFork": ~(hit.sum(1) >= 2).any(0),
        "NumMovesMyKing": my_moves.sum(0),
        "NumNotMovesOppKing": 8 - opp_moves.sum(0),
        "MyKingProxRook": jnp.where(rooks[1] < 8, 7 - rooks[1], 0),
        "OppKingDistRook": jnp.where(rooks[0] < 8, rooks[0], 0),
        "MyPiecesSameLine": (struck[my, my] & struck[my, my].swapaxes(0, 1)).any((0, 1)),
        "OppPiecesNotSameLine": ~(struck[opp, opp] & struck[opp, opp].swapaxes(0, 1)).any((0, 1)),
        "IsOppKingProtectingPiece": struck[0, opp].any(0),
        "IsMyKingProtectingPiece": struck[size, my].any(0),
        "EvaluateMaterial": worth[1].sum(0) - worth[0].sum(0),
        "100*IsMaterialIncrease": 100 * captured,
        "1000*IsMate": 1000 * (stuck & (moves.checks > 0)),
        "-1000*IsMateInOne": -1000 * mate_in_one(board, moves.words),
        "OppPieceCanBeCaptured": _winning_capture(worth, size, 1, struck, without),
        "MyPieceCannotBeCaptured": ~_winning_capture(worth, size, 0, struck, without),
        "IsOppKingStuck": ~(opp_moves & (goals[0] >= edges[0])).any(0),
        "IsMyKingNotStuck": (my_moves & (goals[1] > edges[1])).any(0),
        "IsOppKingBehindPiece": _behind(seen, struck, my, opp).any((0, 1)),
        "IsMyKingNotBehindPiece": ~_behind(seen, struck, opp, my).any((0, 1)),
        "IsOppPiecePinned": (pins[0] != 0).any(0),
        "IsMyPieceNotPinned": ~(pins[1] != 0).any(0),
        "IsStalemate": stuck & (moves.checks == 0),
        "IsMyKingInCheck": hit[:, 0].any(0),
        "IsMyPieceAttacked": hit.any((0, 1)),
        "IsOppPieceAttacked": hits.any((0, 1)),
        "NumMovesOppKing": opp_moves.sum(0),
        "IsMyPieceProtected": struck[my, my].any((0, 1)),
        "IsOppPieceProtected": struck[opp, opp].any((0, 1)),
        "IsMyQueenAttacked": (queens[1] & hit.any(0)).any(0),
        "NumOppPiecesNotAttacked": (there[0] & ~hits.any(0)).sum(0),
        "IsMyPieceAttackedUnprotected": (there[1] & hit.any(0) & ~struck[my, my].any(0)).any(0),
        **further.terminals(board, seen, moves.words, _loses),
    }


def _loses(board: Board) -> Array:
    """Return bool[*B]: whether the side to move has a capture that wins material."""
    size = board.men.shape[1]
    men, kinds = (x.reshape(-1, *x.shape[2:]) for x in board)
    worth = jnp.where(board.men < OFF, jnp.asarray(VALUES)[board.kinds], np.int8(0))
    return _winning_capture(worth, size, 0, *_attacks(kinds, relate(men, men)))


def to_edge(squares: Array) -> Array:
    """Return int8[...]: the distance of squares from the nearest edge, 0 to 3."""
    x, y = squares & 7, squares >> 3
    return jnp.minimum(jnp.minimum(x, 7 - x), jnp.minimum(y, 7 - y))


def _attacks(kinds: Array, seen: Relation) -> tuple[Array, Array]:
    """Return bool[N, N, *B], which men attack which; and bool[N, N, N, *B], the same if a man, the first, were gone."""
    strike = strikes(kinds, seen)
    count = jnp.zeros(strike.shape, jnp.int8)
    stands = []
    for n in range(len(kinds)):
        same = (seen.code[:, n, None] == seen.code) & (seen.code != 0)
        stands.append(same & (seen.distance[:, n, None] < seen.distance))
        count += stands[-1].astype(jnp.int8)
    without = jnp.stack([strike & (count - one.astype(jnp.int8) == 0) for one in stands])
    return strike & (count == 0), without


def _winning_capture(worth: Array, size: int, side: int, struck: Array, without: Array) -> Array:
    """Return bool[*B]: whether a side has a capture that wins material even if it is answered on the same square."""
    mine = range(side * size, (side + 1) * size)
    theirs = range((1 - side) * size, (2 - side) * size)
    found = jnp.zeros(struck.shape[2:], bool)
    for attacker in mine:
        for victim in theirs[1:]:
            seen = without[attacker, :, victim]  # who reaches the square once the attacker has left its own
            helped = [seen[one] for one in mine if one != attacker]
            alone = ~jnp.stack(helped).any(0) if helped else jnp.bool_(True)
            men = [seen[one] for one in theirs[1:] if one != victim]
            answered = seen[theirs[0]] & alone
            for one in men:
                answered |= one
            gain, price = worth[1 - side, victim - theirs[0]], worth[side, attacker - mine[0]]
            wins = gain - jnp.where(answered, price, 0) > 0
            wins &= ~answered if attacker == mine[0] else True
            found |= struck[attacker, victim] & wins
    return found


def _behind(seen: Relation, struck: Array, attackers: slice, side: slice) -> Array:
    """Return bool[S, S - 1, *B]: along which attacks on men of a side its king is two or more squares beyond."""
    code, distance = seen.code[attackers, side], seen.distance[attackers, side]
    beyond = (code[:, 1:] == code[:, :1]) & (code[:, 1:] != 0) & (distance[:, :1] - distance[:, 1:] >= 2)
    return struck[attackers, side][:, 1:] & beyond


def _nearest_rook(board: Board, side: int) -> Array:
    """Return int8[*B]: steps of a king from the king of a side to its nearest rook; 8 without one."""
    king, men = board.men[side, 0], board.men[side]
    far = jnp.maximum(jnp.abs((men & 7) - (king & 7)), jnp.abs((men >> 3) - (king >> 3)))
    return jnp.where((men < OFF) & (board.kinds[side] == ROOK), far, np.int8(8)).min(0)


@batch_last
def mate_in_one(board: Board, words: Array) -> Array:
    """Return bool[*B]: whether the side to move, whose legal moves are `words`, can give mate."""
    words = checking_moves(board, words)
    counts = lax.population_count(words).astype(jnp.int32).sum((0, 1))
    flat = tuple(words[n, w] for n in range(len(words)) for w in range(2))

    def one(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        place, found = carry
        action = nth_square(flat, place + 0 * counts)
        men, kinds, _ = moved(board, action // SQUARES, (action % SQUARES).astype(jnp.int8))
        after = legal_moves(Board(men, kinds))
        mate = (after.words == 0).all((0, 1)) & (after.checks > 0)
        return place + 1, found | (mate & (place < counts))

    start = jnp.int32(0), jnp.zeros(counts.shape, bool)
    return lax.while_loop(lambda carry: carry[0] < counts.max(), one, start)[1]


def constants(kind: str) -> Levels:
    """Return the values of a set of constants."""
    positive = [MAX / n for n in FRACTIONS["figure" if kind == "figure" else "table"]]
    positive += [1 / value for value in positive] if kind == "inverses" else []
    return Levels(tuple(sorted([*positive, *(-value for value in positive)])))


@lru_cache(maxsize=16)
def primitive_set(options: Options) -> PrimitiveSet:
    """Build the set: three trees for more, as much, and less material, or one."""

    def terminal(name: str, at: int) -> Primitive:
        latex = "\\mathrm{{" + name.replace("*", "\\,") + "}}"
        return Primitive(name, FLOAT if name in NUMBERS else "query", feature=at, latex=latex)

    final = options.stage == "final"
    domain: Domain = constants(options.erc) if final else Floats(-MAX, MAX)
    erc = Primitive("ERC", domain=domain, python="{value}", latex="{value}")
    suffix = "-".join([options.trees, options.erc, *(["extra"] if options.extra else [])])
    return PrimitiveSet(
        f"chess-{suffix if final else options.stage}",
        (erc, *(terminal(name, at) for at, name in enumerate(options.terminals))),
        functions() if final else (*functions(), *_early(options)),
        roots=(FLOAT,) * (3 if options.trees == "three" else 1),
        type_sets=tuple((kind, ("query",)) for kind in (FLOAT, BOOL)),
    )


def _early(options: Options) -> tuple[Primitive, ...]:
    """Return the functions of figure 12.1 that the last step does not have."""
    pair, four = (FLOAT,) * 2, (BOOL,) * 4

    def all_of(*args: Array) -> Array:
        return jnp.stack([arg != 0 for arg in jnp.broadcast_arrays(*args)]).all(0)

    def any_of(*args: Array) -> Array:
        return jnp.stack([arg != 0 for arg in jnp.broadcast_arrays(*args)]).any(0)

    many = (
        Primitive("And4", BOOL, four, all_of, python="float(bool({0} and {1} and {2} and {3}))"),
        Primitive("Or4", BOOL, four, any_of, python="float(bool({0} or {1} or {2} or {3}))"),
    )
    if options.stage == "later":
        at = options.terminals.index("EvaluateMaterial")
        return (
            *many,
            Primitive("Negate", FLOAT, (FLOAT,), lambda a: -a, python="-{0}"),
            Primitive(
                "IfAdvantage",
                FLOAT,
                pair,
                lambda features, a, b: jnp.where(features[at] > 0, a, b),
                reads_features=True,
                python=f"({{0}} if {{features}}[{at}] > 0 else {{1}})",
            ),
        )
    return (
        *many,
        Primitive("Larger", BOOL, pair, lambda a, b: a > b, python="float({0} > {1})"),
        Primitive("Add", FLOAT, pair, lambda a, b: a + b, python="({0} + {1})"),
        Primitive("Sub", FLOAT, pair, lambda a, b: a - b, python="({0} - {1})"),
        Primitive("Mul", FLOAT, pair, lambda a, b: a * b, python="({0} * {1})"),
    )


def functions() -> tuple[Primitive, ...]:
    """Return the functions of table 4.1; truth values of any type are 0 or another number."""

    def made(
        name: str, kind: str, args: tuple[str, ...], call: Callable[..., Array], python: str, latex: str, picks: int = 0
    ) -> Primitive:
        settles = {"And": False, "Or": True}.get(name.rstrip("23"))
        return Primitive(name, kind, args, call, picks=picks, settles=settles, python=python, latex=latex)

    two, three, numbers = (BOOL,) * 2, (BOOL,) * 3, (FLOAT,) * 2
    return (
        made(
            "If3",
            FLOAT,
            (BOOL, *numbers),
            lambda held, a, b: jnp.where(held != 0, a, b),
            "({1} if {0} else {2})",
            "\\mathrm{{if}}({0};\\ {1};\\ {2})",
            2,
        ),
        made("Or2", BOOL, two, lambda a, b: (a != 0) | (b != 0), "float(bool({0} or {1}))", "({0} \\vee {1})"),
        made(
            "Or3",
            BOOL,
            three,
            lambda a, b, c: (a != 0) | (b != 0) | (c != 0),
            "float(bool({0} or {1} or {2}))",
            "({0} \\vee {1} \\vee {2})",
        ),
        made("And2", BOOL, two, lambda a, b: (a != 0) & (b != 0), "float(bool({0} and {1}))", "({0} \\wedge {1})"),
        made(
            "And3",
            BOOL,
            three,
            lambda a, b, c: (a != 0) & (b != 0) & (c != 0),
            "float(bool({0} and {1} and {2}))",
            "({0} \\wedge {1} \\wedge {2})",
        ),
        made("Not", BOOL, (BOOL,), lambda a: a == 0, "float(not {0})", "\\neg {0}"),
        made("Smaller", BOOL, numbers, lambda a, b: a < b, "float({0} < {1})", "({0} < {1})"),
        made("Equal", BOOL, numbers, lambda a, b: a == b, "float({0} == {1})", "({0} = {1})"),
    )
