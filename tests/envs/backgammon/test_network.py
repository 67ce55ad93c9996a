"""The network for backgammon: what it sees, what it says of ended games, its file, and the turns that it plays."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import many, network, pubeval, whole
from envs.backgammon.rules import Backgammon
from jaxgp.bits import pick
from jaxgp.errors import UsageError
from tests.envs.backgammon.positions import as_tuple, full, random_states, reached
from tests.envs.replays import FAST

GAME = envs.make("backgammon")
OPENING = full(p24=2, p13=5, p8=3, p6=5)
NONE, ONE, TWO, THREE, FIVE = [0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]


def sides(own, other):
    """What the network sees: the units of each point, then the bar and the men borne off, for both sides."""
    seen = np.asarray(network.encode(jnp.asarray(own), jnp.asarray(other)))
    assert seen.shape == (196,)
    return [(half[:96].reshape(24, 4).tolist(), half[96:].tolist()) for half in (seen[:98], seen[98:])]


def small(hidden=4, seed=0):
    """Weights that are large enough to tell positions apart."""
    return jax.tree.map(lambda x: 3 * x, network.first_weights(jax.random.key(seed), hidden))


def plain_outputs(weights, own, other):
    """The three outputs in plain Python and NumPy, in 64 bits."""
    seen = []
    for men in (own, other):
        for point in range(1, 25):
            seen += [men[point] >= 1, men[point] >= 2, men[point] >= 3, max(men[point] - 3, 0) / 2]
        seen += [men[25] / 2, men[0] / 15]
    units = np.array(seen, float)
    for layer in ("hidden", "output"):
        kernel, bias = (np.asarray(weights[layer][name], float) for name in ("kernel", "bias"))
        units = 1 / (1 + np.exp(-(units @ kernel + bias)))
    return units


def plain_value(weights, own, other):
    if own[0] == 15:
        return 1 if other[0] else 3 if sum(other[19:]) else 2
    win, gammon, lost = plain_outputs(weights, own, other)
    return 2 * win - 1 + gammon - lost


@pytest.mark.thorough
def test_it_sees_the_opening():
    expected = {24: TWO, 13: FIVE, 8: THREE, 6: FIVE}
    units = [expected.get(point, NONE) for point in range(1, 25)]
    assert sides(OPENING, OPENING) == [(units, [0, 0])] * 2


def test_it_sees_the_bar_men_borne_off_and_both_sides_apart():
    (mine, rest), (theirs, others) = sides(full(p1=1, p3=4), full(p2=2, p24=7, bar=3))
    assert mine == [ONE, NONE, [1, 1, 1, 0.5], *[NONE] * 21]
    assert rest == [0, pytest.approx(10 / 15)]
    assert theirs == [NONE, TWO, *[NONE] * 21, [1, 1, 1, 2]]
    assert others == [1.5, pytest.approx(3 / 15)]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("other", "points"),
    [
        (full(p6=14), 1),  # one man is off, though others are on their way
        (full(p24=2, p1=12), 1),
        (full(p18=1, p6=14), 2),  # the point before the winner's home
        (full(p19=1, p6=14), 3),
        (full(bar=1, p6=14), 3),
    ],
)
def test_ended_games_have_their_exact_points(other, points):
    won = full()
    value = lambda game: float(jax.jit(partial(network.value, game))(small(), won, other))  # noqa: E731
    assert value(GAME) == points == plain_value(None, won, other)
    assert value(Backgammon(gammons=False)) == 1
    assert jax.jit(network.result)(won, other).tolist() == [1, points > 1, 0]


@pytest.mark.thorough
def test_values_equal_plain_python():
    states = random_states(240, 16)
    rows = np.flatnonzero(~states.terminated)[::40]
    own, other = states.own[rows], states.other[rows]
    weights = small(hidden=7)
    ours = network.value(GAME, weights, jnp.asarray(own), jnp.asarray(other))
    assert ours.shape == rows.shape
    assert float(ours.max() - ours.min()) > 0.3
    theirs = [plain_value(weights, *row) for row in zip(own.tolist(), other.tolist(), strict=True)]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


@pytest.mark.slow
def test_it_plays_turns_of_the_highest_value():
    states = random_states(240, 16)
    some = jax.tree.map(lambda x: x[np.flatnonzero(~states.terminated)[::100]], states)
    weights, count = small(), len(some.terminated)

    def best(weights, some):
        turns = many.best_turns(GAME, some, jnp.ones(count, bool), network.make_valuer(GAME, weights), random=False)
        return jax.vmap(whole.play_turn)(some, turns)

    chosen = jax.jit(best, compiler_options=FAST)(weights, some)
    for n in range(count):
        values = {men: plain_value(weights, *men) for men in reached(GAME, jax.tree.map(lambda x, n=n: x[n], some))}
        assert values[tuple(as_tuple(men[n]) for men in chosen)] == pytest.approx(max(values.values()), abs=1e-5)


def test_the_learned_weights_know_who_is_ahead():
    weights = network.read_learned()

    def value(own, other):
        return float(network.value(GAME, weights, jnp.asarray(own), jnp.asarray(other)))

    assert -0.3 < value(OPENING, OPENING) < 0.1  # the other side is to roll
    ahead, behind = full(p1=2), full(p6=8, p5=4)
    assert value(ahead, behind) > 0.9
    assert value(behind, ahead) < -0.9
    assert value(full(p1=2), full(p20=10, p6=5)) > 1.7  # gammon is near
    assert value(full(p20=10, p6=5), full(p1=2)) < -1.7
    six, closed = full(p6=15), full(bar=2, p1=13)
    assert value(closed, six) < value(six, closed)


def test_weights_survive_their_file(tmp_path):
    weights, path = small(), tmp_path / "some.csv"
    path.write_text(network.write_weights(weights))
    read = network.read(path)
    assert jax.tree.structure(read) == jax.tree.structure(weights)
    for one, other in zip(jax.tree.leaves(read), jax.tree.leaves(weights), strict=True):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1e-4)
    assert network.write_weights(read) == path.read_text()


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "some.csv"
    good = network.write_weights(small()).splitlines()
    for rows, said in (
        ([], "0 rows, but there are at least 4"),
        (good[:-1], "row 4 has 197 numbers, and needs 4"),
        ([*good[:2], good[2].rpartition(",")[0], *good[3:]], "row 3 has 196 numbers, and needs 197"),
        ([good[0].replace(good[0].split(",")[5], "x"), *good[1:]], "could not convert string to float: 'x'"),
        ([*good[:-1], "1,2,3,4,inf"], "a number is not finite"),
    ):
        path.write_text("\n".join(rows))
        with pytest.raises(UsageError) as error:
            network.read(path)
        assert str(error.value).startswith(f"{path}: no weights of a network ({said}")
    with pytest.raises(UsageError, match=r"nowhere\.csv: no weights of a network"):
        network.read(tmp_path / "nowhere.csv")


def test_it_is_made_for_fifteen_men():
    spec = envs.spec("backgammon")
    with pytest.raises(UsageError, match=r"game\.variant=hypergammon: accepted: standard; network plays with 15 men"):
        spec.strategy_of("network", envs.make("backgammon", variant="hypergammon"))
    assert spec.strategy_of("network", GAME) == network.NetworkPlayer(GAME)
    assert spec.strategies == ("pubeval", "network")


@pytest.mark.slow
def test_it_beats_random_moves_and_pubeval():
    """1,000 games against each; 55 % against Pubeval would be 1.5 standard errors above what is asked for here."""
    player, games = network.player(GAME), 1000
    rivals = {"random": lambda state, bits: pick(GAME.legal_actions(state), bits), "pubeval": pubeval.player(GAME)}
    for name, rival in rivals.items():

        def ply(carry, rival=rival):
            states, seat, number = carry
            key = jax.random.fold_in(jax.random.key(7), number)
            drawn, chance = jax.random.split(key)
            bits, mine = jax.random.bits(drawn, (games,)), states.to_move == seat
            own = player.together(states, bits, mine)
            if isinstance(rival, pubeval.Pubeval):
                other = rival.together(states, bits, ~mine)
            else:
                other = jax.vmap(rival)(states, bits)
            moves = jnp.where(mine, own, other)
            return jax.vmap(GAME.step)(states, moves, jax.random.split(chance, games)), seat, number + 1

        start = jax.vmap(GAME.init)(jax.random.split(jax.random.key(8), games)), jnp.arange(games) % 2, jnp.int32(0)
        play = jax.jit(lambda start, ply=ply: jax.lax.while_loop(lambda c: ~c[0].terminated.all(), ply, start))
        states, seat, _ = play(start)
        won = float((states.returns[jnp.arange(games), seat] > 0).mean())
        print(f"{won:.1%} won against {name}")
        assert won > (0.99 if name == "random" else 0.5)
