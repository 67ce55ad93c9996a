"""Play a game in the terminal, or let two players play and watch.

    python scripts/play.py run=outputs/DIR                                you against the champion of a run
    python scripts/play.py game=mancala opponent=minimax depth=8          you against a search
    python scripts/play.py game=mancala opponent=human game.pits=5        two people, another board
    python scripts/play.py run=outputs/DIR player=minimax seat=second     a search against the champion
    python scripts/play.py player=random opponent=program expression="(VALUE_AT 7)"

In the game, type help. Settings of the rules are game.OPTION=VALUE, those of programs program.OPTION=VALUE.
"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import envs
from jaxgp.experiment import arguments
from jaxgp.experiment.arguments import option
from jaxgp.experiment.errors import UsageError, reject

if TYPE_CHECKING:
    from jaxgp.analysis.champions import Loaded
    from jaxgp.experiment.assemble import Table
    from jaxgp.players.agents import Agent

PLAYERS = ("human", "minimax", "random", "program", "champion")
DEEPEST = 24
HINT_DEPTH = 8


@dataclass
class Options:
    """Who plays what against whom."""

    run: str | None = option(None, "a run directory with a champion.json, or such a file; sets game and program too")
    game: dict[str, Any] = option({"name": "mancala"}, "game, and settings of its rules as game.OPTION=VALUE")  # noqa: RUF009
    program: dict[str, Any] = option({}, "how programs see the board and move, as in the game's file below conf/game")  # noqa: RUF009
    player: str = option("human", "who plays in `seat`", PLAYERS)
    opponent: str | None = option(
        None, "who plays the other seat; null: champion if there is a run, else minimax", PLAYERS
    )
    seat: str = option("first", "which seat `player` has", ("first", "second"))
    depth: int = option(8, f"plies of the minimax search, 1 to {DEEPEST}")
    ties: str = option("random", "among equally good moves minimax plays", ("first", "random"))
    evaluator: str = option("material", "what minimax values positions by, one of the game's evaluators")
    expression: str | None = option(None, 'the program of player or opponent "program", as printed in champion.json')
    seed: int = option(0, "of random moves and random ties")


def task(options: Options) -> int:
    """Seat the players and play; a game that is left is no failure."""
    import jax

    jax.config.update("jax_platforms", "cpu")  # one position at a time: a GPU would only add latency
    from jaxgp.players.human import YOU, Game

    kinds = [options.player, options.opponent or ("champion" if options.run else "minimax")]
    if options.seat == "second":
        kinds.reverse()
    table, loaded = board(options, kinds)
    agents = [agent(kind, options, table, loaded, seat) for seat, kind in enumerate(kinds)]
    labels = [
        f"{seat} player" + ("" if a is None else f" ({a.name})")
        for seat, a in zip(("First", "Second"), agents, strict=True)
    ]
    if agents.count(None) == 1:
        person = agents.index(None)
        labels = [YOU if a is None else f"Opponent ({a.name})" for a in agents]
        print(f"You are the {('first', 'second')[person]} player. Type help for what you can type.")
    game = Game(
        table.game,
        table.room("render"),
        (agents[0], agents[1]),
        (labels[0], labels[1]),
        ask,
        say,
        adviser=lambda: searcher(table, options.evaluator, HINT_DEPTH, "first", options.seed),
    )
    game.play()
    return 0


def board(options: Options, kinds: list[str]) -> "tuple[Table, Loaded | None]":
    """Set up the game: that of the run, or the one the options name."""
    from jaxgp.analysis import champions
    from jaxgp.experiment import assemble, validate
    from jaxgp.experiment.schema import Config

    if not 1 <= options.depth <= DEEPEST:
        reject("depth", options.depth, f"a whole number from 1 to {DEEPEST}")
    if not 0 <= options.seed < 2**32:
        reject("seed", options.seed, f"a whole number from 0 to {2**32 - 1}")
    for condition, kind, needs in (
        (options.run, "champion", "run=DIR"),
        (options.expression, "program", 'expression="(...)"'),
    ):
        if kind in kinds and not condition:
            raise UsageError(f"{'player' if options.player == kind else 'opponent'}={kind}: needs {needs} as well")
        if condition and kind not in kinds:
            raise UsageError(f"{needs.partition('=')[0]}: given, but neither player nor opponent is {kind}")
    if options.run:
        if options.game != {"name": "mancala"} or options.program:
            raise UsageError("game, program: the run has its own; leave them out where run is given")
        loaded = champions.load(options.run, envs)
        return loaded.table, loaded
    config = Config(game=options.game, program=options.program)
    validate.game(config, envs)
    return assemble.table(config, envs), None


def agent(kind: str, options: Options, table: "Table", loaded: "Loaded | None", seat: int) -> "Agent | None":
    """Make one player; a person is None."""
    from jaxgp.genotypes.language import parse
    from jaxgp.players import agents

    if kind == "random":
        return agents.random_agent(table.game, options.seed + seat)
    if kind == "minimax":
        return searcher(table, options.evaluator, options.depth, options.ties, options.seed + seat)
    if kind == "champion" and loaded is not None:
        return agents.program_agent(table.player, loaded.genome, "champion")
    if kind == "program" and options.expression is not None:
        try:
            genome = parse(table.language, options.expression)
        except ValueError as error:
            raise UsageError(f"expression: {error}") from error
        return agents.program_agent(table.player, genome, "program")
    return None


def searcher(table: "Table", evaluator: str, depth: int, ties: str, seed: int) -> "Agent":
    """Make a searching player."""
    from jaxgp.players.agents import search_agent

    try:
        search = table.search(evaluator, depth, ties, tail=2, lanes=1)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return search_agent(search, depth, seed)


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
