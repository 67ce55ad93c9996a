"""The two programs that the study of Mancala prints, under every variant of the rules and every reading of a program.

python scripts/studies/measure/mancala_printed.py table=docs/data/mancala_printed.csv
python scripts/studies/measure/mancala_printed.py capture=[opposite] ends=[either] remaining=[owner]      fewer of them

The study's rules are lost. So its programs play two games each, one from each seat, against the search that they were
evolved against, under all combinations. A row that is in the table is not computed again. The programs are evaluated in
plain Python, apart from the interpreter of the engine.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxgp import files, reading
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reason
from jaxgp.options import DEEPEST, option
from jaxgp.store.table import Table

if TYPE_CHECKING:
    from envs.mancala.rules import Mancala

PRINTED = Path(__file__).resolve().parents[3] / "docs" / "data" / "mancala_printed.txt"
COLUMNS = {
    "program": "1 or 2, in the order of the study",
    "capture": "the rule `game.capture`",
    "extra_turn": "the rule `game.extra_turn`",
    "ends": "the rule `game.ends`",
    "remaining": "the rule `game.remaining`",
    "view": "the reading `program.view`",
    "value_at_out_of_range": "the reading of VALUE_AT outside the board",
    "move": "the reading `program.move`",
    "depth": "plies of the search",
    "first": "points of the program where it moves first",
    "first_against": "points of the search in this game",
    "second": "points of the program where it moves second",
    "second_against": "points of the search in this game",
    "forfeits": "games that ended because the program named no pit that may be sown",
}
"""The columns of the table, and what is in them."""
RULES, READINGS = ("capture", "extra_turn", "ends", "remaining"), ("view", "value_at_out_of_range", "move")
KEY = ("program", *RULES, *READINGS, "depth")
CAPTURE, ENDS, REMAINING = ("opposite", "always", "never"), ("either", "mover"), ("owner", "opponent", "nobody")
VIEWS, OUTSIDE = ("own", "absolute"), ("zero", "modulo", "clamp")
MOVES = ("next_nonempty", "next_legal", "forfeit")
LONGEST = 400
"""Plies after which a game is scored as it stands."""


@dataclass
class Options:
    """Which variants and readings; all combinations of them are played."""

    programs: str | None = option(
        None, "file with a program on each line; # begins a remark; null: the programs that the study prints", path=True
    )
    capture: tuple[str, ...] = option(CAPTURE, "rules of capture", CAPTURE)
    extra_turn: tuple[bool, ...] = option((True, False), "whether a last stone in the own store gives another turn")
    ends: tuple[str, ...] = option(ENDS, "when the game ends", ENDS)
    remaining: tuple[str, ...] = option(REMAINING, "who gets the stones that are left", REMAINING)
    view: tuple[str, ...] = option(VIEWS, "whose cells a program counts from", VIEWS)
    value_at_out_of_range: tuple[str, ...] = option(OUTSIDE, "what VALUE_AT reads outside the board", OUTSIDE)
    move: tuple[str, ...] = option(MOVES, "how a value becomes a move", MOVES)
    depth: int = option(8, "plies of the search", low=2, high=DEEPEST)
    table: str | None = option(None, "CSV file that gets a row for each combination; null: none", path=True)


Tree = int | tuple[Any, ...]
"""A number, or the name of a function and its arguments."""


def parse(text: str) -> Tree:
    """Read a program of the study's function set; raises ValueError."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()

    def read() -> Tree:
        word = words.pop(0)
        if word != "(":
            return int(word)
        found: list[Any] = [words.pop(0)]
        if found[0] not in ARITY:
            raise ValueError(f"{found[0]}: no function of the study")
        while words and words[0] != ")":
            found.append(read())
        words.pop(0)
        if len(found) - 1 != ARITY[found[0]]:
            raise ValueError(f"{found[0]} has {ARITY[found[0]]} arguments")
        return tuple(found)

    try:
        tree = read()
    except IndexError as error:
        raise ValueError("it ends too early") from error
    if words:
        raise ValueError("something stands after its end")
    return tree


ARITY = {"ADD": 2, "SUB": 2, "VALUE_AT": 1, "IF_<_DO_ELSE_": 4}


def value(tree: Tree, cells: Sequence[int], outside: str) -> int:
    """Return the value of a program for the cells that it sees."""
    if isinstance(tree, int):
        return tree
    name, *rest = tree
    if name == "IF_<_DO_ELSE_":
        a, b = (value(one, cells, outside) for one in rest[:2])
        return value(rest[2 if a < b else 3], cells, outside)
    found = [value(one, cells, outside) for one in rest]
    if name == "VALUE_AT":
        index, count = found[0], len(cells)
        if outside == "modulo":
            index %= count
        elif outside == "clamp":
            index = min(max(index, 0), count - 1)
        return cells[index] if 0 <= index < count else 0
    return found[0] + found[1] if name == "ADD" else found[0] - found[1]


class Reading(NamedTuple):
    """How a program sees the board, and how its value becomes a move."""

    view: str
    value_at_out_of_range: str
    move: str

    def choose(self, tree: Tree, board: Sequence[int], seat: int) -> int | None:
        """Return the pit to sow; None where the program names none. The board is drawn from the mover's side."""
        side = len(board) // 2
        pits = side - 1
        turned = self.view == "absolute" and seat == 1
        cells = [*board[side:], *board[:side]] if turned else list(board)
        named = value(tree, cells, self.value_at_out_of_range) - (side if turned else 0)
        legal = [pit for pit in range(pits) if board[pit]]
        if self.move == "forfeit":
            return named if named in legal else None
        if self.move == "next_legal":
            return min(legal, key=lambda pit: (pit < named, pit))
        return min(legal, key=lambda pit: (pit - named) % pits)


class Ended(NamedTuple):
    """Points of the program and of the search, and whether the program named no pit."""

    own: int
    other: int
    forfeited: bool


def play(game: "Mancala", depth: int, players: Sequence[tuple[Tree, Reading, int]]) -> list[Ended]:
    """Play a game of each program in its seat against the search, all of them side by side."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    count = len(players)
    step, reply = machinery(game, depth, count)
    states = jax.tree.map(lambda x: jnp.repeat(x[None], count, 0), game.init(jax.random.key(0)))
    seats = np.array([seat for _, _, seat in players])
    forfeited = np.zeros(count, bool)
    for _ in range(LONGEST):
        boards, mover = np.asarray(states.board), np.asarray(states.to_move)
        going = ~np.asarray(states.terminated) & ~forfeited
        if not going.any():
            break
        wanted = np.asarray(reply(states, jnp.asarray(going & (mover != seats))))
        actions = np.where(going, wanted, 0)
        for place in np.flatnonzero(going & (mover == seats)):
            tree, reads, seat = players[int(place)]
            chosen = reads.choose(tree, boards[place].tolist(), seat)
            forfeited[place] = chosen is None
            actions[place] = 0 if chosen is None else chosen
        states = step(states, jnp.asarray(actions, jnp.int32), jnp.asarray(going & ~forfeited))
    points = np.asarray(jax.vmap(game.score)(states)).astype(int)
    pairs = zip(points, seats, forfeited, strict=True)
    return [Ended(int(each[seat]), int(each[1 - seat]), bool(lost)) for each, seat, lost in pairs]


def machinery(game: "Mancala", depth: int, count: int) -> "tuple[Callable[..., Any], Callable[..., Any]]":
    """Compile a step of `count` games, and the first best move of the search in those that are wanted."""
    import jax
    import jax.numpy as jnp

    import envs
    from jaxgp import arrays
    from jaxgp.players.searches import searches
    from jaxgp.search.chance import unused_key

    spec = envs.spec("mancala")
    (search,) = searches(spec, game, None, depth, "first", 2, 64)

    def reply(states: Any, wanted: Any) -> Any:
        order = jnp.argsort(~wanted, stable=True)
        roots = jax.tree.map(lambda x: x[order], states)
        found = search.search(roots, jnp.full(count, depth, jnp.int32), wanted.sum(dtype=jnp.int32))
        return jnp.zeros(count, jnp.int32).at[order].set(found.values.argmax(-1).astype(jnp.int32))

    def step(states: Any, actions: Any, moving: Any) -> Any:
        after = jax.vmap(lambda state, action: game.step(state, action, unused_key()))(states, actions)
        return arrays.where(moving, after, states)

    return jax.jit(step), jax.jit(reply)


def load(path: Path) -> list[Tree]:
    """Read the programs of a file; raises UsageError."""
    try:
        lines = reading.read_text(path).splitlines()
        return [parse(line) for line in lines if line.strip() and not line.startswith("#")]
    except OSError as error:
        raise UsageError(f"programs={path}: cannot be read ({reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"programs={path}: not programs of the study ({error})") from error


def task(options: Options) -> int:
    """Play all combinations that have no row yet, and say where both seats are won."""
    trees = load(PRINTED if options.programs is None else files.user_path("programs", options.programs))
    table = Table(files.user_path("table", options.table), COLUMNS) if options.table else None
    rows: list[dict[str, object]] = []
    if table is not None:
        table.check("table")
        rows += [dict(row) for row in table.rows()]
    known = {tuple(str(row[name]) for name in KEY) for row in rows}
    readings = [Reading(*one) for one in itertools.product(options.view, options.value_at_out_of_range, options.move)]
    from envs.mancala.rules import Mancala

    variants = list(itertools.product(*(getattr(options, name) for name in RULES)))
    for number, values in enumerate(variants, 1):
        rules = dict(zip(RULES, values, strict=True))
        asked = [
            {"program": program, **rules, **one._asdict(), "depth": options.depth}
            for program in range(1, len(trees) + 1)
            for one in readings
        ]
        asked = [one for one in asked if tuple(str(one[name]) for name in KEY) not in known]
        if not asked:
            continue
        arguments.say(f"Rules {number} of {len(variants)}: {', '.join(f'{k}={v}' for k, v in rules.items())}")
        reads = [Reading(*(str(one[name]) for name in READINGS)) for one in asked]
        pairs = [(trees[int(str(one["program"])) - 1], how) for one, how in zip(asked, reads, strict=True)]
        ended = play(Mancala(**rules), options.depth, [(*pair, seat) for seat in (0, 1) for pair in pairs])
        made = [
            one
            | {"first": first.own, "first_against": first.other, "second": second.own, "second_against": second.other}
            | {"forfeits": first.forfeited + second.forfeited}
            for one, first, second in zip(asked, ended[: len(asked)], ended[len(asked) :], strict=True)
        ]
        rows += made
        if table is not None:
            table.keep(made, arguments.say)
    print("\n".join(lines(rows)))
    return 0


def won(row: dict[str, object]) -> bool:
    """Return whether a program wins from both seats."""
    own, other = ([int(str(row[f"{seat}{end}"])) for seat in ("first", "second")] for end in ("", "_against"))
    return not int(str(row["forfeits"])) and all(a > b for a, b in zip(own, other, strict=True))


def lines(rows: Sequence[dict[str, object]]) -> list[str]:
    """Say in how many combinations each program wins from both seats, and in which."""
    found = []
    for program in sorted({int(str(row["program"])) for row in rows}):
        own = [row for row in rows if int(str(row["program"])) == program]
        both = [row for row in own if won(row)]
        found.append(f"Program {program}: wins from both seats in {len(both)} of {len(own)} combinations")
        found += [
            f"  {row['first']} + {row['second']}: " + ", ".join(f"{name}={row[name]}" for name in (*RULES, *READINGS))
            for row in both
        ]
    return found


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
