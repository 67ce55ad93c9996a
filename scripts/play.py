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

import envs
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from playing import games, keeping, problems, replays, rollouts, setting
from playing.options import Options


def task(options: Options) -> int:
    """Play or show a game, and write the files that were asked for; leaving a game is no failure."""
    import jax

    jax.config.update("jax_platforms", "cpu")  # one position at a time: a GPU would only add latency
    keeping.check_files(options)
    if options.replay:
        replays.show_again(options)
    else:
        play(options)
    return 0


def play(options: Options) -> None:
    """Set up what is asked for, and play the game, drive the simulation or prove the problem."""
    if options.move is not None and not options.resume:
        raise UsageError("move: given, but there is no replay=FILE and no resume=FILE")
    if options.lesson is not None:
        options = setting.practise(options, options.lesson)
    begun = games.resumed(options) if options.resume else None
    cast, loaded = setting.set_up(options, begun)
    if cast.simulated:
        rollouts.drive(options, cast, loaded)
    elif cast.proves:
        problems.prove(options, cast)
    else:
        games.play(options, cast, loaded, begun)


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    from jaxgp.config import help

    return help.of_game(options.game, envs, setting.CONFIG_DIR)


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__, about=about))
