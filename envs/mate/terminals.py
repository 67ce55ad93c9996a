"""What programs see of a board: tables 6.3 and 6.4 of the source. `docs/mate_programs.md` says what each one means.

The player is the solver, the opponent the other side, whosever turn it is. All is looked at as the opponent looks up
the board, so the player's pawns go down. Both boards, that before the last move and that after it, are looked at side
by side.

Source: M. Sipper, "Evolved to Win" (2011), chapter 6.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from envs.chess.board.moves import Look
from envs.chess.board.position import Men, turn
from envs.chess.board.squares import STRAIGHT, Set, Star, jump, of, rays, stack, step, unite
from envs.chess.geometry import batch_last
from jaxgp.arrays import apart

CHESS = (
    "IsCheck",
    "OppKingProximityToEdges",
    "NumOppPiecesAttacked",
    "IsCheckFork",
    "NumNotMovesOppKing",
    "NumNotMovesOppBigger",
    "IsOppKingProtectingPiece",
    "EvaluateMaterial",
    "IsMaterialChange",
    "IsOppKingStuck",
    "IsOppPiecePinned",
)
"""Table 6.3, but for IsMateInOneOrLess, which makes moves."""
MATE = (
    "IsNextMoveForced",
    "IsNextMoveForcedWithKing",
    "IsPinCloseToKing",
    "NumMyPiecesCanCheck",
    "DidNumAttackingKingIncrease",
    "IsDiscoveredCheck",
    "IsDiscoveredProtectedCheck",
)
"""Table 6.4."""
HIDDEN = ("CapturesClose", "PinsClose", "AttacksKing", "ClearsWay", "SuicideCheck", "HasCheck", "KingMustMove")
"""What functions look at."""
SEEN = (*CHESS, *MATE, *HIDDEN)
"""All of these, in the order of the features."""
NUMBERS = frozenset(
    {
        "OppKingProximityToEdges",
        "NumOppPiecesAttacked",
        "NumNotMovesOppKing",
        "EvaluateMaterial",
        "NumMyPiecesCanCheck",
    }
)
"""Those that are no truth values."""
CAN_CHECK = ("NumMyPiecesCanCheck", "ClearsWay")
"""What has to know where men can give check."""
FACTS = tuple(name for name in SEEN if name not in ("IsCheck", "IsNextMoveForced", "HasCheck"))
"""What has to know more than the legal moves."""
WORTH = {"queens": 9, "rooks": 5, "bishops": 3, "knights": 3, "pawns": 1}
RINGS = np.array([reduce(lambda a, n: a | 1 << n, [8 * y + x for y in range(8) for x in range(8)
                  if min(x, y, 7 - x, 7 - y) == ring], 0) for ring in range(4)], object)  # fmt: skip
"""The squares at each distance from the nearest edge."""


@struct.dataclass
class Facts:
    """Of boards [2, *B], before and after the last move."""

    opp: Set  # men
    my: Set
    king: Set  # the opponent's
    near: Set  # squares close to it
    attacked: Set  # that the player attacks
    steps: Set  # where the opponent's king may go
    pinned: Set  # men of the opponent
    checkers: Set  # men of the player that give check
    around: Set  # men of the player that attack squares beside the king
    lines: Star  # from the king to the nearest men
    leaping: Set  # from where knights of the player attack the king
    slanted: Set  # from where its pawns do


def view(near: int) -> Any:
    """Return what shows boards to programs: see `jaxgp.search.proofs.programs.View`; `near`: king steps."""

    @batch_last
    def seen(before: Any, after: Any, look: Look, wanted: Array) -> Array:
        solver = jnp.stack([before.rest, after.rest]) >> 9 & 1 == 0
        planes = jnp.stack([before.planes, after.planes], 2)  # [4, 2, 2, *B]
        # The same for all boards of a batch.
        wanted = wanted[: len(SEEN)].reshape(len(SEEN), -1).any(1)
        return _terminals(planes, solver, look, near, wanted)

    def shown(before: Any, action: Array, after: Any, look: Look, wanted: Array) -> Array:
        del action
        return seen(before, after, look, wanted)

    return shown


def _terminals(planes: Array, solver: Array, look: Look, near: int, wanted: Array) -> Array:
    """Return float32[F, *B]; planes [4, 2, 2, *B] of both boards, `solver` bool[2, *B]: it is the solver's turn.

    Features that are not `wanted` (bool[F]) may be wrong.
    """

    def some(names: Sequence[str]) -> Array:
        """Return whether one of some features is wanted; what only they need is left out on a CPU if none is."""
        return wanted[np.array([SEEN.index(name) for name in names])].any()

    men = apart(lambda: _men(planes, solver))
    facts = apart(lambda: _facts(men, near), running=some(FACTS))
    can_check = facts.checkers | apart(lambda: _can_check(men, facts), running=some(CAN_CHECK))
    theirs = ~solver[1]  # it is the opponent's turn
    before, after = (jax.tree.map(lambda x, n=n: x[n], facts) for n in range(2))
    check = theirs & look.checked
    rings = jnp.stack([(facts.king & of(int(ring))).some for ring in RINGS])
    far = [(facts.steps & of(int(ring))) for ring in RINGS]
    # A step that does not bring the king closer to an edge: to its own ring, or to one further in.
    stays = jnp.stack([reduce(Set.__or__, far[n:]).some for n in range(4)])
    stuck = ~(stays & rings).any(0)
    ring = (rings * np.arange(4).reshape(4, *[1] * (rings.ndim - 1))).sum(0)
    steps = facts.steps.count
    ends = look.slides.union | look.jumps.union
    ends = Set(ends.low, ends.high | reduce(jnp.bitwise_or, list(look.promotions)) << 24)
    stood = after.checkers & before.my
    new = after.my & ~before.my
    found = {
        "IsCheck": check,
        "OppKingProximityToEdges": 3 - ring[1],
        "NumOppPiecesAttacked": (after.opp & ~after.king & after.near & after.attacked).count,
        "IsCheckFork": check & apart(lambda: _fork(men, after), running=some(("IsCheckFork",))),
        "NumNotMovesOppKing": 8 - steps[1],
        "NumNotMovesOppBigger": steps[1] < steps[0],
        "IsOppKingProtectingPiece": (_beside(after.king) & after.opp).some,
        "EvaluateMaterial": _material(men, after),
        "IsMaterialChange": (before.opp | before.my).count != (after.opp | after.my).count,
        "IsOppKingStuck": stuck[1],
        "IsOppPiecePinned": after.pinned.some,
        "IsNextMoveForced": theirs & (look.count == 1),
        "IsNextMoveForcedWithKing": theirs & (look.count > 0) & (look.count == steps[1]),
        "IsPinCloseToKing": (after.pinned & after.near).some,
        "NumMyPiecesCanCheck": can_check[1].count,
        "DidNumAttackingKingIncrease": after.around.count > before.around.count,
        "IsDiscoveredCheck": check & stood.some,
        "IsDiscoveredProtectedCheck": check & (stood & after.attacked).some,
        "CapturesClose": theirs & (before.opp & ~after.opp & after.near).some,
        "PinsClose": theirs & (after.pinned & ~before.pinned & after.near).some,
        "AttacksKing": theirs & (new & after.around).some,
        "ClearsWay": theirs & (can_check[1] & ~can_check[0] & before.my).some,
        "SuicideCheck": check & (after.checkers & ends).some,
        "HasCheck": ~theirs & (look.forcing > 0),
        "KingMustMove": theirs & (look.count > 0) & (look.count == steps[1]),
    }
    return jnp.stack([found[name].astype(jnp.float32) for name in SEEN])


def _men(planes: Array, solver: Array) -> Men:
    """Return the men of both boards, the opponent's as own."""
    a, b, c, own = planes
    other = jnp.stack([a, b, c, (a | b | c) & ~own])
    turned = jnp.where(solver[None, None], turn(other), planes)
    kinds = [Set(turned[n, 0], turned[n, 1]) for n in range(4)]
    slides, taken = ~kinds[2], kinds[0] | kinds[1] | kinds[2]
    return Men(
        occupied=taken,
        own=kinds[3],
        slanting=kinds[0] & slides,
        straight=kinds[1] & slides,
        knights=kinds[2] & ~kinds[0] & ~kinds[1],
        pawns=kinds[2] & kinds[0],
        kings=kinds[2] & kinds[1],
    )


def _spread(sets: Sequence[Set]) -> Set:
    """Return a stack of four times the same sets, [4, N, ...]."""
    row = stack(list(sets))
    return Set(*(jnp.broadcast_to(word, (4, *word.shape)) for word in (row.low, row.high)))


def _by_orientation(straight: Set, slanting: Set) -> Set:
    """Return a stack [4, ...] with one set for straight orientations, another for diagonals."""
    return stack([straight if n in STRAIGHT else slanting for n in range(4)])


def _one(star: Star, number: int) -> Star:
    return jax.tree.map(lambda x: x[:, number], star)


def _beside(squares: Set) -> Set:
    """Return the squares one king's step from some squares."""
    start = _spread([squares])
    return step(Star(start, start)).union[0]


def _within(squares: Set, steps: int) -> Set:
    for _ in range(steps):
        squares = squares | _beside(squares)
    return squares


def _leaps(squares: Set) -> Set:
    start = _spread([squares])
    return jump(Star(start, start)).union[0]


def _pawns(squares: Set, up: bool) -> Set:
    """Return the squares one slanting step up or down from some squares."""
    start = _spread([squares])
    moved = step(Star(start, start))
    way = moved.up if up else moved.down
    return (way[1] | way[3])[0]


def _facts(men: Men, near: int) -> Facts:
    """Look at boards [2, *B]."""
    opp, my = men.own, men.occupied & ~men.own
    king = men.kings & opp
    beside = apart(lambda: _beside(king))
    sliders = _by_orientation(men.straight & my, men.slanting & my)

    # Rays of the player's men, of the same without the king in their way, of the king, and of the squares beside him.
    def first() -> Star:
        four = [_spread([one])[:, 0] for one in (king, beside)]
        starts = stack([sliders, sliders, *four], 1)
        free = [~men.occupied, ~men.occupied | king, ~men.occupied, ~men.occupied]
        return rays(Star(starts, starts), stack(free))

    reached = apart(first)
    mine, through, lines, area = (_one(reached, n) for n in range(4))
    others = _leaps(men.knights & my) | _pawns(men.pawns & my, up=False) | _beside(men.kings & my)
    attacked = mine.union | others
    steps = beside & ~opp & ~(through.union | others)
    pins = lines.up & mine.down | lines.down & mine.up
    pinned = unite(pins) & opp & ~king
    both = Star(sliders, sliders)
    leaping, slanted = apart(lambda: (_leaps(king), _pawns(king, up=True)))
    checkers = (lines & both).union | (leaping & men.knights & my) | (slanted & men.pawns & my)
    around = (
        (area & both).union
        | (_leaps(beside) & men.knights & my)
        | (_pawns(beside, up=True) & men.pawns & my)
        | (_beside(beside) & men.kings & my)
    )
    near_king = _within(king, near)
    return Facts(opp, my, king, near_king, attacked, steps, pinned, checkers, around, lines, leaping, slanted)


def _can_check(men: Men, facts: Facts) -> Set:
    """Return the player's men that can go where they attack the king; pins and promotions are not looked at."""
    my, leaping, slanted = facts.my, facts.leaping, facts.slanted
    goals = ~my
    cross = facts.lines.up | facts.lines.down
    straight, slanting = (
        reduce(Set.__or__, [cross[n] for n in range(4) if (n in STRAIGHT) is odd]) & goals for odd in (True, False)
    )
    queens = men.straight & men.slanting
    starts = stack([_by_orientation(straight, slanting), _spread([straight | slanting])[:, 0]], 1)
    back = rays(Star(starts, starts), stack([~men.occupied] * 2))
    rooks = _by_orientation(men.straight & ~queens & my, men.slanting & ~queens & my)
    every = _spread([queens & my])[:, 0]
    sliding = (_one(back, 0) & Star(rooks, rooks)).union | (_one(back, 1) & Star(every, every)).union
    jumping = _leaps(leaping & goals) & men.knights & my
    # Pawns go down: one step, two from the seventh row, or a capture.
    spot, free = slanted & goals, ~men.occupied
    once = _up(spot & free)
    twice = _up(once & free & of(0xFF << 40)) & of(0xFF << 48)
    takes = _pawns(spot & men.own, up=True)
    return sliding | jumping | ((once | twice | takes) & men.pawns & my)


def _up(squares: Set) -> Set:
    """Return squares moved one row up."""
    return Set(squares.low << 8, squares.high << 8 | squares.low >> 24)


def _fork(men: Men, after: Facts) -> Array:
    """Return bool[*B]: whether a man that gives check attacks another man of the opponent."""
    men = jax.tree.map(lambda x: x[1], men)
    one = after.checkers & ~(after.checkers & _less(after.checkers))
    others = after.opp & ~after.king
    found = []
    for checker in (one, after.checkers & ~one):
        sliders = _by_orientation(men.straight & checker, men.slanting & checker)
        reached = rays(Star(sliders, sliders), ~men.occupied).union
        reached = reached | _leaps(men.knights & checker) | _pawns(men.pawns & checker, up=False)
        found.append((reached & others).some)
    return found[0] | found[1]


def _less(squares: Set) -> Set:
    """Return a set without its lowest square."""
    low = squares.low & (squares.low - np.uint32(1))
    high = jnp.where(squares.low == 0, squares.high & (squares.high - np.uint32(1)), squares.high)
    return Set(low, high)


def _material(men: Men, after: Facts) -> Array:
    """Return int32[*B]: the value of the player's men, less that of the opponent's."""
    men = jax.tree.map(lambda x: x[1], men)
    queens = men.straight & men.slanting
    kinds = {
        "queens": queens,
        "rooks": men.straight & ~queens,
        "bishops": men.slanting & ~queens,
        "knights": men.knights,
        "pawns": men.pawns,
    }
    total = jnp.zeros(after.my.low.shape, jnp.int32)
    for name, squares in kinds.items():
        total += WORTH[name] * ((squares & after.my).count - (squares & after.opp).count)
    return total
