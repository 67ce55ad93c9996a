"""The proof of a mate to step through: one page without a server, and a game in PGN with variations.

Both tell the proof depth first: a reply, the move that answers it and what follows, then the next reply.

Source of PGN: S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 8.2.
"""

import json
import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from envs.chess.render import CELL, STYLE
from envs.mate import plain
from envs.mate.notation import san
from envs.mate.picture import refutations, refuted
from envs.mate.plain import Position
from envs.mate.render import KINDS, OUTLINES, board_svg
from jaxgp.search.proofs.proof import FirstMove, Proof

STEPS = 5000
"""Moves that a page shows at most."""
PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>TITLE</title>
<style>
body{font:17px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;max-width:30rem;margin:1rem auto;padding:0 1rem;
color:#24292f;background:#fff}
svg,input{width:100%}
@media (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}}
STYLE
</style></head><body>
<h1>TITLE</h1>
<svg class="chess" viewBox="-2 -2 420 420" role="img" aria-label="the board after the move">BOARD<g id="men"></g></svg>
<input id="at" type="range" min="0" max="LAST" value="0" aria-label="move of the proof">
<p id="line" aria-live="polite"></p>
REFUTED
<script>
const steps = DATA, shapes = SHAPES, flipped = FLIPPED, cell = CELL;
const at = document.getElementById("at"), men = document.getElementById("men"), line = document.getElementById("line");
function show() {
  const [board, before, words] = steps[at.value];
  let drawn = "";
  for (let n = 0; n < 64; n++) {
    let x = n % 8, y = 7 - (n >> 3);
    if (flipped) { x = 7 - x; y = 7 - y; }
    if (board[n] !== before[n])
      drawn += `<rect class="mark" x="${x * cell}" y="${y * cell}" width="${cell}" height="${cell}"/>`;
    const shape = shapes[board[n].toLowerCase()], owner = board[n] in shapes ? 1 : 0;
    if (shape)
      drawn += `<path class="man${owner}" transform="translate(${(x + .5) * cell} ${(y + .5) * cell})" d="${shape}"/>`;
  }
  men.innerHTML = drawn;
  line.textContent = `${words}  (${+at.value} of ${steps.length - 1})`;
}
at.addEventListener("input", show);
show();
</script></body></html>
"""


def depth_first(proof: Proof) -> Iterator[tuple[int, Position, Position, str]]:
    """Yield each move, the positions before and after it, and what it is called in books."""
    children, waiting = proof.children, [(proof.children[-1][0], plain.start(proof.problem))]
    while waiting:
        node, before = waiting.pop()
        after = plain.moves(before)[proof.names[node]]
        yield node, before, after, san(before, proof.names[node])
        waiting += [(child, after) for child in reversed(children[node])]


def _board(position: Position) -> str:
    """Return the 64 squares from a1."""
    return "".join(position.cells[21 + column + 10 * (7 - row)] for row in range(8) for column in range(8))


def _numbered(ply: int, black: bool, written: str, first: bool) -> str:
    """Return a move with its number, which a move of black has only where it comes `first`."""
    number, dots = 1 + (ply + black) // 2, "..." if (ply + black) % 2 else "."
    return f"{number}{dots} {written}" if first or dots == "." else written


def page(proof: Proof, first_moves: Sequence[FirstMove] = ()) -> str:
    """Return a page in which a slider steps through the proof; below it is what refutes other first moves."""
    start, depths = plain.start(proof.problem), proof.depths.tolist()
    black, steps, lines = not start.white, [[_board(start), _board(start), ""]], {-1: ""}
    for node, before, after, written in depth_first(proof):
        if len(steps) > STEPS:
            break
        parent = int(proof.parents[node])
        lines[node] = f"{lines[parent]} {_numbered(depths[node], black, written, parent < 0)}".strip()
        steps.append([_board(after), _board(before), lines[node]])
    side = "Black" if black else "White"
    more = f", the first {STEPS} moves of {len(proof.names)}" if len(proof.names) > STEPS else ""
    filled = {
        "TITLE": escape(f"{side} mates in {proof.own}: {lines[proof.children[-1][0]]}{more}"),
        "STYLE": STYLE,
        "BOARD": board_svg(["."] * 64),
        "REFUTED": _refuted(refutations(start, first_moves)),
        "LAST": str(len(steps) - 1),
        "DATA": json.dumps(steps).replace("<", "\\u003c"),
        "SHAPES": json.dumps(dict(zip(KINDS, OUTLINES, strict=True))),
        "FLIPPED": json.dumps(black),
        "CELL": f"{CELL:g}",
    }
    made = PAGE
    for name, text in filled.items():
        made = made.replace(name, text)
    return made


def _refuted(lines: Sequence[str]) -> str:
    """Return a list that is folded; nothing if it is empty."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<details><summary>Other first moves: {len(lines)}</summary><ul>{items}</ul></details>" if lines else ""


def _mistakes(start: Position, first_moves: Sequence[FirstMove]) -> list[str]:
    """Return a variation for each first move that is no key."""
    black, found = not start.white, []
    for tried, reply, _ in refuted(start, first_moves):
        words = [_numbered(0, black, tried, True), "$2", *([_numbered(1, black, reply, False)] if reply else [])]
        found.append(f"({' '.join(words)})")
    return found


def pgn(proof: Proof, first_moves: Sequence[FirstMove] = ()) -> str:
    """Return the proof as a game from its position: the first reply is the main line, the others are variations.

    First moves that are refuted are variations too, marked as mistakes ($2), each with the reply that refutes it.
    """
    start, children, depths = plain.start(proof.problem), proof.children, proof.depths.tolist()
    black, written = not start.white, {node: name for node, _, _, name in depth_first(proof)}
    tries = _mistakes(start, first_moves)

    def line(node: int, first: bool) -> list[str]:
        """Return a move, the replies instead of it, and what follows it."""
        parent = int(proof.parents[node])
        others = children[parent][1:] if children[parent][0] == node else []
        aside = [f"({' '.join(line(other, True))})" for other in others] + (tries if parent < 0 else [])
        rest = line(children[node][0], bool(aside)) if children[node] else []
        return [_numbered(depths[node], black, written[node], first), *aside, *rest]

    result = "0-1" if black else "1-0"
    fen = " ".join([*proof.problem.split()[:4], "0", "1"])
    tags = {"Event": f"Mate in {proof.own}", "Result": result, "SetUp": "1", "FEN": fen}
    text = textwrap.fill(
        " ".join([*line(children[-1][0], True), result]), 79, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(f'[{name} "{value}"]' for name, value in tags.items()) + f"\n\n{text}\n"
