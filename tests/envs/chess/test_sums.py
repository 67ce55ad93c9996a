"""Sums of weighted terminals and products: what they add up, and that they play by it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
import jaxgp
from envs.chess.language import After, view
from envs.chess.sums import weighed
from jaxgp.anatomy.reasons.reasons import explain
from jaxgp.errors import UsageError
from jaxgp.genotypes.programs import Programs
from jaxgp.seats.options import player

NAMES = ("MyKingDistEdges", "OppKingProximityToEdges", "1000*IsMate", "IsOppKingInCheck")
POSITION = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"


@pytest.fixture(scope="module")
def cast():
    options = {"terminals": ",".join(NAMES)}
    game = {"endgame": "KRK", "start": "fen", "fen": POSITION}
    return jaxgp.take(envs.spec("chess"), **game, role="sum", options=options)


def individual(cast, **weights):
    """Return an individual [1, T, 2], as wide as one from a file, with these weights of terms, 0 elsewhere."""
    at = [cast.language.roots.index(name.replace("_", "&")) for name in weights]
    value = np.zeros((1, len(cast.language.roots), 2), np.float32)
    value[0, at, 0] = list(weights.values())
    one = np.ones(value.shape, np.int16)
    opcodes = one * np.arange(value.shape[1], dtype=np.int16)[:, None]
    return Programs(opcodes, value, one, np.ones(value.shape[:2], np.int32))


def test_terms_are_terminals_squares_of_numbers_and_products_of_two(cast):
    assert len(weighed.terms(NAMES)) == 4 + 2 + 6
    after = After(jnp.array([[63, 45], [45, 0]], jnp.int8)[None], jnp.ones((1, 2, 2), jnp.int8), jnp.zeros(1, bool))
    terms = np.asarray(weighed.multiplied(NAMES, weighed.look(NAMES, after)))[:, 0]
    seen = dict(zip(cast.language.roots, terms, strict=True))
    edge, near = np.asarray(view(after, NAMES))[:2, 0]
    assert seen["MyKingDistEdges&MyKingDistEdges"] == edge**2
    assert seen["MyKingDistEdges&OppKingProximityToEdges"] == edge * near


@pytest.mark.thorough
def test_moves_that_mate_are_worth_the_weight_of_mate_and_are_played(cast):
    state = cast.game.init(jax.random.key(0))
    mating = cast.actor.prepare(individual(cast, **{"1000*IsMate": 0.5, "MyKingDistEdges_IsOppKingInCheck": -0.25}))
    moves, legal = jax.jit(cast.actor.act)(mating, jax.tree.map(lambda x: x[None, None], state), jnp.uint32([[0]]))
    assert legal.all()
    after = cast.game.step(state, moves[0, 0, 0], jax.random.key(0))
    assert after.terminated
    assert after.returns.tolist() == [1, -1]


def test_values_are_sums_without_rounding_errors(cast):
    seen = np.zeros((len(NAMES), 2), np.float32)
    seen[0], seen[2, 1] = [3.0, 1.0], 1.0

    @jax.jit
    def both(one, seen):
        plans = cast.actor.prepare(one)
        owned = cast.actor.evaluate_owned(plans, jnp.zeros(2, jnp.int32), seen, jnp.int32(2))
        return cast.actor.evaluate(plans, seen), owned

    values, owned = both(individual(cast, MyKingDistEdges=0.75, **{"1000*IsMate": -1.0}), seen)
    assert values.tolist() == [[0.75, 0.25 - 1.0]]
    assert owned.tolist() == [0.75, -0.75]


@pytest.mark.parametrize("names", ["IsMate", "IsMyFork,IsMyFork"])
def test_terminals_that_are_none_or_are_named_twice_are_refused(names):
    with pytest.raises(UsageError, match="each once of NotMyKingInCheck"):
        jaxgp.take(envs.spec("chess"), role="sum", options={"terminals": names})


def test_why_it_moves_is_told_by_the_largest_terms_after_the_best_move(cast):
    weights = {"1000*IsMate": 0.5, "MyKingDistEdges_IsOppKingInCheck": -0.25}
    one = jax.tree.map(lambda x: x[0], individual(cast, **weights))
    told = explain(cast, player("champion"), one, jax.jit(cast.game.init)(jax.random.key(0)))
    assert told.moves[0][0] == "R-a8"
    assert told.moves[0][1] == pytest.approx(0.5 - 0.25 / 3, abs=2**-12)
    assert told.says.endswith("largest terms are 1000*IsMate +0.500, MyKingDistEdges&IsOppKingInCheck -0.083.")
