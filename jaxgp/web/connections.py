"""One connection of a browser: it may not take its time, and there may not be too many of them.

The server does not limit how long a client takes to send the head of a request, or to read an answer; here both are.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 200
"""Connections that are answered; what comes over further ones is told that the server is busy."""
FURTHER = 50
"""Connections that are told so; those beyond are closed at once."""
SLOWEST = 10.0
"""Seconds in which the head of a request has to arrive."""
UNREAD = 30.0
"""Seconds that a client may leave an answer unread."""
TOO_SLOW = b"accepted: a request whose head arrives within 10 seconds"


class TimedConnection(H11Protocol):
    """A connection that is closed if the head of a request takes too long, or if an answer is not read."""

    _head: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _heard = False  # whether a part of the head has arrived

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST + FURTHER:
            transport.abort()
        else:
            self._head = self.loop.call_later(SLOWEST, self._too_slow)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        if before is None or before.response_complete:
            self._heard = True
            self._head = self._head or self.loop.call_later(SLOWEST, self._too_slow)
        super().data_received(data)
        if self.cycle is not before:
            self._forget()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _forget(self) -> None:
        """Wait for no head any more: it has come, or the connection is gone."""
        if self._head is not None:
            self._head.cancel()
        self._head = None

    def _too_slow(self) -> None:
        """Say what is accepted, and close; a connection over which nothing has come is closed without a word."""
        if self._heard and self.conn.our_state is h11.IDLE and not self.transport.is_closing():
            head = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            for event in (h11.Response(status_code=408, headers=head), h11.Data(data=TOO_SLOW), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
