"""Measure the champion of a run: against a panel of opponents from both seats, in a game for one beside random play, in
a puzzle beside the reference search and fixed orders of moves, or in a simulation beside other drivers. A member of the
panel, or a strategy of a simulation, can be measured in its place.

python scripts/evaluate.py run=outputs/DIR panel=standard games=1000
python scripts/evaluate.py run=outputs/DIR panel=othello_gtp games=20    an engine outside, where it is installed
python scripts/evaluate.py run=outputs/DIR panel=othello depth=4        a champion that searches, as deep as this
python scripts/evaluate.py run=outputs/DIR panel=study table=games.csv  a row for each opponent in a table of many runs
python scripts/evaluate.py game=checkers game.lose=true player=ab3 panel=lose_checkers against=[ab2]    two searches
python scripts/evaluate.py run=outputs/DIR compare=2 iterations=228     for one: a nested search beside it
python scripts/evaluate.py run=outputs/DIR compare=3 save=best resume=auto    a long search; its best game
python scripts/evaluate.py run=outputs/DIR suite=JAM split=all          a puzzle: all instances of one suite
python scripts/evaluate.py run=outputs/DIR instances=outputs/all.csv    a puzzle: long suites; typed again, it goes on
python scripts/evaluate.py run=outputs/DIR program.search=greedy        a puzzle: the champion steers another search
python scripts/evaluate.py run=outputs/DIR games=100 against=[NAME]     a simulation: rollouts, a strategy beside it
python scripts/evaluate.py run=outputs/DIR games=10 engine=robocode     a simulation, and its original beside it
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import envs
from jaxgp import files
from jaxgp.config import arguments, help
from jaxgp.config.games import OF_CHAMPIONS, SPLITS, resolve_game
from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_CORES, MAX_COUNT, MAX_GAMES, MAX_LANES, MAX_SEED, find_changed, option
from jaxgp.printable import one_line

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.evaluation import Result
    from jaxgp.measure.external import EngineTerms
    from jaxgp.measure.panels import MeasuredPlayer
    from jaxgp.measure.simulations.rollouts import Measured, QuantityFigures
    from jaxgp.seats.options import OpponentOptions

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
CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
PANELS = CONFIG_DIR / "panel"


def panels() -> list[str]:
    """Return the names of all panels."""
    return sorted(path.stem for path in PANELS.glob("*.yaml"))


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


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    return help.of_game(options.game, envs, CONFIG_DIR)


def task(options: Options) -> int:
    """Play, print, save."""
    if options.run is None and options.player is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    from jaxgp.contracts import Prover, Solver
    from jaxgp.measure import champions
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)
    output = files.user_path("output", options.output) if options.output else None
    if options.run is None:
        if output is not None:
            files.check_writable("output", output)
        cast = game_of_player(options)
        if cast.simulated:
            measure_driver(options, cast, None, output)
            return 0
        other = (*OF_SUITES, *OF_PUZZLES, *OF_SIMULATIONS)
        refuse(options, other, "of puzzles; player is measured in games for two, leave it out")
        measure_against(options, cast, None, output)
        return 0
    found, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    loaded = champions.load(options.run, found, asked=wanted)
    if options.depth is not None:
        loaded = champions.at_depth(loaded, options.depth)
    output = output or of_champion(loaded)
    files.check_writable("output", output)
    if isinstance(loaded.cast.actor, Solver):
        steered = champions.with_program(loaded, options.program) if options.program else loaded
        measure_solver(options, steered, output)
        return 0
    if isinstance(loaded.cast.actor, Prover):
        measure_prover(options, loaded, output)
        return 0
    refuse(options, OF_PUZZLES, f"of puzzles; {loaded.cast.game.name} is none, leave it out")
    if loaded.cast.simulated:
        measure_driver(options, loaded.cast, loaded, output)
        return 0
    of_others = (*OF_SUITES, *OF_SIMULATIONS)
    refuse(options, of_others, f"of puzzles and simulations; {loaded.cast.game.name} is none, leave it out")
    if loaded.cast.game.seats == 1:
        measure_alone(options, loaded, output)
    else:
        measure_against(options, loaded.cast, loaded, output)
    return 0


def game_of_player(options: Options) -> "Cast":
    """Return the game at which `player` is measured; raises UsageError for a game for one."""
    from jaxgp.config.games import cast_of
    from jaxgp.config.schema import Config

    games, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    cast = cast_of(Config(game=wanted), games)
    if cast.game.seats == 1 and not cast.simulated:
        reject("game", cast.spec.name, f"a game for two; {cast.spec.name} is for one")
    return cast


def of_champion(loaded: "Loaded") -> Path:
    """Return the file for the figures of a champion: in its run directory, or below outputs if it was kept alone."""
    path = loaded.path
    if loaded.in_run:
        return path.with_name("evaluation.json")
    kept = path.name.replace(".jsonl#", "_").removesuffix(".json")
    return files.make_directory(Path("outputs/evaluations"), "output") / f"{kept}.json"


def refuse(options: Options, names: Sequence[str], why: str) -> None:
    """Refuse options that would change nothing, unless they have their defaults; raises UsageError."""
    for name in find_changed(options, names):
        raise UsageError(f"{name}: {why}")


# Puzzles


def measure_solver(options: Options, loaded: "Loaded", output: Path) -> None:
    """Measure the champion of a puzzle: its searches beside the reference search and the fixed orders of the game."""
    name = loaded.cast.game.name
    other = (*OF_SEARCHES, *OF_ENGINES, *OF_SIMULATIONS, "compare", "games", "panel", "table")
    refuse(options, other, f"{name} is a puzzle")
    from jaxgp.measure import instances, solving

    solving.check_instance(options.game, loaded.cast)
    by = solving.choose_orders(loaded, options.against)
    path = table_of_instances(options, output)
    book = instances.Book(path, say=arguments.say)
    suites = solving.suites_of(loaded.cast, options.suite, options.split)
    report: dict[str, dict[str, solving.Figures]] = {}
    measured = solving.solve_suites(loaded, suites, options.limit, arguments.say, options.batch, book, by)
    try:
        for suite, order, figures in measured:
            report.setdefault(suite, {})[order] = figures
    except (Exception, KeyboardInterrupt):
        if path is not None and path.exists():
            arguments.say(f"instances={path}: holds the searches so far; the same command goes on with the others")
        raise
    finally:  # what was measured is kept, also if the rest fails or is stopped
        if report:
            about = {"split": options.split, "limit": options.limit or loaded.cast.actor.limit}
            about |= {"program": options.program} if options.program else {}
            try:
                files.write_json(output, {**about, "results": solving.as_json(report)})
            finally:
                print(solving.text(report))
    print(f"saved: {output}")


def table_of_instances(options: Options, output: Path) -> Path | None:
    """Return the file of the table of instances, if there is one; raises UsageError if the figures go there."""
    if options.instances is None:
        return None
    path = files.user_path("instances", options.instances)
    if os.path.realpath(path) == os.path.realpath(output):
        reject("instances", options.instances, f"another name, since the figures go to {output}")
    return path


# Simulations


def measure_driver(options: Options, cast: "Cast", loaded: "Loaded | None", output: Path | None) -> None:
    """Measure the champion of a simulation, or a strategy of it: its quantities in new rollouts.

    The figures of the drivers that have driven are saved, also if another one fails or the rest is stopped.
    """
    name = cast.game.name
    refuse(options, (*OF_SEARCHES, *OF_ENGINES, "compare", "panel", "depth"), f"{name} is a simulation; leave it out")
    from jaxgp.measure.simulations import rollouts

    one = loaded or rollouts.take_driver(cast, str(options.player), "player")
    there, outside = beside(options, cast, loaded)
    here = [name for name in there if not options.engine or name in cast.spec.strategies]
    others = rollouts.drivers("against", here, cast, resolve_game(options.game, envs, CONFIG_DIR)[0])
    who, rivals = ({one.name: one}, others) if cast.game.seats > 1 else ({one.name: one, **others}, {})
    where = rollouts.places("suite", [options.suite] if options.suite else [], options.split, cast)
    if options.suite is None:
        refuse(options, ("split",), "given, but there is no suite=NAME")
    add = rows_adder(options, who)
    found: list[rollouts.QuantityFigures] = []
    try:
        for driver, figures in rollouts.measure_drivers(who, rivals, where, options.count, options.seed, arguments.say):
            found += figures
            add(driver, figures)
        for figures in outside():
            found += figures
            add(one.name, figures)
    finally:  # what was measured is kept
        if found:
            about = {"rollouts": options.count, "seed": options.seed, "suite": options.suite, "split": options.split}
            try:
                if output is not None:
                    files.write_json(output, {**about, "results": rollouts.as_json(found)})
            finally:
                print(rollouts.text(found))
    if output is not None:
        print(f"saved: {output}")


def beside(
    options: Options, cast: "Cast", loaded: "Loaded | None"
) -> "tuple[Sequence[str], Callable[[], Iterable[list[QuantityFigures]]]]":
    """Return whom the driver meets, and what measures it in the original of its simulation, if that is asked for.

    Raises:
        UsageError: there is no such original, it is not installed, or it does not know somebody.
    """
    if options.engine is None:
        return options.against, tuple
    from jaxgp.export.export import Written
    from jaxgp.measure.simulations import originals

    original = originals.find(cast, options.engine)
    original.check("against", options.against)
    if options.suite is not None:
        reject("suite", options.suite, f"null; {original.called} has no suites")
    if loaded is None:
        original.check("player", [str(options.player)])
    driver = str(options.player) if loaded is None else (cast.options, Written(cast.language, loaded.genome))
    cache = None if options.compilation_cache is None else Path(options.compilation_cache).expanduser()
    rivals = options.against or list(original.rivals)
    name = str(options.player) if loaded is None else loaded.name
    args = original, cast, name, driver, rivals, options.count, options.seed, cache, arguments.say
    return rivals, partial(originals.measure, *args)


def rows_adder(options: Options, who: "dict[str, Measured]") -> "Callable[[str, Sequence[QuantityFigures]], None]":
    """Return what adds the rows of a driver to the table, if there is one.

    Rows that cannot be written are printed, and the others drive on.

    Raises:
        UsageError: rows cannot be added to the table.
    """
    if options.table is None:
        return lambda name, figures: None
    from jaxgp.measure import games
    from jaxgp.measure.simulations import table

    kept = table.table(files.user_path("table", options.table))
    kept.check("table")
    command = arguments.command("scripts/evaluate.py", options)
    about = {name: games.circumstances(one, command, options.seed) for name, one in who.items()}

    def add(name: str, figures: "Sequence[QuantityFigures]") -> None:
        kept.keep([table.row(who[name], one, about[name]) for one in figures], arguments.say)

    return add


# Problems


def measure_prover(options: Options, loaded: "Loaded", output: Path) -> None:
    """Let a champion search the problems of suites, beside the reference search."""
    refuse(options, (*OF_SEARCHES, *OF_SIMULATIONS, "instances", "program"), "of other games; leave it out")
    refuse(options, ("panel", "against", "table"), f"{loaded.cast.game.name} is no game for two; leave it out")
    from jaxgp.measure.proving import table

    rows = table.measure(loaded, options.suite, options.limit, options.split)
    try:
        files.write_json(output, {"results": rows})
    finally:  # also where there is no room for the file
        print(table.text(rows))
    print(f"saved: {output}")


# Games for one


def measure_alone(options: Options, loaded: "Loaded", output: Path) -> None:
    """Measure the champion of a game for one: its game beside random play and, if asked for, a nested search."""
    check_alone(options, loaded.cast.game.name)
    from jaxgp.measure import alone, nested

    save = targets(options, output)
    plan = nested.NestedPlan(options.compare, options.iterations, options.searches, options.seed, options.group)
    folder = output.with_name(f"{output.stem}_search")
    if options.resume is None and nested.is_cut_off(folder):
        raise UsageError(f"{folder}: holds a search that was cut off; go on with it by resume=auto, or remove it")
    figures = alone.measure(loaded, options.count, options.seed)
    if options.compare:
        figures |= nested.search(loaded.cast, plan, arguments.say, folder, save, loaded.genome)
    try:
        files.write_json(output, {"seed": options.seed, "results": figures})
    finally:  # also where there is no room for the file
        print(alone.text(figures))
    print(f"saved: {output}")


def check_alone(options: Options, game: str) -> None:
    """Refuse options of games for two, and what takes too long; raises UsageError."""
    refuse(options, ("panel", "against", "table"), f"{game} is a game for one; leave it out")
    refuse(options, OF_ENGINES, f"of games against engines outside; {game} is a game for one, leave it out")
    if options.group * options.iterations**options.compare > MOST_PLAYOUTS:
        most = f"group * iterations ** compare up to {MOST_PLAYOUTS}"
        reject("iterations", options.iterations, f"{most}; with compare={options.compare} it is more")
    if options.count < 2:
        reject("games", options.count, f"a whole number from 2 to {MAX_GAMES}; {game} is a game for one")


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


def measure_against(options: Options, cast: "Cast", loaded: "Loaded | None", output: Path | None) -> None:
    """Measure the champion of a game for two, or if there is none a member of the panel, against the panel.

    The figures of the opponents that were met are saved, also if the games against another one fail or are stopped.
    """
    refuse(options, OF_SEARCHES, f"of searches in a game for one; {cast.game.name} is for two, leave it out")
    from jaxgp.measure import evaluation, games, panels
    from jaxgp.players.searches import explain_unsearched

    if options.compare and (why := explain_unsearched(cast.spec, cast.game)):
        reject("compare", options.compare, "0", why)
    panel, player, about = read_panel(options, cast)
    measured = loaded or panels.take_member(cast, str(options.player), player)
    add = adder(options, measured, panel)
    said = ""
    if loaded is not None and output is not None:
        earlier = games.table(files.user_path("table", options.table)).rows() if options.table else ()
        known = games.list_met_seeds(loaded, output, earlier)
        about["met"], said = known._asdict(), known.text(options.seed)
    report: dict[str, list[Result]] = {}
    failure: BaseException | None = None
    played = evaluation.measure_player(
        measured, panel, options.count, options.compare, options.seed, arguments.say, terms(options)
    )
    begin = time.perf_counter()
    try:
        for name, results in played:
            report.setdefault(name, []).extend(results)
            add(name, results, time.perf_counter() - begin)
            begin = time.perf_counter()
    except (Exception, KeyboardInterrupt) as error:
        if not report:
            raise
        failure, about["failed"] = error, one_line(error) or "stopped"
    try:
        if output is not None:
            evaluation.save(report, output, panel=options.panel, seed=options.seed, **about)
    finally:  # also where there is no room for the file
        print(evaluation.table_text(report))
    if said:
        print(said)
    if output is not None:
        print(f"saved: {output}")
    if failure is not None:
        raise failure


def adder(
    options: Options, measured: "Loaded | MeasuredPlayer", panel: "dict[str, OpponentOptions]"
) -> "Callable[[str, Sequence[Result], float], None]":
    """Return what adds a row for the results against one opponent to the table, if there is one.

    A row that cannot be written is printed, and the games against the others go on.

    Raises:
        UsageError: rows cannot be added to the table.
    """
    if options.table is None:
        return lambda name, results, seconds: None
    from jaxgp.measure import evaluation, games, panels

    table = games.table(files.user_path("table", options.table))
    table.check("table")
    about = games.circumstances(measured, arguments.command("scripts/evaluate.py", options), options.seed)

    def add(name: str, results: "Sequence[Result]", seconds: float) -> None:
        rival = panels.text(evaluation.searching(options.compare), measured.cast) if options.compare else ""
        player = measured.text if name == measured.name else rival
        row = games.row(player, panels.text(panel[results[0].opponent], measured.cast), results, seconds, about)
        table.keep([row], arguments.say)

    return add


def terms(options: Options) -> "EngineTerms":
    """Return how games against engines outside are played."""
    from jaxgp.measure.external import EngineTerms

    return EngineTerms(options.games or ENGINE_GAMES, options.opening_plies, options.seed)


def read_panel(
    options: Options, cast: "Cast"
) -> "tuple[dict[str, OpponentOptions], OpponentOptions, dict[str, object]]":
    """Read the panel.

    Returns:
        Its members that are met and can play; the member that `player` names, or else any; and what the file of figures
        says about the panel.

    Raises:
        UsageError: a wrong panel, options of engines for a panel without any, or no member can play.
    """
    from jaxgp.measure import external, panels

    file = PANELS / f"{options.panel}.yaml"
    whole, unfit = panels.fitting(panels.read_panel(file), cast)
    panels.check_panel(whole, cast, file)
    asked = [] if options.player is None else [options.player]
    player = next(iter(panels.choose_members(whole, asked, "player").values()), None)
    panel = panels.choose_members(whole, options.against, "against")
    if all(spec.trains for spec in panel.values()):
        refuse(options, OF_ENGINES, f"given, but nobody in panel={options.panel} is of the kind engine")
    here, missing = external.reachable(panel, cast)
    skipped = unfit | missing
    if not here or player is None:
        raise UsageError(f"panel={options.panel}: nobody is there to play; " + "; ".join(skipped.values()))
    for name, why in skipped.items():
        arguments.say(f"Skipping {name}: {why}")
    about: dict[str, Any] = {"skipped": skipped} if skipped else {}
    if options.player is not None:
        about["player"] = options.player
    if options.depth is not None:
        about["depth"] = options.depth
    if not all(spec.trains for spec in here.values()):
        about["opening_plies"] = options.opening_plies
    return here, player, about


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__, about=about))
