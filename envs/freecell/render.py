"""FreeCell for people: the table as text and as a picture, and how a game has ended."""

from html import escape

import numpy as np

from envs.freecell import cards
from envs.freecell.cards import CARDS, CASCADES, CELLS, RANKS, ROWS
from envs.freecell.moves import ACTIONS, HOME
from envs.freecell.notation import PILES, TYPED, action_name, legal_moves, parse_action
from envs.freecell.rules import FreeCell
from envs.freecell.states import SUITS, State
from jaxgp.spec import Spot

__all__ = ["TYPED", "action_name", "ending", "parse_action", "status", "svg", "text"]

WIDE, TALL = 46.0, 58.0
"""Of a card."""
COLUMN, ROW = 54.0, 18.0
"""From cascade to cascade, and from card to card within one."""
MARGIN, HEAD = 12.0, 22.0
SYMBOLS = "♣♦♥♠"
AS_TEXT = "\ufe0e"
"""After a symbol: a letter, and not a picture of its own colours."""

RULES = """\
52 cards lie in eight cascades; all of them are to go to the foundations.
The last card of a cascade can move, and so can a card in one of the four cells.
A card can go to a free cell, to an empty cascade, or onto the last card of a
cascade that has the other colour and is one rank higher.
Foundations go up by suit from the ace to the king; a card there never comes back.
Cards in sequence move together as far as cells and cascades are free for them.
"""
"""What `rules` prints at the table."""
COLOURS = {r"\b[A2-9TJQK][DH]\b": "red"}
"""How a terminal shows what stands in the text of a position."""

STYLE = """
.freecell text{font:600 15px system-ui,-apple-system,"Segoe UI",sans-serif;text-anchor:middle}
.freecell .table{fill:#dafbe1}
.freecell .pile{fill:none;stroke:#8c959f;stroke-dasharray:4 3}
.freecell .card{fill:#ffffff;stroke:#57606a}
.freecell .moved{stroke:#0969da;stroke-width:2.5}
.freecell .black{fill:#1f2328}
.freecell .red{fill:#cf222e}
.freecell .name{fill:#57606a;font-weight:400;font-size:12px}
.freecell .used{fill:#0969da;font-weight:700}
.freecell .suit{fill:#8c959f}
@media (prefers-color-scheme:dark){
.freecell .table{fill:#12261e}
.freecell .pile{stroke:#6e7681}
.freecell .card{fill:#22272e;stroke:#8b949e}
.freecell .moved{stroke:#58a6ff}
.freecell .black{fill:#e6edf3}
.freecell .red{fill:#ff7b72}
.freecell .name,.freecell .suit{fill:#8b949e}
.freecell .used{fill:#58a6ff}
}
"""


def status(game: FreeCell, state: State) -> str:
    """Say in one line how the game stands."""
    return f"{_counted(game, state)} made; {int(np.sum(state.foundations))} of {CARDS} cards on the foundations"


def ending(game: FreeCell, state: State) -> str:
    """Say how a game has ended."""
    made, home = _counted(game, state), int(np.sum(state.foundations))
    if home == CARDS:
        return f"Solved in {made}"
    moves = legal_moves(game, state.replace(terminated=np.bool_(False)))  # type: ignore[attr-defined]
    how = "Given up" if moves else "No move is left"
    return f"{how} after {made}, with {home} of {CARDS} cards on the foundations"


def _counted(game: FreeCell, state: State) -> str:
    count = int(state.count)
    return f"{count} move{'s' * (count != 1)}"


def text(game: FreeCell, state: State, bottom: int = 0) -> str:
    """Draw the table in plain characters; cascades go down, each from its bottom card to its top card.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the table; it makes no difference.
    """
    del bottom
    cells = "  ".join(f"{PILES[CASCADES + n]} {_name(card)}" for n, card in enumerate(np.asarray(state.cells).tolist()))
    home = "  ".join(f"{suit} {RANKS[n - 1] if n else '-'}" for n, suit in _foundations(state))
    rows = [" ".join(f" {n}" for n in range(1, CASCADES + 1))]
    piles, heights = np.asarray(state.cascades).tolist(), np.asarray(state.heights).tolist()
    for row in range(max(heights)):
        shown = [cards.name(pile[row]) if row < height else "  " for pile, height in zip(piles, heights, strict=True)]
        rows.append(" ".join(shown).rstrip())
    return "\n".join([f"cells  {cells}    foundations h  {home}", "", *rows, "", status(game, state)])


def _name(card: int) -> str:
    return cards.name(card) if card >= 0 else "--"


def _foundations(state: State) -> list[tuple[int, str]]:
    """Return how many cards are on each foundation, and its suit."""
    return list(zip(np.asarray(state.foundations).tolist(), cards.SUITS, strict=True))


def svg(game: FreeCell, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw a position as a standalone picture, for light and dark pages.

    Args:
        game: the rules.
        state: the position.
        highlight: the move that led to it. The names of its piles are marked; so are the cards that it has moved,
            unless cards may have gone to the foundations after it.
        seat: whose move it was; it makes no difference.
        bottom: the seat that looks at the table; it makes no difference.
    """
    del seat, bottom
    source, target, count = (-1, -1, 0) if highlight is None else ACTIONS[highlight]
    marked = 0 if game.autoplay != "none" else count
    wide = CASCADES * COLUMN + 2 * MARGIN - (COLUMN - WIDE)
    top = MARGIN + HEAD + TALL + HEAD + 10
    tall = top + (ROWS - 1) * ROW + TALL + MARGIN
    parts = [f'<rect class="table" width="{wide:g}" height="{tall:g}" rx="8"/>']

    def label(pile: int, column: float, y: float) -> str:
        used = " used" if pile in (source, target) else ""
        return _written(f"name{used}", MARGIN + column * COLUMN + WIDE / 2, y, PILES[pile])

    for slot, card in enumerate(np.asarray(state.cells).tolist()):
        parts.append(label(CASCADES + slot, slot, MARGIN + HEAD - 7))
        parts += _card(card, slot, MARGIN + HEAD, marked > 0 and target == CASCADES + slot)
    parts.append(label(HOME, CELLS + (SUITS - 1) / 2, MARGIN + HEAD - 7))
    for suit, (height, _) in enumerate(_foundations(state)):
        parts += _card((height - 1) * SUITS + suit if height else -1, CELLS + suit, MARGIN + HEAD, False)
        if not height:
            x, y = MARGIN + (CELLS + suit) * COLUMN + WIDE / 2, MARGIN + HEAD + TALL / 2 + 5
            parts.append(_written("suit", x, y, SYMBOLS[suit] + AS_TEXT))
    piles, heights = np.asarray(state.cascades).tolist(), np.asarray(state.heights).tolist()
    for column, (pile, height) in enumerate(zip(piles, heights, strict=True)):
        parts.append(label(column, column, top - 7))
        parts += _card(-1, column, top, False) if not height else []
        for row, card in enumerate(pile[:height]):
            parts += _card(card, column, top + row * ROW, target == column and row >= height - marked)
    said = f"FreeCell. {status(game, state)}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="freecell" viewBox="0 0 {wide:g} {tall:g}" role="img" '
        f'aria-label="{escape(said)}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _card(card: int, column: float, y: float, moved: bool) -> list[str]:
    """Draw a card; for a number below 0 the place of one."""
    x = MARGIN + column * COLUMN
    kind = "pile" if card < 0 else "card moved" if moved else "card"
    frame = f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{WIDE:g}" height="{TALL:g}" rx="5"/>'
    if card < 0:
        return [frame]
    colour = "red" if bool(cards.red(card)) else "black"
    rank = RANKS[card // SUITS].replace("T", "10")
    return [frame, _written(colour, x + WIDE / 2, y + 15, rank + SYMBOLS[card % SUITS] + AS_TEXT)]


def _written(kind: str, x: float, y: float, said: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{said}</text>'


def places(game: FreeCell, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: the undermost card that goes, and the pile to which it goes."""
    del game
    source, target, count = ACTIONS[action]
    if source >= CASCADES:
        return PILES[source], PILES[target]
    return f"{PILES[source]}-{int(np.asarray(state.heights)[source]) - count}", PILES[target]


def spots(game: FreeCell, state: State, bottom: int) -> list[Spot]:
    """Return where the cards and the piles are in the picture; a card in a cascade stands for its pile as well."""
    del game, bottom
    upper, top = MARGIN + HEAD, MARGIN + HEAD + TALL + HEAD + 10
    found = [Spot((PILES[CASCADES + slot],), MARGIN + slot * COLUMN, upper, WIDE, TALL) for slot in range(CELLS)]
    found.append(Spot((PILES[HOME],), MARGIN + CELLS * COLUMN, upper, (SUITS - 1) * COLUMN + WIDE, TALL))
    for column, height in enumerate(np.asarray(state.heights).tolist()):
        x, pile = MARGIN + column * COLUMN, PILES[column]
        if not height:
            found.append(Spot((pile,), x, top, WIDE, TALL))
        for row in range(height):
            found.append(Spot((f"{pile}-{row}", pile), x, top + row * ROW, WIDE, TALL if row == height - 1 else ROW))
    return found
