"""The anatomy of a champion as a person asks for it."""

import json

import pytest

from jaxgp.anatomy import anatomy_report
from jaxgp.anatomy.simpler import simplify
from jaxgp.genotypes.language import parse
from jaxgp.measure import champions
from tests.scripts.commands import compiled_once, load, write_run

KALAH = {"name": "mancala", "pits": 3, "stones": 2}
TEXT = "(IF_<_DO_ELSE_ 1 2 (ADD (VALUE_AT 0) (SUB 4 4)) (VALUE_AT 1))"
cached = pytest.fixture(scope="module", autouse=True)(compiled_once)


@pytest.fixture
def analyse(capsys):
    script = load("analyse")

    def run(*options):
        code = script.main(["analysis=program", "compilation_cache=null", *options])
        return code, *capsys.readouterr()

    return run


@pytest.mark.slow
def test_a_program_that_names_moves_is_simplified_and_decides_equally(analyse, tmp_path, monkeypatch):
    run, whole = write_run(tmp_path, KALAH, TEXT), simplify.simplify
    before = []

    def noting(*given):
        before.append(json.loads((run / "anatomy" / "anatomy.json").read_text("utf-8")))
        return whole(*given)

    monkeypatch.setattr(simplify, "simplify", noting)
    code, out, _ = analyse(f"run={run}", "positions=100")
    assert code == 0
    assert "introns" in before[0], "they are kept, should the command be stopped from here on"
    assert "simpler" not in before[0]
    assert "Equal decisions at other positions: 100 of 100." in out
    assert "value = value_at(cells, 0)" in out
    figures = json.loads((run / "anatomy" / "anatomy.json").read_text("utf-8"))
    assert figures["simpler"]["text"] == "(VALUE_AT 0)"
    assert figures["simpler"]["equality"] == {"positions": 100, "decisions": 100, "values": 100, "first": None}
    assert {row["kind"]: row["nodes"] for row in figures["introns"]} == {
        "explicitly defined introns (dead code)": 0,
        "other dead-code introns": 2,
        "live-code introns": 0,
        "code that matters": 9,
    }
    assert {row["primitive"]: (row["nodes"], row["no introns"]) for row in figures["primitives"]}["VALUE_AT"] == (2, 1)
    cast = champions.load(str(run), load("analyse").envs).cast
    assert parse(cast.language, (run / "anatomy" / "simpler.txt").read_text("utf-8")).length == 2
    report = (run / "anatomy" / "report.md").read_text("utf-8")
    assert "D      VALUE_AT" not in report.splitlines()
    assert "D  " in report
    assert (run / "anatomy" / "program.dot").read_text("utf-8").count(anatomy_report.FILLS["dead"]) == 2


@pytest.mark.slow
def test_a_program_that_is_walked_through_has_one_game(analyse, tmp_path):
    run = write_run(
        tmp_path, {"name": "morpion"}, "(progn3 [20,18] (progn2 [19,26] [20,18]) [21,21])", {"role": "walk"}
    )
    code, out, _ = analyse(f"run={run}")
    assert code == 0
    assert "Equal moves of its game: 3 of 3." in out


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "run: which champion? Write run=DIR, a run directory"),
        (("run=nowhere",), "run=nowhere: no such file or directory; accepted: a run directory with a champion"),
        (("run={tmp}",), "champion.json is missing; accepted: a run directory with a champion"),
        (("run={tmp}", "positions=0"), "positions=0: accepted: a whole number from 1 to 100000"),
        (("run={tmp}", "replicates=2"), "replicates: unknown option"),
        (("run={rules}",), "its champion is made of rules; accepted: a champion that is a program"),
        (("run={kalah}", "depth=2"), "depth: given, but the champion of"),
        (("run={kalah}", "output={kalah}/champion.json"), "champion.json: cannot be written to"),
    ],
)
def test_mistakes_are_one_line(analyse, tmp_path, options, said):
    for name in ("rules", "kalah"):
        (tmp_path / name).mkdir()
    write_run(tmp_path / "kalah", KALAH, TEXT)
    write_run(tmp_path / "rules", {"name": "walls", "size": 3}, "")
    code, out, err = analyse(
        *(one.format(tmp=tmp_path, **{n: tmp_path / n for n in ("rules", "kalah")}) for one in options)
    )
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "kalah" / "anatomy").exists()
