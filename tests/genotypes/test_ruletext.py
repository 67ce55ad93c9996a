"""Rule lists as text: exact round trips, and errors that say where and what is accepted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.genotypes.ruletext import RuleError, parse_rules, print_rules
from tests.genotypes.rule_cases import LANGUAGES, ODD, WALLS3, empty, lane, problems, random_lists
from tests.operators.operator_cases import same

EXAMPLE = "- - N / B E 0 / - A - : try-forward"  # the rule that the text of Walls shows


def test_the_published_example():
    one = parse_rules(WALLS3, EXAMPLE, 4)
    assert one.condition[0].tolist() == [-1, -1, 4, 2, 9, 1, -1, 3, -1]  # N is the opponent's, E the own orientation
    assert one.action[0] == 0
    assert one.length == 1
    assert print_rules(WALLS3, one) == EXAMPLE


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), st.integers(0, 2**31 - 1), st.integers(2, 9), st.floats(0, 1))
def test_round_trips_are_exact(language, seed, capacity, dont_care):
    lists = random_lists(seed, language, 4, capacity, dont_care)
    for i in range(4):
        text = print_rules(language, lane(lists, i))
        again = parse_rules(language, text, capacity)
        assert problems(language, again) == []
        assert same(again, lane(lists, i))
        assert print_rules(language, again) == text


def test_comments_spaces_and_empty_lines():
    text = f"; a strategy\n\n  {EXAMPLE} ; ahead: free\r\n\t\n###/#N#/###:turn-left\n"
    one = parse_rules(WALLS3, text.replace("###", "# # #").replace("#N#", "# N #"), 3)
    assert print_rules(WALLS3, one) == f"{EXAMPLE}\n# # # / # N # / # # # : turn-left"
    for nothing in ("", "\n", " ; nothing\n"):
        assert same(parse_rules(WALLS3, nothing, 3), empty(WALLS3, (), 3))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- - Q / - - - / - - - : turn-left", "line 1, column 5: row 1, cell 3: Q is not a condition; accepted: "),
        (
            f"{EXAMPLE}\n\n- - - / - A",
            "line 3, column 11: row 2, cell 2: A cannot be named there; accepted: -, N, E, S, W",
        ),
        ("- -", "line 1, column 4: .* row 1, cell 3: expected -, #, 0, B, A, N, E, S, W, found the end of the line"),
        ("- - / - - - / - - - : turn-left", "line 1, column 5: the 3 rows of 3 cells end at row 1, cell 3"),
        ("- - - - / - - - / - - : turn-left", "line 1, column 7: expected / after the 3 cells of row 1, found -"),
        ("- - - / - - - : turn-left", "line 1, column 15: expected / after the 3 cells of row 2, found :"),
        ("- - - / - - - / - - - / - - -", "column 23: expected : after 3 rows of 3 cells, found /"),
        ("- - - / - - - / - - - turn-left", "column 23: expected : after 3 rows of 3 cells, found turn-left"),
        ("- - - / - - - / - - -", "line 1, column 22: expected : .* found the end of the line"),
        ("- - - / - - - / - - - : jump", "column 25: jump is not an action; accepted: try-forward, turn-left, turn-ri"),
        ("- - - / - - - / - - - :", "column 24: the end of the line is not an action; accepted: try-forward"),
        (f"{EXAMPLE} now", "column 37: expected the end of the rule after its action, found now"),
        (f"{EXAMPLE}\n; x\n" * 3, "line 5, column 1: more rules than the capacity of 2"),
    ],
)
def test_errors_name_the_place_and_what_is_accepted(text, says):
    with pytest.raises(RuleError, match=says):
        parse_rules(WALLS3, text, 2)


def test_symbols_are_those_of_the_cell():
    text = "s0 s1 s3 s16 / s5 s9 s16 s8 : go"
    np.testing.assert_array_equal(parse_rules(ODD, text, 1).condition[0], [0, 1, 3, 16, 5, 9, 16, 8])
    with pytest.raises(ValueError, match="row 1, cell 1: s1 cannot be named there; accepted: -, s0"):
        parse_rules(ODD, text.replace("s0", "s1"), 1)
