"""Clients that are slow or many, and records that are huge, at a server on a real socket: each has one clear answer."""

import json
import os
import resource
import socket
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPResponse, IncompleteRead
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from jaxgp.web import app, connections, guard
from jaxgp.web.watch import records
from jaxgp.web.watch.records import RecordTail, csv_pieces
from tests.web.site import make, rows, write_run


@contextmanager
def serving(site):
    """Serve a site in a thread; the port."""
    opened = threading.Event()
    made = app.server(site, opened.set)
    listening = socket.create_server(("127.0.0.1", 0), backlog=1000)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]})
    thread.start()
    assert opened.wait(30)
    yield listening.getsockname()[1]
    made.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


def connect(port):
    found = socket.create_connection(("127.0.0.1", port), timeout=30)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


def head(port, method="GET", path="/new", **more):
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *(f"{name}: {more[name]}" for name in more)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def answered(connection):
    """Return all that comes over a connection until it is closed."""
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found.decode()


def cut_off(connection, sent):
    """Return whether a connection ends without an answer that is whole, by an error or by its end."""
    try:
        connection.sendall(sent)
        answer = HTTPResponse(connection)
        answer.begin()
        answer.read()
    except (ConnectionError, IncompleteRead):
        return True
    return False


def status(port):
    with closing(connect(port)) as one:
        one.sendall(head(port, Connection="close"))
        return int(answered(one).split()[1])


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    with serving(make(tmp_path_factory.mktemp("site"))) as found:
        yield found


def test_a_head_that_comes_a_byte_at_a_time_is_given_up(port, monkeypatch):
    monkeypatch.setattr(connections, "SLOWEST", 1.0)
    for sent in (b"", b"GET / HT", head(port).rstrip() + b"\r\n"):
        with closing(connect(port)) as slow:
            began = time.monotonic()
            for byte in sent:
                slow.sendall(bytes([byte]))
            said = answered(slow)
            assert time.monotonic() - began < 8, "not ten seconds"
            assert said.startswith("HTTP/1.1 408 ") == bool(sent)
            assert ("head arrives within 10 seconds" in said) == bool(sent)
    assert status(port) == 200


def test_a_second_request_has_its_own_time_and_a_kept_connection_may_rest(port, monkeypatch):
    monkeypatch.setattr(connections, "SLOWEST", 1.0)
    with closing(connect(port)) as kept:
        for _ in range(3):
            kept.sendall(head(port))
            while not kept.recv(65536).endswith(b"</html>\n"):
                pass
            time.sleep(0.5)
        kept.sendall(b"GET")
        assert answered(kept).startswith("HTTP/1.1 408 ")


def test_a_body_that_does_not_arrive_is_given_up(port, monkeypatch):
    monkeypatch.setattr(guard, "SLOWEST", 1.0)
    with closing(connect(port)) as slow, closing(connect(port)) as page:
        page.sendall(head(port, Connection="close"))
        token = answered(page).partition('name="page" content="')[2].partition('"')[0]
        more = {"Origin": f"http://127.0.0.1:{port}", "X-Page": token, "Content-Length": 9, "Connection": "close"}
        slow.sendall(head(port, "POST", **more) + b"{")
        said = answered(slow)
    assert said.startswith("HTTP/1.1 408 ")
    assert "a body that arrives within" in said
    assert status(port) == 200


def test_a_client_that_does_not_read_its_answer_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "UNREAD", 0.3)
    long = write_run(tmp_path / "runs" / "a", [])
    (long / "report.html").write_bytes(b"x" * 30_000_000)
    with serving(make(tmp_path)) as port, closing(connect(port)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(head(port, path="/run/0/report"))
        time.sleep(1.5)
        assert status(port) == 200
        assert cut_off(deaf, b"x")


def test_two_hundred_connections_are_answered_more_are_told_and_many_more_are_closed(port, monkeypatch):
    monkeypatch.setattr(connections, "SLOWEST", 600.0)  # a machine that is slow gives up none of them
    with ExitStack() as open_:
        idle = [open_.enter_context(closing(connect(port))) for _ in range(connections.MOST - 1)]
        assert status(port) == 200
        idle.append(open_.enter_context(closing(connect(port))))
        assert status(port) == 503
        idle += [open_.enter_context(closing(connect(port))) for _ in range(connections.FURTHER)]
        beyond = open_.enter_context(closing(connect(port)))
        assert cut_off(beyond, head(port))
        idle[0].sendall(head(port))
        assert b" 503 " in idle[0].recv(100)
    end = time.monotonic() + 10
    while status(port) != 200:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_record_with_a_line_that_does_not_end_says_so(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(3)))
    os.truncate(path, 10**9)  # sparse: zeros, that take no room
    tail = RecordTail(path)
    for _ in range(3):
        tail.read()
    assert len(tail) == 3
    assert tail.note == "The record has a line of more than 1 MiB; what follows it is not shown."


def test_a_record_that_is_too_large_is_read_as_far_as_it_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MOST", 10_000)
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(500)))
    tail = RecordTail(path)
    for _ in range(2):
        tail.read()
    assert 10_000 <= tail._where[1] < 10_200
    assert len("".join(csv_pieces({"a": tail}, ["best_fitness"])).splitlines()) == len(tail) + 1
    assert "its end is not shown" in tail.note


@pytest.mark.slow
def test_a_record_of_a_gigabyte_is_watched_in_bounded_memory(tmp_path):
    """Prints seconds, and the memory of this process before and after."""
    folder = write_run(tmp_path / "runs" / "a", rows(2))
    row = {"generation": 0, **{f"metric_{n}": n / 7 for n in range(20)}}
    block = "".join(json.dumps(row | {"generation": n}) + "\n" for n in range(2000)).encode()
    with (folder / "metrics.jsonl").open("wb") as file:
        while file.tell() < 10**9:
            file.write(block)
    with serving(make(tmp_path)) as port:
        before = resident()
        began = time.monotonic()
        for path in ("/", "/run/0", "/run/0", "/watch.csv?run=0"):
            with closing(connect(port)) as one:
                one.settimeout(120)
                one.sendall(head(port, path=path, Connection="close"))
                found, piece = one.recv(65536), b"-"
                while piece:
                    piece = one.recv(65536)
            assert found.startswith(b"HTTP/1.1 200 ")
            print(f"{path}: {time.monotonic() - began:.1f} s, {(resident() - before) / 2**20:.0f} MiB more")
            began = time.monotonic()
        assert resident() - before < 300 * 2**20
        assert status(port) == 200


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
