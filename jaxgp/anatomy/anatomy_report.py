"""The anatomy of a champion as a report, as JSON, as a graph and as lines of text."""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from jaxgp import files
from jaxgp.anatomy.dissect import Anatomy
from jaxgp.anatomy.introns import KINDS, SAYS, Introns
from jaxgp.export import export
from jaxgp.export.export import ExportError
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.text import print_program
from jaxgp.printable import one_line
from jaxgp.report import document
from jaxgp.report.document import Document, DocumentTable, FoldedText, Part
from jaxgp.report.markup import cell

JSON, SIMPLER, MARKED = "anatomy.json", "simpler.txt", "program.dot"
MARKS = {"code": " ", "explicit": "E", "dead": "D", "live": "L"}
"""Before each node of the listing; a small letter where its intron was seen at positions, and is not proved."""
FILLS = {"explicit": "#bdbdbd", "dead": "#e0e0e0", "live": "#ffe0b2"}
"""Colours of the nodes of introns in the graph."""
SHOWN = 2000
"""Characters of a simpler program that a terminal shows; longer ones are in the file alone."""

Row = dict[str, object]


def save(folder: Path, found: Anatomy) -> None:
    """Write the report, the figures as JSON, the marked graph and the simpler program; raises OSError."""
    champion = found.champion
    fills = {
        (t, n): FILLS[kind] for t, tree in enumerate(found.trees) for n, kind in enumerate(tree.kinds) if kind in FILLS
    }
    title = f"{_title(found)}; grey: dead code, orange: live-code introns"
    files.write_json(folder / JSON, as_json(found))
    files.write_text(folder / MARKED, export.dot(champion.cast.language, champion.genome, title, fills))
    if found.simpler is not None:
        files.write_text(folder / SIMPLER, print_program(champion.cast.language, found.simpler) + "\n")
    document.save(folder, report(found))


def _title(found: Anatomy) -> str:
    content = found.champion.content
    return f"Anatomy of the champion of generation {content.generation}, seed {content.seed}"


def sizes(found: Anatomy) -> list[Row]:
    """Return size and depth of each tree, and of all trees together."""
    rows: list[Row] = [
        {"tree": str(t + 1), "nodes": len(one.tree), "depth": one.tree.depth} for t, one in enumerate(found.trees)
    ]
    total = sum(len(one.tree) for one in found.trees)
    return [*rows, {"tree": "all", "nodes": total, "depth": max(one.tree.depth for one in found.trees)}]


def kinds(trees: Sequence[Introns]) -> list[Row]:
    """Return how many nodes of some trees are introns of each kind, and how many maximal subtrees they form."""
    total = sum(len(one.tree) for one in trees)
    rows: list[Row] = []
    for kind in (*KINDS, "code"):
        nodes = [(one, n) for one in trees for n, what in enumerate(one.kinds) if what == kind]
        subtrees = sum(one.kinds[n] == kind for one in trees for n in one.roots)
        rows.append(
            {
                "kind": SAYS[kind],
                "subtrees": subtrees if kind != "code" else None,
                "nodes": len(nodes),
                "share": len(nodes) / total,
                "proved": sum(one.proved[n] for one, n in nodes) if kind != "code" else None,
            }
        )
    return rows


def count_uses(language: PrimitiveSet, trees: Sequence[Introns]) -> list[Row]:
    """Return how often each primitive is used, in all nodes and in those that are no introns, the most used first."""
    everywhere: Counter[int] = Counter(code for one in trees for code in one.tree.codes)
    working: Counter[int] = Counter(
        code for one in trees for code, kind in zip(one.tree.codes, one.kinds, strict=True) if kind == "code"
    )
    return [
        {
            "primitive": language.primitives[code].name,
            "is a": "function" if language.primitives[code].args else "terminal",
            "nodes": count,
            "no introns": working[code],
        }
        for code, count in sorted(everywhere.items(), key=lambda one: (one[0] < language.num_terminals, -one[1]))
    ]


def listing(one: Introns) -> str:
    """Return a tree as text, a line for each node with its mark, arguments indented below their function."""
    tree, lines = one.tree, []
    pending = [len(tree) - 1]
    while pending:
        node = pending.pop()
        mark = MARKS[one.kinds[node]]
        label = export.label(tree.primitives, tree.codes[node], tree.values[node])
        lines.append(f"{mark if one.proved[node] else mark.lower()}  {'  ' * tree.depths[node]}{label}")
        pending += reversed(tree.args[node])
    return "\n".join(lines)


def expression(found: Anatomy) -> str | None:
    """Return the simpler program as Python assignments; None where its primitives have no such form."""
    if found.simpler is None:
        return None
    role = found.champion.cast.role
    try:
        written = export.python(found.champion.cast.language, found.simpler, role.features if role else "features")
    except ExportError:
        return None
    results = ["value"] if len(written.values) == 1 else [f"value_{n + 1}" for n in range(len(written.values))]
    rows = [*written.lines, *zip(results, written.values, strict=True)]
    return "\n".join(f"{name} = {text}" for name, text in rows)


def proof(found: Anatomy) -> list[str]:
    """Return what is known of the equality of both programs, in sentences."""
    one = found.equality
    if one is None:
        return []
    said = [f"Equal {found.compared}: {one.decisions:,} of {one.positions:,}."]
    if one.values is not None and found.compared != "values":
        said.append(f"Equal values there: {one.values:,} of {one.positions:,}.")
    back = sum(step.taken_back for step in found.steps)
    if back:
        said.append(
            f"{back:,} changes were taken back, since they broke the equality"
            + (f"; {one.first}." if one.first else ".")
        )
    return said


def steps(found: Anatomy) -> list[Row]:
    """Return what each step of the simplification left, and changed."""
    first: Row = {"step": "the champion", "nodes": sum(len(one.tree) for one in found.trees)}
    rows = [first]
    for step in found.steps:
        changes = "; ".join(f"{name} {count}" for name, count in step.applied.items())
        rows.append(
            {"step": step.name, "nodes": step.size, "changes": changes or "none", "taken back": step.taken_back}
        )
    return rows


def report(found: Anatomy) -> Document:
    """Return the anatomy as a report."""
    content, language = found.champion.content, found.champion.cast.language
    facts = [
        ("game", content.game["name"]),
        ("role", str(found.champion.cast.program["role"])),
        ("size", content.measure),
        ("introns", f"{sum(kind != 'code' for one in found.trees for kind in one.kinds):,} nodes"),
    ]
    parts: list[Part] = [
        f"Introns were looked for {found.where}. {found.what} An intron is proved where the structure of the program "
        "implies that it cannot matter; otherwise it was never seen to matter there.",
        DocumentTable(kinds(found.trees)),
    ]
    if len(found.trees) > 1:
        for t, one in enumerate(found.trees):
            parts += [f"Tree {t + 1}:", DocumentTable(kinds([one]))]
    marks = "E explicitly defined, D other dead code, L live code; a small letter: not proved, but never seen to matter"
    parts += [FoldedText(f"tree {t + 1} ({marks})", listing(one)) for t, one in enumerate(found.trees)]
    sections: list[tuple[str, Sequence[Part]]] = [
        ("Size", [DocumentTable(sizes(found))]),
        ("Introns", parts),
        ("Primitives", [DocumentTable(count_uses(language, found.trees))]),
    ]
    if found.simpler is not None and found.equality is not None:
        facts.append(("simpler", f"{found.steps[-1].size:,} nodes"))
        text = [FoldedText("S-expression", print_program(language, found.simpler))]
        python = expression(found)
        text += [] if python is None else [FoldedText("Python", python)]
        sections.append(("Simpler program", [*proof(found), DocumentTable(steps(found)), *text]))
    return Document(_title(found), facts, sections)


def as_json(found: Anatomy) -> dict[str, object]:
    """Return all figures for other programs."""
    language, content = found.champion.cast.language, found.champion.content
    figures: dict[str, object] = {
        "champion": str(found.champion.path),
        "game": content.game,
        "program": content.program,
        "where": found.where,
        "what": found.what,
        "sizes": sizes(found),
        "introns": kinds(found.trees),
        "trees": [
            {
                "introns": kinds([one]),
                "nodes": [
                    {
                        "node": export.label(language, one.tree.codes[n], one.tree.values[n]),
                        "kind": kind,
                        "proved": one.proved[n],
                    }
                    for n, kind in enumerate(one.kinds)
                ],
            }
            for one in found.trees
        ],
        "primitives": count_uses(language, found.trees),
    }
    if found.simpler is not None and found.equality is not None:
        figures["simpler"] = {
            "text": print_program(language, found.simpler),
            "steps": [vars(step) for step in found.steps],
            "equality": vars(found.equality),
        }
    return figures


def lines(found: Anatomy) -> list[str]:
    """Return the anatomy as lines for the terminal."""
    language = found.champion.cast.language
    tables = [
        draw_table(_title(found), sizes(found)),
        draw_table(f"Introns, looked for {found.where}", kinds(found.trees)),
        draw_table("Primitives", count_uses(language, found.trees)),
        draw_table("Simpler program", steps(found)),
    ]
    text = "\n".join(tables).splitlines()
    text += [found.what, *proof(found)]
    if found.simpler is not None:
        shown = expression(found) or print_program(language, found.simpler)
        text += ["", shown if len(shown) <= SHOWN else f"The simpler program is in {SIMPLER}."]
    return text


def draw_table(title: str, rows: Sequence[Mapping[str, object]]) -> str:
    """Draw a table for a terminal, 100 columns wide."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(width=100, record=True, file=io.StringIO())
    table = RichTable()
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        table.add_column(name, justify="left" if any(isinstance(row.get(name), str) for row in rows) else "right")
    for row in rows:
        table.add_row(*(Text(one_line(_cell(name, row.get(name)))) for name in names))
    console.print(Text(title), table, sep="\n")
    return console.export_text().rstrip()


def _cell(name: str, value: object) -> str:
    if value is None:
        return ""
    return f"{100 * value:.1f} %" if name == "share" and isinstance(value, float) else cell(value)
