"""Rollouts of simulations: driven, told, and driven again from a file."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject
from jaxgp.host import console
from playing.keeping import kept_files
from playing.options import Options
from playing.setting import check_run, choose_game, only_one, spare

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.host.driving import Driven
    from jaxgp.host.savedrollout import Traced
    from jaxgp.measure.champions import Loaded
    from jaxgp.spec import Hand


def drive(options: Options, cast: "Cast", loaded: "Loaded | None") -> None:
    """Print a rollout of a simulation, and what is measured at its end; write the files that were asked for."""
    from jaxgp.host import driving
    from jaxgp.measure.champions import Loaded
    from jaxgp.measure.simulations import rollouts
    from jaxgp.report.waiting import waiting
    from jaxgp.seats.moves import game_key

    kept_files(options)
    hands = by_seat(options, cast, loaded)
    beside = rollouts.drivers("beside", options.beside, cast, choose_game(options)[0])
    for one in beside.values():
        if isinstance(one, Loaded):
            spare(options, one)
    with waiting("Compiling the rollout"):
        driven = [driving.drive(cast.spec, cast.game, hands, game_key(options.seed))]
        for name, one in beside.items():
            driven.append(driving.drive(cast.spec, cast.game, [(name, rollouts.hand(one))], game_key(options.seed)))
    tell(options, driven)


def by_seat(options: Options, cast: "Cast", loaded: "Loaded | None") -> "list[tuple[str, Hand]]":
    """Return a name and a driver for each seat of a simulation; one alone drives all of them."""
    if cast.game.seats == 1:
        only_one(options, cast.game.name)
    seats = {"player": options.player}
    if options.opponent is not None:
        seats["opponent"] = options.opponent
    elif options.seat != "first":
        raise UsageError("seat: given, but there is no opponent=DRIVER")
    for role, one in seats.items():
        one.check(role, cast)
    check_run(options, seats)
    champion = None if loaded is None else loaded.genome
    named = {role: one.named(cast) for role, one in seats.items()}
    hands = {role: (one.short, one.hand(role, cast, champion)) for role, one in named.items()}
    if len(hands) == 1:
        return [hands["player"]]
    rest = [hands["opponent"]] * (cast.game.seats - 1)
    return [hands["player"], *rest] if options.seat == "first" else [rest[0], hands["player"], *rest[1:]]


def tell(options: Options, driven: "Sequence[Driven | Traced]") -> None:
    """Print rollouts, the first one line by line, and write the files that were asked for."""
    from jaxgp.host import driving, savedgame, savedrollout

    first = driven[0]
    for line in first.lines():
        print(line)
    for one in driven:
        if isinstance(one, driving.Driven):
            for name in one.drivers:
                print(f"{name}: {one.told(name)}")
    whole = () if isinstance(first, driving.Driven) else ((".svg", ".txt"),)
    files = savedgame.targets("save", options.save, *whole) if options.save else []
    savedrollout.write(files, driven)
    pictures = savedgame.targets("picture", options.picture, (".svg",)) if options.picture else []
    for path in pictures:
        savedgame.write_text(path, savedgame.alone(first.spec.drawing.svg(first.game, first.state(-1))) + "\n")
    for path in [*files, *pictures]:
        console.say(f"Written: {path}")


def show_moment(options: Options, driven: "Driven | Traced", step: int) -> None:
    """Print one state of a rollout, and draw it; raises UsageError for a step that it does not have."""
    from jaxgp.host import savedgame

    if step > driven.steps:
        reject("move", step, f"a whole number from 0 to {driven.steps}, the steps of {options.replay}")
    if options.save:
        raise UsageError("save: a step alone is drawn, not saved; write picture=FILE.svg, or leave move out")
    state = driven.state(step)
    print(driven.spec.drawing.text(driven.game, state))
    for path in savedgame.targets("picture", options.picture, (".svg",)) if options.picture else []:
        savedgame.write_text(path, savedgame.alone(driven.spec.drawing.svg(driven.game, state)) + "\n")
        console.say(f"Written: {path}")


def show_rollouts(options: Options, names: Sequence[str]) -> bool:
    """Show saved rollouts, which are driven again, and traces of originals; return False where the first is neither."""
    from jaxgp.host import savedrollout
    from jaxgp.report.waiting import waiting

    shown: list[Driven | Traced] = []
    said = []
    for name in names:
        text = savedrollout.text_of(name)
        if text is None:
            traced = savedrollout.trace(name, *choose_game(options))
            if traced is None and not shown:
                return False
            if traced is None:
                reject("beside", name, "saved rollouts, and with game=NAME traces of its original")
            shown.append(traced)
            continue
        if options.move is None:
            kept_files(options)
        with waiting("Driving again"):
            driven, apart = savedrollout.read(name, text, *choose_game(options))
        shown.append(driven)
        where = "" if len(names) == 1 else f"{name}: "
        if apart is None:
            said.append(f"{where}Driven again, it is what was recorded.")
        else:
            parts = f"{apart.field} is {apart.one}, recorded {apart.other}"
            said.append(f"{where}Driven again, it differs from step {apart.step} on: {parts}.")
    if len({one.spec.name for one in shown}) > 1:
        reject("beside", options.beside, f"rollouts of {shown[0].spec.name}, as {options.replay}")
    if options.move is None:
        tell(options, shown)
    else:
        show_moment(options, shown[0], options.move)
    for line in said:
        print(line)
    return True
