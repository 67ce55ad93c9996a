"""The proof of a mate as one picture: the boards that the other side has to answer as rows, replies as branches.

A board stands at the key, with what refutes other first moves beside it, and small ones at the ends of lines as long as
there are few. Replies after which the rest of the proof is the same are told in one row. A large proof is folded: rows
below a depth are counted, not drawn.
"""

from collections.abc import Sequence
from html import escape

from envs.chess.render import CELL, STYLE
from envs.mate import plain
from envs.mate.notation import san
from envs.mate.plain import Position
from envs.mate.render import board_svg
from jaxgp.search.proofs.proof import FirstMove, Proof

ROWS = 160
"""Rows that are drawn at most."""
BOARDS = 24
"""Boards of mates that are drawn at most."""
TRIES = 16
"""Other first moves that are named at most."""
LINE, INDENT, KEY, SMALL, TRY = 26, 34, 260, 112, 250
TREE = """
.tree text{font:500 15px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
.tree .move{font-weight:700}
.tree .folded{fill:#6e7781;font-style:italic}
.tree .refuted{fill:#6e7781}
.tree path.branch{fill:none;stroke:#8c959f;stroke-width:1.5}
@media (prefers-color-scheme:dark){.tree text{fill:#e6edf3}.tree path.branch{stroke:#6e7681}}
"""


def svg(proof: Proof, first_moves: Sequence[FirstMove] = ()) -> str:
    """Draw a proof, and what refutes other first moves, as a standalone picture, for light and dark pages."""
    children, depths = proof.children, proof.depths.tolist()
    positions: dict[int, Position] = {-1: plain.start(proof.problem)}
    for node, parent in enumerate(proof.parents.tolist()):
        positions[node] = plain.moves(positions[parent])[proof.names[node]]
    written = {node: san(positions[int(proof.parents[node])], name) for node, name in enumerate(proof.names)}
    sizes = [1] * len(proof.names)
    for node in range(len(proof.names) - 1, -1, -1):
        if proof.parents[node] >= 0:
            sizes[int(proof.parents[node])] += sizes[node]
    deepest = _fold(depths)
    parts, mates = [], []
    y = float(KEY + 60)

    def text(x: float, at: float, words: str, kind: str = "") -> None:
        parts.append(
            f'<text x="{x:g}" y="{at:g}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(words)}</text>'
        )

    def rows(node: int, x: float) -> None:
        """Write a move of the solver, and below it a row for each reply and what follows it."""
        nonlocal y
        for reply in children[node]:
            own = children[reply][0]
            number = depths[own] // 2 + 1
            parts.append(f'<path class="branch" d="M{x:g} {y - LINE + 6:g}V{y - 5:g}h{INDENT - 14:g}"/>')
            text(x + INDENT - 10, y, f"{written[reply]}  {number}.")
            text(x + INDENT + 9 * len(written[reply]) + 28, y, written[own], "move")
            folded = depths[own] >= deepest and children[own]
            if folded:
                text(
                    x + INDENT + 9 * (len(written[reply]) + len(written[own])) + 50,
                    y,
                    f"... {sizes[own] - 1} moves",
                    "folded",
                )
            y += LINE
            if not children[own]:
                mates.append(own)
            elif not folded:
                rows(own, x + INDENT)

    key = children[-1][0]
    first = positions[-1]
    side = "White" if first.white else "Black"
    text(KEY + 40, 40, f"{side} mates in {proof.own}: 1. {written[key]}", "move")
    text(KEY + 40, 64, f"{len(proof.names)} moves in the proof")
    if deepest < max(depths, default=0):
        text(KEY + 40, 88, f"folded after move {deepest // 2 + 1}", "folded")
    lines = refutations(first, first_moves)
    half = TRIES // 2
    for place, words in enumerate(lines[:TRIES]):
        text(KEY + 40 + place // half * TRY, 114 + place % half * 20, words, "refuted")
    if len(lines) > TRIES:
        text(KEY + 40 + TRY, 114 + half * 20, f"... {len(lines) - TRIES} more", "folded")
    bottom = 0 if first.white else 1
    parts.append(_board(first, positions[key], 20, 20, KEY / (8 * CELL), bottom))
    if not children[key]:
        mates.append(key)
    rows(key, 30)
    y += 10
    for place, node in enumerate(mates[:BOARDS]):
        left, top = 20 + (place % 6) * (SMALL + 22), y + (place // 6) * (SMALL + 40)
        parts.append(
            _board(positions[int(proof.parents[node])], positions[node], left, top, SMALL / (8 * CELL), bottom)
        )
        text(left, top + SMALL + 18, f"{len(proof.line(node)) // 2 + 1}. {written[node]}")
    drawn = min(len(mates), BOARDS)
    height = y + (drawn + 5) // 6 * (SMALL + 40) + 10
    width = max(840, 60 + INDENT * (max(depths, default=0) + 8))
    label = escape(f"Proof of a mate in {proof.own}: {written[key]}, {len(proof.names)} moves.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chess tree" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}{TREE}</style>{"".join(parts)}</svg>'
    )


def refuted(start: Position, first_moves: Sequence[FirstMove]) -> list[tuple[str, str, int]]:
    """Return for each first move that is no key how it is written, so the reply that refutes it, and the nodes it took.

    Where a move ends the play without a win the reply is empty.
    """
    after = plain.moves(start)
    return [
        (san(start, move.name), san(after[move.name], move.reply) if move.reply else "", move.nodes)
        for move in first_moves
        if not move.wins and not move.open
    ]


def refutations(start: Position, first_moves: Sequence[FirstMove]) -> list[str]:
    """Return a line for each first move that is no key."""
    return [
        f"{tried}?{f' {reply}' if reply else ', no reply'}  ({nodes:,} nodes)"
        for tried, reply, nodes in refuted(start, first_moves)
    ]


def _fold(depths: list[int]) -> int:
    """Return the greatest ply of the solver's moves that is drawn."""
    deepest = max(depths, default=0)
    while deepest > 0 and sum(depth <= deepest and depth % 2 == 0 for depth in depths) > ROWS:
        deepest -= 2
    return deepest


def _board(before: Position, after: Position, x: float, y: float, scale: float, bottom: int) -> str:
    """Draw the board after a move; what has changed is marked."""
    cells = [
        [one.cells[21 + column + 10 * (7 - row)] for row in range(8) for column in range(8)] for one in (before, after)
    ]
    marked = tuple(n for n in range(64) if cells[0][n] != cells[1][n])
    return f'<g transform="translate({x:g} {y:g}) scale({scale:.4f})">{board_svg(cells[1], marked, bottom)}</g>'
