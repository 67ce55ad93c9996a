"""The page of a run, or of several: curves that grow, the best program, settings. Only files are read.

Each part of the page that may change has an id. The stream of a run sends the parts that have changed.
"""

import difflib
import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from jaxgp import reading
from jaxgp.errors import UsageError
from jaxgp.report import markup, tree
from jaxgp.report.markup import escape
from jaxgp.report.progress import duration, number
from jaxgp.web import pages
from jaxgp.web.watch.curves import ChartCurve, draw, mean_and_interval
from jaxgp.web.watch.records import Records, RecordTail, csv_pieces
from jaxgp.web.watch.runs import RunEntry, read_champion, read_small

if TYPE_CHECKING:
    from jaxgp.games.outside import Games

TOGETHER = 30
"""Runs that are shown in one chart."""
LONGEST = 20_000
"""Characters of a program that are shown."""
DRAWN = 3_000
"""Characters of a program whose tree is drawn."""
CHAMPIONS = 20
"""Champions of a run that were seen since the server began, and are kept."""
USUAL = ("best_standing", "best_fitness", "mean_fitness")
WORDS = re.compile(r"[()]|[^\s()]+|\s+")


class Watch:
    """What is known of runs that somebody has looked at.

    Args:
        games: where games come from.
    """

    def __init__(self, games: "Games") -> None:
        self.records = Records()
        self._games = games
        self._tableaus: dict[int, str] = {}
        self._seen: OrderedDict[int, list[tuple[int, str]]] = OrderedDict()
        self._lock = Lock()

    def champions(self, entry: RunEntry) -> list[tuple[int, str]]:
        """Return the generation and the text of the champions that were seen, the newest last."""
        content = read_champion(entry.path) if not entry.is_run else read_small(entry.directory.champion)
        if not isinstance(content, dict):
            return []
        text = content.get("text")
        text = "\n".join(map(str, text)) if isinstance(text, list) else str(text)
        generation = content.get("generation")
        with self._lock:
            seen = self._seen.setdefault(entry.number, [])
            if not seen or seen[-1][1] != text:
                seen.append((generation if isinstance(generation, int) else -1, text))
                del seen[:-CHAMPIONS]
            return list(seen)

    def stamp(self, entries: Sequence[RunEntry]) -> object:
        """Return something that differs once a part of the page does; lengths of records, statuses and champions."""
        found = []
        for one in entries:
            paths = (one.directory.record, one.directory.status, one.directory.champion)
            found.append([(path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else None for path in paths])
        return found, [one.facts["state"] for one in entries]

    def parts(self, entries: Sequence[RunEntry], asked: Mapping[str, Any]) -> dict[str, str]:
        """Return the parts of the page by their ids, in HTML."""
        tails = {one.number: self.records.get(one.directory.record) for one in entries}
        found = {"curves": _curves(entries, tails, asked)}
        if len(entries) == 1:
            found |= {"tiles": _tiles(entries[0], tails[entries[0].number]), "champion": self._champion(entries[0])}
        return found

    def _champion(self, entry: RunEntry) -> str:
        seen = self.champions(entry)
        if not seen:
            return "<p>No champion yet.</p>"
        generation, text = seen[-1]
        shown = text[:LONGEST]
        cut = f"<p>The first {LONGEST:,} of {len(text):,} characters.</p>" if len(text) > LONGEST else ""
        body = _differing(seen[-2][1][:LONGEST], shown) if len(seen) > 1 else escape(shown)
        new = " What is new since the champion before is marked." if len(seen) > 1 else ""
        drawn = ""
        if len(text) <= DRAWN and text.startswith("("):
            drawn = f'<details><summary>as a tree</summary><div class="scroll">{tree.draw(text)}</div></details>'
        return (
            f'<p class="soft">Found in generation {generation}.{new}</p>'
            f'<pre class="expression">{body or "no rules: always the default action"}</pre>{cut}{drawn}'
        )

    def page(
        self, entries: Sequence[RunEntry], others: Sequence[RunEntry], asked: Mapping[str, Any], token: str
    ) -> str:
        """Return the page of one run, or of several of them.

        Args:
            entries: the runs.
            others: those that can be shown beside them.
            asked: `metric`, names of metrics, none: the usual ones; `log`: whether the axis is logarithmic.
            token: see `pages.frame`.
        """
        parts = self.parts(entries, asked)
        one = entries[0]
        query = urlencode([("run", str(one.number)) for one in entries] + _query(asked))
        chosen = {name: f'<div id="{name}">{text}</div>' for name, text in parts.items()}
        links = [f'<a href="/watch.csv?{escape(query)}">figures as CSV</a>']
        if len(entries) == 1:
            if one.has_champion:
                links.append(f'<a href="/new?run={one.number}">play against it</a>')
                post = f'data-post="/run/{one.number}/game" data-body="{{}}"'
                links.append(f'<button type="button" {post}>see a game of it</button>')
            links += [f'<a href="/run/{one.number}/report">its report</a>'] * one.has_report
            title = one.facts["title"] or one.label
            resume = f"<p>Go on: <code>{escape(one.resume)}</code></p>" * bool(one.resume)
            settings = f"{self._tableau(one)}<h2>Settings</h2>{markup.pairs(list(_settings(one).items()))}"
            champion = f"<h2>Champion</h2>{chosen['champion']}"
        else:
            title, resume, champion = f"{len(entries)} runs", "", ""
            settings = f"<h2>Settings that differ</h2>{_settings_apart(entries)}"
        form = _form(entries, others, self.records.get(one.directory.record).metrics, asked)
        body = (
            f'<div id="live" data-stream="/stream?{escape(query)}">{chosen.get("tiles", "")}</div>{resume}'
            f'<p class="row">{" ".join(links)}</p>{chosen["curves"]}{form}{champion}{settings}'
        )
        return pages.frame(title, body, token)

    def _tableau(self, entry: RunEntry) -> str:
        """Return the parameters of a run as a report has them; empty where they cannot be read."""
        with self._lock:
            known = self._tableaus.get(entry.number)
        if known is None:
            known = ""
            with suppress(Exception):  # whatever the settings of a run are, its page is shown
                title, rows = self._parameters(entry)
                known = f"<h2>{escape(title)}</h2>{markup.pairs(rows)}"
            with self._lock:
                self._tableaus[entry.number] = known
        return known

    def _parameters(self, entry: RunEntry) -> tuple[str, list[tuple[str, str]]]:
        from jaxgp.config.games import cast_of
        from jaxgp.report.tableau import heading, tableau

        if not entry.is_run or entry.directory.config.is_symlink():
            raise UsageError("a champion alone has no settings")
        config = entry.directory.read_config()
        return heading(config), tableau(config, cast_of(config, self._games).language)

    def csv(self, entries: Sequence[RunEntry], asked: Mapping[str, Any]) -> Iterator[str]:
        """Return the figures of the charts as CSV, in pieces."""
        tails = {one.name: self.records.get(one.directory.record) for one in entries}
        known = sorted({name for tail in tails.values() for name in tail.metrics})
        chosen = [name for name in known if not asked["metric"] or name in asked["metric"]]
        columns = dict.fromkeys(part for name in chosen for tail in tails.values() for part in tail.parts(name))
        return csv_pieces(tails, list(columns))


def _query(asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [("metric", name) for name in asked["metric"]] + ([("log", "1")] if asked["log"] else [])


def _tiles(entry: RunEntry, tail: RecordTail) -> str:
    facts = entry.facts
    done, of = facts["generation"] or 0, facts["generations"]
    gone = facts["elapsed"] or 0.0
    left = gone / done * (of - done) if done and of and facts["state"] == "running" else 0.0
    tiles = [
        ("state", facts["state"]),
        *([("ended by", facts["ending"])] if facts["ending"] else []),
        ("game", facts["game"]),
        ("generations", f"{done:,} of {of:,}" if of else f"{done:,}"),
        ("best", number(facts["best"])),
        ("time", duration(gone)),
        *([("left", duration(left))] if left else []),
        ("last line", pages.age(time.time() - facts["updated"])),
    ]
    notes = [tail.note] if tail.note else []
    if tail.back is not None:
        notes.append(f"The record went back to generation {tail.back} while it was watched: the run was resumed.")
    return markup.tiles(tiles) + "".join(f'<p class="bad">{escape(one)}</p>' for one in notes)


def _curves(entries: Sequence[RunEntry], tails: Mapping[int, RecordTail], asked: Mapping[str, Any]) -> str:
    if not any(len(tail) for tail in tails.values()):
        return "<p>There is no record.</p>"
    if len(entries) == 1 and not asked["metric"]:
        drawn = _usual(tails[entries[0].number], asked["log"])
    else:
        first = tails[entries[0].number]
        metrics = asked["metric"] or [name for name in USUAL if name in first.metrics][:1] or first.metrics[:1]
        drawn = [_together(metric, entries, tails, asked["log"]) for metric in metrics]
    found = [(svg, "") for svg in drawn if svg]
    return markup.plots(found) if found else "<p>Nothing of this is in the record.</p>"


def _usual(tail: RecordTail, log: bool) -> list[str]:
    """Draw what the report of a run shows."""
    from jaxgp.report.plots import PLOTS  # late: it imports matplotlib

    drawn = []
    for plot in PLOTS:
        for unit, lines in plot.panels:
            curves = [
                ChartCurve(line.label, *tail.pairs(line.metric, line.factor), colour=place)
                for place, line in enumerate(lines)
                if line.metric in tail.columns
            ]
            figure = draw(f"{plot.title}: {unit.format(unit='nodes')}", curves, log=log)
            drawn.append(f"<figcaption>{escape(plot.title)}</figcaption>{figure}" if figure else "")
    return drawn


def _together(metric: str, entries: Sequence[RunEntry], tails: Mapping[int, RecordTail], log: bool) -> str:
    """Draw one metric of several runs: those of one title, from three on, as their mean with its 95 % interval."""
    groups: dict[str, list[RunEntry]] = {}
    for one in entries:
        groups.setdefault(f"{one.facts['game']} {one.facts['title']}".strip() or one.name, []).append(one)
    curves: list[ChartCurve] = []
    for name, members in groups.items():
        pairs = [tails[one.number].pairs(metric) for one in members]
        pairs = [pair for pair in pairs if pair[0]]
        colour = len({one.colour for one in curves})
        if len(pairs) >= 3:
            xs, means, lows, highs = mean_and_interval(pairs)
            label = f"{name}: mean of {len(pairs)}, 95 % interval"
            curves += [ChartCurve("", xs, lows, colour, highs), ChartCurve(label, xs, means, colour)]
            continue
        for one in members:
            who = f"{name}, seed {one.facts['seed']}" if len(entries) > 1 else ""
            for part in tails[one.number].parts(metric):
                label = ", ".join(filter(None, (who, part if part != metric or not who else "")))
                curves.append(ChartCurve(label, *tails[one.number].pairs(part), colour=colour))
                colour += 1
    figure = draw(metric, curves, log=log)
    return f"<figcaption>{escape(metric.replace('_', ' '))}</figcaption>{figure}" if figure else ""


def _form(
    entries: Sequence[RunEntry], others: Sequence[RunEntry], metrics: Sequence[str], asked: Mapping[str, Any]
) -> str:
    """Return the form that chooses runs, metrics and the axis."""
    numbers = {one.number for one in entries}
    runs = "".join(
        f'<option value="{one.number}"{" selected" * (one.number in numbers)}>'
        f"{escape(one.label)} ({escape(one.facts['game'])}, seed {one.facts['seed']})</option>"
        for one in others
    )
    names = "".join(f"<option{' selected' * (name in asked['metric'])}>{escape(name)}</option>" for name in metrics)
    return (
        '<details class="card"><summary>Choose metrics, and runs beside it</summary><form method="get" action="/watch">'
        f'<p><label>runs <select name="run" multiple size="6">{runs}</select></label></p>'
        f'<p><label>metrics <select name="metric" multiple size="6">{names}</select></label></p>'
        f'<p class="row"><label><input type="checkbox" name="log" value="1"{" checked" * asked["log"]}> logarithmic'
        "</label><button>Show</button></p></form></details>"
    )


def _settings(entry: RunEntry) -> dict[str, str]:
    """Return the settings of a run by their dotted names; empty where they cannot be read."""
    try:
        if entry.directory.config.is_symlink():
            return {}
        return dict(_flat(reading.read_yaml(entry.directory.config)))
    except (OSError, ValueError):
        return {}


def _flat(values: object, prefix: str = "") -> list[tuple[str, str]]:
    if isinstance(values, dict) and values:
        return [pair for name, value in values.items() for pair in _flat(value, f"{prefix}.{name}".lstrip("."))]
    return [(prefix, markup.cell(values) if values != "" else "")]


def _settings_apart(entries: Sequence[RunEntry]) -> str:
    """Return a table of the settings that are not the same in all runs."""
    found = {one.name: _settings(one) for one in entries}
    names = dict.fromkeys(name for settings in found.values() for name in settings)
    apart = [name for name in names if len({settings.get(name) for settings in found.values()}) > 1]
    if not apart:
        return "<p>None.</p>"
    return markup.table([{"setting": name} | {run: found[run].get(name) for run in found} for name in apart])


def _differing(before: str, now: str) -> str:
    """Return a program in HTML, with what the one before it did not have marked."""
    old, new = WORDS.findall(before), WORDS.findall(now)
    if len(old) + len(new) > 4000:  # comparing takes the square of it
        return escape(now)
    parts = []
    for kind, _, _, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        text = escape("".join(new[first:last]))
        parts.append(f"<mark>{text}</mark>" if kind in ("insert", "replace") and text.strip() else text)
    return "".join(parts)
