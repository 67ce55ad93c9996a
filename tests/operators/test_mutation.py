import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jaxgp.evolution.options import Algorithm
from jaxgp.genotypes.text import parse_tree
from jaxgp.operators import draw
from jaxgp.operators.creation import create
from jaxgp.operators.mutation import KINDS, mutate
from jaxgp.operators.options import Mutation
from tests.genotypes.generators import FACTORED
from tests.operators.operator_cases import (
    BATCH,
    BUSHY,
    CAPACITY,
    MANCALA,
    MAX_DEPTH,
    RAMPED,
    TYPED,
    assert_distribution,
    assert_valid,
    depths,
    individual,
    lane,
    quick,
    same,
    tree,
    typed_population,
    words,
)

NONE = dict.fromkeys(KINDS, 0.0)


def options(max_depth=None, probability=0.5, grown=4, **weights):
    return Algorithm(max_depth=max_depth, mutation=Mutation(probability, grown, **{**NONE, **weights}))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "local"])
def test_mutants_are_valid_within_all_limits(kind):
    algorithm = options(MAX_DEPTH, **{kind: 1.0})
    chosen = np.arange(BATCH) % 2 == 0
    run = quick(lambda key, population: mutate(key, TYPED, algorithm, population, chosen))

    @settings(max_examples=3, deadline=None, derandomize=True)
    @given(st.integers(0, 2**31 - 1))
    def check(seed):
        key = jax.random.key(seed)
        before = typed_population(key)
        after = run(key, before)
        assert_valid(TYPED, after, MAX_DEPTH)
        changed = 0
        for i in range(BATCH):
            trees = [t for t in range(2) if not same(lane(before, i, t), lane(after, i, t))]
            assert len(trees) <= (i % 2 == 0)
            changed += len(trees)
            for t in trees:
                old, new = lane(before, i, t), lane(after, i, t)
                if kind == "children":  # what stays is a function, so the root is never replaced
                    assert new.opcode[new.length - 1] == old.opcode[old.length - 1]
                if kind in ("point", "constant", "creep"):
                    assert (new.size == old.size).all()
                    assert ((new.opcode != old.opcode) | (new.value != old.value)).sum() == 1
                if kind in ("constant", "creep"):
                    assert (new.opcode == old.opcode).all()
                if kind == "hoist":
                    assert f" {words(TYPED, old)} ".count(f" {words(TYPED, new)} ")
                if kind in ("hoist", "shrink"):
                    assert new.length < old.length
        assert changed > 0

    check()


N = 120_000


def outcomes(primitives, text, algorithm, capacity=8):
    """Mutate N copies of one program; return {postfix words: count}."""
    one = individual(tree(primitives, text, capacity))
    population = jax.tree.map(lambda field: jnp.broadcast_to(field, (N, *field.shape)), one)
    made = quick(lambda key: mutate(key, primitives, algorithm, population, jnp.ones(N, bool)))(jax.random.key(2))
    rows = np.concatenate([np.asarray(made.opcode)[:, 0], np.asarray(made.value)[:, 0]], axis=1)
    _, first, count = np.unique(rows, axis=0, return_index=True, return_counts=True)
    return {words(primitives, lane(made, i, 0)): n for i, n in zip(first, count, strict=True)}


def test_children_keeps_a_uniform_node_and_grows_its_arguments_anew():
    # Depth 0 below the kept node makes the new arguments constants, so that every outcome can be listed.
    seen = outcomes(MANCALA, "INT:3 VALUE_AT VALUE_AT", options(grown=0, children=1.0))
    expected = {"INT:3 VALUE_AT VALUE_AT": 1 / 3}
    for n in range(14):
        for text in (f"INT:{n} VALUE_AT VALUE_AT", f"INT:{n} VALUE_AT"):
            expected[text] = expected.get(text, 0) + 1 / 42
    assert set(seen) == set(expected)
    assert_distribution([seen[text] for text in expected], list(expected.values()))


def test_constant_redraws_one_constant_uniformly():
    seen = outcomes(MANCALA, "INT:3 INT:5 ADD", options(constant=1.0))
    expected = {"INT:3 INT:5 ADD": 2 / 28}
    for n in range(14):
        if n != 3:
            expected[f"INT:{n} INT:5 ADD"] = 1 / 28
        if n != 5:
            expected[f"INT:3 INT:{n} ADD"] = 1 / 28
    assert set(seen) == set(expected)
    assert_distribution([seen[text] for text in expected], list(expected.values()))


def test_creep_moves_one_constant_to_a_value_next_to_it():
    seen = outcomes(MANCALA, "INT:3 INT:0 ADD", options(creep=1.0))
    expected = {"INT:2 INT:0 ADD": 0.25, "INT:4 INT:0 ADD": 0.25, "INT:3 INT:1 ADD": 0.5}
    assert set(seen) == set(expected)
    assert_distribution([seen[text] for text in expected], list(expected.values()))


def test_kinds_are_drawn_by_weight():
    weights = {"hoist": 1.0, "point": 2.0, "shrink": 5.0}
    seen = outcomes(MANCALA, "INT:3 INT:5 ADD", options(**weights))
    # hoist: INT:3 or INT:5. point: at the root ADD becomes SUB, else a constant is redrawn. shrink: a fresh constant.
    hoisted = {f"INT:{n}": 1 / 8 / 2 * (n in (3, 5)) + 5 / 8 / 14 for n in range(14)}
    expected = {**hoisted, "INT:3 INT:5 SUB": 2 / 8 / 3, "INT:3 INT:5 ADD": 2 / 8 * 2 / 42}
    for n in range(14):
        if n != 3:
            expected[f"INT:{n} INT:5 ADD"] = 2 / 8 / 42
        if n != 5:
            expected[f"INT:3 INT:{n} ADD"] = 2 / 8 / 42
    assert set(seen) == set(expected)
    assert_distribution([seen[text] for text in expected], list(expected.values()))


def copies(text, capacity=8):
    """Return N copies of a program with factors, [N, 1, L]."""
    one = individual(parse_tree(FACTORED, text, capacity))
    return jax.tree.map(lambda field: jnp.broadcast_to(field, (N, *field.shape)), one)


def test_local_moves_a_factor_or_grows_a_truth_value_anew():
    before = copies("(if (less x:-4 one) x:0.5 30)")  # in postfix x one less x 30 if
    run = quick(lambda key: mutate(key, FACTORED, options(grown=0, local=1.0), before, jnp.ones(N, bool)))
    made = jax.tree.map(lambda field: np.asarray(field)[:, 0], run(jax.random.key(4)))
    old = np.asarray(before.value)[0, 0]
    same_length = made.length == 6
    changed = made.value[same_length] != old
    assert (made.opcode[same_length] == np.asarray(before.opcode)[0, 0]).all()
    assert (changed.sum(1) <= 1).all()
    assert (~changed.any(1)).sum() < 5  # a normal deviate that float32 rounds away
    # Six nodes alike; only the comparison returns no number.
    at = [changed[:, node].sum() for node in (0, 1, 3, 4, 5)]
    assert_distribution([*at, (~same_length).sum(), (~changed.any(1)).sum()], [*[1 / 6] * 6, 1e-6])
    for node in (0, 1, 3, 4, 5):
        moved = made.value[same_length][changed[:, node], node]
        spread = 0.1 * max(1.0, abs(old[node]))
        assert stats.kstest(moved, stats.norm(old[node], spread).cdf).pvalue > 0.001
    grown = made.opcode[~same_length, 0]
    truths = [FACTORED.opcode(name) for name in ("flag", "no", "yes", "square", "above")]
    assert (made.length[~same_length] == 4).all()
    assert stats.chisquare(np.bincount(grown, minlength=20)[truths]).pvalue > 0.001
    assert np.bincount(grown, minlength=20)[truths].sum() == len(grown)


def test_factors_stay_finite():
    largest = np.finfo(np.float32).max
    found = jax.vmap(lambda word: draw.nudged(word, jnp.float32(largest)))(jnp.array([0, 2**32 - 1], jnp.uint32))
    assert np.isfinite(found).all()
    assert found[1] == largest


def test_other_kinds_keep_factors_and_give_fresh_nodes_their_own():
    """Old factors are 2; a fresh one is 1, but for the function that draws its own."""
    made = quick(lambda key: create(key, FACTORED, RAMPED, BATCH, CAPACITY))(jax.random.key(0))
    plain = np.asarray(FACTORED.factors).copy()
    own = FACTORED.opcode("times")
    plain[own] = False

    def factors(population):
        code = np.asarray(population.opcode)
        live = np.asarray(population.size) > 0
        drawn = np.asarray(population.value)[live & (code == own)]
        assert len(np.unique(drawn)) > 10
        assert (np.abs(drawn) <= 5).all()
        return set(np.asarray(population.value)[live & plain[code]].tolist())

    assert_valid(FACTORED, made)
    assert factors(made) == {1}
    doubled = made.replace(value=jnp.where(plain[made.opcode] & (made.size > 0), 2.0, made.value))
    everybody = jnp.ones(BATCH, bool)
    for weights, found in (
        ({"constant": 1.0, "creep": 1.0}, {2}),
        (dict.fromkeys(("subtree", "point", "shrink"), 1.0), {1, 2}),
    ):
        run = quick(lambda key, w=weights: mutate(key, FACTORED, options(MAX_DEPTH, 1.0, **w), doubled, everybody))
        after = run(jax.random.key(1))
        assert_valid(FACTORED, after, MAX_DEPTH)
        assert factors(after) == found


def test_local_needs_factors():
    one = jax.tree.map(lambda field: field[None], individual(tree(MANCALA, "INT:1")))
    with pytest.raises(ValueError, match=r"mutation.local=1: accepted: 0, for a primitive set without factors"):
        mutate(jax.random.key(0), MANCALA, options(local=1.0), one, jnp.ones(1, bool))


def test_single_nodes_stay_where_there_is_nothing_to_change():
    one = individual(tree(TYPED, "x", 8), tree(TYPED, "flag core narrow", 8))
    population = jax.tree.map(lambda field: jnp.broadcast_to(field, (32, *field.shape)), one)
    algorithm = options(hoist=1.0, shrink=1.0, constant=1.0)
    made = quick(lambda key: mutate(key, TYPED, algorithm, population, np.ones(32, bool)))(jax.random.key(0))
    assert_valid(TYPED, made)
    for i in range(32):
        # The first tree is a terminal without a constant; in the second only the BOOL slot accepts a terminal.
        assert words(TYPED, lane(made, i, 0)) == "x"
        assert words(TYPED, lane(made, i, 1)) == "flag core narrow"


def test_new_subtrees_use_the_room_and_the_depth_that_are_left():
    one = individual(tree(BUSHY, "INT:1 VALUE_AT VALUE_AT", 9))
    population = jax.tree.map(lambda field: jnp.broadcast_to(field, (200, *field.shape)), one)
    algorithm = options(max_depth=3, grown=20, subtree=1.0)
    made = quick(lambda key: mutate(key, BUSHY, algorithm, population, np.ones(200, bool)))(jax.random.key(0))
    assert_valid(BUSHY, made)
    assert int(made.length.max()) == 9
    assert int(depths(made).max()) == 3


def test_a_mutant_depends_on_its_own_key_only():
    one = individual(tree(BUSHY, "INT:1 VALUE_AT INT:2 VALUE_AT ADD", 12))
    before = jax.tree.map(lambda field: jnp.broadcast_to(field, (BATCH, *field.shape)), one)

    def run(probability):  # the probability only sets how many are treated at a time
        algorithm = options(probability=probability, children=1.0)
        return quick(lambda chosen: mutate(jax.random.key(1), BUSHY, algorithm, before, chosen))

    few, many = run(0.001), run(1.0)
    chosen = np.arange(BATCH) % 3 == 0
    together = many(chosen)
    assert same(few(chosen), together)
    alone = many(np.arange(BATCH) == 6)
    assert same(lane(alone, 6), lane(together, 6))
    assert same(lane(alone, 3), lane(before, 3))


def test_weights_must_say_something():
    one = jax.tree.map(lambda field: field[None], individual(tree(MANCALA, "INT:1")))
    with pytest.raises(ValueError, match="must not be negative, nor all zero"):
        mutate(jax.random.key(0), MANCALA, options(), one, jnp.ones(1, bool))
