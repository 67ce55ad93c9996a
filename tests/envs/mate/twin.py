# ruff: noqa: N802  Terminals have the names of the source.
"""Problems of chess by python-chess, for `tests.reference.moves`: the list of moves, and the terminals, one by one.

Nothing here is shared with the project. A board is one of python-chess; `solver` is the colour of the solver.
"""

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
TAKEN = [chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN]
NEW = [chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT]


def edge(square):
    x, y = chess.square_file(square), chess.square_rank(square)
    return min(x, y, 7 - x, 7 - y)


class Rules:
    def __init__(self, solver, near=2):
        self.solver, self.near = solver, near

    def moves(self, board):
        """Checks, captures by what is taken, the rest; then by from, to and new kind, as the side to move sees them."""
        found = list(board.legal_moves)

        def seen(square):
            return square if board.turn else square ^ 56

        def place(move):
            kind = 6
            if board.gives_check(move):
                kind = 0
            elif board.is_capture(move):
                taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
                kind = 1 + TAKEN.index(taken)
            end, start = seen(move.to_square), seen(move.from_square)
            new = NEW.index(move.promotion) if move.promotion else 0
            return kind, start, end, new

        return sorted(found, key=place)

    def make(self, board, move):
        board = board.copy(stack=False)
        board.push(move)
        return board

    def mine(self, board):
        return board.turn == self.solver

    def key(self, board):
        passing = board.ep_square if board.has_pseudo_legal_en_passant() else None
        return board.board_fen(), board.turn, board.castling_rights, passing

    def won(self, board):
        return board.is_checkmate()

    def forcing(self, board, move):
        return board.gives_check(move)

    def see(self, name, before, move, board):
        return getattr(self, name)(before, move, board)

    # What the terminals see.

    def king(self, board):
        return board.king(not self.solver)

    def close(self, board, square):
        return chess.square_distance(square, self.king(board)) <= self.near

    def others(self, board):
        return [s for s, man in board.piece_map().items() if man.color != self.solver]

    def own(self, board):
        return [s for s, man in board.piece_map().items() if man.color == self.solver]

    def beside(self, board):
        return [s for s in chess.SQUARES if chess.square_distance(s, self.king(board)) == 1]

    def steps(self, board):
        """Where the opponent's king may go, as if it were its turn."""
        found = []
        for square in self.beside(board):
            man = board.piece_at(square)
            if man and man.color != self.solver:
                continue
            after = board.copy(stack=False)
            after.remove_piece_at(self.king(board))
            after.set_piece_at(square, chess.Piece(chess.KING, not self.solver))
            if not after.is_attacked_by(self.solver, square):
                found.append(square)
        return found

    def pinned(self, board):
        return [s for s in self.others(board) if s != self.king(board) and board.is_pinned(not self.solver, s)]

    def checkers(self, board):
        return list(board.attackers(self.solver, self.king(board)))

    def around(self, board):
        area = set(self.beside(board))
        return [s for s in self.own(board) if area & set(board.attacks(s))]

    def can_check(self, board):
        """Men that can go where they attack the king, pins, promotions and castling apart."""
        found = []
        for square in self.own(board):
            kind = board.piece_type_at(square)
            if kind == chess.KING:
                continue
            goals = [s for s in board.attacks(square) if board.color_at(s) != self.solver]
            if kind == chess.PAWN:
                goals = [s for s in goals if board.color_at(s) == (not self.solver)]
                up = 8 if self.solver else -8
                if not board.piece_at(square + up):
                    goals.append(square + up)
                    home = chess.square_rank(square) == (1 if self.solver else 6)
                    if home and not board.piece_at(square + 2 * up):
                        goals.append(square + 2 * up)
                goals = [s for s in goals if s == self.king(board) or chess.square_rank(s) not in (0, 7)]
            for goal in goals:
                if goal == self.king(board):
                    found.append(square)
                    break
                after = board.copy(stack=False)
                # The man stays where it is, too: lines through it are not open yet.
                after.set_piece_at(goal, chess.Piece(kind, self.solver))
                if self.king(board) in after.attacks(goal):
                    found.append(square)
                    break
        return found

    def IsCheck(self, before, move, board):
        return bool(self.checkers(board))

    def OppKingProximityToEdges(self, before, move, board):
        return 3 - edge(self.king(board))

    def NumOppPiecesAttacked(self, before, move, board):
        men = [s for s in self.others(board) if s != self.king(board) and self.close(board, s)]
        return sum(board.is_attacked_by(self.solver, s) for s in men)

    def IsCheckFork(self, before, move, board):
        men = set(self.others(board)) - {self.king(board)}
        return any(men & set(board.attacks(s)) for s in self.checkers(board))

    def NumNotMovesOppKing(self, before, move, board):
        return 8 - len(self.steps(board))

    def NumNotMovesOppBigger(self, before, move, board):
        return len(self.steps(board)) < len(self.steps(before))

    def IsOppKingProtectingPiece(self, before, move, board):
        return bool(set(self.beside(board)) & set(self.others(board)))

    def EvaluateMaterial(self, before, move, board):
        sign = {self.solver: 1, (not self.solver): -1}
        return sum(sign[man.color] * WORTH[man.piece_type] for man in board.piece_map().values())

    def IsMaterialChange(self, before, move, board):
        return before.is_capture(move)

    def IsOppKingStuck(self, before, move, board):
        return all(edge(s) < edge(self.king(board)) for s in self.steps(board))

    def IsOppPiecePinned(self, before, move, board):
        return bool(self.pinned(board))

    def IsNextMoveForced(self, before, move, board):
        return not self.mine(board) and board.legal_moves.count() == 1

    def IsNextMoveForcedWithKing(self, before, move, board):
        moves = list(board.legal_moves)
        return not self.mine(board) and bool(moves) and all(m.from_square == self.king(board) for m in moves)

    KingMustMove = IsNextMoveForcedWithKing

    def IsPinCloseToKing(self, before, move, board):
        return any(self.close(board, s) for s in self.pinned(board))

    def NumMyPiecesCanCheck(self, before, move, board):
        return len(self.can_check(board))

    def DidNumAttackingKingIncrease(self, before, move, board):
        return len(self.around(board)) > len(self.around(before))

    def stood(self, before, board):
        return set(self.checkers(board)) & set(self.own(before))

    def IsDiscoveredCheck(self, before, move, board):
        return bool(self.stood(before, board))

    def IsDiscoveredProtectedCheck(self, before, move, board):
        return any(board.is_attacked_by(self.solver, s) for s in self.stood(before, board))

    def CapturesClose(self, before, move, board):
        if not before.is_capture(move):
            return False
        square = move.to_square
        if before.is_en_passant(move):
            square = chess.square(chess.square_file(square), chess.square_rank(move.from_square))
        return self.close(board, square)

    def PinsClose(self, before, move, board):
        return any(self.close(board, s) for s in set(self.pinned(board)) - set(self.pinned(before)))

    def AttacksKing(self, before, move, board):
        return bool((set(self.own(board)) - set(self.own(before))) & set(self.around(board)))

    def ClearsWay(self, before, move, board):
        return bool((set(self.can_check(board)) - set(self.can_check(before))) & set(self.own(before)))

    def SuicideCheck(self, before, move, board):
        return any(m.to_square in self.checkers(board) for m in board.legal_moves) and self.IsCheck(None, None, board)

    def HasCheck(self, before, move, board):
        return self.mine(board) and any(map(board.gives_check, board.legal_moves))
