"""What every game of turns promises the engine. A new game is tested by being a folder under `envs/`."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.arrays import is_legal
from jaxgp.contracts import ListsMoves, Puzzle
from jaxgp.games.outside import load
from jaxgp.spec import lacks
from tests.envs.replays import FAST, KEY, TURNS, USUAL, stepping

PLIES = 60
GAMES = 32
TRIED = 16
"""Actions that are tried in every state of a game which has more of them: the first legal ones, and as many others."""
SETTINGS = {
    "rush_hour": {"board": ".A..../.A..../XX..B./....B./...CC./......"},
    "backgammon": {"variant": "hypergammon"},
    "chess": {"start": "fen", "fen": "8/8/6K1/8/8/k7/1r6/3Q4 w - - 90 1"},
}
"""Settings under which random games end soon, of games that do not end so by default."""


VARIANTS = [
    ("backgammon", {"variant": "hypergammon"}),
    ("chess", {"endgame": "KQRKQR,KBNK", "plies": 40, "adjudicate": "material", "repetition": True}),
    ("checkers", {"size": 10, "rows": 4, "lose": True}),
    ("freecell", {"supermoves": "strict", "autoplay": "safe"}),
    ("mancala", {"capture": "always", "extra_turn": False, "ends": "mover"}),
    ("morpion", {"variant": "5D", "size": 41}),
    ("othello", {"size": 10}),
    ("rush_hour", {"size": 8, "board": "BIG001", "metric": "steps"}),
    ("walls", {"size": 7, "majority_ends": True}),
]
"""Other rules of each game."""
MANY = 128
"""Numbers that are tried as actions where a game has more than these."""
FIXTURES = Path(__file__).parents[1] / "fixtures"
OUTSIDE = ("connect_four", "dice", "nim")


STANDING = [name for name in USUAL if name != "backgammon"]
"""Games of the project that stand for all here; for those with chance, which compile for long, a toy does."""


def outside(name):
    return load(FIXTURES / name).make()


def made(name):
    return outside(name) if name in OUTSIDE else envs.make(name, **SETTINGS.get(name, {}))


def marked(names):
    """All games of turns; those that others stand for are slow."""
    return [name if name in names else pytest.param(name, marks=pytest.mark.slow) for name in TURNS]


@pytest.fixture(params=[*marked(STANDING), "dice"], scope="module")
def game(request):
    return made(request.param)


def any_legal(game, key, state):
    """A uniformly random legal action; action 0 once the game has ended."""
    legal = game.legal_actions(state)
    return jnp.argmax(jnp.where(legal, jax.random.uniform(key, legal.shape), -1.0)).astype(jnp.int32)


@pytest.fixture(scope="module")
def histories(game):
    """Random games: states [PLIES + 1, GAMES], among them ended ones, and the actions between, [PLIES, GAMES]."""

    def one(key):
        def ply(state, key):
            action = any_legal(game, key, state)
            after = game.step(state, action, key)
            return after, (after, action)

        first = game.init(key)
        _, (states, actions) = jax.lax.scan(ply, first, jax.random.split(key, PLIES))
        return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, states), actions

    play = jax.jit(jax.vmap(one, out_axes=1))
    return jax.tree.map(np.asarray, play(keys()))


def keys():
    """Return key[GAMES], those of the random games."""
    return jax.random.split(jax.random.key(5), GAMES)


def flat(states):
    """All states of all games, on one axis."""
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)


def tried(game, legal):
    """int32[A]: all actions, legal or not; of many, some of both kinds."""
    if game.num_actions <= TRIED:
        return jnp.arange(game.num_actions, dtype=jnp.int32)
    order = jnp.argsort(~legal, stable=True)
    return jnp.concatenate([order[: TRIED // 2], order[-TRIED // 2 :]]).astype(jnp.int32)


def listed(game, state):
    """The list of moves of a state, as long as it can be, how many moves there are, and of a puzzle the keys after."""
    places = jnp.arange(game.most_choices, dtype=jnp.int32)
    said = {"moves": game.choices(state), "list": jax.vmap(game.choice, (None, 0))(state, places)}
    if isinstance(game, Puzzle):
        said["children"] = jax.vmap(lambda action: game.key(game.step(state, action, KEY)))(said["list"])
    return said


@pytest.fixture(scope="module")
def found(game, histories):
    """What the game says of each of all states [N], and of those after each action that is tried there, [N, A]."""

    def look(state):
        legal, ended = game.legal_actions(state), game.forfeit(state)
        after = jax.vmap(stepping(game), (None, 0))(state, tried(game, legal))
        return {
            "legal": legal,
            "score": game.score(state),
            "key": game.key(state),
            "after": after,
            "later": jax.vmap(game.key)(after),
            "forfeited": ended,
            **(listed(game, state) if isinstance(game, ListsMoves) else {}),
        }

    return jax.device_get(jax.jit(jax.vmap(look))(flat(histories[0])))


def test_it_starts_alike_unless_its_starts_are_drawn(game):
    begun = jax.device_get(jax.jit(jax.vmap(game.init))(jax.random.split(KEY, 16)))
    differs = any((x != x[:1]).any() for x in jax.tree.leaves(begun))
    assert differs == (game.starts == "drawn")


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


def test_is_a_game(game):
    assert lacks(type(game)) == {}
    assert hash(game) == hash(made(game.name))
    assert game == made(game.name)
    assert game.name in (*envs.available(), *OUTSIDE)
    assert game.version


def test_a_step_keeps_the_type_of_every_field(game):
    state = jax.eval_shape(game.init, jax.random.key(0))
    after = jax.eval_shape(game.step, state, jax.ShapeDtypeStruct((), np.int32), jax.random.key(0))
    ended = jax.eval_shape(game.forfeit, state)
    for made in (after, ended):
        assert jax.tree.leaves(made) == jax.tree.leaves(state)  # shape, dtype and weak type
    assert state.to_move == jax.ShapeDtypeStruct((), np.int32)
    assert state.terminated == jax.ShapeDtypeStruct((), np.bool_)
    assert state.returns == jax.ShapeDtypeStruct((game.seats,), np.float32)
    legal = jax.eval_shape(game.legal_actions, state)
    assert (legal.shape, legal.dtype) == ((game.num_actions,), np.bool_)
    assert jax.eval_shape(game.score, state) == jax.ShapeDtypeStruct((game.seats,), np.float32)
    assert jax.eval_shape(game.key, state).dtype == np.uint32


def test_one_trace_serves_a_whole_game_and_equals_the_same_game_in_a_batch(game, histories):
    states, actions = histories
    traces = 0

    @jax.jit
    def step(state, action, key):
        nonlocal traces
        traces += 1
        return game.step(state, action, key)

    for lane in (0, GAMES - 1):
        state, drawn = jax.jit(game.init)(keys()[lane]), jax.random.split(keys()[lane], PLIES)
        for ply in range(PLIES):
            state = step(state, actions[ply, lane], drawn[ply])
            assert same(state, jax.tree.map(lambda x, p=ply, n=lane: x[p + 1, n], states))
    assert traces == 1


@pytest.mark.parametrize(
    "game",
    marked(["mancala"]),
    indirect=True,
)
def test_eager_and_compiled_agree(game, histories):
    states, actions = histories
    for ply in range(0, PLIES, 20):
        before = jax.tree.map(lambda x, p=ply: jnp.asarray(x[p, 0]), states)
        after = game.step(before, jnp.asarray(actions[ply, 0]), jax.random.split(keys()[0], PLIES)[ply])
        assert same(after, jax.tree.map(lambda x, p=ply: x[p + 1, 0], states))


@pytest.mark.parametrize(
    "game",
    [
        *[pytest.param(envs.make(name), marks=() if name in STANDING else pytest.mark.slow) for name in TURNS],
        *map(outside, OUTSIDE),
        *[
            pytest.param(envs.make(name, **settings), marks=pytest.mark.slow, id=f"{name}-{settings}")
            for name, settings in VARIANTS
        ],
    ],
    ids=lambda game: game.name,
)
def test_an_action_changes_something_if_and_only_if_it_is_legal_whatever_number_it_is(game):
    width = game.num_actions
    numbers = np.r_[-(2**31), -width - 2 : 2 * width + 2, 2**31 - 1]
    if width > MANY:
        numbers = np.r_[
            numbers[:4], -1, width, numbers[-4:], np.random.default_rng(0).integers(-width, 2 * width, MANY)
        ]

    def changes(state, action):
        after = jax.tree.leaves(game.step(state, action, KEY))
        return jnp.stack([(a != b).any() for a, b in zip(jax.tree.leaves(state), after, strict=True)]).any()

    def one(key):
        def ply(state, key):
            legal = game.legal_actions(state)
            actions = jnp.concatenate([numbers.astype(np.int32), tried(game, legal)])
            said = jax.vmap(lambda action: is_legal(legal, action))(actions)
            changed = jax.vmap(lambda action: changes(state, action))(actions)
            expected = legal[actions.clip(0, width - 1)] & (actions >= 0) & (actions < width)
            return game.step(state, any_legal(game, key, state), key), (expected, said, changed)

        return jax.lax.scan(ply, game.init(key), jax.random.split(key, 2 * PLIES))[1]

    played = jax.jit(lambda keys: jax.lax.map(one, keys), compiler_options=FAST)
    expected, said, changed = jax.device_get(played(jax.random.split(KEY, 2)))
    assert expected.any()
    assert np.array_equal(said, expected)
    assert np.array_equal(changed, expected)


def test_random_games_end_within_the_test(game, histories):
    states, _ = histories
    # Half of the random games of Morpion Solitaire and of checkers take about 60 plies or more.
    assert states.terminated[-1].mean() > 0.1


def test_there_is_a_legal_action_until_the_end(histories, found):
    assert np.array_equal(found["legal"].any(1), ~flat(histories[0]).terminated)


def test_listed_moves_are_the_legal_actions_in_their_order(game, histories, found):
    live = ~flat(histories[0]).terminated
    if not isinstance(game, ListsMoves):
        pytest.skip("it lists no moves")
    for legal, moves, line in zip(found["legal"][live], found["moves"][live], found["list"][live], strict=True):
        assert moves <= game.most_choices
        assert line[:moves].tolist() == np.flatnonzero(legal).tolist()


def test_an_ended_game_stays_as_it_is(histories, found):
    states = flat(histories[0])
    ended, after, forfeited = (
        jax.tree.map(lambda x: x[states.terminated], some) for some in (states, found["after"], found["forfeited"])
    )
    for action in range(after.terminated.shape[1]):
        assert same(jax.tree.map(lambda x, a=action: x[:, a], after), ended)
    assert same(forfeited, ended)


def test_results_come_at_the_end_and_sum_to_zero_or_are_the_score_of_one(game, histories, found):
    states, score = flat(histories[0]), found["score"]
    assert np.isfinite(score).all()
    assert not states.returns[~states.terminated].any()
    assert set(np.unique(states.to_move)) == set(range(game.seats))
    if game.seats == 1:
        assert np.array_equal(states.returns[states.terminated], score[states.terminated])
        return
    assert set(np.unique(states.returns)) <= {-1.0, 0.0, 1.0}
    assert not states.returns.sum(1).any()


def test_forfeiting_loses_for_the_side_to_move_or_ends_a_game_for_one(game, histories, found):
    states = flat(histories[0])
    live, ended = (jax.tree.map(lambda x: x[~states.terminated], some) for some in (states, found["forfeited"]))
    rows = np.arange(len(live.to_move))
    assert ended.terminated.all()
    if game.seats == 1:
        assert np.array_equal(ended.returns, found["score"][~states.terminated])
        return
    assert (ended.returns[rows, live.to_move] == -1).all()
    assert (ended.returns[rows, 1 - live.to_move] == 1).all()


def futures(game, found):
    """What follows each state: the legal moves, and the keys after each; of a puzzle the keys alone, in any order."""
    if isinstance(game, Puzzle):
        listed = zip(found["children"], found["moves"], strict=True)
        return [np.array(sorted(map(bytes, keys[:moves]))) for keys, moves in listed]
    later = found["later"]
    return np.concatenate([found["legal"], found["after"].terminated, later.reshape(len(later), -1)], 1)


def test_equal_keys_mean_equal_continuations(game, histories, found):
    """States that share a key are one position: the same moves, and the same keys after each of them."""
    states, future = flat(histories[0]), futures(game, found)
    by_key = {}
    shared = 0
    for n, key in enumerate(map(bytes, found["key"])):
        if not states.terminated[n]:
            first = by_key.setdefault(key, n)
            shared += first != n
            assert np.array_equal(future[first], future[n])
    assert shared  # every game begins alike, so keys do repeat
    assert len(by_key) > GAMES


def test_an_unknown_game_is_named():
    with pytest.raises(ValueError, match=r"game=go: accepted: .*mancala"):
        envs.make("go")


@pytest.mark.parametrize("name", marked(STANDING))
def test_an_unknown_setting_is_named(name):
    with pytest.raises(ValueError, match=rf"game\.colour: unknown setting of {name}; accepted: "):
        envs.make(name, colour="red")
