"""A site for tests: toys to play, folders of runs in a temporary place, and answers in the place of processes."""

import json
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

import envs
from jaxgp.games.outside import Outside
from jaxgp.terminal import Stopped
from jaxgp.web import answers, app
from jaxgp.web.play.hall import Hall
from jaxgp.web.watch.runs import Runs

FIXTURES = Path(__file__).parents[1] / "fixtures"
ADDRESS = "http://127.0.0.1:8000"


class Answers:
    """In the place of `Thinkers`: answers by a function, and waits as long as it is told to."""

    told = "No processes."

    def __init__(self, answer=lambda question: {"action": 0}):
        self.answer, self.asked, self.may = answer, [], threading.Event()
        self.may.set()

    def ask(self, question, stopped, tell):
        self.asked.append(question)
        while not self.may.wait(0.005):
            if stopped.is_set():
                raise Stopped
        return self.answer(question)

    def close(self):
        self.may.set()


def make(folder, thinkers=None, game="nim", most=50, host="127.0.0.1", token=None, given=(), idle=600.0):
    games = Outside(envs, FIXTURES / game)
    runs = Runs([folder / "runs"])
    names = [*envs.available(), game]
    hall = Hall(
        games, names, lambda name: {"name": name}, runs, thinkers or Answers(), folder / "games", most, given, idle
    )
    return answers.Site(runs, hall, host, token)


class Browser:
    """What a page of the site sends."""

    def __init__(self, site):
        self.site, self.client = site, TestClient(app.make(site), base_url=ADDRESS)
        self.head = {"origin": ADDRESS, "x-page": site.page_token}

    def get(self, path, **more):
        return self.client.get(path, **more)

    def post(self, path, body, **head):
        return self.client.post(path, json=body, headers=self.head | head)

    def new(self, **form):
        """Begin a game; returns its address."""
        answer = self.post("/new", {"game": "nim", "first": "human", "second": "random"} | form)
        assert answer.status_code == 200, answer.text
        return answer.json()["go"]

    def view(self, address, *waiting):
        """Return what a game shows once it waits for one of these, at first for a person or the end."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = self.get(f"{address}/view").json()
            if found["waiting"] in (waiting or ("person", "over")):
                return found
            time.sleep(0.01)
        raise AssertionError(f"the game waits for {found['waiting']}: {found['parts']['state']}")

    def do(self, address, name, **body):
        """Do something at a board; returns the answer."""
        return self.post(f"{address}/{name}", body)


@contextmanager
def browsing(site):
    browser = Browser(site)
    with browser.client:
        yield browser


def write_run(folder, rows, state="running", **champion):
    """Write the files of a run as far as the page reads them; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text("seed: 7\ntitle: a run\ngame:\n  name: nim\nalgorithm:\n  generations: 9\n")
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    status = {"state": state, "generation": len(rows), "generations": 9, "updated": "2026-01-01T00:00:00+00:00"}
    (folder / "status.json").write_text(json.dumps(status))
    if champion:
        content = {"format": "jaxgp champion", "game": {"name": "nim"}, "seed": 7, "title": "a run", "fitness": 2.5}
        (folder / "champion.json").write_text(json.dumps(content | champion))
    return folder


def rows(count, start=0):
    return [
        {"generation": n, "best_fitness": float(n), "mean_fitness": n / 2, "seconds": 1.0, "elapsed": n + 1.0}
        for n in range(start, start + count)
    ]
