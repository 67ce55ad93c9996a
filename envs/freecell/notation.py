"""Moves as people type them, and whole games as text, in the notation of solvers and collections.

A move names two piles, from and to: cascades are 1 to 8, cells a to d, the foundations h. So 26 moves the top card of
cascade 2 to cascade 6, and 3a, a4 and 3h move one to a cell, from a cell and to the foundations. Onto a card as many
cards move as it takes. Onto an empty cascade 26v3 moves three. Without a number a person moves one card there; the
programs that write whole games mean as many as fit, and a few mean one, so both readings are tried.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from envs.freecell import cards
from envs.freecell.cards import CASCADES, DEALS, NUMBER
from envs.freecell.moves import ACTIONS, COUNTS, HOME, NUMBERS
from envs.freecell.rules import FreeCell, rules_of
from envs.freecell.states import State, run_length
from jaxgp.games.notation import Recorded, one_of
from jaxgp.printable import show_typed
from jaxgp.search import chance
from jaxgp.search.chance import Stepping, unused_key

PILES = "12345678abcdh"
TYPED = (
    "two piles, from and to: cascades are 1 to 8, cells a to d, the foundations h, as in 26, 3a, a4, 3h; "
    "26v3 moves three cards to an empty cascade"
)
MARK = "Moves:"
"""Text before this line is no part of a game."""
WORDS = 12
"""Moves on a line."""


def action_name(game: FreeCell, action: int) -> str:
    """Return the name of a move, as in 26, 3a, 26v3 for three cards.

    Raises:
        ValueError: there is no such action.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    source, target, count = ACTIONS[action]
    return PILES[source] + PILES[target] + (f"v{count}" if count > 1 else "")


def parse_action(game: FreeCell, text: str) -> int:
    """Return the move that has a name, one card if it names no number; see `turn` for what people type.

    Raises:
        ValueError: not a move; the message says what was typed and what is accepted.
    """
    del game
    source, target, count = _piles(text)
    return NUMBERS[source, target, count or 1]


def turn(game: FreeCell, state: State, text: str) -> list[int]:
    """Return the legal move that a person typed, alone in a list; without a number the one of the fewest cards.

    Raises:
        ValueError: not a move, or not a legal one; the message says why and what is accepted.
    """
    source, target, count = _piles(text)
    legal = legal_moves(game, state)
    between = [action for action in legal if ACTIONS[action][:2] == (source, target)]
    fitting = [action for action in between if count in (None, ACTIONS[action][2])]
    if fitting:
        return fitting[:1]
    alike = [
        action for action in legal if ACTIONS[action][0] == source and _is_alike(state, ACTIONS[action][1], target)
    ]
    accepted = between or alike or legal
    if not legal:
        raise ValueError("the game has ended; accepted: no further move")
    why = _reason(state, source, target) if not between else f"{count} card{'s' * (count != 1)} cannot move together"
    raise ValueError(f"{why}; accepted: {', '.join(action_name(game, action) for action in accepted)}")


def legal_moves(game: FreeCell, state: State) -> list[int]:
    """Return the legal moves, in ascending order."""
    return [int(action) for action in np.flatnonzero(stepping(game).legal(state))]


def _piles(text: str) -> tuple[int, int, int | None]:
    """Read the source and the target of a move, and the number of cards if there is one; raises ValueError."""
    found = re.fullmatch(r"([1-8a-d])\s*-?\s*([1-8a-dh])(?:\s*v\s*([0-9]{1,2}|[a-d]))?", text.strip().lower())
    if found is None:
        raise ValueError(f"{show_typed(text)} is not a move; accepted: {TYPED}")
    source, target = PILES.index(found[1]), PILES.index(found[2])
    count = int(found[3], 16 if found[3] in "abcd" else 10) if found[3] else None  # fc-solve writes va for ten cards
    if source == target or (source >= CASCADES and CASCADES <= target < HOME):
        raise ValueError(f"{text.strip()} leads nowhere else; accepted: {TYPED}")
    most = COUNTS if source < CASCADES and target < CASCADES else 1
    if count is not None and not 1 <= count <= most:
        raise ValueError(f"{text.strip()} moves {count} cards; accepted: 1{f' to {most}' if most > 1 else ''}")
    return source, target, count


def _reason(state: State, source: int, target: int) -> str:
    """Say why no move between two piles is legal."""
    card, onto = _top(state, source), _top(state, target) if target < HOME else None
    if card is None:
        return f"{_called(source)} is empty"
    if target == HOME:
        return f"{cards.name(card)} cannot go to the foundations yet"
    if target >= CASCADES and onto is not None:
        return f"{_called(target)} holds {cards.name(onto)}"
    if target >= CASCADES:
        return f"cells are alike, so a card goes to the first free one, and {_called(target)} is not"
    if onto is not None:
        return f"what moves from {_called(source)} does not fit on {cards.name(onto)}, or there is too little room"
    if bool((np.asarray(state.heights)[:target] == 0).any()):
        return f"empty cascades are alike, so cards go to the first one, and {_called(target)} is not"
    return f"{_called(source)} would move to {_called(target)} as a whole, which changes nothing"


def _is_alike(state: State, one: int, other: int) -> bool:
    """Return whether two piles are both empty cells, or both empty cascades."""
    kinds = [(pile < CASCADES, pile < HOME and _top(state, pile) is None) for pile in (one, other)]
    return kinds[0] == kinds[1] and kinds[0][1]


def _top(state: State, pile: int) -> int | None:
    """Return the card of a cascade or a cell that can move; None: there is none."""
    if pile >= CASCADES:
        held = int(np.asarray(state.cells)[pile - CASCADES])
        return held if held >= 0 else None
    height = int(np.asarray(state.heights)[pile])
    return int(np.asarray(state.cascades)[pile, height - 1]) if height else None


def _called(pile: int) -> str:
    return f"{'cascade' if pile < CASCADES else 'cell'} {PILES[pile]}"


def write_game(game: FreeCell, actions: Sequence[int]) -> str:
    """Write a game: its moves by their names, as `parse_game` reads them, with numbers onto empty cascades."""
    state, names = game.init(unused_key()), []
    for action in actions:
        source, target, count = ACTIONS[action]
        bare = source < CASCADES and target < CASCADES and _top(state, target) is None
        names.append(action_name(game, action) + "v1" * (bare and count == 1))
        state = stepping(game).step(state, np.int32(action))
    return "\n".join([MARK, *(" ".join(names[at : at + WORDS]) for at in range(0, len(names), WORDS))]) + "\n"


def read_game(game: FreeCell, text: str, number: int | None = None) -> Recorded[FreeCell]:
    """Read a game as `parse_game` does; a line such as #617 says which deal it is.

    Raises:
        ValueError: a line with # and a digit is no number of a deal; else see `parse_game`.
    """
    one_of([text], number)
    lines = enumerate(text.splitlines(), 1)
    deals = [_deal(at, line) for at, line in lines if re.match(r"\s*#\s*\d", line)]
    if deals and cards.deal(deals[-1]) != game.start:
        game = replace(game, deal=deals[-1])
    return Recorded(game, parse_game(game, text))


def _deal(at: int, line: str) -> int:
    """Return the number of the deal that a line names; raises ValueError."""
    found = NUMBER.fullmatch(line)
    if found is None or not 1 <= int(found[1]) <= DEALS:
        raise ValueError(f"line {at}: {show_typed(line)}: accepted: the number of a deal from 1 to {DEALS} after #")
    return int(found[1])


def parse_game(game: FreeCell, text: str) -> list[int]:
    """Read a game that begins with the deal of the rules: names of moves, with blanks between them.

    A text may use any free cell and any empty cascade; the moves are those that lead to the same position by the first
    ones. A whole cascade that goes to an empty one is no move here, and is left out. Numbers of moves, as in `3.`, and
    lines with # are passed over, and what stands before the mark "Moves:" is. A move to an empty cascade without a
    number of cards takes as many as fit; where the game then fails, one.

    Raises:
        ValueError: a word is no move, or a move is not legal; the message says which.
    """
    lines = text.rpartition(MARK)[2].splitlines()
    words = [word for line in lines if not line.lstrip().startswith("#") for word in line.split()]
    words = [word for word in words if not re.fullmatch(r"[0-9]+\.", word)]
    if not words:
        raise ValueError(f"the text holds no moves; accepted: {TYPED}")
    try:
        return _followed(game, words, several=True)
    except _WrongMoveError as first:
        if not first.open:
            raise
        try:
            return _followed(game, words, several=False)
        except _WrongMoveError as second:
            said = f"{first}; with one card to an empty cascade where no number says how many: {second}"
            raise ValueError(said) from second


class _WrongMoveError(ValueError):
    """A move of a game cannot be played; `open` says whether moves before it had no number of cards."""

    def __init__(self, text: str, open_: bool) -> None:
        super().__init__(text)
        self.open = open_


def _followed(game: FreeCell, words: Sequence[str], several: bool) -> list[int]:
    """Return the moves of a game; where no number says how many cards go to an empty cascade, `several` or one do."""
    state, found, open_ = game.init(unused_key()), list[int](), False
    ours = list(range(HOME + 1))  # the pile here that stands for each pile of the text
    for number, word in enumerate(words, 1):
        try:
            source, target, count = _piles(word)
            bare = source < CASCADES and target < CASCADES and _top(state, ours[target]) is None
            if bare and count is None:
                count = _most(game, state, ours[source]) if several else 1
                open_ |= count != 1 or not several
            if _is_idle(state, ours[source], ours[target], count or 1):
                ours[source], ours[target] = ours[target], ours[source]
                continue
            if target < HOME and _top(state, ours[target]) is None:
                _swap(ours, state, target)
            suffix = "" if count is None else f"v{count}"
            (action,) = turn(game, state, PILES[ours[source]] + PILES[ours[target]] + suffix)
        except ValueError as error:
            raise _WrongMoveError(f"move {number}, {word[:20]}: {error}", open_) from error
        found.append(action)
        state = stepping(game).step(state, np.int32(action))
    return found


def _most(game: FreeCell, state: State, source: int) -> int:
    """Return how many cards of a cascade fit into an empty one, a whole cascade among them."""
    heights, cascades = np.asarray(state.heights), np.asarray(state.cascades)
    run = int(run_length(cascades[source], heights[source]))
    free, empty = int((np.asarray(state.cells) < 0).sum()), int((heights == 0).sum()) - 1
    return min(run, free + empty + 1 if game.supermoves == "strict" else (free + 1) << empty)


def _is_idle(state: State, source: int, target: int, count: int) -> bool:
    """Return whether a move takes a whole cascade to an empty one."""
    height = int(np.asarray(state.heights)[source]) if source < CASCADES else 0
    return height == count and target < CASCADES and _top(state, target) is None


def _swap(ours: list[int], state: State, target: int) -> None:
    """Let the first empty pile here stand for an empty pile of the text."""
    kind = range(CASCADES) if target < CASCADES else range(CASCADES, HOME)
    first = next(pile for pile in kind if _top(state, pile) is None)
    other = ours.index(first)
    ours[target], ours[other] = ours[other], ours[target]


def stepping(game: FreeCell) -> Stepping[State]:
    """Return the rules as programs for one position, compiled once for all deals."""
    return chance.stepping(rules_of(game.supermoves, game.autoplay))
