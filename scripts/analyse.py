"""Measure something about a game, or about many runs, and write tables, pictures and a report.

python scripts/analyse.py analysis=walls_scaling                            time of games of Walls, by board size
python scripts/analyse.py analysis=walls_scaling sizes=[3,5,7] depths=[2]   a smaller one
python scripts/analyse.py analysis=design design=morpion_study              a factorial design: its runs, model, optimum
python scripts/analyse.py analysis=design base=[game=mancala] factors.algorithm.population=[64,256] replicates=5
python scripts/analyse.py analysis=tuned study=FOLDER                       its groups at their optima, 50 runs each
python scripts/analyse.py analysis=comparison a=FOLDER b=FOLDER             two groups of runs that were made before

Each analysis has options of its own: analysis=NAME --help.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import envs
from jaxgp.config import arguments
from jaxgp.config.arguments import option
from jaxgp.errors import RunError, reason, reject
from jaxgp.files import make_directory
from jaxgp.options import MAX_SEED
from jaxgp.study import study_options

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
NAMES = ("walls_scaling", "design", "tuned", "comparison")


@dataclass
class ScalingOptions:
    """What is measured, how thoroughly, and where the results go."""

    analysis: str = option("walls_scaling", "what to do", NAMES)
    sizes: list[int] = option([3, 5, 7, 9, 11], "sides of the boards, odd numbers; formulae need three")  # noqa: RUF009
    masks: list[int] = option([3, 5], "M of random rule lists; each on the boards that it fits")  # noqa: RUF009
    rules: list[int] = option([5, 50], "R, rules of random rule lists")  # noqa: RUF009
    depths: list[int] = option([2, 4, 6], "plies of tree searches")  # noqa: RUF009
    opponent: str = option("fixed", "who the players meet", ("fixed", "forward", "random"))
    games: int = option(4, "games in each measurement, seats in turn")
    repeats: int = option(5, "measurements of each player and size")
    batches: list[int] = option([1, 10, 100, 1000, 10000], "games at once, for the fixed strategy; [] for none")  # noqa: RUF009
    batch_size: int = option(5, "side of the board for games at once")
    seed: int = option(0, "of random moves and random rule lists")
    output: str | None = option(None, "directory for results; null: outputs/analysis/ANALYSIS")


def check(options: ScalingOptions) -> None:
    """Refuse numbers that cannot be; raises UsageError."""
    for size in [*options.sizes, options.batch_size]:
        if size % 2 == 0 or not 3 <= size <= 99:
            reject("sizes" if size in options.sizes else "batch_size", size, "odd numbers from 3 to 99")
    largest = max(options.sizes, default=0)
    if not largest:
        reject("sizes", options.sizes, "at least one odd number from 3 to 99")
    for mask in options.masks:
        if mask % 2 == 0 or not 3 <= mask <= largest:
            reject("masks", mask, f"odd numbers from 3 to {largest}, the largest of sizes")
    limits = (
        ("rules", options.rules, 0, 1000),
        ("depths", options.depths, 1, 24),
        ("games", [options.games], 1, 10_000),
        ("repeats", [options.repeats], 1, 1000),
        ("batches", options.batches, 1, 10**6),
        ("seed", [options.seed], 0, MAX_SEED),
    )
    for name, values, low, high in limits:
        for value in values:
            if not low <= value <= high:
                reject(name, value, f"whole numbers from {low} to {high}")
    for name in ("sizes", "masks", "rules", "depths", "batches"):
        if len(set(getattr(options, name))) < len(getattr(options, name)):
            reject(name, getattr(options, name), "each number once")


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def walls_scaling(options: ScalingOptions) -> int:
    """Time whole games of Walls by board size, for every kind of player."""
    check(options)
    folder = make_directory(Path(options.output or "outputs/analysis/walls_scaling").expanduser(), "output")
    import jax

    jax.config.update("jax_platforms", "cpu")  # one game at a time: a GPU would only add latency
    from envs.walls import scaling as players
    from jaxgp.measure import scaling, scaling_report

    before = scaling_report.machine()
    kinds = (options.masks, options.rules, options.depths, options.games, options.seed)
    cases = [
        scaling.Case(game, game.size, mover, rival)
        for game in (envs.make("walls", size=size) for size in sorted(options.sizes))
        for rival in (players.opponent(game, options.opponent),)
        for mover in players.movers(game, *kinds)
    ]
    found = scaling.measure(cases, options.games, options.repeats, options.seed, say)
    batches: dict[int, tuple[float, ...]] = {}
    if options.batches:
        game = envs.make("walls", size=options.batch_size)
        rival = players.opponent(game, options.opponent)
        case = scaling.Case(game, game.size, players.fixed(game, "fixed"), rival)
        batches = scaling.measure_batches(case, sorted(options.batches), options.repeats, options.seed, say)
    about = {"options": asdict(options), "machine": before, "load_after": scaling_report.machine()["load"]}
    against = "random moves" if options.opponent == "random" else f"the strategy {options.opponent}"
    title = f"Walls: time of a whole game against {against}"
    try:
        scaling_report.save(folder, found, batches, about, title)
    except OSError as error:
        raise RunError(f"output={folder}: cannot be written ({reason(error)})") from error
    print("\n".join([*scaling_report.lines(found, batches), "", f"Written to {folder}"]))
    return 0


def design(options: study_options.DesignOptions) -> int:
    """Carry out a factorial design, or gather its runs, and fit its models."""
    from jaxgp.study import planning

    return carry_out(planning.plan_design(options, CONFIG_DIR, envs), options)


def tuned(options: study_options.TunedOptions) -> int:
    """Run the groups of a design at their optima and compare them."""
    from jaxgp.study import planning

    return carry_out(planning.plan_tuned(options, CONFIG_DIR, envs), options)


def carry_out(plan: Any, options: study_options.DesignOptions | study_options.TunedOptions) -> int:
    from jaxgp.study import study

    make_directory(plan.output, "output")
    print("\n".join(study.carry_out(plan, options, envs, say)))
    return 0


def comparison(options: study_options.ComparisonOptions) -> int:
    """Compare two groups of runs."""
    from jaxgp.study import planning, study

    groups = study.load_groups(options)
    print("\n".join(study.conclude_comparison(options, groups, make_directory(planning.where(options), "output"))))
    return 0


class Analysis(NamedTuple):
    """What an analysis is told and what it does."""

    schema: type
    task: Callable[[Any], int]


ANALYSES = dict(
    zip(
        NAMES,
        (
            Analysis(ScalingOptions, walls_scaling),
            Analysis(study_options.DesignOptions, design),
            Analysis(study_options.TunedOptions, tuned),
            Analysis(study_options.ComparisonOptions, comparison),
        ),
        strict=True,
    )
)


def main(words: Sequence[str]) -> int:
    """Run the analysis that the options name; the first one refuses a name that there is not."""
    named = [word.partition("=")[2] for word in words if word.startswith("analysis=")]
    chosen = ANALYSES.get(named[0] if named else NAMES[0], ANALYSES[NAMES[0]])
    return arguments.main(chosen.schema, chosen.task, __doc__, words)


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
