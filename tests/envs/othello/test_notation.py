"""Whole games of Othello in the notations of the field."""

import pytest

import envs
from envs.othello import notation
from envs.othello.notation import FORMATS, read_game, read_wthor
from envs.othello.render import action_name
from jaxgp.errors import UsageError
from jaxgp.host import savedgame
from jaxgp.seats.agents import random_agent
from jaxgp.seats.moves import Stepper, game_key, play_on
from tests.envs.replays import keys_of, random_games

GAME = envs.make("othello")
GGF = (
    "(;GM[Othello]PC[A server]DT[2001.01.01 00:00:00.EST]PB[bla\\]ck]PW[white]RB[1500]RW[1500]TI[15:00//02:00]TY[8r]"
    "RE[+2.000]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    "B[F5//1]W[D6//1]B[C3//1]W[D3//1];)"
)


def names(found):
    return [action_name(found.rules, action) for action in found.actions]


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3d3c4",
        "F5D6C3D3C4\r\n",
        "f5 d6 c3 d3 c4",
        "1. F5 d6 2. C3 d3 3. C4",
        "1:f5, 2:d6, 3:c3\nd3 c4",
        "# a\nf5d6c3\nd3c4",
    ],
)
def test_a_transcript_is_read_however_it_is_written(text):
    assert names(read_game(GAME, text)) == ["f5", "d6", "c3", "d3", "c4"]


def with_passes():
    """A random game with passes: its actions, and its states."""
    agent = random_agent(GAME)
    for number in range(100):
        record = play_on(Stepper(GAME, game_key(1, number)), (agent, agent))
        actions = [move.action for move in record[1:]]
        if GAME.area in actions:
            return actions, [move.state for move in record]
    raise AssertionError


@pytest.mark.thorough
def test_passes_may_be_left_out_or_written():
    actions, _ = with_passes()
    left_out = notation.transcript(GAME, actions)
    assert "pass" not in left_out
    for word in ("pass", "PA", "--", " ps "):
        written = "".join(word if action == GAME.area else action_name(GAME, action) for action in actions)
        assert list(read_game(GAME, written).actions) == list(read_game(GAME, left_out).actions) == actions


def test_ggf_has_names_and_the_size_of_the_board_and_its_files_hold_several_games():
    found = read_game(GAME, GGF)
    assert (names(found), found.players) == (["f5", "d6", "c3", "d3"], ("bla]ck", "white"))
    small = "(;GM[Othello]BO[4 ---- -O*- -*O- ---- *]B[d3]W[d4];)"
    found = read_game(GAME, f"2 {GGF}\n{small}", 2)
    assert (names(found), found.rules.size) == (["d3", "d4"], 4)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("f5d6\nf5f6\nf5f4", "the file has 3 games; accepted: FILE#N, with N from 1 to 3"),
        ("f5f5", "move 2: f5 cannot be played there; accepted: f4, d6, f6"),
        ("f5k6", '"k6" is no move; accepted: squares, as in f5d6c3, and pass'),
        ("f5 pass", "move 2: pass cannot be played there; accepted: f4, d6, f6"),
        ("# nothing", "the text holds no moves; accepted: squares, as in f5d6c3"),
        ("i9", 'move 1: "i9" is not a move; accepted: a1 to h8, pass'),
        ("(;GM[Othello]B[f5]", "a game in GGF that does not end"),
        ("(;GM[Go]B[f5];)", r"GM\[Go\] is another game; accepted: GM\[Othello\]"),
        ("(;GM[Othello]TY[8a]B[f5];)", r"TY\[8a\]: the side with fewer discs wins there"),
        (GGF.replace("---O*---", "---OO---"), r"the game begins with a position of its own, BO\[..\]; accepted: games"),
        (GGF.replace("BO[8", f"BO[{'9' * 5000}"), r"BO\[9{20} \.\.\]: accepted: boards of "),
        (GGF + GGF, "the file has 2 games; accepted: FILE#N, with N from 1 to 2"),
    ],
)
def test_what_is_no_game_is_refused_in_words(text, fault):
    with pytest.raises(ValueError, match=fault):
        read_game(GAME, text)


def test_wthor_has_a_record_of_68_bytes_for_each_game():
    """Its moves are 10 * row + column, so f5 is 56; passes are left out, and there are no names."""
    moves = bytes([56, 64, 33, 34]) + bytes(56)
    records = [bytes([1, 0, player, 0, 9, 1, 40, 42]) + moves for player in (7, 8)]
    content = bytes([20, 1, 1, 1, 2, 0, 0, 0, 0, 0, 209, 7, 8, 0, 22, 0]) + b"".join(records)
    found = read_wthor(GAME, content, 2)
    assert (names(found), found.players) == (["f5", "d6", "c3", "d3"], ("player 8", "player 265"))
    for wrong, fault in (
        (content[:10], "10 bytes; accepted: a file of WTHOR"),
        (content[:-1], "the file ends after 1 of its 2 games"),
        (content[:12] + b"\x0a" + content[13:], "boards of 10 x 10; accepted: WTHOR with games on 8 x 8"),
        (content[:13] + b"\x02" + content[14:], "records of type 2; accepted: WTHOR with games"),
        (content, "the file has 2 games; accepted: FILE#N, with N from 1 to 2"),
        (content.replace(b"\x38", b"\x63"), "99 is no square; accepted"),
    ):
        with pytest.raises(ValueError, match=fault):
            read_wthor(GAME, wrong, None if "has 2" in fault else 1)


def test_files_are_read_by_their_endings_and_a_size_that_was_asked_for_is_kept(tmp_path):
    actions, states = with_passes()
    for ending, form in FORMATS.items():
        content = form.write(GAME, ("A", "B"), states, actions)
        (tmp_path / f"a{ending}").write_bytes(content if isinstance(content, bytes) else content.encode())
        again = savedgame.read(str(tmp_path / f"a{ending}"), envs, {"name": "othello"})
        assert [move.action for move in again.moves[1:]] == actions
    with pytest.raises(UsageError, match=r"^game.size=6: replay=.*a\.ggf is a game with game.size=8; leave it out"):
        savedgame.read(str(tmp_path / "a.ggf"), envs, {"name": "othello", "size": 6})


@pytest.mark.thorough
@pytest.mark.parametrize("size", [8, 6])
@pytest.mark.parametrize("games", [6, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_come_back_from_every_format(size, games):
    game = envs.make("othello", size=size)
    for record in random_games(game, keys_of(2, games), 2 * game.area):
        actions, states = [move.action for move in record[1:]], [move.state for move in record]
        for ending, form in FORMATS.items():
            if ending == ".wtb" and size != 8:
                with pytest.raises(ValueError, match="WTHOR has games on 8 x 8 squares"):
                    form.write(game, ("A", "B"), states, actions)
                continue
            content = form.write(game, ("A]", "B\\"), states, actions)
            read = read_game if form.read is None else form.read
            found = read(GAME if ending == ".ggf" else game, content)
            assert (found.rules, list(found.actions)) == (game, actions)
            assert ending != ".ggf" or found.players == ("A]", "B\\")
