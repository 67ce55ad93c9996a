"""FreeCell: a puzzle for one. 52 cards in eight cascades, four cells for one card each, four foundations.

Source: Sipper, "Evolved to Win", chapter 11, and the numbered deals of Microsoft FreeCell.

- The last card of a cascade, its top card, and the cards in cells can move: into a free cell, onto an empty cascade,
  onto the top card of a cascade if this has the other colour and is one rank higher, or to the foundation of its suit
  if all lower cards of the suit are there. Foundations are never taken back.
- Several cards in sequence move from cascade to cascade together, as one action, if there is room to move them one by
  one. With e empty cells and v empty cascades beside the target, up to (e + 1) * 2**v cards move by `supermoves=full`,
  and up to e + v + 1 by `supermoves=strict`, the rule of Heineman's program.
- By `autoplay=safe`, cards on which no other card could be laid any more go to the foundations after each move, if
  they may: all lower cards of the other colour are on the foundations. This counts as no move. By `needless` there also
  go cards on which only such cards could be laid as could go to the foundations instead: of the other colour all but
  the next lower cards are there, and of the other suit of the same colour those that would be laid on these.
- The puzzle is solved when all cards are on the foundations. It also ends where no move is left.

Cells are alike, and so are empty cascades. So a card goes to the first free cell or the first empty cascade alone, and
a whole cascade does not move to an empty one, which would change nothing.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.freecell import cards
from envs.freecell.cards import CARDS, CASCADES, CELLS, ROWS, Layout, fits, red
from envs.freecell.moves import COUNTS, FIRST_OF_GROUPS, HOME, MOST_MOVES, STARTS, TABLE
from envs.freecell.states import (
    AT_BOTTOM,
    EMPTY,
    IN_CELL,
    ON_FOUNDATION,
    ON_LOWER,
    PLACES,
    SUITS,
    State,
    is_next,
    pack,
    pack_digits,
    position,
    run_length,
    run_lengths,
    score_of,
    top_cards,
    tops_of,
    unpack,
)
from jaxgp.contracts import Packs, Puzzle, Starts
from jaxgp.errors import UsageError
from jaxgp.options import check, option

Supermoves = Literal["full", "strict"]
Autoplay = Literal["none", "safe", "needless"]


class Moves(NamedTuple):
    """The legal moves by groups, in ascending order: in each, actions that follow each other.

    Groups are each cell to its foundation, each cascade to its foundation, each cell to each cascade, each cascade to
    each cascade, each cascade to a cell.
    """

    first: Array  # int32[116]
    number: Array  # int32[116]: actions from the first one on


@dataclass(frozen=True)
class FreeCell(Packs, Puzzle[State]):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    deal: int | str = option(
        1, "the deal, or the position, that is played", low=1, high=cards.DEALS, accepted=cards.ACCEPTED
    )
    supermoves: Supermoves = option(
        "full",
        "how many cards move together, by e empty cells and v empty cascades: (e + 1) * 2^v, or strict, e + v + 1",
    )
    autoplay: Autoplay = option(
        "none",
        "which cards go to the foundations by themselves after each move: those on which no card could be laid any "
        "more (safe), or no card that could not go there instead (needless)",
    )

    name: ClassVar[str] = "freecell"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 1
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "instance"
    num_actions: ClassVar[int] = len(TABLE)
    """See `envs.freecell.moves`."""

    def __post_init__(self) -> None:
        check(self, "game.")
        _ = self.start

    @cached_property
    def start(self) -> Layout:
        """The position that is played; raises UsageError, which says what is accepted."""
        try:
            return cards.find(self.deal)
        except ValueError as error:
            shown = " ".join(str(self.deal).split())
            raise UsageError(f"game.deal={shown if len(shown) <= 40 else shown[:37] + '...'}: {error}") from error

    @property
    def most_choices(self) -> int:
        """A bound on the legal moves of a position; see `envs.freecell.moves`."""
        return MOST_MOVES[self.supermoves]

    def init(self, key: Array) -> State:
        """Return the deal; no chance is involved, `key` is ignored."""
        del key
        return jax.tree.map(jnp.asarray, position(self.start))

    def solved(self, state: State) -> Array:
        """Return bool[]: whether all cards are on the foundations."""
        return state.foundations.sum(dtype=jnp.int32) == CARDS

    def legal_actions(self, state: State) -> Array:
        """Return bool[908]: the moves that the rules allow."""
        first, number = self.moves(state)
        pairs = slice(HOME + CELLS * CASCADES, -CASCADES)
        begins = STARTS[3] + COUNTS * np.arange(CASCADES**2)
        offset = (first[pairs] - begins)[:, None]
        counts = np.arange(COUNTS)
        runs = (offset <= counts) & (counts < offset + number[pairs][:, None])
        cell = STARTS[4] + np.arange(CASCADES * CELLS).reshape(CASCADES, CELLS)
        parked = (cell == first[-CASCADES:, None]) & (number[-CASCADES:, None] > 0)
        return jnp.concatenate([number[: pairs.start] > 0, runs.reshape(-1), parked.reshape(-1)])

    def choices(self, state: State) -> Array:
        """Return int32[]: how many legal moves there are; none after the end."""
        return self.moves(state).number.sum(dtype=jnp.int32)

    def choice(self, state: State, place: Array) -> Array:
        """Return int32[]: the action at a place (int32[]) of the list of legal moves, in ascending order."""
        first, number = self.moves(state)
        begins = jnp.cumsum(number, dtype=jnp.int32) - number
        # How far actions are beyond their places grows from group to group; a sum is faster than finding the group.
        grows = jnp.diff(first - begins, prepend=0)
        return place + jnp.where(begins <= place, grows, 0).sum(dtype=jnp.int32)

    def moves(self, state: State) -> Moves:
        """Return all legal moves; none after the end."""
        tops, runs, heights = top_cards(state), run_lengths(state), state.heights
        cell, cascade = state.cells < 0, heights == 0
        first_cell, first_cascade = _first(cell), _first(cascade)
        free, empty = cell.sum(dtype=jnp.int8), cascade.sum(dtype=jnp.int8)

        home = is_next(jnp.concatenate([state.cells, tops]), state.foundations)
        onto = fits(state.cells[:, None], tops) | (first_cascade & ~cell[:, None])
        # On a card lands the one of the run that has the next lower rank: the number of cards follows from the ranks.
        needed = (tops >> 2) - (tops >> 2)[:, None]
        fitting = ((red(tops) ^ red(tops)[:, None] ^ needed) & 1) == 0
        most = jnp.minimum(runs, self.capacity(free, empty))[:, None]
        joined = fitting & (needed >= 1) & (needed <= most)
        most = jnp.minimum(jnp.minimum(runs, heights - 1), self.capacity(free, empty - 1))[:, None]
        number = jnp.where(first_cascade, jnp.maximum(most, 0), joined)
        offset = jnp.where(joined, needed - 1, 0)
        parked = ~cascade & (free > 0)

        flat = [home, onto.reshape(-1), number.reshape(-1), parked]
        counts = jnp.concatenate([one.astype(jnp.int32) for one in flat])
        beyond = [0] * (HOME + CELLS * CASCADES), offset.reshape(-1), jnp.tile(_index(first_cell), CASCADES)
        first = jnp.asarray(FIRST_OF_GROUPS) + jnp.concatenate([jnp.asarray(one, jnp.int32) for one in beyond])
        return Moves(first, jnp.where(state.terminated, 0, counts))

    def capacity(self, free: Array, empty: Array) -> Array:
        """Return int8[]: how many cards move together with these empty cells, and empty cascades beside the target."""
        if self.supermoves == "strict":
            return free + empty + 1
        # With four empty cascades there is room for any run; more of them would not fit 8 bits.
        return (free + 1) << jnp.clip(empty, 0, 4)

    def step(self, state: State, action: Array, key: Array) -> State:
        """Move cards, then those that go by themselves.

        A move that the rules do not allow changes nothing, and nothing changes after the end.
        """
        del key
        return self._moved(state, action, checks=True)

    def advance(self, state: State, action: Array) -> State:
        """Move cards that may move."""
        return self._moved(state, action, checks=False)

    def _moved(self, state: State, action: Array, checks: bool) -> State:
        source, target, count = jnp.asarray(TABLE)[action]
        rows, columns = np.arange(ROWS, dtype=np.int8), np.arange(CASCADES, dtype=np.int8)
        slots = np.arange(CASCADES, HOME, dtype=np.int8)

        out, into, leaves = source == columns, target == columns, source == slots
        before = jnp.where(out, state.heights, 0).sum(dtype=jnp.int8)
        begin, end = jnp.maximum(before - count, 0), jnp.where(into, state.heights, 0).sum(dtype=jnp.int8)
        pile = jnp.where(out[:, None], state.cascades, EMPTY).max(0)
        run = run_length(pile, before) if checks else count
        held = jnp.where(leaves, state.cells, EMPTY).max()
        pile = jnp.where(rows == 0, jnp.maximum(pile, held), pile)
        card = jnp.where(rows == begin, pile, EMPTY).max()  # the lowest one of those that move
        below = jnp.where(into[:, None] & (rows == end - 1), state.cascades, EMPTY).max()

        going = ~state.terminated
        if checks:  # one move, which takes a fraction of the time of listing all with `moves`
            cell, cascade = state.cells < 0, state.heights == 0
            free, empty = cell.sum(dtype=jnp.int8), cascade.sum(dtype=jnp.int8)
            bare = (_first(cascade) & into).any()  # the target is the first empty cascade
            most = jnp.minimum(run, self.capacity(free, jnp.where(bare, empty - 1, empty)))
            most = jnp.where(bare, jnp.minimum(most, before - 1), most)
            may = (fits(card, below) | bare) & (leaves.any() | (count <= most))
            may |= (target == HOME) & is_next(card[None], state.foundations)[0]
            may |= (_first(cell) & (target == slots)).any()
            going &= may & (card >= 0) & (action >= 0) & (action < self.num_actions)
        out, into, leaves, count = out & going, into & going, leaves & going, jnp.where(going, count, 0)
        target = jnp.where(going, target, -1)

        moved = pile[jnp.clip(rows - end + begin, 0, ROWS - 1)]
        cascades = jnp.where(out[:, None] & (rows >= begin), EMPTY, state.cascades)
        cascades = jnp.where(into[:, None] & (rows >= end) & (rows < end + count), moved, cascades)
        heights = state.heights + jnp.where(into, count, 0) - jnp.where(out, count, 0)
        cells = jnp.where(leaves, EMPTY, jnp.where(target == slots, card, state.cells))
        foundations = state.foundations + ((target == HOME) & (np.arange(SUITS, dtype=np.int8) == card & 3))

        place = jnp.where(end == 0, AT_BOTTOM, ON_LOWER + (below >> 1 & 1))
        place = jnp.where(target < CASCADES, place, IN_CELL).astype(jnp.int8)
        places = jnp.where(np.arange(CARDS, dtype=np.int8) == jnp.where(going, card, EMPTY), place, state.places)
        if self.autoplay != "none":
            needless = self.autoplay == "needless"
            heights, cells, foundations = _sent_home(cascades, heights, cells, foundations, going, needless)
            cascades = jnp.where(rows < heights[:, None], cascades, EMPTY)
        count = state.count + going
        return _finished(state, cascades, heights, cells, foundations, places, count)

    def score(self, state: State) -> Array:
        """Return float32[1]: cards on the foundations."""
        return score_of(state.foundations)

    def forfeit(self, state: State) -> State:
        """Give up: end the game as it stands."""
        ended: State = state.replace(terminated=jnp.bool_(True), returns=score_of(state.foundations))  # type: ignore[attr-defined]
        return ended

    def key(self, state: State) -> Array:
        """Return uint32[5]: where each card is.

        Each card says what it lies on, so the code is the same whatever the order of cells and of cascades. Positions
        of one deal have equal keys if and only if they are equal up to this order. Their moves are the same cards to
        the same places, whose numbers may differ.
        """
        return pack_digits(state.places, PLACES)

    def pack(self, state: State) -> Array:
        """Return uint32[41]: a state in two thirds of its bytes."""
        return pack(state)

    def unpack(self, words: Array) -> State:
        """Undo `pack`."""
        return unpack(words)


class WholeRuns(FreeCell):
    """The rules for a search that keeps runs together: cards in sequence at the top of a cascade.

    To a cell or an empty cascade goes a whole run alone. A part of it goes onto a card, or to a foundation. Each such
    move is one of the rules, but not each solution can be found so.
    """

    def moves(self, state: State) -> Moves:
        """Return the moves that keep runs together; see `FreeCell.moves`."""
        first, number = super().moves(state)
        runs = run_lengths(state)
        pairs = slice(HOME + CELLS * CASCADES, -CASCADES)
        onto_none, cards_of_run = jnp.tile(state.heights == 0, CASCADES), jnp.repeat(runs, CASCADES).astype(jnp.int32)
        # Moves of one to `number` cards become the one of all cards of the run, if it is among them.
        whole = onto_none & (number[pairs] > 0) & (number[pairs] == cards_of_run)
        first = first.at[pairs].add(jnp.where(whole, cards_of_run - 1, 0))
        number = number.at[pairs].set(jnp.where(onto_none, whole, number[pairs]))
        return Moves(first, number.at[-CASCADES:].set(jnp.where(runs == 1, number[-CASCADES:], 0)))


def rules_of(supermoves: Supermoves = "full", autoplay: Autoplay = "none") -> FreeCell:
    """Return rules for positions of any deals.

    States carry their deals, and a program is compiled once for these rules, whatever the deals are.
    """
    return FreeCell(1, supermoves, autoplay)


def _first(there: Array) -> Array:
    """Return bool[N]: the first one of those that are there (bool[N])."""
    return there & (jnp.cumsum(there, dtype=jnp.int8) == 1)


def _index(one: Array) -> Array:
    """Return int32[]: the index of the only one that is there, or 0."""
    return jnp.where(one, np.arange(len(one)), 0).sum(dtype=jnp.int32)


Going = tuple[Array, Array, Array, Array, Array]
"""Heights, cells, foundations; and which top cards, and which cards in cells, go to which foundations next."""


def _sent_home(
    cascades: Array, heights: Array, cells: Array, foundations: Array, going: Array, needless: bool
) -> tuple[Array, Array, Array]:
    """Send cards to the foundations until none of those that can go is safe, or also not needless.

    Each round of the loop sends all that can go at once; the order makes no difference.

    Returns:
        Heights, cells and foundations after that; cards above the heights have gone.
    """
    suits = np.arange(SUITS, dtype=np.int8)

    def found(heights: Array, cells: Array, foundations: Array) -> tuple[Array, Array]:
        """Return bool[8, 4] and bool[4, 4]: which top cards and cards in cells go to which foundations."""
        other = jnp.minimum(foundations[np.array([1, 0, 0, 1])], foundations[np.array([2, 3, 3, 2])])
        ready = other >= foundations
        if needless:
            ready |= (other >= foundations - 1) & (foundations[::-1] >= foundations - 2)
        safe = jnp.where(ready, foundations * SUITS + suits, CARDS)
        return tops_of(cascades, heights)[:, None] == safe, cells[:, None] == safe

    def send(carry: Going) -> Going:
        heights, cells, foundations, tops, held = carry
        heights = heights - tops.any(1)
        cells = jnp.where(held.any(1), EMPTY, cells)
        foundations = foundations + (tops.any(0) | held.any(0))
        return heights, cells, foundations, *found(heights, cells, foundations)

    def some(carry: Going) -> Array:
        return carry[3].any() | carry[4].any()

    tops, held = found(heights, cells, foundations)
    return lax.while_loop(some, send, (heights, cells, foundations, tops & going, held & going))[:3]


def _finished(
    state: State, cascades: Array, heights: Array, cells: Array, foundations: Array, places: Array, count: Array
) -> State:
    """Return the state after a move: cards on foundations noted, and whether the game has ended."""
    home = np.arange(CARDS // SUITS, dtype=np.int8)[:, None] < foundations
    places = jnp.where(home.reshape(-1), ON_FOUNDATION, places)
    tops = tops_of(cascades, heights)
    exposed = jnp.concatenate([tops, cells])
    # With a free cell or an empty cascade there is a move, unless no card is left.
    room = (cells < 0).any() | (heights == 0).any()
    movable = room | is_next(exposed, foundations).any() | fits(exposed[:, None], tops).any()
    ended = state.terminated | ~movable | (foundations.sum(dtype=jnp.int32) == CARDS)
    return State(
        cascades=cascades,
        heights=heights,
        cells=cells,
        foundations=foundations,
        places=places,
        level=state.level,
        count=count,
        to_move=state.to_move,
        terminated=ended,
        returns=jnp.where(ended, score_of(foundations), 0.0),
    )


GAME = FreeCell
