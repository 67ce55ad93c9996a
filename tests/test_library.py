"""The programs of the documents run, and say what they should."""

import re
import subprocess
import sys
from pathlib import Path

import jax
import pytest

import envs
import jaxgp
from jaxgp.config.games import place
from jaxgp.spec import load
from tests.scripts.commands import write_run

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## ([^\n]+)\n.*?```python\n(.*?)```", PAGE, re.M | re.S))
QUICK = ("A game of your own",)
WALK = 0
README = re.search(r"<!-- library -->\n```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


def run(program, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(program, "program", "exec"), {"__name__": "program"})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PROGRAMS]
)
def test_each_program_of_the_page_runs(name, capsys, monkeypatch):
    assert run(PROGRAMS[name], capsys, monkeypatch)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in QUICK])
def test_the_others_of_the_page_set_up_what_they_run(name, monkeypatch):
    """Up to the line that compiles; the own game evolves in their place, and the champion of dice moves."""
    setting_up, compiled = re.match(r"(.*?\n)(state, .*jax\.jit.*|move = .*)", PROGRAMS[name], re.S).groups()
    monkeypatch.chdir(ROOT)
    exec(compile(setting_up, "program", "exec"), made := {"__name__": "program"})
    assert isinstance(made.get("ring") or made["reversi"], (jaxgp.Ring, jaxgp.Champion))
    assert "print" in compiled


def test_a_champion_is_asked_for_its_moves(tmp_path):
    games = place(str(ROOT / "tests" / "fixtures" / "dice"), envs)[0]
    wise = jaxgp.load(write_run(tmp_path, {"name": "dice", "goal": 9}, "(- die 3)", games=games), games)
    openings = [jaxgp.opening(wise.cast, seed) for seed in range(8)]
    moves = [wise.cast.spec.notation.action_name(wise.cast.game, wise.move(state)) for state in openings]
    assert moves == ["walk" if state.die > 3 else "step" for state in openings]
    assert len(set(moves)) == 2


def test_the_page_has_a_program_for_each_use():
    assert len(PROGRAMS) == PAGE.count("```python") == 5
    assert set(QUICK) < set(PROGRAMS)


@pytest.mark.slow
def test_the_program_of_the_readme_runs(capsys, monkeypatch):
    assert README
    lines = run(README[1], capsys, monkeypatch)
    assert [line.split(":")[0] for line in lines[:5]] == list("01234")


def test_what_is_loaded_shows_itself_as_a_picture():
    reversi = jaxgp.load(ROOT / "docs" / "reversi_champion.json", envs)
    assert reversi._repr_html_().startswith("<svg")
    assert str(reversi).startswith("(")
    shown = jaxgp.board(reversi.cast, jaxgp.opening(reversi.cast))
    assert "<svg" in shown._repr_html_()
    assert "a" in str(shown)


def test_a_state_that_went_into_a_step_can_be_used_again():
    ring = jaxgp.Ring(
        jaxgp.FunctionFitness(lambda key, population: population.length.sum(-1)),
        jaxgp.Generational(
            jaxgp.PrimitiveSet("one", (jaxgp.Primitive("x", feature=0),), ()), jaxgp.Algorithm(population=4, capacity=4)
        ),
    )
    step, state = jax.jit(ring.step), jax.jit(ring.init)(jax.random.key(0))
    first, again = step(state)[1], step(state)[1]
    assert float(first["best_fitness"]) == float(again["best_fitness"]) == 1


def test_every_name_is_there_and_an_unknown_one_is_not():
    assert all(getattr(jaxgp, name) is not None for name in dir(jaxgp) if not name.startswith("_"))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = jaxgp.nothing


def test_the_import_alone_imports_neither_jax_nor_a_room():
    code = "import sys, jaxgp; sys.exit('jax' in sys.modules or any(m.startswith('jaxgp.') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_type_checkers_and_the_interpreter_are_told_the_same_names():
    source = (ROOT / "jaxgp" / "__init__.py").read_text(encoding="utf-8")
    told = re.findall(r"^    from jaxgp\.([\w.]+) import ([\w, ]+)$", source, re.M)
    assert {room: tuple(names.split(", ")) for room, names in told} == jaxgp._ROOMS


def test_chance_is_drawn_from_what_the_caller_gives():
    race = jaxgp.take(load(ROOT / "tests" / "fixtures" / "dice"))
    rolls = {int(jaxgp.opening(race, seed).die) for seed in range(30)}
    assert rolls == {1, 2, 3, 4, 5, 6}
    state = jaxgp.opening(race)
    with pytest.raises(jaxgp.UsageError, match=r"key=null: accepted: a key of jax.random; each step of dice draws"):
        jaxgp.step(race, state, WALK)
    after = jaxgp.step(race, state, WALK, jax.random.key(1))
    assert after.squares.tolist() == [int(state.die), 0]
