"""Games between programs and opponents, against the same games played one by one in plain Python."""

import jax
import numpy as np
import pytest

from jaxgp.fitness.matches import mean_by_opponent, play, seats
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.players.options import Opponent
from jaxgp.players.panel import opponent
from jaxgp.run.assemble import creator
from tests.fitness.mancala_table import config, kalah, population
from tests.reference import kalah as reference

DEPTH = 3
VALUE = jax.jit(evaluate_programs, static_argnums=0)


def seated(at, made):
    create = creator(at.language, made.algorithm)
    return tuple(opponent(one, at, create, made.fitness) for one in made.fitness.opponents.values())


def panel(at, **opponents):
    return seated(at, config(**opponents))


def played(at, programs, opponents, seed=0, memories=None):
    @jax.jit
    def run(key, programs):
        own = memories or tuple(o.init(jax.random.fold_in(key, 1000 + i)) for i, o in enumerate(opponents))
        plans = at.actor.prepare(programs)
        return play(key, at.game, at.actor, plans, opponents, own, 400)

    return run(jax.random.key(seed), programs)


def scores(at, result):
    return np.asarray(jax.vmap(jax.vmap(at.game.score))(result.states))


def reference_scores(at, program, seat):
    """Play one game by hand: the program's value modulo 6, on to the next pit with stones; the search's first best."""
    value = lambda features: VALUE(at.language, jax.tree.map(lambda x: x[None], program), features)[0, 0, 0]  # noqa: E731
    position = reference.start()
    while moves := reference.moves(position):
        board, mover = position
        if mover == seat:
            features = np.array([*board[mover], *board[1 - mover]], np.float32)
            wanted = int(value(features[None, :, None])) % 6
            pit = next(p % 6 for p in range(wanted, wanted + 6) if p % 6 in moves)
        else:
            values = reference.move_values(position, DEPTH)
            pit = next(p for p in moves if values[p] == max(values.values()))
        position = reference.play(position, pit)
    return [side[-1] for side in position[0]]


def test_games_against_the_search_equal_those_of_plain_python_from_both_seats():
    at, programs = kalah(), population(kalah(), 8)
    result, _ = played(at, programs, panel(at, search={"depth": DEPTH}))
    ours = scores(at, result)
    for i in range(8):
        program = jax.tree.map(lambda x, i=i: x[i], programs)
        for seat in (0, 1):
            assert list(ours[i, seat]) == reference_scores(at, program, seat), (i, seat)


def test_what_the_table_remembers_changes_nothing_but_the_work():
    at, programs = kalah(), population(kalah(), 12)
    opponents = panel(at, search={"depth": DEPTH}, loose={"depth": 2, "ties": "random", "games": 2})
    cold, memories = played(at, programs, opponents)
    warm, _ = played(at, programs, opponents, memories=memories)
    made = config(search={"depth": DEPTH}, loose={"depth": 2, "ties": "random", "games": 2})
    made.fitness.table_size = 2
    tiny = seated(at, made)
    forgetful, _ = played(at, programs, tiny)
    assert (scores(at, cold) == scores(at, warm)).all()
    assert (scores(at, cold) == scores(at, forgetful)).all()
    # A few positions share a slot and push each other out.
    assert int(warm.searches) * 20 <= int(cold.searches) < int(cold.replies)
    assert int(forgetful.searches) > int(cold.searches)


def test_random_games_depend_on_the_seed_and_stones_are_conserved():
    at, programs = kalah(), population(kalah(), 4)
    opponents = panel(at, chance={"kind": "random", "games": 8})
    first, again, other = (scores(at, played(at, programs, opponents, seed)[0]) for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()
    assert (first.sum(-1) == 48).all()


def test_programs_sit_opposite_in_turn():
    """Two programs that meet each other: what one scores as first mover, its opponent scores against it as second."""
    at = kalah()
    programs = population(at, 3, seed=5)
    bench = panel(at, peers={"kind": "programs", "count": 3})
    memory = bench[0].seat(programs)
    result, _ = played(at, programs, bench, memories=(memory,))
    points = scores(at, result).reshape(3, 2, 3, 2)  # individual, its seat, its opponent, points by seat
    for a in range(3):
        for b in range(3):
            assert (points[a, 0, b] == points[b, 1, a]).all()


def test_a_forfeited_game_is_lost_and_keeps_the_store():
    at = kalah(move="forfeit")
    programs = population(at, 16)
    result, _ = played(at, programs, panel(at, chance={"kind": "random", "games": 1}))
    early = np.asarray(result.plies) < 4
    assert early.any()
    lost = np.asarray(result.states.returns)[early]
    seat = np.broadcast_to(seats(panel(at, chance={"kind": "random", "games": 1})), early.shape)[early]
    assert (lost[np.arange(len(lost)), seat] == -1).all()


def test_points_are_averaged_by_opponent_and_seat():
    at = kalah()
    opponents = panel(at, a={"kind": "random", "games": 2}, b={"kind": "random", "games": 1})
    assert list(seats(opponents)) == [0, 0, 1, 1, 0, 1]
    means = mean_by_opponent(opponents, np.array([[1.0, 3.0, 5.0, 7.0, 9.0, 11.0]]))
    assert means.tolist() == [[[2.0, 6.0], [9.0, 11.0]]]


def test_champions_take_the_place_of_the_oldest():
    at = kalah()
    (bench,) = panel(at, ancestors={"kind": "champions", "count": 2})
    memory, best = bench.init(jax.random.key(0)), population(at, 1, seed=9)
    best = jax.tree.map(lambda x: x[0], best)
    same = bench.observe(memory, best, np.bool_(False))
    assert jax.tree.all(jax.tree.map(lambda a, b: (a == b).all(), same, memory))
    once = bench.observe(memory, best, np.bool_(True))
    twice = bench.observe(once, best, np.bool_(True))
    assert [int(m.newest) for m in (once, twice)] == [1, 0]
    assert jax.tree.all(jax.tree.map(lambda a, b: (a[1] == b).all(), once.programs, best))
    assert jax.tree.all(jax.tree.map(lambda a, b: (a == b[None]).all(), twice.programs, best))


@pytest.mark.parametrize("kind", ["search", "random", "programs", "champions"])
def test_every_kind_of_opponent_finishes_its_games(kind):
    at = kalah()
    result, _ = played(at, population(at, 2), panel(at, one=Opponent(kind=kind, depth=2, count=2).__dict__))
    assert np.asarray(result.states.terminated).all()
