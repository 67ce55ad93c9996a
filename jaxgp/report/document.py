"""A written report: text, tables and pictures, as Markdown with SVG files beside it, and as one HTML page."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from matplotlib.figure import Figure

from jaxgp import files
from jaxgp.printable import printable
from jaxgp.report import markup, plots

MARKDOWN, HTML, FIGURES = "report.md", "report.html", "figures"


@dataclass(frozen=True)
class DocumentTable:
    """Rows of named values; a column for each name that occurs."""

    rows: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class Picture:
    """A figure drawn in the colour `plots.INK` on a transparent background; its name becomes a file name."""

    name: str
    caption: str
    draw: Callable[[], Figure]

    @cached_property
    def svg(self) -> str:
        """An `<svg>` element for a page."""
        return plots.embed(self.draw(), self.name)

    @property
    def file(self) -> str:
        """The content of an SVG file, dark on white."""
        names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        return self.svg.replace("<svg", f'<svg {names} style="color:#222222;background:white"', 1)


@dataclass(frozen=True)
class FoldedText:
    """A text that is folded until a reader opens it."""

    name: str
    text: str


Part = str | DocumentTable | Picture | FoldedText
"""A part of a section; a string is one paragraph."""


@dataclass(frozen=True)
class Document:
    """A report: its title, the facts that open it, and its sections."""

    title: str
    facts: Sequence[tuple[str, str]]
    sections: Sequence[tuple[str, Sequence[Part]]] = field(default_factory=tuple)

    @property
    def pictures(self) -> list[Picture]:
        return [part for _, parts in self.sections for part in parts if isinstance(part, Picture)]


def save(folder: Path, document: Document) -> None:
    """Write report.md, report.html and figures/*.svg, each atomically; raises OSError."""
    figures = folder / FIGURES
    if document.pictures:
        figures.mkdir(exist_ok=True)
    for picture in document.pictures:
        files.write_text(figures / f"{picture.name}.svg", picture.file)
    files.write_text(folder / MARKDOWN, markdown(document))
    files.write_text(folder / HTML, page(document))


def markdown(document: Document) -> str:
    """Return the report as Markdown."""
    facts = (f"- {markup.plain(name)}: {markup.plain(value)}" for name, value in document.facts)
    lines = [f"# {markup.plain(document.title)}", "", *facts]
    for title, parts in document.sections:
        lines += ["", f"## {markup.plain(title)}"]
        for part in parts:
            lines += ["", *_lines(part)]
    return "\n".join(lines) + "\n"


def _lines(part: Part) -> list[str]:
    if isinstance(part, str):
        return [markup.plain(part)]
    if isinstance(part, Picture):
        return [f"![{markup.plain(part.caption)}]({FIGURES}/{part.name}.svg)"]
    if isinstance(part, FoldedText):
        text = printable(part.text.rstrip())
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        return [f"{markup.plain(part.name)}:", "", fence, text, fence]
    names = list(dict.fromkeys(name for row in part.rows for name in row))
    body = [[_cell(row.get(name)) for name in names] for row in part.rows]
    head = [markup.plain(name) for name in names]
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(names), *body)]


def _cell(value: object) -> str:
    text = markup.plain(markup.cell(value))
    return f"[{text}]({value.address})" if isinstance(value, markup.Link) else text


def page(document: Document) -> str:
    """Return the report as one HTML page that loads nothing."""
    body = [markup.tiles(document.facts)]
    for title, parts in document.sections:
        body.append(markup.section(title, "\n".join(_elements(parts))))
    return markup.document(document.title, "".join(body))


def _elements(parts: Sequence[Part]) -> list[str]:
    """Return the parts as HTML elements; consecutive pictures stand side by side."""
    made: list[str] = []
    row: list[tuple[str, str]] = []
    for part in [*parts, None]:
        if isinstance(part, Picture):
            row.append((part.svg, part.caption))
            continue
        if row:
            made.append(markup.plots(row))
            row = []
        if isinstance(part, str):
            made.append(f"<p>{markup.escape(part)}</p>")
        elif isinstance(part, DocumentTable):
            made.append(markup.table(part.rows))
        elif isinstance(part, FoldedText):
            made.append(markup.details(part.name, part.text))
    return made
