"""Boards as genomes: embedding, mutation, and that every mutant is a board that can be read."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rush_hour.boards import find, parse, read_shipped, target_row
from envs.rush_hour.mutation import Parking, embed
from envs.rush_hour.rules import RushHour
from jaxgp.search.puzzles.breadth import explore

PARKING = Parking(RushHour(size=8, board=embed(find("JAM01")).text))
MUTATE = jax.jit(jax.vmap(PARKING.mutate, in_axes=(0, None)))


def mutants(board, count, seed=0):
    """Mutants of a board of 8 x 8 cells, and whether each mutation was possible."""
    genomes, possible = MUTATE(jax.random.split(jax.random.key(seed), count), jnp.asarray(PARKING.genome(board)))
    return [PARKING.board(genome) for genome in np.asarray(genomes)], np.asarray(possible)


def test_an_embedded_board_has_a_ring_of_empty_cells_and_x_in_the_row_of_the_exit():
    rows = ["........", ".AA...O.", ".P..Q.O.", ".PXXQ.O.", ".P..Q...", ".B...CC.", ".B.RRR..", "........"]
    board = embed(find("JAM01"))
    assert board.text == "".join(rows)
    assert board.vehicles[0].line == target_row(8) == 3
    assert parse(board.text, "JAM01") == board
    with pytest.raises(ValueError, match="size=7: accepted: 6 and more, by an even number"):
        embed(find("JAM01"), 7)


def test_a_genome_is_the_board_and_its_position_that_of_the_rules():
    for board in map(embed, read_shipped("JAM")[::8]):
        genome = PARKING.genome(board)
        again = PARKING.board(genome)
        assert again.layout == board.layout
        assert parse(again.text) == again  # letters keep the order of the vehicles
        position, made = PARKING.game.position(board), PARKING.state(jnp.asarray(genome))
        for name in ("positions", "lengths", "lines", "vertical", "terminated", "last", "count"):
            np.testing.assert_array_equal(getattr(made, name), getattr(position, name))
            assert getattr(made, name).dtype == getattr(position, name).dtype


@pytest.mark.slow
def test_an_evolved_board_takes_the_moves_of_its_list():
    board = read_shipped("EVO")[-1]
    shortest = explore(PARKING.game, PARKING.game.position(board), nearest=True)
    assert (shortest.distance, shortest.expanded, shortest.complete) == (board.moves, 67_413, True)


def test_a_mutation_adds_swaps_or_deletes_one_vehicle_and_leaves_x():
    board = PARKING.board(PARKING.genome(embed(find("JAM01"))))
    plain = [(one.vertical, one.line, one.start, one.length) for one in board.vehicles]
    made, possible = mutants(board, 600)
    assert possible.all()
    grown = Counter(len(one.vehicles) - len(plain) for one in made)
    assert all(150 < grown[change] < 250 for change in (-1, 0, 1))
    for one in made:
        assert parse(one.text) == one  # no overlap, nothing horizontal between X and the exit
        there = [(v.vertical, v.line, v.start, v.length) for v in one.vehicles]
        assert there[0] == plain[0]
        if len(there) == len(plain):
            assert sum(a != b for a, b in zip(there, plain, strict=True)) <= 1
        else:
            fewer, more = sorted((there, plain), key=len)
            assert [v for v in more if v in fewer] == fewer
    assert {one.line for board in made for one in board.vehicles[1:]} == set(range(8))


def test_nothing_horizontal_is_put_between_x_and_the_exit_but_left_of_x_it_may_be():
    alone = parse("." * 26 + "XX" + "." * 36)
    made, _ = mutants(alone, 2000)
    added = [board.vehicles[1] for board in made if len(board.vehicles) == 2]
    assert {one.start for one in added if (one.vertical, one.line) == (False, 3)} == {0}  # the two cells left of X


def test_where_nothing_can_be_done_the_board_stays():
    alone = parse("." * 24 + "XX" + "." * 38)
    made, possible = mutants(alone, 300)
    assert 150 < (~possible).sum() < 250  # to swap or to delete
    assert all((len(one.vehicles) == 1) == (not done) for one, done in zip(made, possible, strict=True))


def test_nothing_is_added_to_a_full_board():
    rows = ["AABBCCDD", "EEFFGGHH", "IIJJKKLL", "XXMNPQRS", "TTMNPQRS", "UUVVWWYY", "ZZaabbcc", "ddeeffgg"]
    board = parse("/".join(rows))
    assert len(board.vehicles) == PARKING.game.vehicles
    made, possible = mutants(board, 300)
    assert 60 < (~possible).sum() < 140
    assert Counter(len(one.vehicles) for one in made).keys() == {31, 32}
    assert all(parse(one.text) == one for one in made)
