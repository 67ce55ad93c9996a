"""Processes that compute one run meet before JAX connects them.

They meet over plain sockets, so that a process that is missing, or has other options, is told in one line, and Ctrl-C
is heard meanwhile: JAX ends the process where it does not find the others.

Each of the others sends its number and what it is about to compute, as a line of JSON, to process 0, and closes the
connection when it has the answer, a line of JSON with what is wrong, or null. Imports no JAX.
"""

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from jaxgp.errors import RunError, reason, show
from jaxgp.printable import one_line

PAUSE = 0.2
"""Seconds between two attempts to reach process 0."""
GRACE = 5.0
"""Seconds that an answer may take."""
LONGEST = 2**20
"""Bytes of the longest line that is read."""

Work = Mapping[str, object]
"""What a process is about to compute: nested mappings, written as JSON."""


def meet(address: str, processes: int, process: int, work: Work, patience: float) -> None:
    """Wait until all processes are there and are about to compute the same.

    Args:
        address: host:port of process 0.
        processes: how many there are, at least two.
        process: the number of this one.
        work: what it is about to compute.
        patience: how long to wait, in seconds.

    Raises:
        RunError: some are missing after this time, have other work or the same number, or the address is of no use.
    """
    host, _, port = address.rpartition(":")
    until = time.monotonic() + patience
    work = json.loads(json.dumps(work, default=str))
    if process:
        wrong = _ask((host, int(port)), process, work, until)
    else:
        wrong = _gather((host, int(port)), processes, work, until)
    if wrong is not None:
        raise RunError(f"devices.processes={processes}: {wrong}")


def difference(own: object, other: object, name: str = "") -> tuple[str, object, object] | None:
    """Return the name of the first option that differs, and both its values (None: its default); None if none does."""
    if isinstance(own, Mapping) and isinstance(other, Mapping):
        for key in sorted({*own, *other}):
            found = difference(own.get(key), other.get(key), f"{name}.{key}" if name else str(key))
            if found is not None:
                return found
        return None
    return None if own == other else (name, own, other)


def _gather(address: tuple[str, int], processes: int, work: Work, until: float) -> str | None:
    """Wait for the others as process 0, and answer them; return what is wrong, or None."""
    there: list[socket.socket] = []
    numbers: set[int] = set()
    wrong: str | None = None
    with ExitStack() as open_:
        try:
            listening = open_.enter_context(socket.create_server(address))
        except OSError as error:
            return f"process 0 cannot listen at devices.coordinator={address[0]}:{address[1]} ({reason(error)})"
        while wrong is None and len(there) < processes - 1:
            try:
                listening.settimeout(_left(until))
                other = open_.enter_context(listening.accept()[0])
                number, said = _read(other)
            except (OSError, ValueError, TypeError):  # too late, or not one of them
                if time.monotonic() >= until:
                    missing = sorted(set(range(1, processes)) - numbers)
                    wrong = f"process {', '.join(map(str, missing))} did not come within devices.patience"
            else:
                there.append(other)
                wrong = _unfit(number, said, work, processes, numbers)
                numbers.add(number)
        for other in there:
            _answer(other, wrong)
    return wrong


def _unfit(number: object, said: object, work: Work, processes: int, there: set[int]) -> str | None:
    """Return what is wrong with a process that has come, or None."""
    if not isinstance(number, int) or not 0 < number < processes:
        return f"a process came as devices.process={one_line(number)}; accepted: 1 to {processes - 1}"
    if number in there:
        return f"two processes have devices.process={number}"
    found = difference(work, said)
    if found is None:
        return None
    name, own, other = found
    own, other = ("its default" if value is None else show(value) for value in (own, other))
    return f"process {number} has another {one_line(name)} ({other}) than process 0 ({own})"


def _ask(address: tuple[str, int], process: int, work: Work, until: float) -> str | None:
    """Tell process 0 what this one is about to compute; return its answer."""
    for _ in _attempts(until):
        try:
            with socket.create_connection(address, _left(until)) as first:
                first.sendall(json.dumps([process, work]).encode() + b"\n")
                return None if (said := _line(first, until + GRACE)) is None else one_line(said)
        except (ConnectionError, ValueError):  # it does not listen yet, or has given up
            continue
        except TimeoutError:
            break
        except OSError as error:
            return f"devices.coordinator={address[0]}:{address[1]} cannot be reached ({reason(error)})"
    return f"process 0 did not answer at devices.coordinator={address[0]}:{address[1]} within devices.patience"


def _attempts(until: float) -> Iterator[None]:
    while time.monotonic() < until:
        yield
        time.sleep(PAUSE)


def _answer(other: socket.socket, wrong: str | None) -> None:
    """Answer a process, and wait until it has closed the connection, so that the port is free again."""
    try:
        other.sendall(json.dumps(wrong).encode() + b"\n")
        other.settimeout(GRACE)
        other.recv(1)
    except OSError:
        return  # it has gone, which JAX will notice


def _read(other: socket.socket) -> tuple[Any, Any]:
    """Return what a process has sent: its number and its work; raises OSError, ValueError or TypeError."""
    number, work = _line(other, time.monotonic() + GRACE)
    return number, work


def _line(connection: socket.socket, until: float) -> Any:
    """Return the value in a line of JSON; raises OSError, and ValueError if there is none."""
    content = b""
    while not content.endswith(b"\n"):
        connection.settimeout(_left(until))
        part = connection.recv(65_536)
        if not part or len(content) > LONGEST:
            raise ValueError("no line of JSON")
        content += part
    return json.loads(content)


def _left(until: float) -> float:
    """Return the seconds that are left, at least a few milliseconds."""
    return max(until - time.monotonic(), 0.005)
