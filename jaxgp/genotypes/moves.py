"""Functions that make moves: on which side's turn, which moves they try, and what is valued on the boards after them.

The source of such functions is M. Sipper, "Evolved to Win" (2011), chapter 6. `jaxgp.interpreter.machine` runs them.
"""

from dataclasses import dataclass, field
from typing import Literal

ONE, ZERO, WON, REPLIES, TREE = -1, -2, -3, -4, -5
"""What a function may value in place of an argument: 1; 0; whether the solver has won on this board; whether the
argument `replies` holds after every reply; the whole tree."""


@dataclass(frozen=True)
class Moves:
    """How a function or a terminal makes moves.

    On the wrong side's turn, on a board where the play is over, where the solver has no moves left, and where no move
    may be paid for, the argument `last` is valued on this board, without a move. Otherwise the moves are tried in the
    order of the list. A move is made, and paid for, when the first argument that reads a board is valued after it.

    - first: the first move after which all `conditions` hold stays made for `then`; `last` where there is none.
    - every: `then` after the first move, if the conditions hold after all moves, also on a board that the solver has
      won, where no move is made; otherwise `last`.
    - best: the best value of `then` after the moves for which the conditions hold: the greatest on the solver's turn,
      the least on the other's; `last` if there are none.
    - again: the whole tree on this board, of which the solver may make at least one move fewer than of the tree that
      asks for it; where that is none, 1000 if the solver has won and -1000 if not.

    Attributes:
        how: see above.
        side: whose turn it has to be.
        conditions: arguments by number, or one of `WON` and `REPLIES`, in the order in which they are valued.
        then: an argument by number, or `ONE`.
        last: an argument by number, or `ZERO` or `WON`.
        forcing: whether only the forcing moves are tried, the first ones of the list.
        trait: a feature of the board after a move; where it is 0 the move is passed over, which costs nothing. None:
            no move is.
        gate: a feature of this board; where it is 0 no move is tried. None: moves are tried.
        here: whether `then` is valued on this board, so that the move is not made for it.
        replies: the argument that has to hold after every reply of the other side for `REPLIES` to hold.
        once: whether the first move for which the first condition holds is the only one that is tried.
        worst: of `every`, whether `then` is the least value after all moves, not the value after the first.
        cutoff: whether the best value ends the search for a better one where nothing is better: 1000 on the solver's
            turn, -1000 on the other's.
    """

    how: Literal["first", "every", "best", "again"]
    side: Literal["solver", "other", "both"] = "both"
    conditions: tuple[int, ...] = ()
    then: int = ONE
    last: int = ZERO
    forcing: bool = False
    trait: int | None = None
    gate: int | None = None
    here: bool = False
    replies: int | None = None
    once: bool = False
    worst: bool = False
    cutoff: bool = field(default=False, repr=False)  # sets without it keep the versions that files have
