"""Games between programs and opponents, against the same games played one by one in plain Python."""

from types import SimpleNamespace
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.fitness.matches import mean_by_opponent, play, seats
from jaxgp.players.panel import FixedPlayer, RandomOpponent
from jaxgp.players.search import SearchOpponent
from jaxgp.run.assemble import creator
from jaxgp.search.alphabeta import AlphaBeta
from tests.envs.replays import KEY
from tests.fitness.mancala_table import config, kalah, population
from tests.host.games import DICE
from tests.players.keyed_nim import KeyedNim
from tests.reference import kalah as reference
from tests.reference.evaluator import evaluate_program

DEPTH = 3
CALLS = {
    "ADD": np.add,
    "SUB": np.subtract,
    "IF_<_DO_ELSE_": lambda a, b, then, other: np.where(a < b, then, other),
    "VALUE_AT": lambda board, index: sum((index == cell) * stones for cell, stones in enumerate(board)),
}


def seated(at, made):
    create = creator(at.language, made.algorithm)
    return tuple(one.seat(at, create, made.fitness) for one in made.fitness.opponents.values())


def panel(at, **opponents):
    return seated(at, config(**opponents))


def playing(at, opponents):
    """Compile games of programs against a panel: (seed, programs, memories) -> games, memories."""

    @jax.jit
    def run(seed, programs, memories):
        key = jax.random.key(seed)
        return play(key, at.game, at.actor, at.actor.prepare(programs), opponents, memories, 400)

    return run


@pytest.fixture(scope="module")
def table():
    """Eight programs, one opponent of each kind, and the games between them, compiled once."""
    at = kalah()
    opponents = panel(
        at,
        search={"depth": DEPTH},
        chance={"kind": "random", "games": 8},
        peers={"kind": "program", "count": 2},
        ancestors={"kind": "champion", "count": 2},
    )
    search, chance, peers, ancestors = opponents
    bench = jax.jit(peers.init)  # what champions begin with is made alike
    empty = search.init(KEY), chance.init(KEY), bench(jax.random.key(1)), bench(jax.random.key(2))
    programs = jax.tree.map(lambda a, b: np.concatenate([a, b]), empty[2].programs, population(at, 6))
    run = playing(at, opponents)
    return SimpleNamespace(
        at=at,
        programs=programs,
        run=lambda seed=0, memories=empty: run(seed, programs, memories),
        games=[int(count) for count in np.cumsum([0] + [2 * one.games for one in opponents])],
        empty=empty,
        bench=ancestors,
    )


@pytest.fixture(scope="module")
def first(table):
    """The games of seed 0, and what the opponents remember of them."""
    return table.run()


def scores(at, result):
    return np.asarray(jax.vmap(jax.vmap(at.game.score))(result.states))


def reference_scores(at, program, seat):
    """Play one game by hand: the program's value modulo 6, on to the next pit with stones; the search's first best."""
    tree = jax.tree.map(lambda x: np.asarray(x)[0], program)
    position = reference.start()
    while moves := reference.moves(position):
        board, mover = position
        if mover == seat:
            features = np.array([*board[mover], *board[1 - mover]], np.float32)
            wanted = int(evaluate_program(at.language, CALLS, tree, features[:, None])[0]) % 6
            pit = next(p % 6 for p in range(wanted, wanted + 6) if p % 6 in moves)
        else:
            values = reference.move_values(position, DEPTH)
            pit = next(p for p in moves if values[p] == max(values.values()))
        position = reference.play(position, pit)
    return [side[-1] for side in position[0]]


def part(table, values, number):
    """What belongs to the games against one of the opponents."""
    return values[:, table.games[number] : table.games[number + 1]]


def test_games_against_the_search_equal_those_of_plain_python_from_both_seats(table, first):
    ours = part(table, scores(table.at, first[0]), 0)
    for i in range(8):
        program = jax.tree.map(lambda x, i=i: x[i], table.programs)
        for seat in (0, 1):
            assert list(ours[i, seat]) == reference_scores(table.at, program, seat), (i, seat)


def test_what_the_table_remembers_spares_the_work(table, first):
    cold, memories = first
    warm, _ = table.run(memories=memories)
    assert (scores(table.at, cold) == scores(table.at, warm)).all()
    assert int(warm.searches) * 20 <= int(cold.searches) < int(cold.replies)


class Lottery:
    """A player whose every move is drawn; its plans are the numbers of individuals."""

    random: ClassVar[bool] = True

    def count(self, plans):
        return len(plans)

    def act(self, plans, states, bits, active=None):
        legal = jax.vmap(jax.vmap(NIM.legal_actions))(states)
        nth = (bits % jnp.maximum(legal.sum(-1), 1).astype(jnp.uint32)).astype(jnp.int32)
        moves = jnp.argmax(legal & (legal.cumsum(-1) > nth[..., None]), -1)
        return moves[..., None], legal.any(-1)


NIM = KeyedNim((1, 2, 3))


@pytest.mark.slow
def test_what_the_table_remembers_changes_nothing_but_the_work():
    """Not even which of the best moves is drawn."""
    search = AlphaBeta(NIM, lambda state: -jnp.float32(state.cells.sum() % 3 == 1), 2, tail=1, lanes=4, ties="all")

    def run(slots):
        opponent = SearchOpponent(search, 2, slots, games=3)
        go = jax.jit(lambda memories: play(jax.random.key(0), NIM, Lottery(), np.arange(6), (opponent,), memories, 9))
        return go, (opponent.init(jax.random.key(0)),)

    roomy, empty = run(256)
    cold, memories = roomy(empty)
    warm, _ = roomy(memories)
    tiny, empty = run(2)
    forgetful, _ = tiny(empty)
    for other in (warm, forgetful):
        np.testing.assert_array_equal(cold.behaviour, other.behaviour)
        np.testing.assert_array_equal(cold.states.returns, other.states.returns)
    assert int(warm.searches) == 0 < int(cold.searches) < int(cold.replies)
    assert int(forgetful.searches) > int(cold.searches)


@pytest.mark.slow
def test_what_the_table_remembers_of_kalah_changes_nothing_but_the_work():
    at, programs = kalah(), population(kalah(), 12)
    made = config(search={"depth": DEPTH}, loose={"depth": 2, "ties": "random", "games": 2})

    def run():
        opponents = seated(at, made)
        return playing(at, opponents), tuple(one.init(jax.random.key(0)) for one in opponents)

    roomy, empty = run()
    cold, memories = roomy(0, programs, empty)
    warm, _ = roomy(0, programs, memories)
    made.fitness.table_size = 2
    tiny, empty = run()
    forgetful, _ = tiny(0, programs, empty)
    assert (scores(at, cold) == scores(at, warm)).all()
    assert (scores(at, cold) == scores(at, forgetful)).all()
    # A few positions share a slot and push each other out.
    assert int(warm.searches) * 20 <= int(cold.searches) < int(cold.replies)
    assert int(forgetful.searches) > int(cold.searches)


def test_random_games_depend_on_the_seed_and_stones_are_conserved(table, first):
    one, again, other = (part(table, scores(table.at, result), 1) for result, _ in (first, table.run(0), table.run(1)))
    assert (one == again).all()
    assert (one != other).any()
    assert (one.sum(-1) == 48).all()


def test_programs_sit_opposite_in_turn(table, first):
    """Programs that meet each other: what one scores as first mover, its opponent scores against it as second."""
    points = part(table, scores(table.at, first[0]), 2).reshape(8, 2, 2, 2)  # one, its seat, its opponent, by seat
    for a in range(2):
        for b in range(2):
            assert (points[a, 0, b] == points[b, 1, a]).all()


@pytest.mark.thorough
def test_a_forfeited_game_is_lost_and_keeps_the_store():
    at = kalah(move="forfeit")
    opponents = panel(at, chance={"kind": "random", "games": 1})
    result, _ = playing(at, opponents)(0, population(at, 16), ((),))
    early = np.asarray(result.plies) < 4
    assert early.any()
    lost = np.asarray(result.states.returns)[early]
    seat = np.broadcast_to(seats(opponents), early.shape)[early]
    assert (lost[np.arange(len(lost)), seat] == -1).all()


def test_points_are_averaged_by_opponent_and_seat():
    at = kalah()
    opponents = panel(at, a={"kind": "random", "games": 2}, b={"kind": "random", "games": 1})
    assert list(seats(opponents)) == [0, 0, 1, 1, 0, 1]
    means = mean_by_opponent(opponents, np.array([[1.0, 3.0, 5.0, 7.0, 9.0, 11.0]]))
    assert means.tolist() == [[[2.0, 6.0], [9.0, 11.0]]]


def test_champions_take_the_place_of_the_oldest(table):
    bench, memory = table.bench, jax.device_get(table.empty[-1])
    best = jax.tree.map(lambda x: x[0], population(table.at, 1, seed=9))
    observe = jax.jit(lambda memory, improved: bench.observe(memory, best, improved))
    same = observe(memory, np.bool_(False))
    jax.tree.map(np.testing.assert_array_equal, same, memory)
    once = observe(memory, np.bool_(True))
    twice = observe(once, np.bool_(True))
    assert [int(m.newest) for m in (once, twice)] == [1, 0]
    once, twice = jax.device_get((once, twice))
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a[1], b), once.programs, best)
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, [b, b]), twice.programs, best)


def test_every_kind_of_opponent_finishes_its_games(table, first):
    result, _ = first
    assert [part(table, np.asarray(result.states.terminated), number).all() for number in range(4)] == [True] * 4


@pytest.mark.thorough
def test_both_games_of_a_pair_begin_alike_where_starts_are_drawn():
    """The die of the opening, before any ply."""

    def begin(paired):
        walker, opponents = FixedPlayer(lambda state, bits: jnp.int32(0)), (RandomOpponent(DICE, games=12),)
        played, _ = play(jax.random.key(0), DICE, walker, np.arange(2), opponents, ((),), 0, paired=paired)
        return np.asarray(played.states.die).reshape(2, 2, 12)

    alike, apart = begin(True), begin(False)
    assert (alike[:, 0] == alike[:, 1]).all()
    assert len(np.unique(alike)) > 1
    assert (apart[:, 0] != apart[:, 1]).any()
