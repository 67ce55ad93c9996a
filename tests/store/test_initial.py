"""A warm start: a run begins with the champions of other runs."""

from pathlib import Path

import pytest

from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.schemes.cma import CMAOptions
from jaxgp.store import champion, initial

CHAMPIONS = Path(__file__).parents[2] / "docs" / "data" / "champions"
MANCALA, WALLS = CHAMPIONS / "mancala_run1.jsonl", CHAMPIONS / "walls_3.jsonl"


def texts(*entries):
    """What stands in the options of a run that begins with these entries."""
    return initial.with_texts(Config(algorithm=GPOptions(initial=[*map(str, entries)]))).algorithm.initial


def first():
    """The path of one champion of several."""
    return champion.members(MANCALA)[0]


def test_programs_stay_as_they_are():
    assert texts("(SUB (VALUE_AT 3) 6)", "VALUE_AT 0") == ["(SUB (VALUE_AT 3) 6)", "VALUE_AT 0"]
    assert texts() == []


def test_one_champion_of_several_or_all_of_them_take_the_place_of_their_file():
    everyone = [champion.read(one).text for one in champion.members(MANCALA)]
    assert len(everyone) > 1
    assert texts("(VALUE_AT 0)", first()) == ["(VALUE_AT 0)", everyone[0]]
    assert texts(MANCALA) == everyone


def test_a_run_directory_stands_for_its_champion(tmp_path):
    content = champion.read(first())
    champion.write(tmp_path / "champion.json", content)
    assert texts(tmp_path) == texts(tmp_path / "champion.json") == [content.text]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "missing.json",
            r"initial=missing\.json: accepted: a program, or a champion \(missing\.json: cannot be read",
        ),
        (f"{MANCALA}#999", "no champion of seed 999; accepted: .*#SEED with one of the seeds"),
        (WALLS, "accepted: champions that are programs; of these one is rules"),
    ],
)
def test_what_has_no_program_is_refused(entry, message):
    with pytest.raises(UsageError, match=message):
        texts(entry)


def test_the_numbers_of_a_champion_may_move_too():
    config = initial.with_texts(Config(algorithm=CMAOptions(initial=[str(first())])))
    assert config.algorithm.initial == [champion.read(first()).text]


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"accepted: a program, or a champion .*cannot be read"):
        texts(tmp_path)


def test_a_run_keeps_the_programs_and_no_longer_needs_the_file(tmp_path):
    file = tmp_path / "one.json"
    champion.write(file, champion.read(first()))
    config = initial.with_texts(Config(algorithm=GPOptions(initial=[str(file)])))
    file.unlink()
    assert initial.with_texts(config) == config
    assert config.algorithm.initial == [champion.read(first()).text]
