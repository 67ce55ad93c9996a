"""Carry out factorial designs and comparisons of runs, or dissect a champion, and write tables and a report.

python scripts/analyse.py analysis=design design=morpion_study              a factorial design: its runs, model, optimum
python scripts/analyse.py analysis=design base=[game=mancala] factors.algorithm.population=[64,256] replicates=5
python scripts/analyse.py analysis=tuned study=FOLDER                       its groups at their optima, 50 runs each
python scripts/analyse.py analysis=comparison a=FOLDER b=FOLDER             two groups of runs that were made before
python scripts/analyse.py analysis=sweep sweep=FOLDER                       the runs of a sweep, also while it goes on
python scripts/analyse.py analysis=curves runs=[FOLDER] targets=[48]        learning curves, expected running times
python scripts/analyse.py analysis=program run=DIR                          a champion: its introns, a simpler program
python scripts/analyse.py analysis=emergence run=DIR                        where its strength sits: its terminals
python scripts/analyse.py analysis=searches run=DIR suite=JAM               a puzzle's champion: nodes, its rules
python scripts/analyse.py analysis=portfolio runs=[DIR,DIR] suite=1-100     champions of a puzzle, one after the other
python scripts/analyse.py analysis=schedule runs=[DIR,DIR] suite=1-100      in which order, and with which limits

Each analysis has options of its own: analysis=NAME --help.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import envs
from jaxgp.anatomy.options import (
    ANATOMY,
    SEARCHES,
    AnatomyOptions,
    PortfolioOptions,
    ScheduleOptions,
    SearchesOptions,
    SeveralOptions,
)
from jaxgp.config import arguments
from jaxgp.config.games import resolve_game
from jaxgp.errors import RunError, UsageError, reason, require
from jaxgp.files import make_directory, user_path
from jaxgp.printable import printable
from jaxgp.study import study_options
from jaxgp.study.emergence.options import EMERGENCE, EmergenceOptions

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.puzzles.portfolio import Searcher
    from jaxgp.spec import Instances
    from jaxgp.study.designs.planning import DesignPlan
    from jaxgp.study.emergence.altered import Alterable
    from jaxgp.study.emergence.strength import StrengthMeasure

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
PORTFOLIO, MISSED, SCHEDULE = "portfolio.json", "missed.txt", "schedule.json"


def design(options: study_options.DesignOptions) -> int:
    """Carry out a factorial design, or gather its runs, and fit its models."""
    from jaxgp.study.designs import planning

    return carry_out(planning.plan_design(options, CONFIG_DIR, envs), options)


def run_tuned(options: study_options.TunedOptions) -> int:
    """Run the groups of a design at their optima and compare them."""
    from jaxgp.study.designs import planning

    return carry_out(planning.plan_tuned(options, CONFIG_DIR, envs), options)


def carry_out(plan: "DesignPlan", options: study_options.DesignOptions | study_options.TunedOptions) -> int:
    """Run what was planned, and print the results."""
    from jaxgp.study import study

    make_directory(plan.output, "output")
    lines, code = study.carry_out(plan, options, arguments.say)
    print(printable("\n".join(lines)))
    return code


def comparison(options: study_options.ComparisonOptions) -> int:
    """Compare two groups of runs."""
    from jaxgp.study import study
    from jaxgp.study.designs import planning

    groups = study.load_groups(options)
    folder = make_directory(planning.where(options), "output")
    print(printable("\n".join(study.conclude_comparison(options, groups, folder))))
    return 0


def sweep(options: study_options.SweepOptions) -> int:
    """Report the runs of a sweep."""
    if options.sweep is None:
        raise UsageError("sweep: which one? Write sweep=FOLDER, the folder of a sweep")
    from jaxgp.study import sweep as sweeps

    found = sweeps.load("sweep", user_path("sweep", options.sweep))
    made, lines = sweeps.report(found, options.measure, options.seed)
    folder = make_directory(user_path("output", options.output), "output") if options.output else found.folder
    with writing(folder):
        sweeps.save(found, folder, made)
    tell(lines, folder)
    return 0


def curves(options: study_options.CurvesOptions) -> int:
    """Show the curves of groups of runs, and the evaluations that they need for targets."""
    from jaxgp.errors import reject
    from jaxgp.study import curves as learning
    from jaxgp.study import results

    found = [run for folder in options.runs for run in results.run_directories(user_path("runs", folder))]
    if options.runs and not found:
        reject("runs", ", ".join(options.runs), "folders with run directories in them, which have a config.yaml")
    path = user_path("table", options.table) if options.table else None
    folder = make_directory(user_path("output", options.output), "output")
    with writing(folder):
        cells = [row for run in found for row in learning.rows(run)] if path is None else learning.add(path, found)
        groups = learning.groups(cells, options.measure)
        for title in options.titles:
            if title not in groups:
                reject("titles", title, ", ".join(groups))
        groups = {title: some for title, some in groups.items() if not options.titles or title in options.titles}
        if not groups:
            raise UsageError("runs: none of them has come to the end of a generation")
        made, means, times = learning.report(groups, options.measure, options.targets, options.seed)
        game = str(cells[0]["game"])
        ioh = list(learning.for_ioh(groups, game, options.measure))
        learning.save(folder, made, {"curves": means, "expected": times, "ioh": ioh})
    tell(study_report_lines(times), folder)
    return 0


def study_report_lines(times: "Sequence[dict[str, object]]") -> list[str]:
    """Return a line for each expected running time."""
    return [
        f"{one['title']}: {one['successes']} of {one['runs']} runs come to {one['target']:g}; expected evaluations "
        + (
            f"{one['expected evaluations']:,.0f} (95 % {one['low']:,.0f} to {one['high']:,.0f})"
            if one["successes"]
            else f"not known: none within {one['spent']:,} of all runs together"
        )
        for one in times
    ]


def champion(options: AnatomyOptions | SearchesOptions | EmergenceOptions) -> "Loaded":
    """Get ready to compute, and load the champion that the options name; raises UsageError."""
    if options.run is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    from jaxgp.measure import champions

    get_ready(options)
    found, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    return champions.load(options.run, found, asked=wanted)


def get_ready(options: AnatomyOptions | SearchesOptions | SeveralOptions | EmergenceOptions) -> None:
    """Share the searches among the cores, and keep what is compiled, as the options say."""
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)


def folder_of(options: AnatomyOptions | SearchesOptions | EmergenceOptions, loaded: "Loaded", name: str) -> Path:
    """Make the directory for results, by default `name` beside the champion; raises UsageError."""
    chosen = user_path("output", options.output) if options.output else loaded.path.parent / name
    return make_directory(chosen, "output")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Name the directory where a file cannot be written: an OSError becomes a RunError."""
    try:
        yield
    except OSError as error:
        raise RunError(f"output={folder}: {reason(error)}") from error


def tell(lines: Sequence[str], folder: Path) -> None:
    """Print the results, and where they are."""
    print(printable("\n".join([*lines, "", f"Written to {folder}"])))


def program(options: AnatomyOptions) -> int:
    """Find the introns of a champion that is a program, and a simpler program that decides equally."""
    loaded = champion(options)
    from jaxgp.anatomy import anatomy_report, dissect
    from jaxgp.measure import champions

    dissect.check(loaded, options.positions)
    if options.depth is not None:
        loaded = champions.at_depth(loaded, options.depth)
    folder = folder_of(options, loaded, ANATOMY)
    with writing(folder):
        made = dissect.dissect(loaded, options.positions, options.seed, lambda part: anatomy_report.save(folder, part))
        anatomy_report.save(folder, made)
    tell(anatomy_report.lines(made), folder)
    return 0


def searches(options: SearchesOptions) -> int:
    """Compare the searches of a puzzle's champion with the reference search, and find out when its rules fire."""
    loaded = champion(options)
    from jaxgp.anatomy import searches
    from jaxgp.measure.puzzles import solving

    limit = searches.check(loaded).limit if options.limit is None else options.limit
    solving.check_instance(options.game, loaded.cast)
    some = solving.join_suites(solving.suites_of(loaded.cast, options.suite, options.split))
    folder = folder_of(options, loaded, SEARCHES)
    made = searches.searches(loaded, some, limit, arguments.say, options.left_out)
    with writing(folder):
        searches.save(folder, made)
    tell(searches.lines(made), folder)
    return 0


def several(options: SeveralOptions) -> "tuple[list[tuple[str, Loaded]], Instances, Searcher]":
    """Get ready to compute; return champions with their names, the instances that they search, and what searches."""
    from jaxgp.measure import champions
    from jaxgp.measure.puzzles import instances, solving
    from jaxgp.measure.puzzles import portfolio as portfolios

    get_ready(options)
    found, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    named = [(run, champions.load(run, found, "runs", wanted)) for run in options.runs]
    portfolios.check_alike(named)
    own = named[0][1].cast
    solving.check_instance(options.game, own)
    some = solving.join_suites(solving.suites_of(own, options.suite, options.split))
    path = user_path("instances", options.instances) if options.instances else None
    book = instances.Book(path, say=arguments.say)
    searching = [one for _, one in named]
    suite = options.suite or "all suites"
    return named, some, portfolios.make_searcher(searching, suite, some, options.batch, book, arguments.say)


def portfolio(options: PortfolioOptions) -> int:
    """Let champions of a puzzle search one after the other, each what those before it did not solve."""
    from jaxgp import files
    from jaxgp.measure.puzzles import portfolio as portfolios
    from jaxgp.measure.puzzles import solving

    named, some, search = several(options)
    folder = make_directory(user_path("output", options.output), "output")
    plan = portfolios.stages(named, options.limits, options.in_turn)
    made, tried = portfolios.search_in_stages(plan, search, len(some.names))
    figures = solving.figures(some.names, made, None)
    with writing(folder):
        files.write_json(folder / PORTFOLIO, portfolios.as_json(figures, tried))
        files.write_text(folder / MISSED, "".join(f"{name}\n" for name in portfolios.list_missed(figures)))
    tell(list(portfolios.lines(figures, tried)), folder)
    return 0


def schedule(options: ScheduleOptions) -> int:
    """Find the order and the limits of champions of a puzzle by which instances cost least on average."""
    from jaxgp import files
    from jaxgp.measure.puzzles import portfolio as portfolios
    from jaxgp.measure.puzzles import schedule as schedules

    named, some, search = several(options)
    folder = make_directory(user_path("output", options.output), "output")
    plan = portfolios.stages(named, options.limits)
    alone = portfolios.search_alone(plan, search, len(some.names))
    made = schedules.find_schedule(plan, alone, options.cost, options.missed, options.stages)
    with writing(folder):
        files.write_json(folder / SCHEDULE, asdict(made))
    tell(list(schedules.lines(made)), folder)
    return 0


def emergence(options: EmergenceOptions) -> int:
    """Measure where the strength of a champion sits, part by part."""
    loaded = champion(options)
    from jaxgp.contracts import Solver
    from jaxgp.errors import reject
    from jaxgp.measure import champions
    from jaxgp.study.emergence import emergence as parts
    from jaxgp.study.emergence import page

    found, _ = resolve_game(options.game, envs, CONFIG_DIR)
    others = [champions.load(run, found, "others") for run in options.others]
    for one in others:
        if one.cast.language != loaded.cast.language:
            reject("others", one.path, "champions of the language of the first one")
    if options.depth is not None:
        loaded = champions.at_depth(loaded, options.depth)
    measuring = by_searches if isinstance(loaded.cast.actor, Solver) else by_games
    altered, by = measuring(options, loaded)
    folder = folder_of(options, loaded, EMERGENCE)
    with writing(folder):
        study = parts.Study(options, loaded, others, altered, by, found, folder, arguments.say)
        lines: Sequence[str] = []
        for made in parts.carry_out(study):
            page.save(folder, made)
            lines = page.lines(made)
    tell(lines, folder)
    return 0


def by_searches(options: EmergenceOptions, loaded: "Loaded") -> "tuple[Alterable, list[StrengthMeasure]]":
    """Return how terminals of a puzzle's champion are turned off, and the instances that measure it."""
    from jaxgp.measure.puzzles import solving
    from jaxgp.study.emergence import searched

    solver = searched.check(loaded, options.parts)
    limit = solver.limit if options.limit is None else options.limit
    solving.check_instance(options.game, loaded.cast)
    some = solving.join_suites(solving.suites_of(loaded.cast, options.suite, options.split))
    altered = searched.alter_search(loaded, some, limit, options.seed)
    called = f"{options.suite or 'all suites'} ({options.split})"
    return altered, [searched.measure_searches(loaded, altered.actor, called, some, limit)]


def by_games(options: EmergenceOptions, loaded: "Loaded") -> "tuple[Alterable, list[StrengthMeasure]]":
    """Return how terminals of a champion of a game for two are turned off, and the opponents that measure it."""
    from jaxgp.anatomy import dissect
    from jaxgp.errors import reject
    from jaxgp.measure import external, panels
    from jaxgp.study.emergence import altered, strength

    dissect.check(loaded, options.positions)
    file = CONFIG_DIR / "panel" / f"{options.panel}.yaml"
    if not file.is_file():
        reject("panel", options.panel, ", ".join(sorted(path.stem for path in file.parent.glob("*.yaml"))))
    panel = panels.choose_members(panels.read_panel(file), options.against, "against")
    panel, unfit = panels.fitting(panel, loaded.cast)
    panels.check_panel(panel, loaded.cast, file)
    panel, missing = external.reachable(panel, loaded.cast)
    for name, why in (unfit | missing).items():
        arguments.say(f"Skipping {name}: {why}")
    if not panel and not (options.decisions and strength.teaches(loaded.cast)):
        raise UsageError(f"panel={options.panel}: nobody is there to play; " + "; ".join((unfit | missing).values()))
    changed = altered.alter(loaded.cast, loaded.genome, options.seed)
    terms = strength.ScoringTerms(options.games, options.opening_plies, options.decisions, options.seed)
    return changed, strength.measures(loaded.cast, changed.actor, panel, terms)


class Analysis(NamedTuple):
    """Options of an analysis, the function that carries it out, and packages of the extra `study` that it needs."""

    schema: type
    task: Callable[[Any], int]
    packages: tuple[str, ...] = ()


ANALYSES = {
    "design": Analysis(study_options.DesignOptions, design, study_options.STUDY),
    "tuned": Analysis(study_options.TunedOptions, run_tuned, study_options.STUDY),
    "comparison": Analysis(study_options.ComparisonOptions, comparison, study_options.STUDY),
    "sweep": Analysis(study_options.SweepOptions, sweep, study_options.STUDY),
    "curves": Analysis(study_options.CurvesOptions, curves, study_options.STUDY),
    "program": Analysis(AnatomyOptions, program),
    "emergence": Analysis(EmergenceOptions, emergence, study_options.STUDY),
    "searches": Analysis(SearchesOptions, searches),
    "portfolio": Analysis(PortfolioOptions, portfolio),
    "schedule": Analysis(ScheduleOptions, schedule),
}


def main(words: Sequence[str]) -> int:
    """Run the analysis that the options name; the options of `design` refuse an unknown name."""
    named = [word.partition("=")[2] for word in words if word.startswith("analysis=")]
    name = named[0] if named and named[0] in ANALYSES else "design"
    chosen = ANALYSES[name]

    def task(options: Any) -> int:
        require(f"analysis={name}", chosen.packages, "study")
        return chosen.task(options)

    return arguments.main(chosen.schema, task, __doc__, words)


if __name__ == "__main__":
    terminal.leave(main(sys.argv[1:]))
