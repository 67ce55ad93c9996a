"""What a search claims of problems. A claim is no proof: `jaxgp.search.proofs.proof` checks proofs."""

from flax import struct
from jax import Array


@struct.dataclass
class Claims:
    """Results of searches of Q problems; those of problems not searched are 0, -1 and False."""

    chosen: Array  # int32[Q]: the first move that the search would make; -1: none
    scores: Array  # float32[Q, M]: of first moves, by places in the list; -inf: not valued. M is 0 where none are
    solved: Array  # bool[Q]: the search says that its move wins by force
    refuted: Array  # bool[Q]: the search says that no move wins by force
    nodes: Array  # int32[Q]: moves made
    distinct: Array  # int32[Q]: positions with moves left among those made; -1: not counted
    truncated: Array  # bool[Q]: the search reached its limit of nodes
    deepest: Array  # int32[Q]: plies of the longest line
