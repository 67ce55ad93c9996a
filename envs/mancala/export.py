"""A program for Kalah as a Python module that needs nothing but Python."""

from typing import TYPE_CHECKING

from envs.mancala.primitives import Options
from envs.mancala.rules import Mancala
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Written

MODULE = '''\
"""{title}

{signature} returns the pit to sow, 0 being the leftmost{forfeit}.

board: stones in each cell, {count} numbers: the mover's pits from its left, its store, the opponent's pits from its
    left, the opponent's store.{seat}
"""

{helper}
def evaluate(cells: list[int]) -> int:
    """Return the value of the program."""
{body}


def {typed}:
    """Turn the value of the program into a move."""
{rule}
'''

VALUE_AT = '''
def value_at(cells: list[int], index: int) -> int:
    """Stones in a cell, 0 outside the board."""
    return cells[index] if 0 <= index < len(cells) else 0

'''


def python(game: Mancala, options: Options, individual: "Written", title: str = "A player of Kalah.") -> str:
    """Return the text of a module with a function `choose(board)`; with the absolute view it is `choose(board, seat)`.

    Args:
        game: the rules.
        options: how the program sees the board and how its value becomes a move.
        individual: of one tree.
        title: first line of the docstring.
    """
    program, absolute, forfeit = individual.python, options.view == "absolute", options.move == "forfeit"
    seat = "\nseat: 0 for the player who began the game, 1 for the other." if absolute else ""
    return MODULE.format(
        title=docstring(title),
        signature=f"choose(board{', seat' if absolute else ''})",
        typed=f"choose(board: list[int]{', seat: int' if absolute else ''}) -> int",
        forfeit=", or -1 where the program names no pit that may be sown" if forfeit else "",
        count=2 * game.pits + 2,
        seat=seat,
        helper=VALUE_AT if options.value_at_out_of_range == "zero" else "",
        body=program.body(program.values[0]),
        rule=_rule(game, options),
    )


def _rule(game: Mancala, options: Options) -> str:
    side = game.pits + 1
    lines = [f"legal = [pit for pit in range({game.pits}) if board[pit]]"]
    if options.view == "absolute":
        lines += [
            f"cells = board[{side}:] + board[:{side}] if seat else board",
            f"value = evaluate(cells) - {side} * seat",
        ]
    else:
        lines.append("value = evaluate(board)")
    lines.append(
        {
            "next_nonempty": f"return min(legal, key=lambda pit: (pit - value) % {game.pits})",
            "next_legal": "return min(legal, key=lambda pit: (pit < value, pit))",
            "forfeit": "return value if value in legal else -1",
        }[options.move]
    )
    return "\n".join(f"    {line}" for line in lines)
