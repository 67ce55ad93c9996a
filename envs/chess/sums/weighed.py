"""Sums that value positions of chess: terminals and products of two of them, each with a weight."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import jax.numpy as jnp
from jax import Array

from envs.chess.language import COMPLEX, EXTRA, NUMBERS, SIMPLE, After, view
from envs.chess.rules import Chess
from envs.chess.sums import further
from jaxgp.errors import reject
from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.options import option

TERMINALS = (*SIMPLE, *COMPLEX, *EXTRA, *further.FURTHER)
BARE = (
    "IsOppKingInCheck",
    "MyKingDistEdges",
    "OppKingProximityToEdges",
    "AreMyPiecesUnattacked",
    "NumMovesMyKing",
    "NumNotMovesOppKing",
    "MyKingProxRook",
    "IsMyKingProtectingPiece",
    "1000*IsMate",
    "MyPieceCannotBeCaptured",
    "IsOppKingStuck",
    "IsMyKingNotStuck",
    "IsStalemate",
)
"""Of the terminals that differ with one man against a bare king those that do not follow from others of them."""
ARMED = (
    "IsOppKingInCheck",
    "MyKingDistEdges",
    "OppKingProximityToEdges",
    "NumOppPiecesAttacked",
    "AreMyPiecesUnattacked",
    "IsMyFork",
    "NumMovesMyKing",
    "NumNotMovesOppKing",
    "OppKingDistRook",
    "IsOppKingProtectingPiece",
    "IsMyKingProtectingPiece",
    "100*IsMaterialIncrease",
    "1000*IsMate",
    "OppPieceCanBeCaptured",
    "MyPieceCannotBeCaptured",
    "IsOppKingStuck",
    "IsMyKingNotStuck",
    "IsOppKingBehindPiece",
    "IsOppPiecePinned",
    "IsStalemate",
)
"""Those that are weighed where black has more than a king, chosen for KQKR."""
SETS = {
    "further": (
        "IsOppKingInCheck",
        "MyKingDistEdges",
        "OppKingProximityToEdges",
        "AreMyPiecesUnattacked",
        "IsMyFork",
        "NumNotMovesOppKing",
        "OppKingDistRook",
        "100*IsMaterialIncrease",
        "1000*IsMate",
        "OppPieceCanBeCaptured",
        "MyPieceCannotBeCaptured",
        "IsStalemate",
        *further.FURTHER,
    )
}
"""Sets of terminals by their names; further: twelve of the last ones, and those that the source does not have."""
MOST = further.MOST | {
    "MyKingDistEdges": 3,
    "OppKingProximityToEdges": 3,
    "NumMyPiecesNotAttacked": 4,
    "NumOppPiecesAttacked": 4,
    "ValueMyPiecesAttacking": 9,
    "ValueOppPiecesAttacking": 9,
    "NumMovesMyKing": 8,
    "NumNotMovesOppKing": 8,
    "MyKingProxRook": 7,
    "OppKingDistRook": 7,
    "EvaluateMaterial": 9,
}
"""What terminals that are numbers come to; a truth value counts as 1."""


@dataclass(frozen=True)
class SumOptions:
    """What is added up."""

    terminals: str | None = option(
        None,
        "terminals that are weighed, by commas, and so is each product of two of them; null: 13 of them against a bare "
        "king, otherwise 20; further: 18, with steps between men and moves of the other side",
    )
    ties: Literal["lot", "first"] = option("lot", "which of equal moves is played: one of them by lot, or the first")

    def laws(self, prefix: str) -> None:
        """Refuse what is no terminal, and a terminal named twice; raises UsageError."""
        names = self.names
        for at, name in enumerate(names):
            if name not in TERMINALS or name in names[:at]:
                reject(prefix + "terminals", name, f"each once of {', '.join(TERMINALS)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The terminals that are named; none: those of the endgame."""
        return SETS.get(self.terminals, tuple(self.terminals.split(","))) if self.terminals else ()

    def weighed(self, game: Chess) -> tuple[str, ...]:
        """Return the terminals that are weighed."""
        armed = any(len(black) > 1 for _, black in game.armies)
        return self.names or (ARMED if armed else BARE)


@lru_cache(maxsize=16)
def terms(names: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the terms, each by the places of its one or two terminals; a truth value has no square."""
    alone = [(at,) for at in range(len(names))]
    squares = [(at, at) for at, name in enumerate(names) if name in NUMBERS]
    return (*alone, *squares, *combinations(range(len(names)), 2))


def units(names: tuple[str, ...]) -> tuple[float, ...]:
    """Return what each term comes to."""
    most = [MOST.get(name, 1) for name in names]
    return tuple(float(most[term[0]] * (most[term[1]] if len(term) > 1 else 1)) for term in terms(names))


def look(names: tuple[str, ...], after: After) -> Array:
    """Return float32[S, *B], whole numbers: these terminals of positions after moves; a truth value is 0 or 1."""
    seen = view(after, names)
    return jnp.stack(
        [seen[at] if name in NUMBERS else (seen[at] != 0).astype(jnp.float32) for at, name in enumerate(names)]
    )


def multiplied(names: tuple[str, ...], seen: Array) -> Array:
    """Return float32[F, *B]: the terms, given the terminals [S, *B]."""
    return jnp.stack([seen[term[0]] * (seen[term[1]] if len(term) > 1 else 1) for term in terms(names)])


@lru_cache(maxsize=16)
def weight_set(names: tuple[str, ...]) -> PrimitiveSet:
    """Return the set of vectors of weights: a tree for each term, which is a constant of a type of its own."""
    named = tuple("&".join(names[at] for at in term) for term in terms(names))
    weights = tuple(Primitive(f"weight:{name}", name, domain=Floats(-1.0, 1.0)) for name in named)
    return PrimitiveSet("chess-sum", weights, (), named)
