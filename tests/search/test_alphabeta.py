"""Alpha-beta against plain minimax in Python: values, ties, and the machinery of lanes and queues."""

import itertools
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mancala.packed import PackedMancala
from envs.mancala.rules import Mancala
from envs.mancala.rules import State as KalahState
from jaxgp.search.alphabeta import AlphaBeta, best_moves, with_result
from tests.reference import kalah
from tests.search.games import Nim, PassGame, TicTacToe

KALAH = Mancala()
TWIN = PackedMancala(KALAH)


def lead(state):
    """Store difference; the board of an ended game is swept, so the same formula serves."""
    return (state.board[6].astype(jnp.int32) - state.board[13]).astype(jnp.float32)


def random_positions(number: int, seed: int = 0) -> list[kalah.Position]:
    """Positions met in random play, some of them ended games."""
    rng = np.random.default_rng(seed)
    found: list[kalah.Position] = []
    while len(found) < number:
        position: kalah.Position = (((4,) * 6 + (0,),) * 2, 0)
        line = [position]
        while legal := kalah.moves(position):
            position = kalah.play(position, int(rng.choice(legal)))
            line.append(position)
        found += [line[i] for i in rng.choice(len(line), min(len(line), 6), replace=False)]
    return found[:number]


def as_states(positions) -> KalahState:
    boards = np.array([board[mover] + board[1 - mover] for board, mover in positions], np.int8)
    movers = np.array([mover for _, mover in positions], np.int32)
    terminated = np.array([kalah.ended(position) for position in positions])
    returns = np.sign([kalah.lead(position) for position in positions]) * terminated
    return KalahState(boards, movers, terminated, np.stack([returns, -returns], 1).astype(np.float32))


def expected(positions, depths) -> np.ndarray:
    """float32[Q, A]: minimax values of the best moves, -inf elsewhere."""
    rows = np.full((len(positions), 6), -np.inf, np.float32)
    for row, position, depth in zip(rows, positions, depths, strict=True):
        values = kalah.move_values(position, int(depth))
        for pit in values:
            if values[pit] == max(values.values()):
                row[pit] = values[pit]
    return rows


def jitted(search: AlphaBeta):
    """Compile without optimizing: searches of tests are short, and compilation is most of their time."""
    return jax.jit(search.search, compiler_options={"xla_backend_optimization_level": 0})


@cache
def searcher(**options):
    return jitted(AlphaBeta(options.pop("game", KALAH), options.pop("evaluate", lead), **options))


def run(positions, depths, count=None, **options):
    """Search Kalah positions to max depth 5; pad to 200, so that compiled searches are shared between tests."""
    count = len(positions) if count is None else count
    padding = -len(positions) % 200
    states = as_states([*positions, *[positions[0]] * padding])
    depths = jnp.asarray(np.pad(np.broadcast_to(depths, len(positions)), (0, padding), mode="edge"), jnp.int32)
    # Every width of the loop costs seconds to compile: one, unless asked for more.
    options = {"narrow": options["lanes"], "twin": TWIN, **options}
    options.setdefault("evaluate", lead if options["twin"] is None else TWIN.lead)
    result = searcher(max_depth=5, **options)(states, depths, jnp.int32(count))
    rows = len(positions)
    return result.replace(values=result.values[:rows], nodes=result.nodes[:rows])


def check(positions, depths, result, ties):
    want = expected(positions, np.broadcast_to(depths, len(positions)))
    values = np.asarray(result.values)
    if ties == "all":
        np.testing.assert_array_equal(values, want)
    else:
        np.testing.assert_array_equal(values.argmax(1), want.argmax(1))
        np.testing.assert_array_equal(values.max(1), want.max(1))
        assert (np.isneginf(values) | (values == want)).all()


POSITIONS = random_positions(200)


@pytest.mark.parametrize("ties", ["first", "all"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_equals_plain_minimax(depth, ties):
    check(POSITIONS, depth, run(POSITIONS, depth, tail=1, lanes=16, ties=ties), ties)


@pytest.mark.parametrize(("tail", "ties"), [(2, "first"), (3, "all")])
def test_every_tail_and_mixed_depths(tail, ties):
    depths = np.random.default_rng(1).integers(tail, 6, len(POSITIONS))
    check(POSITIONS, depths, run(POSITIONS, depths, tail=tail, lanes=16, ties=ties), ties)


@pytest.mark.slow
@pytest.mark.parametrize(("tail", "ties"), [(1, "first"), (1, "all"), (2, "first"), (2, "all")])
def test_equals_plain_minimax_on_a_thousand_positions(tail, ties):
    positions = random_positions(1000, seed=7)
    for depth in range(tail, 6):
        check(positions, depth, run(positions, depth, tail=tail, lanes=64, ties=ties), ties)


def worst_first(state, action):
    """An ordering that is as wrong as can be: by the opposite of the truth one ply ahead."""
    child = TWIN.step(state, action)
    return jnp.where(child.to_move == state.to_move, -TWIN.lead(child), TWIN.lead(child))


def last_first(state, action):
    return action.astype(jnp.float32)


@pytest.mark.parametrize(("order", "ties"), [(worst_first, "first"), (last_first, "all")])
def test_the_order_of_search_changes_no_answer(order, ties):
    positions = POSITIONS[:60]
    check(positions, 4, run(positions, 4, tail=2, lanes=8, order=order, ties=ties), ties)


@pytest.mark.parametrize("ties", ["first", "all"])
def test_a_game_without_a_twin(ties):
    check(POSITIONS, 4, run(POSITIONS, 4, tail=2, lanes=16, ties=ties, twin=None), ties)


def test_ties_are_exact_at_zero_where_a_float_step_is_subnormal():
    def balanced(position):
        values = list(kalah.move_values(position, 2).values())
        return values.count(0) > 1 and max(values) == 0

    positions = [position for position in POSITIONS if balanced(position)]
    assert positions
    check(positions, 2, run(positions, 2, tail=1, lanes=16, ties="all"), "all")


def noise(state):
    """A value with all bits in use, different in almost every position; far apart in size, of both signs."""
    mixed = jnp.uint32(0)
    for word in (state.own, state.own_store, state.other, state.other_store):
        mixed = (mixed ^ word) * np.uint32(0x9E3779B1)
        mixed ^= mixed >> 15
    sign = jnp.where(mixed & 1, 1.0, -1.0)
    return sign * jnp.exp((mixed % 1000).astype(jnp.float32) / 50 - 10)


def test_any_evaluator():
    """All tails agree to the bit on an evaluator without structure."""
    roots = as_states(POSITIONS[:40])
    depth, count = jnp.full(40, 3, jnp.int32), jnp.int32(40)
    options = {"evaluate": noise, "twin": TWIN, "max_depth": 3, "lanes": 8, "narrow": 8}
    full = searcher(**options, tail=3, ties="all")(roots, depth, count)
    stacked = searcher(**options, tail=1, ties="all")(roots, depth, count)
    np.testing.assert_array_equal(stacked.values, full.values)
    first = searcher(**options, tail=2, ties="first")(roots, depth, count)
    np.testing.assert_array_equal(first.values.argmax(1), full.values.argmax(1))
    np.testing.assert_array_equal(first.values.max(1), full.values.max(1))


@pytest.mark.parametrize("count", [0, 1, 3, 20])
def test_only_the_first_count_roots_are_searched(count):
    positions = POSITIONS[:20]
    result = run(positions, 4, count, tail=2, lanes=8, narrow=2, ties="all")
    np.testing.assert_array_equal(result.values[:count], expected(positions[:count], [4] * count))
    assert np.isneginf(result.values[count:]).all()
    assert (np.asarray(result.nodes[count:]) == 0).all()
    assert (np.asarray(result.nodes[:count]) > 0).all()
    assert (count > 0) == (int(result.iterations) > 0)


def test_each_root_of_a_batch_equals_a_search_alone():
    batch = run(POSITIONS, 4, tail=2, lanes=16, ties="first")
    for index in range(0, 200, 10):
        alone = run([POSITIONS[index]], 4, tail=2, lanes=16, ties="first")
        np.testing.assert_array_equal(alone.values[0], batch.values[index])
        assert alone.nodes[0] == batch.nodes[index]


def test_lock_step_and_any_number_of_lanes_find_the_same():
    free = run(POSITIONS, 4, tail=2, lanes=16, ties="first")
    locked = run(POSITIONS, 4, tail=2, lanes=16, ties="first", lock_step=True)
    one = run(POSITIONS, 4, tail=2, lanes=1)
    for other in (locked, one):
        np.testing.assert_array_equal(free.values, other.values)
        np.testing.assert_array_equal(free.nodes, other.nodes)
    assert free.iterations < locked.iterations < one.iterations
    assert one.iterations == one.nodes.sum()


def test_one_trace_for_every_depth_and_count():
    traces = 0

    def counted(states, depth, count):
        nonlocal traces
        traces += 1
        return AlphaBeta(KALAH, TWIN.lead, 4, lanes=4, narrow=4, twin=TWIN).search(states, depth, count)

    search = jax.jit(counted, compiler_options={"xla_backend_optimization_level": 0})
    states = as_states(POSITIONS[:8])
    for depth, count in itertools.product((2, 3, 4), (0, 5, 8)):
        search(states, jnp.full(8, depth, jnp.int32), jnp.int32(count))
    assert traces == 1


def test_best_moves_marks_ties_and_nothing_else():
    values = jnp.array([[1.0, -jnp.inf, 1.0], [-jnp.inf, 0.0, -jnp.inf], [-jnp.inf, -jnp.inf, -jnp.inf]])
    assert best_moves(values).tolist() == [[True, False, True], [False, True, False], [False] * 3]


@pytest.mark.parametrize("options", [{"tail": 0}, {"tail": 6}, {"lanes": 0}, {"narrow": 0}, {"ties": "some"}])
def test_refuses_options_it_cannot_serve(options):
    with pytest.raises(ValueError, match="accepted"):
        AlphaBeta(KALAH, lead, 5, **options)


def plain_values(game, evaluate, state, depth):
    """Minimax of any game, as seat 0 sees it, by its own step: checks the search, not the game."""
    step, legal = jax.jit(game.step), jax.jit(game.legal_actions)

    @cache
    def value(line, left):
        state = reached(line)
        actions = np.flatnonzero(legal(state))
        if left == 0 or not len(actions):
            return float(evaluate(state)) * (1 if int(state.to_move) == 0 else -1)
        return (max, min)[int(state.to_move)](value((*line, int(a)), left - 1) for a in actions)

    @cache
    def reached(line):
        return step(reached(line[:-1]), line[-1]) if line else state

    sign = 1 if int(state.to_move) == 0 else -1
    return {int(a): sign * value((int(a),), depth - 1) for a in np.flatnonzero(legal(state))}


def search_one(game, evaluate, state, depth, tail, **options):
    states = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
    search = AlphaBeta(game, evaluate, depth, tail=tail, lanes=1, narrow=1, **options)
    return jitted(search)(states, jnp.array([depth], jnp.int32), jnp.int32(1))


def nothing(state):
    return jnp.float32(0)


def test_tic_tac_toe_is_a_draw_whatever_the_opening_move():
    result = search_one(TicTacToe(), with_result(nothing, 1.0), TicTacToe().init(), 9, 2, ties="all")
    assert result.values.tolist() == [[0.0] * 9]


def test_tic_tac_toe_must_block_and_wins_when_it_can():
    game = TicTacToe()
    state = game.init()
    for action in (0, 4, 1):  # seat 1 must stop 0-1-2
        state = game.step(state, jnp.int32(action))
    result = search_one(game, with_result(nothing, 1.0), state, 6, 1, ties="all")
    assert result.values.argmax(1).tolist() == [2]
    assert best_moves(result.values).sum() == 1
    for action in (8, 2):  # seat 1 errs, seat 0 wins
        state = game.step(state, jnp.int32(action))
    assert bool(state.terminated)


@pytest.mark.parametrize(("heaps", "tail"), [((1, 2, 3), 2), ((1, 2, 2), 1)])
def test_nim_is_lost_exactly_where_the_heaps_xor_to_zero(heaps, tail):
    game = Nim(heaps)
    result = search_one(game, with_result(nothing, 1.0), game.init(), sum(heaps), tail, ties="all")
    lost = np.bitwise_xor.reduce(heaps) == 0
    assert result.values.max() == (-1.0 if lost else 1.0)
    winning = [
        heap * game.most + take - 1
        for heap, stones in enumerate(heaps)
        for take in range(1, stones + 1)
        if np.bitwise_xor.reduce([*heaps[:heap], stones - take, *heaps[heap + 1 :]]) == 0
    ]
    if not lost:
        assert np.flatnonzero(best_moves(result.values)[0]).tolist() == winning


@pytest.mark.parametrize(("tail", "depth"), [(1, 6), (3, 9)])
def test_a_game_of_passes_and_extra_turns(depth, tail):
    game = PassGame()

    def points(state):
        difference = (state.cells[4] - state.cells[5]).astype(jnp.float32)
        return jnp.where(state.to_move == 0, difference, -difference)

    want = plain_values(game, points, game.init(), depth)
    best = max(want.values())
    result = search_one(game, points, game.init(), depth, tail, ties="all")
    assert result.values[0].tolist() == [want.get(a, -np.inf) if want.get(a) == best else -np.inf for a in range(3)]


def test_an_ended_root_gets_no_values():
    ended = next(position for position in random_positions(200) if kalah.ended(position))
    assert np.isneginf(run([ended], 3, tail=2, lanes=16, ties="first").values).all()


def test_a_value_that_is_not_a_number_is_the_worst():
    def partly(state):
        return jnp.where(state.board[6] == 1, jnp.nan, lead(state))

    opening = as_states([(((4,) * 6 + (0,),) * 2, 0)])
    search = AlphaBeta(KALAH, partly, 1, tail=1)
    result = jitted(search)(opening, jnp.array([1], jnp.int32), jnp.int32(1))
    assert np.isfinite(result.values.max())
