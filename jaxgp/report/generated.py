"""Parts of documents that are made from data. In Markdown they stand between two comments:

<!-- data: NAME -->
...
<!-- end -->
"""

import re
from collections.abc import Callable, Mapping, Sequence

from jaxgp.errors import UsageError

BEGIN, END = "<!-- data:", "<!-- end -->"
PART = re.compile(r"<!-- data: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)


def filled(text: str, parts: Mapping[str, Callable[[], str]], name: str) -> str:
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
        return f"{BEGIN} {part[1]} -->\n\n{parts[part[1]]().strip()}\n\n{END}"

    return PART.sub(made, text)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
