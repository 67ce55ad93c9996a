"""Which rules of champions of Walls fire in games, and on the smallest board how many of their moves are optimal.

python scripts/studies/measure/walls_rules.py runs=[docs/data/champions/walls_5_0.json]
python scripts/studies/measure/walls_rules.py runs=[outputs/walls_3/0] opponents=[fixed,random] games=100 table=rows.csv

A move is optimal if it keeps the margin of best play, which `walls_solve.py` finds exactly on boards of three squares.
A position in which all three moves are optimal says nothing, so the moves of the others are counted apart.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.options import MAX_SEED, option
from jaxgp.statistics.intervals import wilson
from jaxgp.store.table import Table
from studies import checks

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded
    from studies.walls_solve import Half, Solver

RIVALS = ("fixed", "forward", "random")
COLUMNS = {
    "title": "title of the run of the champion",
    "run": "its run directory or file",
    "run_seed": "seed of its run",
    "champion": "16 hexadecimal digits of its text",
    "size": "side of the board",
    "rules": "rules of the champion",
    "opponent": "whom it met",
    "games": "games, half of them from each seat",
    "seed": "of random moves",
    "moves": "moves of the champion in these games",
    "default": "of these, moves without a rule that matches",
    "fires": "number of the rule, counted from 1, and the moves that it made, for each rule that fired",
    "positions": "different positions among them; optimal moves are counted by them",
    "optimal": "positions in which its move keeps the margin of best play; empty where that is not known",
    "choices": "positions in which not every move keeps it",
    "optimal_choices": "of these, those in which its move does",
}
"""The columns of the table, and what is in them."""
SOLVED = 3
"""Side of the board whose best play is known."""


@dataclass
class Options:
    """Which champions, and whom they meet."""

    runs: list[str] = option([], "run directories, or champion files")
    opponents: list[str] = option(["fixed", "random"], f"whom they meet: {', '.join(RIVALS)}")
    games: int = option(100, "games against random moves; the others are met once from each seat", low=2, high=10_000)
    seed: int = option(0, "of random moves", low=0, high=MAX_SEED)
    table: str | None = option(None, "CSV file that gets a row for each champion and opponent; null: none", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse unknown opponents, and no champions; raises UsageError."""
        checks.some_champions(self.runs, prefix)
        for name in self.opponents:
            if name not in RIVALS:
                reject(f"{prefix}opponents", name, ", ".join(RIVALS))


class Made(NamedTuple):
    """What a champion did in some games.

    Attributes:
        fires: moves by rule, counted from 0; -1: no rule matched.
        positions: different positions as `walls_solve` has them, with the move made in each.
    """

    fires: Counter[int]
    positions: "dict[tuple[Half, Half], int]"


class Optimal(NamedTuple):
    """How many moves of different positions keep the margin; `choices` are positions where some move does not."""

    optimal: int
    choices: int
    optimal_choices: int


def observe(loaded: "Loaded", opponent: str, games: int, seed: int) -> Made:
    """Let a champion play from both seats, and look at its moves."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from envs.walls.primitives import Options as Sight
    from envs.walls.primitives import rule_language, view
    from jaxgp.interpreter import rules
    from studies.growth import scaling
    from studies.growth import walls_players as players

    game = loaded.cast.game
    sight = Sight(**{name: value for name, value in loaded.cast.program.items() if name != "role"})
    language = rule_language(game, sight)
    masks = rules.prepare(language, jax.tree.map(jnp.asarray, loaded.genome), sight.symmetric)

    def act(one: Any, state: Any) -> Any:
        action, rule = rules.act(language, one, view(game, sight, state)[None])
        return action[0], rule[0]

    mover = scaling.Mover("champion", act, jax.tree.map(lambda x: x[None], masks), "", "")
    case = scaling.Case(game, game.size, mover, players.opponent(game, opponent))
    plies = int(scaling.series(case, games, seed)().plies.max())
    _, states = scaling.asked(case, games, seed, plies)
    moves, fired = jax.device_get(jax.jit(jax.vmap(lambda state: act(masks, state)))(states))
    own, other = (list(_halves(game.size, getattr(states, name))) for name in ("own", "other"))
    return Made(
        Counter(int(rule) for rule in fired),
        {pair: int(move) for pair, move in zip(zip(own, other, strict=True), np.asarray(moves), strict=True)},
    )


def _halves(size: int, player: Any) -> "Iterator[Half]":
    """Yield the players [K] as `walls_solve` has them."""
    import numpy as np

    from studies.walls_solve import Half

    words, *rest = (np.asarray(getattr(player, name)) for name in ("bricks", "row", "column", "heading", "idle"))
    for each, row, column, heading, idle in zip(words, *rest, strict=True):
        bricks = sum(int(word) << (32 * place) for place, word in enumerate(each))
        yield Half(bricks, int(row) * size + int(column), int(heading), int(idle))


def optimal(solver: "Solver", positions: "dict[tuple[Half, Half], int]") -> Optimal:
    """Count the moves that keep the margin of best play."""
    kept = choices = kept_choices = 0
    for (own, other), move in positions.items():
        best = solver.best(own, other)
        kept += move in best
        if len(best) < 3:
            choices += 1
            kept_choices += move in best
    return Optimal(kept, choices, kept_choices)


def task(options: Options) -> int:
    """Play, look, add rows, print."""
    import envs
    from envs.walls.rules import Walls
    from jaxgp.measure import champions
    from jaxgp.store.runs import identity
    from studies.walls_solve import Solver

    table = Table(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    found = [champions.load(run, envs, "runs") for run in options.runs]
    for one in found:
        if not isinstance(one.cast.game, Walls):
            reject("runs", one.path, f"champions of walls; this one plays {one.cast.game.name}")
    solvers: dict[Any, Solver] = {}
    for one in found:
        game = one.cast.game
        for opponent in options.opponents:
            games = options.games if opponent == "random" else 2
            made = observe(one, opponent, games, options.seed)
            known: Sequence[object] = ("", "", "")
            if game.size == SOLVED:
                known = optimal(solvers.setdefault(game, Solver(game)), made.positions)
            fires = " ".join(f"{rule + 1}:{count}" for rule, count in sorted(made.fires.items()) if rule >= 0)
            values = (
                *(one.content.title, files.short(one.path), one.content.seed, identity(one.content)),
                *(game.size, one.content.size, opponent, games, options.seed, sum(made.fires.values())),
                *(made.fires[-1], fires, len(made.positions), *known),
            )
            row = dict(zip(COLUMNS, values, strict=True))
            if table is not None:
                table.keep([row], arguments.say)
            print(line(row), flush=True)
    return 0


def line(row: dict[str, object]) -> str:
    """Return what the terminal shows of a row."""
    fires = [int(pair.partition(":")[2]) for pair in str(row["fires"]).split()]
    moves, first = int(str(row["moves"])), max(fires, default=0)
    text = f"{row['run']} against {row['opponent']}: {len(fires)} of {row['rules']} rules fire, "
    text += f"one of them in {first / moves:.0%} of {moves} moves; none in {int(str(row['default'])) / moves:.0%}"
    if row["choices"] in ("", 0):
        return text
    kept, of = int(str(row["optimal_choices"])), int(str(row["choices"]))
    low, high = wilson(kept, of)
    return text + f"; {kept} of {of} moves that matter are optimal ({low:.0%} to {high:.0%})"


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
