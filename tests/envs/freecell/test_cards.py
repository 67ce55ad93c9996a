"""The numbered deals, and positions as text."""

import re
from hashlib import sha256

import numpy as np
import pytest

import envs
from envs.freecell import cards
from envs.freecell.cards import Layout, deal, order_cards, parse, write_layout
from tests.envs.freecell.positions import scattered
from tests.reference import freecell as reference

SHA256 = "b178ffbe255e204aa3162c761e6724c31a003028f8aa5a06d83ec12caa86fe3f"
"""Of the numbers of the cards, one byte each, of deals 1 to 32,000 in the order in which they are dealt."""
ROWS = "JD KD 2S/2D KC 5H/9H 9S/JC 5S/5D AD/7H QC/7C KH/5C 3H"


@pytest.mark.parametrize(
    ("number", "row", "said"),
    [
        (1, 0, "JD 2D 9H JC 5D 7H 7C 5H"),
        (1, 1, "KD KC 9S 5S AD QC KH 3H"),
        (1, 6, "6S 9C 2H 6H"),
        (617, 0, "7D AD 5C 3S 5S 8C 2D AH"),
        (617, 1, "TD 7S QD AC 6D 8H AS KH"),
        (11982, 0, "AH AS 4H AC 2D 6S TS JS"),
        (11982, 1, "3D 3H QS QC 8S 7H AD KS"),
    ],
)
def test_deals_are_those_of_microsoft(number, row, said):
    cascades = deal(number).cascades
    assert " ".join(cards.name(cascade[row]) for cascade in cascades if len(cascade) > row) == said


def test_the_number_of_a_deal_may_be_text():
    assert envs.make("freecell", deal=" 617 ").start == deal(617)


def test_all_deals_have_the_known_sum():
    assert sha256(order_cards(np.arange(1, cards.FIRST + 1)).astype(np.uint8).tobytes()).hexdigest() == SHA256


def test_deals_agree_with_plain_python():
    for number in (1, 2, 617, 11982, 32000):
        named = [[cards.name(card) for card in cascade] for cascade in deal(number).cascades]
        assert named == reference.deal(number).cascades


def test_a_position_is_read_as_it_is_written():
    random = np.random.default_rng(0)
    for _ in range(30):
        layout = scattered(random)
        assert parse(write_layout(layout)) == layout
        assert parse(re.sub(r"T(?=[CDHS])", "10", write_layout(layout).replace("\n", "/")).lower()) == layout


def test_a_position_has_its_cells_and_foundations_in_rows_before_the_cascades():
    home = "Foundations: H-J C-K D-K S-10/Freecells: QH KS/JS/QS/KH/-/-/:/-/: "
    assert parse(home) == Layout(((43,), (47,), (50,), (), (), (), (), ()), (46, 51), (13, 13, 11, 10))


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        (0, "accepted: the number of a deal from 1 to 1000000, or 8 cascades, as in JD KD 2S/2D KC 5H/"),
        (1000001, "accepted: the number of a deal from 1 to 1000000"),
        ("#0", "accepted: the number of a deal from 1 to 1000000"),
        ("first", "accepted: the number of a deal from 1 to 1000000"),
        ("JD KX", '"KX" is no card; accepted: rank, A 2 to 9 T J Q K, and suit, C D H S, as in TD'),
        ("JD KD", "it has 1 cascade; accepted: .* 8 cascades"),
        (ROWS, "AC is missing; accepted: each of the 52 cards once"),
        (ROWS + " 3H", "AC is missing"),
        ("AC AC/-/-/-/-/-/-/-", "AC is twice"),
        ("Foundations: C-A X-2/-/-/-/-/-/-/-/-", '"X-2" is no foundation; accepted: suit and highest rank, as in H-2'),
        ("Freecells: AC 2C 3C 4C 5C/-/-/-/-/-/-/-/-", "it has 5 cards in cells; accepted: up to 4"),
        ("Stock: AC 2C/-/-/-/-/-/-/-/-", '"Stock:" begins no row; accepted: Foundations:, Freecells: and cascades'),
        ("AC 2C " * 1000, "it has 6000 characters; accepted: "),
    ],
)
def test_what_is_no_deal_is_answered_with_what_is(typed, fault):
    with pytest.raises(ValueError, match=rf"game\.deal=.*{fault}"):
        envs.make("freecell", deal=typed)


def test_a_cascade_that_could_outgrow_the_board_is_refused():
    """Eight cards, the last of them a king: twelve more would make 20."""
    tall = "AC AD AH AS 2C 2D 2H KS"
    rest = [card for card in map(cards.name, range(52)) if card not in tall.split()]
    text = "/".join([tall, *(" ".join(rest[n::7]) for n in range(7))])
    with pytest.raises(ValueError, match="cascade 1 could grow to 20 cards; accepted: cascades that stay within 19"):
        parse(text)
