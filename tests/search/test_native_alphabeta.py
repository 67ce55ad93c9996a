"""Alpha-beta search in C++ against the lanes of plain XLA: values and nodes to the bit, and what is refused."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.interpreter.calls import Packed
from jaxgp.interpreter.plan import plan
from jaxgp.native import build
from jaxgp.players.searched import SearchedPlayer
from jaxgp.players.searches import draws, searches
from jaxgp.search.alphabeta import AlphaBeta, RootResult
from jaxgp.search.chance import unused_key
from jaxgp.search.native.games import ALPHABETA
from tests.genotypes.generators import ARITHMETIC, PACKED, random_programs
from tests.search.cases import FAST, GAME, PLAIN, POSITIONS, lead
from tests.search.contexts import dealt
from tests.search.games import ListedPassGame, Nim, ReversedPassGame

STATES = PLAIN.states(POSITIONS)
ONE = jax.tree.map(lambda x: x[0], STATES)
BLIND = AlphaBeta(GAME, lead, 2).why_in_lanes(ONE)
pytestmark = pytest.mark.skipif(bool(BLIND), reason=f"not searched natively here: {BLIND}")
ROOTS = 40
GAMES = {
    "Kalah": ("mancala", {}, {}),
    "Kalah, always captures, no extra turns": ("mancala", {"capture": "always", "extra_turn": False}, {}),
    "Kalah, four pits of three stones": ("mancala", {"pits": 4, "stones": 3}, {}),
    "Kalah, nine pits, no twin": ("mancala", {"pits": 9}, {}),
    "Othello": ("othello", {}, {"evaluator": "corner_16"}),
    "Othello, a learned table": ("othello", {}, {"evaluator": "edgar_like"}),
    "Othello, 6 x 6, three plies full width": ("othello", {"size": 6}, {"tail": 3}),
    "checkers": ("checkers", {}, {}),
    "checkers, mobility": ("checkers", {}, {"evaluator": "mobility"}),
    "checkers, 10 x 10": ("checkers", {"size": 10}, {"evaluator": "king_2", "longest": 220}),
    "lose checkers, drawn": ("checkers", {"lose": True}, {"evaluator": "noise"}),
    "Walls": ("walls", {}, {"evaluator": "material"}),
}
FIRST = (("Kalah", "first"), ("lose checkers, drawn", "random"))
CASES = [(name, ties) for name in GAMES for ties in ("first", "random")]


def met(game, number, longest, seed=0):
    """States [number, ...] after random moves: openings, endgames, and games that have ended."""

    def play(key, moves):
        def move(i, state):
            chance = jax.random.fold_in(key, i)
            legal = jnp.where(game.legal_actions(state), 0.0, -jnp.inf)
            action = jnp.where(state.terminated, 0, jax.random.categorical(chance, legal))
            return game.step(state, action.astype(jnp.int32), unused_key())

        return jax.lax.fori_loop(0, moves, move, game.init(key))

    keys = jax.random.split(jax.random.key(seed), number)
    moves = np.random.default_rng(seed).integers(0, longest, number).astype(np.int32)
    return jax.jit(jax.vmap(play), compiler_options=FAST)(keys, moves)


def both_ways(search, monkeypatch, *given, options=FAST) -> tuple[RootResult, RootResult]:
    """Return what C++ finds, and what lanes find, which XLA compiles with options."""
    found = []
    for way in ("on", "off"):
        monkeypatch.setenv(build.SWITCH, way)
        lowered = jax.jit(lambda *given: search.search(*given), compiler_options=options).lower(*given)
        assert (ALPHABETA in lowered.as_text()) == (way == "on")
        found.append(jax.device_get(lowered.compile()(*given)))
    return found[0], found[1]


def agree(native: RootResult, lanes: RootResult, count: int) -> None:
    np.testing.assert_array_equal(native.values, lanes.values)
    np.testing.assert_array_equal(native.nodes, lanes.nodes)
    assert native.iterations == 0 < lanes.iterations
    assert len(np.unique(native.nodes[:count])) > 2
    assert not native.nodes[count:].any()
    assert np.isneginf(native.values[count:]).all()


@pytest.mark.parametrize(
    ("name", "ties"), [x if x in FIRST else pytest.param(*x, marks=pytest.mark.thorough) for x in CASES]
)
def test_games_are_searched_as_in_lanes(name, ties, monkeypatch):
    game, settings, options = GAMES[name]
    spec = envs.spec(game)
    rules, tail = spec.make(**settings), options.get("tail", 2)
    (search,) = searches(spec, rules, options.get("evaluator"), 4, ties, tail, 8)
    states, count = met(rules, ROOTS, options.get("longest", 90)), jnp.int32(ROOTS - 3)
    assert 0 < states.terminated.sum() < ROOTS
    depth = np.random.default_rng(1).integers(search.tail, 5, ROOTS).astype(np.int32)
    contexts, whose = draws(search, jax.random.bits(jax.random.key(2), (ROOTS,)))
    agree(*both_ways(search, monkeypatch, states, depth, count, contexts, whose), ROOTS - 3)


@pytest.mark.thorough
@pytest.mark.parametrize("plies", [6, 7])
def test_deep_searches_of_kalah_are_as_in_lanes(plies, monkeypatch):
    spec = envs.spec("mancala")
    (search,) = searches(spec, spec.make(), None, plies, "random", 2, 64)
    depth = jnp.full(200, plies, jnp.int32)
    agree(*both_ways(search, monkeypatch, met(spec.make(), 200, 40, seed=3), depth, jnp.int32(200)), 200)


def noise(state):
    """Zeros of both signs, subnormal numbers, infinities and what is no number, drawn by a hash; ended games too."""
    worth = np.array([0, -0.0, 1e-45, -1e-45, np.nan, np.inf, -np.inf, 3.2e38, 1, -7, 2e38, 1e-30], "f4")
    mixed = (state.cells.astype(jnp.uint32) * np.array([7, 31, 101, 211, 401, 17], np.uint32)).sum()
    return jnp.asarray(worth)[(mixed + 5 * state.to_move.astype(jnp.uint32)) % len(worth)]


@pytest.mark.few(4)
@pytest.mark.parametrize("form", ["plain", "listed", "twin"])
@pytest.mark.parametrize("tail", [3, 1, 2])
def test_any_values_are_compared_as_in_lanes(form, tail, monkeypatch):
    game = ListedPassGame(GAME.rows) if form == "listed" else GAME
    twin = ReversedPassGame(GAME) if form == "twin" else None
    evaluate = (lambda state: noise(state.board)) if twin else noise
    search = AlphaBeta(game, evaluate, 5, tail=tail, lanes=8, narrow=8, twin=twin, ties="all")
    depth = np.random.default_rng(tail).integers(tail, 6, len(POSITIONS)).astype(np.int32)
    agree(*both_ways(search, monkeypatch, STATES, depth, jnp.int32(55)), 55)


def seen(state):
    """The eight features of `ARITHMETIC`."""
    return jnp.append(state.cells, jnp.stack([state.to_move, 1])).astype(jnp.float32)


def seen_packed(state):
    """What `PACKED` reads: a word, whose bit is whether a cell is odd, and the numbers."""
    odd = (state.cells % 2).astype(jnp.uint32)
    return Packed((odd << jnp.arange(len(odd), dtype=jnp.uint32)).sum(dtype=jnp.uint32)[None], seen(state))


def seen_in_pits(state):
    """Fourteen features, which programs of Kalah read by a computed number."""
    return jnp.concatenate([seen(state), state.cells.astype(jnp.float32)])


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("primitives", "view"),
    [(ARITHMETIC, seen), (PACKED, seen_packed), (primitive_set(Mancala(), Options()), seen_in_pits)],
    ids=["plain", "packed", "features by number"],
)
@pytest.mark.parametrize("mover", [True, False])
def test_programs_value_the_leaves_of_their_own_searches(primitives, view, mover, monkeypatch):
    player = SearchedPlayer(primitives, GAME, view, 4, mover, tail=2, lanes=8)
    plans = plan(primitives, random_programs(5, primitives, 6, 31))
    at, whose, count = dealt(ROOTS, len(POSITIONS), 6, seed=4)
    states = jax.tree.map(lambda x: x[at], STATES)
    depth = jnp.full(ROOTS, 4, jnp.int32)
    native, lanes = both_ways(player.search(), monkeypatch, states, depth, count, plans, whose)
    agree(native, lanes, int(count))
    assert len({row.tobytes() for row in native.values}) > 6


LEAVES = {
    "Kalah": ("mancala", {}, "leaf", {}),
    "Othello": ("othello", {}, "leaf", {"features": "position_regions"}),
    "Othello, values of moves": ("othello", {}, "move", {"weights": "path"}),
    "checkers": ("checkers", {"lose": True}, "leaf", {"mobility": "both"}),
    "checkers, ten trees": ("checkers", {"size": 10}, "leaf", {"trees": "ten"}),
}
"""Programs with factors or weights, most on packed features."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", LEAVES)
def test_programs_of_games_value_leaves_as_in_lanes(name, optimized, monkeypatch):
    game, settings, kind, asked = LEAVES[name]
    spec = envs.spec(game)
    rules, role = spec.make(**settings), spec.role(kind)
    language, player = role.make(rules, role.options(depth=3, **asked))
    programs = [random_programs(k, language, 10, 63, int(root)) for k, root in enumerate(language.root_type)]
    plans = player.prepare(jax.tree.map(lambda *trees: jnp.stack(trees, 1), *programs))
    at, whose, count = dealt(ROOTS, ROOTS, 10, seed=4)
    states = jax.tree.map(lambda x: x[at], met(rules, ROOTS, 90))
    native, lanes = both_ways(player.search(), monkeypatch, states, jnp.full(ROOTS, 3), count, plans, whose, options={})
    agree(native, lanes, int(count))
    assert len({row.tobytes() for row in native.values}) > 9


def test_a_context_beyond_the_last_one_is_the_last_one(monkeypatch):
    spec = envs.spec("checkers")
    rules = spec.make(lose=True)
    (search,) = searches(spec, rules, "noise", 3, "random", 1, 8)
    states, depth = met(rules, 6, 20), jnp.full(6, 3, jnp.int32)
    draw = jax.random.bits(jax.random.key(1), (4,))
    native, lanes = both_ways(search, monkeypatch, states, depth, jnp.int32(6), draw, jnp.array([0, 1, 2, 3, 4, 90]))
    np.testing.assert_array_equal(native.values, lanes.values)


@pytest.mark.parametrize("count", [-1, 0, 99])
def test_no_more_roots_are_searched_than_there_are(count, monkeypatch):
    search = AlphaBeta(GAME, lead, 3, tail=1, lanes=8)
    depth = jnp.full(len(POSITIONS), 3, jnp.int32)
    native, lanes = both_ways(search, monkeypatch, STATES, depth, jnp.int32(count))
    np.testing.assert_array_equal(native.nodes, lanes.nodes)
    assert bool(native.nodes.any()) == (count > 0)


def test_roots_deeper_than_the_greatest_depth_are_searched_to_it(monkeypatch):
    monkeypatch.setenv(build.SWITCH, "on")
    search = AlphaBeta(GAME, lead, 3, tail=1, lanes=8)
    run = jax.jit(lambda depth: search.search(STATES, jnp.full(len(POSITIONS), depth), jnp.int32(20)))
    np.testing.assert_array_equal(run(90).values, run(3).values)


def test_populations_side_by_side_are_searched_one_after_the_other(monkeypatch):
    monkeypatch.setenv(build.SWITCH, "on")
    search = AlphaBeta(GAME, lead, 3, tail=1, lanes=8)
    depth = jnp.full(20, 3, jnp.int32)
    some = jax.tree.map(lambda x: x[:40].reshape(2, 20, *x.shape[1:]), STATES)
    found = jax.jit(jax.vmap(lambda states: search.search(states, depth, jnp.int32(20)).values))(some)
    for k in range(2):
        alone = jax.jit(search.search)(jax.tree.map(lambda x, k=k: x[k], some), depth, jnp.int32(20)).values
        np.testing.assert_array_equal(found[k], alone)


def test_an_evaluator_that_xla_may_round_otherwise_is_refused():
    def weighed(state):
        return state.cells[4] * jnp.float32(0.3) + state.cells[5] * jnp.float32(0.7)

    assert AlphaBeta(GAME, weighed, 2).why_in_lanes(ONE) == "add of a product, which XLA may round once for both"


def test_rules_without_a_translation_are_refused():
    class Sorted(type(GAME)):
        def legal_actions(self, state):
            return super().legal_actions(state)[jnp.argsort(jnp.arange(self.num_actions))]

    assert AlphaBeta(Sorted(GAME.rows), lead, 2).why_in_lanes(ONE) == "sort has no translation"


def test_states_of_which_a_search_would_keep_too_many_bytes_are_refused():
    search = AlphaBeta(Nim((3, 3, 2)), lambda state: jnp.float32(0), 2)
    wide = jax.tree.map(lambda x: jax.ShapeDtypeStruct((3 * 2**20, *x.shape[1:]) if x.ndim else (), x.dtype), ONE)
    assert search.why_in_lanes(wide) == "the children of a state take more than 16777216 bytes"


def test_what_is_switched_off_or_misnamed_is_told(monkeypatch):
    search = AlphaBeta(GAME, lead, 2)
    monkeypatch.setenv(build.SWITCH, "off")
    assert search.why_in_lanes(ONE) == "JAXGP_NATIVE=off"
    monkeypatch.setenv(build.SWITCH, "on")
    monkeypatch.setenv("CXX", "/no/such/compiler")
    assert "/no/such/compiler" in search.why_in_lanes(ONE)
    depth = jnp.full(len(POSITIONS), 2, jnp.int32)
    assert jax.jit(search.search)(STATES, depth, jnp.int32(5)).iterations > 0


def test_equal_searches_are_written_down_once():
    assert AlphaBeta(GAME, lead, 2)._ahead == AlphaBeta(GAME, lead, 2)._ahead
    game = replace(GAME)
    assert hash(AlphaBeta(game, lead, 2)._ahead) == hash(AlphaBeta(GAME, lead, 2)._ahead)


def test_a_game_with_many_moves_needs_no_list():
    """Nim has more actions than get code of their own in lanes."""
    game = Nim((3, 3, 2))
    assert AlphaBeta(game, lambda state: jnp.float32(0), 2).why_in_lanes(game.init()) == ""
