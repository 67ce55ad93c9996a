"""A game in the terminal, played through the script's own entry point with lines instead of a keyboard."""

import json
import re
from pathlib import Path

import pytest

import envs
from envs.morpion.notation.saved import one_line
from envs.morpion.render import parse_action
from jaxgp.config import arguments
from jaxgp.games.casting import cast
from jaxgp.host import console
from tests.envs.replays import TURNS, opening
from tests.host import games as toys
from tests.host.engines import fake
from tests.scripts.commands import compiled_once, load, write_champion

PLAY = load("play")
autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)
KALAH = ("game.pits=3", "game.stones=2")


def test_two_people_play_to_the_end(play):
    code, out, _ = play("opponent=human", *KALAH, typed="1\n2\n3\n" * 20)
    assert code == 0
    assert "First player plays 1." in out
    assert re.search(r"(wins|Draw), \d+ to \d+\.\n$", out)


def test_the_end_of_the_input_leaves_the_game_unfinished(play):
    code, out, error = play("opponent=random", typed="3\n")
    assert code == 0
    assert "You play 3 and move again." in out
    assert out.endswith("The game was left unfinished.\n")
    assert "(1, 2" not in out  # no prompts where nobody types
    assert error == ""


def test_quit_leaves_at_once(play):
    assert play("opponent=human", typed="quit\n3\n")[1].endswith("The game was left unfinished.\n")


def test_a_wrong_move_is_explained_and_asked_again(play):
    _, out, _ = play("opponent=human", typed="nine\n\n3\n3\n1\n")
    assert '"nine" is not a pit; accepted: a number from 1 to 6, or help.' in out
    assert "an empty line is not a pit" in out
    assert "3 cannot be played here; legal: 1, 2, 4, 5, 6." in out
    assert "First player plays 1." in out


def test_undo_takes_back_the_replies_too(play):
    _, out, _ = play("opponent=random", "seed=1", typed="undo\n1\nundo\nboard\n")
    assert "There is no move of yours to take back." in out
    assert "Opponent (random) plays" in out
    assert out.count("|    |  4 |  4 |  4 |  4 |  4 |  4 |    |") == 6  # opening: at the start, taken back, on request
    assert "Taken back." in out


@pytest.mark.thorough
def test_a_puzzle_gives_hints_takes_moves_back_and_says_how_it_has_ended(play, tmp_path):
    board = "game.board=....../....../XX..A./....A./....../......"
    saved = str(tmp_path / "solved.json")
    code, out, _ = play("game=rush_hour", board, f"save={saved}", typed="hint\nA-1\nundo\na-2\nhint\nX4\n")
    assert code == 0
    assert "Hint: A-2 (the shortest way to the exit takes 2 moves)." in out
    assert "Taken back." in out
    assert "Hint: X+4 (the shortest way to the exit takes 1 move)." in out
    assert "Solved in 2 moves.\n" in out
    assert json.loads(Path(saved).read_text())["moves"] == ["A-2", "X+4"]
    assert play(f"replay={saved}")[1].endswith("Solved in 2 moves.\n")


@pytest.mark.thorough
def test_a_patience_is_played_in_standard_notation_and_seen_again(play, tmp_path):
    deal = "game.deal=Foundations: C-K D-J H-J S-K/Freecells: QH/KH/KD/QD/-/-/-/-/-"
    saved = tmp_path / "solved"
    code, out, _ = play("game=freecell", deal, f"save={saved}", typed="1h\n3c\n3h\nundo\n3b\nbh\nah\n1h\n2h\n")
    assert code == 0
    assert "KH cannot go to the foundations yet; accepted: ah, 3h, " in out
    assert "cells are alike, so a card goes to the first free one, and cell c is not; accepted: 3b, or help.\n" in out
    assert out.endswith("Solved in 5 moves.\n" + "".join(f"Written: {saved}.{end}\n" for end in ("svg", "txt", "json")))
    for file, also in (("solved.json", ()), ("solved.txt", ("game=freecell", deal))):
        assert play(f"replay={tmp_path / file}", *also)[1].endswith("Solved in 5 moves.\n")


def test_a_board_that_cannot_be_played_is_refused_in_one_line(play):
    code, _, error = play("game=rush_hour", "game.board=XX.A")
    assert code == 2
    assert error == (
        "error: game.board=XX.A: it has 4 cells; accepted: 36, 49 or 64 cells, row by row: X, other letters, "
        ". for an empty cell, and x for a wall\n"
    )


def test_help_lists_the_words(play):
    _, out, _ = play("opponent=human", typed="help\n")
    assert all(word in out for word in ("hint", "undo", "quit", "board"))
    assert "Moves are forward, left, right, or f, l, r.\n" in play("game=walls", "opponent=human", typed="?\n")[1]


def test_the_second_player_sits_at_the_bottom_of_the_board(play):
    _, out, _ = play("opponent=random", "seat=second", typed="")
    assert out.startswith("You are the second player.")
    assert out.splitlines()[2].endswith("First player, to move")


@pytest.mark.thorough
def test_two_programs_show_a_replay(play):
    players = ("player=random", "opponent=program", "opponent.expression=(VALUE_AT (ADD 3 2))", *KALAH, "seed=3")
    code, out, _ = play(*players)
    assert code == 0
    assert "First player (random) plays" in out
    assert "Second player (program) plays" in out
    assert re.search(r"(First player \(random\) wins|Second player \(program\) wins|Draw), \d+ to \d+\.\n$", out)
    assert play(*players)[1] == out


@pytest.mark.thorough
def test_a_program_without_a_legal_move_forfeits(play):
    options = ("player=program", "opponent=random", *KALAH, "program.move=forfeit", "player.expression=5")
    _, out, _ = play(*options)
    assert "First player (program) names no legal move and forfeits the game." in out
    assert out.endswith("Second player (random) wins, 12 to 0.\n")


def test_a_search_beats_a_random_player_and_gives_hints(play):
    _, out, _ = play("player=search", "opponent=random", *KALAH, "seed=1")
    assert "First player (search, 8 plies) wins" in out
    _, out, _ = play("opponent=human", *KALAH, typed="hint\n")
    assert re.search(r"Hint: [123] \(a search of 8 plies values it at -?[\d.]+, and expects [123] [123] [123]\)\.", out)


def test_the_champion_of_a_run_plays(play, run_directory):
    code, out, _ = play(f"run={run_directory}", typed="3\n")
    assert code == 0
    assert "Opponent (champion) plays" in out
    file = run_directory / "champion.json"
    assert play(f"run={file}", "game=mancala", "game.pits=3", typed="3\n")[1] == out


WALLS = ("game=walls", "game.size=3", "game.stall=4")
MORPION = ("game=morpion", "game.size=20")
OTHELLO = ("game=othello", "opponent=engine")


def test_a_person_plays_walls_with_letters_and_takes_moves_back(play):
    code, out, _ = play(*WALLS, "opponent=random", typed="l\nf\nundo\nwest\nR\nforward\n")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith(("You play", "Taken", '"west"'))] == [
        "You play left.",
        "You play forward.",
        "Taken back.",
        '"west" is not a move; accepted: forward, left, right, or f, l, r, or help.',
        "You play right.",
        "You play forward.",
    ]
    assert "A< First player, facing west: 0 bricks, idle for 2 of 4 moves, to move" in out


@pytest.mark.thorough
def test_a_strategy_plays_a_search_that_deepens(play):
    players = ("player=strategy:forward", "opponent=deepening:1", "opponent.nodes=50", "opponent.single=true")
    code, out, _ = play(*WALLS, *players, "opponent.ties=random")
    assert code == 0
    assert "First player (strategy forward) plays forward." in out
    name = r"Second player \(deepening, until one move is best, 50 nodes, 1 ply\)"
    assert re.search(name + r" wins, \d to 0\.\n$", out)


@pytest.mark.thorough
def test_each_player_has_options_of_its_own(play):
    options = ("player=strategy:forward", "opponent=strategy:fixed")
    out = play(*WALLS, *options, "seat=second")[1]
    assert "First player (strategy fixed) plays" in out
    assert "Second player (strategy forward) plays" in out


@pytest.mark.thorough
def test_rules_come_from_a_file_and_mistakes_in_it_are_told_by_line(play, tmp_path):
    path = tmp_path / "clings.txt"
    path.write_text("; turns for ever\n\n- - - / - - - / - - - : turn-left\n")
    options = (*WALLS, f"player=program:{path}", "opponent=strategy:forward")
    out = play(*options)[1]
    assert out.count("First player (program clings) plays left.") == 4
    assert "First player (program clings) plays forward." not in out
    path.write_text("; fine\n- - - / - - - / - - - : turn-round\n")
    code, out, error = play(*options)
    assert (code, out) == (2, "")
    assert error.startswith(
        f"error: player.file={path}: line 2, column 25: turn-round is not an action; accepted: try-"
    )


@pytest.mark.thorough
def test_rules_may_stand_on_the_command_line(play):
    rule = "player.expression=- - - / - - - / - - - : turn-right"
    out = play(*WALLS, "player=program", "opponent=random", rule)[1]
    assert set(re.findall(r"First player \(program\) plays (\w+)", out)) == {"right"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A game that was saved as picture, text and moves, by its name without an ending."""
    name = tmp_path_factory.mktemp("games") / "one"
    options = (*WALLS, "player=random", "opponent=strategy", "seed=2", f"save={name}", f"picture={name}-end.svg")
    assert arguments.main(PLAY.Options, PLAY.task, PLAY.__doc__, options) == 0
    return name


def test_a_saved_game_is_shown_again(play, saved):
    text = Path(f"{saved}.txt").read_text()
    assert text.startswith("First player (random) against Second player (strategy fixed)\n")
    code, out, _ = play(f"replay={saved}.json")
    assert code == 0
    shown = text.partition("\nThe same game for programs")[0]
    assert [line.rstrip() for line in out.splitlines() if line] == [line for line in shown.splitlines()[2:] if line]


def test_a_replay_is_pictured_at_any_move(play, saved, tmp_path):
    end, picture = Path(f"{saved}-end.svg").read_text(), tmp_path / "middle.svg"
    length = len(json.loads(Path(f"{saved}.json").read_text())["moves"])
    out = play(f"replay={saved}.json", "move=2", f"picture={picture}")[1]
    assert out.endswith(f"The record ends here.\nWritten: {picture}\n")
    assert picture.read_text() != end
    play(f"replay={saved}.json", f"move={length}", f"picture={picture}", "game=walls", "game.size=3")
    assert picture.read_text() == end
    assert "<svg" in Path(f"{saved}.svg").read_text()


def test_a_person_s_game_is_saved_without_what_was_taken_back(play, tmp_path):
    name = tmp_path / "mine"
    out = play(*WALLS, "opponent=human", f"save={name}.json", typed="l\nr\nundo\nf\nquit\n")[1]
    assert out.endswith(f"The game was left unfinished.\nWritten: {name}.json\n")
    content = json.loads(Path(f"{name}.json").read_text())
    assert content["moves"] == ["left", "forward"]
    assert content["players"] == ["First player (person)", "Second player (person)"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]


def test_someone_who_interrupts_has_the_game_saved_too(monkeypatch, capsys, tmp_path):
    def interrupted(prompt):
        raise KeyboardInterrupt

    monkeypatch.setattr(console, "ask", interrupted)
    options = (*WALLS, "opponent=human", f"save={tmp_path / 'mine'}")
    assert arguments.main(PLAY.Options, PLAY.task, PLAY.__doc__, options) == 130
    assert capsys.readouterr().err == "stopped\n"
    assert json.loads((tmp_path / "mine.json").read_text())["moves"] == []


def test_a_wrong_move_of_a_replay_is_refused(play, saved):
    code, out, error = play(f"replay={saved}.json", "move=99")
    assert (code, out) == (2, "")
    assert re.match(r"error: move=99: accepted: a whole number from 0 to \d+, the moves of ", error)


@pytest.mark.thorough
def test_a_person_plays_against_an_engine_outside(play):
    code, out, error = play(*OTHELLO, f"opponent.command={fake('--first')}", typed="d3\nundo\nf5\n")
    assert (code, error) == (0, "")
    assert re.search(r"Opponent \(.*gtp_engine\.py --first\) plays c3\.\n", out), "the first square that follows d3"
    assert re.search(r"Opponent \(.*\) plays f4\.\n", out), "the first that follows f5, d3 being taken back"


def test_an_engine_outside_plays_a_whole_game_and_is_saved(play, tmp_path):
    options = (*OTHELLO, "player=random", "game.size=4", f"save={tmp_path / 'game.json'}")
    code, out, _ = play(*options, f"opponent.command={fake('--first')}", "seed=3")
    assert code == 0
    assert re.search(r"(wins|Draw), \d+ to \d+\.\n", out)
    assert "gtp_engine.py" in (tmp_path / "game.json").read_text()


def test_a_game_with_an_engine_that_dies_is_kept_up_to_there(play, tmp_path):
    command = fake("--fault", "dies", "--after", 2)
    code, out, error = play(*OTHELLO, "player=random", f"opponent.command={command}", f"save={tmp_path / 'game.txt'}")
    assert code == 1
    assert error == f'error: {command}: genmove white: the engine has ended with exit code 3, saying "out of ideas"\n'
    assert out.endswith(f"Written: {tmp_path / 'game.txt'}\n")
    assert out.count(" plays ") == 5


def test_an_engine_outside_that_does_not_have_the_board(play):
    code, _, error = play(*OTHELLO, f"opponent.command={fake()}", "game.size=10")
    assert code == 1
    assert error == f"error: {fake()}: boardsize 10: refused: unacceptable size\n"


@pytest.mark.thorough
def test_a_person_plays_a_game_for_one(play, tmp_path, monkeypatch):
    monkeypatch.setattr("envs.morpion.hints.SECONDS", 0.0)
    typed = "help\nrules\nhint\nnorth\n16,20-20,20\n16,20-20,20\nundo\n3\nquit\n"
    code, out, _ = play(*MORPION, f"save={tmp_path / 'mine'}", typed=typed)
    assert code == 0
    assert out.startswith("You play alone. Type help")
    assert "Moves are the ends of a line, as in 16,20-20,20.\n" in out
    assert "A move adds one cross so that five crosses stand in a row" in out
    assert re.search(r"Hint: [\d,-]+ \(8 nested searches find a game of \d+ lines that begins with it\)\.", out)
    assert '"north" is not a move; accepted: the ends of a line, as in 16,20-20,20, or help.' in out
    assert "You play 16,20-20,20.\n" in out
    assert re.search(r"16,20-20,20 cannot be played here; legal: 1 \d+,\d+-\d+,\d+; 2 \d+,", out)
    assert "Taken back." in out
    content = json.loads((tmp_path / "mine.json").read_text())
    assert (content["players"], content["moves"]) == (["Player (person)"], ["15,20-19,20"])
    assert play(f"replay={tmp_path / 'mine.json'}")[1].endswith("The record ends here.\n")
    assert (tmp_path / "mine.svg").read_text().count("<svg") == 2


@pytest.mark.thorough
def test_a_program_plays_alone_until_its_moves_are_used_up(play, tmp_path):
    options = (*MORPION, "player=program", "player.expression=(progn3 [17,21] getClosestToLast [17,21])")
    code, out, _ = play(*options, f"save={tmp_path / 'game.json'}")
    assert code == 0
    assert out.count("Player (program) plays ") == 2
    assert "Player (program) names no further move, and the game ends as it stands." in out
    assert f"Player (program) ends with 2.\nWritten: {tmp_path / 'game.json'}\n" in out
    assert play(f"replay={tmp_path / 'game.json'}")[1].endswith("Player (program) ends with 2.\n")


def test_random_moves_end_a_game_for_one_that_its_own_notation_keeps_too(play, tmp_path):
    name = tmp_path / "game"
    end = re.search(r"ends with (\d+)\.\n", play(*MORPION, "player=random", "seed=1", f"save={name}.json")[1])
    game = envs.make("morpion", size=20)
    moves = [parse_action(game, move) for move in json.loads(Path(f"{name}.json").read_text())["moves"]]
    assert len(moves) == int(end[1]) >= 20
    name.write_text(one_line(game, moves))
    out = play(*MORPION, f"replay={name}")[1]
    assert out.endswith(f"The game is over, {end[1]} lines\n\nPlayer ends with {end[1]}.\n")
    assert out.count("Player plays") == len(moves)
    assert "not JSON" in play(f"replay={name}")[2]
    assert "mancala has no other notation" in play(f"replay={name}", "game.name=mancala", "game.pits=5")[2]
    name.write_text("16 20 20 20 16 20 20 20")
    assert "move 2, 16,20-20,20: not legal in 5T" in play(*MORPION, f"replay={name}")[2]


def test_a_saved_game_is_played_on_by_others_and_taken_back(play, tmp_path):
    name, options = tmp_path / "game", ("opponent=human", *KALAH)
    play(*options, f"save={name}", typed="2\n3\nquit\n")
    begun = json.loads(name.with_suffix(".json").read_text())["moves"]
    assert (len(begun), begun[0]) == (2, "2")
    for ending in (".json", ".txt", ".svg"):
        code, out, error = play(f"resume={name}{ending}", "opponent=random", f"save={name}.more.json", typed="undo\n")
        assert (code, error) == (0, "")
        assert "Taken back" in out
    code, out, _ = play(f"resume={name}.json", "player=random", "opponent=random", f"save={name}.more.json")
    assert re.search(r"(wins|Draw), \d+ to \d+\.\n", out)
    whole = json.loads(Path(f"{name}.more.json").read_text())
    assert whole["moves"][:2] == begun
    assert whole["finished"]
    assert play(f"replay={name}.more.json")[0] == 0


@pytest.mark.thorough
def test_a_game_is_played_on_only_where_it_goes_on(play, tmp_path):
    name = tmp_path / "game.json"
    play("player=random", "opponent=random", *KALAH, f"save={name}")
    last = len(json.loads(name.read_text())["moves"])
    error = play(f"resume={name}")[2]
    assert f"accepted: a game that goes on, or move=N with N from 0 to {last - 1}; this one has ended" in error
    assert play(f"resume={name}", "move=1", "player=random", "opponent=random")[0] == 0
    assert "game.pits=5" in play(f"resume={name}", "game=mancala", "game.pits=5")[2]
    assert "resume: a replay has no use for it" in play(f"resume={name}", f"replay={name}")[2]
    assert "move: given, but there is no replay=FILE and no resume=FILE" in play("move=1")[2]


@pytest.mark.thorough
def test_games_of_other_programs_are_shown_played_on_and_written(play, tmp_path):
    file = tmp_path / "games.pdn"
    file.write_text('[Black "One"]\n1. 11-15 23-19 *\n[Black "Two"]\n1. 9-14 24-20 *\n')
    assert f"replay={file}: the file has 2 games; accepted: FILE#N" in play(f"replay={file}", "game=checkers")[2]
    code, out, _ = play(f"replay={file}#2", "game=checkers", f"save={tmp_path / 'again.pdn'}")
    assert (code, "Two plays g3-f4." in out) == (0, True)
    assert "1. 9-14 24-20 *\n" in (tmp_path / "again.pdn").read_text()
    out = play(f"resume={file}#2", "game=checkers", "opponent=human", typed="11-15\nquit\n")[1]
    assert "First player plays c3-d4." in out


def test_a_format_that_cannot_hold_a_game_is_refused_before_it_is_played(play, tmp_path):
    random = ("player=random", "opponent=random")
    for game, file, why in (
        (("game=othello", "game.size=4"), "a.wtb", "WTHOR has games on 8 x 8 squares, and this one is on 4 x 4"),
        (("game=backgammon", "game.position=4HPwATDgc/ABMA"), "a.mat", ".mat has games from the opening"),
    ):
        code, out, error = play(*game, *random, f"save={tmp_path / file}")
        assert (code, out) == (2, "")
        assert f"save={tmp_path / file}: {why}" in error


def test_othello_is_played_by_people_and_saved(play, tmp_path):
    options = ("game=othello", "game.size=4", "opponent=random", "seed=3")
    code, out, _ = play(*options, typed="e9\npass\nb1\n")
    assert code == 0
    assert '"e9" is not a move; accepted: a1 to d4, pass, or help.' in out
    assert "pass cannot be played here; legal: b1, a2, d3, c4." in out
    assert "You play b1." in out
    name = tmp_path / "game"
    out = play(*options, "player=random", f"save={name}")[1]
    assert re.search(r"(wins|Draw), \d+ to \d+\.\n", out)
    assert json.loads(name.with_suffix(".json").read_text())["game"] == {"name": "othello", "size": 4}
    assert play(f"replay={name}.json")[1].splitlines()[-2:] == out.splitlines()[-5:-3]
    assert 'class="othello"' in name.with_suffix(".svg").read_text()


@pytest.mark.thorough
def test_checkers_is_played_by_people_and_saved(play, tmp_path):
    options = ("game=checkers", "game.size=4", "game.rows=1", "game.lose=true")
    code, out, _ = play(*options, "opponent=human", typed="c3xe5xg7\na1xc3\na1-b2\nb4-a3\n")
    assert code == 0
    assert (
        '"c3xe5xg7" is not a move; accepted: the squares of a turn, as in c3-d4 or c3xe5xg7 or 11-15, or help.' in out
    )
    assert '"a1xc3" cannot be played here: it is not legal; accepted: c1-b2, a1-b2, c1-d2, or help.' in out
    assert "First player plays a1-b2." in out
    name = tmp_path / "game"
    out = play(*options, "player=random", "opponent=random", "seed=1", f"save={name}")[1]
    assert re.search(r"(wins, 1 to 0|Draw, 0\.5 to 0\.5)\.\n", out)
    assert json.loads(name.with_suffix(".json").read_text())["game"]["lose"] is True
    assert play(f"replay={name}.json")[1].splitlines()[-2:] == out.splitlines()[-5:-3]
    assert 'class="checkers"' in name.with_suffix(".svg").read_text()


@pytest.mark.thorough
def test_programs_play_othello(play):
    """All four first moves have the same value, and the first is played."""
    options = ("game=othello", "game.size=4", "program.features=few", "program.weights=path", "program.noop_bits=1")
    expression = "opponent.expression=(- own_near (B1 own_corners))"
    out = play(*options, "seat=second", "opponent=program", expression, typed="a1\nquit\n")[1]
    assert "Opponent (program) plays b1." in out
    assert "Opponent (program) plays a2." in out
    assert (
        "own_middle is not in the primitive set"
        in play(*options, "opponent=program", "opponent.expression=own_middle")[2]
    )


@pytest.mark.thorough
def test_a_game_with_chance_from_a_folder_is_played_saved_and_shown_again(play, tmp_path):
    game, name = f"game={toys.FOLDER}", tmp_path / "one"
    code, out, error = play(game, "seed=2", f"save={name}", typed="walk\nstep\nundo\nundo\nwalk\nstep\nquit\n")
    assert (code, error) == (0, "")
    assert out.count("Taken back.") == 2
    shown = re.findall(r"First: .* die: \d", out)
    assert shown[:3] == [shown[4], *shown[5:7]], "what is played again meets the same dice"
    again = play(game, f"replay={name}.json")[1]
    assert re.findall(r"die: (\d)", again)[::2] == [line[-1] for line in shown[-3:]]
    assert "die" in name.with_suffix(".svg").read_text()
    assert "dice" in play(f"replay={name}.json")[2], "no file makes a folder be imported"
    error = play(game, "opponent=search")[2]
    assert error.endswith("champion, human, program, random; chance takes part in dice, so that no search plays it\n")
    assert play(game, "player=random", "seed=2")[1] == play(game, "player=random", "seed=2")[1]
    assert "There are no hints" in play(game, typed="hint\n")[1]


@pytest.mark.thorough
def test_the_champion_of_a_game_from_a_folder_plays_where_the_folder_is_named(play, tmp_path):
    write_champion(tmp_path, {"name": "dice", "goal": 20}, cast(toys.SPEC).language, "1", size=1, depth=0)
    code, out, error = play(f"run={tmp_path}", f"game={toys.FOLDER}", typed="step\n")
    assert (code, error) == (0, "")
    assert "Opponent (champion) plays walk." in out
    assert "game.name=dice: accepted: backgammon, checkers, chess, freecell, mancala, " in play(f"run={tmp_path}")[2]


def test_help_on_the_command_line(play):
    code, out, _ = play("--help")
    assert code == 0
    assert "opponent=null" in out
    assert "search | champion | deepening | engine | human | program | random | strategy" in out


@pytest.mark.parametrize("name", TURNS)
def test_every_game_tells_its_rules_in_ten_lines_that_fit_a_terminal(name):
    rules = envs.spec(name).table.rules
    assert 3 <= rules.count("\n") <= 10
    assert rules.endswith("\n")
    assert max(map(len, rules.splitlines())) <= 88


@pytest.mark.thorough
def test_colours_of_a_game_are_patterns_that_its_opening_has():
    for name in TURNS:
        spec = envs.spec(name)
        text = spec.drawing.text(envs.make(name), opening(name))
        found = [bool(re.search(pattern, text)) for pattern in spec.table.colours]
        assert not found or any(found), name
