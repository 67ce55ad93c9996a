"""What a lane of the machine holds: frames that wait for each other, the boards of its line, and its phase."""

from typing import Any

import jax.numpy as jnp
from flax import struct
from jax import Array

VALUE, RETURN, BOARD, FOUND, ENDED, SPENT, DONE = range(7)
"""Phases: a node is to be valued; a value is there; a board is needed; it is there; there are no more moves; no move
may be paid for; the lane is done."""
FIRST, EVERY, BEST, AGAIN, LEVEL = range(5)
"""How frames try moves; `LEVEL` is the first level."""
PLAIN = 5
"""A frame of a function that makes no moves."""
LAST = 7
"""The stage of a frame that waits for its last value: whatever it is, it is the value of the frame."""
MATE = 1000.0
"""The value of a first move that wins by force, and the most that a value counts."""
FIELDS = {"node": 10, "part": 2, "stage": 3, "level": 5, "entry": 5, "any": 1, "paid": 1, "final": 1}
"""The bits of a frame's fields in one word; the node is stored from 1 on, 0 is the first level."""
BOARD_FIELDS = ("moves", "forcing", "won", "turn", "left", "ply")
"""Of a board: how many moves it has, how many of them are forcing, whether the solver has won, whose turn it is (1: the
solver's, 2: the other's), how many moves the solver may make, plies from the root."""
MOVES, FORCING, WINS, TURN, LEFT, PLY = range(6)


@struct.dataclass
class Frames:
    """Lanes [K] of programs that run; D frames, V levels of boards. Functions here take one lane."""

    program: Array  # int32[]
    phase: Array  # int32[]
    value: Array  # float32[]: of the phase `RETURN`
    node: Array  # int32[]: of the phase `VALUE`, or what stands in place of one
    level: Array  # int32[]: the board on which it is valued
    entry: Array  # int32[]: moves that the solver might make when the tree began
    top: Array  # int32[]: frames in use
    words: Array  # int32[D, 3]: fields of frames; place and action of the move that is tried
    kept: Array  # float32[D, A]: values of arguments; the best value so far
    boards: Array  # int16[V, 6]: `BOARD_FIELDS` of the boards
    seen: Array  # float32[V, L + G]: values of pure nodes and of gates
    limit: Array  # int32[]: of nodes
    nodes: Array  # int32[]: moves made
    passed: Array  # int32[]: moves that were passed over
    truncated: Array  # bool[]
    refused: Array  # int32[]: how often the solver had no moves left
    deepest: Array  # int32[]
    chosen: Array  # int32[]: the action of the best first move
    scores: Array  # float32[M]
    begun: Array  # uint32[]: how many programs the lane has been handed
    keys: Array  # uint32[V, W]: of the boards, where values are kept
    memory: Array  # uint32[E, W + 3]: key, moves left and turn, `begun`, and what the tree in itself was worth there


def packed(frame: dict[str, Array]) -> Array:
    """Return int32[3]: the fields of a frame."""
    return jnp.stack([pack(**{name: frame[name] for name in FIELDS}), frame["place"], frame["action"]])


def pack(**fields: Any) -> Any:
    """Return the fields of a frame but `place` and `action` in one word."""
    word, shift = 0, 0
    for name, bits in FIELDS.items():
        word, shift = word | fields[name] << shift, shift + bits
    return word


def unpack(words: Array) -> dict[str, Array]:
    """Return the fields of a frame, int32[3]."""
    found, shift = {}, 0
    for name, bits in FIELDS.items():
        found[name], shift = words[0] >> shift & (1 << bits) - 1, shift + bits
    return found | {"place": words[1], "action": words[2]}
