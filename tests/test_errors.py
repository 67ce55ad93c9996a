"""What an error carries beside its one line."""

import pytest

from jaxgp.errors import UsageError, reject


def test_an_error_carries_its_option_value_and_what_is_accepted():
    with pytest.raises(UsageError) as raised:
        reject("depth", 0, "a whole number from 1", "the game is short")
    error = raised.value
    assert (error.option, error.value, error.accepted, error.why) == (
        "depth",
        0,
        "a whole number from 1",
        "the game is short",
    )
    assert str(error) == "depth=0: accepted: a whole number from 1; the game is short"


def test_an_error_of_a_section_names_the_section_and_keeps_the_rest():
    error = UsageError("name=x: accepted: a, b", "name", "x", "a, b").within("fitness.opponents.one")
    assert str(error) == "fitness.opponents.one.name=x: accepted: a, b"
    assert (error.option, error.value, error.accepted) == ("fitness.opponents.one.name", "x", "a, b")
