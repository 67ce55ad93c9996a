"""How often programs use each terminal, and each value of its parameter."""

import json

import jax
import numpy as np
import pytest

import envs
from envs.backgammon import language
from jaxgp.config import arguments
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.genotypes.text import parse_program
from jaxgp.measure import champions
from jaxgp.operators.options import CreationOptions
from jaxgp.store.directory import RunDirectory
from studies.backgammon import terminals
from studies.backgammon.terminals import CONSTANT, GENERAL, PLACE, count, kind, spans, together
from tests.scripts.commands import write_run

GAME = {"name": "backgammon"}
SET = language.primitive_set()
TEXT = (
    "(PROGRAM (Add (Mul 2 (Player-Exposed 3)) (If (Player-Blocked 3) Player-Pip (Player-Exposed 24))) "
    "(Race-Add (Player-Position 0) (Race-Sub (Player-Position 25) 1)))"
)


def individual(text):
    return jax.tree.map(lambda x: np.asarray(x)[None], parse_program(SET, text, 32))


def code(name):
    return SET.opcode(name)


def test_kinds_of_the_terminals_of_backgammon():
    found = {p.name: kind(p) for p in SET.terminals}
    assert found["Float-ERC"] == found["Race-Float-ERC"] == CONSTANT
    assert {name for name, one in found.items() if one == GENERAL} == set(language.GENERAL)
    assert {name for name, one in found.items() if one == PLACE} == {*language.BITS, *language.COUNTS}


def test_terminals_and_their_places_are_counted_by_tree():
    found = together([count(SET, individual(TEXT))] * 2)
    assert found.individuals == 2
    assert found.nodes[0, code("Player-Exposed")] == 4
    assert found.users[0, code("Player-Exposed")] == 2
    assert found.nodes[1, code("Player-Exposed")] == 0
    assert found.nodes[:, code("Float-ERC")].tolist() == [2, 0]
    assert np.flatnonzero(found.asked[0, code("Player-Exposed")]).tolist() == [3, 24]
    assert np.flatnonzero(found.asked[1, code("Player-Position")]).tolist() == [0, 25]
    assert len(found.asked[1, code("Player-Position")]) == 26


def test_numbers_in_words():
    assert spans([]) == ""
    assert spans([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"


def test_tables_and_the_report(tmp_path, capsys):
    run = write_run(tmp_path, GAME, TEXT)
    words = [f"runs=[{run},{run}]", "compilation_cache=null"]
    assert arguments.main(terminals.Options, terminals.task, terminals.__doc__, words) == 0
    assert "Terminals of 2 champions of 2 runs" in capsys.readouterr().out
    figures = json.loads((run / "terminals" / "terminals.json").read_text("utf-8"))
    rows = {(row["tree"], row["terminal"]): row for row in figures["terminals"]}
    assert rows["1", "all general"]["nodes"] == 2
    assert rows["1", "all with a parameter"]["share"] == pytest.approx(3 / 5)
    assert rows["1", "all general"]["share when made anew"] is None, "no options of a run are known"
    asked = {(one["tree"], one["terminal"]): one["asked"] for one in figures["parameters"]}
    assert (asked[1, "Player-Blocked"][3], sum(asked[1, "Player-Blocked"])) == (2, 2)
    report = (run / "terminals" / "report.md").read_text("utf-8")
    assert "0-2, 4-23, 25" in report
    assert "| 1 | all | 6 | 2 of 26 | 3 (4), 24 (2) | 0-2, 4-23, 25 |" in report
    assert (run / "terminals" / "figures" / "parameters.svg").is_file()


@pytest.mark.thorough
def test_individuals_of_the_last_checkpoint_and_programs_made_anew(tmp_path):
    """Islands count together; empty places of candidates do not count."""
    run = write_run(tmp_path, GAME, TEXT)
    loaded = champions.load(str(run), envs)
    one = {name: np.asarray(value) for name, value in vars(parse_program(SET, TEXT, 32)).items()}
    saved = {f".population.{name}": np.stack([np.stack([value] * 3)] * 2) for name, value in one.items()}
    places = {name: np.stack([value, np.zeros_like(value)]) for name, value in one.items()}
    saved |= {f".candidates.individuals.genome.{name}": value for name, value in places.items()}
    (run / "checkpoints").mkdir()
    np.savez(run / "checkpoints" / "generation_00000002.npz", **saved)
    algorithm = GPOptions(
        population=8, capacity=32, creation=CreationOptions(method="ramped", min_depth=1, max_depth=3)
    )
    RunDirectory(run).write_config(Config(game=GAME, algorithm=algorithm))
    for which, number in (("population", 6), ("candidates", 1)):
        found = terminals.analyse([("a", loaded)], which, 50, 0)
        assert found.evolved.individuals == number
        assert found.evolved.nodes[0, code("Player-Exposed")] == 2 * number
    assert found.made.individuals == 50
    rows = {(row["tree"], row["terminal"]): row for row in terminals.shares(found)}
    assert 0.2 < rows["1", "all general"]["share when made anew"] < 0.5


def test_programs_made_anew_stand_beside_them(tmp_path):
    loaded = champions.load(str(write_run(tmp_path, GAME, TEXT)), envs)
    found = terminals.analyse([("a", loaded)], "champion", 0, 0)
    assert found.made is None
    found = terminals.Terminals([loaded], found.who, SET, found.evolved, found.evolved)
    assert all(row["share"] == row["share when made anew"] for row in terminals.shares(found))


def test_what_cannot_be_counted_is_told_in_one_line(tmp_path):
    (tmp_path / "kalah").mkdir()
    one = champions.load(str(write_run(tmp_path, GAME, TEXT)), envs)
    other = champions.load(str(write_run(tmp_path / "kalah", {"name": "mancala"}, "(VALUE_AT 0)")), envs)
    with pytest.raises(UsageError, match="runs: which champions"):
        terminals.check([])
    with pytest.raises(UsageError, match="runs: b is written in other primitives than a"):
        terminals.check([("a", one), ("b", other)])
    with pytest.raises(UsageError, match="individuals=population: a has no checkpoint; accepted: champion"):
        terminals.individuals("a", one, "population")
