"""The rules and the heuristics against plain Python: random walks, optima, sizes of clusters."""

import jax
import numpy as np
import pytest

from envs.rush_hour import plain
from envs.rush_hour.boards import find, read_shipped
from envs.rush_hour.goals import deduce_places
from envs.rush_hour.heuristics import FEATURES, view
from envs.rush_hour.rules import RushHour, rules_of
from jaxgp.search.puzzles.breadth import explore
from tests.envs.replays import FAST
from tests.envs.rush_hour.walks import Node, at, slide, some, vehicles, walk
from tests.reference import rush_hour as reference

PLIES = 48


def test_plain_python_confirms_a_solution_and_names_the_slide_that_is_wrong():
    game, letters = RushHour(board="JAM01"), [one.letter for one in find("JAM01").vehicles]
    slides = [("A", 1), ("C", -3), ("O", 3), ("P", -1), ("B", -1), ("R", -2), ("Q", 2), ("X", 3)]
    actions = [game.action(letters.index(letter), distance) for letter, distance in slides]
    state = game.position(find("JAM01"))
    plain.prove(game, state, actions)
    with pytest.raises(ValueError, match=r"^the slides do not solve it$"):
        plain.prove(game, state, actions[:-1])
    with pytest.raises(ValueError, match=r"^slide 2, of vehicle X by 3: not legal$"):
        plain.prove(game, state, [actions[0], actions[-1]])
    steps = RushHour(board="JAM01", metric="steps")
    with pytest.raises(ValueError, match=r"^slide 2, of vehicle . by -3: not legal$"):
        plain.prove(steps, state, actions)


def walks(size, metric, count, plies, seed):
    """Rules, boards, and random walks on them."""
    game = rules_of(size, metric)
    boards = some(count, seed, size)
    return game, boards, *walk(game, boards, plies, seed)


@pytest.fixture(scope="module", params=[(6, "moves"), pytest.param((8, "steps"), marks=pytest.mark.slow)], ids=str)
def walked(request):
    return walks(*request.param, count=32, plies=PLIES, seed=1)


@pytest.fixture(scope="module")
def said(walked):
    return said_of(walked[0], walked[2])


def said_of(game, states):
    """What the rules say of all positions of walks, [plies + 1, B]."""

    def look(state):
        return {"legal": game.legal_actions(state), "key": game.key(state), "solved": game.solved(state)}

    return jax.device_get(jax.jit(jax.vmap(jax.vmap(look)), compiler_options=FAST)(states))


def check_rules(game, boards, states, actions, said):
    """Compare every position: legal moves, successors, whether it is solved, and which keys are equal."""
    for lane, board in enumerate(boards):
        keys = {}
        for ply in range(len(actions) + 1):
            position = vehicles(board, at(states, ply, lane))
            ended = reference.is_solved(position, game.size)
            assert ended == said["solved"][ply, lane] == states.terminated[ply, lane]
            legal = [slide(game, board, action) for action in np.flatnonzero(said["legal"][ply, lane])]
            assert set(legal) == (set() if ended else set(reference.slides(position, game.size, game.metric)))
            assert len(legal) <= game.most_choices
            cells, key = reference.write(position, game.size), said["key"][ply, lane].tobytes()
            assert keys.setdefault(cells, key) == key
            if ended or ply == len(actions):
                break
            after = reference.play(position, slide(game, board, actions[ply, lane]))
            assert vehicles(board, at(states, ply + 1, lane)) == after
            assert states.count[ply + 1, lane] == ply + 1
        assert len(set(keys.values())) == len(keys)


def test_random_walks_are_those_of_the_reference(walked, said):
    check_rules(*walked, said)


def features(game, states, actions):
    """Return float32[plies, B, F]: what programs see of each position but the first."""
    before, after = at(states, slice(0, -1)), at(states, slice(1, None))
    depth = np.broadcast_to(np.arange(1, len(actions) + 1, dtype=np.int32)[:, None], actions.shape)

    def see(state, before, action, depth):
        return view(game, None, Node(state, before, action, depth, game.choices(before)))

    return np.asarray(jax.jit(jax.vmap(jax.vmap(see)), compiler_options=FAST)(after, before, actions, depth))


@pytest.fixture(scope="module")
def seen(walked):
    return features(walked[0], *walked[2:])


def check_features(game, boards, states, actions, seen, plies):
    for lane, board in enumerate(boards):
        goal, start = goal_vehicles(board), vehicles(board, at(states, 0, lane))
        goal = {letter: there for letter, there in goal.items() if letter == "X" or there != start[letter]}
        for ply in range(plies):
            if states.terminated[ply + 1, lane]:
                break
            before, after = (vehicles(board, at(states, n, lane)) for n in (ply, ply + 1))
            expected = reference.features(
                game.size,
                goal,
                after,
                before,
                slide(game, board, actions[ply, lane]),
                ply + 1,
                len(list(reference.slides(before, game.size, game.metric))),
                states.level[0, lane],
            )
            np.testing.assert_allclose(seen[ply, lane], np.float32(expected), rtol=1e-6, err_msg=f"{board.name} {ply}")


def test_features_on_random_walks_are_those_of_the_reference(walked, seen):
    check_features(*walked, seen, plies=12)


def test_features_have_names_and_maxima(walked, seen):
    """Only a few nodes lie above the maxima, which conditions take as 1."""
    game = walked[0]
    assert seen.shape[-1] == len(FEATURES)
    most = np.array([feature.maximum(game) for feature in FEATURES])
    assert (seen <= most).mean((0, 1)).min() > 0.98


def goal_vehicles(board):
    """Return the vehicles of the deduced goal board as the reference has them."""
    away = [
        0 if goal is None else goal - one.start for goal, one in zip(deduce_places(board), board.vehicles, strict=True)
    ]
    vehicles, _ = reference.read(board.text)
    return {
        one.letter: reference.slide_vehicle(vehicles[one.letter], far)
        for one, far in zip(board.vehicles, away, strict=True)
    }


def away(board):
    """Return the cells between a board and its deduced goal; the reference tries budgets up to that many."""
    vehicles, _ = reference.read(board.text)
    return sum(reference.distance(there, vehicles[letter]) for letter, there in goal_vehicles(board).items())


@pytest.mark.thorough
def test_deduced_goals_are_those_of_the_reference():
    boards = [*some(40, seed=3), *some(8, seed=4, size=7), *some(8, seed=5, size=8)]
    near = [board for board in boards if away(board) < 10]
    assert len(near) > 20
    for board in near:
        assert goal_vehicles(board) == reference.deduced_goal(board.text), board.name


@pytest.mark.slow
def test_deduced_goals_of_all_lists_are_those_of_the_reference():
    for board in read_shipped():
        if away(board) < 16:
            assert goal_vehicles(board) == reference.deduced_goal(board.text), board.name


@pytest.mark.parametrize("name", ["JAM01", "JAM21", "WAY000"])
def test_optima_are_those_of_a_search_in_plain_python(name):
    board = find(name)
    assert reference.explore(board.text) == (board.moves, board.states, board.goals)
    assert reference.explore(board.text, "steps").optimum == board.steps


@pytest.mark.slow
@pytest.mark.parametrize(
    "board", [*read_shipped("JAM"), *read_shipped()[40::8], *read_shipped("WAY")[::32]], ids=lambda one: one.name
)
def test_optima_and_clusters_of_the_lists(board):
    """Of the hard lists every eighth board, in both metrics, by the reference alone."""
    for metric in ("moves", "steps"):
        assert reference.explore(board.text, metric) == (getattr(board, metric), board.states, board.goals)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["moves", "steps"])
def test_the_search_of_the_engine_finds_the_optima(metric):
    game = rules_of(6, metric)
    for board in read_shipped()[::12]:
        assert explore(game, game.position(board), nearest=True).distance == getattr(board, metric), board.name


@pytest.mark.slow
@pytest.mark.parametrize(("size", "metric"), [(6, "moves"), (6, "steps"), (7, "moves"), (8, "moves"), (8, "steps")])
def test_twenty_thousand_plies_are_those_of_the_reference(size, metric):
    game, boards, states, actions = walks(size, metric, count=160, plies=125, seed=2)
    check_rules(game, boards, states, actions, said_of(game, states))
    check_features(game, boards, states, actions, features(game, states, actions), plies=25)
