"""Sums of weighted heuristics, whose weights are those of the first rule that fires."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.genotypes.primitives import BOOL, Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.players.solver import FINDERS, ByWeights
from tests.operators.operator_cases import quick

# A node is its four numbers: two heuristics, and two numbers that conditions read.
UNIT = Floats(0.0, 1.0)
WEIGHTS = tuple(Primitive(f"weight:{name}", name, domain=UNIT) for name in ("near", "far"))
READ = (
    Primitive("early", BOOL, feature=2),
    Primitive("share", "share", feature=3),
    Primitive("c", "share", domain=UNIT),
)
LESS = Primitive("<=", BOOL, ("share", "share"), lambda a, b: a <= b)
PLAIN = PrimitiveSet("plain", WEIGHTS, (), ("near", "far"))
RULES = PrimitiveSet(
    "rules",
    (*READ, *WEIGHTS),
    (LESS, *FINDERS),
    (BOOL, "near", "far") * 2 + ("near", "far"),
    rules=((0, 1, 2), (3, 4, 5)),
)


def values(language, texts, whose, nodes, jit=quick, units=(1, 1)):
    valued = ByWeights(language, lambda node: node, units, 2**20)
    parsed = [parse_program(language, text, 7) for text in texts]
    genomes = jax.tree.map(lambda *x: jnp.asarray(np.stack(x)), *parsed)

    @jit
    def value(genomes, whose, nodes):
        return valued.values(valued.prepare(genomes), whose, nodes, jnp.int32(len(whose)))

    return np.asarray(value(genomes, jnp.array(whose), jnp.array(nodes, jnp.float32)))


def test_a_vector_of_weights_values_a_node_by_the_sum_of_weighted_heuristics():
    texts = ["(PROGRAM 0.5 0.25)", "(PROGRAM 1 0)"]
    nodes = [[4, 8, 0, 0], [2, 3, 1, 1], [4, 8, 1, 0], [0.5, 9, 0, 1]]
    assert values(PLAIN, texts, [0, 0, 1, 1], nodes).tolist() == [4.0, 1.75, 4.0, 0.5]


@pytest.mark.thorough
def test_the_first_rule_whose_condition_holds_gives_the_weights():
    one = "(PROGRAM early 0.5 0 (<= share 0.25) 0 0.5 1 1)"
    other = "(PROGRAM (<= share 0.25) 0 0.5 early 0.5 0 0.25 0.25)"
    nodes = [[4, 8, early, share] for early in (1, 0) for share in (0.0, 0.75)]
    # near / 2 where early holds, far / 2 where the share is low, and the default where neither does
    assert values(RULES, [one, other], [0] * 4, nodes).tolist() == [2, 2, 4, 12]
    assert values(RULES, [one, other], [1] * 4, nodes).tolist() == [4, 2, 4, 3]
    assert values(RULES, [one, other], [0, 0, 1, 1], nodes).tolist() == [2, 2, 4, 3]


@pytest.mark.slow
def test_a_value_does_not_depend_on_the_other_nodes_of_a_batch():
    random = np.random.default_rng(0)
    nodes = random.random((61, 4)).round(3)
    nodes[:, 2] = random.random(61) < 0.5
    text = "(PROGRAM early 0.1 0.7 (<= share 0.25) 0.3 0.2 0.9 0.6)"
    together = values(RULES, [text], [0] * 61, nodes, jax.jit)
    assert values(RULES, [text], [0] * 3, nodes[:3], jax.jit).tolist() == together[:3].tolist()


def test_a_sum_of_weights_is_the_one_of_numpy_to_the_last_bit():
    """A compiler that contracts a product and a sum finds another one for a quarter of such nodes."""
    random = np.random.default_rng(1)
    weights, counts = random.random(2).astype(np.float32), random.integers(100, size=(512, 4)).astype(np.float32)
    prices = weights * np.float32([2**20 / 7, 2**20 / 30])
    steps = np.rint(prices * counts[:, :2]).astype(np.int64).sum(1)
    found = values(PLAIN, [f"(PROGRAM {weights[0]} {weights[1]})"], [0] * 512, counts, jax.jit, (7, 30))
    assert found.tolist() == (steps.astype(np.float32) / 2**20).tolist()


def test_a_sum_of_weights_is_told_with_the_greatest_first_and_without_those_of_0():
    valued = ByWeights(PLAIN, lambda node: node, (1, 1), 2**20)
    assert valued.told(["0.25", "0.5"]) == "0.5 far + 0.25 near"
    assert valued.told(["0.125", "0"]) == "0.12 near"
    assert valued.told(["0", "0"]) == "0"


def test_a_heuristic_is_left_out_of_all_rules():
    left = ByWeights(RULES, lambda node: node, (1, 1), 2**20).without(
        parse_program(RULES, "(PROGRAM early 0.5 0.1 (<= share 0.25) 0.2 0.75 1 0.3)", 7)
    )
    assert {name: print_program(RULES, one) for name, one in left.items()} == {
        "near": "(PROGRAM early 0 0.1 (<= share 0.25) 0 0.75 0 0.3)",
        "far": "(PROGRAM early 0.5 0 (<= share 0.25) 0.2 0 1 0)",
    }
