"""Saved games, shown again."""

import sys

from jaxgp.errors import UsageError
from jaxgp.host import console
from playing.keeping import keeper, upto
from playing.options import OF_PLAYERS, Options
from playing.rollouts import show_rollouts
from playing.setting import choose_game


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
