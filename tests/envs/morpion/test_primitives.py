"""Programs that play as they are walked through, against a walk of their trees in plain Python."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.morpion import choice, primitives
from envs.morpion.primitives import Options
from envs.morpion.roles import WALK
from jaxgp.errors import show
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.options import make_unchecked
from tests.envs.morpion.drawings import action, line, points
from tests.envs.replays import FAST, KEY
from tests.reference.morpion import Walk

EVERYTHING = Options(best=True, max_neighbours=True)
OTHERS = Options(closest_to_last=False, furthest_diagonal=True, random_move=True)
"""What the report expects to do as well as getClosestToLast."""
CAPACITY = 256
"""Of the programs that are written out: one for all, so that one compiled walk follows them."""


@cache
def walker(game, options):
    return WALK.make(game, options)[1]


def nested(primitive_set, program, n):
    """One program of a population as the reference takes it."""
    stack = []
    for node in range(int(program.length[n, 0])):
        primitive = primitive_set.primitives[int(program.opcode[n, 0, node])]
        if primitive.args:
            args = stack[-primitive.arity :]
            del stack[-primitive.arity :]
            stack.append((primitive.name, *args))
        elif primitive.domain:
            stack.append(primitive.domain.point(program.value[n, 0, node]))
        else:
            stack.append(primitive.name)
    return stack[0]


def check_programs(game, settings, count, seed, depth=5):
    """Play random programs both ways; return the greatest score."""
    player = walker(game, settings)
    creation = CreationOptions(method="ramped", min_depth=0, max_depth=depth)

    def made_and_played(key):
        programs = create(key, player.primitives, creation, count, 384)
        return programs, player.play(player.prepare(programs))

    run = jax.jit(made_and_played, compiler_options=FAST)
    programs, played = jax.tree.map(np.asarray, run(jax.random.key(seed)))
    most = 0
    for n in range(count):
        grid = (*game.origin, game.size)
        walk = Walk(nested(player.primitives, programs, n), game.variant == "5T", grid, moving=settings.moving)
        score = len(walk.position.lines)
        state = jax.tree.map(lambda x, n=n: x[n], played.states)
        assert played.plies[n] == state.count == score
        assert points(game, state.crosses) == walk.position.crosses
        assert tuple(state.last) == walk.current
        assert bool(state.terminated) == (not walk.position.moves())
        most = max(most, score)
    return most


@pytest.mark.slow
def test_random_programs_play_as_the_listing_says():
    assert check_programs(envs.make("morpion"), Options(), 24, seed=1) > 40


@pytest.mark.slow
def test_random_programs_with_points_around_the_middle_play_as_the_reference_says():
    assert check_programs(envs.make("morpion", variant="5D", size=41), Options(moving=True), 24, seed=4) > 30


@pytest.mark.thorough
def test_random_programs_with_a_diagonal_and_a_random_move_play_as_the_reference_says():
    assert check_programs(envs.make("morpion", variant="5D", size=41), OTHERS, 24, seed=5) > 30


@pytest.mark.slow
def test_random_programs_with_all_terminals_play_as_the_reference_says():
    assert check_programs(envs.make("morpion"), EVERYTHING, 16, seed=2, depth=4) > 30


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"variant": "5D"}, {"size": 41}])
@pytest.mark.parametrize(
    "settings",
    [Options(), Options(moving=True), EVERYTHING, OTHERS],
    ids=["points and last", "around the middle", "everything", "diagonal and random"],
)
def test_many_random_programs_play_as_the_listing_says(options, settings):
    assert check_programs(envs.make("morpion", **options), settings, 1000, seed=3) > 50


def play(text):
    """The moves of one program, as lines."""
    game = envs.make("morpion")
    player = walker(game, EVERYTHING)
    program = parse_program(player.primitives, text, CAPACITY)
    made = player.record(program)
    return [line(game, number) for number, _ in made]


@pytest.mark.thorough
def test_the_last_point_of_a_program_is_not_played():
    assert play("[20,20]") == []
    assert play("(progn2 [20,20] [20,23])") == [((16, 20), (1, 0))]
    assert len(play("(progn3 [20,20] [20,23] [21,23])")) == 2
    # Handed on by the inner function, played by the outer one.
    assert len(play("(progn2 (progn2 [20,20] [20,23]) getClosestToLast)")) == 3
    # Handed to nobody.
    assert len(play("(progn2 getBest (progn2 [20,20] [20,23]))")) == 2


def test_terminals_other_than_points_play_at_once_even_at_the_end():
    assert len(play("(progn2 [20,20] getClosestToLast)")) == 2
    assert len(play("getBest")) == 1
    assert len(play("getMaxNeighb")) == 1


def test_closest_to_last_does_nothing_before_the_first_move():
    assert play("getClosestToLast") == []
    assert play("(progn3 getClosestToLast [20,20] getClosestToLast)") == play("(progn2 [20,20] getClosestToLast)")


def test_a_point_plays_the_closest_line_and_the_least_direction_among_equals():
    # (18,24) lies on a rising diagonal only; (16,24) and (19,27) are the ends of vertical edges.
    assert play("(progn2 [18,24] [15,16])") == [((16, 22), (1, 1))]
    assert play("(progn2 [16,24] [15,16])") == [((16, 20), (0, 1))]
    # [17,24] is one step from (16,24) and (18,24): rising diagonals come before vertical lines.
    assert play("(progn2 [17,24] [15,16])") == [((16, 22), (1, 1))]


def test_nothing_happens_after_the_end():
    chain = "getClosestToLast"
    for _ in range(8):
        chain = f"(progn3 {chain} {chain} getClosestToLast)" if len(chain) < 1500 else chain
    game = envs.make("morpion")
    player = walker(game, EVERYTHING)
    program = parse_program(player.primitives, f"(progn2 [20,20] {chain})", CAPACITY)
    moves = player.record(program)
    walk = Walk(nested(player.primitives, jax.tree.map(lambda x: x[None], program), 0))
    assert not walk.position.moves()
    assert [number for number, _ in moves] == [action(game, (start, step)) for start, step, _ in walk.position.lines]
    assert player.primitives.primitives[int(program.opcode[0, moves[0][1]])].name == "POINT"


def test_points_off_the_grid_have_a_closest_line_too():
    game = envs.make("morpion")
    find = jax.jit(lambda x, y: choice.closest(game, game.init(KEY), x, y))
    for x, y in ((-30, 10), (60, 60), (5, -30), (31, 60)):
        chosen = int(find(jnp.int32(x), jnp.int32(y)))
        walk = Walk((1, 1))
        left, bottom = game.origin
        new = {m: walk.new_cross(m) for m in walk.listed()}
        distance = {m: max(abs(x + left - u), abs(y + bottom - v)) for m, (u, v) in new.items()}
        assert line(game, chosen) == min(new, key=lambda m: (distance[m], walk.listed().index(m)))


def test_points_around_the_middle_are_written_as_steps_from_it():
    player = walker(envs.make("morpion"), Options(moving=True))
    text = "(progn2 [-6,6] [0,-1])"
    assert print_program(player.primitives, parse_program(player.primitives, text, 16)) == text


def test_programs_are_written_with_points():
    player = walker(envs.make("morpion"), Options())
    text = "(progn3 [15,16] (progn2 getClosestToLast [27,28]) [21,20])"
    program = parse_program(player.primitives, text, 16)
    assert print_program(player.primitives, program) == text
    for wrong, message in (
        ("[14,16]", r"expected a point from \[15,16\] to \[27,28\], found \[14,16\]"),
        ("[15,29]", r"expected a point from \[15,16\] to \[27,28\], found \[15,29\]"),
        ("17", r"expected a point from \[15,16\] to \[27,28\], found 17"),
        ("POINT", r"expected a point instead of POINT: a point from \[15,16\] to \[27,28\]"),
        ("[15, 16]", r"\[15, is not in the primitive set"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_program(player.primitives, wrong, 16)


@pytest.mark.thorough
def test_random_points_are_uniform_over_the_central_area():
    player = walker(envs.make("morpion"), Options(closest_to_last=False))
    creation = make_unchecked(CreationOptions, {"method": "full", "max_depth": 0})  # a single point
    programs = jax.jit(lambda key: create(key, player.primitives, creation, 16_900, 1))(jax.random.key(0))
    drawn = [primitives.AREA.point(value) for value in np.asarray(programs.value).ravel()]
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    assert {tuple(point) for point in found} == {(x, y) for x in range(15, 28) for y in range(16, 29)}
    # Chi-squared with 168 degrees of freedom: 240 is passed once in 5,000 times.
    assert ((counts - 100) ** 2 / 100).sum() < 240


@pytest.mark.parametrize("value", [0, 10, 1.5, True])
def test_a_wrong_range_is_refused(value):
    with pytest.raises(
        ValueError, match=rf"^program\.neighbour_range={show(value)}: accepted: a whole number from 1 to 9$"
    ):
        cast(envs.spec("morpion"), values={"neighbour_range": value})
