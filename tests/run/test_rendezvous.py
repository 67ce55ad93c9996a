"""Processes of one run meet: all are there, do the same, and what is wrong is told to all of them."""

import socket
import threading
import time

import pytest

from jaxgp.errors import RunError
from jaxgp.run.rendezvous import difference, meet

WORK = {"algorithm": {"population": 8}, "seed": 1}


def free_port():
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return one.getsockname()[1]


def met(*each, processes=None, patience=20.0, first=0.0):
    """Let threads meet, each a process by its number and work; return what each is told, None where all is well."""
    address, told = f"localhost:{free_port()}", [None] * len(each)

    def come(place, number, work):
        time.sleep(first if number == 0 else 0)
        try:
            meet(address, processes or len(each), number, work, patience)
        except RunError as error:
            told[place] = str(error)

    threads = [threading.Thread(target=come, args=(place, *one)) for place, one in enumerate(each)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    with socket.create_server(("localhost", int(address.rpartition(":")[2]))):
        pass  # the port is free for JAX
    return told


@pytest.mark.parametrize("first", [0.0, 0.5])
def test_processes_with_the_same_work_meet_whoever_comes_first(first):
    assert met((0, WORK), (1, WORK), (2, WORK), first=first) == [None] * 3


def test_an_option_that_differs_is_named_to_all():
    other = {"algorithm": {"population": 8}, "seed": 1, "fitness": {"parsimony": 5.0}}
    said = "devices.processes=2: process 1 has another fitness ({'parsimony': 5.0}) than process 0 (its default)"
    assert met((0, WORK), (1, other)) == [said] * 2
    other = {"algorithm": {"population": 16}, "seed": 1}
    said = "devices.processes=2: process 1 has another algorithm.population (16) than process 0 (8)"
    assert met((0, WORK), (1, other)) == [said] * 2


def test_a_process_that_does_not_come_is_named():
    said = "devices.processes=3: process 2 did not come within devices.patience"
    assert met((0, WORK), (1, WORK), processes=3, patience=1.0) == [said] * 2


def test_without_process_0_the_others_say_where_they_looked():
    (said,) = met((1, WORK), processes=2, patience=1.0)
    assert said.startswith("devices.processes=2: process 0 did not answer at devices.coordinator=localhost:")


def test_two_processes_with_one_number_are_refused():
    told = met((0, WORK), (1, WORK), (1, WORK))
    assert told[0] == "devices.processes=3: two processes have devices.process=1"
    assert told[0] in told[1:]


def test_strangers_are_left_out():
    port, told = free_port(), []
    first = threading.Thread(target=lambda: told.append(meet(f"localhost:{port}", 2, 0, WORK, 20)))
    first.start()
    for said in (b"GET / HTTP/1.1\r\n\r\n", b"[1]\n", b""):
        for _ in range(50):
            try:
                with socket.create_connection(("localhost", port)) as stranger:
                    stranger.sendall(said)
                break
            except ConnectionError:
                time.sleep(0.05)
    meet(f"localhost:{port}", 2, 1, WORK, 20)
    first.join(20)
    assert told == [None]


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RunError, match=rf"process 0 cannot listen at devices.coordinator=localhost:{port} \("):
            meet(f"localhost:{port}", 2, 0, WORK, 1)


def test_the_first_difference_is_found_within_nested_options():
    assert difference({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}) == ("a.c", 2, 3)
    assert difference({"a": 1}, {}) == ("a", 1, None)
    assert difference({"a": [1]}, {"a": [1]}) is None
