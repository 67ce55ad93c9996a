"""The page and the lines of an emergence study."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from jaxgp.report import document
from jaxgp.report.document import Document, DocumentTable, FoldedText, Part, Picture
from jaxgp.study import figures
from jaxgp.study.emergence import emergence, rows
from jaxgp.study.emergence.emergence import EmergenceFigures
from jaxgp.study.emergence.rows import GROUPS, Row

BY = {
    rows.GAMES: ("games", "Scores, averaged over the opponents."),
    rows.DECISIONS: ("decisions", "Shares of decisions with a best move."),
    rows.SOLVED: ("instances solved", "Shares of instances that are solved."),
    rows.NODES: (
        "nodes",
        "The mean of 1 - log n / log m over all searches, of n nodes where m are the most. Searches without a solution "
        "count with m.",
    ),
}
"""What scores are of: in a heading, and in a sentence."""
WEAKNESS = {
    "single": "A terminal alone says how far it leads without the others; games that hardly anybody wins tell little.",
    "disabled": "What is disabled was evolved with the terminal, so the fall says what the champion leans on, not what "
    "it could do without.",
    "without": "A terminal with a double looks weak here, as evolution takes the other one.",
}
NEEDED = (
    "By how much less players score without a terminal. All runs are taken to differ by chance alike; p is corrected "
    "by Holm over the terminals."
)


def save(folder: Path, found: EmergenceFigures) -> None:
    """Write the page; raises OSError."""
    document.save(folder, page(found))


def page(found: EmergenceFigures) -> Document:
    """Return the page."""
    content = found.champion.content
    title = f"Where the strength of the champion of generation {content.generation}, seed {content.seed}, sits"
    facts = [("game", found.champion.cast.game.name), ("champion", emergence.digest(found.champion))]
    facts += [(f"{part} is left out", why) for part, why in found.skipped.items()]
    sections: list[tuple[str, Sequence[Part]]] = []
    for by, (name, unit) in BY.items():
        lines = rows.strengths(found.rows, by)
        if lines:
            known = [part for part in WEAKNESS if any(row["part"] == part for row in found.rows)]
            says = [WEAKNESS[part] for part in known]
            references = [row for row in found.rows if row["part"] == rows.REFERENCE]
            mine = [row for row in references if rows.scale(row["against"]) == by]
            base = DocumentTable(
                [{k: row[k] for k in ("champion", "against", "number", "score", "low", "high")} for row in mine]
            )
            sections.append((f"Terminals, by {name}", [unit, *says, base, DocumentTable(_used(lines, found))]))
    for against in dict.fromkeys(row["against"] for row in found.rows):
        if left := rows.needed(found.rows, against):
            sections.append((f"Left out, by {against}", [NEEDED, DocumentTable(_rounded(left))]))
    if pairs := rows.synergies(found.rows):
        sections.append(("Pairs", [DocumentTable(_rounded(pairs))]))
    if curve := rows.curve(found.rows):
        sections.append(("Groups", [*_groups(found), DocumentTable(_rounded(curve))]))
    if found.agreement is not None:
        sections.append(
            ("Moves", [f"What moves are worth is said by {found.by}.", *_agreement(found), *_game(found.game)])
        )
    if found.reduced is not None:
        said = {name: value for name, value in found.reduced.items() if name != "program"}
        text = FoldedText("The smallest program that was found", str(found.reduced["program"]))
        sections.append(("Reduced", [DocumentTable([said]), text]))
    return Document(title, facts, sections)


def _groups(found: EmergenceFigures) -> list[Part]:
    """Return a curve for each opponent, and whether its parts are straight lines."""
    parts: list[Part] = []
    for against in dict.fromkeys(str(line["against"]) for line in rows.curve(found.rows)):
        curves = {chosen: sized for chosen in GROUPS if (sized := rows.sized(found.rows, chosen, against))}
        caption = f"{against}: mean of the runs, with its 95 % interval"
        draw = partial(figures.curves, curves, "score", caption, "terminals")
        parts.append(Picture(f"groups_{len(parts)}", caption, draw))
        for chosen, sized in curves.items():
            if test := rows.straight(sized):
                parts.append(f"{against}, {chosen}: a straight line through the means has p {test.p:.2g}.")
    return parts


def _rounded(lines: Sequence[Row]) -> list[Row]:
    return [{name: round(x, 3) + 0.0 if isinstance(x, float) else x for name, x in line.items()} for line in lines]


def _used(lines: Sequence[Row], found: EmergenceFigures) -> list[Row]:
    return _rounded([{**line, found.counted: found.used.get(str(line["terminal"]), 0)} for line in lines])


def _agreement(found: EmergenceFigures) -> list[Part]:
    assert found.agreement is not None
    one = found.agreement
    rank = "not known" if one.rank is None else f"{one.rank:.3f} over {one.ranked:,} positions"
    return [
        f"At {one.positions:,} positions with {one.moves:.1f} moves on average a best move is among the top-valued "
        f"ones in {100 * one.topped:.1f} %, and a top-valued one that is drawn is best in {100 * one.best:.1f} % "
        f"(a random move: {100 * one.random:.1f} %). {one.ties:.1f} moves share the top. Rank correlation: {rank}."
    ]


def _game(played: Sequence[Row]) -> list[Part]:
    """Return a table for each ply: the moves of the highest values, and the best ones; the played one is marked."""
    parts: list[Part] = []
    for ply in dict.fromkeys(row["ply"] for row in played):
        moves = [row for row in played if row["ply"] == ply]
        shown = [row for row in moves if row["top"] or row["best"]][:12]
        parts.append(f"Ply {ply}: {len(moves)} moves.")
        lines: list[Row] = [
            {
                "move": f"{row['move']}{' (played)' if row['played'] else ''}",
                "value": row["value"],
                "worth": row["worth"],
                "best": "yes" if row["best"] else "",
            }
            for row in shown
        ]
        parts.append(DocumentTable(_rounded(lines)))
    return parts


def lines(found: EmergenceFigures) -> list[str]:
    """Return the lines for the terminal: the strongest terminals, and the figures of the other parts."""
    said = []
    for by, (name, _) in BY.items():
        if some := rows.strengths(found.rows, by):
            said += ["", f"Strongest terminals by {name}: strength (alone minus random; fall where disabled)"]
            for line in some[:10]:
                cells = [line["strength"], line["single minus random"], line["disabled"]]
                shown = ["" if x is None else f"{x:+.3f}" for x in cells]
                said.append(f"  {line['terminal']}: {shown[0]} ({shown[1]}; {shown[2]})")
    said += [str(part) for part in (_agreement(found) if found.agreement else [])]
    if found.reduced is not None:
        one = found.reduced
        said.append(
            f"{one['left']} of {one['nodes']} nodes play the same moves at {one['equal']:,} of "
            f"{one['positions']:,} positions"
        )
    return said
