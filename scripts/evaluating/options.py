"""The options of `evaluate.py`, and who may have which."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from jaxgp.config.games import OF_CHAMPIONS, SPLITS
from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_CORES, MAX_COUNT, MAX_GAMES, MAX_LANES, MAX_SEED, find_changed, option

GAMES, ENGINE_GAMES = 1000, 100
MOST_PLAYOUTS = 10_000_000
MOST_PLIES = 40
AUTO = "auto"
OF_SEARCHES = ("iterations", "searches", "group", "resume", "save")
"""Options of nested searches."""
OF_SUITES = ("suite", "split")
"""Options of puzzles and simulations."""
OF_PUZZLES = ("limit", "program", "batch", "instances")
"""Options of puzzles."""
OF_ENGINES = ("opening_plies",)
"""Options of games against engines outside."""
OF_SIMULATIONS = ("engine",)
"""Options of simulations."""
CONFIG_DIR = Path(__file__).resolve().parents[2] / "conf"
PANELS = CONFIG_DIR / "panel"


def panels() -> list[str]:
    """Return the names of all panels."""
    return sorted(path.stem for path in PANELS.glob("*.yaml"))


def panel_file(name: str) -> Path:
    """Return the file of a panel."""
    return PANELS / f"{name}.yaml"


@dataclass
class Options:
    """The champion, its opponents, and the number of games."""

    run: str | None = option(None, "a run directory with a champion.json, such a file, or FILE.jsonl#SEED", path=True)
    player: str | None = option(
        None,
        "a member of the panel that is measured in the place of a champion, at the game that `game` names; of a "
        "simulation a strategy",
    )
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    panel: str = option("standard", f"opponents: {', '.join(panels())}")
    against: list[str] = option(
        [],
        "members of the panel that are met; puzzles: the orders of moves beside the champion's; none: all; of a "
        "simulation strategies, runs and champion files, which drive the other seats, or beside it where none are",
    )
    games: int | None = option(
        None,
        "games from each seat where chance is involved; also the number of random programs; for one: random games; "
        f"simulations: rollouts; null: {GAMES}, and {ENGINE_GAMES} against engines outside, which play one by one",
        low=1,
        high=MAX_GAMES,
    )
    depth: int | None = option(
        None, "plies of a champion that searches; null: those that it was evolved with", low=1, high=DEEPEST
    )
    compare: int = option(
        0,
        "also measure a search of this depth against the same random programs; for one: of this level; 0: do not",
        low=0,
        high=20,
    )
    iterations: int = option(
        100,
        "for one: iterations of each level of the search; it has group * iterations ** compare playouts",
        low=1,
        high=1000,
    )
    searches: int = option(4, "how many such searches run, independent of each other", low=1, high=1000)
    group: int = option(1, "playouts of each policy in such a search; the best counts", low=1, high=1000)
    resume: str | None = option(None, "go on with a nested search that was cut off; null: search anew", (AUTO,))
    save: str | None = option(
        None, "files for the best game of a nested search: NAME, or with .svg, .txt or .json", path=True
    )
    opening_plies: int = option(
        6,
        "random moves at the beginning of games against engines outside (kind: engine), so that no two are alike",
        low=0,
        high=MOST_PLIES,
    )
    engine: str | None = option(
        None,
        "simulations: the original, a program outside, in which the champion drives too, as often and against the "
        "same; rivals that only the original has are met there alone; null: none",
    )
    suite: str | None = option(
        None,
        "a suite of the game, or a file of instances; null: puzzles: every suite of the game, one after the other; "
        "simulations: the instance of the settings",
    )
    split: str = option("test", "of a suite: test: the instances that no evolution may see; train: the others", SPLITS)
    limit: int | None = option(
        None, "puzzles: nodes at which a search gives up; null: those of the champion's role", low=1, high=MAX_COUNT
    )
    program: dict[str, Any] = option(
        {}, "puzzles: settings of the champion's role that its evolution did not have, such as program.search=greedy"
    )
    batch: int = option(
        256, "puzzles: instances that are searched at once; what is found does not depend on it", low=1, high=MAX_LANES
    )
    instances: str | None = option(
        None,
        "puzzles: a CSV file that gets a row for each search of an instance; with it the same command goes on where it "
        "was stopped; null: none",
        path=True,
    )
    seed: int = option(
        0, "of the games and of the random programs; which seeds a champion has met is said", low=0, high=MAX_SEED
    )
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str | None = option(
        None,
        "file for the figures; null: evaluation.json of the run; of a champion that was kept alone, "
        "outputs/evaluations/NAME.json; none with player",
        path=True,
    )
    table: str | None = option(None, "a CSV file that gets a row for each opponent; null: none", path=True)

    renamed: ClassVar[dict[str, str]] = {"timeout": "timeout: {} of the engine in the file of the panel"}

    @property
    def count(self) -> int:
        """How many games, but those against engines outside."""
        return self.games or GAMES

    def laws(self, prefix: str) -> None:
        """Refuse an unknown panel, and options of a search that is not asked for; raises UsageError."""
        if self.panel not in panels():
            reject(f"{prefix}panel", self.panel, ", ".join(panels()))
        if not self.compare:
            refuse(self, OF_SEARCHES, "given, but there is no compare=LEVEL")
        if self.player is not None:
            refuse(self, ("run", "depth"), "given, but player is measured in the place of a champion; leave one out")
            if not self.game.get("name"):
                raise UsageError(f"{prefix}game: of which game is player={self.player}? Write game=NAME")


def refuse(options: Options, names: Sequence[str], why: str) -> None:
    """Refuse options that would change nothing, unless they have their defaults; raises UsageError."""
    for name in find_changed(options, names):
        raise UsageError(f"{name}: {why}")
