"""Runs on the page: their list, and records that grow, stop, and step back."""

import asyncio
import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.datastructures import QueryParams

from jaxgp.statistics.intervals import student
from jaxgp.store.directory import RunDirectory
from jaxgp.web import app
from jaxgp.web.play import pagegame
from jaxgp.web.watch import curves, records
from jaxgp.web.watch.records import RecordTail
from jaxgp.web.watch.runs import Runs, arrange
from tests.scripts import commands
from tests.web.site import Answers, browsing, make, rows, write_run


def write(path, lines):
    """Write a record anew, as a run does that is resumed."""
    part = path.with_name("part")
    part.write_text("".join(json.dumps(row) + "\n" for row in lines))
    part.replace(path)


def append(path, lines):
    with path.open("a") as file:
        file.write("".join(json.dumps(row) + "\n" for row in lines))


def test_a_record_is_read_by_offset_and_a_torn_line_waits_for_its_end(tmp_path):
    path = tmp_path / "metrics.jsonl"
    tail = RecordTail(path)
    tail.read()
    assert len(tail) == 0
    append(path, rows(2))
    with path.open("a") as file:
        file.write('{"generation": 2, "best_fit')
    tail.read()
    assert tail.pairs("best_fitness") == ([0, 1], [0, 1])
    with path.open("a") as file:
        file.write('ness": 5}\n')
    tail.read()
    assert tail.pairs("best_fitness") == ([0, 1, 2], [0, 1, 5])
    assert tail.pairs("mean_fitness", 2.0) == ([0, 1], [0, 1])
    assert (tail.restarts, tail.back) == (0, None)


def test_a_record_that_is_cut_and_written_anew_says_where_it_went_back_to(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append(path, rows(6))
    tail = RecordTail(path)
    tail.read()
    write(path, rows(3))
    tail.read()
    assert (len(tail), tail.restarts, tail.back) == (3, 1, 2)
    append(path, rows(5, start=3))
    tail.read()
    assert (len(tail), tail.restarts, tail.back) == (8, 1, 2)
    write(path, rows(9))
    tail.read()
    assert (len(tail), tail.restarts, tail.back) == (9, 2, 2), "written anew, but not back"


def test_a_metric_that_begins_late_or_pauses_has_gaps(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append(
        path, [{"generation": 0}, {"generation": 1, "x": 1}, {"generation": 2, "x": None}, {"generation": 3, "x": 4}]
    )
    tail = RecordTail(path)
    tail.read()
    assert tail.pairs("x") == ([1, 3], [1, 4])
    assert tail.metrics == ["x"]


def test_the_list_says_of_each_run_what_its_files_say(tmp_path):
    write_run(tmp_path / "runs" / "done", rows(9), state="complete", text="x", generation=4)
    write_run(tmp_path / "runs" / "stopped", rows(4), state="interrupted")
    write_run(tmp_path / "runs" / "deep" / "er" / "killed", rows(2))
    os.utime(tmp_path / "runs" / "deep" / "er" / "killed" / "metrics.jsonl", (0, 0))
    found = {one.path.name: one for one in Runs([tmp_path / "runs"]).all()}
    assert {name: one.facts["state"] for name, one in found.items()} == {
        "done": "complete",
        "stopped": "interrupted",
        "killed": "interrupted",
    }
    assert found["done"].facts["best"] == 2.5
    assert found["stopped"].facts["best"] == 3.0
    assert (found["done"].facts["generation"], found["done"].facts["generations"]) == (9, 9)
    assert (found["stopped"].facts["title"], found["stopped"].facts["seed"]) == ("a run", 7)
    assert found["stopped"].resume.startswith("python scripts/train.py resume=")
    assert found["done"].resume == ""
    assert [one.path.name for one in arrange(found.values(), "nim", "generation", down=True)] == [
        "done",
        "stopped",
        "killed",
    ]
    assert [one.path.name for one in arrange(found.values(), "COMPLETE")] == ["done"]


def test_a_run_without_a_lock_is_interrupted_here_at_once_and_elsewhere_after_a_while(tmp_path):
    if not Path("/proc/locks").exists():
        pytest.skip("this system does not say which files are locked")
    run = RunDirectory(write_run(tmp_path / "run", rows(2)))

    def state():
        return Runs([tmp_path]).all()[0].facts["state"]

    run.write_status("running", 2, 9)
    run.lock()
    assert state() == "running"
    run.unlock()
    assert state() == "interrupted"
    run.status.write_text(json.dumps(run.read_status() | {"host": "elsewhere"}))
    assert state() == "running"


def test_numbers_of_runs_stay_while_others_come_and_go(tmp_path):
    write_run(tmp_path / "b", rows(1))
    runs = Runs([tmp_path])
    (first,) = runs.all()
    runs._at = -9e9
    write_run(tmp_path / "a", rows(1))
    assert {one.path.name: one.number for one in runs.all()} == {"b": 0, "a": 1}
    for file in first.path.iterdir():
        file.unlink()
    first.path.rmdir()
    assert runs.find(0) is None
    assert runs.find(1).path.name == "a"


def test_a_champion_alone_and_one_line_of_several_are_entries(tmp_path):
    (tmp_path / "one.json").write_text('{"game": {"name": "nim"}, "seed": 3, "fitness": 1.0, "text": "x"}')
    lines = [json.dumps({"game": {"name": "nim"}, "seed": seed, "text": "x"}) for seed in (4, 5)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    assert [one.facts["seed"] for one in Runs([], [tmp_path / "one.json"]).all()] == [3]
    (found,) = Runs([], [tmp_path / "many.jsonl#5"]).all()
    assert (found.facts["seed"], found.facts["game"]) == (5, "nim")


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    for seed in range(3):
        made = write_run(folder / "runs" / str(seed), rows(20), state="complete", text=f"(+ {seed} x)", generation=1)
        (made / "config.yaml").write_text(f"seed: {seed}\ngame:\n  name: nim\n")
        (made / "champion.json").write_text(
            json.dumps({"game": {"name": "nim"}, "seed": seed, "text": f"(+ {seed} x)", "generation": 1})
        )
    with browsing(make(folder)) as found:
        yield found


def test_a_run_has_curves_its_champion_and_its_settings(three):
    page = three.get("/run/1").text
    assert '<path class="line c0"' in page
    assert "(+ 1 x)" in page
    assert "seed" in page
    assert 'href="/new?run=1"' in page
    assert "data-stream=" in page


def test_three_runs_of_one_title_are_a_mean_with_a_band_and_two_are_lines(three):
    page = three.get("/watch?run=0&run=1&run=2&metric=mean_fitness").text
    assert "mean of 3, 95 % interval" in page
    assert 'class="band f0"' in page
    assert "<td" in page[page.index("Settings that differ") :]
    pair = three.get("/watch?run=0&run=1").text
    assert "band" not in pair
    assert "seed 0" in pair


def test_the_figures_of_a_page_are_csv(three):
    lines = three.get("/watch.csv?run=0&run=2&metric=best_fitness").text.splitlines()
    assert lines[0] == "run,generation,best_fitness"
    assert len(lines) == 41
    assert lines[-1].endswith("2,19,19.0")


def events(site, query, changes):
    """Return what a stream of runs sends: at first, and after each change."""

    async def follow():
        request = SimpleNamespace(query_params=QueryParams(query))
        stream = app.watch_stream(site, request)
        found = [await anext(stream)]
        for change in changes:
            change()
            found.append(await anext(stream))
        await stream.aclose()
        return found

    return asyncio.run(follow())


def test_a_stream_sends_what_has_changed_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setitem(app.LOOK, "run", 0.01)
    folder = write_run(tmp_path / "runs" / "a", rows(2), text="(+ 1 x)", generation=0)
    site = make(tmp_path)
    site.runs.all()
    found = events(
        site,
        "run=0",
        [
            lambda: None,
            lambda: append(folder / "metrics.jsonl", rows(1, start=2)),
            lambda: write_run(folder, rows(4), text="(+ 2 x)", generation=3),
            lambda: write(folder / "metrics.jsonl", rows(2)),
        ],
    )
    first, same, grown, better, back = found
    assert set(first["parts"]) == {"tiles", "curves", "champion"}
    assert same is None
    assert "champion" not in grown["parts"]
    assert "<mark>2</mark>" in better["parts"]["champion"]
    assert "went back to generation 1" in back["parts"]["tiles"]


@pytest.mark.thorough
def test_a_thousand_runs_are_listed_within_a_second(tmp_path):
    for number in range(1000):
        write_run(tmp_path / f"{number // 100}" / str(number), rows(1), text="x")
    runs = Runs([tmp_path])
    began = time.process_time()
    assert len(runs.all()) == 1000
    assert time.process_time() - began < 1
    runs._at = -9e9
    began = time.process_time()
    assert len(arrange(runs.all(), "nim", "best")) == 1000
    assert time.process_time() - began < 0.3


def test_ten_thousand_generations_are_drawn_within_a_second(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append(path, rows(10_000))
    tail = RecordTail(path)
    began = time.process_time()
    tail.read()
    chart = curves.draw("fitness", [curves.ChartCurve("best", *tail.pairs("best_fitness"))])
    assert time.process_time() - began < 1
    assert len(chart) < 20_000


def test_the_band_of_runs_is_the_interval_of_student():
    runs = [([0, 1, 2], [0.0, n, 2.0 * n]) for n in (1.0, 2.0, 6.0)]
    runs.append(([1, 2, 3], [3.0, 4.0, 9.0]))
    xs, means, lows, highs = curves.mean_and_interval(runs)
    assert xs == [1, 2]
    expected = [student([1.0, 2.0, 6.0, 3.0]), student([2.0, 4.0, 12.0, 4.0])]
    assert np.allclose(np.transpose([means, lows, highs]), expected)


def test_metrics_that_are_lists_have_a_line_for_each_number(tmp_path):
    lines = [{"generation": n, "islands": [n, 2 * n, None], "mixed": n if n % 2 else [n]} for n in range(4)]
    folder = write_run(tmp_path / "runs" / "a", lines)
    tail = RecordTail(folder / "metrics.jsonl")
    tail.read()
    assert tail.metrics == ["islands", "mixed"]
    assert tail.parts("islands") == ["islands 1", "islands 2"]
    assert tail.pairs("islands 2") == ([0, 1, 2, 3], [0, 2, 4, 6])
    assert tail.pairs("mixed") == ([1, 3], [1, 3])
    with browsing(make(tmp_path)) as browser:
        page = browser.get("/watch?run=0&metric=islands").text
        assert page.count('<path class="line') == 4, "two lines, and their names"
        assert browser.get("/watch.csv?run=0&metric=islands").text.startswith("run,generation,islands 1,islands 2\n")


def test_a_record_of_very_many_metrics_is_read_in_bounds(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append(path, [{"generation": n, **{f"{n} {k}x": k for k in range(300)}} for n in range(5)])
    tail = RecordTail(path)
    tail.read()
    assert (len(tail), len(tail.columns)) == (5, records.MOST_COLUMNS)


def test_a_game_of_the_champion_of_a_run_that_goes_on_is_played_by_a_copy(tmp_path, monkeypatch):
    monkeypatch.setattr(pagegame, "PACE", 0)
    last = Answers(lambda question: {"action": 0})
    folder = write_run(tmp_path / "runs" / "a", rows(2))
    (folder / "status.json").write_text('{"state": "running"}')
    commands.write_run(folder, {"name": "walls", "size": 3}, "- - - / - - - / - - - : turn-left")
    text = (folder / "champion.json").read_text()
    with browsing(make(tmp_path, last)) as browser:
        assert 'data-post="/run/0/game"' in browser.get("/run/0").text
        go = browser.post("/run/0/game", {}).json()["go"]
        browser.view(go, "over")
        (copy,) = (tmp_path / "games" / "champions").iterdir()
        assert copy.read_text() == text
        assert {question["run"] for question in last.asked if question["player"]["kind"] == "champion"} == {str(copy)}
        (folder / "champion.json").unlink()
        browser.site.hall._open.clear()
        assert "champion of a" in browser.get(go).text


def test_ticks_are_round_and_those_of_generations_whole():
    assert curves.ticks(0, 4, whole=True) == [0, 1, 2, 3, 4]
    assert curves.ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert curves.ticks(7, 7.5, whole=True) == [7]
    assert curves.draw("empty", [curves.ChartCurve("", [], [])]) == ""
    log = curves.draw("log", [curves.ChartCurve("", [0, 1, 2], [-1, 1, 1000])], log=True)
    assert ">1000<" in log
