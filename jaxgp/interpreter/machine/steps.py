"""What the steps of a turn hand on: what is read of a lane, and what each step of `turn.py` finds."""

from typing import NamedTuple

from jax import Array


class Read(NamedTuple):
    """What a turn starts from."""

    phase: Array  # int32[]
    value: Array  # float32[]
    pushes: Array  # bool[]: the top frame is new
    frame: dict[str, Array]  # the top frame
    kept: Array  # float32[A]: its values
    row: dict[str, Array]  # of its operation
    arguments: Array  # int32[A]: nodes
    root: Array  # int32[]
    board: Array  # int32[6]: the one on which its node is valued
    gate: Array  # float32[]
    spent: Array  # bool[]: no move may be paid for


class Beginning(NamedTuple):
    """What a frame that begins comes to, bool[] each."""

    refused: Array  # it would try moves where the solver has none left
    cut: Array  # no move may be paid for
    mated: Array  # the solver has won, and all replies would have to be answered
    starts: Array  # the first move is tried
    ends: Array  # as if all moves had been tried
    direct: Array  # what follows a move needs no board
    lasts: Array  # its last argument is its value


class Itself(NamedTuple):
    """What the tree in itself comes to."""

    fewer: Array  # int32[]: moves left for it
    floor: Array  # bool[]: none is left
    same: Array  # bool[]: it is valued on this board
    copies: Array  # bool[]: it is valued on a copy of this board, with fewer moves left
    known: Array  # bool[]: it has been valued there before
    remembered: Array  # float32[]: its value then
    memory: Array  # uint32[E, W + 3]


class Return(NamedTuple):
    """What a value that comes back decides."""

    kept: Array  # float32[A]
    clipped: Array  # float32[]
    some: Array  # int32[]: 1 where the frame has a best value
    plain: Array  # bool[]: the frame is of a function that makes no moves, also where it begins
    holds: Array  # bool[]: the value is not 0
    passes: Array  # bool[]: it is the value of the frame
    folds: Array  # bool[]: it is one of those among which the best is taken
    better: Array  # bool[]: it is the best so far
    reached: Array  # bool[]: none can be better
    climbs: Array  # bool[]: a condition holds, and what follows it is asked for on the same board
    onward: Array  # bool[]: the next move is tried
    lasts: Array  # bool[]: the last argument is the value of the frame


class FromList(NamedTuple):
    """What follows from the list of moves, where one is found or none is left, bool[] each."""

    found: Array  # a move has been made
    here: Array  # what follows a move is valued on this board
    short: Array  # no move may be paid for any more
    worst: Array  # all moves are tried once more, for the worst of them
    final: Array  # the first move is made once more, for what follows it
    gives: Array  # the best value is the value of the frame
    closes: Array  # the first level is done
    lasts: Array  # the last argument is the value of the frame


class Try(NamedTuple):
    """The next move of the list."""

    place: Array  # int32[]
    action: Array  # int32[]
    tried: Array  # bool[]
    none: Array  # bool[]: there is none
    unpaid: Array  # bool[]: it may not be paid for


class Asking(NamedTuple):
    """What is valued next, or the value that a function has."""

    stage: Array  # int32[]
    wanted: Array  # int32[]: the node
    result: Array  # float32[]: of a function that makes no moves
    on_child: Array  # bool[]: it is valued on the board after the move
    pays: Array  # bool[]: that board is paid for
    values: Array  # bool[]: there is something to value
    complete: Array  # bool[]: such a function has its value
