"""A style of sums of checkers: what its numbers change, and a tiny study that is stopped and goes on."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.checkers.rules import Checkers
from jaxgp.config import arguments
from jaxgp.search.chance import unused_key
from studies.checkers import learn, style
from studies.checkers.sums import Sums

SMALL = ["size=4", "rows=1", "depth=1", "bounds=[2]", "apart=true", "lead=true"]


def worth(position, one):
    """Return what a style adds to the value of a position on 6 x 6 squares for the side to move."""
    game = Checkers(size=6, rows=2, position=position)
    sums = Sums(game, (), lead=True, apart=True)
    numbers = jnp.zeros(sums.shape)
    changed = style.styled(sums, numbers, jnp.array([one], jnp.float32))
    states = jax.tree.map(lambda x: x[None], game.init(unused_key()))
    return float(sums.values(changed, states)[0])


# Black is ahead by a man, which stands on its second row of six, and has a king; white has a king, four steps away.
LEADS = "WK9:BK1,5"


@pytest.mark.thorough
@pytest.mark.parametrize("turn", ["B", "W"])
@pytest.mark.parametrize(
    ("number", "adds"),
    [(0, 1 / 5), (1, 1.0), (2, -1.0), (3, 4.0), (5, 1.0)],
    ids=["row", "king", "other", "step", "constant"],
)
def test_a_number_adds_to_who_is_ahead_and_takes_from_the_other_side(turn, number, adds):
    one = np.eye(style.STYLE)[number]
    sign = 1 if turn == "B" else -1
    assert worth(f"{turn}:{LEADS}", one) == pytest.approx(sign * adds, abs=1e-6)


@pytest.mark.thorough
def test_moves_count_where_the_side_that_is_behind_has_them():
    one = np.eye(style.STYLE)[4]
    assert worth(f"B:{LEADS}", one) == 0
    assert worth(f"W:{LEADS}", one) == 2  # the king on 9 stands at the edge


@pytest.mark.thorough
def test_nothing_changes_where_nobody_is_ahead_nor_in_phases_with_more_pieces():
    for number in range(style.STYLE):
        assert worth("B:W10:B4", np.eye(style.STYLE)[number]) == 0
    sums = Sums(Checkers(size=6, rows=2), (4,), lead=True, apart=True)
    changed = style.styled(sums, jnp.zeros(sums.shape), jnp.ones((1, style.STYLE)))
    assert (np.abs(changed).max(1) > 0).tolist() == [True, False, True, False, False, False]


def test_no_champion_is_refused_in_one_line(capsys):
    assert arguments.main(style.Options, style.task, "", ["save=never.json"]) == 2
    assert capsys.readouterr().err.startswith("error: begin: which champions? Write begin=[DIR,DIR]")


@pytest.mark.slow
def test_a_study_that_was_stopped_goes_on_to_the_same_champion(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path))
    first = tmp_path / "first.json"
    learned = [*SMALL, "batch=4", "plies=8", "chunks=10", f"folder={tmp_path / 'learn'}", f"save={first}"]
    assert arguments.main(learn.Options, learn.task, "", learned) == 0

    def run(folder, generations):
        saved = tmp_path / f"{folder}.json"
        words = [
            f"begin=[{first}]",
            f"generations={generations}",
            "population=5",
            "games=4",
            "bank=32",
            "plies=40",
            "phases=2",
        ]
        assert (
            arguments.main(style.Options, style.task, "", [*words, f"folder={tmp_path / folder}", f"save={saved}"]) == 0
        )
        return saved.read_text()

    whole = run("whole", 3)
    assert re.search(r"phase 0: \[", capsys.readouterr().out)
    capsys.readouterr()
    run("parts", 2)
    assert run("parts", 3) == whole
    assert whole != first.read_text()
    words = [f"begin=[{first}]", "phases=3", f"folder={tmp_path / 'other'}", f"save={tmp_path / 'other.json'}"]
    assert arguments.main(style.Options, style.task, "", words) == 2
    assert "phases=3: accepted: a whole number from 1 to 2, the phases of the champion" in capsys.readouterr().err
