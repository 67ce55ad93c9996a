"""Measure many champions of one game for two on equally many games each; a row for each opponent of each champion.

python scripts/studies/measure/champions.py "runs=[docs/data/champions/othello_*]" panel=othello_unmet table=games.csv
python scripts/studies/measure/champions.py runs=[outputs/a,outputs/b] panel=reversi against=[discs_5] depth=4 games=100

Champions that are written in one language are measured side by side in one program, which is compiled once.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.options import DEEPEST, MAX_CORES, MAX_GAMES, MAX_SEED, option
from studies import checks

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.measure.champions import Loaded
    from jaxgp.seats.options import OpponentOptions

PANELS = Path(__file__).resolve().parents[3] / "conf" / "panel"
MOST = 200
"""The most champions of one command."""


@dataclass
class Options:
    """The champions, their opponents, and the number of games."""

    runs: list[str] = option([], "run directories, folders of such, champion files, or patterns with *, ? or [0-4]")
    panel: str = option("standard", "opponents, as in scripts/evaluate.py")
    against: list[str] = option([], "members of the panel that are met; none: all")
    games: int = option(500, "games of each champion from each seat, where chance is involved", low=2, high=MAX_GAMES)
    depth: int | None = option(
        None, "plies of champions that search; null: those that they were evolved with", low=1, high=DEEPEST
    )
    programs: str | None = option(
        None, "role of random programs in the panel, with its defaults; null: that of the champions"
    )
    seed: int = option(0, "of the games", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    table: str | None = option(None, "a CSV file that gets a row for each opponent of each champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse an unknown panel, and no champions; raises UsageError."""
        known = sorted(path.stem for path in PANELS.glob("*.yaml"))
        if self.panel not in known:
            reject(f"{prefix}panel", self.panel, ", ".join(known))
        checks.some_champions(self.runs, prefix)


def champions_of(options: Options) -> "list[Loaded]":
    """Load the champions; raises UsageError."""
    from jaxgp.league.members import champion_files
    from jaxgp.measure import champions, together

    paths = champion_files("runs", options.runs)
    if len(paths) > MOST:
        reject("runs", f"{len(paths)} champions", f"at most {MOST}")
    found = [champions.load(str(path), envs, "runs") for path in paths]
    together.one_game(found)
    return found if options.depth is None else [champions.at_depth(one, options.depth) for one in found]


def opponents(options: Options, loaded: "list[Loaded]") -> "dict[str, OpponentOptions]":
    """Return the members of the panel that are met; raises UsageError."""
    from jaxgp.measure import panels

    file = PANELS / f"{options.panel}.yaml"
    panel, _ = panels.fitting(panels.read_panel(file), loaded[0].cast)
    panels.check_panel(panel, loaded[0].cast, file)
    panel = panels.choose_members(panel, options.against, "against")
    engines = [name for name, spec in panel.items() if not spec.trains]
    if engines or not panel:
        reject("panel", options.panel, "a panel without engines outside, of which a member can play the game")
    return panel


def others(options: Options, loaded: "list[Loaded]") -> "Cast | None":
    """Return how random programs of the panel play; raises UsageError for a role that the game does not have."""
    from jaxgp.games.casting import cast

    if options.programs is None:
        return None
    own = loaded[0].cast
    if options.programs not in (known := [role.name for role in own.spec.roles]):
        reject("programs", options.programs, ", ".join(known))
    return cast(own.spec, own.game, options.programs)


def task(options: Options) -> int:
    """Play, add rows, and print a line for each champion and opponent."""
    from jaxgp.measure import games, panels, together
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)
    loaded = champions_of(options)
    panel, programs = opponents(options, loaded), others(options, loaded)
    table = games.table(files.user_path("table", options.table)) if options.table else None
    if table is not None:
        table.check("table")
    command = arguments.command("scripts/studies/measure/champions.py", options)
    begin = time.perf_counter()
    met = together.measure_champions(loaded, panel, options.games, options.seed, arguments.say, programs)
    for place, name, results in met:
        one, both, seconds = loaded[place], results[-1], time.perf_counter() - begin
        between = "" if both.score_low is None else f" ({both.score_low:.1%} to {both.score_high:.1%})"
        print(f"{files.short(one.path)} against {name}: {both.score:.1%}{between} of {both.games} games")
        if table is not None:
            about = games.circumstances(one, command, options.seed)
            opponent = panels.text(panel[name], one.cast)
            if panel[name].kind == "program" and options.programs:
                opponent += f" role={options.programs}"
            row = games.row(one.text, opponent, results, seconds, about)
            table.keep([row], arguments.say)
        begin = time.perf_counter()
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
