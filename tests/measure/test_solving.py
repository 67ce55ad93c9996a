"""Long suites of a puzzle: searched in batches, and gone on with from a table of instances."""

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from jax import Array

from jaxgp.contracts import Solver
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.measure import champions
from jaxgp.measure.puzzles import instances, solving
from jaxgp.measure.puzzles.instances import COLUMNS, Book
from jaxgp.options import option
from jaxgp.players.solver import ByProgram, ProgramSolver
from jaxgp.search.puzzles.deepening import Deepening
from jaxgp.spec import Fixed, Instances, Role, Spec, Strategy, Suites
from jaxgp.store.table import CSVTable
from tests.search import puzzles

LIMIT = 60
SIZES = {"few": 3, "many": 11}


@dataclass(frozen=True)
class Options:
    """What a program of the toy searches with."""

    deepest: int = option(7, "moves that the last round looks ahead", low=1, high=9)


TERMINALS = (Primitive("lit", feature=0), Primitive("action", feature=1))
LANGUAGE = PrimitiveSet("lamps", TERMINALS, (Primitive("+", args=("float",) * 2, call=jnp.add),))


@struct.dataclass
class Found:
    solved: Array
    nodes: Array
    length: Array
    moves: Array
    expanded: Array


@dataclass(frozen=True)
class Tally(Solver):
    """Compiles in no time: what it finds for an instance is a number made of its lamps, the program and the options."""

    deepest: int
    limit: int = LIMIT
    differs: bool = False
    counts_expanded: bool = True
    reference: str = "blind"
    game: object = None

    def record(self, genome):
        return []

    def reason(self, genome, node):
        return ""

    def prepare(self, genomes):
        return genomes.opcode.sum((1, 2))

    def solve(self, plans, whose, states, limits):
        nodes = (states.lit * 7 + plans[whose].astype(jnp.uint32) * 5 + self.deepest) % 97
        nodes = jnp.minimum(nodes.astype(jnp.int32), limits)
        length = jnp.where(nodes < limits, nodes // 5, -1)
        return Found(nodes < limits, nodes, length, jnp.where(jnp.arange(97 // 5) < length[:, None], 1, -1), nodes // 3)

    def baseline(self, states, limits):
        return self.solve(jnp.zeros(1, jnp.int32), jnp.zeros(len(limits), jnp.int32), states, limits)

    unguided = baseline


def search(game, options):
    def view(node):
        return jnp.stack([node.state.lit, node.action.astype(jnp.uint32)]).astype(jnp.float32)

    blind = Deepening(game, 2, 2, options.deepest, lanes=4, narrow=4)
    valued = ByProgram(LANGUAGE, view)
    return LANGUAGE, ProgramSolver(valued, game, blind, "blind", lambda order: replace(blind, order=order), LIMIT)


def spec():
    tally = Role("tally", "tally", "program", Options, lambda game, options: (LANGUAGE, Tally(options.deepest)))
    roles = (tally, Role("search", "say which switch comes first", "program", Options, search))
    written = Strategy("tally", Options(), "lit")
    return Spec(puzzles.Lamps, None, roles=roles, fixed=Fixed(("darkest",), lambda name, game: written))


def champion(text="(+ lit action)", role="tally", **values):
    own = cast(spec(), puzzles.Lamps(), role, values=values)
    return champions.Loaded(Path("champion.json"), SimpleNamespace(text=text), own, None)


def suites():
    lit, wires = puzzles.instances(sum(SIZES.values()), 1)
    made, first = {}, 0
    for name, size in SIZES.items():
        part = slice(first, first + size)
        names = tuple(f"{name}{n}" for n in range(size))
        made[name] = Instances(names, puzzles.states(lit[part], wires[part]), np.ones(size, bool))
        first += size
    return made


class Stopped(Exception):  # noqa: N818 - stands for a signal
    pass


@pytest.fixture
def searched(monkeypatch):
    """How many instances each search was given, and which orders were compiled; after `stop` searches it is stopped."""
    seen = SimpleNamespace(sizes=[], compiled=[], stop=10**6)
    searches, solve = solving.searches, solving._solve

    def solve_some(search, order, batch, *more):
        if len(seen.sizes) == seen.stop:
            raise Stopped
        seen.sizes.append(len(batch.names))
        return solve(search, order, batch, *more)

    def noting(loaded, room):
        ready = searches(loaded, room)
        return lambda order: seen.compiled.append(order.name) or ready(order)

    monkeypatch.setattr(solving, "_solve", solve_some)
    monkeypatch.setattr(solving, "searches", noting)
    return seen


def measure(path=None, batch=4, loaded=None, limit=LIMIT, against=()):
    book, loaded = Book(path, say=lambda said: None), loaded or champion()
    by = solving.choose_orders(loaded, against)
    found = solving.solve_suites(loaded, suites(), limit, lambda said: None, batch, book, by)
    return {(suite, order): figures for suite, order, figures in found}


def timeless(report):
    return {key: replace(figures, seconds=0.0) for key, figures in report.items()}


@pytest.fixture(scope="module")
def whole():
    """What is found in one batch for each suite, without a table."""
    return timeless(measure(batch=None))


def test_figures_are_those_of_the_searches(whole):
    assert list(whole) == [(suite, order) for order in ("blind", "darkest", "champion") for suite in SIZES]
    for (suite, order), figures in whole.items():
        nodes = [nodes for nodes, _ in figures.each.values()]
        solved = sum(length is not None for _, length in figures.each.values())
        assert (figures.instances, figures.solved) == (SIZES[suite], solved)
        assert (figures.nodes, figures.median) == (np.mean(nodes), np.median(nodes))
        assert figures.solved_low <= solved / SIZES[suite] <= figures.solved_high
        assert order != "blind" or figures.share == 1
    assert 0 < whole["many", "blind"].solved < SIZES["many"]
    # Wilson's interval by its formula: the roots of (p - share)^2 = z^2 p (1 - p) / n.
    figures, z = whole["many", "blind"], 1.959964
    for p in (figures.solved_low, figures.solved_high):
        assert (p - figures.solved / 11) ** 2 == pytest.approx(z**2 * p * (1 - p) / 11, rel=1e-5)


def test_every_solution_is_played_by_a_program_apart_from_the_search(whole):
    seen, own = [], champion()

    def prove(game, state, actions):
        assert state.lit.shape == ()
        seen.append(actions)
        if len(seen) == 5:
            raise ValueError("move 2 is not legal")

    told = replace(own, cast=replace(own.cast, spec=replace(own.cast.spec, instances=Suites("", tuple, tuple, prove))))
    with pytest.raises(RuntimeError, match=r"^the search of many\d by blind is wrong: move 2 is not legal$"):
        measure(loaded=told, against=["blind"])
    lengths = [length for suite in SIZES for _, length in whole[suite, "blind"].each.values() if length is not None]
    assert seen == [[1] * length for length in lengths[:5]]


def test_some_orders_are_measured_and_shares_need_the_reference_search(searched, whole):
    some = timeless(measure(against=["darkest"]))
    assert list(some) == [(suite, order) for order in ("darkest", "champion") for suite in SIZES]
    assert searched.compiled == ["darkest", "champion"]
    for key, figures in some.items():
        assert figures == replace(whole[key], share=None, low=None, high=None)
    assert timeless(measure(against=["blind"]))["many", "champion"] == whole["many", "champion"]
    with pytest.raises(UsageError, match=r"^against=H9: accepted: orders of \w+: blind, darkest, champion$"):
        measure(against=["H9"])


@pytest.mark.few(1)
@pytest.mark.parametrize(("batch", "sizes"), [(1, [1] * 14), (4, [3, 4, 4, 3]), (11, [3, 11]), (99, [3, 11])])
def test_what_is_found_does_not_depend_on_the_batch(searched, whole, batch, sizes):
    assert timeless(measure(batch=batch)) == whole
    assert searched.sizes == sizes * 3


@pytest.mark.slow
def test_what_searches_find_does_not_depend_on_the_batch():
    loaded = champion(role="search")
    found = timeless(measure(batch=None, loaded=loaded))
    assert 0 < found["many", "champion"].solved < SIZES["many"]
    for batch in (1, 4):
        assert timeless(measure(batch=batch, loaded=loaded)) == found


@pytest.mark.few(1)
@pytest.mark.parametrize("stop", [0, 2, 5])
def test_a_second_start_goes_on_with_what_the_first_has_left(tmp_path, searched, whole, stop):
    path = tmp_path / "t.csv"
    searched.stop = stop
    with pytest.raises(Stopped):
        measure(path)
    first, searched.sizes, searched.stop = list(searched.sizes), [], 10**6
    went_on = measure(path)
    assert timeless(went_on) == whole
    assert first + searched.sizes == [3, 4, 4, 3] * 3
    searched.sizes, searched.compiled = [], []
    again = measure(path, batch=11)
    assert (searched.sizes, searched.compiled) == ([], []), "everything is there, whatever the batch"
    assert {key: one.seconds for key, one in again.items()} == pytest.approx(
        {key: one.seconds for key, one in went_on.items()}
    )
    assert len(CSVTable(path, COLUMNS).read()) == 3 * sum(SIZES.values())


def test_a_torn_row_is_searched_again(tmp_path, searched, whole):
    path = tmp_path / "t.csv"
    measure(path)
    content = path.read_bytes()
    path.write_bytes(content[:-3])
    searched.sizes = []
    assert timeless(measure(path)) == whole
    assert searched.sizes == [1]
    assert len(path.read_bytes().splitlines()) == len(content.splitlines())


def test_rows_of_other_searches_are_kept_and_not_used(tmp_path, searched):
    path = tmp_path / "t.csv"
    measure(path)
    before = path.read_bytes()
    searched.sizes = []
    measure(path, loaded=champion(deepest=5))
    assert sum(searched.sizes) == 3 * sum(SIZES.values())
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("limit", [LIMIT // 2, LIMIT + 20])
def test_only_what_was_not_solved_below_a_limit_is_searched_again_with_another_one(tmp_path, searched, limit):
    path = tmp_path / "t.csv"
    first = measure(path)
    solved = sum(moves is not None and nodes < limit for one in first.values() for nodes, moves in one.each.values())
    searched.sizes = []
    again = measure(path, limit=limit)
    assert sum(searched.sizes) == 3 * sum(SIZES.values()) - solved
    assert 0 < sum(searched.sizes) < 3 * sum(SIZES.values())
    assert timeless(again) == timeless(measure(limit=limit))


def test_the_searches_of_another_champion_alone_are_new(tmp_path, searched):
    path = tmp_path / "t.csv"
    measure(path)
    searched.sizes = []
    measure(path, loaded=champion("action"))
    assert searched.sizes == [3, 4, 4, 3], "blind search and the fixed order are the same"


def test_an_instance_that_has_changed_is_searched_again(tmp_path, searched, monkeypatch):
    path = tmp_path / "t.csv"
    measure(path)
    made = suites()
    made["many"].states.lit[7] ^= 1
    monkeypatch.setitem(globals(), "suites", lambda: made)
    searched.sizes = []
    measure(path)
    assert searched.sizes == [1, 1, 1]


def test_an_instance_that_is_in_another_suite_too_is_searched_once(tmp_path, searched, monkeypatch):
    path, made = tmp_path / "t.csv", suites()
    measure(path)
    monkeypatch.setitem(globals(), "suites", lambda: {"others": made["many"]})
    searched.sizes = []
    assert list(measure(path)) == [("others", order) for order in ("blind", "darkest", "champion")]
    assert searched.sizes == []


BAD = {
    "another table": b"name,score\na,1\n",
    "text": b"notes",
    "a line that is no row": (",".join(COLUMNS) + "\na,b\n").encode(),
    "nodes that are no number": (",".join(COLUMNS) + "\nmany,many0,blind,1,few,3,0.1,60,,0,lamps,,0\n").encode(),
    "moves of no solution": (",".join(COLUMNS) + "\nmany,many0,blind,0,9,3,0.1,60,,0,lamps,,0\n").encode(),
}


@pytest.mark.parametrize("what", BAD)
def test_other_files_are_refused_and_left_as_they_are(tmp_path, what):
    path = tmp_path / "t.csv"
    path.write_bytes(BAD[what])
    with pytest.raises(UsageError) as raised:
        Book(path)
    said = str(raised.value)
    assert said.startswith(f"instances={path}: accepted: a new file, or a table with the columns of this command")
    assert "\n" not in said
    assert path.read_bytes() == BAD[what]


def test_every_setting_tells_searches_apart_however_long():
    order = solving.orders(champion())[-1]
    about = instances.describe_search("many", order, LIMIT)
    assert about["game"] == "lamps version=1"
    assert about["program"] == "role=tally deepest=7"
    assert instances._settings({"deal": "x" * 200 + "a"}) != instances._settings({"deal": "x" * 200 + "b"})


def test_the_table_of_figures_fits_a_page(whole):
    one = replace(next(iter(whole.values())), nodes=1e8, median=1e8, seconds=1e6, share=123.4, low=100.0, high=200.0)
    lines = solving.text({"JAM": {"H1": one}}).splitlines()
    assert max(map(len, lines)) <= 148
    assert "100,000,000" in lines[-2]
