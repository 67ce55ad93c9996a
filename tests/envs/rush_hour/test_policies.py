"""The language of policies: what may stand where, and what a policy is worth."""

import jax
import numpy as np
import pytest

import envs
from envs.rush_hour import policies, suites
from envs.rush_hour.heuristics import FEATURES
from envs.rush_hour.rules import RushHour
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.genotypes.programs import join
from jaxgp.genotypes.text import ProgramError, parse_program, print_program
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from tests.genotypes.program_cases import problems
from tests.operators.operator_cases import depths, quick

POLICY, HEURISTIC = policies.policy_set(), policies.heuristic_set("all")
NAMES = [one.name for one in FEATURES]
GAME = envs.spec("rush_hour").make()


created = quick(lambda key: create(key, POLICY, CreationOptions("ramped", 1, 5, 0.5), 40, 63))


def policy(*rules, default="9"):
    """The text of five rules, the missing ones of which never hold."""
    never = [("(<= 0.5 0.25)", "0")] * (policies.RULES - len(rules))
    return f"(PROGRAM {' '.join(f'{c} {v}' for c, v in (*rules, *never))} {default})"


@quick
def worth(individuals, seen):
    trees = jax.vmap(lambda one: join(POLICY, one, policies.TOP))(individuals)
    features = jax.vmap(lambda one: policies.shares(GAME, one), 1, 1)(seen)
    return evaluate_programs(POLICY, jax.tree.map(lambda x: x[:, None], trees), features)[:, 0]


def values(texts, *seen):
    """What policies are worth, float[P, B], where these numbers are seen; unnamed ones are 0."""
    individuals = jax.tree.map(lambda *x: np.stack(x), *[parse_program(POLICY, text, 16) for text in texts])
    features = np.array([[one.get(name, 0.0) for one in seen] for name in NAMES], np.float32)
    return np.asarray(worth(individuals, features)).T.tolist()


def test_the_first_rule_that_fires_gives_the_value():
    one = ("IsReleasingMove", "(+ Hybrid 1)")
    two = ("(AND (<= g 0.5) (OR IsMoveToSecluded (>= NumberOfSiblings 0.75)))", "(* GoalDistance 2)")
    three = ("(>= BlockersLowerBound/max 1)", "(* BlockersLowerBound 3)")
    texts = [policy(one, two, three), policy(three, two, one), policy(default="Hybrid")]
    numbers = {"Hybrid": 7, "GoalDistance": 5, "BlockersLowerBound": 24}
    few = {"Hybrid": 7, "GoalDistance": 5, "BlockersLowerBound": 11}  # 11 / 12 is less than 1
    met = [
        (numbers, [72, 72, 7]),
        (numbers | {"IsReleasingMove": 1}, [8, 72, 7]),
        (numbers | {"IsMoveToSecluded": 1, "g": 50}, [10, 72, 7]),
        (numbers | {"IsMoveToSecluded": 1, "g": 51}, [72, 72, 7]),
        (few, [9, 9, 7]),
        (few | {"NumberOfSiblings": 24}, [10, 10, 7]),
    ]
    assert values(texts, *(seen for seen, _ in met)) == [worth for _, worth in met]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (("(<= BlockersLowerBound 0.5)", "1"), "expected a share as argument 1"),
        (("IsReleasingMove", "(+ BlockersLowerBound/max 1)"), "expected a float as argument 1"),
        (("IsReleasingMove", "g"), "wrong type"),
        (("IsReleasingMove", "(+ 0.5 1)"), "a whole number from 0 to 9"),
        (("(<= g 2)", "1"), "a number from 0 to 1"),
        (("IsReleasingMove", "(IF IsReleasingMove 1 2)"), "wrong type"),
        (("3", "1"), "wrong type"),
    ],
)
def test_conditions_and_values_do_not_mix(rule, said):
    with pytest.raises(ProgramError, match=said):
        parse_program(POLICY, policy(rule), 63)


@pytest.mark.thorough
def test_random_policies_are_rules_within_the_depth_and_read_back():
    made = jax.device_get(created(jax.random.key(0)))
    top = POLICY.opcode("IF")
    assert not (np.asarray(made.opcode) == top).any()
    for i in range(40):
        one = jax.tree.map(lambda x, i=i: x[i], made)
        for tree, root in enumerate(POLICY.root_type):
            assert problems(POLICY, jax.tree.map(lambda x, t=tree: x[t], one), int(root)) == []
        again = parse_program(POLICY, print_program(POLICY, one), 63)
        assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(again), jax.tree.leaves(one), strict=True))
    assert int(depths(made).max()) == 5


def test_rules_are_pairs_of_a_condition_and_a_value():
    roots = np.array(POLICY.roots)[np.array(POLICY.rules)]
    assert roots.tolist() == [["bool", "float"]] * policies.RULES
    assert POLICY.num_trees == 2 * policies.RULES + 1
    assert HEURISTIC.rules == ()


def test_table_10_1_is_there():
    printed = {*NAMES, "ERC"}
    shown = {p.name.removesuffix("/max") for p in POLICY.terminals}
    assert shown == printed | {"digit"}
    assert [p.name for p in POLICY.functions] == ["AND", "OR", "<=", ">=", "*", "+", "IF"]


@pytest.mark.parametrize("name", list(suites.STRATEGIES))
def test_fixed_orders_are_programs_of_their_roles(name):
    found = envs.spec("rush_hour").strategy_of(name, GAME)
    language = cast(envs.spec("rush_hour"), GAME, found.role).language
    parse_program(language, found.text, 63)


def test_suites_keep_test_boards_aside():
    jam = suites.instances(GAME, "JAM", "suite")
    assert len(jam.names) == 40
    assert jam.states.positions.shape == (40, 18)
    assert [name for name, test in zip(jam.names, jam.test, strict=True) if test][:3] == ["JAM01", "JAM05", "JAM12"]
    every = suites.instances(GAME, suites.ALL, "suite")
    assert len(every.names) == sum(len(suites.instances(GAME, name, "suite").names) for name in suites.names(GAME))
    assert suites.names(RushHour(size=8, board="EVO01")) == ("BIG", "EVO")


def test_a_suite_that_does_not_fit_is_named(tmp_path):
    with pytest.raises(
        UsageError, match=r"^fitness.instances=FOO: accepted: WAY, JAM, SER, MOV, ALL, or a file of boards"
    ):
        suites.instances(GAME, "FOO", "fitness.instances")
    large = RushHour(size=8, board="." * 24 + "XX......" + "." * 32)
    with pytest.raises(UsageError, match=r"^suite=JAM: accepted: BIG, EVO, ALL, or a file of boards"):
        suites.instances(large, "JAM", "suite")
    small = tmp_path / "small.txt"
    small.write_text("A ............XX.A.....A.....A........\n")
    with pytest.raises(UsageError, match=r"^suite=.*small.txt: A: has 6 rows; accepted: boards of 8"):
        suites.instances(large, str(small), "suite")
    stuck = tmp_path / "boards.txt"
    stuck.write_text("A ............XX.A.....A.....A........\nB ...B.....B..XX.B.....A.....A.....A..\n")
    with pytest.raises(UsageError, match=r"boards.txt: B: no solution; accepted: boards that can be solved"):
        suites.instances(GAME, str(stuck), "suite")
