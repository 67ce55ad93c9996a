"""Play a game in the terminal, or let players play and watch; save the game, and see it again.

    python scripts/play.py run=outputs/DIR                                you against the champion of a run
    python scripts/play.py game=mancala opponent=search:8                 you against a search of eight plies
    python scripts/play.py game=walls game.size=5                         you at another game
    python scripts/play.py game=walls opponent=program:FILE               you against a rule list in a file
    python scripts/play.py game=mancala opponent=human game.pits=5        two people, another board
    python scripts/play.py run=outputs/DIR player=search seat=second      a search against the champion
    python scripts/play.py run=outputs/DIR opponent=champion opponent.depth=4     a champion, four plies deep
    python scripts/play.py player=random opponent=program opponent.expression="(VALUE_AT 7)"
    python scripts/play.py game=walls player=strategy opponent=deepening opponent.nodes=5000 save=game
    python scripts/play.py game=othello opponent=engine:"gtp-rhino -l 1"     you against an engine outside
    python scripts/play.py game=chess lesson=KRK                          a lesson: what each of your moves did is said
    python scripts/play.py game=mate problem="FEN" game.moves=3 save=proof   mate in three: the move, and the proof
    python scripts/play.py game=morpion                                   you at a game for one
    python scripts/play.py game=rush_hour game.board=JAM40                a puzzle
    python scripts/play.py run=outputs/DIR player=champion                the game of a champion that plays alone
    python scripts/play.py run=outputs/DIR player=champion beside=[NAME]  the rollout of a simulation, with a strategy
    python scripts/play.py replay=game.json                               the saved game once more
    python scripts/play.py replay=games.pdn#2 game=checkers               the second game of a file in PDN
    python scripts/play.py resume=game.json opponent=search:6             a saved game, played on
    python scripts/play.py game=path/to/folder                            a game outside the project

In the game, type help. Settings of the rules are game.OPTION=VALUE, those of programs program.OPTION=VALUE, those of
players player.OPTION=VALUE and opponent.OPTION=VALUE, for example opponent.ties=random.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import envs
from jaxgp.config import arguments
from jaxgp.config.arguments import option
from jaxgp.errors import RunError, UsageError, reject
from jaxgp.host import console
from jaxgp.options import MAX_COUNT, MAX_SEED, list_options
from jaxgp.seats.options import PlayerOptions, player

if TYPE_CHECKING:
    import numpy as np

    from jaxgp.contracts import Game, Position
    from jaxgp.games.casting import Cast
    from jaxgp.games.outside import Games
    from jaxgp.host.driving import Driven
    from jaxgp.host.savedgame import PlayedGame
    from jaxgp.host.savedrollout import Traced
    from jaxgp.measure.champions import Loaded
    from jaxgp.seats.agents import Agent, Hint
    from jaxgp.spec import Hand, Spec

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
PLACES = ("First", "Second")
DEFAULT_GAME = "mancala"


@dataclass(kw_only=True)
class PlayersOptions:
    """Who plays, and which game."""

    run: str | None = option(
        None,
        "a run directory with a champion.json, such a file, or FILE.jsonl#SEED; sets game and program too",
        path=True,
    )
    game: dict[str, Any] = option(  # noqa: RUF009
        {"name": None},
        "a game, as files below conf/game name them, or its folder; settings of its rules are game.OPTION=VALUE; "
        f"null: the game of run or replay, else {DEFAULT_GAME}",
    )
    program: dict[str, Any] = option({}, "how programs see the board and move, as in the game's file below conf/game")  # noqa: RUF009
    player: PlayerOptions = option(player("human"), "who plays in `seat`")  # noqa: RUF009
    opponent: PlayerOptions | None = option(  # noqa: RUF009
        None, "who plays the other seat; null: champion if there is a run, else search, or random in games of chance"
    )
    seat: str = option("first", "which seat `player` has", ("first", "second"))
    beside: list[str] = option(  # noqa: RUF009
        [],
        "simulations: strategies, runs and champion files that drive from the same start, in the same picture; of a "
        "replay, other files that it shows",
    )


@dataclass(kw_only=True)
class Options(PlayersOptions):
    """The players, the game, and what is kept of it."""

    problem: str | None = option(None, "of a game of problems: the position, in its own words, as game.problem")
    teach: bool = option(False, "of a game of problems: whether you are to solve it; what refutes a try is told")
    limit: int = option(2_000_000, "of a game of problems: nodes of a search", low=1, high=MAX_COUNT)
    seed: int = option(0, "of chance in the game, of random moves and of random ties", low=0, high=MAX_SEED)
    hints: bool = option(False, "whether the game says what each move of a person did, where it knows it")
    lesson: str | None = option(
        None, "an exercise of the game, which you are to win against its best defence, with hints; null: none"
    )
    save: str | None = option(
        None,
        "write what was played to FILE.svg, an animated picture, FILE.txt and FILE.json; with an ending only that one, "
        "or a format of other programs that the page of the game names",
        path=True,
    )
    picture: str | None = option(None, "write a picture of the last position to this SVG file", path=True)
    replay: str | None = option(
        None,
        "a saved FILE, or with game=NAME a FILE in a notation of that game; FILE#N: the N-th game of it: show its "
        "moves, do not play",
        path=True,
    )
    resume: str | None = option(None, "a FILE as for replay: play on from where it ends", path=True)
    move: int | None = option(
        None,
        "of a replay, or of a game to go on from: the last move that counts; of a rollout the one step that is shown; "
        "null: all",
        low=0,
        high=MAX_COUNT,
    )

    renamed: ClassVar[dict[str, str]] = {
        **{
            name: f"opponent.{name}={{0}} or player.{name}={{0}}"
            for name in ("depth", "ties", "evaluator", "nodes", "single", "expression", "command", "timeout")
        },
        "strategy": "opponent=strategy:{0} or player=strategy:{0}",
        "rules": "opponent=program:{0} or player=program:{0}",
    }


OF_PLAYERS = [one.name for one in list_options(PlayersOptions) if one.name not in ("game", "beside")]
"""Options that choose players; a replay refuses them."""


def task(options: Options) -> int:
    """Play or show a game, and write the files that were asked for; leaving a game is no failure."""
    import jax

    jax.config.update("jax_platforms", "cpu")  # one position at a time: a GPU would only add latency
    from jaxgp.host import savedgame

    for name, file in (("save", options.save), ("picture", options.picture)):
        if file:
            savedgame.targets(name, file)
    if options.replay:
        show_again(options)
    else:
        play(options)
    return 0


def keeper(options: Options, spec: "Spec", game: "Game") -> Callable[["PlayedGame"], None]:
    """Return what writes the files that were asked for; raises UsageError where none can be written."""
    from jaxgp.host import savedgame

    formats = spec.notation.formats
    files = savedgame.targets("save", options.save, further=formats) if options.save else []
    for form in (formats[path.suffix] for path in files if path.suffix in formats):
        try:
            form.check(game)
        except ValueError as error:
            raise UsageError(f"save={options.save}: {error}") from error
    pictures = savedgame.targets("picture", options.picture, (".svg",)) if options.picture else []

    def keep(played: "PlayedGame") -> None:
        savedgame.write(files, played)
        for path in pictures:
            savedgame.write_position(path, played)
        for path in [*files, *pictures]:
            console.say(f"Written: {path}")

    return keep


def play(options: Options) -> None:
    """Seat the players and play."""
    from jaxgp.report.waiting import announce, waiting

    if options.move is not None and not options.resume:
        raise UsageError("move: given, but there is no replay=FILE and no resume=FILE")
    if options.lesson is not None:
        options = practise(options, options.lesson)
    begun = resumed(options) if options.resume else None
    cast, loaded = set_up(options, begun)
    if cast.simulated:
        drive(options, cast, loaded)
        return
    if cast.proves:
        prove(options, cast)
        return
    if options.teach:
        raise UsageError(f"teach: {cast.game.name} has no problems to be proved; leave it out")
    if options.beside:
        raise UsageError(f"beside: {cast.game.name} is no simulation; leave it out")
    alone = cast.game.seats == 1
    if alone:
        only_one(options, cast.game.name)
    roles = ("player",) if alone else ("player", "opponent") if options.seat == "first" else ("opponent", "player")
    seats = (
        {"player": options.player} if alone else {"player": options.player, "opponent": choose_opponent(options, cast)}
    )
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


def prove(options: Options, cast: "Cast") -> None:
    """Search a problem, say what was found and how, and write its proof; or let a person solve it."""
    from jaxgp import files
    from jaxgp.host import proving
    from jaxgp.report.waiting import waiting
    from jaxgp.search.proofs import proof

    for name in ("opponent", "resume", "replay", "picture"):
        if getattr(options, name) is not None:
            raise UsageError(f"{name}: {cast.game.name} is a problem, which a search proves; leave it out")
    targets = {}
    if options.save:
        path = files.user_path("save", options.save)
        known = (".json", ".txt", *cast.spec.proving.files)  # type: ignore[union-attr]
        endings = (path.suffix,) if path.suffix else known
        if not set(endings) <= set(known):
            reject("save", options.save, f"FILE, or FILE with one of the endings {', '.join(known)}")
        targets = {ending: path.with_suffix(ending) for ending in endings}
        for target in targets.values():
            files.check_writable("save", target)
    desk = proving.Desk(cast.spec, cast.game, options.limit)
    with waiting("Compiling the search"):
        solved = desk.solve()
    if options.teach:
        proving.teach(cast.spec, desk, console.ask, print)
        return
    print(cast.spec.drawing.text(cast.game, desk.state))
    print("\n".join(proving.report(cast.spec, solved)))
    content = {
        ".json": lambda: proof.write(solved.proof),
        ".txt": lambda: "\n".join(proving.tree(cast.spec, solved.proof, whole=True)) + "\n",
    }
    for ending, target in targets.items():
        made = content.get(ending) or partial(cast.spec.proving.files[ending], solved.proof)  # type: ignore[union-attr]
        files.save_text("save", target, made())
        console.say(f"Written: {target}")


def practise(options: Options, lesson: str) -> Options:
    """Return the options of a lesson; raises UsageError for one that the game does not have."""
    for name in ("run", "opponent", "resume"):
        if getattr(options, name) is not None:
            raise UsageError(f"{name}: a lesson has its own opponent and start; leave one of them out")
    games, game = choose_game(options)
    name = str(game.get("name") or DEFAULT_GAME)
    exercises = games.spec(name).table.exercises
    if lesson not in exercises:
        reject("lesson", lesson, ", ".join(exercises) if exercises else f"null; {name} has no lessons")
    one = exercises[lesson]
    settings = {**game, **one.settings, "name": name}
    return replace(options, game=settings, opponent=player("strategy", name=one.opponent), hints=True)


def remarking(options: Options, cast: "Cast") -> "Callable[[Position, int], str] | None":
    """Return what says what a person's move did; None where nobody asked; raises UsageError where nobody knows."""
    if not options.hints:
        return None
    remarks = cast.spec.table.remarks
    made = None if remarks is None else remarks(cast.game)
    if made is None:
        reject("hints", True, f"false; nobody knows what moves of {cast.spec.name} do under these rules")
    return made


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


def drive(options: Options, cast: "Cast", loaded: "Loaded | None") -> None:
    """Print a rollout of a simulation, and what is measured at its end; write the files that were asked for."""
    from jaxgp.host import driving
    from jaxgp.measure.simulations import rollouts
    from jaxgp.report.waiting import waiting
    from jaxgp.seats.moves import game_key

    hands = by_seat(options, cast, loaded)
    beside = rollouts.drivers("beside", options.beside, cast, choose_game(options)[0])
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


def only_one(options: Options, game: str) -> None:
    """Refuse options of a second player in a game for one."""
    if options.opponent is not None:
        raise UsageError(f"opponent: {game} is a game for one; leave it out")
    if options.seat != "first":
        reject("seat", options.seat, f"first; {game} is a game for one")


def upto(options: Options, played: "PlayedGame") -> "PlayedGame":
    """Return a game up to the last move that counts; raises UsageError for one that it does not have."""
    last = len(played.moves) - 1
    if options.move is None:
        return played
    if not 0 <= options.move <= last:
        reject(
            "move", options.move, f"a whole number from 0 to {last}, the moves of {options.replay or options.resume}"
        )
    return replace(played, moves=played.moves[: options.move + 1])


def show_again(options: Options) -> None:
    """Show a saved game: step by step where a person types, else all of it."""
    from jaxgp.host import savedgame
    from jaxgp.host.viewer import Viewer
    from jaxgp.report.waiting import following

    changed = [name for name in OF_PLAYERS if getattr(options, name) != getattr(Options(), name)]
    if changed:
        raise UsageError(f"{changed[0]}: a replay has no use for it; leave it out where replay is given")
    if options.resume:
        raise UsageError("resume: a replay has no use for it; leave out one of them")
    if show_rollouts(options, [str(options.replay), *options.beside]):
        return
    if options.beside:
        raise UsageError("beside: a game has nothing beside it; leave it out")
    far = ""

    def tell_moves(done: int, of: int) -> None:
        nonlocal far
        far = f": {done} of {of}"

    with following(lambda: f"Playing the moves again{far}"):
        played = upto(options, savedgame.read(str(options.replay), *choose_game(options), tell=tell_moves))
    keep = keeper(options, played.spec, played.game)
    viewer = Viewer(
        played.game, played.spec, played.names, played.moves, console.say, console.drawer(played.spec.table.colours)
    )
    if sys.stdin.isatty():
        console.refuse_typed()
        viewer.walk(console.ask)
    else:
        viewer.run()
    keep(played)


def choose_opponent(options: Options, cast: "Cast") -> PlayerOptions:
    """Return the opponent; the usual one if none is asked for."""
    if options.opponent is not None:
        return options.opponent
    usual = player("champion") if options.run else player("search", ties="random")
    return player("random") if usual.unfit(cast) else usual


def check_run(options: Options, seats: dict[str, PlayerOptions]) -> None:
    """Refuse a champion without a run, and a run whose champion does not play; raises UsageError."""
    kinds = [seat.kind for seat in seats.values()]
    if "champion" in kinds and not options.run:
        raise UsageError(f"{list(seats)[kinds.index('champion')]}=champion: needs run=DIR as well")
    if options.run and "champion" not in kinds:
        alone = "player is not champion; add player=champion"
        nobody = alone if len(kinds) == 1 else "neither player nor opponent is champion"
        raise UsageError(f"run: given, but {nobody}")


def set_up(options: Options, begun: "PlayedGame | None" = None) -> "tuple[Cast, Loaded | None]":
    """Set up the game: that of the run, of the game to go on from, or the one the options name."""
    from jaxgp.config.games import cast_of
    from jaxgp.config.schema import Config
    from jaxgp.contracts import Solver
    from jaxgp.measure import champions

    games, game = choose_game(options)
    if begun is not None:
        from jaxgp.host.savedgame import settings_of

        game = settings_of(begun.game)
    if not options.run:
        return cast_of(Config(game={"name": DEFAULT_GAME} | game, program=options.program), games), None
    loaded = champions.load(options.run, games, asked=game)
    if options.program and not isinstance(loaded.cast.actor, Solver):
        raise UsageError("program: the run has its own; leave it out where run is given")
    loaded = champions.with_program(loaded, options.program) if options.program else loaded
    return loaded.cast, loaded


def choose_game(options: Options) -> "tuple[Games, dict[str, object]]":
    """Return where games come from, and the name and the settings that were asked of the game."""
    from jaxgp.config import games

    game = options.game if options.problem is None else {**options.game, "problem": options.problem}
    return games.resolve_game(game, envs, CONFIG_DIR)


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    from jaxgp.config import help

    return help.of_game(options.game, envs, CONFIG_DIR)


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__, about=about))
