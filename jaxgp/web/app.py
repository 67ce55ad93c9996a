"""The page as a program for a server: addresses, and what answers each of them."""

import asyncio
import importlib
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from jaxgp import reading
from jaxgp.errors import UsageError
from jaxgp.report.page import STYLE
from jaxgp.web import guard, pages
from jaxgp.web.answers import Site, at, plain, streamed
from jaxgp.web.connections import MOST, TimedConnection
from jaxgp.web.watch.runs import LARGEST, RunEntry, arrange
from jaxgp.web.watch.watching import TOGETHER

FOLDER = Path(__file__).parent
LOOK = {"play": 0.1, "run": 1.0}
"""Seconds between two looks at what a stream tells of."""


def make(site: Site) -> Starlette:
    """Return the page as a program for a server."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        site.hall.close()
        site.hall.thinkers.close()

    routes = [
        Route("/", at(site, home)),
        Route("/page.css", _style),
        Route("/page.js", _script),
        Route("/run/{number:int}", at(site, run)),
        Route("/run/{number:int}/report", at(site, report)),
        Route("/run/{number:int}/game", at(site, show_game), methods=["POST"]),
        Route("/page/{number:int}", at(site, study)),
        Route("/watch", at(site, watch)),
        Route("/watch.csv", at(site, figures)),
        Route("/stream", streamed(site, watch_stream)),
        Route("/new", at(site, new)),
        Route("/new", at(site, create), methods=["POST"]),
        Route("/games", at(site, games)),
        Route("/play/{name}", at(site, play)),
        Route("/play/{name}/view", at(site, look)),
        Route("/play/{name}/stream", streamed(site, play_stream)),
        Route("/play/{name}/{do}", at(site, act), methods=["POST"]),
    ]
    failures: Any = {HTTPException: plain(site)}
    between = guard.middleware(site.host, site.page_token, site.token)
    return Starlette(routes=routes, middleware=between, lifespan=lifespan, exception_handlers=failures)


def server(site: Site, opened: Callable[[], object]) -> uvicorn.Server:
    """Return what serves the page, at a socket that its `run` gets.

    Args:
        site: what the page is about.
        opened: called once requests are answered.
    """
    config = uvicorn.Config(
        make(site),
        http=TimedConnection,
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST + 1,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=1,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    made = uvicorn.Server(config)
    startup = made.startup

    async def starting(sockets: list[socket.socket] | None = None) -> None:
        await startup(sockets)
        opened()
        threading.Thread(target=prepare, daemon=True).start()

    def prepare() -> None:
        """Do what the first requests would have to wait for."""
        site.runs.all()
        for room in ("jaxgp.web.play.board", "jaxgp.report.plots", "jaxgp.report.tableau"):
            importlib.import_module(room)

    made.startup = starting  # type: ignore[method-assign]
    return made


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a line of the server's log is to be shown: that its end cancels what is under way is none."""
    cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cancelled and not str(record.msg).startswith("Cancel ")


# What answers. Each function gets the site and the request, in a thread; a UsageError or RunError becomes its answer.


def home(site: Site, request: Request) -> Response:
    asked = {name: request.query_params.get(name, "")[:200] for name in ("words", "sort", "down")}
    entries = arrange(
        site.runs.all(), asked["words"], asked["sort"] or "updated", bool(asked["down"] or not asked["sort"])
    )
    return HTMLResponse(pages.home(entries, site.runs.pages, asked, site.page_token, site.hall.thinkers.told))


def run(site: Site, request: Request) -> Response:
    return _watched(site, [_entry(site, request.path_params["number"])], request)


def watch(site: Site, request: Request) -> Response:
    return _watched(site, _chosen(site, request), request)


def _watched(site: Site, entries: list[RunEntry], request: Request) -> Response:
    others = [one for one in site.runs.all() if one.is_run][:500]
    return HTMLResponse(site.watch.page(entries, others, _metrics(request), site.page_token))


def figures(site: Site, request: Request) -> Response:
    pieces = site.watch.csv(_chosen(site, request), _metrics(request))
    headers = {"content-disposition": "attachment; filename=curves.csv"}
    return StreamingResponse(pieces, media_type="text/csv", headers=headers)


def report(site: Site, request: Request) -> Response:
    entry = _entry(site, request.path_params["number"])
    if not entry.has_report:
        raise UsageError("this run has no report")
    return _sandboxed(entry.directory.report)


def study(site: Site, request: Request) -> Response:
    number = request.path_params["number"]
    if number >= len(site.runs.pages):
        raise UsageError("there is no report with this number")
    return _sandboxed(site.runs.pages[number])


def _sandboxed(path: Path) -> Response:
    """Show a page that a run has written where it can reach nothing."""
    try:
        text = reading.decode(reading.read_bytes(path, 16 * LARGEST))
    except (OSError, ValueError) as error:
        raise UsageError(f"the report cannot be read: {error}") from error
    return HTMLResponse(text, headers={"content-security-policy": guard.SANDBOX})


def new(site: Site, request: Request) -> Response:
    from jaxgp.web.play import board

    name, chosen = request.query_params.get("game", ""), request.query_params.get("run", "")
    if chosen:
        entry = _entry(site, _number(chosen))
        settings = _champions_game(entry)
        offer = site.hall.offer(settings.pop("name", ""), settings)
        word, alone = f"champion:{entry.number}", offer.cast.game.seats == 1
        return HTMLResponse(board.form(offer, {"first" if alone else "second": word}, site.page_token))
    if not name:
        return HTMLResponse(board.choose(site.hall.names, site.page_token))
    return HTMLResponse(board.form(site.hall.offer(name), {}, site.page_token))


def _champions_game(entry: RunEntry) -> dict[str, Any]:
    """Return the name and the settings of the game that the champion of a run plays; raises UsageError."""
    from jaxgp.web.watch.runs import read_champion, read_small

    content = read_small(entry.directory.champion) if entry.is_run else read_champion(entry.path)
    settings = content.get("game") if isinstance(content, dict) else None
    if not isinstance(settings, dict) or not isinstance(settings.get("name"), str):
        raise UsageError("this run has no champion that can be read")
    return dict(settings)


def create(site: Site, request: Request, body: dict[str, Any]) -> Response:
    return JSONResponse({"go": f"/play/{site.hall.create(body).name}"})


def show_game(site: Site, request: Request, body: dict[str, Any]) -> Response:
    """Let the champion of a run play against the usual opponent, or alone."""
    del body
    entry = _entry(site, request.path_params["number"])
    settings = _champions_game(entry)
    name = settings.pop("name", "")
    offer = site.hall.offer(name, settings)
    form = {"game": name, "first": f"champion:{entry.number}", "second": offer.usual}
    form["seed"] = str(int(time.time()) % 100_000)
    return JSONResponse({"go": f"/play/{site.hall.create(form, settings).name}"})


def games(site: Site, request: Request) -> Response:
    from jaxgp.web.play import board

    return HTMLResponse(board.games(site.hall, site.page_token))


def play(site: Site, request: Request) -> Response:
    from jaxgp.web.play import board

    game = site.hall.find(request.path_params["name"])
    move = request.query_params.get("move")
    if move is not None and game.record:
        return HTMLResponse(board.step(game, _number(move), site.page_token))
    return HTMLResponse(board.live(game, site.page_token))


def look(site: Site, request: Request) -> Response:
    from jaxgp.web.play import board

    return JSONResponse(board.view(site.hall.find(request.path_params["name"]), _bottom(request.query_params)))


def act(site: Site, request: Request, body: dict[str, Any]) -> Response:
    """Do what a person asks for at a board."""
    from jaxgp.web.play import board

    game, do = site.hall.find(request.path_params["name"]), request.path_params["do"]
    at = _whole(body, "at") if do in ("move", "undo", "hint", "resign", "why") else 0
    found: dict[str, Any] = {}
    if do == "move":
        game.move(at, _whole(body, "action"))
    elif do == "on":
        return JSONResponse({"go": f"/play/{site.hall.go_on_from(game, _whole(body, 'move')).name}"})
    elif do == "hint":
        game.advise(at)
    elif do == "why":
        state, why = game.why(at)
        found["reasons"] = board.reasons(game, state, _bottom(body), why)
    elif do in ("undo", "resign"):
        getattr(game, do)(at)
    elif do == "stop":
        game.stop()
    elif do == "again":
        game.go_on()
    else:
        raise UsageError(f"{do}: accepted: move, undo, hint, why, resign, stop, again, on")
    return JSONResponse(found | {"view": board.view(game, _bottom(body))})


async def play_stream(site: Site, request: Request) -> AsyncIterator[dict[str, Any] | None]:
    """Yield what the page shows of a game, whenever it changes; None: nothing has."""
    from jaxgp.web.play import board

    name, bottom, shown = request.path_params["name"], _bottom(request.query_params), -1
    while True:
        # Asked for each time: a game that was put away is another one when it is opened again.
        game = site.hall.peek(name) or await run_in_threadpool(site.hall.find, name)
        if game.version != shown:
            found = await run_in_threadpool(board.view, game, bottom)
            shown = found["version"]
            yield found
        else:
            yield None
        await asyncio.sleep(LOOK["play"])


async def watch_stream(site: Site, request: Request) -> AsyncIterator[dict[str, Any] | None]:
    """Yield the parts of the page of runs that have changed, whenever one has; None: nothing has."""
    numbers = [one.number for one in await run_in_threadpool(_chosen, site, request)]
    asked, stamp, shown = _metrics(request), None, dict[str, str]()

    def changed(before: object) -> tuple[object, dict[str, str]]:
        entries = [entry for entry in map(site.runs.find, numbers) if entry is not None]
        now = site.watch.stamp(entries)
        return now, ({} if now == before or not entries else site.watch.parts(entries, asked))

    while True:
        stamp, parts = await run_in_threadpool(changed, stamp)
        new = {name: text for name, text in parts.items() if shown.get(name) != text}
        shown |= new
        yield {"parts": new} if new else None
        await asyncio.sleep(LOOK["run"])


# What they share.


def _style(request: Request) -> Response:
    return Response(STYLE + (FOLDER / "page.css").read_text("utf-8"), media_type="text/css")


def _script(request: Request) -> Response:
    return FileResponse(FOLDER / "page.js", media_type="text/javascript")


def _entry(site: Site, number: int) -> RunEntry:
    found = site.runs.find(number)
    if found is None:
        raise UsageError(
            "there is no run with this number; the list has numbers of its own each time the server starts"
        )
    return found


def _chosen(site: Site, request: Request) -> list[RunEntry]:
    numbers = dict.fromkeys(map(_number, request.query_params.getlist("run")))
    if not 0 < len(numbers) <= TOGETHER:
        raise UsageError(f"run: accepted: 1 to {TOGETHER} runs")
    return [_entry(site, number) for number in numbers]


def _metrics(request: Request) -> dict[str, Any]:
    return {"metric": request.query_params.getlist("metric")[:12], "log": request.query_params.get("log") == "1"}


def _number(text: str) -> int:
    number = reading.whole_number(text, 7)
    if number is None:
        raise UsageError("accepted: a whole number")
    return number


def _whole(body: dict[str, Any], name: str) -> int:
    value = body.get(name)
    if type(value) is not int:
        raise UsageError(f"{name}: accepted: a whole number")
    return value


def _bottom(given: Any) -> int:
    return 1 if str(given.get("bottom")) == "1" else 0
