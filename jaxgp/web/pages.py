"""The frame of all pages, and the first one: the list of runs. Every text is escaped; no script is inline."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

from jaxgp import files
from jaxgp.report.markup import cell, escape
from jaxgp.web.watch.runs import SORTS, RunEntry

PLACES = (("/", "Runs"), ("/new", "Play"), ("/games", "Games"))
HEADS = {"generation": "generations", "updated": "last line"}
"""Columns whose name is another one than that of the fact."""
SHOWN = 1000
"""Lines of a list on one page."""


def frame(title: str, body: str, token: str, here: str = "") -> str:
    """Return a whole page.

    Args:
        title: its heading, text.
        body: HTML.
        token: of the pages of this server, which writes show.
        here: the place in the navigation.
    """
    links = "".join(
        f'<a href="{path}"{" aria-current=page" if path == here else ""}>{name}</a>' for path, name in PLACES
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="page" content="{escape(token)}">\n<link rel="icon" href="data:,">\n'
        f'<title>{escape(title)} - jaxgp</title>\n<link rel="stylesheet" href="/page.css">\n'
        f'<script src="/page.js" defer></script>\n</head>\n<body>\n<nav aria-label="pages">{links}</nav>\n<main>\n'
        f'<h1>{escape(title)}</h1>\n{body}\n<p id="said" role="status" aria-live="polite" class="soft"></p>\n'
        "</main>\n</body>\n</html>\n"
    )


def problem(title: str, said: str, token: str) -> str:
    """Return a page that says what is wrong, and leads home."""
    return frame(title, f'<p class="bad">{escape(said)}</p><p><a href="/">All runs</a></p>', token)


def home(entries: Sequence[RunEntry], pages: Sequence[Path], asked: Mapping[str, str], token: str, workers: str) -> str:
    """Return the list of runs.

    Args:
        entries: those that are shown, in their order.
        pages: reports of sweeps, leagues and studies.
        asked: the query: `words`, `sort`, `down`.
        token: see `frame`.
        workers: what is said of the processes that think.
    """
    words = escape(asked.get("words", ""))
    kept = "".join(
        f'<input type="hidden" name="{name}" value="{escape(asked[name])}">'
        for name in ("sort", "down")
        if asked.get(name)
    )
    search = (
        f'<form class="row" method="get" action="/"><label>filter <input name="words" value="{words}" '
        f'placeholder="game, title, state"></label>{kept}<button>Show</button></form>'
    )
    rows = "".join(_line(one) for one in entries[:SHOWN])
    head = "".join(_head(name, asked) for name in SORTS)
    table = (
        f'<div class="scroll"><table class="list fixed" aria-label="runs"><thead><tr><th scope="col">run</th>{head}'
        f'<th scope="col" class="wide">go on</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )
    if not entries:
        table = (
            "<p>No runs here. <code>python scripts/train.py game=mancala</code> makes one; "
            '<a href="/new">any game</a> can be played without.</p>'
        )
    more = f"<p>The first {SHOWN:,} of {len(entries):,}; filter for others.</p>" if len(entries) > SHOWN else ""
    reports = "".join(
        f'<li><a href="/page/{number}">{escape(files.short(page.parent))}</a></li>' for number, page in enumerate(pages)
    )
    listed = f"<h2>Reports of sweeps, leagues and studies</h2><ul>{reports}</ul>" if reports else ""
    return frame("Runs", f'{search}{table}{more}{listed}<p class="soft">{escape(workers)}</p>', token, "/")


def _head(name: str, asked: Mapping[str, str]) -> str:
    """Return the head of a column, which sorts by it; a second click turns the order round."""
    down = asked.get("sort") == name and not asked.get("down")
    query = {"words": asked.get("words", ""), "sort": name} | ({"down": "1"} if down else {})
    order = {True: "descending", False: "ascending"}[bool(asked.get("down"))]
    now = f' aria-sort="{order}"' if asked.get("sort") == name else ""
    wide = ' class="wide"' if name in ("title", "seed", "updated") else ""
    return f'<th scope="col"{now}{wide}><a href="/?{escape(urlencode(query))}">{HEADS.get(name, name)}</a></th>'


def _line(one: RunEntry) -> str:
    facts = one.facts
    done = "" if facts["generation"] is None else f"{facts['generation']:,}"
    of = f" of {facts['generations']:,}" if facts["generations"] else ""
    links = [f'<a href="/run/{one.number}">{escape(one.label)}</a>']
    if one.has_report:
        links.append(f'<a class="soft" href="/run/{one.number}/report">report</a>')
    resume = escape(one.resume)
    copy = f'<button type="button" data-copy="{resume}" title="{resume}">copy</button>' if resume else ""
    cells = (
        ("name", " ".join(links)),
        ("", escape(facts["game"])),
        ("wide", escape(facts["title"])),
        ("wide", "" if facts["seed"] is None else str(facts["seed"])),
        ("", escape(facts["state"])),
        ("tight", "" if facts["best"] is None else f"{cell(facts['best'])}"),
        ("tight", f"{done}{of}"),
        ("wide tight", age(time.time() - facts["updated"])),
        ("wide", copy),
    )
    return "<tr>" + "".join(f'<td class="{kind}">{text}</td>' for kind, text in cells) + "</tr>"


def age(seconds: float) -> str:
    """Write how long ago something was, in its largest unit."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' * (count != 1)} ago"
    return "now"
