"""Champions of games for two, or members of a panel, against a panel."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluating.options import ENGINE_GAMES, OF_ENGINES, OF_SEARCHES, Options, panel_file, refuse
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.printable import one_line

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.evaluation import Result
    from jaxgp.measure.external import EngineTerms
    from jaxgp.measure.panels import MeasuredPlayer
    from jaxgp.seats.options import OpponentOptions


def measure(options: Options, cast: "Cast", loaded: "Loaded | None", output: Path | None) -> None:
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

    file = panel_file(options.panel)
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
