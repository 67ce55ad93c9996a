"""All positions of an endgame with their moves: what best play makes of them is what the tables say."""

import numpy as np
import pytest

import envs
from envs.chess.process import process
from jaxgp.errors import UsageError


@pytest.mark.thorough
def test_best_moves_through_the_process_end_it_in_as_many_moves_as_the_table_says():
    of = process(envs.make("chess", endgame="KQK", start="won"))
    # An outcome costs the move to it and, unless it is mate, what the longest defence leaves.
    follows = np.where(of.replies >= 0, of.left[of.replies], 0).max(1)
    ends = np.where(of.won, 1, np.where(follows > 0, 1 + follows, 10**6))
    best = np.where(of.moves >= 0, ends[of.moves], 10**6).min(1)
    assert np.array_equal(best[of.starts], of.left[of.starts])
    assert of.left.max() == 10
    assert (of.left[~of.starts] == 0).all()


@pytest.mark.parametrize(("endgame", "start"), [("KQKR", "won"), ("KQK", "legal")])
def test_endgames_with_too_many_positions_or_other_starts_are_refused(endgame, start):
    with pytest.raises(UsageError, match="KQK and KRK with game"):
        process(envs.make("chess", endgame=endgame, start=start))
