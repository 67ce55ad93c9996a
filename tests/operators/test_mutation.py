from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.operators import draw, mutation
from jaxgp.operators.creation import create
from jaxgp.operators.mutation import KINDS, mutate
from jaxgp.operators.options import MutationOptions
from jaxgp.options import make_unchecked
from tests.genotypes.generators import FACTORED
from tests.genotypes.program_cases import parse_tree
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
    copied,
    depths,
    individual,
    lane,
    quick,
    same,
    stacked,
    tree,
    typed_population,
    words,
)

NONE = dict.fromkeys(KINDS, 0.0)


def options(max_depth=None, probability=0.5, grown=4, **weights):
    """Options of the operators alone; a command would refuse some of them."""
    mutation = make_unchecked(MutationOptions, {"probability": probability, "max_depth": grown, **NONE, **weights})
    return make_unchecked(GPOptions, {"max_depth": max_depth, "mutation": mutation})


PLAIN_KINDS = [kind for kind in KINDS if kind != "local"]


def kinds_of(key, algorithm, number):
    """The kind by which each of a number of individuals is mutated, of the words that decide it."""
    weights = {kind: weight for kind, weight in algorithm.mutation.weights.items() if weight}
    bounds = np.cumsum(list(weights.values()), dtype=np.float32)[:-1] / np.float32(sum(weights.values()))
    word = draw.words(jax.random.split(key)[0], number, 2)[:, 0]
    return np.array(list(weights))[(np.asarray(draw.fraction(word))[:, None] >= bounds).sum(1)]


EQUAL = options(MAX_DEPTH, **dict.fromkeys(PLAIN_KINDS, 1.0))
SECOND = np.arange(BATCH) % 2 == 0


@pytest.fixture(scope="module")
def mutants():
    """Individuals mutated by kinds drawn with equal weights, compiled once for all kinds."""
    return quick(lambda key, population, chosen: mutate(key, TYPED, EQUAL, population, chosen))


def test_mutants_are_valid_within_all_limits(mutants):
    changed = Counter()
    for seed in range(5):
        key = jax.random.key(seed)
        before, kinds = jax.device_get(typed_population(key)), kinds_of(key, EQUAL, BATCH)
        after = jax.device_get(mutants(key, before, SECOND))
        assert_valid(TYPED, after, MAX_DEPTH)
        for i in range(BATCH):
            kind, trees = kinds[i], [t for t in range(2) if not same(lane(before, i, t), lane(after, i, t))]
            assert len(trees) <= (i % 2 == 0)
            changed[kind] += len(trees)
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
    assert set(changed) == set(PLAIN_KINDS)
    assert min(changed.values()) > 2


N = 30_000


WEIGHTS = {"children": 1.0, "constant": 1.0, "creep": 1.0, "hoist": 1.0, "point": 2.0, "shrink": 1.0}
TEXTS = ("INT:3 VALUE_AT VALUE_AT", "INT:3 INT:5 ADD", "INT:3 INT:0 ADD")


@pytest.fixture(scope="module")
def outcomes():
    """What becomes of many copies of each of TEXTS: {(text, kind): {postfix words: count}}."""
    # Depth 0 below the kept node makes the new arguments constants, so that every outcome can be listed.
    algorithm, each, key = options(grown=0, **WEIGHTS), N, jax.random.key(2)
    ones = [individual(tree(MANCALA, text, 8)) for text in TEXTS]
    population = jax.tree.map(lambda field: np.repeat(field, each, 0), jax.device_get(stacked(ones)))
    everybody = np.ones(3 * each, bool)
    made = quick(lambda key, before: mutate(key, MANCALA, algorithm, before, everybody))(key, population)
    kinds = kinds_of(key, algorithm, 3 * each)
    assert_distribution([(kinds == kind).sum() for kind in WEIGHTS], list(WEIGHTS.values()))
    rows = np.concatenate([np.asarray(made.opcode)[:, 0], np.asarray(made.value)[:, 0]], axis=1)
    found = {}
    for kind in WEIGHTS:
        for number, text in enumerate(TEXTS):
            mine = np.flatnonzero((kinds == kind) & (np.arange(3 * each) // each == number))
            _, first, count = np.unique(rows[mine], axis=0, return_index=True, return_counts=True)
            names = [words(MANCALA, lane(made, mine[i], 0)) for i in first]
            found[text, kind] = dict(zip(names, count.tolist(), strict=True))
    return found


def assert_outcomes(seen, expected):
    assert set(seen) == set(expected)
    assert_distribution([seen[text] for text in expected], list(expected.values()), least=4_000)


@pytest.mark.thorough
def test_children_keeps_a_uniform_node_and_grows_its_arguments_anew(outcomes):
    expected = {"INT:3 VALUE_AT VALUE_AT": 1 / 3}
    for n in range(14):
        for text in (f"INT:{n} VALUE_AT VALUE_AT", f"INT:{n} VALUE_AT"):
            expected[text] = expected.get(text, 0) + 1 / 42
    assert_outcomes(outcomes["INT:3 VALUE_AT VALUE_AT", "children"], expected)


def redrawn(share):
    """One of the two constants of INT:3 INT:5 ADD drawn anew, and with what is left of 1 nothing else."""
    expected = {"INT:3 INT:5 ADD": share * 2 / 28}
    for n in range(14):
        if n != 3:
            expected[f"INT:{n} INT:5 ADD"] = share / 28
        if n != 5:
            expected[f"INT:3 INT:{n} ADD"] = share / 28
    return expected


def test_constant_redraws_one_constant_uniformly(outcomes):
    assert_outcomes(outcomes["INT:3 INT:5 ADD", "constant"], redrawn(1))


def test_creep_moves_one_constant_to_a_value_next_to_it(outcomes):
    expected = {"INT:2 INT:0 ADD": 0.25, "INT:4 INT:0 ADD": 0.25, "INT:3 INT:1 ADD": 0.5}
    assert_outcomes(outcomes["INT:3 INT:0 ADD", "creep"], expected)


def test_point_changes_one_node_hoist_takes_a_subtree_and_shrink_draws_a_constant(outcomes):
    """At the root ADD becomes SUB, else a constant is redrawn."""
    assert_outcomes(outcomes["INT:3 INT:5 ADD", "point"], {"INT:3 INT:5 SUB": 1 / 3, **redrawn(2 / 3)})
    assert_outcomes(outcomes["INT:3 INT:5 ADD", "hoist"], {"INT:3": 1 / 2, "INT:5": 1 / 2})
    assert_outcomes(outcomes["INT:3 INT:5 ADD", "shrink"], {f"INT:{n}": 1 / 14 for n in range(14)})


@pytest.mark.thorough
def test_numeric_moves_all_real_constants_by_steps_of_one_size_whose_logarithm_is_uniform():
    one = individual(tree(TYPED, "half half add", 8), tree(TYPED, "flag core narrow", 8))
    before = copied(one.replace(value=jnp.where(one.opcode == TYPED.opcode("half"), 0.25, one.value)), N)
    run = quick(lambda key: mutate(key, TYPED, options(numeric=1.0), before, np.ones(N, bool)))
    made = jax.device_get(run(jax.random.key(5)))
    assert (made.opcode == np.asarray(before.opcode)).all()
    moved = (made.value - np.asarray(before.value))[:, 0]
    assert (moved[:, 2:] == 0).all()  # `add` and what is not in use
    steps = np.abs(moved[:, :2]) / 0.5  # as shares of the domain
    generator = np.random.default_rng(1)
    expected = 0.001 * 300 ** generator.uniform(size=N) * np.abs(generator.normal(size=N))
    expected = np.minimum(expected, 0.5)  # the bounds of the domain are that far away
    for place in (0, 1):
        assert stats.ks_2samp(steps[:, place], expected).pvalue > 0.001
        assert stats.binomtest(int((moved[:, place] > 0).sum()), N).pvalue > 0.001
    # Logarithms of both have the logarithm of the size in common: variances of a uniform one, and of |normal|.
    shared = np.log(300) ** 2 / 12
    both = np.log(np.maximum(steps, 1e-9))
    assert np.corrcoef(both.T)[0, 1] == pytest.approx(shared / (shared + np.pi**2 / 8), abs=0.03)


@pytest.mark.thorough
def test_numeric_stays_in_the_domain_and_needs_real_numbers():
    edge = copied(individual(tree(TYPED, "half", 8), tree(TYPED, "flag core narrow", 8)), 500)  # 0
    made = quick(lambda key: mutate(key, TYPED, options(numeric=1.0), edge, np.ones(500, bool)))(jax.random.key(0))
    values = np.asarray(made.value)[:, 0, 0]
    assert values.min() == 0
    assert 0.1 < (values > 0).mean() < 0.9
    one = copied(individual(tree(MANCALA, "INT:1")), 1)
    with pytest.raises(ValueError, match=r"mutation.numeric=1: accepted: 0, for a set without real numbers"):
        mutate(jax.random.key(0), MANCALA, options(numeric=1.0), one, np.ones(1, bool))


@pytest.fixture(scope="module")
def inserting():
    """Individuals of one small tree mutated by `insert`; new arguments are constants, and trees at most 2 deep."""
    algorithm = options(max_depth=2, grown=0, insert=1.0)
    return quick(lambda population: mutate(jax.random.key(6), MANCALA, algorithm, population, np.ones(N, bool)))


def test_insert_makes_a_node_an_argument_of_a_uniform_function_at_a_uniform_place(inserting):
    made = jax.device_get(inserting(copied(individual(tree(MANCALA, "INT:3", 8)), N)))
    seen = Counter(words(MANCALA, lane(made, i, 0)) for i in range(N))
    expected = {"INT:3 VALUE_AT": 1 / 4}
    for name in ("ADD", "SUB"):
        for n in range(14):
            for text in (f"INT:3 INT:{n} {name}", f"INT:{n} INT:3 {name}"):
                expected[text] = expected.get(text, 0) + 1 / 4 / 2 / 14
    chosen = Counter(text for text in seen.elements() if "IF" not in text)
    conditional = N - chosen.total()
    assert_distribution([*(chosen[text] for text in expected), conditional], [*expected.values(), 1 / 4])
    assert set(chosen) == set(expected)
    threes = [sum(text.split()[place] == "INT:3" for text in seen.elements() if "IF" in text) for place in range(4)]
    assert stats.chisquare(threes).pvalue > 0.001  # each place is the old one's in a quarter, else 3 in a fourteenth
    assert sum(threes) / conditional == pytest.approx(1 + 3 / 14, abs=0.03)


@pytest.mark.thorough
def test_insert_takes_any_node_and_leaves_a_tree_that_would_be_too_deep(inserting):
    made = jax.device_get(inserting(copied(individual(tree(MANCALA, "INT:3 INT:5 ADD VALUE_AT", 8)), N)))
    assert_valid(MANCALA, lane(made, slice(500)), 2)
    assert (made.length == 4).all()  # whatever is put above a node makes the deepest leaf deeper
    made = jax.device_get(inserting(copied(individual(tree(MANCALA, "INT:3 VALUE_AT", 8)), N)))
    seen = Counter(words(MANCALA, lane(made, i, 0)) for i in range(N))
    above, below = seen["INT:3 VALUE_AT INT:7 SUB"], seen["INT:3 INT:7 SUB VALUE_AT"]
    assert stats.binomtest(above, above + below).pvalue > 0.001
    assert (above + below) / N == pytest.approx(1 / 4 / 2 / 14, rel=0.15)


def copies(text, capacity=8):
    """Return N copies of a program with factors, [N, 1, L]."""
    return copied(individual(parse_tree(FACTORED, text, capacity)), N)


@pytest.mark.thorough
def test_local_moves_a_factor_or_grows_a_truth_value_anew():
    before = copies("(if (less x:-4 one) x:0.5 30)")  # in postfix x one less x 30 if
    run = quick(lambda key: mutate(key, FACTORED, options(grown=0, local=1.0), before, np.ones(N, bool)))
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
    nudged = quick(jax.vmap(lambda word: draw.nudged(word, jnp.float32(largest))))
    found = nudged(jnp.array([0, 2**32 - 1], jnp.uint32))
    assert np.isfinite(found).all()
    assert found[1] == largest


@pytest.mark.thorough
def test_numeric_moves_factors_in_proportion_to_what_they_are():
    before = copies("(if (less x:-4 one) x:0.5 30)")  # in postfix x one less x 30 if
    made = quick(lambda key: mutate(key, FACTORED, options(numeric=1.0), before, np.ones(N, bool)))(jax.random.key(7))
    old = np.asarray(before.value)[0, 0]
    moved = np.asarray(made.value)[:, 0] - old
    assert (moved[:, [2, 6, 7]] == 0).all()  # a truth, and what is not in use
    far, near, middle = (np.abs(moved[:, node]) for node in (4, 3, 0))
    generator = np.random.default_rng(2)
    expected = 0.001 * 300 ** generator.uniform(size=N) * np.abs(generator.normal(size=N))
    for steps, magnitude in ((far, 30), (near, 1), (middle, 4)):
        assert stats.ks_2samp(np.round(steps / magnitude, 5), np.round(expected, 5)).pvalue > 0.001


@pytest.mark.slow
def test_other_kinds_keep_factors_and_give_fresh_nodes_their_own():
    """Old factors are 2; a fresh one is 1, but for the function that draws its own."""
    made = quick(lambda key: create(key, FACTORED, RAMPED, BATCH, CAPACITY))(jax.random.key(0))
    plain = np.asarray(FACTORED.factors).copy()
    own = FACTORED.opcode("times")
    plain[own] = False
    growing = ("subtree", "point", "shrink")

    def factors(population, mine):
        code = np.asarray(population.opcode)[mine]
        live = np.asarray(population.size)[mine] > 0
        drawn = np.asarray(population.value)[mine][live & (code == own)]
        assert len(np.unique(drawn)) > 3
        assert (np.abs(drawn) <= 5).all()
        return set(np.asarray(population.value)[mine][live & plain[code]].tolist())

    assert_valid(FACTORED, made)
    assert factors(made, np.arange(BATCH)) == {1}
    doubled = made.replace(value=jnp.where(plain[made.opcode] & (made.size > 0), 2.0, made.value))
    key, algorithm = jax.random.key(1), options(MAX_DEPTH, 1.0, **dict.fromkeys(("constant", "creep", *growing), 1.0))
    after = quick(lambda key, before: mutate(key, FACTORED, algorithm, before, np.ones(BATCH, bool)))(key, doubled)
    assert_valid(FACTORED, after, MAX_DEPTH)
    grown = np.isin(kinds_of(key, algorithm, BATCH), growing)
    assert factors(after, grown) == {1, 2}
    assert factors(after, ~grown) == {2}


def test_local_needs_factors():
    one = copied(individual(tree(MANCALA, "INT:1")), 1)
    with pytest.raises(ValueError, match=r"mutation.local=1: accepted: 0, for a primitive set without factors"):
        mutate(jax.random.key(0), MANCALA, options(local=1.0), one, np.ones(1, bool))


def test_single_nodes_stay_where_there_is_nothing_to_change(mutants):
    one = individual(tree(TYPED, "x", CAPACITY), tree(TYPED, "flag core narrow", CAPACITY))
    population, key = copied(one, BATCH), jax.random.key(3)
    made, kinds = mutants(key, population, np.ones(BATCH, bool)), kinds_of(key, EQUAL, BATCH)
    assert_valid(TYPED, made)
    found = Counter()
    for i in range(BATCH):
        if kinds[i] in ("hoist", "shrink", "constant", "creep"):
            # The first tree is a terminal without a constant; in the second only the BOOL slot accepts a terminal.
            assert words(TYPED, lane(made, i, 0)) == "x"
            assert words(TYPED, lane(made, i, 1)) == "flag core narrow"
            found[kinds[i]] += 1
    assert len(found) == 4


@pytest.mark.thorough
def test_new_subtrees_use_the_room_and_the_depth_that_are_left():
    one = individual(tree(BUSHY, "INT:1 VALUE_AT VALUE_AT", 9))
    population = copied(one, 200)
    algorithm = options(max_depth=3, grown=20, subtree=1.0)
    made = quick(lambda key: mutate(key, BUSHY, algorithm, population, np.ones(200, bool)))(jax.random.key(0))
    assert_valid(BUSHY, made)
    assert int(made.length.max()) == 9
    assert int(depths(made).max()) == 3


@pytest.mark.thorough
def test_a_mutant_depends_on_its_own_key_only(mutants):
    key = jax.random.key(1)
    before = typed_population(key)
    together, alone = mutants(key, before, SECOND), mutants(key, before, np.arange(BATCH) == 6)
    assert same(lane(alone, 6), lane(together, 6))
    assert same(lane(alone, 4), lane(before, 4))

    def run(probability):  # the probability only sets how many are treated at a time
        algorithm = options(probability=probability, constant=1.0)
        return quick(lambda: mutate(key, TYPED, algorithm, before, SECOND))()

    assert same(run(0.001), run(1.0))


def test_weights_must_say_something():
    with pytest.raises(UsageError, match=r"probability=.*: accepted: 0, or a weight above 0 for children"):
        MutationOptions(children=0.0)


def test_koza_replaces_nine_functions_in_ten_where_there_are_any():
    algorithm = GPOptions(mutation=MutationOptions(children=0.0, subtree=1.0, node_choice="koza"))
    one = tree(MANCALA, "INT:1 INT:2 ADD VALUE_AT", 8)
    drawn = jax.random.bits(jax.random.key(0), (30_000, 3), np.uint32)
    nodes = np.asarray(quick(jax.vmap(lambda word: mutation._node(word, MANCALA, algorithm, one)))(drawn))
    assert_distribution(np.bincount(nodes, minlength=8), np.array([0.05, 0.05, 0.45, 0.45, 0, 0, 0, 0]))
