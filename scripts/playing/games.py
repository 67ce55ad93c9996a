"""Games at the table: people, champions and other players move in turn."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from jaxgp.errors import RunError, UsageError, reject
from jaxgp.host import console
from playing.keeping import keeper, upto
from playing.options import Options
from playing.setting import check_run, choose_game, choose_opponent, only_one

if TYPE_CHECKING:
    import numpy as np

    from jaxgp.contracts import Position
    from jaxgp.games.casting import Cast
    from jaxgp.host.savedgame import PlayedGame
    from jaxgp.measure.champions import Loaded
    from jaxgp.seats.agents import Agent, Hint

PLACES = ("First", "Second")


def play(options: Options, cast: "Cast", loaded: "Loaded | None", begun: "PlayedGame | None") -> None:
    """Seat the players and play, or play on."""
    from jaxgp.report.waiting import announce, waiting

    if options.teach:
        raise UsageError(f"teach: {cast.game.name} has no problems to be proved; leave it out")
    if options.beside:
        raise UsageError(f"beside: {cast.game.name} is no simulation; leave it out")
    alone = cast.game.seats == 1
    if alone:
        only_one(options, cast.game.name)
    seats = {"player": options.player}
    if not alone:
        seats["opponent"] = choose_opponent(options, cast)
    roles = list(seats) if options.seat == "first" else list(seats)[::-1]
    check_run(options, seats)
    champion = None if loaded is None else loaded.genome
    with ExitStack() as leaving:
        agents = []
        for role in roles:
            with waiting(f"Preparing the {role}"):
                agent = seats[role].agent(role, cast, champion)
            if agent is not None and agent.remark:
                further = [name for name in ("limit", "room") if name in cast.program]
                print(f"{agent.remark}; larger: {', '.join(f'program.{name}' for name in further)}")
            if agent is not None:
                leaving.callback(agent.close)
                thinks = f"{agent.name} thinks"
                # Engines outside compile nothing.
                agent = announce(agent, thinks if seats[role].kind == "engine" else f"Compiling {agent.name}", thinks)
            agents.append(agent)
        sit(options, cast, agents, begun)


def resumed(options: Options) -> "PlayedGame":
    """Return the game that is played on; raises UsageError for one that has ended."""
    from jaxgp.host import savedgame
    from jaxgp.report.waiting import waiting

    with waiting("Compiling the rules"):
        played = upto(options, savedgame.read(str(options.resume), *choose_game(options), option="resume"))
    if bool(played.moves[-1].state.terminated):
        accepted = f"a game that goes on, or move=N with N from 0 to {len(played.moves) - 2}"
        reject("resume", options.resume, accepted, "this one has ended")
    return played


def sit(options: Options, cast: "Cast", agents: "list[Agent | None]", begun: "PlayedGame | None" = None) -> None:
    """Let players (None: a person) play a game, or play one on; what was played is kept, also if a person leaves."""
    from jaxgp.host.human import TerminalGame
    from jaxgp.host.savedgame import PlayedGame
    from jaxgp.report.waiting import waiting
    from jaxgp.seats.gtp import EngineError
    from jaxgp.seats.moves import Stepper, game_key

    names, labels = name_players(agents)
    keep = keeper(options, cast.spec, cast.game)
    stepper = Stepper(cast.game, game_key(options.seed)) if begun is None else begun.stepper
    with waiting("Compiling the rules"):
        stepper.compile()
    board = TerminalGame(
        stepper,
        cast.spec,
        tuple(agent and console.guard_typing(agent) for agent in agents),
        tuple(labels),
        console.ask,
        console.say,
        adviser=advising(options, cast),
        remark=remarking(options, cast),
        record=[] if begun is None else list(begun.moves),
        draw=console.drawer(cast.spec.table.colours),
        width=shutil.get_terminal_size().columns,
    )
    console.refuse_typed()
    try:
        board.play()
    except EngineError as error:
        raise RunError(str(error)) from error
    finally:
        if board.record:
            keep(PlayedGame(board.stepper, cast.spec, tuple(names), board.record))


def name_players(agents: "list[Agent | None]") -> tuple[list[str], list[str]]:
    """Return the names of players (None: a person) in files and on the screen; greet a person who is the only one."""
    from jaxgp.seats.moves import YOU

    alone = len(agents) == 1
    places = ["Player"] if alone else [f"{place} player" for place in PLACES]
    names = [f"{place} ({'person' if a is None else a.name})" for place, a in zip(places, agents, strict=True)]
    if agents.count(None) != 1:
        return names, [place if a is None else name for place, a, name in zip(places, agents, names, strict=True)]
    role = "You play alone" if alone else f"You are the {PLACES[agents.index(None)].lower()} player"
    print(f"{role}. Type help for what you can type.")
    return names, [YOU if a is None else f"Opponent ({a.name})" for a in agents]


def remarking(options: Options, cast: "Cast") -> "Callable[[Position, int], str] | None":
    """Return what says what a person's move did; None where nobody asked; raises UsageError where nobody knows."""
    if not options.hints:
        return None
    remarks = cast.spec.table.remarks
    made = None if remarks is None else remarks(cast.game)
    if made is None:
        reject("hints", True, f"false; nobody knows what moves of {cast.spec.name} do under these rules")
    return made


def advising(options: Options, cast: "Cast") -> "Callable[[], Hint] | None":
    """Return what makes the answers to `hint`: the game's own, a search's or a strategy's; None: it has none."""
    from jaxgp.report.waiting import waiting
    from jaxgp.seats.hints import adviser
    from jaxgp.terminal import interruptible

    make = adviser(cast, getattr(options.opponent, "evaluator", None))
    if make is None:
        return None

    def patient() -> "Hint":
        made = make()

        def hint(state: "Position", bits: "np.uint32") -> tuple[int | None, str]:
            with waiting("Searching for a hint"):
                return interruptible(lambda: made(state, bits))

        return hint

    return patient
