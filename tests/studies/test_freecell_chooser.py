"""What programs that name a champion see of a deal, and what naming costs."""

import jax
import jax.numpy as jnp
import pytest

import jaxgp
from envs.freecell import cards
from studies.freecell import chooser

NUMBER = {cards.name(card): card for card in range(52)}


def layout(*cascades):
    """Some cascades, as the names of their cards from the bottom to the top."""
    return cards.Layout(tuple(tuple(NUMBER[word] for word in pile.split()) for pile in cascades))


def test_what_is_seen_of_a_deal_is_as_counted_by_hand():
    seen = {name: float(see(layout("KH QS AD 2D", "4C 3C AC"))) for name, see in chooser.FEATURES.items()}
    assert (seen["AboveAces"], seen["AboveTwos"], seen["AboveKings"], seen["AboveDeepestAce"]) == (0.5, 0, 3, 1)
    assert seen["InSequence"] == 1  # QS on KH
    assert (seen["Covers"], seen["CoversOfSuit"]) == (1, 1)  # 2D lies on AD
    assert seen["TopRanks"] == 1  # 2D, and an ace counts 0
    assert seen["BottomRanks"] == 12 + 3
    assert seen["Moves"] == 1  # AC onto 2D


@pytest.mark.thorough
def test_the_champion_whose_tree_has_the_greatest_value_is_named_and_its_cost_counts():
    language = chooser.words(2)
    trees = [jaxgp.parse(language, f"(PROGRAM {one} {other})", 1) for one, other in (("1.0", "Moves"), ("0.0", "0.5"))]
    population = jax.tree.map(lambda *x: jnp.stack([jnp.asarray(one) for one in x]), *trees)
    seen = (
        jnp.zeros((len(chooser.FEATURES), 3)).at[list(chooser.FEATURES).index("Moves")].set(jnp.array([0.0, 2.0, 1.5]))
    )
    side = chooser.Side(seen, jnp.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]))
    assert chooser.named(language, population, side).tolist() == [[0, 1, 1], [1, 1, 1]]
    assert chooser.spent(language, population, side).tolist() == [(1 + 20 + 30) / 3, 20.0]
