"""What searches of puzzles find."""

from flax import struct
from jax import Array


@struct.dataclass
class Solutions:
    """Results of a search for each root; those of roots not searched are False, 0 and -1."""

    solved: Array  # bool[Q]
    nodes: Array  # int32[Q]: nodes visited
    length: Array  # int32[Q]: moves of the solution; -1: none was found
    moves: Array  # int16[Q, deepest]: actions of the solution, then -1
    exhausted: Array  # bool[Q]: the whole space was searched, so there is no solution
    iterations: Array  # int32[]: iterations of the loop for the whole batch; 0: roots were searched one after the other
    expanded: Array  # int32[Q]: nodes whose moves were listed; -1: the search does not count them
