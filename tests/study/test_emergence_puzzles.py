"""Where the strength of a champion sits that steers a search: heuristics turned off, and searches as scores."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

import envs
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program
from jaxgp.players.solver import ByWeights, ProgramSolver
from jaxgp.spec import Instances
from jaxgp.study.emergence import rows, searched
from jaxgp.study.emergence.weighted import alter_weights
from tests.scripts.commands import load, write_run

NAMES = ("few", "moves", "unused")
WEIGHTS = "(PROGRAM 0.5 0.25 0)"
SEEN = np.array([[0, 2, 4, 4], [1, 1, 7, 9], [5, 5, 5, 6]], np.float32)
"""What three heuristics count at four positions."""


@struct.dataclass
class Found:
    solved: np.ndarray
    nodes: np.ndarray
    length: np.ndarray
    moves: np.ndarray


@pytest.fixture(scope="module")
def weighted():
    """A vector of weights, heuristics that can be turned off, and what values the four positions by a vector."""
    terminals = tuple(Primitive(f"weight:{name}", name, domain=Floats(0, 1)) for name in NAMES)
    language = PrimitiveSet("lamps-weights", terminals, (), NAMES)
    valued = ByWeights(language, lambda seen: seen, (1.0, 2.0, 1.0), 2**10)
    solver = ProgramSolver(valued, None, None, "blind", lambda order: None, 10)
    changed = alter_weights(solver, np.tile(SEEN, 50), 0)

    def valuing(by):
        def values(program):
            plans = by.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], program))
            return by.values(plans, jnp.zeros(4, jnp.int32), jnp.asarray(SEEN.T), jnp.int32(4))

        return jax.jit(values)

    return parse_program(language, WEIGHTS, 1), changed, valuing(valued), valuing(changed.actor.valued)


def test_heuristics_are_turned_off_in_weights(weighted):
    program, changed, own, values = weighted
    few, moves, unused = SEEN / np.array([[1], [2], [1]])
    np.testing.assert_array_equal(values(changed.widened(program)), own(program))
    np.testing.assert_array_equal(own(program), 0.5 * few + 0.25 * moves)
    np.testing.assert_array_equal(values(changed.disabled(program, "few", "zero")), 0.25 * moves)
    assert changed.disabled(program, "unused", "zero") is None, "its weight is 0"
    (name, sign, plain), (_, turned, negative) = changed.alone("unused")
    assert (name, sign, turned) == ("unused", 1, -1)
    np.testing.assert_array_equal(values(plain), unused)
    np.testing.assert_array_equal(values(negative), -unused)
    for way in ("random", "elsewhere"):
        instead = values(changed.disabled(program, "moves", way)) - 0.5 * few
        assert set(np.asarray(instead) / 0.25 * 2) <= {1, 7, 9}, "values that the heuristic takes"
    assert len(set(np.asarray(values(changed.random())))) == 4, "positions have random values"
    assert changed.uses(program) == dict(zip(NAMES, (0.5, 0.25, 0), strict=True))


def test_searches_count_by_solutions_and_by_nodes_of_the_most():
    found = Found(np.array([True, True, False]), np.array([10, 1, 7]), np.zeros(3, int), np.zeros((3, 1)))
    solver = SimpleNamespace(prepare=lambda programs: programs, solve=lambda *given: found)
    loaded = SimpleNamespace(cast=SimpleNamespace(spec=SimpleNamespace(instances=None)))
    some = Instances(("a", "b", "c"), np.zeros(3), np.ones(3, bool))
    measure = searched.measure_searches(loaded, solver, "JAM (test)", some, 100)
    values = measure.run(None)
    assert measure.names == ("solved: JAM (test), 100 nodes", "nodes: JAM (test), 100 nodes")
    assert [rows.scale(name) for name in measure.names] == [rows.SOLVED, rows.NODES]
    np.testing.assert_array_equal(values[measure.names[0]], [[1, 1, 0]])
    np.testing.assert_allclose(values[measure.names[1]], [[0.5, 1, 0]], err_msg="ten of a hundred nodes are half")


@pytest.fixture
def analyse(capsys):
    script = load("analyse")

    def run(*options):
        code = script.main(["analysis=emergence", "compilation_cache=null", "cores=1", *options])
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("role", "parts", "said"),
    [
        ("policy", ["single"], "run=here: rules choose its weights; accepted: a champion of weights, or a program"),
        ("weights", ["single", "without"], "parts=[single,without]: a champion of weights has one for every heuristic"),
    ],
)
def test_what_weights_do_not_have_is_refused_before_any_search(role, parts, said):
    loaded = SimpleNamespace(cast=cast(envs.spec("freecell"), role=role), path="here")
    with pytest.raises(UsageError) as refused:
        searched.check(loaded, parts)
    assert str(refused.value).startswith(said)


CHAMPIONS = {
    "freecell": (
        {"name": "freecell", "autoplay": "safe"},
        "docs/data/champions/freecell_counts.jsonl#0",
        ("suite=20001-20008", "limit=1000", "terminals=[OnNext,Moves]"),
        ("OnNext", "Moves"),
    ),
    "rush_hour": (
        {"name": "rush_hour"},
        "(+ Hybrid (* 2 BlockersLowerBound))",
        ("suite=JAM", "limit=300", "terminals=[Hybrid,GoalDistance]"),
        ("Hybrid",),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", CHAMPIONS)
def test_a_champion_of_a_puzzle_is_taken_apart_and_the_command_goes_on(analyse, tmp_path, game):
    settings, champion, words, used = CHAMPIONS[game]
    if champion.startswith("("):
        (tmp_path / "run").mkdir()
        role = {"role": "heuristic", "search": "greedy", "room": 1024, "table": 1024}
        champion = write_run(tmp_path / "run", settings, champion, role)
    words = f"run={champion}", *words, f"output={tmp_path}/out"
    code, out, err = analyse(*words)
    assert code == 0, err
    assert "seconds of CPU" in err, "the price comes first"
    assert "reduced is left out: its champion steers a search" in err
    assert "Strongest terminals by instances solved" in out
    table = tmp_path / "out" / "emergence.csv"
    before = table.read_text("utf-8")
    assert before.count("\nsingle,") == 2 * 2 * 2, "two terminals with both signs, by two scores"
    assert before.count("\ndisabled,") == 2 * 3 * len(used), "in three ways, by two scores"
    assert "Terminals, by nodes" in (tmp_path / "out" / "report.md").read_text("utf-8")
    code, _, err = analyse(*words, "parts=[disabled,single]")
    assert code == 0
    assert table.read_text("utf-8") == before, "nothing is measured twice"


@pytest.mark.slow
def test_what_a_puzzle_does_not_have_is_refused_in_one_line(analyse, tmp_path):
    champion = CHAMPIONS["freecell"][1]
    for option, said in {
        "suite=20001-": "suite=20001-: ",
        "limit=1": "limit=1: accepted: a whole number from 2",
        "game.deal=3": "game.deal=3: accepted: nothing here; suite=NAME",
    }.items():
        code, out, err = analyse(f"run={champion}", f"output={tmp_path}", option)
        assert (code, out) == (2, "")
        assert said in err
