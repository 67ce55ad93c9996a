"""Boards of 8 x 8 cells that are drawn at random: mutations, what is kept, and the list that comes with the game."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rush_hour import boards
from envs.rush_hour.boards import parse
from jaxgp.errors import UsageError
from jaxgp.search.puzzles.breadth import explore
from studies.rush_hour import large as study
from studies.rush_hour.large import PARKING, Options

GENOME = jnp.asarray(PARKING.genome(study.embed(boards.find("JAM01"), study.SIZE)))


def test_no_mutation_changes_nothing_and_more_change_more():
    change = jax.jit(lambda number: study.mutated(jax.random.key(1), GENOME, number, 12))
    vehicles = [{one for one in np.asarray(change(number)).tolist() if one >= 0} for number in (0, 1, 12)]
    before = {one for one in np.asarray(GENOME).tolist() if one >= 0}
    assert vehicles[0] == before
    assert len(vehicles[1] ^ before) <= 2
    assert len(vehicles[2] ^ before) > 2


def test_candidates_are_boards_that_can_be_read_and_the_seed_draws_them():
    one = [PARKING.board(genome).text for genome in np.asarray(study.drawn(Options(candidates=20)))]
    assert [parse(text).text for text in one] == one
    again, other = (np.asarray(study.drawn(Options(candidates=20, seed=seed))) for seed in (0, 1))
    assert [PARKING.board(genome).text for genome in again] == one
    assert [PARKING.board(genome).text for genome in other] != one


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"^save=.*: cannot be written \(No such file or directory\)"):
        study.task(Options(save=str(tmp_path / "nowhere" / "large.txt")))


def test_the_list_is_made_of_candidates():
    drawn = {PARKING.board(genome).text for genome in np.asarray(study.drawn(Options()))}
    known = boards.shipped("BIG")
    assert {board.text for board in known} <= drawn
    assert len({board.layout for board in known}) == len(known) > 50
    assert min(board.moves for board in known) == Options().moves


@pytest.mark.slow
def test_few_candidates_are_searched_and_written(tmp_path):
    options = Options(save=str(tmp_path / "large.txt"), candidates=12, moves=2, room=4096, cores=1)
    assert study.task(options) == 0
    lines = [line.split() for line in (tmp_path / "large.txt").read_text().splitlines() if not line.startswith("#")]
    assert lines
    for name, cells, moves, *_ in lines:
        board = parse(cells, name)
        assert explore(study.GAME, study.GAME.position(board), nearest=True).distance == int(moves) >= 2
