"""The command as a person types it, on the smallest boards."""

import json

import pytest

from jaxgp.config import arguments
from jaxgp.store.table import Table
from studies import walls_scaling


@pytest.fixture
def measure(capsys):
    def run(*options):
        code = arguments.main(walls_scaling.Options, walls_scaling.task, walls_scaling.__doc__, options)
        return code, *capsys.readouterr()

    return run


@pytest.mark.slow
def test_it_measures_writes_and_shows(measure, tmp_path):
    folder = tmp_path / "new" / "folder"
    code, out, _ = measure(
        "sizes=[3]",
        "masks=[3]",
        "rules=[2]",
        "depths=[]",
        "games=2",
        "repeats=1",
        "batches=[]",
        f"output={folder}",
    )
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["scaling.csv", "scaling.json", "scaling.png"]
    assert "rule list M=3 R=2" in out
    assert "three sizes are needed" in out
    assert json.loads((folder / "scaling.json").read_text())["options"]["opponent"] == "fixed"


@pytest.mark.slow
def test_games_at_once_have_a_row_for_each_measurement(measure, tmp_path):
    table = tmp_path / "batches.csv"
    alone = ("sizes=[3]", "masks=[]", "depths=[]", "games=2", "repeats=2", f"output={tmp_path}")
    for _ in range(2):
        code, _, _ = measure(*alone, "batches=[3,1]", "batch_size=3", f"table={table}")
        assert code == 0
    rows = Table(table, walls_scaling.COLUMNS).read()
    once = [("1", "0"), ("1", "1"), ("3", "0"), ("3", "1")]
    assert [(row["games"], row["repeat"]) for row in rows] == once * 2, "rows are added to those that are there"
    assert {(row["opponent"], row["size"], row["seed"]) for row in rows} == {("fixed", "3", "0")}
    times = {
        batch["games"]: batch["repeats"] for batch in json.loads((tmp_path / "scaling.json").read_text())["batches"]
    }
    assert [float(row["seconds"]) for row in rows[4:]] == pytest.approx([*times[1], *times[3]])


def test_a_table_that_is_another_one_is_refused_before_anything_is_measured(measure, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n")
    code, _, err = measure(f"table={tmp_path / 'other.csv'}", f"output={tmp_path / 'new'}")
    assert code == 2
    assert err.startswith("error: table=/")  # long paths are shortened
    assert ": accepted: a new file, or a table with the columns of this command" in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("sizes=[3,4]", "sizes=[3,4]: accepted: odd numbers from 3 to 99"),
        ("sizes=[]", "sizes=[]: accepted: at least one of the odd numbers from 3 to 99"),
        ("sizes=[5,5]", "sizes=[5,5]: accepted: each number once"),
        ("masks=[13]", "masks=[13]: accepted: odd numbers from 3 to 11, the largest of sizes"),
        ("batch_size=4", "batch_size=4: accepted: an odd number from 3 to 99"),
        ("opponent=nobody", "opponent=nobody: accepted: fixed, forward, random"),
        ("depths=[0]", "depths=[0]: accepted: whole numbers from 1 to 24"),
        ("batches=[] table=x.csv", "batches=[]: accepted: at least one number, as table=FILE keeps games at once"),
        ("repeats=0", "repeats=0: accepted: a whole number from 1 to 1000"),
        ("depth=[2]", "depth: unknown option; "),
    ],
)
def test_wrong_options_are_one_line_and_exit_code_2(measure, tmp_path, option, said):
    code, out, err = measure(*option.split(), f"output={tmp_path}")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1


def test_an_output_that_cannot_be_written_is_refused_before_anything_is_measured(measure, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = measure(f"output={tmp_path / 'file'}")
    assert code == 2
    assert err.startswith(f"error: output={tmp_path / 'file'}: cannot be written to (")
