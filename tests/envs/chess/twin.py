"""The terminals of chess in plain Python on boards of python-chess, written from their sentences."""

import chess

WORTH = {chess.KING: 0, chess.QUEEN: 9, chess.ROOK: 5, chess.BISHOP: 3, chess.KNIGHT: 3}


def edge(square):
    x, y = chess.square_file(square), chess.square_rank(square)
    return min(x, 7 - x, y, 7 - y)


def attacked_by(board, side, square):
    return list(board.attackers(side, square))


def men(board, side):
    return [square for square, man in board.piece_map().items() if man.color == side]


def worth(board, square):
    return WORTH[board.piece_type_at(square)]


def king_moves(board, side):
    """Squares where the king of a side may go, if it is that side's turn."""
    bare = board.copy(stack=False)
    bare.remove_piece_at(board.king(side))
    found = []
    for square in chess.SquareSet(chess.BB_KING_ATTACKS[board.king(side)]):
        man = board.piece_at(square)
        if (man is None or man.color != side) and not bare.is_attacked_by(not side, square):
            found.append(square)
    return found


def wins_material(board, side):
    """Whether a side has a capture that wins material even if it is answered on the same square."""
    for victim in men(board, not side):
        for attacker in attacked_by(board, side, victim):
            if board.piece_type_at(victim) == chess.KING:
                continue
            after = board.copy(stack=False)
            moved = after.remove_piece_at(attacker)
            after.set_piece_at(victim, moved)
            answers = attacked_by(after, not side, victim)
            if attacked_by(after, side, victim):
                answers = [square for square in answers if after.piece_type_at(square) != chess.KING]
            if moved.piece_type == chess.KING and answers:
                continue
            if worth(board, victim) - (WORTH[moved.piece_type] if answers else 0) > 0:
                return True
    return False


def behind(board, side):
    """Whether the king of a side is two or more squares behind a man that is attacked along the ray."""
    king = board.king(side)
    for man in men(board, side):
        for attacker in attacked_by(board, not side, man):
            far = chess.square_distance(attacker, king) - chess.square_distance(attacker, man)
            if man != king and chess.between(attacker, king) & chess.BB_SQUARES[man] and far >= 2:
                return True
    return False


def protects_each_other(board, side):
    mine = men(board, side)
    return any(b in board.attacks(a) and a in board.attacks(b) for a in mine for b in mine if a != b)


def rook_distance(board, side):
    rooks = board.pieces(chess.ROOK, side)
    return min((chess.square_distance(board.king(side), rook) for rook in rooks), default=None)


def nearest(some, others):
    return min((chess.square_distance(a, b) for a in some for b in others), default=0)


def safe_moves(board):
    """How many moves there are after which the side that has not moved can take nothing that wins material."""
    count = 0
    for move in list(board.legal_moves):
        board.push(move)
        count += not wins_material(board, board.turn)
        board.pop()
    return count


def mates_in_one(board):
    for move in list(board.legal_moves):
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def hits_of(board, man):
    """The men of the other side that a man attacks."""
    return [square for square in board.attacks(man) if board.color_at(square) == (not board.color_at(man))]


def terminals(board, captured):
    """Each terminal by its name; `board` is the position after a move of the side that waits."""
    opp, my = board.turn, not board.turn
    mine, theirs = men(board, my), men(board, opp)
    hit = [square for square in mine if attacked_by(board, opp, square)]
    hits = [square for square in theirs if attacked_by(board, my, square)]
    queens = {side: list(board.pieces(chess.QUEEN, side)) for side in (my, opp)}
    enemies = {side: [hits_of(board, man) for man in men(board, side)] for side in (my, opp)}
    fork = {side: any(len(some) >= 2 for some in enemies[side]) for side in (my, opp)}
    kings = {side: board.king(side) for side in (my, opp)}
    material = {side: sum(worth(board, man) for man in men(board, side)) for side in (my, opp)}
    near = {side: rook_distance(board, side) for side in (my, opp)}
    active = {side: [man for man in men(board, side) if hits_of(board, man)] for side in (my, opp)}
    return {
        "NotMyKingInCheck": kings[my] not in hit,
        "IsOppKingInCheck": board.is_check(),
        "MyKingDistEdges": edge(kings[my]),
        "OppKingProximityToEdges": 3 - edge(kings[opp]),
        "NumMyPiecesNotAttacked": len(mine) - len(hit),
        "NumOppPiecesAttacked": len(hits),
        "ValueMyPiecesAttacking": sum(worth(board, man) for man in active[my]),
        "ValueOppPiecesAttacking": sum(worth(board, man) for man in active[opp]),
        "IsMyQueenNotAttacked": not any(queen in hit for queen in queens[my]),
        "AreMyPiecesUnattacked": not hit,
        "IsOppQueenAttacked": any(queen in hits for queen in queens[opp]),
        "IsMyFork": fork[my],
        "IsOppNotFork": not fork[opp],
        "NumMovesMyKing": len(king_moves(board, my)),
        "NumNotMovesOppKing": 8 - len(king_moves(board, opp)),
        "MyKingProxRook": 0 if near[my] is None else 7 - near[my],
        "OppKingDistRook": near[opp] or 0,
        "MyPiecesSameLine": protects_each_other(board, my),
        "OppPiecesNotSameLine": not protects_each_other(board, opp),
        "IsOppKingProtectingPiece": any(board.color_at(s) == opp for s in board.attacks(kings[opp])),
        "IsMyKingProtectingPiece": any(board.color_at(s) == my for s in board.attacks(kings[my])),
        "EvaluateMaterial": material[my] - material[opp],
        "100*IsMaterialIncrease": 100 * captured,
        "1000*IsMate": 1000 * board.is_checkmate(),
        "-1000*IsMateInOne": -1000 * mates_in_one(board),
        "OppPieceCanBeCaptured": wins_material(board, my),
        "MyPieceCannotBeCaptured": not wins_material(board, opp),
        "IsOppKingStuck": all(edge(goal) < edge(kings[opp]) for goal in king_moves(board, opp)),
        "IsMyKingNotStuck": any(edge(goal) > edge(kings[my]) for goal in king_moves(board, my)),
        "IsOppKingBehindPiece": behind(board, opp),
        "IsMyKingNotBehindPiece": not behind(board, my),
        "IsOppPiecePinned": any(board.is_pinned(opp, man) for man in theirs),
        "IsMyPieceNotPinned": not any(board.is_pinned(my, man) for man in mine),
        "IsStalemate": board.is_stalemate(),
        "IsMyKingInCheck": kings[my] in hit,
        "IsMyPieceAttacked": bool(hit),
        "IsOppPieceAttacked": bool(hits),
        "NumMovesOppKing": len(king_moves(board, opp)),
        "IsMyPieceProtected": any(attacked_by(board, my, man) for man in mine),
        "IsOppPieceProtected": any(attacked_by(board, opp, man) for man in theirs),
        "IsMyQueenAttacked": any(queen in hit for queen in queens[my]),
        "NumOppPiecesNotAttacked": len(theirs) - len(hits),
        "IsMyPieceAttackedUnprotected": any(not attacked_by(board, my, man) for man in hit),
        "MyKingDistOppKing": chess.square_distance(kings[my], kings[opp]),
        "MyKingDistQueen": nearest([kings[my]], queens[my]),
        "MyKingDistOppRook": nearest([kings[my]], board.pieces(chess.ROOK, opp)),
        "MyQueenDistOppRook": nearest(queens[my], board.pieces(chess.ROOK, opp)),
        "NumMovesOpp": board.legal_moves.count(),
        "NumSafeMovesOpp": safe_moves(board),
    }
