"""What all answers of the page have in common: threads, errors in one line, bodies within bounds, streams of events."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from jaxgp import reading
from jaxgp.errors import RunError, UsageError
from jaxgp.web import pages
from jaxgp.web.play.hall import Hall
from jaxgp.web.watch.runs import Runs
from jaxgp.web.watch.watching import Watch

STREAMS = 32
"""Streams of events that are open at once."""
BEAT = 15.0
"""Seconds after which a stream that has nothing to tell says that it is there."""


@dataclass
class Site:
    """What the page is about.

    Attributes:
        runs: that are listed.
        hall: the games.
        host: what the server is bound to.
        token: what a browser has to show once; None: nothing.
        page_token: what pages carry.
        streams: how many are open.
        watch: what is known of runs that are looked at.
    """

    runs: Runs
    hall: Hall
    host: str = "127.0.0.1"
    token: str | None = None
    page_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    streams: int = 0

    def __post_init__(self) -> None:
        self.watch = Watch(self.hall.games)


def at(site: Site, answer: Callable[..., Response]) -> Callable[..., Any]:
    """Return an endpoint that works in a thread, and says in one line what is refused."""

    async def endpoint(request: Request) -> Response:
        try:
            if request.method == "POST":
                return await run_in_threadpool(answer, site, request, await _body(request))
            return await run_in_threadpool(answer, site, request)
        except (UsageError, RunError) as error:
            code = 500 if isinstance(error, RunError) else 409 if request.method == "POST" else 404
            if request.method == "POST":
                return JSONResponse({"error": str(error)[:1000]}, code)
            return HTMLResponse(pages.problem("This is not here", str(error)[:1000], site.page_token), code)

    return endpoint


async def _body(request: Request) -> dict[str, Any]:
    """Return the object of JSON that a request sends."""
    raw = await request.body()
    try:
        found = reading.parse_json(raw)
    except ValueError as error:
        raise HTTPException(400, f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise HTTPException(400, "accepted: an object of JSON")
    return found


def streamed(site: Site, source: Callable[[Site, Request], AsyncIterator[dict[str, Any] | None]]) -> Callable[..., Any]:
    """Return an endpoint that sends what a source yields as events."""

    async def endpoint(request: Request) -> Response:
        if site.streams >= STREAMS:
            raise HTTPException(503, f"accepted: {STREAMS} streams at once; close another page")
        found = source(site, request)
        try:
            first = await anext(found)
        except (UsageError, RunError) as error:
            raise HTTPException(404, str(error)[:1000]) from error
        return StreamingResponse(_events(site, first, found), media_type="text/event-stream")

    return endpoint


async def _events(
    site: Site, first: dict[str, Any] | None, rest: AsyncIterator[dict[str, Any] | None]
) -> AsyncIterator[str]:
    """Yield events as text, and a beat where there are none for a while."""
    site.streams += 1
    clock = asyncio.get_running_loop().time
    told = clock()
    try:
        if first is not None:
            yield f"data: {json.dumps(first)}\n\n"
        async for found in rest:
            if found is not None or clock() - told > BEAT:
                told = clock()
                yield ": here\n\n" if found is None else f"data: {json.dumps(found)}\n\n"
    except (UsageError, RunError):
        return
    finally:
        site.streams -= 1


def plain(site: Site) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if request.method == "POST" or request.url.path.endswith("stream"):
            return JSONResponse({"error": error.detail}, error.status_code)
        return HTMLResponse(pages.problem("This is not here", error.detail, site.page_token), error.status_code)

    return answer
