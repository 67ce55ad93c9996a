"""The packed rules against the plain ones: whole games, every option, and as many pits and stones as fit."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mancala.opponents import EVALUATORS, search_twin
from envs.mancala.packed import PackedMancala
from envs.mancala.rules import Mancala
from tests.envs.replays import KEY

FAST = {"xla_backend_optimization_level": 0}  # compilation is most of the time
OPTIONS = [
    {"capture": capture, "ends": ends, "remaining": remaining, "extra_turn": extra}
    for (capture, ends, remaining), extra in zip(
        itertools.product(("opposite", "always", "never"), ("either", "mover"), ("owner", "opponent", "nobody")),
        itertools.cycle((True, True, False)),
        strict=False,
    )
]
SIZES = [{"pits": pits, "stones": stones} for pits, stones in ((1, 3), (4, 4), (7, 15))]

FEW = ((0, {"pits": 4, "stones": 4}), (10, {"pits": 7, "stones": 15}), (14, {"pits": 1, "stones": 3}))
"""Numbers of options that together have every value, with sizes."""


def check_games(game: Mancala, games: int = 64, plies: int = 90) -> None:
    """Play at random; at every ply, all moves of all games must lead to the same position by both rules."""
    packed = PackedMancala(game)
    actions = jnp.arange(game.pits, dtype=jnp.int32)

    def ply(states, key):
        plain = jax.vmap(lambda state: jax.vmap(lambda action: game.step(state, action, KEY))(actions))(states)
        twin = jax.vmap(jax.vmap(packed.unpack))(
            jax.vmap(lambda state: jax.vmap(lambda action: packed.step(packed.pack(state), action, KEY))(actions))(
                states
            )
        )
        back = jax.vmap(lambda state: packed.unpack(packed.pack(state)))(states)
        legal = jax.vmap(game.legal_actions)(states)
        # An ended game may be stepped by any action, an open one by a legal one.
        counts = legal | states.terminated[:, None]

        def same(a, b, where):
            where = where.reshape(where.shape + (1,) * (a.ndim - where.ndim))
            return ((a == b) | ~where).all()

        always = jnp.ones(games, bool)
        equal = jnp.stack(
            [same(a, b, counts) for a, b in zip(jax.tree.leaves(plain), jax.tree.leaves(twin), strict=True)]
            + [same(a, b, always) for a, b in zip(jax.tree.leaves(states), jax.tree.leaves(back), strict=True)]
            + [(legal == jax.vmap(lambda state: packed.legal_actions(packed.pack(state)))(states)).all()]
            + [(jax.vmap(game.lead)(states) == jax.vmap(lambda s: packed.lead(packed.pack(s)))(states)).all()]
        )
        noise = jax.random.uniform(key, legal.shape)
        move = jnp.where(legal, noise, -1).argmax(1)
        return jax.tree.map(lambda x: x[jnp.arange(games), move], plain), equal

    start = jax.vmap(lambda _: game.init(KEY))(jnp.arange(games))
    play = jax.jit(lambda: jax.lax.scan(ply, start, jax.random.split(jax.random.key(0), plies)), compiler_options=FAST)
    ended, equal = play()
    assert equal.all()
    assert ended.terminated.any()


@pytest.mark.thorough
@pytest.mark.parametrize("settings", [{**OPTIONS[n], **size} for n, size in FEW], ids=str)
def test_every_value_of_every_option(settings):
    check_games(Mancala(**settings))


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))
def test_every_option(options):
    check_games(Mancala(**options))


@pytest.mark.slow
@pytest.mark.parametrize("options", SIZES, ids=lambda options: "x".join(map(str, options.values())))
def test_every_size(options):
    check_games(Mancala(**options), plies=150)


@pytest.mark.thorough
def test_random_positions():
    """Boards that play would hardly reach: cells of 0 to 40 stones, so that sowing goes round up to three times."""
    game = Mancala(stones=15)
    packed, rng = PackedMancala(game), np.random.default_rng(0)
    boards = rng.multinomial(game.total, rng.dirichlet(np.full(14, 0.6), 5000)).astype(np.int16)
    pits = np.array([rng.choice(np.flatnonzero(row[:6])) if row[:6].any() else 0 for row in boards], np.int32)
    keep = (boards[np.arange(5000), pits] > 0) & boards[:, 7:13].any(1)
    boards, pits = boards[keep], pits[keep]
    state = game.init(KEY)

    def both(board, pit):
        here = state.replace(board=board)
        return game.step(here, pit, KEY), packed.unpack(packed.step(packed.pack(here), pit, KEY))

    plain, twin = jax.jit(jax.vmap(both))(boards, pits)
    assert len(boards) > 4000
    for a, b in zip(jax.tree.leaves(plain), jax.tree.leaves(twin), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("pits", "stones", "fits"), [(7, 15, True), (8, 4, False), (6, 4, True), (15, 15, False)])
def test_a_twin_where_it_fits(pits, stones, fits):
    game = Mancala(pits, stones)
    assert (search_twin(game) is not None) == fits
    if not fits:
        with pytest.raises(ValueError, match="accepted"):
            PackedMancala(game)


def test_evaluators_take_both():
    game, twin = Mancala(), PackedMancala(Mancala())

    @jax.jit
    def both(actions):
        state, _ = jax.lax.scan(lambda state, action: (game.step(state, action, KEY), None), game.init(KEY), actions)
        packed = twin.pack(state)
        return [(value(game, state), value(twin, packed)) for value in EVALUATORS.values()]

    for plain, packed in both(np.array((2, 5, 0, 3), np.int32)):
        assert plain == packed != 0
