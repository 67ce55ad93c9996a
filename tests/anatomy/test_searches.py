"""What the searches of a policy for Rush Hour do, and which of its rules fire on the way to a solution."""

import json
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rush_hour import boards, plain, roles
from envs.rush_hour.rules import RushHour
from jaxgp.anatomy import searches
from jaxgp.genotypes.language import parse
from jaxgp.search.chance import unused_key
from tests.reference import rush_hour as reference
from tests.scripts.commands import compiled_once, load, write_run
from tests.search.cases import FAST

cached = pytest.fixture(scope="module", autouse=True)(compiled_once)
NEVER, ALWAYS = "(<= g 0)", "(>= g 0)"
POLICY = f"""(PROGRAM {NEVER} 1 (<= g 0.045) BlockersLowerBound
{NEVER} 2 {NEVER} 3 {NEVER} 4 (+ BlockersLowerBound Hybrid))"""
"""The second rule holds in the first four moves, since g is divided by 100; then the default value is taken."""

SOLUTION = [("A", 1), ("C", -3), ("O", 3), ("P", -1), ("B", -1), ("R", -2), ("Q", 2), ("X", 3)]
"""Of JAM01."""


@pytest.mark.thorough
def test_rules_are_counted_by_the_positions_that_are_compared_on_the_way():
    """A move's positions are all those that the board before allows; the ten parts of eight moves are hit in order."""
    game = RushHour(board="JAM01")
    language, solver = roles.policy(game, roles.SolverOptions(first=10, grow=1, deepest=12, table=0))
    genome = jax.tree.map(jnp.asarray, parse(language, POLICY))
    board, size = reference.read(boards.find("JAM01").text)
    moves, numbers = [], []
    for letter, distance in SOLUTION:
        numbers.append(len(list(reference.slides(board, size, "moves"))))
        moves.append(game.action([one.letter for one in boards.find("JAM01").vehicles].index(letter), distance))
        board = reference.play(board, plain.Slide(letter, distance))
    assert reference.is_solved(board, size)
    start, padded = game.init(unused_key()), jnp.array([*moves, -1], jnp.int16)
    counted = jax.jit(partial(searches._along, solver, genome), compiler_options=FAST)(start, padded, jnp.int32(8))
    expected = np.zeros((6, searches.PARTS), int)
    for depth, number in enumerate(numbers):
        expected[1 if depth < 4 else 5, depth * searches.PARTS // 8] += number
    assert np.asarray(counted).tolist() == expected.tolist()


@pytest.fixture
def analyse(capsys):
    script = load("analyse")

    def run(*options):
        code = script.main(["analysis=searches", "compilation_cache=null", "cores=1", *options])
        return code, *capsys.readouterr()

    return run


def test_what_solves_no_puzzle_is_refused(analyse, tmp_path):
    run = write_run(tmp_path, {"name": "mancala", "pits": 3, "stones": 2}, "(VALUE_AT 0)")
    code, _, err = analyse(f"run={run}")
    assert (code, err.count("\n")) == (2, 1)
    assert "mancala is no puzzle; accepted: champions that steer a search" in err
    code, _, err = analyse()
    assert (code, err) == (2, "error: run: which champion? Write run=DIR, a run directory\n")


@pytest.mark.slow
def test_the_searches_of_a_policy_are_drawn_and_written(analyse, tmp_path):
    run = write_run(tmp_path, {"name": "rush_hour"}, POLICY, {"role": "policy", "table": 1024})
    code, out, err = analyse(f"run={run}", "suite=JAM", "limit=3000")
    assert code == 0, err
    assert "Rules on the way to the solutions" in out
    found = json.loads((run / "searches" / "searches.json").read_text("utf-8"))
    assert [row["instance"] for row in found["instances"]] == [
        b.name for b in boards.read_shipped("JAM") if b.split == "test"
    ]
    solved = [row for row in found["instances"] if row["solved"]]
    assert solved
    assert all(row["moves"] >= boards.find(row["instance"]).moves and row["nodes"] < 3000 for row in solved)
    assert [row["rule"] for row in found["rules"]] == ["1", "2", "3", "4", "5", "default"]
    fired = np.array(found["fired"])
    assert fired[[0, 2, 3, 4]].sum() == 0 < min(fired[1].sum(), fired[5].sum())
    report = (run / "searches" / "report.md").read_text("utf-8")
    assert "figures/nodes.svg" in report
    assert "figures/rules.svg" in report
    assert (run / "searches" / "figures" / "rules.svg").read_text("utf-8").startswith("<svg")


@pytest.mark.slow
def test_a_single_heuristic_has_no_rules(analyse, tmp_path):
    run = write_run(tmp_path, {"name": "rush_hour"}, "BlockersLowerBound", {"role": "heuristic", "table": 1024})
    code, out, err = analyse(f"run={run}", "suite=JAM", "limit=300", f"output={tmp_path / 'there'}")
    assert code == 0, err
    assert "Rules" not in out
    assert "rules" not in json.loads((tmp_path / "there" / "searches.json").read_text("utf-8"))
