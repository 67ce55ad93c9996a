"""Legal moves of a whole board, and those among them that give check, without making one.

Moves are sets of squares where they end, by direction. A move of a king, a queen, a rook, a bishop or a pawn comes from
the nearest man behind it, so direction and square name it; a knight's jump too. Legality is decided by pins and by the
squares that answer a check; a capture in passing, which takes two men off a line, by rays on the board after it.

Moves are listed in one order: those that give check; captures by what is taken (queen, rook, bishop, knight, pawn); the
rest. Within each they are ordered by `position.MOVE`: from, to, kind of promotion. An *action* is 4096 * the class of a
move + the move. So actions are listed in ascending order. Other orders put moves in other classes.
"""

from collections.abc import Callable
from functools import reduce
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.chess.board.position import (
    HOME,
    MOVE,
    OWN_LONG,
    OWN_SHORT,
    PASSING,
    Board,
    Men,
)
from envs.chess.board.squares import (
    STRAIGHT,
    Set,
    Star,
    at,
    below,
    columns,
    jump,
    of,
    rays,
    stack,
    step,
    unite,
)
from envs.chess.geometry import batch_last
from jaxgp.arrays import apart

Order = Literal["checks", "captures", "plain"]
"""Checks first, then captures, then the rest; captures, then the rest; all by their numbers."""
ORDERS: tuple[Order, ...] = ("checks", "captures", "plain")
REST = 6
"""The last class of moves."""
ACTIONS = (REST + 1) << 12
"""Numbers of actions."""
MOST = 218
"""The most legal moves that a position can have."""
ROW = 0xFF
_NONE = np.int32(1 << 15)


@struct.dataclass
class Look:
    """What is read off a board."""

    board: Board
    slides: Star  # [4, *B] each: moves by direction, without jumps and promotions
    jumps: Star
    promotions: Array  # uint32[3, *B]: up and left, up, up and right: columns in which pawns promote
    sliding_checks: Star  # those among them that give check
    jumping_checks: Star
    promoting_checks: Array  # uint32[4, 3, *B]: by the new kind
    count: Array  # int32[*B]: moves
    forcing: Array  # int32[*B]: moves that give check
    checked: Array  # bool[*B]: the side to move is in check
    won: Array  # bool[*B]: it is mated


@batch_last
def look(board: Board) -> Look:
    """Return the legal moves of the side to move."""
    # Apart: each stage has many users, in which a CPU would compute it again.
    return apart(_look, board)


@struct.dataclass
class _Seen:
    """What rays, jumps and steps reach."""

    own: Star  # from own sliding men
    its: Star  # from those of the other side
    king: Star  # from the own king
    target: Star  # from the other king
    passing: tuple[Star, Star]  # from both kings, on the board after a capture in passing, from either side [4, 2, *B]
    jumping: tuple[Star, ...]  # own knights, other knights, own king, other king
    steps: tuple[Star, ...]  # own king, other king


def _sliders(men: Men) -> Set:
    """Return a stack of the men that slide in each orientation."""
    return stack([men.straight if n in STRAIGHT else men.slanting for n in range(4)])


def _passing(board: Board, men: Men) -> tuple[Set, Set, list[Set]]:
    """Return where a capture in passing ends, the pawn that it takes, and the pawns that may make it from each side."""
    column = (board.rest >> PASSING & 15).astype(jnp.int32)
    goal = at(jnp.where(column > 0, column + 39, -1))
    own = men.pawns & men.own
    right = Set(goal.low, goal.high >> 7) & ~of(columns("a")) & own
    left = Set(goal.low, goal.high >> 9) & ~of(columns("h")) & own
    return goal, Set(goal.low, goal.high >> 8), [right, left]


def _see(board: Board) -> _Seen:
    men = board.men
    sliders, free = _sliders(men), ~men.occupied
    mine, theirs = men.own, men.occupied & ~men.own
    king, target = men.kings & mine, men.kings & theirs
    goal, taken, takers = _passing(board, men)
    after = [free & ~goal | taken | taker for taker in takers]
    kings = [_spread(one) for one in (king, target, king, king, target, target)]
    starts = stack([sliders & mine, sliders & theirs, *kings], 1)
    reached = rays(Star(starts, starts), stack([free] * 4 + after * 2))
    hop = _spread(stack([men.knights & mine, men.knights & theirs, king, target]))
    leapt = jump(Star(hop, hop))
    walk = _spread(stack([king, target]))
    walked = step(Star(walk, walk))

    def pair(first: int) -> Star:
        return jax.tree.map(lambda x: x[:, first : first + 2], reached)

    own, its, king_sees, target_sees = (reached.at(n) for n in range(4))
    return _Seen(
        own=own,
        its=its,
        king=king_sees,
        target=target_sees,
        passing=(pair(4), pair(6)),
        jumping=tuple(leapt.at(n) for n in range(4)),
        steps=(walked.at(0), walked.at(1)),
    )


def _spread(sets: Set) -> Set:
    """Return a stack of four times the same sets."""
    return Set(*(jnp.broadcast_to(word, (4, *word.shape)) for word in (sets.low, sets.high)))


@struct.dataclass
class _Ways:
    """Who may go where, by pins and checks; who uncovers a check."""

    movers: Set  # [4, *B]: by orientation, men that pins allow to move along it
    knights: Set  # that are not pinned
    uncovers: Set  # [4, *B]: by orientation, men that uncover a check when they move along it
    uncovering: Set  # men that uncover a check when they jump
    answer: Set  # where a man that is no king may go
    attacked: Set  # squares that the other side attacks
    behind: Star  # [4, *B]: all squares where a king that goes in a direction stays on the ray of a checking man
    checked: Array  # bool[*B]
    jumping: Array  # bool[*B]: by a knight
    pawns: Set  # that give check


def _ways(board: Board, seen: _Seen) -> _Ways:
    men = board.men
    own, its = men.own, men.occupied & ~men.own
    king = men.kings & own
    sliders = _sliders(men)
    pins = (seen.king.up & seen.its.down | seen.king.down & seen.its.up) & own
    pinned = unite(pins)
    covers = (seen.target.up & seen.own.down | seen.target.down & seen.own.up) & own
    others = [reduce(Set.__or__, [covers[m] for m in range(4) if m != n]) for n in range(4)]
    checkers = seen.king.within(its) & Star(sliders, sliders)
    lines = Star(seen.king.up.where(checkers.up.some), seen.king.down.where(checkers.down.some))
    knights = seen.jumping[2].union & men.knights & its
    up = step(Star(_spread(king), _spread(king))).up
    pawns = (up[1] | up[3]) & men.pawns & its
    near = knights | pawns
    number = (checkers.up.count + checkers.down.count).sum(0) + near.count
    answer = (lines.union | near).where(number == 1)
    answer = answer | of((1 << 64) - 1).where(number == 0)
    fall = step(Star(_spread(men.pawns & its), _spread(men.pawns & its))).down
    attacked = seen.its.union | seen.jumping[1].union | seen.steps[1].union | fall[1] | fall[3]
    hit = seen.its.within(king)
    every = hit.up | ~hit.up
    return _Ways(
        movers=pins | ~pinned & own,
        knights=men.knights & own & ~pinned,
        uncovers=stack(others) & own,
        uncovering=unite(covers),
        answer=answer,
        attacked=attacked,
        behind=Star(every.where(hit.up.some), every.where(hit.down.some)),
        checked=number > 0,
        jumping=knights.some,
        pawns=pawns,
    )


def _slides(board: Board, ways: _Ways) -> tuple[Star, Set, Star]:
    """Return rays of all that may move, of queens, and of those that uncover a check, [4, 3, *B]; steps of pawns."""
    men = board.men
    sliders = _sliders(men) & ways.movers
    queens = men.straight & men.slanting & ways.movers
    starts = stack([sliders, queens, sliders & ways.uncovers], 1)
    pawns = stack([men.pawns & ways.movers, men.pawns & ways.movers & ways.uncovers], 1)
    knights = _spread(stack([ways.knights, ways.knights & ways.uncovering]))
    return rays(Star(starts, starts), ~men.occupied), step(Star(pawns, pawns)).up, jump(Star(knights, knights))


def _look(board: Board) -> Look:
    seen = apart(_see, board)
    ways = apart(_ways, board, seen)
    reached, pawn, leapt = apart(_slides, board, ways)
    found = apart(_collect, board, seen, ways, reached, pawn, leapt)
    slides, jumps, promotions, sliding, jumping, promoting = found
    count = _total(slides, jumps) + 4 * lax.population_count(promotions).sum(0).astype(jnp.int32)
    forcing = _total(sliding, jumping) + lax.population_count(promoting).sum((0, 1)).astype(jnp.int32)
    return Look(
        board,
        slides,
        jumps,
        promotions,
        sliding,
        jumping,
        promoting,
        count,
        forcing,
        ways.checked,
        ways.checked & (count == 0),
    )


def _total(slides: Star, jumps: Star) -> Array:
    return (slides.up.count + slides.down.count + jumps.up.count + jumps.down.count).sum(0)


def _collect(
    board: Board, seen: _Seen, ways: _Ways, reached: Star, pawn: Set, leapt: Star
) -> tuple[Star, Star, Array, Star, Star, Array]:
    """Put all moves together, and those that give check."""
    men = board.men
    own, its, free = men.own, men.occupied & ~men.own, ~men.occupied
    king, target = men.kings & own, men.kings & its
    goals = ways.answer & ~own
    cross = seen.target.up | seen.target.down
    straight, slanting = (
        reduce(Set.__or__, [cross[n] for n in range(4) if (n in STRAIGHT) is odd]) for odd in (True, False)
    )
    both = straight | slanting

    # Rays.
    slides = reached.at(0).within(goals)
    direct = stack([straight if n in STRAIGHT else slanting for n in range(4)])
    sliding = (reached.at(0).within(direct) | reached.at(1).within(both) | reached.at(2)).within(goals)

    # The king: an uncovered check is the only one that he gives, but for castling.
    steps = seen.steps[0].within(~own & ~ways.attacked) & ~ways.behind
    uncovered = (king & ways.uncovers).some
    slides, sliding = slides | steps, sliding | Star(steps.up.where(uncovered), steps.down.where(uncovered))

    # Pawns: captures, a step, two steps; promotions are kept apart.
    none = free & ~free
    where = stack([none, its, free, its])
    moves, uncover = (Set(pawn.low[:, n], pawn.high[:, n]) & where for n in (0, 1))
    third = [each[2] & of(ROW << 16) for each in (moves, uncover)]
    further = [Set(each.low << 8, each.high << 8 | each.low >> 24) & free for each in third]
    first, second = (
        stack([none, each[1], each[2] | more, each[3]]) & goals
        for each, more in zip((moves, uncover), further, strict=True)
    )
    below_king = step(Star(_spread(target), _spread(target))).down
    attacking = below_king[1] | below_king[3]
    last = of(ROW << 56)
    checking = first & attacking | second
    slides = Star(slides.up | first & ~last, slides.down)
    sliding = Star(sliding.up | checking & ~last, sliding.down)

    # Promotions: the new man also looks back along the line of its pawn.
    ends = jnp.stack([(first[n] & last).high >> 24 for n in (1, 2, 3)])
    uncovering = jnp.stack([(second[n] & last).high >> 24 for n in (1, 2, 3)])
    behind = step(Star(seen.target.up & men.pawns & own, seen.target.down)).up
    back = [behind[n].high >> 24 for n in (1, 2, 3)]
    nothing = jnp.zeros_like(back[0])
    rook = jnp.stack([nothing, back[1], nothing]) | (straight.high >> 24)[None]
    bishop = jnp.stack([back[0], nothing, back[2]]) | (slanting.high >> 24)[None]
    knight = jnp.broadcast_to((seen.jumping[3].union.high >> 24)[None], rook.shape)
    promoting = ends[None] & (jnp.stack([rook | bishop, rook, bishop, knight]) | uncovering[None])

    # In passing.
    goal, taken, takers = _passing(board, men)
    sliders = _sliders(men)
    for side, (taker, orientation) in enumerate(zip(takers, (1, 3), strict=True)):
        open_, hits = seen.passing[0].at(side), seen.passing[1].at(side)
        safe = ~((open_.up | open_.down) & sliders & its).some.any(0)
        legal = taker.some & safe & ~ways.jumping & ~(ways.pawns & ~taken).some
        check = ((hits.up | hits.down) & sliders & own).some.any(0) | (goal & attacking).some
        slides = _add(slides, True, orientation, goal.where(legal))
        sliding = _add(sliding, True, orientation, goal.where(legal & check))

    # Castling.
    rest = board.rest
    for right, up, way, through, rook_at in (
        (OWN_SHORT, True, (5, 6), (5, 6), 5),
        (OWN_LONG, False, (1, 2, 3), (2, 3), 3),
    ):
        clear = ~(men.occupied & of(sum(1 << n for n in way))).some
        safe = ~(ways.attacked & of(sum(1 << n for n in through))).some & ~ways.checked
        legal = clear & safe & ((rest & right) != 0)
        along = seen.target.up[0] if up else seen.target.down[0]
        check = (straight & of(1 << rook_at)).some | (along & of(1 << HOME)).some
        end = of(1 << (6 if up else 2))
        slides = _add(slides, up, 0, end.where(legal))
        sliding = _add(sliding, up, 0, end.where(legal & check))

    # Knights.
    jumps = leapt.at(0).within(goals)
    jumping = leapt.at(0).within(seen.jumping[3].union & goals) | leapt.at(1).within(goals)
    return slides, jumps, ends, sliding, jumping, promoting


def _add(star: Star, up: bool, orientation: int, squares: Set) -> Star:
    """Return sets with some squares more in one direction."""
    none = squares & ~squares
    more = stack([squares if n == orientation else none for n in range(4)])
    return Star(star.up | more, star.down) if up else Star(star.up, star.down | more)


def _following(order: Order) -> Callable[[Look, Array], Array]:
    return batch_last(lambda seen, action: apart(lambda: _follow(seen, action.astype(jnp.int32), order)))


_FOLLOWING: dict[Order, Callable[[Look, Array], Array]] = {order: _following(order) for order in ORDERS}


def following(seen: Look, action: Array, order: Order = "checks") -> Array:
    """Return int32[]: the action after this one (integer[]) in an order; -1 after the last one, the first after -1."""
    return _FOLLOWING[order](seen, action)


def listed(seen: Look, order: Order = "checks") -> Array:
    """Return int16[`MOST`]: the actions in an order, then -1."""

    def more(found: tuple[Array, Array]) -> tuple[Array, Array]:
        actions, place = found
        last = jnp.where(place > 0, actions[jnp.maximum(place - 1, 0)], -1)
        return actions.at[place].set(following(seen, last, order).astype(jnp.int16)), place + 1

    actions = jnp.full(MOST, -1, jnp.int16)
    return lax.while_loop(lambda found: found[1] < seen.count, more, (actions, jnp.int32(0)))[0]


@struct.dataclass
class _Left:
    """Moves by class, and those of the class of an action that come after it."""

    forcing: tuple[Star, Star]  # slides and jumps that give check
    quiet: tuple[Star, Star]  # those that do not, captures in passing apart
    passing: Star
    later: tuple[Star, Star]  # slides and jumps after the action, if they are of its class


def _follow(seen: Look, action: Array, order: Order) -> Array:
    """Find the class of the next move, the man on the lowest square that has one, and the first of its moves."""
    men = seen.board.men
    level = jnp.where(action < 0, 0, action >> 12)
    start = jnp.where(action < 0, -1, (action & MOVE) >> 6)
    starts = apart(lambda: _spread(stack([men.own & below(start + 1), men.own & at(start)])))
    reached, leapt = apart(lambda: (rays(Star(starts, starts), ~men.occupied), jump(Star(starts, starts))))
    left = apart(lambda: _sort_out(seen, reached, leapt, action, order))
    found = apart(lambda: _next_class(men, left, level, order))
    slides, jumps = apart(lambda: _of_class(men, left, found, level, order))
    # Rays go down from where a move up ends: stacks change places.
    back, hop = apart(lambda: (rays(slides.opposite, ~men.occupied), jump(jumps.opposite)))
    origin = apart(lambda: ((back.union | hop.union) & men.own).first)
    one = apart(lambda: _spread(at(origin)))
    forth, leap = apart(lambda: (rays(Star(one, one), ~men.occupied), jump(Star(one, one))))
    end = ((forth & slides).union | (leap & jumps).union).first
    first = jnp.where(found <= REST, found << 12 | origin << 6 | end, _NONE)
    first = jnp.minimum(first, _promotion(seen, _victims(men), action, order))
    return jnp.where(first == _NONE, -1, first)


def _sort_out(seen: Look, reached: Star, leapt: Star, action: Array, order: Order) -> _Left:
    """Sort moves, given where men go that stand on squares up to that of the action, and the man on it, [4, 2, *B]."""
    men = seen.board.men
    none = men.own & ~men.own
    after = ~below((action & 63) + 1)
    sliding, leaping = (~star.at(0) | star.at(1).within(after) for star in (reached, leapt))
    goal, _, takers = _passing(seen.board, men)
    passing = stack([none, goal.where(takers[0].some), none, goal.where(takers[1].some)])
    slides, jumps = seen.slides, seen.jumps
    forcing = slides & ~slides, jumps & ~jumps
    if order == "checks":
        forcing = seen.sliding_checks, seen.jumping_checks
        slides, jumps = slides & ~forcing[0], jumps & ~forcing[1]
    in_passing = Star(slides.up & passing, slides.down & none)
    return _Left(forcing, (slides & ~in_passing, jumps), in_passing, (sliding, leaping))


def _spots(men: Men, order: Order) -> tuple[list[Set], int]:
    """Return where the moves of each class after the first end, and the class of captures in passing."""
    none = men.own & ~men.own
    if order == "plain":
        return [none] * 5 + [~none], REST
    return [*_victims(men), ~men.occupied], REST - 1


def _next_class(men: Men, left: _Left, level: Array, order: Order) -> Array:
    """Return int32[*B]: the class of the next move; `REST` + 1 if there is none."""
    spots, special = _spots(men, order)
    whole = left.quiet[0].union | left.quiet[1].union
    rest = (left.quiet[0] & left.later[0]).union | (left.quiet[1] & left.later[1]).union
    found = jnp.full_like(level, REST + 1)
    for number in range(REST, 0, -1):
        spot = spots[number - 1]
        now, then = (rest & spot).some, (whole & spot).some
        if number == special:
            now, then = now | (left.passing & left.later[0]).union.some, then | left.passing.union.some
        found = jnp.where(((level == number) & now) | ((level < number) & then), number, found)
    checks = (left.forcing[0] & left.later[0]).union | (left.forcing[1] & left.later[1]).union
    return jnp.where((level == 0) & checks.some, 0, found)


def _of_class(men: Men, left: _Left, found: Array, level: Array, order: Order) -> tuple[Star, Star]:
    """Return the moves that are left of a class (int32[*B])."""
    spots, special = _spots(men, order)
    spot = reduce(Set.__or__, [each.where(found == number) for number, each in enumerate(spots, 1)])
    every = ~(men.own & ~men.own)
    check, over = every.where(found == 0), every.where(found != level)
    slides, jumps = (
        (quiet.within(spot) | forcing.within(check)) & (later | Star(over, over))
        for quiet, forcing, later in zip(left.quiet, left.forcing, left.later, strict=True)
    )
    passing = left.passing.within(every.where(found == special)) & (left.later[0] | Star(over, over))
    return slides | passing, jumps


def _victims(men: Men) -> list[Set]:
    """Return the men of the other side by kind, in the order in which they are taken."""
    its = men.occupied & ~men.own
    queens = men.straight & men.slanting
    return [
        its & queens,
        its & men.straight & ~queens,
        its & men.slanting & ~queens,
        its & men.knights,
        its & men.pawns,
    ]


def _promotion(seen: Look, victims: list[Set], action: Array, order: Order) -> Array:
    """Return int32[*B]: the first promotion after an action; `_NONE` if there is none."""
    column, kind, way = (np.arange(n).reshape(shape) for n, shape in ((8, (1, 1, 8)), (4, (4, 1, 1)), (3, (1, 3, 1))))
    like = (1,) * seen.count.ndim

    def lead(values: np.ndarray) -> np.ndarray:
        return np.asarray(values, np.int32).reshape(*values.shape, *like)

    def bits(words: Array) -> Array:  # uint32[..., *B] -> bool[..., 8, *B]
        at = words.ndim - len(seen.count.shape)
        return (
            jnp.expand_dims(words, at) >> np.arange(8, dtype=np.uint32).reshape(8, *seen.count.ndim * (1,)) & 1
        ) != 0

    level = jnp.full((1, 1, 8, *seen.count.shape), REST, jnp.int32)
    if order != "plain":
        for number, victim in enumerate(victims, 1):
            level = jnp.where(bits(victim.high >> 24), number, level)
    level = jnp.broadcast_to(level, (4, 3, 8, *seen.count.shape))
    if order == "checks":
        level = jnp.where(bits(seen.promoting_checks), 0, level)
    moves = lead((48 + column - (way - 1)) * 64 + 4 * way + kind)
    codes = jnp.where(bits(seen.promotions)[None], level << 12 | moves, _NONE)
    return jnp.where(codes > action, codes, _NONE).min((0, 1, 2))
