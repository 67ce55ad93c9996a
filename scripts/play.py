"""Play a game in the terminal, or let two players play and watch; save the game, and see it again.

    python scripts/play.py run=outputs/DIR                                you against the champion of a run
    python scripts/play.py game=mancala opponent=minimax depth=8          you against a search
    python scripts/play.py game=walls game.size=5                         you at another game
    python scripts/play.py game=walls opponent=rules rules=FILE           you against a rule list in a file
    python scripts/play.py game=mancala opponent=human game.pits=5        two people, another board
    python scripts/play.py run=outputs/DIR player=minimax seat=second     a search against the champion
    python scripts/play.py player=random opponent=program expression="(VALUE_AT 7)"
    python scripts/play.py game=walls player=strategy opponent=deepening opponent.nodes=5000 save=game
    python scripts/play.py replay=game.json                               the saved game once more

In the game, type help. Settings of the rules are game.OPTION=VALUE, those of programs program.OPTION=VALUE; what only
one of the players is to have is player.OPTION=VALUE or opponent.OPTION=VALUE, for example opponent.depth=4.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import envs
from jaxgp.experiment import arguments
from jaxgp.experiment.arguments import option
from jaxgp.experiment.errors import UsageError, reject
from jaxgp.experiment.seats import DEEPEST, Seat, seated

if TYPE_CHECKING:
    from jaxgp.analysis.champions import Loaded
    from jaxgp.experiment.assemble import Table
    from jaxgp.experiment.savedgame import Played

HINT_DEPTH = 8
PLACES = ("First", "Second")
OF_PLAYERS = ("run", "program", "player", "opponent", "seat", "nodes", "strategy", "rules", "expression", "evaluator")
"""Options that choose players, who do not play in a replay."""


@dataclass
class Options:
    """Who plays what against whom."""

    run: str | None = option(None, "a run directory with a champion.json, or such a file; sets game and program too")
    game: dict[str, Any] = option({"name": "mancala"}, "game, and settings of its rules as game.OPTION=VALUE")  # noqa: RUF009
    program: dict[str, Any] = option({}, "how programs see the board and move, as in the game's file below conf/game")  # noqa: RUF009
    player: Seat = option(Seat("human"), "who plays in `seat`")  # noqa: RUF009
    opponent: Seat = option(Seat(), "who plays the other seat; null: champion if there is a run, else minimax")  # noqa: RUF009
    seat: str = option("first", "which seat `player` has", ("first", "second"))
    depth: int = option(8, f"plies of minimax, most plies of deepening, 1 to {DEEPEST}")
    nodes: int | None = option(None, "positions after which deepening begins no deeper search; null: no limit")
    ties: str = option("random", "among equally good moves a search plays", ("first", "random"))
    evaluator: str | None = option(None, "what searches value positions by; null: the first of the game's evaluators")
    strategy: str | None = option(None, "which of the game's strategies; null: the first")
    rules: str | None = option(None, 'a file with the rule list of player or opponent "rules", a rule on each line')
    expression: str | None = option(None, 'the program of player or opponent "program", as printed in champion.json')
    seed: int = option(0, "of random moves and random ties")
    save: str | None = option(
        None, "write the game to FILE.svg, an animated picture, FILE.txt and FILE.json; with an ending only that one"
    )
    picture: str | None = option(None, "write a picture of the last position to this SVG file")
    replay: str | None = option(None, "a saved FILE.json: show its moves instead of playing")
    move: int | None = option(None, "of a replay: the last move that is shown, saved or pictured; null: all of them")


def task(options: Options) -> int:
    """Play or show a game, and write the files that were asked for; a game that is left is no failure."""
    import jax

    jax.config.update("jax_platforms", "cpu")  # one position at a time: a GPU would only add latency
    from jaxgp.experiment import savedgame

    files = savedgame.targets("save", options.save) if options.save else []
    pictures = savedgame.targets("picture", options.picture, (".svg",)) if options.picture else []
    if not 0 <= options.seed < 2**32:
        reject("seed", options.seed, f"a whole number from 0 to {2**32 - 1}")

    def keep(played: "Played") -> None:
        savedgame.write(files, played)
        for path in pictures:
            savedgame.write_position(path, played)
        for path in [*files, *pictures]:
            say(f"Written: {path}")

    if options.replay:
        show_again(options, keep)
    else:
        play(options, keep)
    return 0


def play(options: Options, keep: Callable[["Played"], None]) -> None:
    """Seat the players and play; what was played is kept, also if a person leaves."""
    from jaxgp.experiment import seating
    from jaxgp.experiment.savedgame import Played
    from jaxgp.players.human import Game
    from jaxgp.players.moves import YOU

    if options.move is not None:
        raise UsageError("move: given, but there is no replay=FILE")
    opponent = options.opponent.name or ("champion" if options.run else "minimax")
    roles = ("player", "opponent") if options.seat == "first" else ("opponent", "player")
    seats = dict(zip(("player", "opponent"), complete(options, opponent), strict=True))
    table, loaded = board(options)
    champion = None if loaded is None else loaded.genome
    agents = [
        seating.agent(seats[role], role, table, champion, options.seed + place) for place, role in enumerate(roles)
    ]
    first, second = (
        f"{place} player ({'person' if a is None else a.name})" for place, a in zip(PLACES, agents, strict=True)
    )
    labels = [
        f"{place} player" if a is None else name for place, a, name in zip(PLACES, agents, (first, second), strict=True)
    ]
    if agents.count(None) == 1:
        person = agents.index(None)
        labels = [YOU if a is None else f"Opponent ({a.name})" for a in agents]
        print(f"You are the {PLACES[person].lower()} player. Type help for what you can type.")
    adviser = Seat("minimax", HINT_DEPTH, ties="first", evaluator=options.evaluator)
    game = Game(
        table.game,
        table.room("render"),
        (agents[0], agents[1]),
        (labels[0], labels[1]),
        ask,
        say,
        adviser=lambda: seating.searcher(table, adviser, options.seed),
    )
    try:
        game.play()
    finally:
        if game.history:
            keep(Played(game.rules, game.drawing, (first, second), game.history))


def show_again(options: Options, keep: Callable[["Played"], None]) -> None:
    """Show a saved game: step by step where a person types, else all of it."""
    from jaxgp.experiment import savedgame
    from jaxgp.players.viewer import Viewer

    changed = [name for name in OF_PLAYERS if getattr(options, name) != getattr(Options(), name)]
    if changed:
        raise UsageError(f"{changed[0]}: a replay has no use for it; leave it out where replay is given")
    asked = {} if options.game == Options().game else options.game
    played = savedgame.read(options.replay, envs, asked)
    last = len(played.moves) - 1
    if options.move is not None:
        if not 0 <= options.move <= last:
            reject("move", options.move, f"a whole number from 0 to {last}, the moves of {options.replay}")
        played = replace(played, moves=played.moves[: options.move + 1])
    viewer = Viewer(played.game, played.drawing, played.names, played.moves, say)
    if sys.stdin.isatty():
        viewer.walk(ask)
    else:
        viewer.run()
    keep(played)


def complete(options: Options, opponent: str) -> tuple[Seat, Seat]:
    """Return the seats of player and opponent, each with all that it needs."""
    seats = seated((options.player, replace(options.opponent, name=opponent)), options)
    kinds = [seat.name for seat in seats]
    if "champion" in kinds and not options.run:
        raise UsageError(f"{('player', 'opponent')[kinds.index('champion')]}=champion: needs run=DIR as well")
    if options.run and "champion" not in kinds:
        raise UsageError("run: given, but neither player nor opponent is champion")
    return seats


def board(options: Options) -> "tuple[Table, Loaded | None]":
    """Set up the game: that of the run, or the one the options name."""
    from jaxgp.analysis import champions
    from jaxgp.experiment import assemble, validate
    from jaxgp.experiment.schema import Config

    if options.run:
        if options.game != {"name": "mancala"} or options.program:
            raise UsageError("game, program: the run has its own; leave them out where run is given")
        loaded = champions.load(options.run, envs)
        return loaded.table, loaded
    config = Config(game=options.game, program=options.program)
    validate.game(config, envs)
    return assemble.table(config, envs), None


def ask(prompt: str) -> str:
    """Read a line; a prompt is for people only, and where lines come from a file they are left out."""
    if sys.stdin.isatty():
        return input(prompt)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def say(text: str) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)


if __name__ == "__main__":
    try:
        raise SystemExit(arguments.main(Options, task, __doc__))
    except KeyboardInterrupt:
        print("\nThe game was left unfinished.")
        raise SystemExit(130) from None
