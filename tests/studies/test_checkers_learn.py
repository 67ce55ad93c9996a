"""Sums that learn to value positions of checkers: the program that is written, and what positions are to be worth."""

import dataclasses
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.checkers import leaves
from envs.checkers.rules import Checkers
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.fitness.matches import Played
from jaxgp.genotypes import language as languages
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.players.ply import random_move
from jaxgp.search.chance import unused_key
from jaxgp.store import champion
from studies.checkers import learn
from studies.checkers.learn import Seen
from studies.checkers.measure import SumsPlayer, leads
from studies.checkers.sums import Sums, read


def positions(game, plies, number):
    """Return states [plies * number] of random games."""

    def play(state, bits):
        after = game.step(state, random_move(game, state, bits), unused_key())
        return after, after

    def one(bits):
        return jax.lax.scan(play, game.init(unused_key()), bits)[1]

    found = jax.jit(jax.vmap(one))(jax.random.bits(jax.random.key(0), (number, plies)))
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), found)


@pytest.mark.thorough
@pytest.mark.parametrize("lead", [False, True])
def test_the_written_program_has_the_values_of_the_sums(lead):
    game = Checkers(size=4, rows=1, lose=True)
    states = positions(game, 8, 200)
    sums = Sums(game, (2,), lead, apart=lead)
    weights = np.random.default_rng(0).normal(size=sums.shape).round(2).astype(np.float32)
    options = leaves.Options(apart=lead)
    primitives = leaves.primitive_set(game, options)
    program = languages.parse(primitives, sums.write(weights))
    seen = jax.vmap(lambda state: leaves.view(game, options, state), out_axes=1)(states)
    found = evaluate(primitives, plan(primitives, jax.tree.map(lambda x: x[None], program)), seen)
    expected = sums.values(jnp.asarray(weights), states)
    assert len(np.unique(sums.which(states))) >= (5 if lead else 2)
    np.testing.assert_allclose(np.ravel(found), expected, atol=1e-5)
    player = SumsPlayer(primitives, game, None, 1, sums=sums)
    whose = jnp.arange(len(expected)) % 2
    played = player.evaluate_leaves(jnp.stack([weights, 2 * weights]), whose, states, jnp.int32(len(expected)))
    going = ~np.asarray(states.terminated)
    np.testing.assert_allclose(played[going], ((1 + whose) * expected)[going], atol=1e-5)
    again, numbers = read(game, primitives, languages.to_text(primitives, program))
    assert again == sums
    np.testing.assert_array_equal(numbers, weights)


def seen_of(**columns):
    """Return plies of one game, a number each."""
    return Seen(states=jnp.zeros(5), **{name: jnp.array(values)[:, None] for name, values in columns.items()})


def test_goals_mix_what_searches_and_later_plies_say_until_a_random_move():
    # The second ply is a jump that goes on, after the third one a random move follows, and the fourth one wins.
    seen = seen_of(
        found=[0.5, 0.4, 0.6, 0.9, 0.3],
        guided=[False, False, False, False, False],
        cut=[False, False, True, False, False],
        ended=[False, False, False, True, False],
        drawn=[False, False, False, False, False],
        result=[0.0, 0.0, 0.0, 1.0, 0.0],
        turned=[True, False, True, True, True],
    )
    fourth, third, fifth = 0.5 * 0.9 + 0.5 * 1.0, 0.6, 0.3
    second = 0.5 * 0.4 + 0.5 * third
    first = 0.5 * 0.5 + 0.5 * (1 - second)
    np.testing.assert_allclose(learn.wanted(seen, 0.5)[:, 0], [first, second, third, fourth, fifth], rtol=1e-6)
    met = seen.replace(guided=seen.guided.at[0].set(True))  # what a guide finds does not count
    np.testing.assert_allclose(learn.wanted(met, 0.5)[0, 0], 1 - second, rtol=1e-6)


@pytest.mark.thorough
def test_the_side_with_more_pieces_gets_more_of_a_draw_and_is_told():
    # White has a king and a man, black a king; white has moved in the first game and black in the second.
    game = Checkers(size=4, rows=1, position="B:WK1,4:BK6")
    state = game.init(unused_key())
    ended = state.replace(terminated=jnp.bool_(True), returns=jnp.zeros(2))
    before, after = (jax.tree.map(lambda x: jnp.stack([x, x]), one) for one in (state, ended))
    before = before.replace(to_move=jnp.array([1, 0]))
    points, drawn = learn.Learner(learn.Options(size=4, rows=1, drawn=0.1))._points(before, after)
    assert drawn.all()
    np.testing.assert_allclose(points, [0.6, 0.4], rtol=1e-6)
    games = Played(jax.tree.map(lambda x: x[None], after), *[None] * (len(dataclasses.fields(Played)) - 1))
    assert leads(games, np.array([0, 1])) == ({-1: 1, 1: 1}, 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("bounds=[8,4]", "bounds=[8,4]: accepted: whole numbers in ascending order"),
        ("size=6", "rows=3: accepted: a whole number from 1 to 2 (two rows of size=6 stay empty)"),
        ("batch=1 plies=2", "passes=4: accepted: a whole number from 1 to 2 (batch games of plies)"),
        ("chunks=3 averaged=5", "averaged=5: accepted: a whole number from 1 to 3 (as many as chunks)"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(wrong, said, capsys):
    assert arguments.main(learn.Options, learn.task, "", wrong.split()) == 2
    assert capsys.readouterr().err == f"error: {said}\n"


@pytest.mark.thorough
def test_learning_that_was_stopped_goes_on_to_the_same_champion(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path))

    def run(name, folder, chunks=20):
        values = ["size=4", "rows=1", "depth=1", "batch=4", "plies=8", "bounds=[2]", f"folder={tmp_path / folder}"]
        return arguments.main(learn.Options, learn.task, "", [*values, f"chunks={chunks}", f"save={tmp_path / name}"])

    assert run("whole.json", "whole") == 0
    kept = next((tmp_path / "whole").glob("*10.npz"))
    (tmp_path / "stopped").mkdir()
    (tmp_path / "stopped" / kept.name).write_bytes(kept.read_bytes())
    assert run("resumed.json", "stopped") == 0
    assert (tmp_path / "whole.json").read_text() == (tmp_path / "resumed.json").read_text()
    assert run("other.json", "stopped", chunks=30) == 2


@pytest.mark.thorough
def test_learning_begins_with_the_mean_of_champions_and_may_end_there(tmp_path):
    options = learn.Options(size=4, rows=1, bounds=[2], apart=True)
    shape = Sums(Checkers(size=4, rows=1), (2,), apart=True).shape
    both = np.random.default_rng(0).integers(-9, 9, (2, *shape)).astype(np.float32)
    paths = [str(tmp_path / name) for name in ("a.json", "b.json")]
    for path, weights in zip(paths, both, strict=True):
        files.save_text("save", Path(path), champion.as_text(learn.written(options, weights)))
    begun = dataclasses.replace(options, begin=paths, chunks=0)
    np.testing.assert_array_equal(learn.learn(begun, tmp_path), both.mean(0))
    with pytest.raises(UsageError, match=r"accepted: champions of learn.py with these rules, bounds, lead and apart"):
        learn.learn(dataclasses.replace(begun, bounds=[1]), tmp_path)
