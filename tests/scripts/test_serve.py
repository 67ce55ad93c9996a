"""scripts/serve.py: wrong options in one line, the address that it prints, processes that think and end."""

import importlib.util
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from jaxgp.config import arguments
from jaxgp.errors import RunError
from jaxgp.terminal import Stopped
from tests.scripts import commands

serve = commands.load("serve")


def run(*options):
    return arguments.main(serve.Options, serve.task, serve.__doc__, options)


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_the_page_names_the_extra(monkeypatch, capsys, name):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda one, *more: None if one == name else find(one, *more))
    assert run() == 2
    assert capsys.readouterr().err == f"error: scripts/serve.py needs {name}: pip install -e '.[web]'\n"


WRONG = [
    ("port=99999", "port=99999: accepted: a whole number from 0 to 65535"),
    ("workers=0", "workers=0: accepted: a whole number from 1 to 64"),
    ("thinking=0", "thinking=0.0: accepted: a number of seconds from 1 to 3600"),
    ("run=nowhere", "run=nowhere: accepted: a run directory, or a champion file"),
    ("runs=[nowhere]", "runs=nowhere: accepted: folders that exist"),
    ("game=nowhere", "game=nowhere: accepted: backgammon, checkers"),
    ("game.pits=5", "game: settings of the rules are chosen on the page; leave them out"),
    ("host=not.a.host.invalid", "host=not.a.host.invalid: accepted: an address of this machine"),
    ("token=short", "token=short: accepted: 8 or more characters"),
    ("engines=[no-such-engine -x]", "engines=no-such-engine -x: accepted: the command of a program that is installed"),
    ("programs=[nowhere.txt]", "programs=nowhere.txt: accepted: a file with a program"),
    ("colour=red", "colour: unknown option"),
]


@pytest.mark.parametrize(("option", "said"), WRONG, ids=[option for option, _ in WRONG])
def test_a_wrong_option_is_one_line(option, said, capsys):
    pytest.importorskip("starlette")
    words = [option, "game.name=mancala"] if option.startswith("game.pits") else [option]
    assert run(*words) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1


def test_a_port_in_use_names_one_that_is_free(capsys):
    pytest.importorskip("starlette")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(f"port={port}") == 2
    assert re.fullmatch(rf"error: port={port}: in use; port=\d+ is free\n", capsys.readouterr().err)


@pytest.mark.slow
def test_the_server_prints_an_address_answers_there_and_ends_by_a_signal(tmp_path):
    pytest.importorskip("starlette")
    words = [sys.executable, str(commands.SCRIPTS / "serve.py"), "port=0", "run=docs/reversi_champion.json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        address = started.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/run/0", address)
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert "othello" in answer.read().decode()
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=30)
    assert started.returncode == 130
    assert err == "stopped\n"


@pytest.mark.slow
def test_no_process_is_left_of_a_server_that_is_killed_while_one_thinks(tmp_path):
    pytest.importorskip("starlette")
    words = [sys.executable, str(commands.SCRIPTS / "serve.py"), "port=0", f"saved={tmp_path}", f"runs=[{tmp_path}]"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as started:
        address = started.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}new", timeout=60) as answer:
            token = re.search(r'name="page" content="([^"]+)"', answer.read().decode())[1]
        head = {"origin": address.rstrip("/"), "x-page": token, "content-type": "application/json"}
        body = b'{"game": "mancala", "first": "search", "first_depth": "20", "second": "human"}'
        urllib.request.urlopen(urllib.request.Request(f"{address}new", body, head), timeout=60).close()
        end = time.monotonic() + 60
        found = []
        while time.monotonic() < end and not found:
            found = [pid for task in Path(f"/proc/{started.pid}/task").iterdir() for pid in children_of(task)]
            time.sleep(0.2)
        assert found
        started.kill()
    while time.monotonic() < end + 30 and any(map(alive, found)):
        time.sleep(0.2)
    assert not any(map(alive, found))


def children_of(task):
    try:
        return [int(pid) for pid in (task / "children").read_text().split()]
    except OSError:
        return []


def question(what="move", **more):
    chance = {"generator": "threefry2x32", "key": [0, 0]}
    asked = {"game": {"name": "mancala", "pits": 3, "stones": 2}, "program": {}, "run": None}
    return {"what": what, "player": {"kind": "random"}, "chance": chance, "actions": [], **asked, **more}


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.thorough
def test_processes_think_are_stopped_and_started_anew():
    """One process of the real kind: it answers, fails in words, is stopped by its end, and is not asked twice."""
    import serve as script  # by a name that another process can import
    from jaxgp.web.play.thinkers import Thinkers

    thinkers = Thinkers(partial(script.think, {"name": None}), workers=1, thinking=60, idle=600)
    told, never = [], threading.Event()
    try:
        with pytest.raises(RunError, match="chance: "):
            thinkers.ask(question(chance={"generator": "none", "key": []}), never, told.append)
        (pid,) = thinkers.pids
        with pytest.raises(RunError, match=r"player\.depth=99: accepted: a whole number from 1 to 24"):
            thinkers.ask(question(player={"kind": "search", "depth": 99}), never, told.append)
        answer = thinkers.ask(question(), never, told.append)
        assert answer["action"] in range(3)
        assert thinkers.pids == [pid], "what is refused ends no process"
        assert "1 of 1 processes that think are running, with " in thinkers.told
        stopped = threading.Event()
        threading.Timer(0.2, stopped.set).start()
        with pytest.raises(Stopped):
            thinkers.ask(question(player={"kind": "search", "depth": 12}), stopped, told.append)
        assert thinkers.pids == []
    finally:
        thinkers.close()
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(pid)
