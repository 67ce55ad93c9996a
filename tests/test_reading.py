import codecs
import os
import re
from pathlib import Path

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


def test_whole_numbers_are_digits_of_a_bounded_number():
    assert [reading.whole_number(text) for text in ("0", "007", "9" * 18)] == [0, 7, 10**18 - 1]
    none = ["", " 1", "1\n", "-1", "+1", "1_0", "1.0", "\u00b2", "\u0663", "9" * 19, "9" * 5000]
    assert [reading.whole_number(text) for text in none] == [None] * len(none)
    assert reading.whole_number("100", digits=2) is None
    assert (reading.whole_number("-5", signed=True), reading.whole_number("--5", signed=True)) == (-5, None)


def test_whole_numbers_are_read_from_text_in_one_place():
    root = Path(__file__).parents[1]
    of_one_character = {"envs/chess/board/fen.py", "envs/chess/notation/export.py", "envs/mate/plain.py"}
    found = set()
    for path in (path for folder in ("jaxgp", "envs", "scripts") for path in (root / folder).rglob("*.py")):
        lines = path.read_text().splitlines()
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if re.search(r"\.is(digit|decimal|numeric)\(", line) and re.search(r"\bint\(", line + following):
                found.add(str(path.relative_to(root)))
    assert found == of_one_character, "reading.whole_number reads them"


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


ENCODED = {
    "UTF-8": "é € 1\n2\n".encode(),
    "a mark of the byte order": codecs.BOM_UTF8 + "é € 1\n2\n".encode(),
    "UTF-16": "é € 1\n2\n".encode("utf-16"),
    "UTF-16, the high byte first": codecs.BOM_UTF16_BE + "é € 1\n2\n".encode("utf-16-be"),
    "lines of Windows": "é € 1\r\n2\r\n".encode(),
    "the end of DOS": "é € 1\r\n2\r\n\x1a".encode(),
    "lines of old Macs": "é € 1\r2\r".encode(),
    "Latin-1": "é € 1\r\n2\n".encode("cp1252"),
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_text_of_any_system_reads_alike_and_an_older_encoding_is_remarked_on(tmp_path, capsys, encoding):
    file = tmp_path / "a.txt"
    file.write_bytes(ENCODED[encoding])
    assert reading.read_text(file) == "é € 1\n2\n"
    said = f"note: {file}: not in UTF-8; read as Latin-1\n" if encoding == "Latin-1" else ""
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("content", [b"\xe9\0", b"\xff\xfe\0", b"PNG\x1a\xe9", b"\x81"])
def test_what_is_no_text_in_any_of_them_is_refused(tmp_path, content):
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(ValueError, match=r"^not text in UTF-8$"):
        reading.read_text(tmp_path / "a.txt")
