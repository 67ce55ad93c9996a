"""Fixed strategies of Walls, as opponents: rule lists in the text form of `jaxgp.genotypes.ruletext`.

The assignment asks for "a fixed strategy that you devise and believe is optimal or at least very good". `fixed` was
begun by hand (go into empty squares, else turn to one at the side, else walk back over own bricks), improved rule by
rule by its results against searches of 2, 4 and 6 plies, and stripped of every condition that did not help; what it
scores is in `docs/results/walls.md`. `forward` has no rules: it always takes the default move.

Rules are read with symmetry: the player faces north, to the top, and every rule holds for its mirror image as well,
with the turns swapped. The unmirrored reading of a rule comes first.
"""

from envs.walls.primitives import Options
from envs.walls.rules import Walls
from jaxgp.errors import reject
from jaxgp.spec import Strategy

STRATEGIES = ("fixed", "forward")

_FIXED = """
- - 0 / - N 0 / - - A : turn-right   ; an own wall ends behind: go round its end, and so cling to it
- 0 - / - N - / - - - : try-forward  ; into an empty square
- - - / 0 N - / - - - : turn-left    ; blocked: towards an empty square at the side
- A - / - N - / - - - : try-forward  ; none at the sides: back over own bricks
- - - / - N A / - - - : turn-right   ; the edge or the opponent ahead: along own bricks
- - - / - N - / - - - : turn-left    ; shut in, turn round
"""

_FIXED_3 = """
- A - / - N - / - - - : try-forward  ; over own bricks: there is always a way out of three squares
# - - / - N 0 / - - - : turn-right   ; along the edge: towards the empty square on the other side
- 0 - / - N - / - - - : try-forward  ; into an empty square
- - - / - N - / - - - : turn-left    ; blocked
"""


def strategy(name: str, game: Walls) -> Strategy:
    """Return a fixed player.

    Args:
        name: one of STRATEGIES.
        game: the board; the smallest one has a `fixed` of its own.

    Raises:
        UsageError: no such strategy.
    """
    rules = {"fixed": _FIXED_3 if game.size == 3 else _FIXED, "forward": ""}
    if name not in rules:
        reject("strategy", name, ", ".join(STRATEGIES))
    return Strategy("rules", Options(mask=3, matching="symmetric"), rules[name].strip())
