"""The README's commands name scripts, options and values that exist."""

import dataclasses
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from jaxgp.config import arguments
from jaxgp.spec import Spec
from jaxgp.store import champion

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = re.findall(r"^(?:\.venv/bin/)?python (scripts/\w+\.py) ?([^#\n]*)", README, re.M)


def test_the_readme_opens_with_two_commands_that_set_up_and_run():
    run, test = (re.search(rf"<!-- {name} -->\n```bash\n(.*?)```", README, re.S) for name in ("run", "test"))
    assert run
    assert test
    for block in (run[1], test[1]):
        assert block.startswith("python3 -m venv .venv\n.venv/bin/pip install")
    assert run[1].endswith(".venv/bin/python scripts/train.py game=mancala\n")
    assert test[1].endswith(".venv/bin/python -m pytest\n")


@pytest.mark.parametrize(("script", "options"), [line for line in LINES if line[0] == "scripts/train.py"])
def test_train_takes_the_options_of_the_readme(script, options):
    words = [w for w in shlex.split(options) if w != "-m" and not w.startswith("resume=")]
    words = [w.split(",")[0] for w in words]
    done = subprocess.run(
        [sys.executable, script, "--cfg", "job", *words],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("script", "options"), [line for line in LINES if re.search("evaluate|export|play", line[0])])
def test_the_small_commands_take_the_options_of_the_readme(script, options):
    spec = importlib.util.spec_from_file_location(Path(script).stem, ROOT / script)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    assert arguments.parse(module.Options, shlex.split(options))


PAGES = sorted(page.relative_to(ROOT) for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def sections(page: Path) -> set[str]:
    """Return what a link can name on a page: its headings, as GitHub writes them."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in re.findall(r"(?m)^#+ (.*)$", text)}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_page_section_and_picture_that_a_document_links_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!http)([^)\s]+)\)", text) + re.findall(r'(?:src|href)="(?!http)([^"]+)"', text):
        path, _, section = target.partition("#")
        linked = (ROOT / page).parent / path if path else ROOT / page
        assert linked.exists(), target
        assert not section or section in sections(linked), target


ROWS = [re.split(r" \| ", line.strip("| \n")) for line in re.findall(r"(?m)^\|.*results/.*$", README)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_results_is_short_and_its_figures_are_on_the_page_that_it_links(row):
    _, _, _, ours, link = row
    assert max(len(cell.split()) for cell in row) <= 12
    text = (ROOT / link[link.index("(") + 1 : -1]).read_text(encoding="utf-8")
    figures = re.findall(r"\d[\d,.]*\d|\d", ours)
    assert figures
    assert [figure for figure in figures if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.]*\d)", text)] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "results").glob("*.md")), ids=lambda page: page.stem)
def test_the_page_of_a_game_is_short_and_has_one_of_results(page):
    game = (ROOT / "docs" / page.name).read_text(encoding="utf-8")
    assert len(game.split()) <= 1500
    assert f"(results/{page.name})" in game
    assert f"(../{page.name})" in page.read_text(encoding="utf-8")


def test_every_champion_that_a_command_of_a_page_names_can_be_read():
    pages = [README, *(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))]
    lines = [line for page in pages for line in page.splitlines()]
    # Studies that are closed are in the history alone, and so are their files.
    here = [line for line in lines if all((ROOT / name).is_file() for name in re.findall(r"scripts/[\w/]+\.py", line))]
    named = r"docs/data/champions/[\w./-]+\.jsonl?(?:#\d+)?"
    files = {ROOT / name for line in here if "scripts/" in line for name in re.findall(f"=({named})", line)}
    assert len(files) > 20
    for file in files:
        assert [champion.read(one) for one in champion.members(file)], file


def test_every_field_of_a_game_has_a_row_in_the_table_of_contributing():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("### Fields of Spec")[2]
    named = set(re.findall(r"`(\w+)`", table.partition("\n## ")[0]))
    assert {field.name for field in dataclasses.fields(Spec)} <= named
