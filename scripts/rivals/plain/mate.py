"""The program in `mate.cpp`, compiled when it is first asked."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jaxgp.errors import UsageError
from rivals.plain.compiled import build

SOURCE = Path(__file__).with_suffix(".cpp")
SEARCHES = ("plain", "captures", "checks", "last", "table", "staged", "few", "dfpn", "dfpn_replies", "lazy", "flights")
KNOWING = ("few_moves", "few_replies")
"""`few` where a move that wins, or a reply that refutes, comes first: another search finds it, which is not counted."""
FLIGHTS = ("few_flights", "dfpn_replies_flights")
"""Searches that on the last move pass over checks that surely leave the king a square, as `flights` does."""


class Counts(NamedTuple):
    """What a search has come to."""

    moves: int  # own moves of the mate; 0: none was found
    first: str
    nodes: int
    distinct: int  # boards; 0: not counted
    cut: bool


class Found(NamedTuple):
    """What a program that makes moves has come to."""

    chosen: int  # the first move, as `envs.chess` numbers the moves of its list
    score: float  # what it is worth, at most 1000
    nodes: int
    truncated: bool
    deepest: int  # plies of the longest line
    refused: int  # how often a function would have tried moves where the solver had none left
    proved: int  # whether the first move forces mate, where the program says so; -1: not known, or not looked for


class Claim(NamedTuple):
    """What a search that a genome guides has come to."""

    chosen: int  # the first move that mates, as `envs.chess` numbers the moves of its list; -1: none was found
    solved: bool
    nodes: int
    distinct: int  # boards, of searches by proof numbers; -1: not counted
    truncated: bool
    deepest: int  # plies of the longest line


def program() -> str:
    """Return the path of the compiled program; raises UsageError where there is no compiler."""
    made = build(SOURCE)
    if made is None:
        raise UsageError("g++: there is none; accepted: a machine with a C++ compiler")
    return made


def ask(words: Sequence[str], problems: Sequence[tuple[str, int]]) -> list[str]:
    """Run the program on problems, FEN and n; return its lines."""
    return _answers(words, [f"{text};{own}" for text, own in problems])


def _answers(words: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Run the program on lines; return its own."""
    done = subprocess.run([program(), *words], input="\n".join(lines), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def count(
    search: str,
    problems: Sequence[tuple[str, int]],
    limit: int,
    told: bool = True,
    by_number: bool = False,
    weights: Sequence[int] = (),
) -> list[Counts]:
    """Return what a search makes of problems.

    Args:
        search: one of `SEARCHES`, `KNOWING` or `FLIGHTS`.
        problems: FEN and n.
        limit: nodes after which a search is cut.
        told: whether it knows n.
        by_number: replies are in order of their numbers.
        weights: what is added to the weights of `lazy` and `flights`, in parts, in the order of
            `envs.mate.language.LAZY`.
    """
    how = ["plain"] if by_number else [f"weights={','.join(map(str, weights))}"] if len(weights) else []
    words = [search, "told" if told else "deepening", str(limit), *how]
    rows = (line.split() for line in ask(words, problems))
    return [Counts(int(row[0]), row[1], int(row[2]), int(row[3]), row[4] == "1") for row in rows]


def run(
    programs: Sequence[str],
    problems: Sequence[str],
    pairs: Sequence[tuple[int, int, int, int, int]],
    options: Sequence[str] = (),
) -> list[Found]:
    """Return what programs that make moves come to.

    Args:
        programs: S-expressions.
        problems: in FEN.
        pairs: the number of a program, that of a problem, moves that the program may make, the most nodes, and the n of
            the problem.
        options: how functions are read where that is not the default: worst, once, made, cutoff; stop: the first move
            that is worth 1000 is the last; remember: values of the tree in itself are kept, and none is replaced;
            near=N; prove=N: claims are checked by `few` with so many nodes.
    """
    given = [
        *(f"program {one}" for one in programs),
        *(f"problem {one}" for one in problems),
        *("pair {} {} {} {} {}".format(*pair) for pair in pairs),
    ]
    rows = (line.split() for line in _answers(["programs", *options], given))
    return [
        Found(int(row[0]), float(row[1]), int(row[2]), row[3] == "1", *(int(cell) for cell in row[4:])) for row in rows
    ]


def guide(
    guides: Sequence[str],
    problems: Sequence[str],
    pairs: Sequence[tuple[int, int, int, int]],
    options: Sequence[str],
) -> list[Claim]:
    """Return what complete searches come to that genomes guide, as `jaxgp.search.proofs.guided` has them.

    Args:
        guides: S-expressions, or weights in parts with commas between them.
        problems: in FEN.
        pairs: the number of a guide, that of a problem, its n, and the most nodes.
        options: what guides: list, replies, less (trees within `few`), weights (the same), proof (trees within
            `dfpn_replies`); deepening where n is not told; near=N; entries=N: where searches by proof numbers end.
    """
    given = [
        *(f"guide {one}" for one in guides),
        *(f"problem {one}" for one in problems),
        *("pair {} {} {} {}".format(*pair) for pair in pairs),
    ]
    rows = ([int(cell) for cell in line.split()] for line in _answers(["guides", *options], given))
    return [Claim(row[0], row[1] == 1, row[2], row[3], row[4] == 1, row[5]) for row in rows]
