"""Measure something about a game and write tables and a picture.

python scripts/analyse.py analysis=walls_scaling                            time of games of Walls, by board size
python scripts/analyse.py analysis=walls_scaling sizes=[3,5,7] depths=[2]   a smaller one
"""

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import envs
from jaxgp.experiment import arguments
from jaxgp.experiment.arguments import option
from jaxgp.experiment.errors import RunError, UsageError, reason, reject


def numbers(*default: int, says: str) -> Any:
    """Declare a field that is a list of whole numbers."""
    return field(default_factory=lambda: list(default), metadata={"says": says})


@dataclass
class Options:
    """What is measured, how thoroughly, and where the results go."""

    analysis: str = option("walls_scaling", "what to do", ("walls_scaling",))
    sizes: list[int] = numbers(3, 5, 7, 9, 11, says="sides of the boards, odd numbers; formulae need three")  # noqa: RUF009
    masks: list[int] = numbers(3, 5, says="M of random rule lists; each on the boards that it fits")  # noqa: RUF009
    rules: list[int] = numbers(5, 50, says="R, rules of random rule lists")  # noqa: RUF009
    depths: list[int] = numbers(2, 4, 6, says="plies of tree searches")  # noqa: RUF009
    opponent: str = option("fixed", "who the players meet", ("fixed", "forward", "random"))
    games: int = option(4, "games in each measurement, seats in turn")
    repeats: int = option(5, "measurements of each player and size")
    batches: list[int] = numbers(1, 10, 100, 1000, 10000, says="games at once, for the fixed strategy; [] for none")  # noqa: RUF009
    batch_size: int = option(5, "side of the board for games at once")
    seed: int = option(0, "of random moves and random rule lists")
    output: str | None = option(None, "directory for results; null: outputs/analysis/ANALYSIS")


def task(options: Options) -> int:
    """Check, measure, write, show."""
    check(options)
    folder = prepare(Path(options.output or f"outputs/analysis/{options.analysis}").expanduser())
    ANALYSES[options.analysis](options, folder)
    return 0


def check(options: Options) -> None:
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
        ("seed", [options.seed], 0, 2**32 - 1),
    )
    for name, values, low, high in limits:
        for value in values:
            if not low <= value <= high:
                reject(name, value, f"whole numbers from {low} to {high}")
    for name in ("sizes", "masks", "rules", "depths", "batches"):
        if len(set(getattr(options, name))) < len(getattr(options, name)):
            reject(name, getattr(options, name), "each number once")


def prepare(folder: Path) -> Path:
    """Make the directory and see that files can be written there, before hours are spent; raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"output={folder}: cannot be written ({reason(error)})") from error
    return folder


def walls_scaling(options: Options, folder: Path) -> None:
    """Time whole games of Walls by board size, for every kind of player."""
    import jax

    jax.config.update("jax_platforms", "cpu")  # one game at a time: a GPU would only add latency
    from envs.walls import scaling as players
    from jaxgp.analysis import scaling, scaling_report

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

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


ANALYSES: dict[str, Callable[[Options, Path], None]] = {"walls_scaling": walls_scaling}


if __name__ == "__main__":
    try:
        raise SystemExit(arguments.main(Options, task, __doc__))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
