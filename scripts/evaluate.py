"""Measure the champion of a run: against a panel of opponents from both seats, or in a game for one beside random play.

python scripts/evaluate.py run=outputs/DIR panel=standard games=1000
python scripts/evaluate.py run=outputs/DIR panel=othello_gtp games=20    an engine outside, where it is installed
python scripts/evaluate.py run=outputs/DIR panel=othello depth=4        a champion that searches, as deep as this
python scripts/evaluate.py run=outputs/DIR compare=2 iterations=228     for one: a nested search beside it
python scripts/evaluate.py run=outputs/DIR compare=3 save=best resume=auto    a long search; its best game
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import envs
from jaxgp import files
from jaxgp.config import arguments, help
from jaxgp.config.games import OF_CHAMPIONS, asked
from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_CORES, MAX_GAMES, MAX_SECONDS, MAX_SEED, changed, option
from jaxgp.printable import one_line

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.external import Terms
    from jaxgp.players.options import Opponent
    from jaxgp.spec import Cast

MOST_PLAYOUTS = 10_000_000
MOST_PLIES = 40
AUTO = "auto"
OF_SEARCHES = ("iterations", "searches", "group", "resume", "save")
"""Options of nested searches."""
OF_ENGINES = ("opening_plies", "timeout")
"""Options of games against engines outside."""
CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
PANELS = CONFIG_DIR / "panel"


def panels() -> list[str]:
    """Return the names of all panels."""
    return sorted(path.stem for path in PANELS.glob("*.yaml"))


@dataclass
class Options:
    """The champion, its opponents, and the number of games."""

    run: str | None = option(None, "a run directory with a champion.json, or such a file", path=True)
    panel: str = option("standard", f"opponents: {', '.join(panels())}")
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    games: int = option(
        1000,
        "games from each seat where chance is involved; also the number of random programs; for one: random games",
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
    group: int = option(1, "playouts of each policy in such a search, of which the best counts", low=1, high=1000)
    resume: str | None = option(None, "go on with a nested search that was cut off; null: search anew", (AUTO,))
    save: str | None = option(
        None, "files for the best game of a nested search: NAME, or with .svg, .txt or .json", path=True
    )
    opening_plies: int = option(
        6,
        "random moves at the beginning of games against engines outside (kind: gtp), so that no two are alike",
        low=0,
        high=MOST_PLIES,
    )
    timeout: float = option(
        120.0, "seconds that such an engine may take for a move", low=0, high=MAX_SECONDS, above=True, unit="seconds"
    )
    seed: int = option(0, "of the games and of the random programs", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str | None = option(None, "file for the figures; null: evaluation.json beside the champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse an unknown panel, and options of a search that is not asked for; raises UsageError."""
        if self.panel not in panels():
            reject(f"{prefix}panel", self.panel, ", ".join(panels()))
        if not self.compare:
            refuse(self, OF_SEARCHES, "given, but there is no compare=LEVEL")


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    return help.of_game(options.game, envs, CONFIG_DIR)


def task(options: Options) -> int:
    """Play, print, save."""
    if options.run is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    from jaxgp.measure import champions, evaluation
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)
    found, wanted = asked(options.game, envs, CONFIG_DIR)
    loaded = champions.load(options.run, found, asked=wanted)
    if options.depth is not None:
        loaded = champions.at_depth(loaded, options.depth)
    output = files.user_path("output", options.output) if options.output else loaded.path.parent / "evaluation.json"
    evaluation.check_writable(output)
    (measure_alone if loaded.cast.game.seats == 1 else measure_against)(options, loaded, output)
    return 0


def refuse(options: Options, names: Sequence[str], why: str) -> None:
    """Refuse options that would change nothing, unless they have their defaults; raises UsageError."""
    for name in changed(options, names):
        raise UsageError(f"{name}: {why}")


# Games for one


def measure_alone(options: Options, loaded: "Loaded", output: Path) -> None:
    """Measure the champion of a game for one: its game beside random play and, if asked for, a nested search."""
    check_alone(options, loaded.cast.game.name)
    from jaxgp.measure import alone, nested

    save = targets(options, output)
    plan = nested.Plan(options.compare, options.iterations, options.searches, options.seed, options.group)
    folder = output.with_name(f"{output.stem}_search")
    if options.resume is None and nested.cut_off(folder):
        raise UsageError(f"{folder}: holds a search that was cut off; go on with it by resume=auto, or remove it")
    figures = alone.measure(loaded, options.games, options.seed)
    if options.compare:
        figures |= nested.search(loaded.cast, plan, arguments.say, folder, save, loaded.genome)
    try:
        files.write_json(output, {"seed": options.seed, "results": figures})
    finally:  # also where there is no room for the file
        print(alone.text(figures))
    print(f"saved: {output}")


def check_alone(options: Options, game: str) -> None:
    """Refuse options of games for two, and what takes too long; raises UsageError."""
    refuse(options, ("panel",), f"{game} is a game for one; leave it out")
    refuse(options, OF_ENGINES, f"of games against engines outside; {game} is a game for one, leave it out")
    if options.group * options.iterations**options.compare > MOST_PLAYOUTS:
        most = f"group * iterations ** compare up to {MOST_PLAYOUTS}"
        reject("iterations", options.iterations, f"{most}; with compare={options.compare} it is more")
    if options.games < 2:
        reject("games", options.games, f"a whole number from 2 to {MAX_GAMES}; {game} is a game for one")


def targets(options: Options, output: Path) -> list[Path]:
    """Return the files for the best game of a search; raises UsageError if the file of the figures is one."""
    from jaxgp.host import savedgame

    if not options.save:
        return []
    found = savedgame.targets("save", options.save)
    if os.path.realpath(output) in map(os.path.realpath, found):
        reject("save", options.save, f"another name, since the figures go to {output}")
    return found


# Games for two


def measure_against(options: Options, loaded: "Loaded", output: Path) -> None:
    """Measure the champion of a game for two against a panel.

    The figures of the opponents that were met are saved, also if the games against another one fail or are stopped.
    """
    refuse(options, OF_SEARCHES, f"of searches in a game for one; {loaded.cast.game.name} is for two, leave it out")
    from jaxgp.measure import evaluation
    from jaxgp.players.searches import evaluators

    if options.compare:
        try:
            evaluators(loaded.cast.spec, loaded.cast.game, None)
        except UsageError as error:
            reject("compare", options.compare, f"0; {str(error).rpartition('; ')[2]}")
    panel, about = seated(options, loaded.cast)
    report: dict[str, list[evaluation.Result]] = {}
    failure: BaseException | None = None
    met = evaluation.measured(
        loaded, panel, options.games, options.compare, options.seed, arguments.say, terms(options)
    )
    try:
        for player, results in met:
            report.setdefault(player, []).extend(results)
    except (Exception, KeyboardInterrupt) as error:
        if not report:
            raise
        failure, about["failed"] = error, one_line(error) or "stopped"
    try:
        evaluation.save(report, output, panel=options.panel, seed=options.seed, **about)
    finally:  # also where there is no room for the file
        print(evaluation.table_text(report))
    print(f"saved: {output}")
    if failure is not None:
        raise failure


def terms(options: Options) -> "Terms":
    """Return how games against engines outside are played."""
    from jaxgp.measure.external import Terms

    return Terms(options.games, options.opening_plies, options.seed, options.timeout)


def seated(options: Options, cast: "Cast") -> "tuple[dict[str, Opponent], dict[str, Any]]":
    """Read the panel; return its members that can play, and what the file of figures says about the panel.

    Raises:
        UsageError: a wrong panel, options of engines for a panel without any, or no member can play.
    """
    from jaxgp.measure import evaluation, external

    file = PANELS / f"{options.panel}.yaml"
    panel, unfit = evaluation.fitting(evaluation.read_panel(file), cast)
    evaluation.check_panel(panel, cast, file)
    engines = any(spec.kind == external.KIND for spec in panel.values())
    if not engines:
        refuse(options, OF_ENGINES, f"given, but nobody in panel={options.panel} is of the kind {external.KIND}")
    here, missing = external.reachable(panel, cast)
    skipped = unfit | missing
    if not here:
        raise UsageError(f"panel={options.panel}: nobody is there to play; " + "; ".join(skipped.values()))
    for name, why in skipped.items():
        arguments.say(f"Skipping {name}: {why}")
    about: dict[str, Any] = {"skipped": skipped} if skipped else {}
    if options.depth is not None:
        about["depth"] = options.depth
    if any(spec.kind == external.KIND for spec in here.values()):
        about["opening_plies"] = options.opening_plies
    return here, about


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__, about=about))
