"""A whole run of rule lists: resumed to the bit, ended by success, its champion written, read back and edited badly."""

import json

import jax
import numpy as np
import pytest

import envs
from jaxgp.errors import UsageError
from jaxgp.evolution.state import BestSoFar
from jaxgp.genotypes.language import sizes
from jaxgp.measure import champions
from jaxgp.run import outcome
from jaxgp.run.assemble import Experiment, assemble
from jaxgp.seats.options import opponent
from jaxgp.store import champion
from tests.fitness.walls_table import config as small
from tests.run.conduct_toy import assert_same, rows, start
from tests.scripts.commands import write_run

GO = "- 0 - / - N - / - - - : try-forward"


SEED = 4
"""With it the opponent is beaten in generation 5, the sixth one."""


def made(generations=30):
    """A run that ends when a parent beats an opponent that only goes forward."""
    config = small(generations=generations)
    config.fitness.opponents = {"forward": opponent("strategy", name="forward")}
    config.seed = SEED
    return config


@pytest.fixture(scope="module")
def experiment():
    """The run, whose program is compiled once for all of its starts."""
    whole = assemble(made(), envs)
    program = whole.compiled(whole.init(jax.random.key(0)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Experiment, "compiled", lambda self, state: program)
        yield whole


@pytest.fixture(scope="module")
def whole(tmp_path_factory, experiment, every_picture):
    path = tmp_path_factory.mktemp("rules") / "run"
    assert start(path, experiment, experiment.config) == 0
    return path


@pytest.mark.slow
def test_a_resumed_run_is_the_whole_run_which_success_completes(whole, tmp_path, experiment, capsys, monkeypatch):
    monkeypatch.setattr(outcome, "write", lambda run: [])  # `whole` has drawn its pictures
    assert start(tmp_path / "run", experiment, made(generations=2)) == 0
    assert "Aim reached" not in capsys.readouterr().out
    for _ in range(2):  # the second time it is complete already
        assert start(tmp_path / "run", experiment, made(), resumed=True) == 0
        assert (
            "Aim reached after 6 of 30 generations: a parent gets more than half of the points"
            in capsys.readouterr().out
        )
        assert_same(tmp_path / "run", whole)
        assert json.loads((tmp_path / "run" / "status.json").read_text())["state"] == "complete"
    assert len(rows(whole)) == 6
    assert rows(whole)[-1]["beaten"] > 0
    assert sum(champion.read(whole / "champion.json").points.values()) > 1


@pytest.mark.slow
def test_what_is_shown_speaks_of_rules(whole):
    page = (whole / "report.html").read_text()
    for words in ("Parameters", "rule language walls-symmetric", "groups of 5", "Its games", "points in a double game"):
        assert words in page
    assert 'id="tree"' not in page
    assert "Koza" not in page
    assert {path.stem for path in (whole / "plots").iterdir()} >= {"fitness", "points", "size", "tournaments"}


@pytest.fixture
def written(tmp_path):
    """A champion file of three rules."""
    lines = [GO, "# - - / - - - / - - 0 : turn-left", "- - - / - - - / - - - : turn-right"]
    return write_run(tmp_path, {"name": "walls", "size": 3}, "\n".join(lines)) / "champion.json"


def edit(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


@pytest.mark.slow
def test_a_champion_can_be_read_by_people_and_comes_back(whole, experiment):
    content = json.loads((whole / "champion.json").read_text())
    assert content["language"]["kind"] == "rules"
    assert content["depth"] is None
    assert all(line.split(" : ")[1] in experiment.language.actions for line in content["text"])
    loaded = champions.load(str(whole), envs)
    assert int(sizes(loaded.genome)) == content["size"] == len(content["text"])
    best = BestSoFar(jax.tree.map(np.asarray, loaded.genome), np.float32(1), np.zeros(2, np.float32), np.int32(0))
    again = champion.describe(best, experiment.language, experiment.config)
    assert again.text.splitlines() == content["text"]


def test_a_champion_can_be_edited(written):
    assert int(sizes(champions.load(str(written), envs).genome)) == 3


BAD = [
    ({"text": [GO, "? - - / - - - / - - - : turn-left"], "size": 2}, "line 2, column 1: row 1, cell 1: ? is not"),
    ({"text": ["- 0 - / - B - / - - - : try-forward"], "size": 1}, "column 11: row 2, cell 2: B cannot be named"),
    ({"text": ["- 0 - / - N - : try-forward"], "size": 1}, "line 1, column 15: expected / after the 3"),
    ({"text": ["- 0 - / - N - / - - - : jump"], "size": 1}, "line 1, column 25: jump is not an action"),
    ({"size": 4}, "size=4: the text has 3 rules"),
    ({"text": 7}, "text has the wrong type"),
    ({"text": [1, 2]}, "text has the wrong type"),
    ({"game": {"name": "walls", "size": 4}}, "game.size=4: accepted: an odd number"),
    ({"program": {"mask": 5}}, "program.mask=5: accepted: an odd number from 3 to 3"),
    ({"program": {"matching": "strict"}}, "made with the rule language walls-symmetric"),
    ({"game": {"name": "mancala"}, "program": {}}, "game=mancala: no genomes that are rules"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message for _, message in BAD])
def test_nonsense_is_refused_and_its_place_named(written, changes, message):
    edit(written, **changes)
    with pytest.raises(UsageError) as raised:
        champions.load(str(written), envs)
    assert message in str(raised.value)
    assert str(written) in str(raised.value)
