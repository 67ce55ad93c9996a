"""Other readings of the terminals of the source, and how many values of its table 5.1 each of them gives back."""

import itertools
import re
from functools import partial

import pytest

chess = pytest.importorskip("chess", reason="python-chess is not installed")

from tests.envs.chess import twin  # noqa: E402
from tests.envs.chess.test_language import GPEC, LINE, POSITION, PRINTED  # noqa: E402


def king_moves(board, side, *, stays, takes):
    """Squares where a king may go; `stays`: it shades the squares behind itself; `takes`: guarded men as well."""
    seen = board.copy(stack=False)
    if not stays:
        seen.remove_piece_at(board.king(side))
    found = []
    for square in chess.SquareSet(chess.BB_KING_ATTACKS[board.king(side)]):
        man, guarded = board.color_at(square), seen.is_attacked_by(not side, square)
        if (not guarded and man in (None, not side)) or (takes and man == (not side)):
            found.append(square)
    return found


def takes_legally(board, side, *, least):
    """Whether a legal capture wins at least so much, recapture on the square included; None: any capture."""
    board = board.copy(stack=False)
    board.turn = side
    for move in [move for move in board.legal_moves if board.is_capture(move)]:
        gain, price = twin.worth(board, move.to_square), twin.WORTH[board.piece_type_at(move.from_square)]
        board.push(move)
        answered = any(reply.to_square == move.to_square for reply in board.legal_moves)
        board.pop()
        if least is None or gain - price * answered >= least:
            return True
    return False


def attacked(board, side, *, bare):
    """Whether a side attacks a man, but the king; `bare`: one that nobody guards."""
    men = [square for square in twin.men(board, not side) if board.piece_type_at(square) != chess.KING]
    return any(board.attackers(side, s) and not (bare and board.attackers(not side, s)) for s in men)


def behind(board, side, *, beyond):
    king = board.king(side)
    return any(
        man != king
        and chess.between(attacker, king) & chess.BB_SQUARES[man]
        and chess.square_distance(attacker, king) - chess.square_distance(attacker, man) >= beyond
        for man in twin.men(board, side)
        for attacker in board.attackers(not side, man)
    )


def forks(board, side, *, king, safe):
    """Whether a man attacks two; `king`: which may be the king; `safe`: and is not attacked itself."""
    return any(
        len([hit for hit in twin.hits_of(board, man) if king or board.piece_type_at(hit) != chess.KING]) >= 2
        and not (safe and board.attackers(not side, man))
        for man in twin.men(board, side)
    )


KINGS = [partial(king_moves, stays=stays, takes=takes) for stays in (False, True) for takes in (False, True)]
CAPTURES = [
    twin.wins_material,
    *(partial(takes_legally, least=least) for least in (None, 0, 1)),
    *(partial(attacked, bare=bare) for bare in (False, True)),
]
BEHIND = [partial(behind, beyond=beyond) for beyond in (1, 2, 3)]
FORKS = [partial(forks, king=king, safe=safe) for king in (True, False) for safe in (False, True)]


def parse(text):
    """Return a tree as nested lists."""
    words = re.findall(r"[()]|[^\s()]+", text)

    def read():
        word = words.pop(0)
        if word != "(":
            return word
        found = []
        while words[0] != ")":
            found.append(read())
        words.pop(0)
        return found

    return read()


def value(node, seen):
    if isinstance(node, str):
        return seen[node]
    name, *args = node
    if name == "If3":
        return value(args[1] if value(args[0], seen) else args[2], seen)
    found = [value(arg, seen) for arg in args]
    if name == "Not":
        return not found[0]
    return found[0] < found[1] if name == "Smaller" else any(found) if name.startswith("Or") else all(found)


def moves():
    """Yield each move of white: its printed value or None, its terminals, and what all readings say after it."""
    board = chess.Board(POSITION)
    for ply, word in enumerate(LINE):
        for move in list(board.legal_moves) if ply % 2 == 0 else ():
            name, captured, after = board.san(move), board.is_capture(move), board.copy(stack=False)
            after.push(move)
            my, opp = not after.turn, after.turn
            goals = [moves_of(after, opp) for moves_of in KINGS]
            edge = twin.edge(after.king(opp))
            said = {
                "king": [(8 - len(some), all(twin.edge(s) < edge for s in some)) for some in goals],
                "mine": [not can(after, opp) for can in CAPTURES],
                "theirs": [can(after, my) for can in CAPTURES],
                "behind": [(how(after, opp), not how(after, my)) for how in BEHIND],
                "fork": [how(after, my) for how in FORKS],
            }
            yield (ply // 2, name), PRINTED[ply // 2].get(name), twin.terminals(after, captured), said
        board.push_san(word)


@pytest.mark.slow
def test_no_reading_gives_back_more_than_20_of_the_27_printed_values():
    tree, known = parse(re.search(r"\(If3.*", GPEC, re.DOTALL)[0]), list(moves())
    found = {}
    for chosen in itertools.product(*(range(len(some)) for some in known[0][3].values())):
        wrong, others = set(), 0
        for move, printed, terminals, said in known:
            king, mine, theirs, back, fork = (some[n] for some, n in zip(said.values(), chosen, strict=True))
            seen = terminals | dict(
                zip(("NumNotMovesOppKing", "IsOppKingStuck"), king, strict=True),
                MyPieceCannotBeCaptured=mine,
                OppPieceCanBeCaptured=theirs,
                IsOppKingBehindPiece=back[0],
                IsMyKingNotBehindPiece=back[1],
                IsMyFork=fork,
            )
            worth = value(tree, seen)
            wrong |= {move} if printed is not None and worth != printed else set()
            others += printed is None and worth != 0
        found[chosen] = wrong, others
    fewest = min(len(wrong) for wrong, _ in found.values())
    best = {chosen: one for chosen, one in found.items() if len(one[0]) == fewest}
    assert len(found) == 4 * 6 * 6 * 3 * 4
    assert fewest == 7, "27 less 20"
    assert found[0, 0, 0, 1, 0][1] == 7, "the readings of the language: other moves that are worth something"
    assert min(others for _, others in best.values()) == 3, "a king is behind a man from three squares on"
    assert {frozenset(wrong) for wrong, _ in best.values()} == {
        frozenset([(1, "Qxc4"), (1, "Qg3+"), (3, "Qf3+"), (4, "Qd5+"), (4, "Qc8+"), (5, "Qxc4"), (5, "Rb3+")])
    }
