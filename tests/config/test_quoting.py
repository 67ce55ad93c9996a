"""Text passes a shell and Hydra's grammar unchanged."""

import shlex
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from jaxgp.config import quoting

TEXTS = (
    "outputs/mine",
    "my run, no. 1 [x]=#é",
    'it\'s "quoted"',
    "'all of it'",
    "ends with \\",
    "a\\'b \\\\",
    "{a: b}",
    "~/runs",
    "0123",
    "null",
    "${seed}",
    "$HOME `ls` !",
    "",
)


def hydra_reads(override):
    """What Hydra makes of the value of an override, interpolations included."""
    (parsed,) = OverridesParser.create().parse_overrides([override])
    return OmegaConf.create({"seed": 4, "value": parsed.value()}).value


@pytest.mark.parametrize("text", TEXTS)
def test_a_quoted_text_is_read_as_it_is(text):
    assert hydra_reads(f"resume={quoting.quote(text)}") == (4 if text == "${seed}" else text)


@pytest.mark.parametrize("text", TEXTS)
def test_a_pasted_word_gives_its_text_back(text):
    (word,) = shlex.split(quoting.quote_for_shell("resume", text))
    option, _, written = word.partition("=")
    assert hydra_reads(f"{option}={quoting.literal(written)}") == text


def test_what_is_written_in_quotes_stays():
    assert quoting.literal("'a, b'") == "'a, b'"
    assert quoting.literal("null") == "null"
    assert quoting.literal("'a' and 'b'") == "'\\'a\\' and \\'b\\''"


@pytest.mark.parametrize("name", ["auto", "~x", "~"])
def test_a_directory_called_as_a_word_of_another_meaning_is_written_with_a_dot(name):
    assert shlex.split(quoting.quote_for_shell("resume", Path(name))) == [f"resume=./{name}"]


def test_plain_words_need_no_quotes():
    assert quoting.quote_for_shell("resume", "outputs/mine") == "resume=outputs/mine"
