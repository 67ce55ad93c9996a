"""report.html: one page that needs nothing but itself, with the champion, its games, the curves and the settings."""

import html
import json
from collections.abc import Sequence

from jaxgp.experiment import plots, tree
from jaxgp.experiment.champion import ChampionFile, points_by_seat
from jaxgp.experiment.interface import ReplayGame
from jaxgp.experiment.page import SCRIPT, STYLE
from jaxgp.experiment.progress import duration, number
from jaxgp.experiment.record import Row
from jaxgp.genotypes.language import NAMES

TAIL = 20
"""Generations in the table at the end."""


def page(
    title: str,
    champion: ChampionFile,
    tableau: tuple[str, Sequence[tuple[str, str]]],
    rows: Sequence[Row],
    generations: int,
    games: Sequence[ReplayGame],
    config: str,
    environment: str,
) -> str:
    """Return the report.

    Args:
        title: heading of the page.
        champion: the best individual so far.
        tableau: its heading, and (parameter, value) pairs.
        rows: of the record, at least one.
        generations: how many the run is to have.
        games: of the champion, to be stepped through; may be empty.
        config: the resolved configuration as YAML.
        environment: software and device, as JSON.
    """
    sections = [
        _summary(champion, rows, generations),
        _section("Champion", _champion(champion)),
        _section("Its games", _games(games)) if any(game.frames for game in games) else "",
        _section("Progress", _curves(rows, champion.unit)),
        _section(tableau[0], _pairs(tableau[1])),
        _section(f"Last {min(TAIL, len(rows))} generations", _table(rows[-TAIL:])),
        _section("Settings", _details("config.yaml", config) + _details("environment.json", environment)),
    ]
    data = [{"captions": [c for c, _ in game.frames], "frames": [svg for _, svg in game.frames]} for game in games]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_escape(title)}</h1>\n{''.join(sections)}</main>\n"
        f'<script type="application/json" id="games">{_embed(data)}</script>\n'
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _escape(text: object) -> str:
    return html.escape(str(text))


def _embed(data: object) -> str:
    """Return JSON that cannot end the script element that it stands in."""
    return json.dumps(data).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{_escape(title)}</h2>\n{body}\n</section>\n"


def _summary(champion: ChampionFile, rows: Sequence[Row], generations: int) -> str:
    last = rows[-1]
    by_seat = points_by_seat(champion)
    first, second = champion.points["first"], champion.points["second"]
    total = None if first is None or second is None else first + second
    tiles = [
        ("best fitness", number(champion.fitness)),
        *[(name, number(value)) for name, value in by_seat],
        *([("points together", number(total))] if len(by_seat) > 1 else []),
        (champion.unit, number(champion.size)),
        ("found in generation", str(champion.generation)),
        ("generations", f"{last['generation'] + 1}/{generations}"),
        ("time", duration(last["elapsed"])),
    ]
    cells = "".join(f"<div><dt>{_escape(name)}</dt><dd>{_escape(value)}</dd></div>" for name, value in tiles)
    return f'<dl class="tiles">{cells}</dl>\n'


def _champion(champion: ChampionFile) -> str:
    text = (
        f'<pre class="expression">{_escape(champion.text) or "no rules: always the default action"}</pre>\n'
        f"<p>{champion.measure}; {NAMES[champion.language['kind']]} {_escape(champion.language['name'])} "
        f"(version {_escape(champion.language['version'])}).</p>\n"
    )
    if champion.language["kind"] != "program":
        return text
    return (
        text + '<p><label><input type="checkbox" id="fit"> fit the tree to the page</label></p>\n'
        f'<div class="scroll" id="tree" tabindex="0">{tree.draw(champion.text)}</div>'
    )


def _games(games: Sequence[ReplayGame]) -> str:
    choices = "".join(
        f'<option value="{i}">{_escape(game.title)}</option>' for i, game in enumerate(games) if game.frames
    )
    return (
        '<div id="replay" class="replay" tabindex="0" aria-label="replay; arrow keys step through the game">\n'
        f'<p><label>game <select id="game">{choices}</select></label></p>\n'
        '<div id="frame"></div>\n<p id="caption" aria-live="polite"></p>\n'
        '<p class="controls"><button type="button" id="first" title="first position (Home)">&#171;</button>'
        '<button type="button" id="back" title="one back (left arrow)">&#8249;</button>'
        '<button type="button" id="play" title="play or pause (space)">play</button>'
        '<button type="button" id="next" title="one on (right arrow)">&#8250;</button>'
        '<button type="button" id="last" title="last position (End)">&#187;</button>'
        '<input type="range" id="slider" min="0" value="0" aria-label="position"><output id="place"></output></p>\n'
        "</div>"
    )


def _curves(rows: Sequence[Row], unit: str) -> str:
    drawn = (plots.svg(plot, rows, unit) for plot in plots.PLOTS)
    return '<div class="plots">' + "".join(f"<figure>{svg}</figure>" for svg in drawn if svg) + "</div>"


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    body = "".join(f'<tr><th scope="row">{_escape(name)}</th><td>{_escape(value)}</td></tr>' for name, value in pairs)
    return f'<div class="scroll"><table class="pairs">{body}</table></div>'


def _table(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f'<th scope="col">{_escape(name.replace("_", " "))}</th>' for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>" for row in rows)
    table = f'<table class="numbers"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll">{table}</div>'


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value is None else _escape(value)


def _details(name: str, text: str) -> str:
    return f"<details><summary>{_escape(name)}</summary><pre>{_escape(text)}</pre></details>\n"
