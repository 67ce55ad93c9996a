"""Champions of a puzzle one after the other: who searches what, which nodes count, and what is kept."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from jaxgp import options
from jaxgp.anatomy.options import PortfolioOptions, SearchesOptions
from jaxgp.errors import UsageError
from jaxgp.kinds.suite import SuiteFitnessOptions
from jaxgp.measure.puzzles import portfolio, solving
from jaxgp.measure.puzzles.instances import Book, Searched
from jaxgp.store.table import CSVTable
from tests.measure.test_solving import COLUMNS, champion, searched, suites

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import analyse as script

__all__ = ["searched"]
CHAMPION = "docs/data/champions/freecell_weights.jsonl#0"
OF_CHECKERS = "docs/data/champions/lose_checkers_50co.jsonl#0"


def stage(**found):
    """Return a search that finds this for each instance by its number: nodes, and moves or None."""

    def search(left):
        made = Searched.nothing(len(left))
        for at, number in enumerate(left):
            nodes, moves = found[f"n{number}"]
            made.put(np.array([at]), moves is not None, nodes, -1 if moves is None else moves, 0.5, nodes - 2)
        return made

    return search


def test_each_stage_searches_what_those_before_it_did_not_solve_and_all_nodes_count():
    first = stage(n0=(7, 3), n1=(10, None), n2=(10, None))
    second = stage(n1=(4, 2), n2=(10, None))
    third = stage(n2=(100, None))
    found = portfolio.combine_stages(3, (first, second, third))
    assert found.solved.tolist() == [True, True, False]
    assert found.nodes.tolist() == [7, 14, 120]
    assert found.length.tolist() == [3, 2, -1]
    assert found.seconds.tolist() == [0.5, 1.0, 1.5]
    assert found.expanded.tolist() == [5, 8 + 2, 8 + 8 + 98]


def test_all_champions_try_with_a_limit_before_the_next_one():
    named = [("a", champion()), ("b", champion("action"))]
    assert [(one.name, one.limit) for one in portfolio.stages(named, [20, 60])] == [
        ("a", 20),
        ("b", 20),
        ("a", 60),
        ("b", 60),
    ]


def test_champions_in_turn_try_once_each_with_a_limit_of_their_own():
    named = [("a", champion()), ("b", champion("action")), ("a", champion())]
    turns = portfolio.stages(named, [20, 60, 40], in_turn=True)
    assert [(one.name, one.limit) for one in turns] == [("a", 20), ("b", 60), ("a", 40)]


def measure(path, texts=("(+ lit action)", "action"), limits=(20, 60)):
    some, book = suites()["many"], Book(path, say=lambda said: None)
    plan = portfolio.stages([(text, champion(text)) for text in texts], limits)
    search = portfolio.make_searcher([champion(text) for text in texts], "many", some, 4, book, lambda said: None)
    return portfolio.search_in_stages(plan, search, len(some.names))


def test_what_a_portfolio_finds_is_what_its_champions_find_alone():
    found, tried = measure(None)
    some = suites()["many"]
    nodes, left = dict.fromkeys(some.names, 0), list(some.names)
    for number, (text, limit) in enumerate([(t, n) for n in (20, 60) for t in ("(+ lit action)", "action")]):
        loaded = champion(text)
        by = solving.choose_orders(loaded, ["champion"])
        ((_, _, alone),) = solving.solve_suites(loaded, {"many": some}, limit, lambda said: None, 4, None, by)
        assert tried[number].tried == len(left)
        for name in left:
            nodes[name] += alone.each[name][0]
        left = [name for name in left if alone.each[name][1] is None]
        assert tried[number].solved == tried[number].tried - len(left)
    assert 0 < tried[0].solved < len(some.names), "several stages have something to do"
    assert found.nodes.tolist() == list(nodes.values())
    assert found.solved.sum() == len(some.names) - len(left)


def test_the_table_of_instances_is_gone_on_with(tmp_path, searched):
    path = tmp_path / "t.csv"
    found, tried = measure(path)
    rows = len(CSVTable(path, COLUMNS).read())
    assert rows == sum(one.tried for one in tried)
    searched.sizes = []
    again, _ = measure(path)
    assert searched.sizes == []
    assert again.nodes.tolist() == found.nodes.tolist()
    measure(path, texts=("(+ lit action)",), limits=(20,))
    assert len(CSVTable(path, COLUMNS).read()) == rows


def test_searches_have_room_for_all_nodes_that_their_limit_allows():
    import envs
    from jaxgp.measure import champions

    loaded = champions.load(str(Path(__file__).resolve().parents[2] / CHAMPION), envs)
    rooms = [one.champion.cast.program["room"] for one in portfolio.stages([("a", loaded)], [500, 16_385, 2**20 + 1])]
    assert rooms == [16_384, 32_768, 2**21]


def test_champions_of_different_puzzles_are_refused():
    other = champion()
    other = replace(other, cast=replace(other.cast, game=None))
    with pytest.raises(UsageError, match=r"^runs: b is of another game, or other settings of it, than a$"):
        portfolio.check_alike([("a", champion()), ("b", other)])


BAD = {
    "runs=[]": "runs: which champions? Write runs=[DIR,...], run directories",
    "runs=[nope]": "runs=nope: no such file or directory",
    f"runs=[{CHAMPION}] limits=[5,5]": "limits=[5,5]: accepted: at least one number, in ascending order",
    f"runs=[{CHAMPION}] limits=[5,6] in_turn=true": "limits=[5,6]: accepted: 1 numbers, one for each of the runs",
    f"runs=[{CHAMPION}] suite=1000001": "suite=1000001: accepted: ",
    f"runs=[{CHAMPION}] suite=": "suite=: accepted: the name of a suite, or a file of instances",
    f"runs=[{OF_CHECKERS}]": f"runs: {OF_CHECKERS}: checkers is no puzzle; accepted: champions that steer a search",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_options_are_refused_before_any_search(words, capsys, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    assert script.main(["analysis=portfolio", "compilation_cache=null", "cores=1", *words.split()]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"error: {BAD[words]}")


def test_a_suite_may_be_a_list_of_deals_that_is_longer_than_the_name_of_a_file():
    deals = ",".join(map(str, range(1, 400)))
    for schema in (PortfolioOptions, SearchesOptions):
        options.check(schema(suite=deals) if schema is SearchesOptions else schema(runs=["a"], suite=deals))
    options.check(SuiteFitnessOptions(boards=1, instances=deals))


@pytest.mark.slow
def test_the_command_writes_what_it_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    words = f"runs=[{CHAMPION}] suite=1-8 limits=[2000,20000] batch=8 cores=1 output={tmp_path / 'out'}".split()
    assert script.main(["analysis=portfolio", "compilation_cache=null", *words]) == 0
    written = json.loads((tmp_path / "out" / "portfolio.json").read_text("utf-8"))
    assert written["together"]["solved"] == sum(one["solved"] for one in written["stages"]) > 0
    assert f"together: {written['together']['solved']} of 8 solved" in capsys.readouterr().out
    solved = [moves is not None for _, moves in written["together"]["each"].values()]
    missed = [str(deal) for deal, done in enumerate(solved, 1) if not done]
    assert (tmp_path / "out" / "missed.txt").read_text("utf-8").split() == missed
