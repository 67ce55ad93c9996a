"""Pubeval against plain Python, and against the figures that come with its weights."""

import importlib.util
import json
import os
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import pubeval
from jaxgp.bits import pick
from jaxgp.errors import UsageError
from tests.envs.backgammon.positions import as_tuple, compiled, full, random_states, reached, state_of

GAME = envs.make("backgammon")
SHARED = Path(os.environ.get("JAXGP_SHARED", Path(__file__).parents[4] / "shared"))
OPENING = full(p24=2, p13=5, p8=3, p6=5)


def plain_score(racing, own, other):
    """The value of a position after a turn, in plain Python: point by point, in 64 bits."""
    if own[0] == 15:
        return 99999999.0
    seen = []
    for point in range(24, 0, -1):
        mine, blot = own[point], other[25 - point] == 1
        seen += [blot, mine == 1, mine >= 2, mine == 3, (mine - 3) / 2 if mine >= 4 else 0]
    seen += [other[25] / 2, own[0] / 15]
    return sum(float(w) * float(v) for w, v in zip(pubeval.weights()[int(racing)], seen, strict=True))


def sampled(count):
    states = random_states(240, 16)
    live = np.flatnonzero(~states.terminated)
    return jax.tree.map(lambda x: x[live[:: len(live) // count][:count]], states)


@pytest.mark.thorough
def test_values_equal_plain_python_on_thousands_of_positions():
    states = sampled(2000)
    ours = jax.jit(jax.vmap(pubeval.score))(states.racing, states.own, states.other)
    theirs = [plain_score(*row) for row in zip(states.racing, states.own.tolist(), states.other.tolist(), strict=True)]
    assert states.racing.sum() > 50
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-5)


def test_values_of_the_opening():
    values = [float(pubeval.score(jnp.bool_(racing), jnp.asarray(OPENING), jnp.asarray(OPENING))) for racing in (0, 1)]
    assert values == pytest.approx([6.84055, 9.93903], abs=1e-5)


def test_values_equal_the_shared_reference():
    if not (SHARED / "recipes/pubeval_ref.py").is_file():
        pytest.skip("the reference of Pubeval is not here; JAXGP_SHARED names its folder")
    located = importlib.util.spec_from_file_location("pubeval_ref", SHARED / "recipes/pubeval_ref.py")
    reference = importlib.util.module_from_spec(located)
    located.loader.exec_module(reference)
    weights = json.loads((SHARED / "data/pubeval_weights.json").read_text("utf-8"))
    np.testing.assert_array_equal(pubeval.weights(), np.array([weights["wc"], weights["wr"]], np.float32))
    states = sampled(2000)
    ours = jax.jit(jax.vmap(pubeval.score))(states.racing, states.own, states.other)
    for n, value in enumerate(np.asarray(ours).tolist()):
        own, other = states.own[n].tolist()[1:], states.other[n].tolist()[1:]
        begins = int(states.left[n].sum()) in (2, 4) and states.left[n][0] != 2
        if begins:  # within a turn the position at its beginning counts
            assert reference.is_race(own, other) == bool(states.racing[n])
        theirs = reference.score(weights, bool(states.racing[n]), reference.encode(own, other))
        assert value == pytest.approx(theirs, abs=2e-5)


@pytest.mark.slow
def test_it_plays_a_turn_with_the_highest_value():
    player, states = pubeval.Pubeval(GAME), sampled(20)
    act = jax.jit(lambda state: player(state, jnp.uint32(0)))
    step = compiled(GAME)[0]
    for n in range(20):
        state = jax.tree.map(lambda x, n=n: x[n], states)
        values = {sides: plain_score(state.racing, *sides) for sides in reached(GAME, state)}
        at = state
        while not at.terminated and int(at.to_move) == int(state.to_move):
            at = step(at, act(at), jax.random.key(n))
        sides = (at.own, at.other) if at.terminated else (at.other, at.own)
        assert values[tuple(map(as_tuple, sides))] == pytest.approx(max(values.values()), abs=2e-5)


@pytest.mark.thorough
def test_a_race_is_judged_before_the_turn():
    """White breaks contact with the first man; the second is still chosen by the weights for contact."""
    own, other = full(p12=1, p6=7, p3=7), full(p15=1, p2=7, p1=7)
    state = state_of(GAME, own, other, (3, 1))
    after = compiled(GAME)[0](state, jnp.int32(2 * 25 + 11), jax.random.key(0))
    assert int(after.own[9]) == 1
    assert not bool(state.racing)
    assert not bool(after.racing)
    assert bool(state_of(GAME, after.own, after.other, (3, 1)).racing)


def test_it_is_made_for_fifteen_men():
    spec = envs.spec("backgammon")
    with pytest.raises(UsageError, match=r"game\.variant=hypergammon: accepted: standard; pubeval plays with 15 men"):
        spec.strategy_of("pubeval", envs.make("backgammon", variant="hypergammon"))
    with pytest.raises(UsageError, match="strategy=gnubg: accepted: pubeval"):
        spec.strategy_of("gnubg", GAME)


@pytest.mark.slow
def test_random_moves_hardly_ever_win_against_it():
    """1,000 games; of 4,000 games in plain Python random moves won 0.25 %, and lost 2.52 points a game."""
    player, games = pubeval.Pubeval(GAME), 1000

    def ply(carry):
        states, key = carry
        key, drawn, chance = jax.random.split(key, 3)

        def one(state, seat, bits, rolled):
            other = pick(GAME.legal_actions(state), bits)
            move = jnp.where(state.to_move == seat, player(state, bits), other)
            return GAME.step(state, move, rolled)

        bits = jax.random.bits(drawn, (games,))
        return jax.vmap(one)(states, jnp.arange(games) % 2, bits, jax.random.split(chance, games)), key

    start = jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), games))
    play = jax.jit(lambda start: jax.lax.while_loop(lambda c: ~c[0].terminated.all(), ply, (start, jax.random.key(1))))
    states, _ = play(start)
    points = np.asarray(jax.vmap(GAME.score)(states))
    mine = np.arange(games) % 2
    own, other = points[np.arange(games), mine], points[np.arange(games), 1 - mine]
    print(f"{(other > 0).mean():.2%} lost, {(own - other).mean():+.2f} points a game, {(own > 1).mean():.1%} gammons")
    assert (other > 0).mean() < 0.012
    assert 2.3 < (own - other).mean() < 2.7
