"""What programs see of positions, by hand and against plain Python."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.freecell import plain
from envs.freecell.cards import Layout, deal, parse
from envs.freecell.heuristics import COUNTS, FEATURES, HEURISTICS, counts, heineman_score, heuristics, shares, view
from envs.freecell.rules import rules_of
from envs.freecell.states import position
from tests.envs.freecell.positions import at, some, walk
from tests.envs.replays import FAST
from tests.envs.rush_hour.walks import Node
from tests.reference import freecell as reference

NAMES = [one.name for one in FEATURES]
nine, score = (jax.jit(one, compiler_options=FAST) for one in (heuristics, heineman_score))
HAND = (["2S 9D 8S", "5C 4D", "6S TH", "QS JH TC", "7D KH", "3D KD", "", ""], "4C KS", (3, 2, 2, 1))
"""Cascades, cells and foundations; the heuristics count the cards that are there, so others may be missing."""
FULL = (["2S 9D 8S", "5C", "6S", "QS", "7D", "3D KD", "8D", "9C"], "5D KS QD JD", (3, 2, 2, 1))


def made(cascades, cells, home):
    def numbers(names):
        return tuple(plain.RANKS.index(rank) * 4 + plain.SUITS.index(suit) for rank, suit in names.split())

    return position(Layout(tuple(map(numbers, cascades)), numbers(cells), home))


def test_heuristics_by_hand():
    """Next cards: 4C in a cell; 3D under KD; 3H nowhere; 2S under 9D 8S. Two cells and two cascades are empty."""
    seen = dict(zip([one.name for one in HEURISTICS], nine(made(*HAND)).tolist(), strict=True))
    assert seen["HSDH"] == 0 + 1 + 0 + 2
    assert seen["NumberWellPlaced"] == 2 + 3  # 5C 4D, QS JH TC
    assert seen["NumCardsNotAtFoundations"] == 52 - 8
    assert seen["FreeCells"] == 2 + 2
    assert seen["DifferenceFromTop"] == pytest.approx((8 + 4 + 10 + 10 + 13 + 13) / 6 - (3 + 2 + 2 + 1) / 4)
    assert seen["LowestHomeCard"] == 13 - 1
    assert seen["HighestHomeCard"] == 3
    assert seen["DifferenceHome"] == 3 - 1
    assert seen["SumOfBottomCards"] == 100 - (2 + 5 + 6 + 12 + 7 + 3)


def test_hsdh_doubles_where_no_cell_and_no_cascade_is_empty():
    cascades, cells, home = FULL
    assert nine(made(*FULL))[0] == 2 * (2 + 1)
    assert nine(made(cascades, cells.replace("JD", ""), home))[0] == 2 + 1


def test_heineman_scores_a_deal_22_more_than_the_cards_on_the_aces_and_the_goal_minus_30():
    state = position(deal(617))
    assert score(state) == 22 + nine(state)[0]
    assert nine(state)[0] == 5 + 6 + 5 + 4  # cards on AC, AD, AH, AS
    goal = "Foundations: C-K D-K H-K S-K\n" + "-\n" * 8
    assert score(position(parse(goal))) == -30


@pytest.fixture(scope="module")
def walked():
    """Nodes of random walks, the first one of each walk as a root, and what is seen of them."""
    game, layouts = rules_of(), some(32, seed=7)
    states, actions = walk(game, layouts, 16, seed=7)

    def look(state, before, action, depth):
        node = Node(state, before, action, depth, game.choices(before))
        return jnp.concatenate([view(game, None, node), counts(node)])

    before = jax.tree.map(lambda x: np.concatenate([x[:1], x[:-1]]), states)
    moves = np.concatenate([np.full_like(actions[:1], -1), actions])
    depth = np.tile(np.arange(17, dtype=np.int32)[:, None], (1, 32))
    seen = jax.jit(jax.vmap(jax.vmap(look)), compiler_options=FAST)(states, before, moves, depth)
    return states, actions, *np.split(np.asarray(seen), [len(FEATURES)], -1)


@pytest.mark.thorough
def test_features_agree_with_plain_python(walked):
    states, actions, seen, counted = walked
    compared = 0
    for lane in range(seen.shape[1]):
        for ply in range(len(seen)):
            now, last = plain.board_of(at(states, ply, lane)), None
            if ply:
                if states.terminated[ply - 1, lane]:
                    break
                before, last = plain.board_of(at(states, ply - 1, lane)), plain.move_of(actions[ply - 1, lane])
            expected = reference.features(now, before if ply else None, last, ply)
            assert dict(zip(NAMES, seen[ply, lane], strict=True)) == pytest.approx(
                dict(zip(NAMES, map(float, expected), strict=True)), abs=1e-5
            )
            assert counted[ply, lane].tolist() == list(map(float, reference.counts(now, ply)))
            compared += 1
    assert compared > 200


@pytest.mark.thorough
def test_every_feature_takes_several_values(walked):
    spread = np.ptp(walked[2].reshape(-1, len(FEATURES)), axis=0)
    assert [name for name, wide in zip(NAMES, spread, strict=True) if wide == 0] == ["DifficultyLevel"]
    assert np.ptp(walked[3].reshape(-1, len(COUNTS)), axis=0).all()


def test_counts_by_hand():
    """No king lies at the bottom of a cascade."""
    node = Node(made(*HAND), made(*HAND), -1, 7, 0)
    seen = dict(zip([one.name for one in COUNTS], counts(node).tolist(), strict=True))
    assert seen["CardsInCells"] == 2
    assert seen["EmptyCascades"] == 2
    assert (seen["NoVacancy"], seen["OneVacancy"]) == (0, 0)
    assert seen["OnNext"] == 0 + 1 + 0 + 2
    assert seen["KingsAtBottom"] == 0
    assert seen["Covering"] == 2 + 1 + 1 + 1  # 9D 8S on 2S; TH on 6S; KH on 7D; KD on 3D
    assert seen["Breaks"] == 1 + 1 + 1 + 1  # 8S fits 9D
    assert seen["Moves"] == 7


@pytest.mark.thorough
def test_shares_are_at_most_1(walked):
    found = np.asarray(shares(walked[2]))
    assert found.max() == 1
    low = found.reshape(-1, len(FEATURES)).min(0)
    assert [name for name, least in zip(NAMES, low, strict=True) if least < 0] == ["DifferenceFromTop", "HeinemanScore"]
