"""The native interpreter of a CPU against plain XLA, to the bit."""

import os
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import envs
from jaxgp.config.compose import Composer
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet
from jaxgp.interpreter.calls import Packed
from jaxgp.interpreter.evaluate import evaluate, evaluate_active, evaluate_owned, evaluate_together, evaluate_uneven
from jaxgp.interpreter.kernels.choice import by_kernel
from jaxgp.interpreter.native.run import EACH, SOURCE, evaluate_natively, evaluate_owned_natively, why_not
from jaxgp.interpreter.native.translate import translate
from jaxgp.interpreter.plan import plan
from jaxgp.native import build
from tests.config.test_compose import CONF
from tests.genotypes.generators import ARITHMETIC, MIXED, NUMBERED, PACKED, random_programs
from tests.interpreter.test_evaluate import SQUARES, seen_by
from tests.interpreter.test_kernel import KALAH, SETS

ROOT = Path(__file__).resolve().parents[2]
REFUSED = {"Kalah, modulo": "VALUE_AT: rem is none of the operations"}
EDGES = np.array([-np.inf, -3, -1, -1e-40, -0.0, 0.0, 1e-40, 1, 2.5, 13, 14, 3e38, np.inf, np.nan], np.float32)
"""Where comparisons, maxima, quotients and numbers of features differ from those of other numbers."""
COMPILER = build.library(SOURCE)
needs_compiler = pytest.mark.skipif(isinstance(COMPILER, str), reason=f"not compiled here: {COMPILER}")


def shown(seed, shape):
    """float32 of a shape: whole numbers that often tie, real ones, and those of EDGES."""
    rng = np.random.default_rng(seed)
    kinds = [rng.integers(0, 15, shape), rng.normal(size=shape), rng.choice(EDGES, shape)]
    return np.choose(rng.integers(0, 3, shape), kinds).astype(np.float32)


def same(values, expected):
    """Check that values are equal to the bit; one NaN is as good as another."""
    values, expected = np.asarray(values), np.asarray(expected)
    assert values.shape == expected.shape
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(values), ~known)
    np.testing.assert_array_equal(values[known].view(np.int32), expected[known].view(np.int32))


def check(primitives, root, width, count, cases, nodes=63):
    programs = random_programs(7, primitives, count, nodes if primitives.functions else 1, root)
    features = shown(cases, (count, width, cases))

    def both(programs, features):
        plans = plan(primitives, programs)
        return evaluate_natively(primitives, plans, features), evaluate_together(primitives, plans, features)

    same(*jax.jit(both)(programs, features))


@needs_compiler
@pytest.mark.parametrize(
    "name",
    [
        name if name in ("Kalah, zero", "arithmetic") else pytest.param(name, marks=pytest.mark.thorough)
        for name in SETS
    ],
)
def test_values_of_a_thousand_programs_are_those_of_plain_xla(name):
    made, root, width = SETS[name]
    if name in REFUSED:
        assert translate(made()) == REFUSED[name]
    else:
        check(made(), root, width, 1000, 3)


@needs_compiler
@pytest.mark.parametrize("packed", [False, True], ids=["numbers", "packed"])
@pytest.mark.parametrize("cases", [1, 3, 300])
def test_factors_multiply_what_functions_read(cases, packed):
    primitives, count = PACKED if packed else NUMBERED, 1500 // cases + 20
    programs = random_programs(4, primitives, count, 63, int(primitives.root_type[0]))
    rng = np.random.default_rng(cases)
    seen = jnp.asarray(shown(cases, (count, 9, cases)))
    features = Packed(jnp.asarray(rng.integers(0, 2**32, (count, 1, cases), np.uint32)), seen) if packed else seen

    def both(programs, features):
        plans = plan(primitives, programs)
        return evaluate_natively(primitives, plans, features), evaluate_together(primitives, plans, features)

    native, plain = jax.jit(both)(programs, features)
    same(native, plain)
    assert len(np.unique(native)) > native.size / 8


@needs_compiler
@pytest.mark.thorough
@pytest.mark.parametrize("cases", [1, 2, 4, 8, 31, 257])
@pytest.mark.parametrize("name", ["Kalah, zero", "arithmetic", "mixed-0"])
def test_any_number_of_positions_has_the_values_of_plain_xla(name, cases):
    made, root, width = SETS[name]
    check(made(), root, width, 10_000 // cases + 10, cases)


GAMES = {
    "game=mancala": "",
    "game=chess": "",
    "experiment=chess_later": "",
    "game=othello": "",
    "experiment=othello_regions": "",
    "game=backgammon": "",
    "experiment=freecell_policy": "",
    "game=rush_hour": "",
    "game=morpion": "",
    "game=mate": "",
    "experiment=othello_regions_weights": "",
    "game=othello program.role=leaf": "",
    "game=lose_checkers": "",
    "game=rars": "tan: ",
    "game=robocode": "Random: ",
}
"""Why sets of games are not evaluated natively; nothing: they are."""


@needs_compiler
@pytest.mark.thorough
@pytest.mark.parametrize("words", GAMES)
def test_sets_of_games_have_the_values_of_plain_xla(words):
    with Composer(Config, CONF, "config") as composer:
        language = cast_of(composer.compose(words.split()), envs).language
    found, expected = translate(language), GAMES[words]
    if expected:
        assert isinstance(found, str)
        assert expected in found
    else:
        assert not isinstance(found, str), found
        read = [p.reads_one if p.feature is None else 1 + p.feature for p in language.primitives]
        for root in np.unique(language.root_type).tolist():
            check(language, root, max(*read, found.features, 1), 1000, 3, nodes=31)


@pytest.fixture(scope="module")
def ways():
    """What the entry points say of programs [24, 3] in a search, natively and in plain XLA."""
    made, root, width = SETS["Kalah, zero"]
    primitives = made()
    programs = random_programs(3, primitives, 24, 40, root, smallest=1)
    features = shown(5, (24, width, 5))
    active = np.random.default_rng(1).random((8, 5)) < 0.2
    owner = jnp.asarray([0, 0, 3, 3, 23])

    def run(programs, features):
        plans = plan(primitives, programs)
        grid = jax.tree.map(lambda x: x.reshape(8, 3, *x.shape[1:]), plans)
        one = jax.tree.map(lambda x: x[5], plans)
        owned = partial(evaluate_owned, primitives)
        several = jax.vmap(lambda seen, needed: owned(plans, owner, seen, needed))(features[:2], jnp.asarray([5, 3]))
        return {
            "each": evaluate(primitives, plans, features),
            "shared": evaluate(primitives, plans, features[0]),
            "trees": evaluate(primitives, grid, features[:8]),
            "alone": evaluate(primitives, one, features[5]),
            "lanes": jax.vmap(partial(evaluate, primitives))(plans, features),
            "of two runs": jax.vmap(lambda plans: evaluate(primitives, plans, features[0]))(grid),
            "active": jnp.where(active[:, None], evaluate_active(primitives, grid, features[:8], active), 0),
            "uneven": evaluate_uneven(primitives, plans, features),
            "owned": owned(plans, owner, features[0], jnp.int32(5)),
            "few": owned(plans, owner, features[0], jnp.int32(2))[:2],
            "several": several[:, :3],
            "maybe": lax.cond(active[0, 0], lambda: features[:, 0], lambda: evaluate(primitives, plans, features)),
            "looped": lax.fori_loop(0, 2, lambda i, seen: seen + evaluate(primitives, plans, features), features[:, 0]),
        }

    return lambda: jax.tree.map(np.asarray, jax.jit(run)(programs, features))


@needs_compiler
def test_entry_points_have_the_values_of_plain_xla(ways, monkeypatch):
    native = ways()
    monkeypatch.setenv(build.SWITCH, "off")
    plain = ways()
    for name, values in native.items():
        same(values, plain[name])


@needs_compiler
@pytest.mark.parametrize("batch", [(), (6,), (3, 2)])
def test_entry_points_call_the_library(batch, monkeypatch):
    plans = jax.eval_shape(partial(plan, MIXED), random_programs(1, MIXED, 6, 9, 0))
    plans = jax.tree.map(lambda x: jax.ShapeDtypeStruct((*batch, *x.shape[1:]), x.dtype), plans)

    def lowered():
        run = jax.jit(lambda plans, features: evaluate(MIXED, plans, features))
        return run.trace(plans, jax.ShapeDtypeStruct((4, 3), jnp.float32)).lower().as_text()

    assert EACH in lowered()
    monkeypatch.setenv(build.SWITCH, "off")
    assert EACH not in lowered()


@needs_compiler
def test_packed_features_have_the_values_of_plain_ones():
    programs = random_programs(14, SQUARES, 20, 40, int(SQUARES.root_type[0]))
    packed, features = seen_by(SQUARES, np.random.default_rng(8), 13)

    def found(programs):
        plans = plan(SQUARES, programs)
        apart = jax.tree.map(lambda x: jnp.stack([jnp.asarray(x)] * 20), packed)
        owned = evaluate_owned_natively(SQUARES, plans, jnp.arange(13), packed, jnp.int32(13))
        plain, native = evaluate_together(SQUARES, plans, features), partial(evaluate_natively, SQUARES, plans)
        return plain, native(packed), native(apart), owned

    expected, shared, apart, owned = jax.jit(found)(programs)
    same(shared, expected)
    same(apart, expected)
    same(owned, np.diag(expected[:13]))


def ahead_of(call, **options):
    """Return a set of one function and a sum."""
    return PrimitiveSet(
        "tried", (Primitive("c", domain=Floats(-1, 1)),), (Primitive("f", args=(FLOAT, FLOAT), call=call, **options),)
    )


UNSURE = {
    "a product and a sum": (lambda a, b: a * b + a, "round once"),
    "a product under a choice": (lambda a, b: jnp.where(a > 0, a * b, a) - b, "round once"),
    "a quotient by a literal": (lambda a, b: a / 3 + 0 * b, "another way"),
    "a sum with nothing": (lambda a, b: a + 0, "another way"),
    "sums with two literals": (lambda a, b: (a + 1) + 2, "join constants"),
    "a difference turned round": (lambda a, b: -(a - b), "turn a difference"),
    "a function of its own": (lambda a, b: jnp.sin(a), "sin"),
    "whole numbers": (lambda a, b: (a.astype(jnp.int32) % 3).astype(jnp.float32), "int32"),
    "a table": (lambda a, b: a * jnp.asarray(np.arange(7.0, dtype=np.float32))[: len(a)], "constants"),
}


@pytest.mark.parametrize("name", UNSURE)
def test_what_xla_may_compute_in_another_way_is_refused(name):
    call, why = UNSURE[name]
    found = translate(ahead_of(call))
    assert isinstance(found, str)
    assert found.startswith("f: ")
    assert why in found


def test_real_numbers_of_64_bits_are_left_to_plain_xla():
    features = jax.ShapeDtypeStruct((8, 3), np.dtype("float64"))
    assert why_not(ARITHMETIC, features) == "features are float64"
    assert by_kernel(ARITHMETIC, features, evaluate_natively) == {}
    assert "features" in why_not(KALAH["zero"](), jnp.zeros((13, 3)))


# The library


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder for libraries, and a switch that is not set."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(build.SWITCH, raising=False)
    return tmp_path / "jaxgp" / "native"


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


def test_without_a_compiler_plain_xla_runs(kept, monkeypatch):
    monkeypatch.setenv("PATH", str(kept))
    monkeypatch.delenv("CXX", raising=False)
    assert "there is no C++ compiler" in why_not(MIXED, jnp.zeros((4, 1)))
    assert by_kernel(MIXED, jnp.zeros((4, 1)), evaluate_natively) == {}
    assert not build.compiles()
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert "no-such-compiler" in why_not(MIXED, jnp.zeros((4, 1)))
    assert not build.compiles()


def test_a_compiler_that_fails_leaves_nothing(kept, tmp_path, monkeypatch):
    monkeypatch.setenv(
        "CXX", script(tmp_path / "cc", '[ "$1" = --version ] && exit 0\necho no such header >&2; exit 3')
    )
    assert why_not(MIXED, jnp.zeros((4, 1))).endswith("cc failed with 3: no such header")
    assert not [*kept.iterdir()]


def test_a_folder_that_cannot_be_made(kept, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("CXX", script(tmp_path / "cc", "exit 0"))
    assert "file" in why_not(MIXED, jnp.zeros((4, 1)))


def test_the_switch(monkeypatch):
    monkeypatch.setenv(build.SWITCH, "off")
    assert why_not(MIXED, jnp.zeros((4, 1))) == "JAXGP_NATIVE=off"
    assert not build.compiles()
    monkeypatch.setenv(build.SWITCH, "no")
    with pytest.raises(UsageError, match=r"^JAXGP_NATIVE=no: accepted: on, off$"):
        why_not(MIXED, jnp.zeros((4, 1)))


@needs_compiler
@pytest.mark.thorough
def test_processes_may_build_it_at_once_and_what_is_not_whole_is_built_anew(kept):
    words = [sys.executable, "-c", "from jaxgp.interpreter.native import run; print(run.library(run.SOURCE))"]

    def built(number):
        running = [
            subprocess.Popen(words, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, text=True) for _ in range(number)
        ]
        return {one.communicate(timeout=300)[0] for one in running}

    first = built(2)
    assert len(first) == 1
    assert first.pop().startswith("Library(")
    (library,) = kept.iterdir()
    whole = library.read_bytes()
    library.write_bytes(whole[:5000])
    assert built(1).pop().startswith("Library(")
    assert library.read_bytes() == whole


SHARDED = """
import jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax.sharding import Mesh, PartitionSpec
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.native import build
from tests.genotypes.generators import MIXED, random_programs
programs = random_programs(3, MIXED, 8, 31, 0)
features = np.random.default_rng(1).normal(size=(8, 4, 3)).astype(np.float32)
plans = jax.jit(partial(plan, MIXED))(programs)
run = lambda plans, seen: evaluate(MIXED, plans, seen)
alone = jax.jit(run)(plans, features)
for checked in (False, True):
    part = PartitionSpec("x")
    mesh = Mesh(np.array(jax.devices()), "x")
    shared = jax.shard_map(run, mesh=mesh, in_specs=part, out_specs=part, check_vma=checked)
    np.testing.assert_array_equal(jax.jit(shared)(plans, features), alone)
    assert ("JaxgpRunEach" in jax.jit(shared).lower(plans, features).as_text()) != checked
print(jax.device_count())
"""


@needs_compiler
@pytest.mark.thorough
def test_devices_have_shares_of_the_programs():
    given = {**os.environ, "JAX_NUM_CPU_DEVICES": "2"}
    done = subprocess.run(
        [sys.executable, "-c", SHARDED], cwd=ROOT, env=given, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "2\n", done.stderr
