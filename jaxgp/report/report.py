"""report.html: a self-contained page with the champion, its games, the curves and the settings."""

import json
from collections.abc import Mapping, Sequence
from itertools import starmap
from types import MappingProxyType
from urllib.parse import quote

from jaxgp.files import csv_text
from jaxgp.genotypes.language import NAMES
from jaxgp.host.replay import ReplayGame
from jaxgp.report import markup, plots, tree
from jaxgp.report.markup import escape, section
from jaxgp.report.page import SCRIPT
from jaxgp.report.progress import duration, is_measured, number, yardstick
from jaxgp.store.champion import ChampionFile, points_by_seat, unevolved
from jaxgp.store.record import Row

LONGEST = 2**20
"""Letters of the figures that a page holds as CSV."""
TAIL = 20
"""Generations in the table at the end."""


def page(
    title: str,
    champion: ChampionFile,
    explained: str,
    tableau: tuple[str, Sequence[tuple[str, str]]],
    rows: Sequence[Row],
    generations: int,
    games: Sequence[ReplayGame],
    config: str,
    environment: str,
    notations: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the report.

    Args:
        title: heading of the page.
        champion: the best individual so far.
        explained: the same for people, where its text alone says little; else empty.
        tableau: its heading, and (parameter, value) pairs.
        rows: rows of the record, at least one.
        generations: how many generations the run will have.
        games: games of the champion that a reader can step through; may be empty.
        config: the resolved configuration as YAML.
        environment: software and device, as JSON.
        notations: the champion as programs outside read it, by the name of the notation.
    """
    sections = [
        _summary(champion, rows, generations),
        section("Champion", _champion(champion, explained) + "".join(starmap(markup.details, notations.items()))),
        section("Its games", _games(games)) if any(game.frames for game in games) else "",
        section("Progress", _curves(rows, champion.unit)),
        section(tableau[0], markup.pairs(tableau[1])),
        section(f"Last {min(TAIL, len(rows))} generations", markup.table(rows[-TAIL:])),
        section("Settings", markup.details("config.yaml", config) + markup.details("environment.json", environment)),
    ]
    return markup.document(title, "".join(sections), _scripts(games))


def replay(title: str, games: Sequence[ReplayGame]) -> str:
    """Return a page of games alone."""
    return markup.document(title, _games(games), _scripts(games))


def _scripts(games: Sequence[ReplayGame]) -> str:
    data = [
        {"captions": [c for c, _ in game.frames], "frames": [svg for _, svg in game.frames], "ends": game.ends}
        for game in games
    ]
    return f'<script type="application/json" id="games">{_embed(data)}</script>\n<script>{SCRIPT}</script>\n'


def _embed(data: object) -> str:
    """Return JSON that cannot close the script element around it."""
    return json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _summary(champion: ChampionFile, rows: Sequence[Row], generations: int) -> str:
    last = rows[-1]
    by_seat = points_by_seat(champion)
    first, second = champion.points["first"], champion.points["second"]
    total = None if first is None or second is None else first + second
    tiles = [
        (yardstick(last) if is_measured(last) else "best fitness", number(champion.fitness)),
        # Of a search of instances the only score is the fitness itself.
        *[(name, number(value)) for name, value in by_seat if len(by_seat) > 1 or value != champion.fitness],
        *([("points together", number(total))] if len(by_seat) > 1 else []),
        (champion.unit, number(champion.size)),
        ("found in generation", str(champion.generation)),
        ("generations", f"{last['generation'] + 1}/{generations}"),
        ("time", duration(last["elapsed"])),
    ]
    failed = unevolved(champion, last["generation"] + 1)
    return markup.tiles(tiles) + (f"<p>{escape(failed)}</p>\n" if failed else "")


def _champion(champion: ChampionFile, explained: str) -> str:
    text = (
        (f'<pre class="expression">{escape(explained)}</pre>\n' if explained else "")
        + f'<pre class="expression">{escape(champion.text) or "no rules: always the default action"}</pre>\n'
        f"<p>{champion.measure}; {NAMES[champion.language['kind']]} {escape(champion.language['name'])} "
        f"(version {escape(champion.language['version'])}).</p>\n"
    )
    if champion.language["kind"] != "program":
        return text
    return (
        text + '<p><label><input type="checkbox" id="fit" checked> fit the tree to the page</label></p>\n'
        f'<div class="scroll" id="tree" tabindex="0">{tree.draw(champion.text)}</div>'
    )


def _games(games: Sequence[ReplayGame]) -> str:
    shown = [(i, escape(game.title)) for i, game in enumerate(games) if game.frames]
    choices = "".join(f'<option value="{i}">{title}</option>' for i, title in shown)
    hidden = " hidden" * (len(shown) == 1)
    return (
        '<div id="replay" class="replay" tabindex="0" aria-label="replay; arrow keys step through the game">\n'
        f'<p{hidden}><label>game <select id="game">{choices}</select></label></p>\n<p id="title"></p>\n'
        '<div id="frame"></div>\n<p id="caption" aria-live="polite"></p>\n'
        '<p class="controls" id="controls">'
        '<button type="button" id="first" title="first position (Home)">&#171;</button>'
        '<button type="button" id="back" title="one back (left arrow)">&#8249;</button>'
        '<button type="button" id="play" title="play or pause (space)">play</button>'
        '<button type="button" id="next" title="one on (right arrow)">&#8250;</button>'
        '<button type="button" id="last" title="last position (End)">&#187;</button>'
        '<input type="range" id="slider" min="0" value="0" aria-label="position"><output id="place"></output></p>\n'
        "</div>"
    )


def _curves(rows: Sequence[Row], unit: str) -> str:
    drawn = (plots.svg(plot, rows, unit) for plot in plots.PLOTS)
    return (
        "<p>Curves show the best individual of each generation. The champion is the best of the whole run, so its "
        f"figures may differ from the last points. {_figures(rows)}</p>\n"
        + markup.plots((svg, "") for svg in drawn if svg)
    )


def _figures(rows: Sequence[Row]) -> str:
    """Return a link that holds the record as CSV; of a long record where it is."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [
        {name: " ".join(map(str, one)) if isinstance(one := row.get(name), list) else one for name in names}
        for row in rows
    ]
    text = quote(csv_text(lines))
    if len(text) > LONGEST:
        return "All figures are in metrics.jsonl."
    return f'<a download="metrics.csv" href="data:text/csv;charset=utf-8,{text}">All figures as CSV</a>.'
