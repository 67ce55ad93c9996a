"""A position for each terminal of chess, with a move after which it says more and one after which it says less.

    python scripts/studies/chess/examples.py save=docs/data/chess_examples.csv picture=docs/chess_terminals.svg

Positions are random and legal. The first one is taken in which two moves differ, those with few men before others. Of
its moves the two are shown after which the terminal says most and least, of equal ones the first. What the moves of a
position do not change has two positions, or one if it never changes.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import jax
import numpy as np

import envs
from envs.chess import language, many, render
from envs.chess.notation.moves import legal, san
from envs.chess.notation.pgn import fen_of
from envs.chess.rules import Chess, State
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.options import MAX_COUNT, MAX_SEED, option

ENDGAMES = "KQK,KRK,KRKR,KQKQ,KQKR,KQRKQR"
NAMES = (*language.SIMPLE, *language.COMPLEX)
COLUMNS = ("terminal", "position", "move", "value", "other", "value_of_other")
ACROSS, WIDTH, HEIGHT = 6, 250.0, 292.0
"""Boards of a row of the picture, and the size of each."""
STYLE = """
.sheet{font:600 15px system-ui,-apple-system,"Segoe UI",sans-serif}
.sheet .what{fill:#24292f}
.more{fill:#1a7f37}.less{fill:#b35900}
.sheet line{stroke-width:9;stroke-linecap:round;stroke-opacity:.75}
.sheet line.more{stroke:#1a7f37}.sheet line.less{stroke:#d9730d;stroke-dasharray:2 13}
@media (prefers-color-scheme:dark){
.sheet .what{fill:#e6edf3}.more{fill:#4ac26b}.less{fill:#f0883e}
}
"""


@dataclass
class Options:
    """Which positions."""

    positions: int = option(1200, "random positions", low=1, high=MAX_COUNT)
    seed: int = option(0, "of the positions", low=0, high=MAX_SEED)
    save: str = option("chess_examples.csv", "the table", path=True)
    picture: str | None = option(None, "a picture of all of them; null: none", path=True)


class Example(NamedTuple):
    """What a terminal says after two moves in a position, by legal actions; None: no move is shown."""

    terminal: str
    state: State
    more: tuple[int, float] | None
    less: tuple[int, float] | None


def examples(game: Chess, options: Options) -> Iterator[Example]:
    """Yield an example of each terminal, of one that no move changes two, with the most and the least."""
    keys = jax.random.split(jax.random.key(options.seed), options.positions)
    states = jax.device_get(jax.jit(jax.vmap(game.init))(keys))
    at = [jax.tree.map(lambda x, n=n: x[n], states) for n in range(options.positions)]
    at = sorted((state for state in at if not state.terminated), key=lambda state: len(render.listed(state)))
    actions = [[action for action, *_ in legal(state)] for state in at]
    each = [state for state, some in zip(at, actions, strict=True) for _ in some]
    look = jax.jit(lambda states, actions: language.view(jax.vmap(many.outcome)(states, actions), NAMES))
    flat = np.concatenate(actions).astype(np.int32)
    seen = np.asarray(look(jax.tree.map(lambda *x: np.stack(x), *each), flat))
    bounds = np.cumsum([0, *map(len, actions)])
    for name, values in zip(NAMES, seen, strict=True):
        of = [values[first:last] for first, last in pairwise(bounds)]
        number = next((n for n, one in enumerate(of) if one.max() > one.min()), None)
        if number is not None:
            ends = [
                (actions[number][int(place)], float(of[number][place]))
                for place in (np.argmax(of[number]), np.argmin(of[number]))
            ]
            yield Example(name, at[number], *ends)
            continue
        means = np.array([one[0] for one in of])
        high, low = int(means.argmax()), int(means.argmin())
        yield Example(name, at[high], (actions[high][0], float(means[high])), None)
        if means[high] > means[low]:
            yield Example(name, at[low], None, (actions[low][0], float(means[low])))


def row(game: Chess, example: Example) -> tuple[str, ...]:
    """Return the line of the table."""
    told = [
        ("", "") if end is None else (san(game, example.state, end[0]), f"{end[1]:g}")
        for end in (example.more, example.less)
    ]
    return example.terminal, fen_of(example.state), *told[0], *told[1]


def board(game: Chess, example: Example) -> str:
    """Draw one board with its moves and what the terminal says after them."""
    whole = render.svg(game, example.state)
    inside = re.sub(r"^<svg[^>]*><style>.*?</style>|</svg>$", "", whole, flags=re.DOTALL)
    spots = render.spots(game, example.state, 0)
    middle = {spot.places[0]: (spot.x + spot.width / 2, spot.y + spot.height / 2) for spot in spots}
    size = 8 * render.CELL + 2 * render.EDGE
    box = f'viewBox="0 {render.MARGIN:g} {size:g} {size:g}"'  # without the names of the players
    parts = [f'<svg class="chess" y="44" width="{WIDTH:g}" height="{HEIGHT - 48:g}" {box}>{inside}']
    said = [f'<text class="what" x="{WIDTH / 2:g}" y="18" text-anchor="middle">{example.terminal}</text>']
    for x, kind, end in ((66, "more", example.more), (184, "less", example.less)):
        if end is None:
            continue
        (x1, y1), (x2, y2) = (middle[name] for name in render.places(game, example.state, end[0]))
        parts.append(f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>')
        told = f"{san(game, example.state, end[0])}: {end[1]:g}"
        said.append(f'<text class="{kind}" x="{x}" y="38" text-anchor="middle">{told}</text>')
    return "".join([*said, *parts, "</svg>"])


def sheet(game: Chess, found: list[Example]) -> str:
    """Draw all examples."""
    rows = -(-len(found) // ACROSS)
    size = f"0 0 {ACROSS * WIDTH:g} {rows * HEIGHT:g}"
    placed = [
        f'<g transform="translate({n % ACROSS * WIDTH:g} {n // ACROSS * HEIGHT:g})">{board(game, one)}</g>'
        for n, one in enumerate(found)
    ]
    label = "A position for each terminal, and two moves in it"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sheet" viewBox="{size}" role="img" aria-label="{label}">'
        f"<style>{render.STYLE}{STYLE}</style>{''.join(placed)}</svg>\n"
    )


def task(options: Options) -> int:
    """Find and write; return the exit code."""
    game = envs.make("chess", endgame=ENDGAMES, start="legal")
    found = list(examples(game, options))
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerows([COLUMNS, *(row(game, one) for one in found)])
    files.write_text(files.user_path("save", options.save), written.getvalue())
    if options.picture is not None:
        files.write_text(files.user_path("picture", options.picture), sheet(game, found))
    print(f"{len(found)} positions", file=sys.stderr)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
