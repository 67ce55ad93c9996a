"""The pages of games: the form of a new one, the board, the games that are open or saved."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxgp.errors import show
from jaxgp.report import tree
from jaxgp.report.markup import escape
from jaxgp.web import pages
from jaxgp.web.play.hall import Hall, Offer
from jaxgp.web.play.pagegame import PageGame

STATES = {
    "starting": "Setting up the board",
    "moving": "Playing",
    "stopped": "Stopped. Let it go on, or take a move back.",
    "paused": "This game was put away. Let it go on, or go on from any of its moves.",
    "failed": "Something went wrong. Take a move back, or let it go on.",
}
CONTROLS = (
    ("undo", "Take back", "u", "take back your last move, and the replies to it"),
    ("hint", "Hint", "h", "ask for a good move"),
    ("why", "Why", "w", "what the players say of this position"),
    ("stop", "Stop", "s", "stop the player that thinks"),
    ("again", "Go on", "g", "let the player think again"),
    ("resign", "Resign", "", "end the game as a loss for the side to move"),
)
"""Name, words, key and meaning of each button."""
MOST_MOVES = 60
"""Moves whose values are shown."""
DECIDED = 2e38
"""Values from which on a game has ended in the search of a program."""


def view(game: PageGame, bottom: int) -> dict[str, Any]:
    """Return what the page shows of a game now, as JSON holds it: parts in HTML by their ids, and the legal moves.

    Args:
        game: the game.
        bottom: the seat whose side of the board is nearest.
    """
    with game.lock:
        record, version, waiting = list(game.record), game.version, game.waiting
        doing, said, hint = game.doing, game.said, game.hint
    found: dict[str, Any] = {"version": version, "at": len(record), "waiting": waiting, "moves": [], "hinted": []}
    found["parts"] = {"state": _state(game, record, waiting, doing, said)}
    if record:
        found["parts"] |= {"board": draw(game, record, bottom), "record": _record(game, record)}
    if record and waiting == "person":
        state = record[-1].state
        found["moves"] = [_move(game, state, action) for action in game.stepper.legal(state)]
        if hint is not None and hint[0] == len(record) and hint[1] is not None:
            found["hinted"] = _move(game, state, hint[1])["p"]
    return found


def _move(game: PageGame, state: Any, action: int) -> dict[str, Any]:
    pointing = game.spec.table.pointing
    places = [] if pointing is None else list(pointing.places(game.stepper.rules, state, action))
    return {"a": action, "n": game.spec.notation.action_name(game.stepper.rules, action), "p": places}


def draw(game: PageGame, record: Sequence[Any], bottom: int) -> str:
    """Return the picture of the last position of a record, with the places that can be pointed at above it."""
    last, rules, spec = record[-1], game.stepper.rules, game.spec
    action = last.action if len(record) > 1 else None
    drawn = spec.drawing.svg(rules, last.state, action, seat=None if action is None else last.seat, bottom=bottom)
    if spec.table.pointing is None or bool(last.state.terminated):
        return drawn
    head, end, rest = drawn.rpartition("</svg>")
    return f"{head}{''.join(map(_spot, spec.table.pointing.spots(rules, last.state, bottom)))}{end}{rest}"


def _spot(spot: Any) -> str:
    return (
        f'<rect class="place" data-place="{escape(" ".join(spot.places))}" x="{spot.x:g}" y="{spot.y:g}" '
        f'width="{spot.width:g}" height="{spot.height:g}" rx="4"/>'
    )


def _state(game: PageGame, record: Sequence[Any], waiting: str, doing: str, said: str) -> str:
    """Say how the game stands."""
    lines = [f"<p>{escape(said)}</p>"] if said else []
    seat = int(record[-1].state.to_move) if record else 0
    who = game.labels()[seat] if seat < len(game.chairs) else ""
    if waiting == "person":
        now = "Your move." if who == "You" else f"{who} to move."
    elif waiting == "thinking":
        now = f"{who}: {doing or 'thinking'}"
    elif waiting == "over":
        now = _score(game, record)
    else:
        now = STATES[waiting] + (f": {doing}" if doing and waiting == "starting" else "")
    busy = ' class="busy"' if waiting in ("starting", "thinking", "moving") or (doing and waiting == "person") else ""
    if doing and waiting == "person":
        now += f" {doing}"
    return "".join([*lines, f"<p{busy}><strong>{escape(now)}</strong></p>"])


def _score(game: PageGame, record: Sequence[Any]) -> str:
    points = np.asarray(game.stepper.rules.score(record[-1].state)).tolist()
    return "The game is over" + (f": {' to '.join(f'{one:g}' for one in points)}." if len(points) > 1 else ".")


def _record(game: PageGame, record: Sequence[Any], at: int | None = None) -> str:
    """Return the moves as links to their positions."""
    rules, name = game.stepper.rules, game.spec.notation.action_name
    items = []
    for number, move in enumerate(record[1:], 1):
        said = "resigns" if move.action is None else name(rules, move.action)
        here = ' aria-current="step"' if number == (len(record) - 1 if at is None else at) else ""
        place = "" if rules.seats == 1 else f' <span class="soft">{"first" if move.seat == 0 else "second"}</span>'
        items.append(f'<li><a href="/play/{escape(game.name)}?move={number}"{here}>{escape(said)}</a>{place}</li>')
    return f'<ol class="record">{"".join(items)}</ol>' if items else '<p class="soft">No moves yet.</p>'


def reasons(game: PageGame, state: Any, bottom: int, found: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return why players would move as they do in a position, in HTML."""
    return "".join(f"<h2>{escape(name)}</h2>{_reasons(game, state, bottom, why)}" for name, why in found)


def _reasons(game: PageGame, state: Any, bottom: int, why: Mapping[str, Any]) -> str:
    parts = [f"<p>{escape(why['says'])}</p>"]
    if why["moves"]:
        lines = any(line for _, _, line in why["moves"])
        rows = "".join(
            f'<tr><td>{escape(name)}</td><td class="tight">{_worth(value)}</td>'
            f"{f'<td>{escape(line)}</td>' * lines}</tr>"
            for name, value, line in why["moves"][:MOST_MOVES]
        )
        then = f'<th scope="col">{escape(why["then"])}</th>' * lines
        head = f'<tr><th scope="col">move</th><th scope="col">value</th>{then}</tr>'
        parts.append(f'<div class="scroll"><table>{head}{rows}</table></div>')
        if (more := len(why["moves"]) - MOST_MOVES) > 0:
            parts.append(f'<p class="soft">{more:,} more.</p>')
    if why["rules"]:
        rows = "".join(
            f"<li>{f'<mark>{escape(text)}</mark> fires' if fires else escape(text)}"
            f"{f' <span class=soft>{escape(note)}</span>' if note else ''}</li>"
            for text, fires, note in why["rules"]
        )
        parts.append(f'<ol class="record">{rows}</ol>')
    if why["mask"] and game.spec.table.pointing is not None:
        parts.append(masked(game, state, bottom, why["mask"]))
    if why["legend"]:
        parts.append(f'<p class="words soft">{escape(why["legend"])}</p>')
    for text, marks in why["trees"]:
        pale = '<p class="soft">Pale nodes never matter: they are introns.</p>' * any(m == "pale" for _, m in marks)
        parts.append(f'{pale}<div class="scroll tree-box">{tree.draw(text, {int(n): m for n, m in marks})}</div>')
    return "".join(parts)


def masked(game: PageGame, state: Any, bottom: int, mask: Sequence[tuple[str, str]]) -> str:
    """Draw the conditions of a rule on the board: (place, symbol) each; say those that are beyond it."""
    rules, spec = game.stepper.rules, game.spec
    assert spec.table.pointing is not None
    where = {place: spot for spot in spec.table.pointing.spots(rules, state, bottom) for place in spot.places}
    head, end, rest = spec.drawing.svg(rules, state, bottom=bottom).rpartition("</svg>")
    drawn = "".join(_condition(where[place], symbol) for place, symbol in mask if place in where)
    beyond = [symbol for place, symbol in mask if place not in where]
    more = f" Beyond the edge: {escape(' '.join(beyond))}." if beyond else ""
    said = f'<p class="soft">The conditions of the rule that fires.{more}</p>'
    return f'<div class="mask">{head}{drawn}{end}{rest}</div>{said}'


def _condition(spot: Any, symbol: str) -> str:
    x, y = spot.x + spot.width / 2, spot.y + spot.height / 2
    return (
        f'<rect class="cell" x="{spot.x + 2:g}" y="{spot.y + 2:g}" width="{spot.width - 4:g}" '
        f'height="{spot.height - 4:g}" rx="4"/><circle class="badge" cx="{x:g}" cy="{y:g}" r="13"/>'
        f'<text class="wanted" x="{x:g}" y="{y + 5:g}">{escape(symbol)}</text>'
    )


def _worth(value: float) -> str:
    """Write the value of a move; those of ended games lie beyond all others."""
    return f"{value:.4g}" if abs(value) < DECIDED else "wins" if value > 0 else "loses"


def live(game: PageGame, token: str) -> str:
    """Return the page of a game that goes on."""
    shown = view(game, game.bottom)
    parts = shown["parts"]
    buttons = "".join(
        f'<button type="button" data-do="{name}" title="{says}{f" ({key})" if key else ""}"'
        f"{f' data-key={key}' if key else ''}>{words}</button>"
        for name, words, key, says in CONTROLS
    )
    marks = '<label><input type="checkbox" id="marks"> show moves</label>' if game.spec.table.pointing else ""
    rules = game.spec.table.rules
    words = (
        f'<details class="card"><summary>Rules</summary><p class="words">{escape(rules)}</p></details>' if rules else ""
    )
    body = (
        f'<div class="table" id="game" data-game="{escape(game.name)}" data-bottom="{game.bottom}">'
        f'<div><div id="board">{parts.get("board", "")}</div>'
        f'<div class="row" role="toolbar" aria-label="game">{buttons}'
        '<button type="button" id="flip" title="turn the board round (f)">Flip</button>'
        f"{marks}</div></div>"
        f'<div><div class="card" id="state" aria-live="polite">{parts["state"]}</div>'
        '<div class="card" id="choose" hidden><h2>Moves</h2><div id="moves"></div></div>'
        '<div class="card" id="reasons" hidden></div>'
        f'<div class="card"><h2>Record</h2><div id="record">{parts.get("record", "")}</div></div>{words}'
        f'<p class="row"><a href="/new?game={escape(game.settings["name"])}">New game</a></p></div></div>'
        "<noscript><p>Without scripts the board can be read, not played on.</p></noscript>"
    )
    return pages.frame(f"{_called(game)}: {game.title}", body, token)


def step(game: PageGame, move: int, token: str) -> str:
    """Return the page of one position of a game, with links to those before and after it."""
    record = list(game.record)
    last = len(record) - 1
    at = min(max(move, 0), last)
    base = f"/play/{escape(game.name)}"
    links = [
        f'<a href="{base}?move={to}" rel="{rel}">{words}</a>' if to != at else f'<span class="soft">{words}</span>'
        for to, rel, words in (
            (0, "first", "first"),
            (max(0, at - 1), "prev", "back"),
            (min(last, at + 1), "next", "on"),
            (last, "last", "last"),
        )
    ]
    drawn = game.spec.drawing.svg(
        game.stepper.rules,
        record[at].state,
        record[at].action if at else None,
        seat=record[at].seat if at else None,
        bottom=game.bottom,
    )
    ended = bool(record[at].state.terminated)
    sent = escape(json.dumps({"move": at}))
    onward = f'<button type="button" class="main" data-post="{base}/on" data-body="{sent}">Go on from here</button>'
    body = (
        f'<div class="table"><div><div id="board">{drawn}</div><p class="row" id="steps">{" ".join(links)}</p></div>'
        f'<div><div class="card"><p>Position after {at} of {last} moves.</p><p class="row">{"" if ended else onward} '
        f'<a href="{base}">the game itself</a></p></div>'
        f'<div class="card"><h2>Record</h2>{_record(game, record, at)}</div></div></div>'
    )
    return pages.frame(f"{_called(game)}: {game.title}", body, token)


def _called(game: PageGame) -> str:
    return game.spec.name.replace("_", " ").capitalize()


def games(hall: Hall, token: str) -> str:
    """Return the list of games that are open, and of those that are saved."""
    opened = "".join(
        f'<li><a href="/play/{escape(one.name)}">{escape(_called(one))}: {escape(one.title)}</a> '
        f'<span class="soft">{len(one.record) - 1 if one.record else 0} moves</span></li>'
        for one in hall.open.values()
    )
    known = hall.open
    saved = "".join(
        f'<li><a href="/play/{escape(name)}">{escape(name)}</a> '
        f'<span class="soft">{pages.age(time.time() - _changed(path))}</span></li>'
        for name, path in hall.saved().items()
        if name not in known
    )
    body = f"<h2>Open</h2><ul>{opened or '<li>None.</li>'}</ul><h2>Saved</h2><ul>{saved or '<li>None.</li>'}</ul>"
    return pages.frame("Games", f'<p><a href="/new">New game</a></p>{body}', token, "/games")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return time.time()


def choose(names: Sequence[str], token: str) -> str:
    """Return the page that asks which game is played."""
    listed = "".join(
        f'<li><a href="/new?game={escape(one)}">{escape(one.replace("_", " ").capitalize())}</a></li>' for one in names
    )
    return pages.frame("Play", f"<p>Which game?</p><ul>{listed}</ul>", token, "/new")


def form(offer: Offer, asked: Mapping[str, str], token: str) -> str:
    """Return the form of a new game.

    Args:
        offer: what can be played.
        asked: `first` and `second`, words that are chosen already.
        token: see `pages.frame`.
    """
    spec, game = offer.cast.spec, offer.cast.game
    seats = ("first",) if game.seats == 1 else ("first", "second")
    usual = {"first": "human", "second": offer.usual}
    chairs = "".join(_seat(seat, offer, asked.get(seat) or usual[seat], len(seats) == 1) for seat in seats)
    settings = "".join(_setting(*one) for one in offer.settings)
    seed = int(time.time()) % 100_000 if game.chance or game.starts == "drawn" else 0
    rules = (
        f'<details class="card" open><summary>Rules</summary><p class="words">{escape(spec.table.rules)}</p></details>'
    )
    folded = f"<details><summary>Settings of the rules</summary>{settings}</details>" if settings else ""
    body = (
        f'<form class="card" data-post="/new"><input type="hidden" name="game" value="{escape(offer.name)}">{chairs}'
        f'{folded}<p><label>seed of all chance <input type="number" name="seed" value="{seed}" min="0"></label></p>'
        '<p><button class="main">Play</button></p></form>'
        f'{rules if spec.table.rules else ""}<p><a href="/new">Another game</a></p>'
    )
    return pages.frame(f"New game of {offer.name.replace('_', ' ')}", body, token, "/new")


def _seat(seat: str, offer: Offer, chosen: str, alone: bool) -> str:
    options = "".join(
        f'<option value="{escape(word)}"{" selected" * (word == chosen)}>{escape(name)}</option>'
        for word, name in offer.players.items()
    )
    more = ""
    if offer.evaluators or any(word.startswith("champion") for word in offer.players):
        more = (
            f'<label>plies <input type="number" name="{seat}_depth" min="1" max="24" placeholder="usual" '
            f'title="of a search, or of a champion that searches"></label>'
        )
    if len(offer.evaluators) > 1:
        named = "".join(f"<option>{escape(one)}</option>" for one in offer.evaluators)
        more += f'<label>values by <select name="{seat}_evaluator">{named}</select></label>'
    legend = "Player" if alone else f"{seat.capitalize()} player"
    return (
        f'<fieldset><legend>{legend}</legend><p class="row"><select name="{seat}" aria-label="{legend}">{options}'
        f"</select>{more}</p></fieldset>"
    )


def _setting(name: str, value: Any, says: str, choices: Sequence[str]) -> str:
    label = f"<label>{escape(name.replace('_', ' '))} "
    if choices:
        inside = "".join(f"<option{' selected' * (one == show(value))}>{escape(one)}</option>" for one in choices)
        field = f'<select name="game.{escape(name)}">{inside}</select>'
    else:
        field = f'<input name="game.{escape(name)}" value="{escape(show(value))}">'
    return f'<p>{label}{field}</label> <span class="soft">{escape(says)}</span></p>'
