"""Weights and policies for FreeCell: what they are worth, the suites they solve, and the fixed orders beside them."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.freecell import roles, suites
from envs.freecell.heuristics import COUNTS, FEATURES, HEURISTICS, MORE, hsdh
from envs.freecell.states import positions
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import ProgramError, parse_program
from jaxgp.search.puzzles.children import Child
from tests.operators.operator_cases import quick

SPEC = envs.spec("freecell")
GAME = SPEC.make()
NAMES = [one.name for one in FEATURES]
compiled = jax.jit(hsdh)


def seen(heuristics, rising, **numbers):
    """What genomes see where the features are these numbers, and the others 0: by name, counts and shares."""
    features = np.array([numbers.get(name, 0.0) for name in NAMES], np.float32)
    found = np.asarray(roles.view_numbers(features, heuristics, rising)).tolist()
    count = len(roles.list_weighted(heuristics))
    own = [one.name for one in roles.list_weighted(heuristics)]
    return dict(zip(own, found[:count], strict=True)), dict(zip(NAMES, found[count:], strict=True))


def test_heuristics_that_rise_towards_the_goal_are_turned_over():
    numbers = {"HSDH": 25, "NumberWellPlaced": 13, "FreeCells": 3, "HighestHomeCard": 13, "SumOfBottomCards": 40}
    costs, shares = seen("book", "flipped", **numbers)
    assert (costs["HSDH"], shares["HSDH"]) == (25, 0.25)
    assert (costs["NumberWellPlaced"], shares["NumberWellPlaced"]) == (52 - 13, 0.25)
    assert (costs["FreeCells"], shares["FreeCells"]) == (12 - 3, 0.25)
    assert (costs["HighestHomeCard"], shares["HighestHomeCard"]) == (13 - 13, 1)
    assert (costs["SumOfBottomCards"], shares["SumOfBottomCards"]) == (40, pytest.approx(0.4))
    plain, _ = seen("book", "as_is", **numbers)
    assert plain == {name: numbers.get(name, 0) for name in plain}


def test_what_is_no_whole_number_is_counted_in_parts_and_what_is_too_great_counts_as_the_greatest():
    numbers = {"DifferenceFromTop": np.float32(17 / 7 - 5 / 4), "HSDH": 120}
    costs, _ = seen("book", "flipped", **numbers)
    assert costs["DifferenceFromTop"] == 840 * 17 / 7 - 840 * 5 / 4
    assert costs["HSDH"] == 100
    assert dict(zip(costs, roles.units("book"), strict=True))["DifferenceFromTop"] == 840 * 13


def test_the_weighted_heuristics_are_those_of_the_book_or_two_more():
    assert list(seen("book", "flipped")[0]) == [one.name for one in HEURISTICS]
    assert list(seen("more", "flipped")[0]) == [one.name for one in (*HEURISTICS, *MORE)]
    assert roles.weight_set("book").num_trees == 9
    assert roles.policy_set("more").num_trees == 5 * (1 + 11) + 11


@pytest.fixture(scope="module")
def deals():
    """Three deals as roots of searches."""
    states = positions([1, 617, 31465])
    root = jax.tree.map(jnp.asarray, states)
    return Child(root, root, jnp.full(3, -1), jnp.zeros(3, jnp.int32), jax.jit(jax.vmap(GAME.choices))(root))


@cache
def valuing(role):
    """What genomes of a role are written in, and the values of deals, compiled."""
    taken = cast(SPEC, GAME, role, None, {"heuristics": "more"})
    valued = taken.actor.valued

    @quick
    def value(genome, deals):
        return valued.values(valued.prepare(genome), jnp.zeros(3, jnp.int32), deals, jnp.int32(3))

    return taken.language, value


def worth(role, text, deals):
    language, value = valuing(role)
    return np.asarray(value(jax.tree.map(lambda x: np.asarray(x)[None], parse_program(language, text, 7)), deals))


def test_fixed_orders_are_sums_of_weights(deals):
    heineman = worth("weights", SPEC.strategy_of("Heineman", GAME).text, deals)
    cards = np.array([compiled(jax.tree.map(lambda x, n=n: np.asarray(x)[n], deals.state)) for n in range(3)])
    assert heineman == pytest.approx((cards + 22) / 120)  # a deal scores 22 more than the cards on its aces
    assert set(SPEC.strategies) == {"Heineman", "HighestHomeCard", "DifferenceHome", "GA-FreeCell"}
    # Nothing is on the foundations: HighestHomeCard is 0, turned over 1; DifferenceHome is 0.
    assert worth("weights", SPEC.strategy_of("HighestHomeCard", GAME).text, deals).tolist() == [1, 1, 1]
    assert worth("weights", SPEC.strategy_of("DifferenceHome", GAME).text, deals).tolist() == [0, 0, 0]


@pytest.mark.thorough
def test_a_policy_takes_the_weights_of_the_first_rule_that_fires(deals):
    def rule(condition, weight):
        return f"{condition} {weight} {' 0' * 10}"

    never, far = rule("(<= 0.5 0.25)", "0"), rule("(>= HSDH 0.15)", "1")
    policy = f"(PROGRAM {never} {far} {never} {never} {never} 0.5 {' 0' * 10})"
    cards = np.array([compiled(jax.tree.map(lambda x, n=n: x[n], deals.state)) for n in range(3)]) / 100
    assert worth("policy", policy, deals) == pytest.approx(np.where(cards >= 0.15, cards, cards / 2))
    assert len({bool(one >= 0.15) for one in cards}) == 2


def test_counts_are_not_divided_and_those_that_rise_are_turned_over():
    taken = cast(SPEC, GAME, "weights", None, {"heuristics": "counts"})
    names = [one.name for one in COUNTS]
    numbers = np.array([{"OnNext": 25, "EmptyCascades": 2, "Moves": 7}.get(name, 0) for name in names], np.float32)
    costs = dict(zip(names, np.asarray(roles.turn_counts(numbers, "flipped")).tolist(), strict=True))
    assert (costs["OnNext"], costs["EmptyCascades"], costs["Moves"], costs["KingsAtBottom"]) == (25, 8 - 2, 7, 8)
    assert roles.turn_counts(numbers, "as_is").tolist() == numbers.tolist()
    assert taken.language.roots == tuple(names)
    assert roles.policy_set("counts").num_trees == 5 * (1 + 14) + 14


@pytest.mark.parametrize("weight", ["1.5", "-0.1", "HSDH"])
def test_weights_are_numbers_from_0_to_1(weight):
    with pytest.raises(ProgramError):
        parse_program(roles.weight_set("book"), f"(PROGRAM {weight}{' 0' * 8})", 1)


def test_the_suite_has_all_deals_and_sets_a_thousand_apart_for_training():
    found = SPEC.instances.load(GAME, suites.ALL, "suite")
    assert found.names[:3] == ("1", "2", "3")
    assert len(found.names) == 32_000
    assert (~found.test).sum() == 1000
    assert [name for name, test in zip(found.names, found.test, strict=True) if not test][:2] == ["32", "64"]
    assert found.states.cascades.shape == (32_000, 8, 19)


def test_all_deals_above_those_of_the_first_version_are_for_training():
    found = SPEC.instances.load(GAME, "31999-32002", "suite")
    assert found.test.tolist() == [True, False, False, False]


def test_deals_are_named_by_numbers_and_ranges():
    found = SPEC.instances.load(GAME, "617,1-3", "suite")
    assert found.names == ("617", "1", "2", "3")
    assert np.array_equal(found.states.cascades[0], positions([617]).cascades[0])
    assert found.test.all()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("0", "suite=0: accepted: MS, deals 1 to 32000; or as many numbers from 1 to 1000000 and ranges of them, such"),
        ("5-3", "5-3 is none of them"),
        ("999999-1000001", "999999-1000001 is none of them"),
        ("1-32001", "accepted: MS, deals 1 to 32000"),
        ("1-10,7", "each deal once; 7 is there twice"),
        ("ms", "accepted: MS, deals 1 to 32000"),
        ("1-", "accepted: MS, deals 1 to 32000"),
    ],
)
def test_what_names_no_deals_is_refused(name, said):
    with pytest.raises(UsageError) as raised:
        SPEC.instances.load(GAME, name, "suite")
    assert said in str(raised.value)


@pytest.mark.thorough
def test_the_reference_search_is_the_search_of_a_genome_by_hsdh(deals):
    for search in ("greedy", "astar", "staged", "heineman"):
        solver = cast(SPEC, GAME, "weights", None, {"search": search}).actor
        assert solver.reference == "HSDH"
        assert not solver.differs
        order = solver.baseline_search.order
        values = order((), jnp.zeros(3, jnp.int32), deals, jnp.int32(3))
        assert values.tolist() == [compiled(jax.tree.map(lambda x, n=n: x[n], deals.state)) for n in range(3)]


def test_a_champion_keeps_the_way_in_which_heuristics_are_turned_over():
    flipped, as_is = (cast(SPEC, GAME, "weights", None, {"rising": rising}).language for rising in ("flipped", "as_is"))
    assert flipped != as_is
    fixed = SPEC.strategy_of("HighestHomeCard", GAME)
    assert set(fixed.own) == {"heuristics", "rising"}
    assert fixed.options.rising == "flipped"
