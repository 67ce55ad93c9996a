import csv
import html
import html.parser
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

import envs
import jaxgp
from jaxgp.genotypes import language as languages
from jaxgp.host.replay import ReplayGame
from jaxgp.report import markup, plots, report, tree
from jaxgp.report.page import STYLE
from jaxgp.store.champion import ChampionFile
from tests.run.conduct_toy import run
from tests.run.toy_experiment import config

pytestmark = pytest.mark.usefixtures("every_picture")

ROOT = Path(__file__).resolve().parents[2]
VOID = {"meta", "input", "br", "link", "img"}


class Checker(html.parser.HTMLParser):
    """Checks that elements nest, and gathers names and attributes."""

    def __init__(self):
        super().__init__()
        self.stack, self.attributes, self.tags, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if not self.stack or self.stack[-1] not in ("script", "style"):
            self.text.append(data)


def check(page):
    checker = Checker()
    checker.feed(page)
    assert not checker.stack
    return checker


def champion(expression="(ADD 3 (ADD 4 5))"):
    return ChampionFile(
        game={"name": "mancala"},
        program={},
        language={"kind": "program", "name": "toy", "version": "1"},
        text=expression,
        size=5,
        depth=2,
        fitness=12.5,
        points={"first": 7.0, "second": 5.5},
        generation=0,
        seed=0,
    )


ROWS = [{"generation": 0, "best_fitness": 1.5, "mean_fitness": None, "seconds": 1.0, "elapsed": 1.0}]


def page(**changes):
    arguments = {
        "title": "A run",
        "champion": champion(),
        "explained": "",
        "tableau": ("Koza tableau", [("objective", "win")]),
        "rows": ROWS,
        "generations": 3,
        "games": [ReplayGame("first", [("opening", "<svg></svg>")])],
        "config": "seed: 0",
        "environment": "{}",
    }
    return report.page(**(arguments | changes))


def test_a_report_needs_nothing_but_itself(tmp_path):
    assert run(tmp_path / "run", config()) == 0
    text = (tmp_path / "run" / "report.html").read_text()
    checker = check(text)
    assert not re.search(r"https?:|//[a-z]|url\((?!#)|@import", text)
    for name, value in checker.attributes:
        assert name not in ("src", "srcset", "action", "data")
        assert not name.endswith("href") or value.startswith(("#", "data:text/csv"))
        assert not name.startswith("on")
    assert not {"link", "img", "iframe", "object", "base"} & set(checker.tags)
    shown = "".join(checker.text)
    for word in ("Koza tableau", "Champion", "Its games", "Progress", "config.yaml", "moving first"):
        assert word in shown
    assert len(re.findall("<figure>", text)) == 4
    assert "\ufffd" not in text


def test_a_champion_of_generation_0_is_called_a_failure_once_there_were_others():
    failed = "Nothing evolved: the best individual of 2 generations is of generation 0."
    rows = [ROWS[0], ROWS[0] | {"generation": 1}]
    assert failed in page(rows=rows)
    assert "Nothing evolved" not in page()
    assert "Nothing evolved" not in page(rows=rows, champion=replace(champion(), generation=1))


def test_the_record_is_in_the_page_as_csv_unless_it_is_long():
    rows = [ROWS[0] | {"islands": [1, 2.5]}, ROWS[0] | {"generation": 1, "more, or less": 3}]
    found = re.search(r'href="data:text/csv;charset=utf-8,([^"]*)"', page(rows=rows))[1]
    table = list(csv.DictReader(io.StringIO(unquote(found))))
    assert [row["islands"] for row in table] == ["1 2.5", ""]
    assert [row["more, or less"] for row in table] == ["", "3"]
    long = page(rows=[ROWS[0] | {"words": "x" * report.LONGEST}])
    assert "data:text/csv" not in long
    assert "metrics.jsonl" in long


def test_plots_have_names_for_those_who_do_not_see_them():
    labels = [value for name, value in check(page()).attributes if name == "aria-label"]
    assert "replay; arrow keys step through the game" in labels
    assert any("fitness" in label.lower() for label in labels)


def test_text_cannot_become_markup():
    nasty = '</script><script>alert("1")</script><b>&'
    text = page(
        title=nasty,
        champion=champion(f"(ADD<b> {nasty})"),
        tableau=(nasty, [(nasty, nasty)]),
        rows=[ROWS[0] | {nasty: nasty}],
        games=[ReplayGame(nasty, [(nasty, "<svg></svg>")])],
        config=nasty,
        environment=nasty,
    )
    checker = check(text)
    assert checker.tags.count("script") == 2
    assert "b" not in checker.tags
    data = re.search(r'id="games">(.*?)</script>', text)
    assert json.loads(data[1]) == [{"captions": [nasty], "frames": ["<svg></svg>"], "ends": False}]


def test_the_only_game_has_its_whole_title_and_several_are_chosen_from():
    alone, two = (page(games=[ReplayGame("a <b>", [("c", "<svg></svg>")])] * count) for count in (1, 2))
    assert "<p hidden><label>game <select" in alone
    assert "<p><label>game <select" in two
    assert all('<p id="title"></p>' in text for text in (alone, two))


def test_columns_of_a_table_that_hold_words_stand_to_the_left():
    written = markup.table([{"player": "edgar", "won": "3 of 4"}, {"player": None, "won": 2}])
    assert re.findall(r"<(t[hd])[^>]*?( class=\"words\")?>(\w[^<]*|-)<", written) == [
        ("th", ' class="words"', "player"),
        ("th", "", "won"),
        ("td", ' class="words"', "edgar"),
        ("td", "", "3 of 4"),
        ("td", ' class="words"', "-"),
        ("td", "", "2"),
    ]


LONG = "a_name_of_an_option_that_no_line_of_a_phone_can_hold=" + "0123456789" * 9
WIDE = {
    "title": LONG,
    "champion": champion(f"(ADD {'(ADD 1 2) ' * 40}3)"),
    "tableau": ("Koza tableau", [("objective", LONG), (LONG, "win")]),
    "rows": [ROWS[0] | {f"some_figure_{number}": 123456.789 for number in range(30)}],
    "games": [ReplayGame(LONG, [(LONG, '<svg viewBox="0 0 900 90" width="900" height="90"></svg>')])],
    "config": LONG,
    "environment": LONG,
}
PHONE = 390
"""Width of a phone in pixels."""
MEASURE = """<!DOCTYPE html>
<iframe id="phone" style="width: {width}px; height: 800px; border: 0" srcdoc="{page}"></iframe>
<script>window.onload = () => {{
  const page = document.getElementById("phone").contentDocument.documentElement;
  document.body.textContent = "wide: " + page.scrollWidth;
}};</script>"""


def test_what_may_be_wider_than_a_page_scrolls_in_a_box_of_its_own():
    text = page(**WIDE)
    tables = re.findall(r"(.{20})<table", text)
    assert len(tables) >= 2
    assert {before[-20:] for before in tables} == {'<div class="scroll">'}
    for box in (r"\.scroll", "pre", "#frame"):
        assert re.search(rf"^{box} {{[^}}]*overflow(-x)?: auto", STYLE, re.M), box


@pytest.mark.skipif(not shutil.which("chromium"), reason="no Chromium here to lay a page out")
def test_a_page_is_as_wide_as_a_phone(tmp_path):
    (tmp_path / "phone.html").write_text(MEASURE.format(width=PHONE, page=html.escape(page(**WIDE))), "utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/browser", "--dump-dom"]
    laid = subprocess.run(
        ["chromium", *words, (tmp_path / "phone.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    (wide,) = re.findall(r"wide: (\d+)", laid.stdout)
    assert PHONE - 20 < int(wide) <= PHONE, "a bar to scroll down takes up to 20 of them"


def test_without_games_there_is_no_replay():
    assert 'id="replay"' not in page(games=[])
    assert 'id="replay"' not in page(games=[ReplayGame("empty")])
    check(page(games=[]))


def boxes(svg):
    found = re.findall(r'<rect x="([-\d.]+)" y="(\d+)" width="([\d.]+)"', svg)
    return [(float(x), int(y), float(width)) for x, y, width in found]


@pytest.mark.parametrize(
    "expression",
    ["7", "(ADD 1 2)", "(IF (ADD 1 2) 3 (READ (READ 4)) (ADD (ADD 1 2) (ADD 3 4)))", "(PROGRAM (ADD 1 2) x)", "1 2"],
)
def test_no_box_of_a_tree_covers_another(expression):
    svg = tree.draw(expression)
    check(svg)
    found = boxes(svg)
    assert len(found) == len(re.findall(r"[^\s()]+", expression))
    for i, (x, y, width) in enumerate(found):
        assert x >= -0.5
        for a, b, other in found[:i]:
            assert b != y or x >= a + other or a >= x + width


def test_a_parent_stands_over_the_middle_of_its_children():
    (root,) = tree.parse("(IF 1 (ADD 2 3) 4 5)")
    tree._layout(root)
    assert root.x == pytest.approx((root.children[0].x + root.children[-1].x) / 2)
    assert [child.depth for child in root.children] == [1, 1, 1, 1]


@pytest.mark.thorough
def test_deep_and_wide_trees_are_drawn():
    deep = "(READ " * 3000 + "7" + ")" * 3000
    assert len(boxes(tree.draw(deep))) == 3001
    wide = "7"
    for _ in range(9):
        wide = f"(ADD {wide} {wide})"
    assert len(boxes(tree.draw(wide))) == 1023


def test_brackets_that_do_not_match_are_no_error():
    for text in ("", "(", ")", "((ADD 1", "(ADD 1))) 2"):
        check(tree.draw(text))


def test_plots_are_png_files_also_of_one_row_and_of_missing_values(tmp_path):
    row = {"generation": 0, "best_fitness": 1.0, "mean_fitness": None, "best_size": 3}
    written = plots.save(tmp_path, [row])
    assert [path.stem for path in written] == ["fitness", "size"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def test_a_plot_takes_the_colour_of_its_page():
    svg = plots.svg(plots.PLOTS[0], [ROWS[0], ROWS[0] | {"generation": 1}])
    check(svg)
    assert "currentColor" in svg
    assert plots.INK not in svg
    assert plots.svg(plots.PLOTS[1], ROWS) is None


def test_what_only_repeats_the_measure_of_champions_is_shown_once():
    points = next(plot for plot in plots.PLOTS if plot.name == "points")
    rows = [ROWS[0] | {"generation": n, "best_standing": 12.5, "best_points": 12.5} for n in range(2)]
    assert plots.svg(points, rows) is None
    assert plots.svg(points, [rows[0], rows[1] | {"best_points": 12.0}]) is not None
    assert plots.svg(points, [row | {"best_points_first": 7.0} for row in rows]) is not None
    alone = replace(champion(), points={"first": 12.5, "second": None})
    assert ">score<" not in page(champion=alone, rows=rows)
    assert ">score<" in page(champion=replace(alone, fitness=3.0), rows=rows)


def test_a_policy_is_explained_as_rules_and_a_rule_list_has_a_legend():
    rush = jaxgp.take(envs.spec("rush_hour"), role="policy")
    text = json.loads((ROOT / "docs/data/champions/rush_hour_policy.jsonl").read_text().splitlines()[0])["text"]
    lines = languages.explain(rush.language, languages.parse(rush.language, text)).splitlines()
    assert lines[:2] == [
        "IF (>= PhaseByBlockers DifficultyLevel)",
        "THEN (+ (* (* (+ (* BlockersLowerBound 1) (* 1 2)) 1) 1) (* BlockersLowerBound 1))",
    ]
    assert lines[-1] == "ELSE (* (* BlockersLowerBound 6) (* GoalDistance 5))"
    assert [line.split()[0] for line in lines[2:-1]] == ["ELSE", "THEN"] * (len(lines[2:-1]) // 2)
    walls = jaxgp.take(envs.spec("walls")).language
    assert "A  own brick" in languages.explain(walls, languages.parse(walls, ""))


@pytest.mark.few(3)
@pytest.mark.parametrize("plot", plots.PLOTS, ids=lambda plot: plot.name)
def test_titles_and_legends_of_plots_are_not_cut(plot):
    ends = ("haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls", "sample.MyFirstRobot", "sample.VelociRobot")
    wanted = [curve.metric for _, curves in plot.panels for curve in curves]
    names = [name.replace("*", end) for name in wanted for end in (ends if "*" in name else ("",))]
    figure = plots.draw(plot, [{"generation": n} | dict.fromkeys(names, 1.0) for n in range(2)])
    assert sum(len(axis.get_lines()) for axis in figure.axes) == len(names)
    canvas, whole = figure.canvas.get_renderer(), figure.bbox
    figure.draw(canvas)
    for axis in figure.axes:
        shown = [axis.title, axis.yaxis.label, *(axis.get_legend().get_texts() if axis.get_legend() else [])]
        for words in (one for one in shown if one.get_text()):
            box = words.get_window_extent(canvas)
            assert (box.x0 >= whole.x0, box.x1 <= whole.x1, box.y1 <= whole.y1) == (True,) * 3, words.get_text()
