"""What people type and see in chess."""

import re
from pathlib import Path

import jax
import numpy as np
import pytest

from envs.chess import hints, render
from envs.chess.notation import fen, pgn
from envs.chess.notation.moves import legal, read_turn, san
from envs.chess.rules import Chess
from jaxgp.search.chance import stepping, unused_key

ROOT = Path(__file__).parents[3]
FEN = "7k/8/8/6K1/3R4/8/8/3R4 w - - 7 1"
GAME = Chess(start="fen", fen=FEN)


@pytest.mark.thorough
def test_the_program_of_the_page_plays_a_legal_move(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    program = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "chess.md").read_text("utf-8"), re.DOTALL)[1]
    exec(compile(program, "program", "exec"), made := {"__name__": "program"})
    *board, _, status, move = capsys.readouterr().out.splitlines()
    assert [len(line.split()) for line in board] == [9] * 8
    assert status.startswith("White to move")
    assert render.parse_action(made["player"].cast.game, move) in [action for action, *_ in legal(made["state"])]


@pytest.fixture(scope="module")
def state():
    return jax.jit(GAME.init)(unused_key())


def test_a_position_is_read_as_it_is_written(state):
    assert fen.written(fen.parse(FEN)) == FEN
    assert pgn.fen_of(state) == FEN


@pytest.mark.parametrize("words", [2, 3, 4, 5, 6])
def test_words_at_the_end_of_a_position_may_be_left_out(words):
    clock = 7 if words > 4 else 0
    assert fen.written(fen.parse(" ".join(FEN.split()[:words]))) == FEN.replace("7 1", f"{clock} 1")


def test_positions_in_a_file_come_from_any_system(tmp_path):
    file = tmp_path / "positions.fen"
    file.write_bytes(b"\xef\xbb\xbf# two\r\n" + FEN.encode() + b"\r\n\r\n" + FEN.encode().replace(b" w ", b" b "))
    assert [one.first for one in fen.read_positions(str(file))] == [True, False]
    for wrong, why in ((tmp_path, "it is a directory; accepted: a file with"), ("/dev/zero", "no regular file")):
        with pytest.raises(ValueError, match=why):
            fen.read_positions(str(wrong))


def test_moves_are_typed_as_in_books_by_squares_and_by_the_names_of_actions(state):
    (long,) = read_turn(GAME, state, "d4d8")
    assert read_turn(GAME, state, "Rd8+") == [long]
    assert san(GAME, state, long) == "Rd8+"
    names = {render.action_name(GAME, action) for action, *_ in legal(state)}
    assert {"R2-d8", "R1-e1", "K-g6"} <= names
    assert [render.parse_action(GAME, render.action_name(GAME, long))] == [long]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("Rd2", "can be played by several men; accepted: R1d2, R4d2"),
        ("Rd9", "is not a move; accepted: a man and a square"),
        ("Kh7", "is not legal here; accepted: K"),
    ],
)
def test_what_cannot_be_played_is_answered_by_what_can(state, typed, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        read_turn(GAME, state, typed)


def test_a_game_is_read_as_it_is_written_and_by_python_chess(state):
    chess_pgn = pytest.importorskip("chess.pgn", reason="python-chess is not installed")
    import io

    states, actions, step = [state], [], stepping(GAME).step
    for word in ("Kg6", "Kg8", "Rd8#"):
        actions += read_turn(GAME, states[-1], word)
        states.append(step(states[-1], np.int32(actions[-1])))
    text = pgn.write_game(GAME, ("A", 'B "b"'), states, actions)
    assert '[Result "1-0"]' in text
    assert list(pgn.read_game(GAME, text).actions) == actions
    assert chess_pgn.read_game(io.StringIO(text)).end().board().is_checkmate()


def test_the_board_is_drawn_from_both_sides_and_names_what_stands_on_it(state):
    assert render.text(GAME, state).splitlines()[0] == "8 . . . . . . . k"
    assert render.text(GAME, state, 1).splitlines()[0] == "1 . . . . R . . ."
    picture = render.svg(GAME, state, 3)
    assert picture.startswith("<svg")
    assert "white rook d4" in picture


def test_outlines_of_men_are_closed_since_lines_of_black_men_vanish_on_light_squares():
    for shape in render.SHAPES:
        assert all(part.endswith("z") for part in re.findall("M[^M]+", shape))


@pytest.mark.thorough
def test_a_hint_names_the_best_move_and_what_it_keeps():
    game = Chess(start="fen", fen="7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    move, said = hints.hints(game)(jax.jit(game.init)(unused_key()))
    assert render.action_name(game, move) in ("K-f7", "K-g6")
    assert re.match(r"K(f7|g6) wins, mate in 2; kept by \d+ of \d+ moves", said)


def test_there_are_no_hints_without_a_table():
    move, said = hints.hints(Chess(endgame="KQRKQR"))(None)
    assert move is None
    assert "tables of up to four" in said
