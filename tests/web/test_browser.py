"""The page in a real browser: whole games by clicks and by keys, on all widths, a run that is watched. Evidence.

The pictures of docs/page.md are made here: JAXGP_PICTURES=docs python -m pytest -m slow tests/web/test_browser.py
"""

import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import envs
from jaxgp.anatomy.reasons.reasons import explain
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.host import savedgame
from jaxgp.seats.moves import Stepper, game_key
from jaxgp.seats.options import player
from tests.web.site import rows, write_run

pytest.importorskip("starlette")
api = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")]

ROOT = Path(__file__).parents[2]
PICTURES = os.environ.get("JAXGP_PICTURES")
WIDTHS = (360, 390, 768, 1280)
OTHERS = (("othello", "complete"), ("othello", "interrupted"), ("mancala", "complete"), ("checkers", "failed"))
"""Games and states of runs that are listed beside the one that is watched."""
BAR_AND_DOUBLE = "-b----E-C---eE---c-e----AA:0:0:1:22:0:0:0:0:10"
"""A position of backgammon with a man on the bar, and a double."""
COVERED = """
() => {
  const boxes = [...document.querySelectorAll("svg text")]
    .filter((one) => one.textContent.trim() && getComputedStyle(one).visibility === "visible")
    .map((one) => [one.textContent, one.getBoundingClientRect()]);
  const dots = [...document.querySelectorAll("svg path.turn")].map((one) => {
    const { left, top } = one.getBoundingClientRect();
    return ["dot", { left: left - 4, right: left + 4, top: top - 4, bottom: top + 4 }];
  });
  const covers = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap(([text, box], n) => [...boxes.slice(n + 1), ...dots]
    .filter(([, other]) => covers(box, other)).map(([other]) => [text, other]));
}
"""
CONTRAST = """
() => {
  const number = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const linear = (c) => c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = number(colour).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor, parts = number(colour);
      if (parts.length < 4 || parts[3] === 1) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const weak = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.closest("svg, option, noscript") || one.disabled || !one.getClientRects().length) continue;
    const pair = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => b - a);
    if ((pair[0] + 0.05) / (pair[1] + 0.05) < 4.5) weak.push(one.outerHTML.slice(0, 90));
  }
  return weak;
}
"""


def train(folder, *options):
    words = ["game=walls", "game.size=3", f"hydra.run.dir={folder}", "logger=disabled", "title=Walls"]
    return subprocess.Popen([sys.executable, "scripts/train.py", *words, *options], cwd=ROOT, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(runs):
    """The address of a server of its own."""
    words = [sys.executable, "scripts/serve.py", f"runs=[{runs}]", "port=0", f"saved={runs / 'games'}", "idle=60"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as started:
        yield started.stdout.readline().strip().rstrip("/")
        started.send_signal(signal.SIGINT)
        started.wait(30)


@pytest.fixture(scope="module")
def chromium():
    with api.sync_playwright() as playing:
        started = playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(chromium, address):
    """A page on which nothing may fail, and that may ask nobody but the server."""
    said = []
    context = chromium.new_context(viewport={"width": 1200, "height": 860}, base_url=address)
    made = context.new_page()
    made.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    made.on("pageerror", lambda error: said.append(str(error)))
    made.on(
        "request",
        lambda request: None if request.url.startswith((address, "data:", "file:")) else said.append(request.url),
    )
    made.set_default_timeout(60_000)
    yield made
    assert said == []
    context.close()


def picture(page, name, narrow="body"):
    """Save what the page shows, wide and light, and narrow and dark; there from an element on."""
    if not PICTURES:
        return
    for suffix, size, scheme in (("", (1200, 860), "light"), ("_narrow", (390, 800), "dark")):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=scheme)
        page.evaluate("one => document.querySelector(one).scrollIntoView()", narrow if suffix else "body")
        page.wait_for_timeout(300)
        page.screenshot(path=ROOT / PICTURES / f"{name}{suffix}.png")
    page.set_viewport_size({"width": 1200, "height": 860})
    page.emulate_media(color_scheme="light")


def begin(page, game, first="human", second="human", **settings):
    page.goto(f"/new?game={game}")
    page.select_option("select[name=first]", first)
    if page.locator("select[name=second]").count():
        page.select_option("select[name=second]", second)
    if settings:
        page.click("summary:has-text('Settings')")
    for name, value in settings.items():
        field = page.locator(f"[name='game.{name}']")
        field.select_option(value) if field.evaluate("one => one.tagName") == "SELECT" else field.fill(value)
    page.click("button.main")
    page.wait_for_url("**/play/**")
    wait(page)


def wait(page):
    """Wait until a person is asked, or the game is over; return whether it goes on."""
    page.wait_for_function(
        """() => {
          const said = document.querySelector('#state strong')?.textContent || '';
          const open = document.querySelector('[tabindex].place, #moves button');
          return /is over/.test(said) || (/move\\./.test(said) && open);
        }"""
    )
    return "is over" not in page.inner_text("#state strong")


def count(page):
    return page.locator("#record li").count()


def step(page, turn):
    """Make one move by pointing, or by a button where there are no places."""
    before = count(page)
    for _ in range(4):
        places = page.locator("#board .place[tabindex]:not(.chosen)")
        buttons = page.locator("#moves button")
        if buttons.count() and (not places.count() or page.locator(".place.chosen").count()):
            buttons.nth(turn % buttons.count()).click()
        else:
            places.nth(turn % places.count()).click()
        page.wait_for_timeout(60)
        if count(page) > before:
            return
        if page.locator(".place.chosen").count() == 0:
            page.wait_for_function(f"() => document.querySelectorAll('#record li').length > {before}")
            return
    raise AssertionError("no move was made")


@pytest.mark.parametrize(
    ("game", "second", "settings", "plies"),
    [
        ("mancala", "random", {"pits": "3", "stones": "2"}, 99),
        ("walls", "random", {"size": "3"}, 99),
        ("othello", "random", {"size": "4"}, 99),
        ("checkers", "human", {}, 24),
        ("backgammon", "human", {"variant": "hypergammon"}, 40),
        ("backgammon", "human", {"position": BAR_AND_DOUBLE}, 4),
        ("freecell", "human", {}, 12),
        ("rush_hour", "human", {}, 8),
        ("morpion", "human", {}, 8),
        ("chess", "human", {}, 10),
    ],
)
def test_a_game_is_played_by_clicks(page, game, second, settings, plies):
    begin(page, game, second=second, **settings)
    for turn in range(plies):
        step(page, turn * 7)
        if not wait(page):
            break
    assert count(page) >= min(plies, 4)
    if plies == 99:
        assert "is over" in page.inner_text("#state strong")


@pytest.mark.parametrize(
    ("game", "settings", "plies"),
    [
        ("othello", {"size": "4"}, 99),
        ("mancala", {"pits": "3", "stones": "2"}, 99),
        ("walls", {"size": "3"}, 99),
        ("checkers", {}, 4),
        ("backgammon", {"position": BAR_AND_DOUBLE}, 4),
        ("freecell", {}, 4),
        ("rush_hour", {}, 4),
        ("morpion", {}, 4),
    ],
)
def test_a_game_is_played_by_keys_alone(page, game, settings, plies):
    begin(page, game, second="random" if plies == 99 else "human", **settings)
    while wait(page) and count(page) < plies:
        before = count(page)
        for _ in range(4):
            places = page.locator("#board .place[tabindex]:not(.chosen)").count()
            if page.locator("#moves button").count() and (not places or page.locator(".place.chosen").count()):
                page.keyboard.press("1")
            else:
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
            page.wait_for_timeout(100)
            if not page.locator(".place.chosen").count():
                break
        page.wait_for_function(f"() => document.querySelectorAll('#record li').length > {before}")
    assert plies < 99 or "over" in page.inner_text("#state")


def test_a_man_that_jumps_twice_is_pointed_at_twice(page, runs):
    """A game of checkers up to a jump after which the same side jumps again, from a file."""
    game = envs.make("checkers")
    stepper, random = Stepper(game, game_key(0)), np.random.default_rng(0)
    record = [stepper.opening()]
    while True:
        record.append(stepper.after(record, int(random.choice(stepper.legal(record[-1].state)))))
        if bool(record[-1].state.terminated):
            record = [stepper.opening()]
        elif int(record[-1].state.to_move) == record[-1].seat:
            break
    (runs / "games").mkdir(exist_ok=True)
    text = savedgame.record(savedgame.PlayedGame(stepper, envs.spec("checkers"), ("A", "B"), record[:-1]))
    (runs / "games" / "jumps.json").write_text(text)
    page.goto("/play/jumps")
    assert wait(page)
    action = record[-1].action
    for place in envs.spec("checkers").table.pointing.places(game, record[-2].state, action):
        page.click(f".place[data-place~='{place}']")
    page.wait_for_function(f"() => document.querySelectorAll('#record li').length === {len(record) - 1}")
    assert wait(page)
    step(page, 0)
    assert count(page) == len(record)


def test_the_values_of_moves_are_those_of_the_library(page):
    begin(page, "walls", size="3")
    page.click("[data-do=why]")
    page.wait_for_selector("#reasons table")
    cast = cast_of(Config(game={"name": "walls", "size": 3}, program={}), envs)
    state = Stepper(cast.game, game_key(0)).opening().state
    told = explain(cast, player("search", depth=4), None, state)
    shown = [row.split("\t")[:2] for row in page.inner_text("#reasons table").splitlines()[1:]]
    assert shown == [[name, f"{value:.4g}"] for name, value, _ in told.moves]


@pytest.mark.parametrize("game", ["checkers", "othello", "backgammon", "walls", "mancala", "chess"])
def test_no_text_of_a_picture_lies_on_another(page, game, tmp_path):
    """In animated pictures, and in those of one position; a man's count lies on the man, and is no other text."""
    rules = envs.make(game)
    stepper = Stepper(rules, game_key(0))
    record = [stepper.opening()]
    for _ in range(3):
        record.append(stepper.after(record, stepper.legal(record[-1].state)[0]))
    names = ("First player (person)", "Second player (search, 8 plies)")
    savedgame.write([tmp_path / "game.svg"], savedgame.PlayedGame(stepper, envs.spec(game), names, record))
    page.goto("about:blank")
    for text in ((tmp_path / "game.svg").read_text(), envs.spec(game).drawing.svg(rules, record[-1].state)):
        page.set_content(text)
        assert page.evaluate(COVERED) == []


def test_undo_hint_reload_steps_and_going_on_from_a_move(page):
    begin(page, "walls", second="search", size="3")
    step(page, 0)
    wait(page)
    made = count(page)
    page.reload()
    wait(page)
    assert count(page) == made
    page.click("[data-do=hint]")
    page.wait_for_selector("#state:has-text('Hint: ')")
    page.click("[data-do=undo]")
    page.wait_for_function("() => document.querySelectorAll('#record li').length === 0")
    step(page, 0)
    wait(page)
    page.click("#record li:first-child a")
    page.wait_for_selector("text=Position after 1 of")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("text=Position after 0 of")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Position after 1 of")
    page.click("text=Go on from here")
    page.wait_for_selector("#game")
    assert wait(page)
    page.goto("/games")
    assert page.locator("a[href^='/play/walls']").count() == 2


def test_a_stopped_player_lets_go_within_a_second(page):
    page.goto("/new?game=mancala")
    page.select_option("select[name=second]", "search")
    page.fill("[name=second_depth]", "20")
    page.click("button.main")
    page.wait_for_url("**/play/**")
    wait(page)
    step(page, 0)
    page.wait_for_selector("#state:has-text(', 2 s')")
    began = time.monotonic()
    page.click("[data-do=stop]")
    page.wait_for_selector("#state:has-text('Stopped')")
    assert time.monotonic() - began < 1.5
    page.click("[data-do=undo]")
    assert wait(page)


def test_a_run_is_watched_while_it_is_stopped_and_goes_on(page, runs):
    folder = runs / "walls"
    running = train(
        folder, "algorithm.generations=400", "checkpoint_every=5", "algorithm.immigrants=0", "algorithm.population=60"
    )
    end = time.monotonic() + 300
    while not (folder / "metrics.jsonl").exists() and time.monotonic() < end:
        time.sleep(0.5)
    page.goto("/")
    page.click("a:has-text('walls')")
    page.wait_for_selector("#live")
    shown = lambda: int(re.search(r"generations\s+([\d,]+)", page.inner_text("#live"))[1].replace(",", ""))  # noqa: E731
    page.wait_for_function(
        "() => /generations\\s+[5-9]|generations\\s+\\d\\d/.test(document.querySelector('#live').innerText)"
    )
    running.send_signal(signal.SIGINT)
    running.wait(60)
    page.wait_for_selector("#live:has-text('interrupted')")
    assert shown() < 400
    again = [sys.executable, "scripts/train.py", f"resume={folder}", "logger=disabled"]
    subprocess.run(again, cwd=ROOT, stderr=subprocess.DEVNULL, check=True)
    page.wait_for_selector("#live:has-text('complete')")
    assert shown() == 400
    assert page.locator(".chart .line").count() > 3
    assert page.locator("h2:has-text('Parameters'), h2:has-text('Koza tableau')").count() == 1
    page.wait_for_timeout(300)
    page.evaluate("scrollTo(0, 0)")
    picture(page, "page_watch")
    page.click("text=see a game of it")
    page.wait_for_url("**/play/**")
    page.wait_for_selector("#state:has-text('is over')")
    assert count(page) > 4
    for number, (game, state) in enumerate(OTHERS):
        other = write_run(runs / game / f"seed {number}", rows(30 + 7 * number), state)
        text = (other / "config.yaml").read_text().replace("nim", game).replace("a run", f"{game}, a base run")
        (other / "config.yaml").write_text(text.replace("seed: 7", f"seed: {number}"))
        now = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=3 * number + 1)
        status = json.loads((other / "status.json").read_text()) | {"generations": 100, "updated": now.isoformat()}
        (other / "status.json").write_text(json.dumps(status))
    page.goto("/")
    page.wait_for_timeout(1100)
    page.reload()
    picture(page, "page_home")
    page.click("a:text-is('walls')")
    page.click("text=play against it")
    page.click("button.main")
    page.wait_for_url("**/play/**")
    wait(page)
    step(page, 0)
    wait(page)
    page.click("[data-do=why]")
    page.wait_for_selector("#reasons mark")
    assert page.locator(".mask .wanted").count() == len(set(page.locator(".mask .wanted").all()))
    picture(page, "page_why", "#reasons")
    page.goto((folder / "report.html").as_uri())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_all_widths_and_are_readable(chromium, address, page, scheme):
    begin(page, "othello")
    paths = [page.url.removeprefix(address), "/", "/new", "/new?game=chess", "/games"]
    paths.append(f"{paths[0]}?move=0")
    if page.request.get(f"{address}/run/0").ok:
        paths += ["/run/0", "/watch?run=0&metric=best_fitness&log=1"]
    for turn in range(8):
        step(page, 3 * turn)
        wait(page)
    page.check("#marks")
    if scheme == "light":
        picture(page, "page_play")
    for width in WIDTHS:
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, base_url=address)
        narrow = context.new_page()
        for path in paths:
            narrow.goto(path)
            narrow.wait_for_timeout(250)
            assert narrow.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            assert narrow.evaluate(CONTRAST) == [], (path, width)
        context.close()


def test_two_people_play_at_once_against_searches(chromium, address):
    """The first moves compile; after that each answer comes within a second."""
    pages = [chromium.new_context(base_url=address).new_page() for _ in range(2)]
    for game, one in zip(("mancala", "walls"), pages, strict=True):
        one.set_default_timeout(60_000)
        begin(one, game, second="search")
        step(one, 0)
    slowest = 0.0
    for _ in range(3):
        for one in pages:
            wait(one)
        began = time.monotonic()
        for one in pages:
            step(one, 1)
        for one in pages:
            wait(one)
        slowest = max(slowest, time.monotonic() - began)
    print(f"slowest answer of two at once: {slowest:.2f} s")
    assert slowest < 10, "seconds on a busy machine; a second on a free one"
    for one in pages:
        one.context.close()
