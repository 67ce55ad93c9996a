"""The functions and terminals of the Morpion Solitaire report: programs that play as they are walked through.

A program's leaves act from left to right. In the report's listing every node hands a point, or (-1, -1), to its parent:

- a point (an ephemeral random constant) hands on itself and does nothing;
- progn2 and progn3 walk through their arguments in order; a point that an argument hands on, unless it is the last
  argument, is played at once: of all legal moves the one whose new cross is closest. What the last argument hands
  on goes to the parent;
- getClosestToLast plays the move closest to the last cross and hands on (-1, -1); it does nothing before the first.

So every point is played right after it is read, by some ancestor. The one exception is a point that is the last leaf of
the whole program: it is handed to nobody, and is not played. After the end of the game nothing has any effect.

The report names two more terminals without listing them. Here getBest plays the move after which most moves are legal,
and getMaxNeighb the one with most crosses around its new cross.

Two terminals are there to try the report's conclusion that any function similar to getClosestToLast would do as well:
getFurthestDiagonal plays the move furthest from the last cross on the same diagonal, and nothing where there is none;
getRandom plays a random legal move, always the same one in the same position.
"""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array

from envs.morpion.choice import best, by_lot, closest, furthest_diagonal, middle
from envs.morpion.counts import lines_after, neighbours
from envs.morpion.rules import CORNER, Morpion, State
from jaxgp.genotypes.primitives import FLOAT, Points, Primitive, PrimitiveSet, rectangle
from jaxgp.options import option
from jaxgp.search.chance import unused_key

AREA = rectangle(CORNER[0] - 1, CORNER[1] - 1, 13, 13)
"""Where random points lie: x 15..27, y 16..28."""
AROUND = rectangle(-6, -6, 13, 13)
"""Where they lie as steps from the middle of the crosses, which is the middle of `AREA` at the start."""
POINT, LAST, BEST, NEIGHBOURS = "POINT", "getClosestToLast", "getBest", "getMaxNeighb"
DIAGONAL, RANDOM = "getFurthestDiagonal", "getRandom"


@dataclass(frozen=True)
class Options:
    """Which terminals there are besides points; by default those of the report's better function set."""

    closest_to_last: bool = option(True, "getClosestToLast: the move closest to the last one")
    best: bool = option(False, "getBest: the move that leaves most moves; programs are several times as slow")
    max_neighbours: bool = option(False, "getMaxNeighb: the move with most crosses around it")
    neighbour_range: int = option(2, "how far, along either axis, crosses count as neighbours", low=1, high=9)
    furthest_diagonal: bool = option(
        False, "getFurthestDiagonal: the move furthest from the last one on the same diagonal"
    )
    random_move: bool = option(False, "getRandom: a random legal move, the same one whenever the position is the same")
    moving: bool = option(False, "points are counted from the middle of the crosses, which moves with the game")

    @property
    def area(self) -> Points:
        """What random points are drawn from."""
        return AROUND if self.moving else AREA


def primitive_set(options: Options) -> PrimitiveSet:
    """Build the set; it is the same for both variants and all sizes."""
    chosen = {
        LAST: options.closest_to_last,
        BEST: options.best,
        NEIGHBOURS: options.max_neighbours,
        DIAGONAL: options.furthest_diagonal,
        RANDOM: options.random_move,
    }
    names = [name for name, wanted in chosen.items() if wanted]
    initials = "".join({LAST: "l", BEST: "b", NEIGHBOURS: "n", DIAGONAL: "d", RANDOM: "r"}[name] for name in names)
    return PrimitiveSet(
        name=f"morpion-{initials or 'points'}{'-moving' if options.moving else ''}",
        terminals=(
            Primitive(POINT, domain=options.area),
            *(Primitive(name, feature=place) for place, name in enumerate(names)),
        ),
        functions=(
            Primitive("progn2", args=(FLOAT, FLOAT), call=lambda a, b: b),
            Primitive("progn3", args=(FLOAT, FLOAT, FLOAT), call=lambda a, b, c: c),
        ),
    )


def perform(
    game: Morpion, options: Options, state: State, opcode: Array, value: Array, final: Array, active: Array
) -> tuple[State, Array, Array]:
    """Do what a leaf does.

    Args:
        game: the rules.
        options: which terminals there are.
        state: the position.
        opcode: int32[], of a terminal.
        value: float32[], of a point.
        final: bool[], whether it is the last leaf of the program.
        active: bool[], whether there is a leaf; if not, nothing happens.

    Returns:
        The position after it; int32[], the line; bool[], whether it was drawn.
    """
    primitives = primitive_set(options)
    number = value.astype(jnp.int32)
    area = options.area
    point = jnp.stack([area.left + number % area.width, area.bottom + number // area.width])
    if options.moving:
        point += jnp.stack(middle(state.crosses)) + jnp.array(game.origin)
    is_point = opcode == primitives.opcode(POINT)
    target = jnp.where(is_point, point, state.last)
    # As in the listing: (0, 0) stands for no cross yet, and a point with a coordinate below 1 is never searched for.
    plays = active & ~state.terminated & ~(is_point & final) & (target > 0).all()
    action = closest(game, state, *(target - jnp.array(game.origin)))
    measures = {
        BEST: (options.best, lambda: lines_after(game, state)),
        NEIGHBOURS: (options.max_neighbours, lambda: neighbours(game, state, options.neighbour_range)),
    }
    for name, (wanted, measure) in measures.items():
        if wanted:
            here = opcode == primitives.opcode(name)
            action = jnp.where(here, best(game, state, measure()), action)
            plays = jnp.where(here, active & ~state.terminated, plays)
    if options.furthest_diagonal:
        here = opcode == primitives.opcode(DIAGONAL)
        line, there = furthest_diagonal(game, state, *(state.last - jnp.array(game.origin)))
        action = jnp.where(here, line, action)
        plays = jnp.where(here, active & ~state.terminated & (state.last > 0).all() & there, plays)
    if options.random_move:
        here = opcode == primitives.opcode(RANDOM)
        action = jnp.where(here, by_lot(game, state), action)
        plays = jnp.where(here, active & ~state.terminated, plays)
    action = jnp.where(plays, action, -1)
    return game.step(state, action, unused_key()), action, plays
