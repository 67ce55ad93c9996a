"""What programs that value positions of backgammon see, and what they are made of: tables 7.1 to 7.3 of the source.

Source: M. Sipper, "Evolved to Win" (2011), chapter 7. An individual has a contact tree and a race tree. A program sees
the position after a turn. The player is the side that has played it, the enemy the other one.

Places are numbered as the player moves: 0 is its bar, 1 to 24 are the points on its way, 19 to 24 its home, and 25
counts men borne off. These are not the numbers of people, who count down.

The terminals that ask about a place are of type Query: they stand where a number is wanted and where a truth value is.

The source leaves these points open:

- Total-Hit-Prob: the sum, over the single men of the player, of the share of the 36 rolls by which one man of the enemy
  reaches them: by a die, by both by way of a point that is not blocked, or by up to four steps of doubles. Men of the
  enemy on the bar take part from there, and do not hold the others back.
- Escapes: of the 21 different rolls, those by which one man can get out of the enemy's home, summed over the points of
  this home that the enemy does not block, and the bar. The man may use one die or both, doubles up to four times, and
  lands on no blocked point. Without blocks they are 131, the number that the source divides by; without the bar they
  would be 117.
- Both trees have the same functions. Their types differ, so that no operator moves a terminal into the other tree.
  Names of the race tree begin with Race-.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.backgammon.rules import BAR, HOME, OFF, POINTS, column, facing, points_of
from jaxgp.bits import WORD
from jaxgp.genotypes import surrogates
from jaxgp.genotypes.primitives import BOOL, FLOAT, OWN, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.interpreter.calls import Packed
from jaxgp.options import option

PIPS = 167.0
"""What the source divides pip counts by: the pips of the opening position."""
ESCAPES = 131.0
"""What the source divides escapes by: those without blocks."""
CONSTANTS = Floats(0.0, 5.0)
PLACES = Integers(0, BAR)
CONTACT, RACE = 0, 1
"""The trees."""
BITS = ("Player-Exposed", "Player-Blocked", "Enemy-Exposed", "Enemy-Blocked")
"""The questions about a place that are truth values: a word of bits each, which comes before all numbers."""
COUNTS = ("Player-Tower", "Player-Position")
"""The questions about a place that are numbers: 26 each."""
SURROGATES: dict[str, Callable[..., Array]] = {
    "If": surrogates.choose,
    "Greater": surrogates.greater,
    "Smaller": surrogates.smaller,
    "And": surrogates.both,
    "Or": surrogates.either,
    "Not": surrogates.negation,
}
"""What stands in for the derivatives of functions on truth values; those on numbers have their own."""
GENERAL = ("Player-Pip", "Enemy-Pip", "Total-Hit-Prob", "Player-Escape", "Enemy-Escape")


@dataclass(frozen=True)
class Options:
    """Which tree values a position."""

    phase: Literal["after", "before"] = option(
        "after",
        "which position decides between the contact tree and the race tree: the one after the turn, which is valued, "
        "or the one before it, as in Pubeval",
    )


def view(own: Array, other: Array) -> Packed:
    """Return what programs see of positions after turns: 4 words and 57 numbers, [..., *B].

    Args:
        own: int8[26, *B], the men of the player, by its points; 0 is off, 25 the bar.
        other: int8[26, *B], the men of the enemy, by the enemy's points.
    """
    mine = own[::-1].astype(jnp.float32)
    # The enemy's point p is the player's place p; its bar and its men borne off are asked for as 0 and 25.
    theirs = other[np.array([BAR, *range(1, BAR), OFF])].astype(jnp.float32)
    words = [points_of(mine == 1), points_of(mine >= 2), points_of(theirs == 1), points_of(theirs >= 2)]
    general = [pips(own) / PIPS, pips(other) / PIPS, hits(own, other), escapes(other), escapes(own)]
    return Packed(jnp.stack(words), jnp.concatenate([jnp.maximum(mine - 2, 0), mine, jnp.stack(general)]))


def pips(side: Array) -> Array:
    """Return float32[...]: the pips that a side (int8[26, ...]) has to go."""
    return (side * column(POINTS, side)).sum(0).astype(jnp.float32)


def hits(own: Array, other: Array) -> Array:
    """Return float32[...]: the hit probabilities of the single men of a side, summed; see the head of this module."""
    men = points_of((other > 0) & column(POINTS > OFF, other))
    blots, blocked = facing(own, 1, 1), facing(own, 2, 15)
    once = [men >> np.uint32(die) for die in range(1, 7)]
    total = jnp.int32(0)
    for a in range(1, 7):
        reached = land = once[a - 1]
        for _ in range(3):
            land = (land & ~blocked) >> np.uint32(a)
            reached |= land
        total += lax.population_count(reached & blots).astype(jnp.int32)
        for b in range(1, a):
            first, second = once[a - 1], once[b - 1]
            both = (first & ~blocked) >> np.uint32(b) | (second & ~blocked) >> np.uint32(a)
            total += 2 * lax.population_count((first | second | both) & blots).astype(jnp.int32)
    return total / np.float32(36)


def escapes(blocking: Array) -> Array:
    """Return float32[...]: the escapes from the home of a side (int8[26, ...], by its own points), divided by 131."""
    blocked = facing(blocking, 2, 15)
    home = np.uint32(2 ** (BAR + 1) - 2 ** (BAR - HOME))  # the enemy's home and the own bar
    free = ~blocked
    out, total = np.uint32(2 ** (BAR - HOME) - 2) & free, jnp.int32(0)
    for a in range(1, 7):
        ways = start = out << np.uint32(a)
        for _ in range(3):
            start = (start & free) << np.uint32(a)
            ways |= start
        total += lax.population_count(ways & home & free).astype(jnp.int32)
        for b in range(1, a):
            first, second = out << np.uint32(a), out << np.uint32(b)
            both = (first & free) << np.uint32(b) | (second & free) << np.uint32(a)
            total += lax.population_count((first | second | both) & home & free).astype(jnp.int32)
    return total / np.float32(ESCAPES)


@lru_cache(maxsize=1)
def primitive_set() -> PrimitiveSet:
    """Build the set: two trees, the contact tree first."""
    numbers = len(BITS) * WORD
    general = numbers + len(COUNTS) * (BAR + 1)
    asked = {name: WORD * at for at, name in enumerate(BITS)}
    asked |= {name: numbers + (BAR + 1) * at for at, name in enumerate(COUNTS)}
    contact = [
        Primitive("Float-ERC", domain=CONSTANTS),
        *(_query(name, first, "query") for name, first in asked.items() if name != "Player-Position"),
        *(Primitive(name, feature=general + at, latex=f"\\mathrm{{{{{name}}}}}") for at, name in enumerate(GENERAL)),
    ]
    race = [
        Primitive("Race-Float-ERC", "race", domain=CONSTANTS),
        _query("Player-Position", asked["Player-Position"], "race_query"),
    ]
    return PrimitiveSet(
        "backgammon",
        (*contact, *race),
        (*_functions("", FLOAT, BOOL), *_functions("Race-", "race", "race_bool")),
        roots=(FLOAT, "race"),
        type_sets=(
            *((kind, ("query",)) for kind in (FLOAT, BOOL)),
            *((kind, ("race_query",)) for kind in ("race", "race_bool")),
        ),
        sums=tuple((f"{side}Add", f"{side}Sub", f"{side}Mul", f"{side}Float-ERC") for side in ("", "Race-")),
    )


def _query(name: str, first: int, kind: str) -> Primitive:
    """Return a terminal that asks about a place, drawn when the node is made; features from `first` on answer it."""

    def call(features: Array, place: Array) -> Array:
        return features[first + place.astype(jnp.int32), jnp.arange(features.shape[1])]

    asks = f"{{features}}[{first} + {{value}}]"
    return Primitive(name, kind, call=call, domain=PLACES, reads_one=first + BAR + 1, python=asks)


def _functions(prefix: str, number: str, truth: str) -> tuple[Primitive, ...]:
    """Return the functions of table 7.3 for one tree: on numbers and on truth values, types of this tree alone.

    Truth values of any type are 0 or another number.
    """
    two, both = (number, number), (truth, truth)

    def made(
        name: str, kind: str, args: tuple[str, ...], call: Callable[..., Array], python: str, latex: str
    ) -> Primitive:
        picks, by = 2 if name == "If" else 0, SURROGATES.get(name)
        return Primitive(prefix + name, kind, args, call, picks=picks, gradient=by or OWN, python=python, latex=latex)

    return (
        made("Add", number, two, lambda a, b: a + b, "({0} + {1})", "({0} + {1})"),
        made("Sub", number, two, lambda a, b: a - b, "({0} - {1})", "({0} - {1})"),
        made("Mul", number, two, lambda a, b: a * b, "({0} * {1})", "({0} \\cdot {1})"),
        made("If", number, (truth, *two), lambda held, a, b: jnp.where(held != 0, a, b), "({1} if {0} else {2})", ""),
        made("Greater", truth, two, lambda a, b: a > b, "float({0} > {1})", "({0} > {1})"),
        made("Smaller", truth, two, lambda a, b: a < b, "float({0} < {1})", "({0} < {1})"),
        made("And", truth, both, lambda a, b: (a != 0) & (b != 0), "float({0} and {1})", "({0} \\wedge {1})"),
        made("Or", truth, both, lambda a, b: (a != 0) | (b != 0), "float({0} or {1})", "({0} \\vee {1})"),
        made("Not", truth, (truth,), lambda a: a == 0, "float(not {0})", "\\neg {0}"),
    )
