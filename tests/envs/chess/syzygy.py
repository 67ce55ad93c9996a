"""Results of all positions of an endgame at once, from the files of Syzygy.

python-chess reads one position in 70 to 160 microseconds, 16 million of them in half an hour. So it finds the parts of
a file alone. Their values are unpacked whole, and the places of positions in them are computed side by side, as its
`encode_piece` does. Where a side can capture, a file says what suits its packing, unless that is better than all
captures, so captures are looked up too. Nothing here is shared with the tables or the rules of the project.

Positions are those of men as in FEN, K and Q or R of White before k and q or r of Black, at squares int[men, N].
"""

import math
from functools import cache

import chess
import numpy as np
from chess import syzygy

OFF_DIAGONAL = np.array([syzygy.offdiag(square) for square in chess.SQUARES])
FLIPPED = np.array([syzygy.flipdiag(square) for square in chess.SQUARES])
TRIANGLE, LOWER, DIAGONAL, KINGS = (np.array(x) for x in (syzygy.TRIANGLE, syzygy.LOWER, syzygy.DIAG, syzygy.KK_IDX))
CHOOSE = np.array([[math.comb(n, k) for k in range(3)] for n in range(64)])
BETWEEN = np.array([[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES], np.uint64)
LINES = [chess.BB_RANK_ATTACKS[a][0] | chess.BB_FILE_ATTACKS[a][0] for a in chess.SQUARES]
DIAGONALS = [chess.BB_DIAG_ATTACKS[a][0] for a in chess.SQUARES]
REACH = {
    kind: np.array([[mask >> b & 1 for b in chess.SQUARES] for mask in masks], bool)
    for kind, masks in (
        ("K", chess.BB_KING_ATTACKS),
        ("Q", [a | b for a, b in zip(LINES, DIAGONALS, strict=True)]),
        ("R", LINES),
    )
}
"""Where men could go on an empty board, bool[64, 64]."""


def results(files, men, turn, squares):
    """Return int8[N]: 1 where the side to move wins, -1 where it loses, 0 in draws; `turn` is True for White."""
    if len(men) == 2:
        return np.zeros(squares.shape[1], np.int8)
    best = _stored(files, men, turn, squares)
    for place, victim in ((a, b) for a in _of(men, turn) for b in _of(men, not turn) if men[b] not in "Kk"):
        moved = squares.copy()
        moved[place] = squares[victim]
        after, left = np.delete(moved, victim, 0), men[:victim] + men[victim + 1 :]
        taken = np.flatnonzero(attacked(men, squares, place, victim) & ~checked(left, turn, after))
        best[taken] = np.maximum(best[taken], -results(files, left, not turn, after[:, taken]))
    return best


def _of(men, turn):
    return [n for n, man in enumerate(men) if man.isupper() == turn]


def attacked(men, squares, place, victim):
    """Return bool[N]: whether one of the men attacks another."""
    occupied = (np.uint64(1) << squares.astype(np.uint64)).sum(0, dtype=np.uint64)
    here, there = squares[place], squares[victim]
    return REACH[men[place].upper()][here, there] & (BETWEEN[here, there] & occupied == 0)


def checked(men, turn, squares):
    """Return bool[N]: whether the king of a side is attacked."""
    king = men.index("K" if turn else "k")
    return np.any([attacked(men, squares, place, king) for place in _of(men, not turn)], axis=0)


def legal(men, turn, squares):
    """Return bool[N]: whether all squares differ, and the side that waits is not in check."""
    apart = np.all([squares[a] != squares[b] for a in range(len(men)) for b in range(a)], axis=0)
    return apart & ~checked(men, not turn, squares)


def _stored(files, men, turn, squares):
    """Return int8[N]: what a file says."""
    key = "v".join("".join(man.upper() for man in men if man.isupper() == white) for white in (True, False))
    table = files.wdl[key]
    table.init_table_wdl()
    swap = not turn if table.symmetric else key != table.key
    side = 0 if table.symmetric else int(turn == swap)
    rows = list[int]()
    for code in table.pieces[side]:
        man = chess.Piece(code & 7, (code >> 3 == 0) != swap).symbol()
        rows.append(next(n for n, one in enumerate(men) if one == man and n not in rows))
    return np.sign(_unpacked(table, side)[_places(table, side, squares[rows])] - np.int8(2))


def _places(table, side, squares):
    """Return int[N]: the places of positions in a part of a file; the squares are in its order of men."""
    leading = 3 if table.enc_type == 0 else 2
    squares = np.where(squares[0] & 4, squares ^ 7, squares)
    squares = np.where(squares[0] & 32, squares ^ 56, squares)
    off = OFF_DIAGONAL[squares[:leading]]
    first = np.take_along_axis(off, np.argmax(off != 0, axis=0)[None], 0)[0]
    squares = np.where(first > 0, FLIPPED[squares], squares)
    place = (_three(*squares[:3]) if leading == 3 else KINGS[TRIANGLE[squares[0]], squares[1]]) * table.factor[side][0]
    begin = leading
    while begin < len(squares):
        end = begin + table.norm[side][begin]
        for number, row in enumerate(np.sort(squares[begin:end], axis=0), start=1):
            before = (row > squares[:begin]).sum(0)
            place = place + CHOOSE[row - before, number] * table.factor[side][begin]
        begin = end
    return place


def _three(a, b, c):
    """Return int[N]: the number of the squares of three men that differ, the first in the triangle a1, d1, d4."""
    i, j = b > a, (c > a).astype(int) + (c > b)
    diagonal = [OFF_DIAGONAL[x] == 0 for x in (a, b, c)]
    numbers = [
        TRIANGLE[a] * 63 * 62 + (b - i) * 62 + c - j,
        6 * 63 * 62 + DIAGONAL[a] * 28 * 62 + LOWER[b] * 62 + c - j,
        6 * 63 * 62 + 4 * 28 * 62 + DIAGONAL[a] * 7 * 28 + (DIAGONAL[b] - i) * 28 + LOWER[c],
        6 * 63 * 62 + 4 * 28 * 62 + 4 * 7 * 28 + DIAGONAL[a] * 7 * 6 + (DIAGONAL[b] - i) * 6 + DIAGONAL[c] - j,
    ]
    return np.select([~diagonal[0], ~diagonal[1], ~diagonal[2]], numbers[:3], numbers[3])


@cache
def _unpacked(table, side):
    """Return int8[size]: all values of a part of a file, from 0, lost, to 4, won."""
    pairs, data, size = table.precomp[side], table.data, table.tb_size[side]
    if not pairs.idxbits:
        return np.full(size, pairs.min_len, np.int8)

    @cache
    def spelled(symbol):
        low, middle, high = data[pairs.sympat + 3 * symbol : pairs.sympat + 3 * symbol + 3]
        if not pairs.symlen[symbol]:
            return bytes([low])
        return spelled((middle & 15) << 8 | low) + spelled(high << 4 | middle >> 4)

    found, block = bytearray(), 0
    while len(found) < size:
        end = len(found) + table.read_uint16(pairs.sizetable + 2 * block) + 1
        begin, bits = pairs.data + (block << pairs.blocksize), 8 << pairs.blocksize
        packed, used = int.from_bytes(data[begin : begin + bits // 8], "big"), 0
        while len(found) < end:
            code = ((packed << 64 + used) >> bits) & (2**64 - 1)
            length = next(n for n, base in enumerate(pairs.base, start=pairs.min_len) if code >= base)
            first = table.read_uint16(pairs.offset + 2 * length)
            found += spelled(first + (code - pairs.base[length - pairs.min_len] >> 64 - length))
            used += length
        del found[end:]  # the last symbol of a block may tell more
        block += 1
    assert len(found) == size
    return np.frombuffer(found, np.int8)
