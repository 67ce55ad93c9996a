"""Lists of problems: those that come with the project, and files.

A line is `FEN; n; nodes; set; keys`: the nodes of the search `captures`, told n; the set that the problem belongs to,
by default `train`; all first moves that force mate within n, as in e2e4 and e7e8q. Lines of `set` report are for tests.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from envs.chess.board import fen
from envs.chess.board.moves import MOST
from envs.chess.board.position import MOVE
from envs.mate.rules import Mate, State
from jaxgp.errors import reject
from jaxgp.reading import read_text
from jaxgp.spec import Instances

SHIPPED = Path(__file__).with_name("problems.txt")
SETS = ("train", "choose", "report")
SHAPE = "lines FEN; n; nodes of captures; train, choose or report; keys, as in e2e4 e7e8q"


def names(game: Mate) -> tuple[str, ...]:
    """Return the sets of the list that comes with the project."""
    del game
    return SETS if SHIPPED.is_file() else ()


def shipped() -> list[tuple[str, int, int, str]]:
    """Return FEN, n, nodes of `captures` and set of the problems that come with the project."""
    rows = [line.split("; ") for line in read_text(SHIPPED).splitlines() if line and not line.startswith("#")]
    return [(row[0], int(row[1]), int(row[2]), row[3]) for row in rows]


def instances(game: Mate, name: str, option: str) -> Instances:
    """Return the problems of a set, or of a file; `option` named them, for messages.

    Raises:
        UsageError: no such set or file, or a line that is no problem.
    """
    if name in SETS and SHIPPED.is_file():
        return _load(game, SHIPPED, name, option)
    if not Path(name).is_file():
        reject(option, name, f"{', '.join(names(game)) or 'no list comes with the project'}; or a file: {SHAPE}")
    return _load(game, Path(name), None, option)


@lru_cache(maxsize=8)
def _load(game: Mate, path: Path, wanted: str | None, option: str) -> Instances:
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(";")]
        where = f"{path}, line {number}"
        if len(parts) != 5 or not (parts[1].isdecimal() and parts[2].isdecimal()) or parts[3] not in SETS:
            reject(option, where, SHAPE)
        own = int(parts[1])
        if not 1 <= own <= game.deepest:
            reject(option, where, f"n from 1 to {game.deepest}; this is {own}")
        try:
            board = fen.parse(parts[0])
            keys = [fen.move(board, one) for one in parts[4].split()]
        except ValueError as error:
            reject(option, where, str(error))
        if not keys:
            reject(option, where, "at least one key")
        if wanted in (None, parts[3]):
            rows.append((parts[0], own, int(parts[2]), parts[3], board, keys))
    if not rows:
        reject(option, str(path), "at least one problem")
    states = jax.tree.map(lambda *x: np.stack(x), *(game.position(row[4], row[1]) for row in rows))
    listed = np.asarray(_listed(game)(jax.tree.map(jnp.asarray, states)))
    width = max(len(row[5]) for row in rows)
    found = np.full((len(rows), width), -1, np.int32)
    for n, row in enumerate(rows):
        for place, move in enumerate(row[5]):
            at = np.flatnonzero((listed[n] >= 0) & (listed[n] & MOVE == move))
            if len(at) != 1:
                reject(option, row[0], f"keys that are legal moves; {fen.uci(row[4], move)} is none")
            found[n, place] = listed[n, at[0]]
    test = np.array([row[3] == "report" for row in rows])
    nodes = np.array([row[2] for row in rows], np.int32)
    return Instances(tuple(f"{row[0]} n={row[1]}" for row in rows), states, test, nodes, found)


@lru_cache(maxsize=2)
def _listed(game: Mate) -> Callable[[State], jax.Array]:
    """Compile: states [N] -> int32[N, M], the list of moves of each, -1 beyond."""

    def one(state: State) -> jax.Array:
        look = game.look(state)

        def step(action: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
            after = jnp.where(action == -2, -2, game.following(look, jnp.where(action == -3, -1, action)))
            after = jnp.where(after == -1, -2, after)
            return after, after

        return jax.lax.scan(step, jnp.int32(-3), None, MOST)[1]

    return jax.jit(jax.vmap(one))
