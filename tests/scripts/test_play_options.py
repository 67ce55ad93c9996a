"""Wrong options of a game in the terminal: each is told in one line, and nothing is played."""

import pytest

from tests.scripts.commands import compiled_once

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)
MORPION = ("game=morpion", "game.size=20")
OTHELLO = ("game=othello", "opponent=gtp")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["opponnt=random"], "opponnt: unknown option; did you mean opponent? accepted: run, game, "),
        (
            ["opponent=robot"],
            "opponent=robot: accepted: human, minimax, deepening, random, strategy, rules, program, champion, gtp",
        ),
        (["seat=3"], "seat=3: accepted: first, second"),
        (["depth=0"], "depth=0: accepted: a whole number from 1 to 24"),
        (["depth=deep"], "depth=deep: accepted: a whole number"),
        (["seed=-1"], "seed=-1: accepted: a whole number from 0 to 4294967295"),
        (
            ["game=go"],
            "game=go: accepted: backgammon, checkers, freecell, lose_checkers, mancala, morpion, othello, rush_hour",
        ),
        (["game.pits=99"], "game.pits=99: accepted: a whole number from 1 to 15"),
        (["game.extra_turn=7"], "game.extra_turn=7: accepted: true or false"),
        (["program.eyes=2"], "program.eyes: unknown option of program.role=program; accepted: view, "),
        (["evaluator=magic"], "evaluator=magic: accepted: material"),
        (["opponent=program"], 'opponent=program: needs expression="(...)" as well'),
        (["opponent=program", "expression=(ADD 1)"], "expression: line 1, column 7: expected a float as argument 2"),
        (["opponent=champion"], "opponent=champion: needs run=DIR as well"),
        (["opponent=gtp"], 'opponent=gtp: needs command="PROGRAM OPTIONS" as well'),
        (["command=x"], "command: given, but neither player nor opponent is gtp"),
        (
            ["opponent=gtp", "command=x"],
            "opponent=gtp: accepted: human, minimax, deepening, random, program, ",
        ),
        ([*OTHELLO, "command=nobody"], "command=nobody: nobody is not installed on PATH or in /usr/games"),
        ([*OTHELLO, 'command="'], 'command=": accepted: a program and its options (No closing quotation)'),
        ([*OTHELLO, "timeout=0"], "timeout=0.0: accepted: a number of seconds above 0"),
        (["expression=7"], "expression: given, but neither player nor opponent is program"),
        (["run=nowhere"], "run=nowhere: no such file or directory; accepted: a run directory with a champion"),
        (["random"], "random: not an option; write option=value"),
        (["depth=4", "depth=5"], "depth=5: depth is given twice"),
        (["opponent.depth=25"], "opponent.depth=25: accepted: a whole number from 1 to 24"),
        (["opponent.depth=deep"], "opponent.depth=deep: accepted: a whole number from 1 to 24, or null"),
        (["opponent.depht=2"], "opponent.depht: unknown option; did you mean opponent.depth? accepted: name, depth"),
        (["player.ties=none"], "player.ties=none: accepted: first, random"),
        (["opponent=deepening", "nodes=0"], "nodes=0: accepted: a whole number from 1 to 1000000000, or null"),
        (["single=true"], "single: given, but neither player nor opponent is deepening"),
        (["opponent=deepening", "single=true", "ties=first"], "single=true: opponent plays the first of equally good "),
        (["player=null"], "player=null: accepted: human, minimax, deepening"),
        (["nodes=5"], "nodes: given, but neither player nor opponent is deepening"),
        (["opponent.nodes=5"], "opponent.nodes: given, but opponent is minimax and not deepening"),
        (
            ["opponent=strategy"],
            "opponent=strategy: accepted: human, minimax, deepening, random, program, ",
        ),
        (
            ["opponent=rules", "rules=x"],
            "opponent=rules: accepted: human, minimax, deepening, random, program, ",
        ),
        (["game=walls", "opponent=rules"], "opponent=rules: needs rules=FILE as well"),
        (["game=walls", "opponent=rules", "rules=no.txt"], "rules=no.txt: cannot be read (No such file or directory)"),
        (["game=walls", "opponent=strategy", "strategy=x"], "strategy=x: accepted: fixed, forward"),
        (["game=walls", "evaluator=x"], "evaluator=x: accepted: decided, material"),
        (["save=no/where"], "save=no/where: accepted: the name of a file, in a directory that exists"),
        (["picture=no/where.svg"], "picture=no/where.svg: accepted: the name of a file, in a directory that exists"),
        (["replay=no.json"], "replay=no.json: cannot be read (No such file or directory); accepted: a game that was"),
        (["replay=no.json", "seat=second"], "seat: a replay has no use for it; leave it out where replay is given"),
        (["move=3"], "move: given, but there is no replay=FILE"),
        ([*MORPION, "opponent=random"], "opponent: morpion is a game for one; leave it out"),
        ([*MORPION, "opponent.depth=2"], "opponent: morpion is a game for one; leave it out"),
        ([*MORPION, "seat=second"], "seat=second: accepted: first; morpion is a game for one"),
        ([*MORPION, "evaluator=x"], "evaluator: no search plays morpion, a game for one; leave it out"),
        ([*MORPION, "player=minimax"], "player=minimax: accepted: human, random, program, champion; morpion is a "),
        ([*MORPION, "nodes=5"], "nodes: given, but player is not deepening"),
        ([*MORPION, "player=champion"], "player=champion: needs run=DIR as well"),
    ],
)
def test_wrong_options_are_told_in_one_line(play, options, message):
    code, out, error = play(*options)
    assert code == 2
    assert out == ""
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["game=othello"], "game.name=othello: run=RUN is a game with game.name=mancala; leave it out"),
        (["game=mancala", "game.pits=5"], "game.pits=5: run=RUN is a game with game.pits=3; leave it out"),
        (["game.pots=5"], "game.pots=5: run=RUN is a game with game.pots=none; leave it out"),
        (["program.view=own"], "program: the run has its own; leave it out where run is given"),
        (["opponent=random"], "run: given, but neither player nor opponent is champion"),
    ],
)
def test_what_contradicts_the_run_is_refused(play, run_directory, options, message):
    code, out, error = play(f"run={run_directory}", *options)
    assert (code, out) == (2, "")
    assert error == f"error: {message.replace('RUN', str(run_directory))}\n"
