"""Every number among the options has limits, and every value that is no such number is refused in one line."""

import dataclasses
import importlib

import pytest

import envs
from jaxgp.config import arguments, typed
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.evolution.options import GroupsOptions
from jaxgp.options import Option, check, list_options, make_unchecked
from tests.scripts.commands import SCRIPTS, load


def schemas():
    """Yield all dataclasses of options: of runs, games, roles and scripts, each by a name."""
    yield "train", Config
    for section, kinds in typed.variants(Config).items():
        yield from ((f"{section}.kind={kind}", variant) for kind, variant in kinds.items())
    for game in envs.available():
        spec = envs.spec(game)
        yield f"game={game}", type(spec.make())
        yield from ((f"{role.name} of {game}", role.options) for role in spec.roles)
    for path in [*sorted(SCRIPTS.glob("*.py")), *sorted((SCRIPTS / "studies").rglob("*.py"))]:
        if "\nclass Options" in path.read_text("utf-8"):
            module = path.relative_to(SCRIPTS).with_suffix("")
            yield f"scripts/{module}.py", importlib.import_module(".".join(module.parts)).Options
    for name, chosen in importlib.import_module("analyse").ANALYSES.items():
        yield f"scripts/analyse.py analysis={name}", chosen.schema


def numbers(schema, prefix=""):
    """Yield (section, name in it, option) of each option that takes numbers, in all sections."""
    for one in list_options(schema):
        entry = typed.entries_of(one)
        for section in [*one.sections, *([entry] if dataclasses.is_dataclass(entry) else [])]:
            yield from numbers(section, f"{prefix}{one.name}.")
        if {int, float} & set(one.items) and not one.choices:
            yield schema, prefix + one.name, one


NUMBERS = {(schema, one.name): one for _, top in schemas() for schema, _, one in numbers(top)}
SCHEMAS = {schema: [one for (other, _), one in NUMBERS.items() if other is schema] for schema, _ in NUMBERS}
"""The options of each dataclass that take numbers: one test for all, since a test costs as much as checks."""
DIGITS = "9" * 400
WRONG = ("nan", "inf", "-inf", "1e400", f"-{DIGITS}", DIGITS, "9" * 5000, "???", "", "{a: 1}", "x")


def limits(schema, one: Option):
    """The least and the greatest number that an option takes, with its other options at their defaults."""
    limits = one.within(schema()).limits
    return limits.low, limits.high


def test_there_are_options_of_every_kind():
    assert len(NUMBERS) > 150


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: f"{schema.__module__}.{schema.__name__}")
def test_a_number_has_limits_and_nothing_beyond_them_is_accepted(schema):
    for one in SCHEMAS[schema]:
        check_limits(schema, one)


def check_limits(schema, one):
    low, high = limits(schema, one)
    assert low is not None, one.name
    assert high is not None, one.name
    wrong = [*WRONG, f"{low - 1}", f"{high + 1}", *([] if one.many else ["[1,2]"])]
    for written in wrong:
        for value in (f"[{written}]", written) if one.many else (written,):
            with pytest.raises(UsageError) as refused:
                check(typed.make_options(schema, {one.name: value}, complete=False))
            assert str(refused.value).removeprefix("game.").startswith(f"{one.name}="), value
            assert "accepted: " in str(refused.value)


def test_the_small_commands_refuse_what_is_missing():
    with pytest.raises(UsageError, match=r"games=\?\?\?: accepted: a whole number from 1 to 100000"):
        arguments.parse(load("evaluate").Options, ["games=???"])
    with pytest.raises(UsageError, match=r"run=\?\?\?: accepted: "):
        arguments.parse(load("evaluate").Options, ["run=???"])


def test_the_size_of_groups_is_blamed_if_it_was_given():
    with pytest.raises(UsageError, match=r"^algorithm\.group_size=600: accepted: .* to 250 \(a quarter of "):
        check(make_unchecked(GroupsOptions, {"group_size": 600}), "algorithm.")
    with pytest.raises(UsageError, match=r"^algorithm\.population=10: accepted: a whole number from 20"):
        check(make_unchecked(GroupsOptions, {"population": 10, "immigrants": 0}), "algorithm.")
