import os

import pytest

from jaxgp import reading

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
"""Nine lists, each of nine times the one before: 300 bytes that stand for 400 million values."""


def test_json_of_every_kind_of_value_is_read():
    text = '{"a": [1, -2.5, 1e3, null, true, "é"], "b": {"c": 18446744073709551615}}'
    assert reading.parse_json(text) == {"a": [1, -2.5, 1000.0, None, True, "é"], "b": {"c": 2**64 - 1}}


@pytest.mark.parametrize(
    "text",
    ["NaN", "[-Infinity]", "1e999", "9" * 400, "9" * 5000, "18446744073709551616", '"\\ud800"', "\0", "[1,]", ""],
)
def test_json_that_is_no_text_or_no_finite_number_is_refused(text):
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - each case has words of its own
        reading.parse_json(text)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("text", ["[" * 65 + "]" * 65, "[" * 900 + "]" * 900, "[" * 100_000, '{"a":' * 100_000])
def test_json_that_is_nested_deeply_is_refused(text):
    with pytest.raises(ValueError, match="nested deeper than 64 levels"):
        reading.parse_json(text)


def test_yaml_is_read_with_its_aliases_and_its_references_stay_text(tmp_path):
    (tmp_path / "a.yaml").write_text("a: &x {b: 1e-3}\nc: *x\nd: ${a.b}\ne: &y 5\nf: *y\n")
    options = {"b": 1e-3}
    assert reading.read_yaml(tmp_path / "a.yaml") == {"a": options, "c": options, "d": "${a.b}", "e": 5, "f": 5}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "more than 50000 values"),
        ("&a [*a]", "stands for nothing before it"),
        ("[" * 3000 + "]" * 3000, "nested deeper"),
        ("a: !!python/object/apply:os.mkdir [canary]", "could not determine a constructor"),
        ("a: 1\na: 2", "duplicate key"),
        ("5", "neither a list nor options"),
        ("a: ${", "viable"),
        ("a: " + "x" * reading.LARGEST_YAML, "larger than"),
        ("a: \0", "special characters"),
    ],
)
def test_yaml_that_is_not_plain_values_within_bounds_is_refused(tmp_path, monkeypatch, text, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ValueError, match=why):
        reading.read_yaml(tmp_path / "a.yaml")
    assert os.listdir() == ["a.yaml"]


def test_a_pipe_and_a_directory_are_refused_without_waiting_for_them(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(OSError, match="it is"):
            reading.read_text(path)
