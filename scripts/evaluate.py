"""Measure the champion of a run: against a panel of opponents from both seats, in a game for one beside random play, in
a puzzle beside the reference search and fixed orders of moves, or in a simulation beside other drivers. A member of the
panel, or a strategy of a simulation, can be measured in its place.

python scripts/evaluate.py run=outputs/DIR panel=standard games=1000
python scripts/evaluate.py run=outputs/DIR panel=othello_gtp games=20    an engine outside, where it is installed
python scripts/evaluate.py run=outputs/DIR panel=othello depth=4        a champion that searches, as deep as this
python scripts/evaluate.py run=outputs/DIR panel=study table=games.csv  a row for each opponent in a table of many runs
python scripts/evaluate.py game=checkers game.lose=true player=ab3 panel=lose_checkers against=[ab2]    two searches
python scripts/evaluate.py run=outputs/DIR compare=2 iterations=228     for one: a nested search beside it
python scripts/evaluate.py run=outputs/DIR compare=3 save=best resume=auto    a long search; its best game
python scripts/evaluate.py run=outputs/DIR suite=JAM split=all          a puzzle: all instances of one suite
python scripts/evaluate.py run=outputs/DIR instances=outputs/all.csv    a puzzle: long suites; typed again, it goes on
python scripts/evaluate.py run=outputs/DIR program.search=greedy        a puzzle: the champion steers another search
python scripts/evaluate.py run=outputs/DIR games=100 against=[NAME]     a simulation: rollouts, a strategy beside it
python scripts/evaluate.py run=outputs/DIR games=10 engine=robocode     a simulation, and its original beside it
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from pathlib import Path
from typing import TYPE_CHECKING

import envs
from evaluating import against, alone, problems, puzzles, simulations
from evaluating.options import CONFIG_DIR, OF_PUZZLES, OF_SIMULATIONS, OF_SUITES, Options, refuse
from jaxgp import files
from jaxgp.config import arguments, help
from jaxgp.config.games import resolve_game
from jaxgp.errors import UsageError, reject

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.measure.champions import Loaded


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    return help.of_game(options.game, envs, CONFIG_DIR)


def task(options: Options) -> int:
    """Play, print, save."""
    if options.run is None and options.player is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    from jaxgp.contracts import Prover, Solver
    from jaxgp.measure import champions
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)
    output = files.user_path("output", options.output) if options.output else None
    if options.run is None:
        if output is not None:
            files.check_writable("output", output)
        cast = game_of_player(options)
        if cast.simulated:
            simulations.measure(options, cast, None, output)
            return 0
        other = (*OF_SUITES, *OF_PUZZLES, *OF_SIMULATIONS)
        refuse(options, other, "of puzzles; player is measured in games for two, leave it out")
        against.measure(options, cast, None, output)
        return 0
    found, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    loaded = champions.load(options.run, found, asked=wanted)
    if options.depth is not None:
        loaded = champions.at_depth(loaded, options.depth)
    output = output or of_champion(loaded)
    champions.keep_champion(loaded, "output", output, [output])
    files.check_writable("output", output)
    if isinstance(loaded.cast.actor, Solver):
        steered = champions.with_program(loaded, options.program) if options.program else loaded
        puzzles.measure(options, steered, output)
        return 0
    if isinstance(loaded.cast.actor, Prover):
        problems.measure(options, loaded, output)
        return 0
    refuse(options, OF_PUZZLES, f"of puzzles; {loaded.cast.game.name} is none, leave it out")
    if loaded.cast.simulated:
        simulations.measure(options, loaded.cast, loaded, output)
        return 0
    of_others = (*OF_SUITES, *OF_SIMULATIONS)
    refuse(options, of_others, f"of puzzles and simulations; {loaded.cast.game.name} is none, leave it out")
    if loaded.cast.game.seats == 1:
        alone.measure(options, loaded, output)
    else:
        against.measure(options, loaded.cast, loaded, output)
    return 0


def game_of_player(options: Options) -> "Cast":
    """Return the game at which `player` is measured; raises UsageError for a game for one."""
    from jaxgp.config.games import cast_of
    from jaxgp.config.schema import Config

    games, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    cast = cast_of(Config(game=wanted), games)
    if cast.game.seats == 1 and not cast.simulated:
        reject("game", cast.spec.name, f"a game for two; {cast.spec.name} is for one")
    return cast


def of_champion(loaded: "Loaded") -> Path:
    """Return the file for the figures of a champion: in its run directory, or below outputs if it was kept alone."""
    path = loaded.path
    if loaded.in_run:
        return path.with_name("evaluation.json")
    kept = path.name.replace(".jsonl#", "_").removesuffix(".json")
    return files.make_directory(Path("outputs/evaluations"), "output") / f"{kept}.json"


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__, about=about))
