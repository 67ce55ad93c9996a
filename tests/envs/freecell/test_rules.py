"""The rules of FreeCell by hand: supermoves, automatic play, keys, the end."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envs
from envs.freecell.cards import deal, parse
from envs.freecell.moves import ACTIONS, MOST_MOVES
from envs.freecell.notation import parse_action
from envs.freecell.rules import FreeCell, rules_of
from envs.freecell.states import position, positions
from jaxgp.contracts import Puzzle
from jaxgp.errors import UsageError
from tests.envs.freecell.positions import scattered
from tests.envs.replays import FAST, KEY

LEGAL = {rule: jax.jit(rules_of(rule).legal_actions, compiler_options=FAST) for rule in MOST_MOVES}
KEY_OF = jax.jit(rules_of().key, compiler_options=FAST)
STEP = {play: jax.jit(rules_of("full", play).step, compiler_options=FAST) for play in ("none", "safe", "needless")}


def play(state, *typed, autoplay="none"):
    for one in typed:
        state = STEP[autoplay](state, np.int32(parse_action(rules_of(), one)), KEY)
    return state


def legal(state, rule="full"):
    return [ACTIONS[action] for action in np.flatnonzero(LEGAL[rule](state))]


def completed(cascades, cells="", home="", order=-1):
    """Return a position by its cascades; the cards that are nowhere else lie where a ? is.

    The highest ones are at the bottom, the lowest ones for `order=1`.
    """
    rows = [row.split() for row in cascades.split("/")]
    given = [card for row in [cells.split(), *rows] for card in row if card not in "?-"]
    gone = {suit: "A23456789TJQK".index(rank) for suit, rank in (one.split("-") for one in home.split())}
    rest = [
        rank + suit
        for value, rank in list(enumerate("A23456789TJQK"))[::order]
        for suit in "CDHS"
        if rank + suit not in given and value > gone.get(suit, -1)
    ]
    open_ = [row for row in rows if "?" in row]
    for number, row in enumerate(open_):
        row[:1] = rest[number :: len(open_)]
    lines = [f"Foundations: {home}", f"Freecells: {cells}", *(" ".join(row) for row in rows)]
    return position(parse("\n".join(lines)))


def test_it_is_a_puzzle():
    assert isinstance(FreeCell(), Puzzle)
    assert len(ACTIONS) == FreeCell().num_actions == 908


@pytest.mark.parametrize(
    ("cells", "empty", "full", "strict"),
    [
        ("KC KD KH KS", 0, 1, 1),
        ("KC KD KH", 0, 2, 2),
        ("", 0, 5, 5),
        ("KC KD KH KS", 1, 2, 2),
        ("KC KD", 1, 6, 4),
        ("KC KD KH KS", 2, 4, 3),
        ("KC KD KH", 2, 8, 4),
        ("", 2, 8, 7),  # 20 by the rule; the run has 8 cards
    ],
)
def test_as_many_cards_move_together_as_there_is_room_for(cells, empty, full, strict):
    """A run of 8 cards from the jack down; the card that it fits on is on top of another cascade, or none is."""
    run = "JC TD 9S 8H 7C 6D 5S 4H"
    for longest, rule in ((full, "full"), (strict, "strict")):
        for length in range(2, 9):
            target = "QH" if length == 8 else run.split()[7 - length]
            source = " ".join(run.split()[8 - length :])
            others = "/".join(["?"] * (6 - empty) + ["-"] * empty)
            state = completed(f"2S {source}/{target}/{others}", cells)
            found = [count for one, other, count in legal(state, rule) if (one, other) == (0, 1)]
            assert found == ([length] if length <= longest else []), (length, rule)


@pytest.mark.parametrize(("cells", "full", "strict"), [("KC KD KH KS", 2, 2), ("KC KD", 6, 4), ("", 8, 6)])
def test_onto_an_empty_cascade_it_does_not_count_itself(cells, full, strict):
    """Two cascades are empty. One is the target, so the other one alone helps: 1 * 2, 3 * 2, 5 * 2 cards, or e + 2."""
    state = completed("2S JC TD 9S 8H 7C 6D 5S 4H/?/?/?/?/?/-/-", cells)
    for longest, rule in ((full, "full"), (strict, "strict")):
        onto = [(other, count) for one, other, count in legal(state, rule) if one == 0 and other in (6, 7)]
        assert onto == [(6, count) for count in range(1, longest + 1)]  # and never the second one


def test_a_whole_cascade_does_not_move_to_an_empty_one():
    state = completed("QH JC/?/?/?/?/?/-/?")
    assert [count for one, other, count in legal(state) if (one, other) == (0, 6)] == [1]


def test_a_card_goes_to_the_first_free_cell():
    state = play(position(deal(617)), "1a", "7b")
    assert {other for _, other, _ in legal(state) if 8 <= other < 12} == {10}


def test_the_foundations_take_the_cards_of_a_suit_in_order():
    state = completed("2C/AC/?/?/?/?/?/?")
    assert (0, 12, 1) not in legal(state)
    state = play(state, "2h")
    assert state.foundations.tolist() == [1, 0, 0, 0]
    assert (0, 12, 1) in legal(state)


@pytest.mark.parametrize(
    ("home", "goes"),
    [
        ("C-2 D-2 H-2", True),  # 3C: both red twos are there
        ("C-2 D-2 H-A", False),  # 2H could be laid on it
        ("C-2 D-A H-5", False),
        ("C-2 D-6 H-6", True),
    ],
)
def test_a_card_goes_by_itself_when_no_card_could_be_laid_on_it(home, goes):
    state = completed("3C/QD/?/?/?/?/?/?", "KS KD KH", home, order=1)
    after = play(state, "2d", autoplay="safe")
    assert after.foundations[0] == (3 if goes else 2)
    assert after.count == 1
    assert play(state, "2d").foundations[0] == 2


@pytest.mark.parametrize(
    ("home", "goes"),
    [
        ("C-5 D-4 H-4 S-3", True),  # red fives can go home when they come up, and so can 4S, which fits on them
        ("C-5 D-4 H-4 S-2", False),  # 4S may have to wait on a red five, and this one on 6C
        ("C-5 D-4 H-3 S-3", False),  # 5H may have to wait on 6C
    ],
)
def test_a_card_also_goes_by_itself_when_all_that_fit_on_it_can_go_instead(home, goes):
    state = completed("6C/QD/?/?/?/?/?/?", "KS KD KH", home, order=1)
    assert play(state, "2d", autoplay="needless").foundations[0] == (6 if goes else 5)


def test_automatic_play_goes_on_as_long_as_it_can():
    """From cells and cascades, one card after the other, until none is left."""
    state = position(parse("Foundations: C-Q D-J H-Q S-J/Freecells: QS KC/KS/KD QD/KH/-/-/-/-/-"))
    assert play(state, "ah").foundations.tolist() == [12, 11, 12, 12]
    after = play(state, "ah", autoplay="safe")
    assert after.terminated
    assert (after.returns, after.count) == (52, 1)
    assert set(after.places.tolist()) == {0}
    assert (after.cascades < 0).all()


def test_the_puzzle_ends_solved_or_given_up():
    game = rules_of()
    last = position(parse("Foundations: C-K D-K H-K S-Q\nKS/-/-/-/-/-/-/-"))
    solved = play(last, "1h")
    assert (bool(game.solved(solved)), bool(solved.terminated), solved.returns.tolist()) == (True, True, [52])
    assert legal(solved) == []
    left = game.forfeit(last)
    assert (bool(game.solved(left)), bool(left.terminated), left.returns.tolist()) == (False, True, [51])
    assert jax.tree.all(jax.tree.map(np.array_equal, play(left, "1h"), left))


def test_a_position_without_a_move_is_the_end():
    tops = "? QC/? QD/? QH/? QS/? 9C/? 9D/? 9H/? "
    open_ = completed(tops + "JC", "KC KD KH KS", order=1)
    assert not open_.terminated
    assert legal(open_) == [(7, 1, 1), (7, 2, 1)]  # onto the red queens
    stuck = completed(tops + "9S", "KC KD KH KS", order=1)
    assert stuck.terminated
    assert legal(stuck.replace(terminated=np.bool_(False))) == []


@given(st.integers(0, 2**32 - 1), st.permutations(range(8)), st.permutations(range(4)))
@settings(deadline=None)
def test_keys_do_not_see_the_order_of_cells_and_cascades(seed, cascades, cells):
    layout = scattered(np.random.default_rng(seed))
    state = position(layout)
    mixed = state.replace(
        cascades=state.cascades[list(cascades)], heights=state.heights[list(cascades)], cells=state.cells[list(cells)]
    )
    assert np.array_equal(KEY_OF(mixed), KEY_OF(state))
    assert len(legal(mixed)) == len(legal(state))


def test_keys_tell_positions_of_a_deal_apart():
    start = position(deal(617))
    reached = [play(start, *line.split()) for line in ("", "1a", "2a", "1a 2b", "83", "58", "8a")]
    keys = [KEY_OF(state).tobytes() for state in reached]
    assert len(set(keys)) == len(keys)
    assert keys[3] == KEY_OF(play(start, "2a", "1b")).tobytes()
    assert keys[6] == KEY_OF(play(start, "83", "3a")).tobytes()


def test_packing_keeps_every_field():
    game = rules_of()
    again = jax.jit(lambda state: game.unpack(game.pack(state)), compiler_options=FAST)
    assert jax.eval_shape(game.pack, position(deal(617))).shape == (41,)
    random, start = np.random.default_rng(3), position(deal(617), 0.25)
    for state in (start, play(start, "1a", "7b"), *(position(scattered(random)) for _ in range(20))):
        for before, after in zip(jax.tree.leaves(state), jax.tree.leaves(again(state)), strict=True):
            assert (before.dtype, before.shape) == (after.dtype, after.shape)
            assert np.array_equal(before, after)


def test_deals_in_a_batch_are_the_deals_one_by_one():
    batch = positions([1, 617], [0.0, 0.5])
    for n, number in enumerate((1, 617)):
        assert jax.tree.all(
            jax.tree.map(lambda many, one, n=n: np.array_equal(many[n], one), batch, position(deal(number), n / 2))
        )
    with pytest.raises(ValueError, match="deal 1000001: accepted: numbers from 1 to 1000000"):
        positions([1, 1000001])


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"deal": 1.5}, "game.deal=1.5: accepted: the number of a deal from 1 to 1000000, or 8 cascades"),
        ({"deal": True}, "game.deal=true: accepted: the number of a deal"),
        ({"deal": None}, "game.deal=null: accepted: the number of a deal"),
        ({"supermoves": "all"}, "game.supermoves=all: accepted: full, strict"),
        ({"autoplay": "all"}, "game.autoplay=all: accepted: none, safe, needless"),
        ({"cells": 3}, "game.cells: unknown setting of freecell; accepted: deal, supermoves, autoplay"),
    ],
)
def test_wrong_settings_are_named_with_what_is_accepted(settings, fault):
    with pytest.raises((UsageError, ValueError), match=fault):
        envs.make("freecell", **settings)
