import json
import resource

import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.errors import RunError, UsageError
from jaxgp.store import record
from jaxgp.store.record import Record


def write(path, count):
    rows: list = []
    with Record(path, rows, pytest.fail) as kept:
        for generation in range(count):
            kept.append(row := {"generation": generation, "x": generation / 2, "elapsed": generation})
            rows.append(row)


def test_rows_come_back(tmp_path):
    path = tmp_path / "metrics.jsonl"
    write(path, 3)
    assert record.read(path) == [{"generation": g, "x": g / 2, "elapsed": g} for g in range(3)]
    assert record.read(tmp_path / "none.jsonl") == []


def test_metrics_become_plain_numbers():
    row = record.clean({"a": np.float32(0.1), "b": jnp.int32(3), "c": float("nan"), "d": np.float32("inf"), "e": None})
    assert row == {"a": float(np.float32(0.1)), "b": 3, "c": None, "d": None, "e": None}
    assert isinstance(row["b"], int)
    json.dumps(row, allow_nan=False)


@pytest.mark.parametrize("torn", [b'{"generation": 3, "x": 1', b'{"generation": 3, "x": 1.5}', b"\x00\x00"])
def test_a_torn_last_line_is_no_row(tmp_path, torn):
    path = tmp_path / "metrics.jsonl"
    write(path, 3)
    with path.open("ab") as file:
        file.write(torn)
    assert len(record.read(path)) == 3
    assert len(record.cut(path, 2)) == 2
    assert [json.loads(line)["generation"] for line in path.read_text().splitlines()] == [0, 1]
    with Record(path, [], pytest.fail) as kept:
        kept.append({"generation": 2})
    assert [row["generation"] for row in record.read(path)] == [0, 1, 2]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        '{"x": 1}',
        '{"generation": "1"}',
        '{"generation": true}',
        '{"generation": 1, "x": NaN}',
        '{"generation": 1, "elapsed": null}',
        '{"generation": 1, "x": ' + "[" * 100_000,
        '{"generation": 1, "x": "' + "y" * 2**20 + '"}',
    ],
)
def test_damage_in_the_middle_is_an_error_with_the_line(tmp_path, line):
    path = tmp_path / "metrics.jsonl"
    path.write_text(f'{{"generation": 0}}\n{line}\n{{"generation": 2}}\n')
    with pytest.raises(UsageError, match=r"metrics\.jsonl: line 2"):
        record.read(path)


def test_a_row_without_its_time_cannot_be_gone_on_from(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"generation": 0, "elapsed": 1.5}\n{"generation": 1}\n')
    assert len(record.cut(path, 1)) == 1
    path.write_text('{"generation": 0, "elapsed": 1.5}\n{"generation": 1}\n')
    with pytest.raises(UsageError, match=r"line 2 .*lacks elapsed"):
        record.cut(path, 2)


def test_a_directory_in_place_of_the_record_is_an_error(tmp_path):
    (tmp_path / "metrics.jsonl").mkdir()
    with pytest.raises(UsageError, match=r"metrics\.jsonl: not a record"):
        record.read(tmp_path / "metrics.jsonl")


def test_a_record_that_lacks_generations_cannot_be_cut(tmp_path):
    path = tmp_path / "metrics.jsonl"
    write(path, 3)
    with pytest.raises(UsageError, match="before 5"):
        record.cut(path, 5)
    assert len(record.read(path)) == 3


def test_a_row_that_does_not_fit_on_the_disk_is_taken_back(tmp_path):
    path = tmp_path / "metrics.jsonl"
    write(path, 2)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Record(path, [], pytest.fail) as kept:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, hard))
        try:
            with pytest.raises(RunError, match=r"metrics\.jsonl"):
                kept.append({"generation": 2, "text": "x" * 100})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == before
        kept.append({"generation": 2})
    assert len(record.read(path)) == 3
