"""All positions of an endgame with their moves: what best play makes of them is what the tables say."""

import numpy as np
import pytest

import envs
from envs.chess import tables
from envs.chess.notation.fen import kinds_of
from envs.chess.tables.process import process
from jaxgp.errors import UsageError


@pytest.mark.thorough
def test_best_moves_through_the_process_end_it_in_as_many_moves_as_the_table_says():
    of = process(envs.make("chess", endgame="KQK", start="won"))
    # An outcome costs the move to it and, unless it is mate, what the longest defence leaves.
    follows = np.where(of.replies >= 0, of.left[of.replies], 0).max(1)
    ends = np.where(of.won, 1, np.where(follows > 0, 1 + follows, 10**6))
    best = np.where(of.moves >= 0, ends[of.moves], 10**6).min(1)
    starts = of.starts | of.unmet
    assert np.array_equal(best[starts], of.left[starts])
    assert of.left.max() == 10
    assert (of.left[~starts] == 0).all()


@pytest.mark.thorough
def test_a_quarter_of_the_starts_is_kept_from_training_each_with_its_mirror_image():
    of = process(envs.make("chess", endgame="KQK", start="won"))
    assert not (of.starts & of.unmet).any()
    assert of.unmet.sum() / (of.starts | of.unmet).sum() == pytest.approx(0.25, abs=0.01)
    at = np.argwhere(tables.table(kinds_of("KQK"))[0] != tables.ILLEGAL)
    king = tables.TRIANGLE[at[:, 0]]
    turned = {tuple(row): n for n, row in enumerate(at.tolist())}
    twins = [turned[a, b % 8 * 8 + b // 8, c % 8 * 8 + c // 8] for a, b, c in at[king % 8 == king // 8].tolist()]
    assert np.array_equal(of.unmet[king % 8 == king // 8], of.unmet[twins])


@pytest.mark.slow
def test_a_taken_rook_leaves_a_process_in_which_the_queen_mates():
    of = process(envs.make("chess", endgame="KQKR", start="won"))
    follows = np.where(of.replies >= 0, of.left[of.replies], 0).max(1)
    ends = np.where(of.won, 1, np.where(follows > 0, 1 + follows, 10**6))
    best = np.where(of.moves >= 0, ends[of.moves], 10**6).min(1)
    assert np.array_equal(best[of.left > 0], of.left[of.left > 0])
    assert of.left.max() == 35
    assert of.left[~(of.starts | of.unmet)].max() == 10


@pytest.mark.parametrize(("endgame", "start"), [("KQKQ", "won"), ("KQK", "legal")])
def test_endgames_with_too_many_positions_or_other_starts_are_refused(endgame, start):
    with pytest.raises(UsageError, match="KQK, KRK, KQKR with game"):
        process(envs.make("chess", endgame=endgame, start=start))
