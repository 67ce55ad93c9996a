"""HTML parts of the self-contained pages: a document, sections, tables."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from jaxgp.printable import one_line, printable
from jaxgp.report.page import STYLE

MARKS = re.compile(r"[\\`*\[\]<|~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)")
"""What Markdown gives a meaning within a line: code, emphasis, links, HTML, cells, formulas, entities."""


class Link(NamedTuple):
    """A cell of a table that leads to a file, by its path from the folder of the page."""

    text: str
    path: str

    def __str__(self) -> str:
        return self.text

    @property
    def address(self) -> str:
        return quote(self.path)


def document(title: str, body: str, scripts: str = "") -> str:
    """Return a whole page; `scripts` are script elements at its end."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{body}</main>\n{scripts}</body>\n</html>\n"
    )


def escape(text: object) -> str:
    """Write text for HTML and SVG."""
    return html.escape(printable(str(text)))


def plain(text: object) -> str:
    """Write one line of text for Markdown, where nothing in it means more than it says, also in a table."""
    return MARKS.sub(r"\\\g<0>", one_line(text))


def section(title: str, body: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{body}\n</section>\n"


def tiles(facts: Sequence[tuple[str, str]]) -> str:
    """Return the (name, value) pairs that open a page."""
    cells = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)
    return f'<dl class="tiles">{cells}</dl>\n'


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Return a table of names and values."""
    body = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)
    return f'<div class="scroll"><table class="pairs">{body}</table></div>'


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table of numbers with a column for each name that occurs. Columns with words are aligned to the left."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    left = {name: ' class="words"' for row in rows for name, value in row.items() if _is_word(value)}
    head = "".join(f'<th scope="col"{left.get(name, "")}>{escape(name.replace("_", " "))}</th>' for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td{left.get(name, '')}>{_content(row.get(name))}</td>" for name in names) + "</tr>"
        for row in rows
    )
    filled = f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll">{filled}</div>'


def _content(value: object) -> str:
    text = escape(cell(value))
    return f'<a href="{value.address}">{text}</a>' if isinstance(value, Link) else text


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value[:1].isalpha()


def cell(value: object) -> str:
    """Write a value for people."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value is None else str(value)


def plots(pictures: Iterable[tuple[str, str]]) -> str:
    """Return SVG elements side by side, each with its caption, which may be empty."""
    figures = (f"<figure>{svg}{_caption(caption)}</figure>" for svg, caption in pictures)
    return f'<div class="plots">{"".join(figures)}</div>'


def _caption(caption: str) -> str:
    return f"<figcaption>{escape(caption)}</figcaption>" if caption else ""


def details(name: str, text: str) -> str:
    """Return a text that is folded until a reader opens it."""
    return f"<details><summary>{escape(name)}</summary><pre>{escape(text)}</pre></details>\n"
