"""TD(lambda) for the network of backgammon: its corrections against plain NumPy, its games, and going on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.backgammon import network
from jaxgp.config import arguments
from jaxgp.store import checkpoint
from studies import backgammon_learn as learn
from studies.backgammon_learn import Options
from tests.envs.backgammon.positions import random_states

pytestmark = pytest.mark.thorough

SMALL = ("games=5", "batch=4", "hidden=3", "measured=0")
LAMBDA = 0.6


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Plain:
    """TD(lambda) as in the book, of one game, in NumPy.

    All predictions are those of the side that plays first: that it wins, wins a gammon, loses one. What the network
    says of a position of the other side is turned to this view first, so traces need no turning.
    """

    def __init__(self, weights):
        names = [(layer, part) for layer in ("hidden", "output") for part in ("kernel", "bias")]
        self.weights = {name: np.asarray(weights[name[0]][name[1]], float) for name in names}
        self.traces = [{name: np.zeros_like(w) for name, w in self.weights.items()} for _ in range(3)]

    def predictions(self, inputs, first):
        """The three predictions, and the gradient of each."""
        w1, b1, w2, b2 = self.weights.values()
        hidden = sigmoid(inputs @ w1 + b1)
        out = sigmoid(hidden @ w2 + b2)
        found = []
        for k in range(3):
            back = np.zeros(3)
            back[k] = out[k] * (1 - out[k])
            to_hidden = (w2 @ back) * hidden * (1 - hidden)
            gradients = (np.outer(inputs, to_hidden), to_hidden, np.outer(hidden, back), back)
            found.append((out[k], dict(zip(self.weights, gradients, strict=True))))
        win, gammon, lost = found
        if first:
            return found
        return [(1 - win[0], {name: -g for name, g in win[1].items()}), lost, gammon]

    def correction(self, inputs, first, reached):
        """The growth of the weights by the step from a position to what follows, both in the view of the first side."""
        total = {name: np.zeros_like(w) for name, w in self.weights.items()}
        for k, (value, gradient) in enumerate(self.predictions(inputs, first)):
            for name, trace in self.traces[k].items():
                trace *= LAMBDA
                trace += gradient[name]
                total[name] += (reached[k] - value) * trace
        return total

    def grow(self, by, rate):
        for name, w in self.weights.items():
            w += rate * by[name]


def test_corrections_equal_plain_numpy_over_a_game_with_changing_weights():
    states = random_states(240, 16)
    six = states.own[40:46], states.other[40:46]  # positions of sides in turn
    inputs = np.asarray(jax.jit(network.encode)(*six))
    weights = jax.tree.map(lambda x: 2 * x, network.first_weights(jax.random.key(3), 5))
    plain = Plain(weights)
    # Two games side by side: the first is one position behind, and its traces begin anew. Only it is followed in plain.
    other = inputs[::-1]
    traces = jax.tree.map(lambda x: jnp.ones((2, 3, *x.shape)), weights)
    result = np.array([1.0, 1.0, 0.0])  # the side that plays last wins a gammon
    step, outputs = jax.jit(lambda *x: learn.correct(*x, LAMBDA)), jax.jit(network.outputs)
    for turn in range(7):
        begun = jnp.array([turn > 0, False])
        before = jnp.stack([inputs[max(turn - 1, 0)], other[max(turn - 1, 0)]])
        reached = outputs(weights, jnp.stack([inputs[min(turn, 5)], other[min(turn, 5)]]))
        if turn == 6:
            reached = jnp.stack([result, result])
        growth, traces = step(weights, traces, before, begun, reached)
        if turn == 0:
            assert all(not leaf.any() for leaf in jax.tree.leaves((growth, traces)))
            continue
        # The positions 0, 2 and 4 are of the first side; the result is that of position 6.
        target = [value for value, _ in plain.predictions(inputs[min(turn, 5)], turn % 2 == 0)]
        wanted = plain.correction(inputs[turn - 1], turn % 2 == 1, result if turn == 6 else target)
        for (layer, part), expected in wanted.items():
            np.testing.assert_allclose(growth[layer][part], expected, rtol=1e-4, atol=1e-6)
        weights = jax.tree.map(lambda w, g: w + 0.5 * g, weights, growth)
        plain.grow(wanted, 0.5)
    assert np.abs(np.asarray(weights["output"]["bias"])).max() > 0.05


def learned(folder, *given):
    options = arguments.parse(Options, [*SMALL, f"folder={folder}", *given])
    return network.write_weights(learn.learn(options, folder))


@pytest.mark.slow
def test_weights_follow_from_the_seed_and_a_killed_learning_goes_on_to_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(learn, "CHUNK", 30)
    first = learned(tmp_path / "first", "seed=3")
    assert learned(tmp_path / "other", "seed=4") != first
    save = checkpoint.save

    def killed(folder, turns, *rest):
        save(folder, turns, *rest)
        if turns == 60:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "save", killed)
    with pytest.raises(KeyboardInterrupt):
        learned(tmp_path / "again", "seed=3")
    turns = []
    monkeypatch.setattr(checkpoint, "save", lambda folder, at, *rest: turns.append(at))
    assert learned(tmp_path / "again", "seed=3") == first
    assert turns[0] == 90
    assert learned(tmp_path / "first", "seed=3") == first  # it has ended, and plays no more


def test_every_turn_goes_on_from_the_position_before():
    now = jax.jit(lambda: learn.begin(arguments.parse(Options, SMALL)))()
    go_on = learn.learner(5, 0.7, Options.rate, Options.last_rate)
    begun, ended = np.asarray(now.begun), 0
    for turn in range(1, 2000):
        sides, states = (np.asarray(now.states.own), np.asarray(now.states.other)), now.states
        luck = np.asarray(states.rolls)
        now = go_on(now, turn)
        if int(now.turns) < turn:
            break
        won = np.asarray(now.own)[:, 0] == 15
        ended += won.sum()
        np.testing.assert_array_equal(np.asarray(now.own).sum(1), 15)
        np.testing.assert_array_equal(np.asarray(now.other).sum(1), 15)
        # Men of the side that has played moved on; the next turn is the other side's, or the first one of a new game.
        points = np.arange(26)
        assert ((sides[0] * points).sum(1) >= (np.asarray(now.own) * points).sum(1)).all()
        assert ((sides[1] * points).sum(1) <= (np.asarray(now.other) * points).sum(1)).all()
        np.testing.assert_array_equal(np.asarray(now.states.own)[~won], np.asarray(now.other)[~won])
        np.testing.assert_array_equal(np.asarray(now.states.rolls), np.where(won, 0, luck + 1))
        np.testing.assert_array_equal(np.asarray(now.begun), ~won)
        assert int(now.ended) == ended
    assert not begun.any()
    assert ended >= 5


def test_checkpoints_of_other_options_are_refused(tmp_path, capsys):
    folder = tmp_path / "folder"
    checkpoint.save(folder, 1, {"x": jnp.zeros(2)}, "other")
    given = [*SMALL, f"folder={folder}", f"save={tmp_path}/new.csv"]
    assert arguments.main(Options, learn.task, "", given) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: folder={folder}"[:60])
    assert "accepted: one without checkpoints, or with those of the same options" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("batch=0", "batch=0: accepted: a whole number from 1 to 4096"),
        ("hidden=many", "hidden=many: accepted: a whole number from 1 to 1000"),
        ("lam=1.5", "lam=1.5: accepted: a number from 0 to 1"),
        ("rate=0", "rate=0.0: accepted: a number above 0 up to 1"),
        ("save=no/such/folder/x", "save=no/such/folder/x: cannot be written (No such file or directory)"),
    ],
)
def test_wrong_options_are_named(given, said, capsys):
    assert arguments.main(Options, learn.task, "", [given]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"
