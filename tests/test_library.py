"""The programs of the documents run, and say what they should."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import jax
import pytest

import envs
import jaxgp
from jaxgp.config.games import place
from jaxgp.games.outside import load
from tests.scripts.commands import write_run

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^## ([^\n]+)\n.*?```python\n(.*?)```", PAGE, re.M | re.S))
OWN, DRIVEN = "A game of your own", "A simulation, driven by hand"
WALK = 0
README = re.search(r"<!-- library -->\n```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


def run(program, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(program, "program", "exec"), {"__name__": "program"})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "name", [name if name == DRIVEN else pytest.param(name, marks=pytest.mark.slow) for name in PROGRAMS]
)
def test_each_program_of_the_page_runs(name, capsys, monkeypatch):
    assert run(PROGRAMS[name], capsys, monkeypatch)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != DRIVEN])
def test_the_others_of_the_page_set_up_what_they_run(name, monkeypatch):
    """Up to the line that compiles; a ring evolves in their place, and the champion of dice moves."""
    lines = r"state, metrics = jaxgp\.evolve.*|move = .*|for key in .*"
    setting_up, compiled = re.match(rf"(.*?\n)({lines})", PROGRAMS[name], re.S).groups()
    monkeypatch.chdir(ROOT)
    exec(compile(setting_up, "program", "exec"), made := {"__name__": "program"})
    found = made.get("ring") or made.get("search") or made["reversi"]
    assert isinstance(found, (jaxgp.Ring, jaxgp.AskTell, jaxgp.Champion))
    assert "print" in compiled


@pytest.mark.thorough
def test_a_champion_is_asked_for_its_moves(tmp_path):
    games = place(str(ROOT / "tests" / "fixtures" / "dice"), envs)[0]
    wise = jaxgp.load(write_run(tmp_path, {"name": "dice", "goal": 9}, "(- die 3)", games=games), games)
    openings = [jaxgp.opening(wise.cast, seed) for seed in range(8)]
    moves = [wise.cast.spec.notation.action_name(wise.cast.game, wise.move(state)) for state in openings]
    assert moves == ["walk" if state.die > 3 else "step" for state in openings]
    assert len(set(moves)) == 2


def test_the_page_has_a_program_for_each_use():
    assert len(PROGRAMS) == PAGE.count("```python") == 10
    assert {OWN, DRIVEN} < set(PROGRAMS)


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


@pytest.mark.thorough
def test_a_state_that_went_into_a_step_can_be_used_again():
    ring = jaxgp.Ring(
        jaxgp.FunctionFitness(lambda key, population: population.length.sum(-1)),
        jaxgp.Generational(
            jaxgp.PrimitiveSet("one", (jaxgp.Primitive("x", feature=0),), ()), jaxgp.GPOptions(population=4, capacity=4)
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
    tree = ast.parse((ROOT / "jaxgp" / "__init__.py").read_text(encoding="utf-8"))
    told = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    rooms = {node.module.removeprefix("jaxgp."): tuple(one.name for one in node.names) for node in told}
    assert rooms == jaxgp._ROOMS


def test_chance_is_drawn_from_what_the_caller_gives():
    race = jaxgp.take(load(ROOT / "tests" / "fixtures" / "dice"))
    rolls = {int(jaxgp.opening(race, seed).die) for seed in range(30)}
    assert rolls == {1, 2, 3, 4, 5, 6}
    state = jaxgp.opening(race)
    with pytest.raises(jaxgp.UsageError, match=r"key=null: accepted: a key of jax.random; each step of dice draws"):
        jaxgp.step(race, state, WALK)
    after = jaxgp.step(race, state, WALK, jax.random.key(1))
    assert after.squares.tolist() == [int(state.die), 0]


WORDS = jaxgp.PrimitiveSet("one", (jaxgp.Primitive("x", feature=0),), ())
ONE = jaxgp.Generational(WORDS, jaxgp.GPOptions(population=4, capacity=4))
LONGEST = jaxgp.FunctionFitness(lambda key, population: population.length.sum(-1) * 1.0)


@pytest.mark.thorough
def test_what_evolves_in_one_go_or_from_a_checkpoint_is_the_same(tmp_path):
    ring = jaxgp.Ring(LONGEST, ONE)
    whole = jaxgp.evolve(ring, jax.random.key(0), 5)
    jaxgp.evolve(ring, jax.random.key(0), 3, folder=tmp_path, every=2)
    later = jaxgp.resume(ring, tmp_path, 5)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), whole.state, later.state))
    assert later.metrics["generation"].tolist() == list(range(5))
    assert later.metrics.frame().shape == (5, len(later.metrics))
    assert jaxgp.resume(ring, tmp_path, 5).state.generation == 5
    with pytest.raises(jaxgp.UsageError, match=r"folder=.*: accepted: a folder without a run; resume goes on from one"):
        jaxgp.evolve(ring, jax.random.key(0), 3, folder=tmp_path)


@pytest.mark.slow
def test_what_goes_on_from_a_state_is_the_same_as_in_one_go():
    ring = jaxgp.Ring(LONGEST, ONE)
    whole = jaxgp.evolve(ring, jax.random.key(0), 5)
    further = jaxgp.evolve(ring, jaxgp.evolve(ring, jax.random.key(0), 2).state, 3)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), whole.state, further.state))


def test_asking_and_telling_breeds_from_what_was_told():
    search = jaxgp.AskTell(ONE)
    assert search.best is None
    first = search.ask(jax.random.key(0))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), first, search.ask(jax.random.key(1))))
    search.tell(jax.random.key(2), first, [0.0, 3.0, float("nan"), 1.0])
    assert search.fitness == 3
    assert jaxgp.to_text(WORDS, search.best) == "x"
    assert search.ask(jax.random.key(3)).length.shape == (4, 1)


def test_a_champion_is_saved_measured_and_loaded(tmp_path):
    games = place(str(ROOT / "tests" / "fixtures" / "dice"), envs)[0]
    wise = jaxgp.load(write_run(tmp_path, {"name": "dice", "goal": 9}, "(- die 3)", games=games), games)
    jaxgp.save(wise, tmp_path / "again.json", title="kept")
    again = jaxgp.load(tmp_path / "again.json", games)
    assert (again.text, again.cast.game) == (wise.text, wise.cast.game)
    rivals = {"random": jaxgp.opponent(wise.cast, "random", games=100)}
    table = jaxgp.evaluate(wise, rivals, seed=3)
    assert table["games"].tolist() == [200]
    assert table["low"][0] < table["score"][0] < table["high"][0]
    assert repr(wise) == "Champion(dice, size 3)"
    assert len(repr(wise.cast)) < 200


def test_a_champion_of_a_game_of_ones_own_is_loaded_by_its_spec(tmp_path):
    games = place(str(ROOT / "tests" / "fixtures" / "dice"), envs)[0]
    wise = jaxgp.load(write_run(tmp_path, {"name": "dice", "goal": 9}, "(- die 3)", games=games), games)
    jaxgp.save(wise, tmp_path / "own.json")
    assert jaxgp.load(tmp_path / "own.json", games.spec("dice")).text == wise.text
    with pytest.raises(jaxgp.UsageError, match="dice"):
        jaxgp.load(tmp_path / "own.json", envs.spec("mancala"))


def test_a_ring_by_options_is_what_its_parts_make():
    made, parts = jaxgp.ring(LONGEST, WORDS, ONE.options), jaxgp.Ring(LONGEST, ONE)
    assert (made.scheme.options, made.stagnation) == (parts.scheme.options, None)
    whole = jaxgp.GPOptions(population=8, elites=0, islands=jaxgp.MigrationOptions(2, 1, 1), stagnation=3)
    islands = jaxgp.ring(LONGEST, WORDS, whole)
    assert (islands.options.count, islands.scheme.population, islands.stagnation) == (2, 4, 3)
    two = jaxgp.PrimitiveSet("two", (jaxgp.Primitive("x", feature=0), jaxgp.Primitive("y", feature=1)), ())
    assert jaxgp.ring(LONGEST, two, jaxgp.GPOptions(left_out=["x"])).scheme.primitives.left_out == {"x"}
    assert type(jaxgp.ring(LONGEST, WORDS, jaxgp.MapElitesOptions()).scheme).__name__ == "Elites"


def test_a_function_may_return_cases_too():
    def cases(key, population):
        length = population.length.sum(-1) * 1.0
        return jaxgp.Evaluation(
            length, length[:, None], {"twice": 2 * length.sum()}, cases=jax.numpy.stack([length] * 3)
        )

    found, _ = jax.eval_shape(jaxgp.FunctionFitness(cases).evaluate, key(), four(), ())
    assert found.cases.shape == (3, 4)
    assert set(found.metrics) == {"evaluations", "twice"}


@pytest.mark.thorough
@pytest.mark.filterwarnings("error")
def test_a_run_in_which_nobody_has_a_fitness_says_that_it_has_no_champion():
    nothing = jaxgp.FunctionFitness(lambda key, population: population.length[:, 0] * float("nan"))
    with pytest.raises(UserWarning, match="no champion"):
        jaxgp.evolve(jaxgp.Ring(nothing, ONE), key(), 1)


def test_a_call_that_fails_is_named():
    wrong = jaxgp.Primitive("half", args=(jaxgp.FLOAT,), call=lambda a, b: a)
    words = jaxgp.PrimitiveSet("wrong", (jaxgp.Primitive("x", feature=0),), (wrong,))
    half = jax.tree.map(lambda x: x[None], jaxgp.parse(words, "(half x)"))
    with pytest.raises(TypeError) as raised:
        jax.eval_shape(lambda: jaxgp.evaluate_programs(words, half, jax.numpy.ones((1, 2))))
    assert "primitive half" in raised.value.__notes__[0]


def kalah(**settings):
    return jaxgp.take(envs.spec("mancala"), **settings)


def test_what_a_notebook_shows_is_one_short_line():
    cast = kalah()
    scheme = jaxgp.Generational(cast.language, jaxgp.GPOptions(population=8))
    ring = jaxgp.Ring(jaxgp.FunctionFitness(lambda key, population: population.length), scheme)
    for shown in (
        cast,
        cast.spec,
        cast.language,
        cast.actor,
        scheme,
        scheme.options,
        against(cast),
        jaxgp.opponent(cast, "search", depth=2),
        ring,
        jaxgp.Seeds(ring),
        jaxgp.Islands(ring, jaxgp.MigrationOptions()),
    ):
        assert len(repr(shown)) < 160
        assert "\n" not in repr(shown)
    assert repr(scheme.options) == "GPOptions(population=8)"
    assert repr(jaxgp.opponent(cast, "search", depth=2)).startswith("SearchOpponent(search=AlphaBeta, depth=2")
    assert [name for name in dir(jaxgp) if name.startswith("_")] == ["__version__"]


def key():
    return jax.random.key(0)


@cache
def four():
    return jax.jit(lambda: ONE.create(key(), 4))()


def other():
    """An individual of another language, with more primitives than Kalah has."""
    names = [jaxgp.Primitive(f"x{n}", feature=n) for n in range(200)]
    return jaxgp.parse(jaxgp.PrimitiveSet("wide", tuple(names), ()), "x199", 1)


def against(cast, **values):
    rival = jaxgp.RandomOpponent(cast.game)
    return jaxgp.PanelFitness(**{"game": cast.game, "player": cast.actor, "opponents": [rival]} | values)


REFUSED = {
    "population=-3: accepted: a whole number from 1": lambda: jaxgp.GPOptions(population=-3),
    "elites=20: accepted: a whole number from 0 to 8": lambda: jaxgp.GPOptions(population=8, elites=20),
    "creation=grow: accepted: Creation": lambda: jaxgp.GPOptions(creation="grow"),
    "population=8.5: accepted: a whole number": lambda: jaxgp.GPOptions(population=8.5),
    "start=nan: accepted: a number from 0.001": lambda: jaxgp.CMAOptions(start=float("nan")),
    "method=best: accepted: roulette, rank": lambda: jaxgp.SelectionOptions(method="best"),
    "weights=.1.0,2.0.: accepted: 1 numbers, one for each opponent": lambda: against(kalah(), weights=[1.0, 2.0]),
    "weights=nan: accepted: a number from 0": lambda: against(kalah(), weights=[float("nan")]),
    "weights=.0.0.: accepted: at least one number above 0": lambda: against(kalah(), weights=[0.0]),
    "points=wins: accepted: score, result, share": lambda: against(kalah(), points="wins"),
    "scale=0: accepted: a number above 0": lambda: against(kalah(), scale=0),
    "max_plies=0: accepted: a whole number from 1": lambda: against(kalah(), max_plies=0),
    "opening=-1: accepted: a whole number from 0": lambda: against(kalah(), opening=-1),
    "chunk=0: accepted: a whole number from 1": lambda: against(kalah(), chunk=0),
    "opponents=RandomOpponent of .*pits=3.*: accepted: opponents that play .*pits=6": lambda: against(
        kalah(), opponents=[jaxgp.RandomOpponent(kalah(pits=3).game)]
    ),
    "player=GreedyPlayer: accepted: a player of mancala": lambda: against(
        kalah(), player=jaxgp.take(envs.spec("othello")).actor
    ),
    "player=str: accepted: a player": lambda: against(kalah(), player="best"),
    "games=0: accepted: a whole number from 1": lambda: jaxgp.RandomOpponent(kalah().game, games=0),
    "rounds=0: accepted: a whole number from 1": lambda: jaxgp.Guide(jaxgp.RandomOpponent(kalah().game), rounds=0),
    "measured=0: accepted: a whole number from 1": lambda: jaxgp.Refereed(
        jaxgp.CoevolutionFitness(kalah().game, kalah().actor, games=2), against(kalah()), measured=0
    ),
    "fitness=Generational: accepted: a value with a method evaluate": lambda: jaxgp.Ring(ONE, ONE),
    "candidates=-1: accepted: a whole number from 0": lambda: jaxgp.Ring(LONGEST, ONE, candidates=-1),
    "scheme=one: accepted: a scheme that breeds what the fitness measures": lambda: jaxgp.Ring(against(kalah()), ONE),
    "options=GroupsOptions: accepted: a GPOptions": lambda: jaxgp.Generational(WORDS, jaxgp.GroupsOptions()),
    "primitives=str: accepted: a PrimitiveSet": lambda: jaxgp.Generational("x", jaxgp.GPOptions()),
    "high=0: accepted: a number from 1": lambda: jaxgp.Floats(1, 0),
    "low=0.5: accepted: a whole number": lambda: jaxgp.Integers(0.5, 2),
    "feature=-1: accepted: a whole number from 0": lambda: jaxgp.Primitive("x", feature=-1),
    "args=float: accepted: a tuple of types": lambda: jaxgp.Primitive("not", args=jaxgp.FLOAT, call=abs),
    "function=3: accepted: a function": lambda: jaxgp.FunctionFitness(3),
    "key=int: accepted: one key": lambda: jaxgp.evolve(jaxgp.Ring(LONGEST, ONE), 0, 3),
    "generations=0: accepted: a whole number from 1": lambda: jaxgp.evolve(jaxgp.Ring(LONGEST, ONE), key(), 0),
    "folder=.*: accepted: the folder of a run": lambda: jaxgp.resume(jaxgp.Ring(LONGEST, ONE), "/nowhere", 3),
    r"fitness=\[3\]: accepted: 4 individuals": lambda: jaxgp.AskTell(ONE).tell(key(), four(), [1, 2, 3]),
    r"function=float32\[4, 1\]: accepted: a function that returns": lambda: jax.eval_shape(
        jaxgp.FunctionFitness(lambda key, population: population.length).evaluate, key(), four(), ()
    ),
    r"features=float32\[4\]: accepted: float32\[F, B\]": lambda: jaxgp.evaluate_programs(
        WORDS, four(), jax.numpy.ones(4)
    ),
    "spec=mancala: accepted: a Spec": lambda: jaxgp.take("mancala"),
    "program.role=best: accepted: program, leaf": lambda: jaxgp.take(envs.spec("mancala"), "best"),
    "cast=str: accepted: a Cast": lambda: jaxgp.opponent("mancala"),
    "depth=0: accepted: a whole number from 1": lambda: jaxgp.opponent(kalah(), "search", depth=0),
    "kind=best: accepted: search, champion": lambda: jaxgp.opponent(kalah(), "best"),
    "genome=str: accepted: an individual": lambda: jaxgp.champion(kalah(), "x"),
    "genome=length int32.4, 1.: accepted: one individual": lambda: jaxgp.champion(kalah(), four()),
    "genome=Programs: accepted: an individual in the language of mancala": lambda: jaxgp.champion(kalah(), other()),
    "options=dict: accepted: options of an algorithm": lambda: jaxgp.ring(LONGEST, WORDS, {"population": 4}),
    "chunk=2: accepted: None; FunctionFitness measures all": lambda: jaxgp.ring(
        LONGEST, WORDS, jaxgp.GPOptions(population=4, elites=0, chunk=2)
    ),
    "referee=CoevolutionFitness: accepted: a fitness with a method measure": lambda: jaxgp.Refereed(
        LONGEST, jaxgp.CoevolutionFitness(kalah().game, kalah().actor, games=2)
    ),
    r"opponents=\[\]: accepted: a list of one or more": lambda: against(kalah(), opponents=[]),
    "opponents=RandomOpponent.*: accepted: a list of one": lambda: against(
        kalah(), opponents=jaxgp.RandomOpponent(kalah().game)
    ),
    "guides=RandomOpponent: accepted: jaxgp.Guide": lambda: jaxgp.CoevolutionFitness(
        kalah().game, kalah().actor, 2, [jaxgp.RandomOpponent(kalah().game)]
    ),
    "games=0: accepted: a whole number from 1 to .*there are no guides": lambda: jaxgp.CoevolutionFitness(
        kalah().game, kalah().actor, games=0
    ),
    "islands.count=2: accepted: 1 in a scheme": lambda: jaxgp.Generational(
        WORDS, jaxgp.GPOptions(population=8, elites=0, islands=jaxgp.MigrationOptions(2, 1, 1))
    ),
    "islands.count=4: accepted: 1 in a scheme": lambda: jaxgp.Elites(
        WORDS, jaxgp.MapElitesOptions(population=8, islands=jaxgp.MigrationOptions(4, 1, 1))
    ),
    r"left_out=\[x\]: accepted: \[\] in a scheme": lambda: jaxgp.Generational(WORDS, jaxgp.GPOptions(left_out=["x"])),
    "outputs=NaN or infinity: accepted: finite": lambda: jaxgp.RegressionFitness(
        WORDS, jax.numpy.ones((1, 2)), jax.numpy.array([1.0, float("nan")])
    ),
    "games=str: accepted: the package envs, or a Spec": lambda: jaxgp.load("docs/reversi_champion.json", "envs"),
    "domain=.0,1.: accepted: a domain": lambda: jaxgp.Primitive("c", domain=(0, 1)),
    "action=99: accepted: a legal one": lambda: jaxgp.step(kalah(), jaxgp.opening(kalah()), 99),
    "seed=-1: accepted: a whole number from 0": lambda: jaxgp.opening(kalah(), -1),
    "champion=Cast: accepted: a Champion": lambda: jaxgp.save(kalah(), "champion.json"),
    "game.pits=0: accepted: a whole number": lambda: envs.make("mancala", pits=0),
    "game.rows: unknown setting": lambda: envs.make("mancala", rows=2),
    "game=go: accepted: backgammon": lambda: envs.make("go"),
}


@pytest.mark.parametrize("said", REFUSED)
def test_a_wrong_value_is_refused_in_one_line_where_it_is_made(said):
    with pytest.raises(jaxgp.UsageError, match=said) as raised:
        REFUSED[said]()
    assert "\n" not in str(raised.value)


def test_evolving_is_refused_where_values_would_have_64_bits():
    jax.config.update("jax_enable_x64", True)
    try:
        for begin in (lambda: jaxgp.evolve(jaxgp.Ring(LONGEST, ONE), key(), 3), lambda: jaxgp.resume(ONE, "x", 3)):
            with pytest.raises(jaxgp.UsageError, match="jax_enable_x64=true: accepted: false"):
                begin()
    finally:
        jax.config.update("jax_enable_x64", False)


def test_opponents_weigh_the_same_unless_weights_say_more():
    assert against(kalah()).weights == (1.0,)


def test_simulations_are_driven_and_games_of_turns_are_not():
    cart = jaxgp.take(load(ROOT / "tests" / "fixtures" / "cart"))
    for refused in (
        lambda: jaxgp.drive(jaxgp.take(load(ROOT / "tests" / "fixtures" / "dice")), "damped"),
        lambda: jaxgp.drive(cart, "fast"),
        lambda: jaxgp.drive(cart, "damped", "damped"),
        lambda: jaxgp.drive(cart, 7),
        lambda: jaxgp.opponent(cart, "random"),
        lambda: jaxgp.step(cart, jaxgp.opening(cart), 0),
    ):
        with pytest.raises(jaxgp.UsageError, match="accepted: "):
            refused()
