"""What programs that value moves of Othello see and do: against the plain reference of the tests, square by square."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.othello.leaves import Options as LeafOptions
from envs.othello.leaves import primitive_set as leaf_set
from envs.othello.moves import Options, outcome, primitive_set, view
from envs.othello.roles import MOVE
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from tests.envs.othello.drawings import as_reference, read
from tests.envs.othello.sights import plainly, positions, seen_by
from tests.envs.replays import FAST, KEY
from tests.reference import othello as reference

MOVES = 40
"""More than there are in any position."""


def try_all(game, options, states):
    """Return how many choices there are, all outcomes: moves [N, MOVES] and features [N, MOVES, F]."""

    def one(state):
        return game.choices(state), jax.vmap(lambda place: outcome(game, options, state, place))(np.arange(MOVES))

    count, (moves, seen) = jax.jit(jax.vmap(one), compiler_options=FAST)(states)
    return np.asarray(count), np.asarray(moves), np.asarray(seen)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("features", "size", "count"),
    [
        ("regions", 6, 20),
        ("original", 8, 20),
        ("few", 8, 20),
        pytest.param("regions", 8, 40, marks=pytest.mark.slow),
    ],
)
def test_programs_see_what_the_reference_counts_after_each_move(features, size, count):
    game, options = envs.make("othello", size=size), Options(features=features)
    names = [p.name for p in primitive_set(game, options).terminals if p.feature is not None]
    states, told = positions(size, 5, count)
    many, moves, seen = try_all(game, options, states)
    for i, position in enumerate(told):
        legal = reference.moves(position)
        assert [reference.action(size, move) for move in legal] == moves[i, : many[i]].tolist()
        for move, found in zip(legal, seen[i], strict=False):
            assert found.tolist() == seen_by(features, names, reference.play(position, move), position.seat)


@pytest.mark.thorough
@pytest.mark.parametrize("features", ["original", pytest.param("few", marks=pytest.mark.slow)])
def test_a_view_is_what_was_seen_after_the_move_that_led_there(features):
    game, options = envs.make("othello"), Options(features=features)
    states = positions(8, 5, 40)[0]
    passing = read("XO" + "." * 62, to_move=1)[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, passing)
    _, moves, seen = try_all(game, options, states)

    def after(state, moves):
        following = jax.vmap(lambda move: game.step(state, move, KEY))(moves)
        return jax.vmap(lambda s: view(game, options, s))(following), following.terminated

    found, ended = jax.jit(jax.vmap(after), compiler_options=FAST)(states, moves)
    np.testing.assert_array_equal(found, seen)
    assert ended.any()


def test_a_pass_is_a_choice():
    game, state = read("XO.." + "...." + "...." + "....", to_move=1)
    many, moves, seen = try_all(game, Options(), jax.tree.map(lambda x: x[None], state))
    assert (many[0], moves[0, 0], seen[0, 0].tolist()) == (1, 16, [1, 1, 0, 1, 1, 1, 1, 0])


def test_the_original_set_has_thirteen_primitives():
    game = envs.make("othello")
    original = [p.name for p in primitive_set(game, Options()).primitives]
    assert len(original) == 13
    assert original[-5:] == ["TEN", "+", "-", "*", "%"]
    regions = primitive_set(game, Options(features="regions", noop_bits=2))
    assert regions.num_terminals == 2 * 10 + 1
    assert [p.name for p in regions.functions[4:]] == ["B0", "B1", "B00", "B01", "B10", "B11"]
    assert primitive_set(game, Options(features="few")).num_terminals == 2 * 4 + 1


def test_sets_that_mean_different_things_have_different_versions():
    game, made = envs.make("othello"), set()
    for features in ("original", "regions", "few"):
        for weights in ("none", "path", "noops"):
            made.add(primitive_set(game, Options(features=features, weights=weights, noop_bits=1)).version)
    for features in ("position", "position_corners", "position_regions"):
        made.add(leaf_set(game, LeafOptions(features=features)).version)
    assert len(made) == 12


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"features": "all"}, "program.features=all: accepted: original, regions, few"),
        (
            {"features": "position"},
            "program.features=position: accepted: original, regions, few; with program.role=leaf it is one",
        ),
        ({"weights": "depth"}, "program.weights=depth: accepted: none, path, noops"),
        ({"noop_bits": 3}, "program.noop_bits=3: accepted: a whole number from 0 to 2"),
        ({"noop_bits": 1.0}, "program.noop_bits=1.0: accepted: a whole number from 0 to 2"),
        (
            {"weights": "noops"},
            "program.noop_bits=0: accepted: a whole number from 1 to 2 with program.weights=noops",
        ),
        (
            {"role": "leaf", "weights": "path"},
            "program.weights: unknown option of program.role=leaf; program.role=move has it; accepted: features, depth",
        ),
        ({"role": "leaf", "depth": 0}, "program.depth=0: accepted: a whole number from 1 to 12"),
        (
            {"role": "leaf", "features": "few"},
            "program.features=few: accepted: position, position_corners, position_regions; "
            "with program.role=move it is one",
        ),
    ],
)
def test_wrong_options_say_what_is_accepted(values, message):
    with pytest.raises(ValueError, match="program") as found:
        cast(envs.spec("othello"), role=values.pop("role", None), values=values)
    assert str(found.value) == message


TEXTS = [
    "own",
    "10",  # all moves are equal
    "(- other_corners own)",
    "(% own_edges (- own own))",
    "(- (* own (* own_near_corners 10)) (* other other_edges))",
    "(% (+ own_corners own_edges) (- other own_edges))",
    "(- HUGE HUGE)",  # no number, or zero
    "(- (- HUGE HUGE) other_edges)",
    "(* HUGE (- own own_edges))",  # infinities of both signs
]
HUGE = "own_edges"
for _ in range(7):
    HUGE = f"(* {HUGE} {HUGE})"


@pytest.mark.thorough
def test_the_player_plays_what_one_by_one_evaluation_finds_best():
    """Many programs and games at once; ties and values that are no numbers among them."""
    game = envs.make("othello")
    language, player = MOVE.make(game, Options())
    texts = [text.replace("HUGE", HUGE) for text in TEXTS]
    programs = [parse_program(language, text, 600) for text in texts]
    names = [p.name for p in language.terminals if p.feature is not None]
    states, told = positions(8, 9, 24)
    passing = read("XO" + "." * 62, to_move=1)[1]
    states = jax.tree.map(lambda x, y: np.concatenate([x, y[None]]), states, passing)
    told.append(as_reference(game, passing))
    active = np.arange(len(told)) != 3

    def act(programs, states):
        plans = player.prepare(programs)
        assert player.count(plans) == len(texts)
        rows = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(texts), *x.shape)), states)
        return player.act(
            plans, rows, np.zeros((len(texts), len(told)), np.uint32), np.broadcast_to(active, (len(texts), len(told)))
        )

    stacked = jax.tree.map(lambda *x: np.stack(x), *programs)
    moves, legal = jax.jit(act, compiler_options=FAST)(stacked, states)
    moves = moves[..., 0]
    assert legal.all()
    richest = 0
    for j, position in enumerate(told):
        options = reference.moves(position)
        richest = max(richest, len(options))
        sights = [
            dict(zip(names, seen_by("original", names, after, position.seat), strict=True))
            for after in (reference.play(position, move) for move in options)
        ]
        for i, text in enumerate(texts):
            values = [plainly(text, sight) for sight in sights]
            worth = [-np.inf if np.isnan(v) else v for v in values]
            best = options[worth.index(max(worth))]
            if active[j]:
                assert int(moves[i, j]) == reference.action(8, best), (text, position)
    assert richest > 8  # more than are tried at a time
