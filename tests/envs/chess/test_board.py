"""Whole boards of chess: known counts of moves, python-chess beside random games, drawn positions, what is refused."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess.board import fen, moves, position, squares
from tests.envs.chess.boards import FAST, START, advanced, looked, perft, random_games, stacked

PERFT = {
    START: [20, 400, 8902, 197281],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [48, 2039, 97862, 4085603],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333],
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1": [6, 264, 9467, 422333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594],
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": [26, 568, 13744, 314346],
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1": [24, 496, 9483, 182838],
    "8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28": [5, 117, 3293, 67197],
}
"""Sequences of 1 to 4 moves, as published by the Chess Programming Wiki, "Perft Results"."""


@pytest.mark.parametrize("text", PERFT)
def test_there_are_as_many_sequences_of_three_moves_as_published(text):
    assert perft(text, 3) == PERFT[text][:3]


@pytest.mark.slow
@pytest.mark.parametrize("text", PERFT)
def test_there_are_as_many_sequences_of_four_moves_as_published(text):
    assert perft(text, 4) == PERFT[text]


def named(board, actions):
    return [fen.uci(board, action) for action in actions if action >= 0]


def agrees(chess, board, seen):
    """Whether what is read off one board is what python-chess says, the order of moves included."""
    actions, count, forcing, checked, won = seen
    other = chess.Board(fen.text(board))
    taken = {chess.QUEEN: 1, chess.ROOK: 2, chess.BISHOP: 3, chess.KNIGHT: 4, chess.PAWN: 5, None: 6}

    def place(move):
        victim = chess.PAWN if other.is_en_passant(move) else other.piece_type_at(move.to_square)
        level = 0 if other.gives_check(move) else taken[victim if other.is_capture(move) else None]
        ends = [square if other.turn else chess.square_mirror(square) for square in (move.from_square, move.to_square)]
        return level, *ends, (None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT).index(move.promotion)

    wanted = sorted(other.legal_moves, key=place)
    return (
        named(board, actions) == [move.uci() for move in wanted]
        and count == len(wanted)
        and forcing == sum(place(move)[0] == 0 for move in wanted)
        and checked == other.is_check()
        and won == other.is_checkmate()
        and (count == 0 and not checked) == other.is_stalemate()
    )


def one(tree, n):
    return jax.tree.map(lambda x: x[n], tree)


@pytest.mark.thorough
def test_boards_of_random_games_are_those_of_python_chess():
    chess = pytest.importorskip("chess")
    playing = np.ones(64, bool)
    for ply, (boards, seen, _) in enumerate(random_games(7, 64, 160)):
        for game in np.flatnonzero(playing)[ply % 16 :: 16]:
            assert agrees(chess, one(boards, game), one(seen, game)), fen.text(one(boards, game))
        playing &= seen[1] > 0


def quick(other):
    """Return the legal moves of python-chess as numbers without their class, in order of numbers."""
    turned, numbers = 0 if other.turn else 56, []
    for move in other.legal_moves:
        start, end = move.from_square ^ turned, move.to_square ^ turned
        code = 4 * (end - start - 7) + 5 - move.promotion if move.promotion else end
        numbers.append(64 * start + code)
    return sorted(numbers)


def as_played(chess, other, action):
    """Return the move of python-chess on its board that an action stands for."""
    turned, start, code = 0 if other.turn else 56, action >> 6 & 63, action & 63
    promotes = start >= 48 and other.piece_type_at(start ^ turned) == chess.PAWN
    end = start + 7 + (code >> 2) if promotes else code
    return chess.Move(start ^ turned, end ^ turned, 5 - (code & 3) if promotes else None)


@pytest.mark.slow
def test_every_board_of_20000_random_games_is_that_of_python_chess():
    chess = pytest.importorskip("chess")
    together = 4000
    for seed in range(5):
        games, playing = [chess.Board() for _ in range(together)], np.ones(together, bool)
        for _, (actions, count, _, checked, won), chosen in random_games(seed, together, 150):
            for n in np.flatnonzero(playing):
                assert sorted((actions[n, : count[n]] & 4095).tolist()) == quick(games[n]), games[n].fen()
                check = games[n].is_check()
                assert (checked[n], won[n]) == (check, check and count[n] == 0)
            playing &= count > 0
            for n in np.flatnonzero(playing):
                games[n].push(as_played(chess, games[n], int(chosen[n])))


def test_stalemate_is_no_mate():
    actions, count, _, checked, won = looked(
        stacked(["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
    )
    assert [each.tolist() for each in (count, checked, won)] == [[0, 0], [False, True], [False, True]]
    assert (actions == -1).all()


@pytest.mark.parametrize(
    ("text", "wanted", "why"),
    [
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", False, "both pawns leave the row between rook and king"),
        ("8/8/8/3pP2r/8/8/8/K3k3 w - d6 0 1", True, "no king is on the row"),
        ("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1", False, "the pawn is pinned"),
        ("7k/8/8/3pP3/4K3/8/8/8 w - d6 0 1", True, "the pawn that has passed gives check"),
        ("b6k/8/8/3pP3/8/8/6K1/8 w - d6 0 1", False, "the pawn that is taken stands before a bishop"),
    ],
)
def test_a_capture_in_passing_is_legal_where_it_leaves_no_check(text, wanted, why):
    board = stacked([text])
    assert ("e5d6" in named(one(board, 0), looked(board)[0][0])) == wanted, why


def test_the_side_that_castles_is_not_in_check_and_passes_no_attacked_square():
    texts = {
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1": {"e1g1", "e1c1"},
        "4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1": {"e1c1"},
        "4k3/8/8/8/8/1r6/8/R3K2R w KQ - 0 1": {"e1g1", "e1c1"},
        "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1": set(),
        "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1": {"e1c1"},
        "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1": {"e8g8", "e8c8"},
    }
    boards = stacked(texts)
    for n, (actions, wanted) in enumerate(zip(looked(boards)[0], texts.values(), strict=True)):
        assert set(named(one(boards, n), actions)) & {"e1g1", "e1c1", "e8g8", "e8c8"} == wanted


def test_promotions_come_in_four_kinds_and_know_their_checks():
    board = stacked(["8/P6k/8/8/8/8/8/K7 w - - 0 1"])
    actions, *_ = looked(board)
    assert [name for name in named(one(board, 0), actions[0]) if name.startswith("a7")] == [f"a7a8{k}" for k in "qrbn"]
    # The new queen sees the king along the line that its pawn leaves, the new knight does not.
    board = stacked(["8/4P3/8/8/4k3/8/8/K7 w - - 0 1"])
    actions, _, forcing, *_ = looked(board)
    assert named(one(board, 0), actions[0])[: forcing[0]] == ["e7e8q", "e7e8r"]


@pytest.mark.thorough
def test_other_orders_hold_the_same_moves():
    boards = stacked(list(PERFT))
    listed = jax.jit(
        lambda boards: [
            jax.vmap(partial(moves.listed, order=order))(jax.vmap(moves.look)(boards)) for order in moves.ORDERS
        ],
        compiler_options=FAST,
    )
    lists = map(np.asarray, listed(boards))
    for checks, captures, plain in zip(*lists, strict=True):
        numbers = [each[each >= 0] & 4095 for each in (checks, captures, plain)]
        assert numbers[2].tolist() == sorted(numbers[0]) == sorted(numbers[1])
        assert (np.diff(captures[captures >= 0]) > 0).all()


def test_equal_positions_have_equal_keys_and_others_have_not():
    texts = {fen.text(one(boards, n)) for boards, *_ in random_games(3, 32, 12) for n in range(32)}
    keys = {np.concatenate([position.key(fen.parse(text))]).tobytes() for text in texts}
    assert len(keys) == len(texts)


def test_what_is_written_is_read_again():
    for text in PERFT:
        board = fen.parse(text)
        again = fen.parse(fen.text(board))
        assert (position.key(board) == position.key(again)).all()


def test_a_pawn_that_none_can_take_in_passing_makes_no_other_position():
    start = advanced(stacked([START]), np.array([64 * 12 + 28]))
    assert fen.text(one(start, 0)) == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("8/8/8/8/8/8/8/K1k w - -", "rank 1 has 3 squares"),
        ("8/8/8 w - -", "there are 3 ranks"),
        ("K6k/8/8/8/8/8/8/8", "is no position"),
        ("K7/8/8/8/8/8/8/8 w - -", "does not move has 0 kings"),
        ("KK5k/8/8/8/8/8/8/8 w - -", "moves has 2 kings"),
        ("K5Qk/8/8/8/8/8/8/8 w - -", "the side that does not move is in check"),
        ("K6k/8/8/8/8/8/8/P7 w - -", "a pawn stands on the first"),
        ("K6k/8/8/8/8/8/8/8 w KX -", "castling .KX"),
        ("K6k/8/8/8/8/8/8/8 w - e6", "no pawn has just passed e6"),
        ("K6k/8/8/8/8/8/8/8 w - e4", "square in passing .e4"),
        ("K6x/8/8/8/8/8/8/8 w - -", "rank 8 is .K6x"),
    ],
)
def test_what_is_no_position_is_refused_in_words(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        fen.parse(text)


def test_sets_know_their_squares():
    for square in (0, 5, 31, 32, 63, 64):
        below = squares.below(jnp.int32(square))
        assert int(below.low) | int(below.high) << 32 == (1 << square) - 1
        assert int(squares.at(jnp.int32(square)).first) == square
