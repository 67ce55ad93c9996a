"""Measure the champion of a run against a named panel of opponents, from both seats; in a game for one beside chance.

python scripts/evaluate.py run=outputs/DIR panel=standard games=1000
python scripts/evaluate.py run=outputs/DIR panel=othello_gtp games=20    an engine outside, where it is installed
python scripts/evaluate.py run=outputs/DIR panel=othello depth=4        a champion that searches, as deep as this
python scripts/evaluate.py run=outputs/DIR compare=2 iterations=228     for one: a nested search beside it
python scripts/evaluate.py run=outputs/DIR compare=3 save=best resume=auto    a long search; its best game
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.config.arguments import option
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_SEED, check_cores, real, whole

if TYPE_CHECKING:
    from jaxgp.players.options import Opponent
    from jaxgp.spec import Cast

MOST_PLAYOUTS = 10_000_000
MOST_PLIES = 40
AUTO = "auto"
OF_SEARCHES = ("iterations", "searches", "group", "resume", "save")
"""Options of nested searches."""
OF_ENGINES = ("opening_plies", "timeout")
"""Options of games against engines outside."""
PANELS = Path(__file__).parents[1] / "conf" / "panel"


@dataclass
class Options:
    """Who is measured, against whom, how often."""

    run: str | None = option(None, "a run directory with a champion.json, or such a file")
    panel: str = option("standard", f"opponents: {', '.join(sorted(p.stem for p in PANELS.glob('*.yaml')))}")
    games: int = option(
        1000, "games from each seat where chance is involved; also the number of random programs; for one: random games"
    )
    depth: int | None = option(None, "plies of a champion that searches; null: those that it was evolved with")
    compare: int = option(
        0, "also measure a search of this depth against the same random programs; for one: of this level; 0: do not"
    )
    iterations: int = option(
        100, "of each level of the search in a game for one: iterations ** compare playouts, group times"
    )
    searches: int = option(4, "how many such searches run, independent of each other")
    group: int = option(1, "playouts of each policy in such a search, of which the best counts")
    resume: str | None = option(None, "go on with a nested search that was cut off; null: search anew", (AUTO,))
    save: str | None = option(None, "files for the best game of a nested search: NAME, or with .svg, .txt or .json")
    opening_plies: int = option(
        6, "random moves at the beginning of games against engines outside (kind: gtp), that no two be alike"
    )
    timeout: float = option(120.0, "seconds that such an engine may take for a move")
    seed: int = option(0, "of the games and of the random programs")
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8")
    compilation_cache: str | None = option("~/.cache/jaxgp", "where compiled programs are kept; null: nowhere")
    output: str | None = option(None, "file for the figures; null: evaluation.json beside the champion")


def task(options: Options) -> int:
    """Check, play, print, save."""
    if options.run is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    file = PANELS / f"{options.panel}.yaml"
    if not file.is_file():
        reject("panel", options.panel, ", ".join(sorted(p.stem for p in PANELS.glob("*.yaml"))))
    whole("games", options.games, 1, 100_000)
    check_cores(options.cores)
    whole("compare", options.compare, 0, 20)
    for name in OF_SEARCHES:
        if getattr(options, name) != getattr(Options(), name) and not options.compare:
            raise UsageError(f"{name}: given, but there is no compare=LEVEL")
    for name in ("iterations", "searches", "group"):
        whole(name, getattr(options, name), 1, 1000)
    whole("opening_plies", options.opening_plies, 0, MOST_PLIES)
    real("timeout", options.timeout, 0, above=True, unit="seconds")
    whole("seed", options.seed, 0, MAX_SEED)
    from jaxgp.host import savedgame
    from jaxgp.measure import alone, champions, evaluation, external, nested
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)
    loaded = champions.load(options.run, envs)
    if options.depth is not None:
        loaded = champions.at_depth(loaded, options.depth)
    output = Path(options.output).expanduser() if options.output else loaded.path.parent / "evaluation.json"
    evaluation.check_writable(output)
    if loaded.cast.game.seats == 1:
        only_one(options, loaded.cast.game.name)
        save = savedgame.targets("save", options.save) if options.save else []
        if output.resolve() in [path.resolve() for path in save]:
            reject("save", options.save, f"another name, since the figures go to {output}")
        plan = nested.Plan(options.compare, options.iterations, options.searches, options.seed, options.group)
        folder = output.with_name(f"{output.stem}_search")
        if options.resume is None and nested.cut_off(folder):
            raise UsageError(f"{folder}: holds a search that was cut off; go on with it by resume=auto, or remove it")
        figures = alone.measure(loaded, options.games, options.seed)
        if options.compare:
            figures |= nested.search(loaded.cast, plan, say, folder, save, loaded.genome)
        print(alone.text(figures))
        files.write_json(output, {"seed": options.seed, "results": figures})
        print(f"saved: {output}")
        return 0
    for name in OF_SEARCHES:
        if getattr(options, name) != getattr(Options(), name):
            raise UsageError(f"{name}: of searches in a game for one; {loaded.cast.game.name} is for two, leave it out")
    members = evaluation.read_panel(file)
    evaluation.check_panel(members, loaded.cast, file)
    panel, skipped = present(options, members, loaded.cast)
    terms = external.Terms(options.games, options.opening_plies, options.seed, options.timeout)
    about: dict[str, Any] = {"skipped": skipped} if skipped else {}
    failure = None
    try:
        report = evaluation.measure(loaded, panel, options.games, options.compare, options.seed, say, terms)
    except evaluation.CutShortError as error:
        # Games against those before it are worth having.
        report, failure = error.found, error
        if not any(report.values()):
            raise
        about["failed"] = str(error)
    print(evaluation.table_text(report))
    if options.depth is not None:
        about["depth"] = options.depth
    if any(spec.kind == external.KIND for spec in panel.values()):
        about["opening_plies"] = options.opening_plies
    evaluation.save(report, output, panel=options.panel, seed=options.seed, **about)
    print(f"saved: {output}")
    if failure is not None:
        raise failure
    return 0


def present(
    options: Options, panel: "dict[str, Opponent]", cast: "Cast[Any]"
) -> "tuple[dict[str, Opponent], dict[str, str]]":
    """Leave out, and say so, who of a panel is not installed; return the others, and why those are left out."""
    from jaxgp.measure import external

    if not any(spec.kind == external.KIND for spec in panel.values()):
        for name in OF_ENGINES:
            if getattr(options, name) != getattr(Options(), name):
                raise UsageError(f"{name}: given, but nobody in panel={options.panel} is of the kind {external.KIND}")
    here, skipped = external.reachable(panel, cast)
    if not here:
        raise UsageError(f"panel={options.panel}: nobody is there to play; " + "; ".join(skipped.values()))
    for name, why in skipped.items():
        say(f"Skipping {name}: {why}")
    return here, skipped


def only_one(options: Options, game: str) -> None:
    """Refuse options that make no sense in a game for one."""
    if options.panel != Options().panel:
        raise UsageError(f"panel: {game} is a game for one; leave it out")
    for name in OF_ENGINES:
        if getattr(options, name) != getattr(Options(), name):
            raise UsageError(f"{name}: of games against engines outside; {game} is a game for one, leave it out")
    if options.group * options.iterations**options.compare > MOST_PLAYOUTS:
        most = f"group * iterations ** compare up to {MOST_PLAYOUTS}"
        reject("iterations", options.iterations, f"{most}; with compare={options.compare} it is more")
    if options.games < 2:
        reject("games", options.games, f"a whole number from 2 to 100000; {game} is a game for one")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__))
