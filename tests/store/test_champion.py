import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.evolution.state import BestSoFar
from jaxgp.genotypes.primitives import Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program
from jaxgp.store import champion
from jaxgp.store.champion import ChampionError
from tests.run.toy_experiment import PRIMITIVES, config, constants

OTHER = PrimitiveSet(name="toy", terminals=(Primitive("INT", domain=Integers(0, 5)),), functions=PRIMITIVES.functions)


@pytest.fixture
def path(tmp_path):
    program = parse_program(PRIMITIVES, "(ADD 3 (ADD 4 5))", 9)
    program = jax.tree.map(jnp.asarray, program)
    best = BestSoFar(program, jnp.float32(12.5), jnp.asarray([7.0, 5.5]), jnp.int32(4))
    champion.write(tmp_path / "champion.json", champion.describe(best, PRIMITIVES, config()))
    return tmp_path / "champion.json"


def edit(path, **changes):
    content = json.loads(path.read_text())
    for name, value in changes.items():
        if value is ...:
            del content[name]
        else:
            content[name] = value
    path.write_text(json.dumps(content))


def test_it_can_be_read_by_people_and_loaded(path):
    read = champion.read(path)
    assert read.text == "(ADD 3 (ADD 4 5))"
    assert (read.size, read.depth, read.fitness, read.generation) == (5, 2, 12.5, 4)
    assert read.points == {"first": 7.0, "second": 5.5}
    assert read.game == {"name": "mancala", "pits": 2, "stones": 2}
    program = champion.load_genome(path, read, PRIMITIVES)
    assert program.capacity == 5
    assert int(program.length[0]) == 5
    assert champion.load_genome(path, read, PRIMITIVES, capacity=16).capacity == 16


@pytest.mark.thorough
def test_a_program_survives_the_file(path):
    best = BestSoFar(constants(jnp.float32(42)), jnp.float32(1), jnp.zeros(2), jnp.int32(0))
    champion.write(path, champion.describe(best, PRIMITIVES, config()))
    loaded = champion.load_genome(path, champion.read(path), PRIMITIVES, capacity=4)
    for mine, theirs in zip(jax.tree.leaves(loaded), jax.tree.leaves(best.genome), strict=True):
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"fitness": 12.5', '"fitness": NaN'),
        ('"fitness": 12.5', '"fitness": 1e999'),
        ('"fitness": 12.5', '"fitness": 1e300'),
        ('"fitness": 12.5', '"fitness": ' + "9" * 400),
        ('"first": 7.0', '"first": -Infinity'),
        ('"first": 7.0', '"first": true'),
        ('"size": 5', '"size": -5'),
        ('"depth": 2', '"depth": 100000'),
        ('"generation": 4', '"generation": -2'),
        ('"generation": 4', '"generation": 4000000000'),
        ('"seed": 0', '"seed": -1'),
        ('"title": ""', '"title": "\\ud800"'),
        ('"title": ""', '"title": ' + "[" * 100_000),
    ],
)
def test_a_number_or_a_text_that_no_run_writes_is_refused(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(ChampionError, match=r"champion\.json: ") as refused:
        champion.read(path)
    assert len(str(refused.value)) < 300 + len(str(path))


def test_a_champion_without_fitness_is_written(path):
    best = BestSoFar(constants(jnp.float32(1)), jnp.float32(-jnp.inf), jnp.asarray([jnp.nan, 1]), jnp.int32(-1))
    champion.write(path, champion.describe(best, PRIMITIVES, config()))
    assert champion.read(path).fitness is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "not a champion file"),
        ("{}", "not a champion file"),
        ('{"format": "jaxgp champion", "format_version": 99}', "format_version 99"),
        ('{"format": "jaxgp champion", "format_version": true}', "format_version true"),
        ('{"format": "jaxgp champion"}', "format_version null"),
        ('{"format": "jaxgp champion", "format_version": 2}', "lacks game"),
        ("\x00\x01", "not JSON"),
    ],
)
def test_nonsense_is_refused_with_the_file_named(path, text, message):
    path.write_text(text)
    with pytest.raises(ChampionError, match=message) as raised:
        champion.read(path)
    assert str(path) in str(raised.value)


def test_bytes_that_are_no_text_are_refused(path):
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ChampionError, match="not JSON"):
        champion.read(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ChampionError, match=r"none\.json: cannot be read \(No such file"):
        champion.read(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": ...}, "lacks text"),
        ({"text": 3}, "text has the wrong type"),
        ({"size": True}, "size has the wrong type"),
        ({"generation": 1.5}, "generation has the wrong type"),
        ({"game": {}}, r"lacks game\.name"),
        ({"language": {"kind": "program", "name": "toy"}}, r"lacks language\.version"),
        ({"language": {"kind": "x", "name": "toy", "version": "1"}}, r"language\.kind=x: accepted: program, rules"),
        ({"points": {"first": "7", "second": 1}}, r"points\.first has the wrong type"),
    ],
)
def test_missing_and_mistyped_fields_are_named(path, changes, message):
    edit(path, **changes)
    with pytest.raises(ChampionError, match=message):
        champion.read(path)


@pytest.mark.parametrize("expression", ["", "(ADD 3", "(ADD 3)", "(MUL 3 4)", "(ADD 3 100)", "3 4", ")", "(ADD 1 2 3)"])
def test_a_bad_expression_is_refused(path, expression):
    edit(path, text=expression)
    with pytest.raises(ChampionError, match=r"champion\.json: text: "):
        champion.load_genome(path, champion.read(path), PRIMITIVES)


def test_an_expression_longer_than_it_says_is_refused(path):
    edit(path, size=2)
    with pytest.raises(ChampionError, match="size=2: the text has 5 nodes"):
        champion.load_genome(path, champion.read(path), PRIMITIVES)


def test_a_file_of_the_first_version_is_read(path):
    content = json.loads(path.read_text())
    old = {"text": "expression", "size": "nodes", "language": "primitives"}
    content = {old.get(name, name): value for name, value in content.items()} | {"format_version": 1}
    del content["primitives"]["kind"]
    path.write_text(json.dumps(content))
    assert int(champion.load_genome(path, champion.read(path), PRIMITIVES).length[0]) == 5


def test_another_primitive_set_is_refused(path):
    with pytest.raises(ChampionError, match=f"primitive set toy {PRIMITIVES.version}.*has toy {OTHER.version}"):
        champion.load_genome(path, champion.read(path), OTHER)


@pytest.fixture
def several(path):
    """A file with the champions of seeds 2 and 0."""
    content = json.loads(path.read_text())
    lines = [json.dumps(content | {"seed": seed, "fitness": seed + 0.5}) for seed in (2, 0)]
    path.with_name("mine.jsonl").write_text("\n".join(lines) + "\n")
    return path.with_name("mine.jsonl")


def named(file, seed):
    return file.with_name(f"{file.name}#{seed}")


def test_a_champion_of_several_is_named_by_its_seed(several):
    assert champion.read(named(several, 2)).fitness == 2.5
    assert champion.members(several) == [named(several, 0), named(several, 2)]
    assert champion.members(named(several, 2)) == [named(several, 2)]
    assert champion.file_of(named(several, 2)) == several


def test_the_only_champion_of_a_file_needs_no_seed(several):
    several.write_text(several.read_text().splitlines()[0])
    assert champion.read(several).seed == 2


def test_a_file_whose_own_name_ends_like_a_seed_is_read(path):
    path.rename(named(path, 3))
    assert champion.read(named(path, 3)).fitness == 12.5


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine.jsonl", "several champions; accepted: mine.jsonl#SEED with one of the seeds 0, 2"),
        ("mine.jsonl#1", "no champion of seed 1; accepted: mine.jsonl#SEED with one of the seeds 0, 2"),
        ("champion.json#0", "champion.json is not a file of several champions (.jsonl); leave out #0"),
        ("none.jsonl#0", "cannot be read"),
    ],
)
def test_a_seed_that_is_not_there_is_refused_with_those_that_are(several, name, said):
    with pytest.raises(ChampionError, match=re.escape(said)) as error:
        champion.read(several.with_name(name))
    assert "\n" not in str(error.value)


def test_a_damaged_line_and_a_seed_that_comes_twice_are_named(several):
    whole = several.read_text()
    several.write_text(whole + whole.splitlines()[0])
    with pytest.raises(ChampionError, match=r"mine\.jsonl: two champions of seed 2"):
        champion.read(named(several, 0))
    several.write_text(whole + "{}")
    with pytest.raises(ChampionError, match=r"mine\.jsonl, line 3: not a champion file"):
        champion.members(several)
