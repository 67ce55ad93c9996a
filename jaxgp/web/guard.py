"""Who may ask the page for what: hosts, origins, tokens, and what browsers may do with the answers."""

import asyncio
import ipaddress
import secrets
import socket
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 2**16
"""Bytes that a request may send."""
SLOWEST = 10.0
"""Seconds in which the body of a request has to arrive."""
COOKIE = "jaxgp"
HEADER = "x-page"
"""Where a write carries the token of the page that it comes from."""
LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""Pictures of games bring styles of their own; no script is inline."""
SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'none'"
)
"""For reports of runs, which are hostile until proved otherwise: an origin of their own, and nothing to reach."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def is_local(host: str) -> bool:
    """Return whether nobody but this machine reaches what is bound to a host."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def hosts_of(host: str) -> list[str]:
    """Return what requests may call this server: names and addresses that lead to it, and no other name."""
    names = {*LOCAL, host, f"[{host}]" if ":" in host else host}
    if is_local(host):
        return sorted(names)
    own = socket.gethostname()
    with suppress(OSError):
        names |= {str(found[4][0]) for found in socket.getaddrinfo(own, None)}
    return sorted(names | {own.lower()})


def middleware(host: str, page_token: str, token: str | None) -> list[Middleware]:
    """Return what stands between the network and the page.

    Args:
        host: what the server is bound to.
        page_token: what pages of this server carry, and writes have to show.
        token: what a browser has to show once; None: nothing.
    """
    return [
        Middleware(Headers),
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts_of(host), www_redirect=False),
        Middleware(Guard, page_token=page_token, token=token),
        Middleware(RequestBodyLimitMiddleware, max_body_size=LARGEST_BODY),
    ]


class Headers:
    """Sends the headers of every answer that does not have its own."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in {"content-security-policy": POLICY, **HEADERS}.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)


class Guard:
    """Refuses whoever has not shown the token, methods that are not used, and writes that no page of ours has made."""

    def __init__(self, app: ASGIApp, page_token: str, token: str | None) -> None:
        self.app, self._page_token, self._token = app, page_token, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = self._refuse(Request(scope))
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self.app(scope, _in_time(receive) if scope["method"] == "POST" else receive, send)

    def _refuse(self, request: Request) -> Response | None:
        """Return the answer to a request that goes no further; None: it may."""
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("accepted: GET, HEAD, POST", 405)
        foreign = request.headers.get("sec-fetch-site") in ("cross-site", "same-site")
        if foreign and request.headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("accepted: what a page of this server asks for", 403)
        if self._token is not None:
            shown = request.query_params.get("token")
            if shown is not None and _same(shown, self._token):
                rest = request.url.remove_query_params("token")
                answer = RedirectResponse(rest.path + (f"?{rest.query}" if rest.query else ""), 303)
                answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
                return answer
            if not _same(request.cookies.get(COOKIE, ""), self._token):
                return PlainTextResponse("open the address with the token that the command has printed", 403)
        if request.method == "POST":
            host, origin = request.headers.get("host", ""), urlsplit(request.headers.get("origin", ""))
            if (origin.scheme, origin.netloc) != ("http", host):
                return PlainTextResponse("accepted: what a page of this server has sent", 403)
            if not _same(request.headers.get(HEADER, ""), self._page_token):
                return PlainTextResponse("this page is of another server; load it again", 403)
        return None


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode())


def _in_time(receive: Receive) -> Receive:
    """Return what receives a body, and ends a request whose body takes too long."""
    deadline = asyncio.get_running_loop().time() + SLOWEST

    async def receiving() -> Message:
        try:
            async with asyncio.timeout_at(deadline):
                return await receive()
        except TimeoutError:
            raise HTTPException(408, f"accepted: a body that arrives within {SLOWEST:.0f} seconds") from None

    return receiving
