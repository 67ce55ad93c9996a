"""The function and terminal set of the GP Mancala study: integers, addition, subtraction, comparison, VALUE_AT."""

from dataclasses import dataclass
from typing import Literal

import jax.numpy as jnp
from jax import Array

from envs.mancala.rules import Mancala, State
from jaxgp.genotypes.primitives import FLOAT, Integers, Primitive, PrimitiveSet
from jaxgp.interpreter.calls import feature_at
from jaxgp.options import MAX_WEIGHT, option

View = Literal["own", "absolute"]
OutOfRange = Literal["zero", "modulo", "clamp"]
Move = Literal["next_nonempty", "next_legal", "forfeit"]


@dataclass(frozen=True)
class Options:
    """How a program sees the board, and how its value becomes a move."""

    view: View = option(
        "own",
        "own: the cells of the mover's side come first (with six pits its pits are cells 0-5, its store 6, then the "
        "opponent's 7-12 and 13); absolute: those of the first player do, no matter who moves",
    )
    value_at_out_of_range: OutOfRange = option(
        "zero",
        "what VALUE_AT reads outside the board: zero; the cell of the index modulo their number; the nearest cell",
    )
    move: Move = option(
        "next_nonempty",
        "next_nonempty: the value modulo the number of pits, then on to the next pit that holds stones; next_legal: "
        "the least pit from the value up that may be played, else the first that may; forfeit: the value is a pit "
        "that may be played, or the game is lost",
    )
    constants_weight: float | None = option(
        None,
        "how often random creation draws a constant, relative to each function; null: as often as there are cells, so "
        "that every single integer is as likely as every function",
        low=0,
        high=MAX_WEIGHT,
        above=True,
    )


def features(game: Mancala, options: Options, state: State) -> Array:
    """Return float32[2 * pits + 2]: the stones in each cell, as the program sees them."""
    cells = state.board.astype(jnp.float32)
    if options.view == "absolute":
        cells = jnp.where(state.to_move == 0, cells, jnp.roll(cells, game.pits + 1))
    return cells


def decide(game: Mancala, options: Options, state: State, values: Array) -> tuple[Array, Array]:
    """Turn a program's value into a move.

    Args:
        game: the rules.
        options: the way a value becomes a move.
        state: the position.
        values: float32[1], the value of the program's one tree, a whole number.

    Returns:
        int32[] pit, and bool[]: whether it is legal; False only under `forfeit`.
    """
    # float32 holds whole numbers exactly up to 2**24; beyond, any fixed choice will do.
    value = jnp.clip(values[0], -(2.0**30), 2.0**30).astype(jnp.int32)
    if options.view == "absolute":
        value = value - state.to_move * (game.pits + 1)
    pit, legal = jnp.arange(game.pits), game.legal_actions(state)
    if options.move == "next_nonempty":
        wait = (pit - value) % game.pits
    else:
        wait = jnp.where(pit >= value, pit, pit + game.pits)
    chosen = jnp.argmin(jnp.where(legal, wait, 2 * game.pits)).astype(jnp.int32)
    return chosen, (chosen == value) if options.move == "forfeit" else jnp.bool_(True)


def primitive_set(game: Mancala, options: Options) -> PrimitiveSet:
    """Build the set for a board; constants run over its cells (0 to 13 with six pits)."""
    cells = 2 * game.pits + 2

    def value_at(board: Array, index: Array) -> Array:
        if options.value_at_out_of_range == "modulo":
            index = index % cells
        elif options.value_at_out_of_range == "clamp":
            index = jnp.clip(index, 0, cells - 1)
        return feature_at(board, index, cells)  # 0 outside the board

    read = {
        "zero": "value_at({features}, {0})",
        "modulo": f"{{features}}[{{0}} % {cells}]",
        "clamp": f"{{features}}[min(max({{0}}, 0), {cells - 1})]",
    }
    binary = (FLOAT, FLOAT)
    weight = float(cells if options.constants_weight is None else options.constants_weight)
    return PrimitiveSet(
        name=f"mancala-{cells}-{options.value_at_out_of_range}",
        terminals=(Primitive("INT", domain=Integers(0, cells - 1), weight=weight, python="{value}", latex="{value}"),),
        functions=(
            Primitive("ADD", args=binary, call=lambda a, b: a + b, python="({0} + {1})", latex="({0} + {1})"),
            Primitive("SUB", args=binary, call=lambda a, b: a - b, python="({0} - {1})", latex="({0} - {1})"),
            Primitive(
                "VALUE_AT",
                args=(FLOAT,),
                call=value_at,
                reads_features=True,
                reads_one=cells,
                python=read[options.value_at_out_of_range],
                latex="b_{{{0}}}",
            ),
            Primitive(
                "IF_<_DO_ELSE_",
                args=(FLOAT, FLOAT, FLOAT, FLOAT),
                call=lambda a, b, yes, no: jnp.where(a < b, yes, no),
                picks=2,
                python="({2} if {0} < {1} else {3})",
                latex="\\mathrm{{if}}({0} < {1};\\ {2};\\ {3})",
            ),
        ),
    )
