"""The best turns of many positions at once are those of each position alone, however little room there is."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import many, whole
from tests.envs.backgammon.positions import compiled, random_states

GAME = envs.make("backgammon")
WORTH = np.random.default_rng(7).normal(size=(2, 26)).astype(np.float32)
"""What a man is worth, by side and point: no two turns of a position are worth the same."""


def value(lanes, men, needed):
    """Like a linear player."""
    del lanes, needed
    return sum(side.astype(jnp.float32) @ worth for side, worth in zip(men, WORTH, strict=True))


def doubles(count):
    """States within turns by doubles, of games of random moves; some have men on the bar, some bear off."""
    states = random_states(120, 40)
    where = np.flatnonzero((states.dice[:, 0] == states.dice[:, 1]) & ~states.terminated & (states.moves != 0).any(1))
    return jax.tree.map(lambda x: jnp.asarray(x[where[:count]]), states)


@pytest.mark.thorough
@pytest.mark.parametrize("sizes", [many.SIZES, (16, 64, 0), (16, 5, 0)], ids=str)
def test_positions_for_whose_rows_there_is_no_room_come_later(sizes, monkeypatch):
    states, count = doubles(300), 300
    monkeypatch.setattr(many, "SIZES", sizes)
    rows = jax.jit(jax.vmap(lambda state: whole.whole_turns(GAME, state).lasts != 0))(states).sum(1)
    assert rows[:64].sum() > whole.most_rows(GAME), "those that are looked at together need more rows than there are"
    active = np.arange(count) % 7 != 3
    codes = jax.jit(lambda: many.best_turns(GAME, states, active, value))()
    assert (codes[~active] == 0).all()
    found = jax.vmap(whole.play_turn)(states, codes)
    for n in np.flatnonzero(active)[::4]:
        own, other, used = compiled(GAME)[3](jax.tree.map(lambda x, n=n: x[n], states))
        worth = np.where(used, value(None, (own, other), None), -np.inf)
        best = worth.argmax()
        np.testing.assert_array_equal([x[n] for x in found], [own[best], other[best]])
