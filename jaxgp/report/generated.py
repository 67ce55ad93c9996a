"""Parts of documents that are made from data. In Markdown they stand between two comments:

<!-- data: NAME -->
...
<!-- end -->

A figure that comes from a fit has other last digits on another processor. Where it lies so near to the boundary between
two printed figures that these digits decide, a document may have either of them.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from jaxgp.errors import UsageError

BEGIN, END = "<!-- data:", "<!-- end -->"
NOISE = 1e-8
"""What a fit may be off by, as a share of the figure."""
FIRST, OR, LAST = "\x01", "\x02", "\x03"
"""What stands around and between two figures of which either is right; in no document."""
EITHER = re.compile(f"{FIRST}(.*?){OR}(.*?){LAST}")
PART = re.compile(r"<!-- data: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)


def fill_document(text: str, parts: Mapping[str, Callable[[], str]], name: str) -> str:
    """Return a document with its generated parts made anew.

    Args:
        text: the document.
        parts: what makes each part, by name.
        name: of the document, for messages.

    Raises:
        UsageError: a part without an end, with a name that is not among `parts`, or missing.
    """
    if text.count(BEGIN) != len(PART.findall(text)) or any(BEGIN in inside for _, inside in PART.findall(text)):
        raise UsageError(f"{name}: a line {BEGIN} NAME --> has no line {END} after it")

    asked = {part for part, _ in PART.findall(text)}
    if unknown := asked - parts.keys():
        raise UsageError(f"{name}: {BEGIN} {min(unknown)} -->: accepted: {', '.join(parts)}")
    if missing := parts.keys() - asked:
        raise UsageError(f"{name}: {BEGIN} {min(missing)} --> is missing")

    def made(part: re.Match[str]) -> str:
        return choose_text(f"{BEGIN} {part[1]} -->\n\n{parts[part[1]]().strip()}\n\n{END}", part[0])

    return PART.sub(made, text)


def figure(value: float, form: str) -> str:
    """Return a figure that comes from a fit as text, by a format such as ".2f"; either of two, where both are right."""
    low, high = sorted(f"{value * (1 + off):{form}}" for off in (-NOISE, NOISE))
    return low if low == high else f"{FIRST}{low}{OR}{high}{LAST}"


def choose_text(made: str, there: str) -> str:
    """Return a text that was made without choices: what is there already, if that is one of them."""
    known = "".join(
        re.escape(piece) if place % 3 == 0 else f"(?:{re.escape(piece)}" if place % 3 == 1 else f"|{re.escape(piece)})"
        for place, piece in enumerate(EITHER.split(made))
    )
    return there if re.fullmatch(known, there) else EITHER.sub(r"\1", made)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
