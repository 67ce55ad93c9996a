"""The plain rules by published counts of moves, and errors in them that these counts find."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from envs.mate import plain

COUNTS = {
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191),
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1": (24, 496),
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1": (26, 568),
    "8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28": (5, 117),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486),
}
"""Moves, and pairs of moves, as published by the Chess Programming Wiki, "Perft Results"."""
ENDS = {
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1": True,
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1": False,
    "6rk/6pp/7N/8/8/8/8/6K1 b - - 0 1": False,
    "6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1": True,
}
"""Whether the side to move is mated."""
LINES = {
    ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1"): False,
    ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"): True,
    ("r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "g2a8 e8c8"): False,
    ("r3k2r/8/8/8/8/8/6B1/4K3 w kq - 0 1", "g2a8 e8g8"): True,
    ("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "e8e7 e1e2 e7e8 e2e1 e8g8"): False,
}
"""Whether the last of some moves is legal."""
ERRORS = {
    "stalemate is mate": ("return checked(position) and not moves(position)", "return not moves(position)"),
    "pinned men move": ("if not _attacked(after.cells, king, not position.white):", "if True:"),
    "pawns attack backwards": ("behind = 10 if by_white else -10", "behind = -10 if by_white else 10"),
    "the pawn that passed stays": ('cells[goal + (10 if position.white else -10)] = "."', "pass"),
    "nothing is taken in passing": ("or (goal == passing and passing)", ""),
    "a pawn that has passed is not known": ("if abs(goal - origin) == 20:", "if False:"),
    "pawns jump over men": ('if cells[origin + up] == ".":', "if True:"),
    "pawns become queens alone": ('("qrbn" if', '("q" if'),
    "the king castles through check": ("for step in safe)", "for step in safe[:1])"),
    "the king castles past men": ("for step in empty)", "for step in empty[:1])"),
    "the rook stays": ('cells[(goal + origin) // 2], cells[rook] = cells[rook], "."', "pass"),
    "a rook that is taken castles": ("if cell_of(corner) in (origin, goal):", "if cell_of(corner) == origin:"),
    "a king that has moved castles": ('{"K": "KQ", "k": "kq"}.get(man, "")', '""'),
    "kings slide": ('if man in "NnKk":', 'if man in "Nn":'),
}
"""What is wrong, and by which change of the source."""


def agree(rules):
    """Whether rules give the published counts, castle where they may, and know mates."""
    for text, (moves, pairs) in COUNTS.items():
        after = rules.moves(rules.start(text)).values()
        if len(after) != moves or sum(len(rules.moves(position)) for position in after) != pairs:
            return False
    for (text, line), legal in LINES.items():
        position, (*before, last) = rules.start(text), line.split()
        for name in before:
            position = rules.moves(position)[name]
        if (last in rules.moves(position)) != legal:
            return False
    return all(rules.won(rules.start(text)) == mated for text, mated in ENDS.items())


def test_plain_rules_give_the_published_counts():
    assert agree(plain)


@pytest.mark.few(3)
@pytest.mark.parametrize("error", ERRORS)
def test_a_deliberate_error_in_the_rules_is_found(error):
    old, new = ERRORS[error]
    source = Path(plain.__file__).read_text(encoding="utf-8")
    assert source.count(old) == 1
    names = {"__name__": "broken"}
    exec(compile(source.replace(old, new), "broken", "exec"), names)
    assert not agree(SimpleNamespace(**names))
