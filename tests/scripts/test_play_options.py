"""Wrong options of a game in the terminal: each is told in one line, and nothing is played."""

import pytest

from tests.scripts.commands import compiled_once

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)
MORPION = ("game=morpion", "game.size=20")
OTHELLO = ("game=othello", "opponent=engine")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["opponnt=random"], "opponnt: unknown option; did you mean opponent? accepted: run, game, "),
        (
            ["opponent=robot"],
            "opponent=robot: accepted: search, champion, deepening, engine, human, program, random, strategy",
        ),
        (["seat=3"], "seat=3: accepted: first, second"),
        (["opponent=search:0"], "opponent.depth=0: accepted: a whole number from 1 to 24"),
        (["opponent=search:deep"], "opponent.depth=deep: accepted: a whole number"),
        (["opponent=random:3"], "opponent=random:3: accepted: random"),
        (["opponent=minimax:3"], "opponent=minimax:3: accepted: search:3; minimax is called so no longer"),
        (["opponent=gtp"], "opponent=gtp: accepted: engine; gtp is called so no longer"),
        (["opponent=rules"], "opponent=rules: accepted: program:FILE; rules is called so no longer"),
        (["depth=3"], "depth=3: accepted: opponent.depth=3 or player.depth=3, as it is called now"),
        (
            ["strategy=x"],
            "strategy=x: accepted: opponent=strategy:x or player=strategy:x, as it is called now",
        ),
        (["seed=-1"], "seed=-1: accepted: a whole number from 0 to 4294967295"),
        (
            ["game=go"],
            "game=go: accepted: backgammon, checkers, chess, freecell, lose_checkers, mancala, mate, morpion, othello",
        ),
        (["game.pits=99"], "game.pits=99: accepted: a whole number from 1 to 15"),
        (["game.extra_turn=7"], "game.extra_turn=7: accepted: true or false"),
        (["program.eyes=2"], "program.eyes: unknown option of program.role=program; accepted: view, "),
        (["opponent=search", "opponent.evaluator=magic"], "opponent.evaluator=magic: accepted: material"),
        (
            ["opponent=program"],
            'opponent=program: needs opponent.expression="(...)" or opponent.file=FILE, one',
        ),
        (
            ["opponent=program", "opponent.expression=(ADD 1)"],
            "opponent.expression: line 1, column 7: expected a float as argument 2",
        ),
        (["opponent=champion"], "opponent=champion: needs run=DIR as well"),
        ([*OTHELLO], 'opponent=engine: needs opponent.command="PROGRAM OPTIONS" as well'),
        (["command=x"], "command=x: accepted: opponent.command=x or player.command=x, as it is called now"),
        (
            ["opponent=engine:x"],
            "opponent.kind=engine: accepted: search, champion, deepening, human, program, random; no engine outside",
        ),
        (["game=othello", "opponent=engine:nobody"], "opponent.command=nobody: nobody is not installed on PATH or in "),
        (
            ["game=othello", 'opponent=engine:"'],
            'opponent.command=": accepted: a program and its options (No closing quotation)',
        ),
        ([*OTHELLO, "opponent.timeout=0"], "opponent.timeout=0.0: accepted: a number of seconds above 0"),
        (
            ["opponent=search", "opponent.expression=7"],
            "opponent.expression: unknown option with opponent.kind=search; ",
        ),
        (["run=nowhere"], "run=nowhere: no such file or directory; accepted: a run directory with a champion"),
        (["random"], "random: not an option; write option=value"),
        (["opponent=search", "opponent=random"], "opponent=random: opponent.kind is given twice"),
        (["opponent.depth=3"], "opponent.depth: of which kind? Write opponent=KIND too; accepted: search, champion, "),
        (["opponent=search", "opponent.depth=25"], "opponent.depth=25: accepted: a whole number from 1 to 24"),
        (
            ["opponent=champion", "opponent.depth=deep"],
            "opponent.depth=deep: accepted: a whole number from 1 to 24, or ",
        ),
        (
            ["opponent=search", "opponent.depht=2"],
            "opponent.depht: unknown option; did you mean opponent.depth? accepted",
        ),
        (["player=search", "player.ties=none"], "player.ties=none: accepted: first, random"),
        (["player.ties=first"], "player.ties: unknown option with player.kind=human; it is one of search, deepening; "),
        (
            ["opponent=deepening", "opponent.nodes=0"],
            "opponent.nodes=0: accepted: a whole number from 1 to 1000000000, ",
        ),
        (
            ["opponent=deepening", "opponent.single=true"],
            "opponent.single=true: accepted: false with opponent.ties=first",
        ),
        (["player=null"], "player=null: accepted: search, champion"),
        (
            ["opponent=search", "opponent.nodes=5"],
            "opponent.nodes: unknown option with opponent.kind=search; ",
        ),
        (
            ["opponent=strategy"],
            "opponent.kind=strategy: accepted: search, champion, deepening, human, program, random; mancala has no ",
        ),
        (
            ["game=walls", "opponent=program:no.txt"],
            "opponent.file=no.txt: accepted: a file with a program, or with a ",
        ),
        (["game=walls", "opponent=strategy:x"], "opponent.name=x: accepted: fixed, forward"),
        (
            ["game=walls", "opponent=search", "opponent.evaluator=x"],
            "opponent.evaluator=x: accepted: decided, ",
        ),
        (["save=no/where"], "save=no/where: accepted: the name of a file, in a directory that exists"),
        (["picture=no/where.svg"], "picture=no/where.svg: accepted: the name of a file, in a directory that exists"),
        (["replay=no.json"], "replay=no.json: cannot be read (No such file or directory); accepted: a game that was"),
        (["replay=no.json", "seat=second"], "seat: a replay has no use for it; leave it out where replay is given"),
        (["move=3"], "move: given, but there is no replay=FILE"),
        ([*MORPION, "opponent=random"], "opponent: morpion is a game for one; leave it out"),
        ([*MORPION, "seat=second"], "seat=second: accepted: first; morpion is a game for one"),
        ([*MORPION, "player=search"], "player.kind=search: accepted: champion, human, program, random; morpion is a "),
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


@pytest.mark.parametrize("save", ["save=champion.json", "save=champion", "save=./champion"])
def test_a_champion_is_not_replaced_by_its_game(play, run_directory, monkeypatch, save):
    monkeypatch.chdir(run_directory)
    before = (run_directory / "champion.json").read_text()
    code, out, error = play("run=.", save)
    assert (code, out, (run_directory / "champion.json").read_text()) == (2, "", before)
    assert error == f"error: {save}: accepted: another file than the champion's\n"


@pytest.mark.parametrize(
    ("save", "picture"), [("same.svg", "same.svg"), ("same", "same.svg"), ("same", "same"), ("my.game", "my.game")]
)
def test_a_game_and_its_picture_do_not_go_to_one_file(play, tmp_path, monkeypatch, save, picture):
    monkeypatch.chdir(tmp_path)
    code, out, error = play("player=random", "opponent=random", f"save={save}", f"picture={picture}")
    assert (code, out, list(tmp_path.iterdir())) == (2, "", [])
    assert error.endswith(f"error: picture={picture}: accepted: another file than those of save={save}\n")
