"""Champions and strategies of simulations: rollouts, here and in the original."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import envs
from evaluating.options import CONFIG_DIR, OF_ENGINES, OF_SEARCHES, Options, refuse
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.config.games import resolve_game
from jaxgp.errors import reject

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.simulations.rollouts import Measured, QuantityFigures


def measure(options: Options, cast: "Cast", loaded: "Loaded | None", output: Path | None) -> None:
    """Measure the champion of a simulation, or a strategy of it: its quantities in new rollouts.

    The figures of the drivers that have driven are saved, also if another one fails or the rest is stopped.
    """
    name = cast.game.name
    refuse(options, (*OF_SEARCHES, *OF_ENGINES, "compare", "panel", "depth"), f"{name} is a simulation; leave it out")
    from jaxgp.measure import champions
    from jaxgp.measure.simulations import rollouts

    one = loaded or rollouts.take_driver(cast, str(options.player), "player")
    there, outside = beside(options, cast, loaded)
    here = [name for name in there if not options.engine or name in cast.spec.strategies]
    others = rollouts.drivers("against", here, cast, resolve_game(options.game, envs, CONFIG_DIR)[0])
    for other in others.values():
        if output is not None and isinstance(other, champions.Loaded):
            champions.keep_champion(other, "output", output, [output])
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
