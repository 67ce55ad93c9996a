"""Trees that guide a search for mates, as a Python module that needs nothing but Python."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from envs.mate import plain
from envs.mate.export import searcher
from envs.mate.language import AT, GuideOptions
from envs.mate.rules import Mate
from jaxgp.errors import reject
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Written

TITLE = "A search for mates in chess."
MODULE = '''\
"""{title}

search(fen, own, limit) returns a move that mates within so many moves, as in e2e4, or None, and how many moves it made.
It returns None too where it was to make more than `limit` moves.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

{rules}

{search}


NAMES = {names}


class Numbered(dict[int, float]):
    """What trees see, by number."""

    def __init__(self, seen: Mapping[str, float]) -> None:
        super().__init__()
        self.seen = seen

    def __missing__(self, number: int) -> float:
        return self.seen[NAMES[number]]


def order_moves(given: Mapping[str, float]) -> float:
    """Return the value of a move of the solver; the greatest is tried first."""
    seen = Numbered(given)
{own}


def order_replies(given: Mapping[str, float]) -> float:
    """Return the value of a reply; the greatest is tried first."""
    seen = Numbered(given)
{replies}


def search(fen: str, own: int, limit: int = 100_000) -> tuple[str | None, int]:
    """Return a move that mates within so many moves, or None, and how many moves were made."""
    one = Searcher(fen, own, ({trees}), {near}, limit, "{equal}")
    return one.search({told}), one.nodes
'''


def _source(module: object) -> str:
    """Return the text of a module behind its docstring and its imports, without what reads positions for others."""
    text = Path(str(module.__file__)).read_text(encoding="utf-8")  # type: ignore[attr-defined]
    body = text[re.search(r"^(?:[A-Z_, ]+ = |def |class )", text, re.MULTILINE).start() :]  # type: ignore[union-attr]
    return (
        body.replace("    fen.parse(text)  # refuses what cannot be played\n", "").replace("  # noqa: N802", "").strip()
    )


def python(game: Mate, options: GuideOptions, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function `search` that two trees guide.

    It computes in double precision; evolution computes in single precision.

    Args:
        game: the rules, which do not matter.
        options: what trees see, and whether a search is told the number of moves.
        individual: of two trees.
        title: first line of the docstring.

    Raises:
        UsageError: the search is one by proof numbers, which is not written.
    """
    del game
    if options.within != "deepening":
        reject("program.within", options.within, "deepening, the search that is written")
    program = individual.python
    own, replies = (program.needed(tree).body(program.values[tree]) for tree in range(2))
    names = ("order_moves", "order_replies")
    trees = [name if "seen[" in text else "None" for name, text in zip(names, (own, replies), strict=True)]
    return MODULE.format(
        title=docstring(title),
        rules=_source(plain),
        search=_source(searcher),
        names=repr((*AT, "Depth")),
        own=own,
        replies=replies,
        trees=", ".join(trees),
        near=options.near,
        equal=options.equal,
        told=options.told,
    )
