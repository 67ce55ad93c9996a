"""Fixed strategies of Walls: rule lists in the text form of `jaxgp.genotypes.ruletext`, to be measured against.

The assignment asks for "a fixed strategy that you devise and believe is optimal or at least very good". `fixed` was
begun by hand (go into empty squares, else turn to one at the side, else walk back over own bricks) and improved rule
by rule for each kind of board, by its results against searches of 2, 4 and 6 plies; what it scores is in
`docs/walls.md`. `forward` has no rules: it always takes the default move.

Rules are read with symmetry: the player faces north, to the top, and every rule holds for its mirror image as well.
"""

from envs.walls.primitives import Settings
from envs.walls.rules import Walls

STRATEGIES = ("fixed", "forward")

_THREE = """
A A - / - N - / - # - : try-forward
# - - / - - 0 / - - - : turn-right
- 0 - / - N - / - - - : try-forward
- - - / - - - / - - - : turn-left
"""

_FIVE = """
- - - - # / - - 0 - - / - - N - - / - - - - - / - - - - - : try-forward
- - - - - / - - - - # / - A - # # / - A - - - / - - - - - : turn-left
- - - - - / - - - - - / - 0 - - - / # A - - - / - - - - A : turn-left
- - # - # / - - - # # / - - - - - / - - - - - / - - - - - : turn-left
- - - - - / - - B - - / - - - - - / - - - - - / - - - - - : turn-left
- - - - # / - - - - - / - 0 - - - / - - - - - / - - - - - : turn-left
"""

_LARGE = """
- - - - 0 / - B - 0 - / - B - - - / - - - 0 - / - - - - - : turn-right
- - - - - / - - 0 - - / - - N - - / - - - - - / - - - - - : try-forward
- - - - - / - # # - - / - - - - - / - - - - - / - - - - - : turn-right
- - - - - / - - - - - / - 0 - - - / - - A - - / - - - - - : turn-left
- - - - - / - - A - - / - - - - - / - - - - - / - - - - - : try-forward
- - - - - / - - - - - / - - - - - / - - - - - / - - - - - : turn-right
"""


def strategy(name: str, game: Walls) -> tuple[Settings, str]:
    """Return what a strategy sees, and its rules as text, a line for each.

    Raises:
        ValueError: no such strategy.
    """
    if name == "forward":
        return Settings(mask=3, matching="symmetric"), ""
    if name == "fixed":
        rules = {3: _THREE, 5: _FIVE}.get(game.size, _LARGE)
        return Settings(mask=min(5, game.size), matching="symmetric"), rules.strip()
    raise ValueError(f"strategy={name}: unknown strategy; accepted: {', '.join(STRATEGIES)}")
