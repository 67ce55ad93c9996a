"""Games of backgammon for other programs: as matches of one game in the format .mat, and positions as identifiers.

A line of .mat has a number and the turns of both players, the one that comes first on the left: the roll, then the
men, point by point, 25 for the bar and 0 for the men that are borne off. So do Jellyfish, GNU Backgammon and eXtreme
Gammon write it; the line `; [Variation ..]` is read by the latter.
"""

from collections.abc import Sequence

import numpy as np

from envs.backgammon.notation.ids import Placed, gnubg_id, xgid
from envs.backgammon.rules import BAR, OFF, PASS, Backgammon, State
from jaxgp.games.notation import Format

LEFT = 33
"""Width of the turns of the player on the left."""
VARIATIONS = {"standard": "Backgammon", "hypergammon": "HyperGammon"}


def turns(states: Sequence[State], actions: Sequence[int]) -> list[tuple[int, str]]:
    """Return the turns of a game: the seat, then the roll and the men that moved."""
    found: list[tuple[int, list[str]]] = []
    number = None
    for state, action in zip(states, actions, strict=False):
        if number != (number := int(state.rolls)):
            high, low = np.asarray(state.dice).tolist()
            found.append((int(state.to_move), [f"{high}{low}:"]))
        if action != PASS:
            distance, point = action // BAR + 1, action % BAR + 1
            found[-1][1].append(f"{point}/{max(point - distance, OFF)}")
    return [(seat, " ".join(words)) for seat, words in found]


def write_mat(game: Backgammon, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    """Write a game as a match without limit; raises ValueError for one that begins with a position of its own."""
    _check(game)
    first, second = (name.replace(":", " ")[: LEFT - 6] for name in names)
    lines = [f'; [Variation "{VARIATIONS[game.variant]}"]', "", " 0 point match", "", " Game 1"]
    lines.append(f" {f'{first} : 0':<{LEFT + 4}}{second} : 0")
    rows: list[list[str]] = []
    for seat, said in turns(states, actions):
        if seat == 0 or not rows:
            rows.append(["", ""])
        rows[-1][seat] = said
    lines += [f"{number:3}) {left:<{LEFT}}{right}".rstrip() for number, (left, right) in enumerate(rows, 1)]
    last = states[-1]
    if bool(last.terminated):
        score = np.asarray(game.score(last))
        points = int(score.max())
        lines.append(f"{' ' * (5 if score[0] else 5 + LEFT)}Wins {points} point{'s' * (points > 1)}")
    return "\n".join(lines) + "\n"


def _check(game: Backgammon) -> None:
    if game.position is not None:
        raise ValueError(".mat has games from the opening; this one begins with a position")


def placed(state: State) -> Placed:
    """Return a state at the beginning of a turn as a position; raises ValueError in the middle of one."""
    high, low = np.asarray(state.dice).tolist()
    if bool(state.terminated) or np.asarray(state.left).tolist() != ([4, 0] if high == low else [1, 1]):
        raise ValueError("the game has ended, or is in the middle of a turn; accepted: positions where a turn begins")
    own, other = (tuple(np.asarray(side).tolist()) for side in (state.own, state.other))
    return Placed(own, other, int(state.to_move), (high, low))


def _write_xgid(game: Backgammon, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    del game, names, actions
    return xgid(placed(states[-1])) + "\n"


def _write_gnubg(game: Backgammon, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    del game, names, actions
    return gnubg_id(placed(states[-1])) + "\n"


FORMATS = {
    ".mat": Format("a match of one game, for GNU Backgammon and eXtreme Gammon", write_mat, check=_check),
    ".xgid": Format("the last position as an XGID", _write_xgid),
    ".gnubgid": Format("the last position as the IDs of GNU Backgammon", _write_gnubg),
}
