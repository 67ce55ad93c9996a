"""The function and terminal set of the GP Mancala study: integers, addition, subtraction, comparison, VALUE_AT."""

from typing import Literal, get_args

import jax.numpy as jnp
from jax import Array

from envs.mancala.rules import Mancala, State
from jaxgp.genotypes.primitives import FLOAT, Integers, Primitive, PrimitiveSet

View = Literal["own", "absolute"]
OutOfRange = Literal["zero", "modulo", "clamp"]


def features(game: Mancala, view: View, state: State) -> Array:
    """Return float32[2 * pits + 2]: the stones in each cell, as the program sees them.

    With `own` the mover's side comes first (cells 0 to pits - 1, its store, then the opponent's); with `absolute` the
    side of the first player does, whoever moves.
    """
    cells = state.board.astype(jnp.float32)
    if view == "absolute":
        cells = jnp.where(state.to_move == 0, cells, jnp.roll(cells, game.pits + 1))
    return cells


def primitive_set(
    game: Mancala, value_at_out_of_range: OutOfRange = "zero", constants_weight: float | None = None
) -> PrimitiveSet:
    """Build the set for a board.

    Args:
        game: gives the number of cells; constants run over all of them (0 to 13 with six pits).
        value_at_out_of_range: what VALUE_AT reads outside the board: `zero`, the index `modulo` the number of cells,
            or the nearest cell (`clamp`). Indices are whole numbers, as all values are here.
        constants_weight: how often random creation draws a constant, relative to each function; by default the number
            of cells, so that every single integer is as likely as every function.

    Raises:
        ValueError: an unknown choice.
    """
    if value_at_out_of_range not in get_args(OutOfRange):
        raise ValueError(f"value_at_out_of_range={value_at_out_of_range}: accepted: {', '.join(get_args(OutOfRange))}")
    cells = 2 * game.pits + 2

    def value_at(board: Array, index: Array) -> Array:
        if value_at_out_of_range == "modulo":
            index = index % cells
        elif value_at_out_of_range == "clamp":
            index = jnp.clip(index, 0, cells - 1)
        # A sum over the cells is cheaper than a gather and reads 0 outside the board.
        at = jnp.arange(cells, dtype=jnp.float32).reshape((cells,) + (1,) * index.ndim)
        return jnp.where(at == index, board, 0.0).sum(0)

    read = {
        "zero": "value_at({features}, {0})",
        "modulo": f"{{features}}[{{0}} % {cells}]",
        "clamp": f"{{features}}[min(max({{0}}, 0), {cells - 1})]",
    }
    binary = (FLOAT, FLOAT)
    weight = float(cells) if constants_weight is None else constants_weight
    return PrimitiveSet(
        name=f"mancala-{cells}-{value_at_out_of_range}",
        terminals=(Primitive("INT", domain=Integers(0, cells - 1), weight=weight, python="{value}", latex="{value}"),),
        functions=(
            Primitive("ADD", args=binary, call=lambda a, b: a + b, python="({0} + {1})", latex="({0} + {1})"),
            Primitive("SUB", args=binary, call=lambda a, b: a - b, python="({0} - {1})", latex="({0} - {1})"),
            Primitive(
                "VALUE_AT",
                args=(FLOAT,),
                call=value_at,
                reads_features=True,
                python=read[value_at_out_of_range],
                latex="b_{{{0}}}",
            ),
            Primitive(
                "IF_<_DO_ELSE_",
                args=(FLOAT, FLOAT, FLOAT, FLOAT),
                call=lambda a, b, yes, no: jnp.where(a < b, yes, no),
                python="({2} if {0} < {1} else {3})",
                latex="\\mathrm{{if}}({0} < {1};\\ {2};\\ {3})",
            ),
        ),
    )
