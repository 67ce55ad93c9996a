"""What the fixed strategy of Walls scores, and the commands about its boards as a person types them."""

import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.walls.opponents import decided
from jaxgp.config import arguments
from jaxgp.operators.options import RuleCreation
from studies import series, walls_arena, walls_deepen, walls_solve


def still(states, bits):
    """Turn on the spot for ever."""
    return jnp.ones_like(states.to_move)


def run(command, *words):
    return arguments.main(command.Options, command.task, command.__doc__, words)


def test_games_are_counted_from_the_seat_of_the_player():
    game = envs.make("walls", size=3)
    fixed = walls_arena.fixed(game)
    np.testing.assert_array_equal(series.results(game, fixed, still, 2), [[2, 0, 0]] * 2)
    np.testing.assert_array_equal(series.results(game, still, fixed, 2), [[0, 0, 2]] * 2)


def test_every_game_of_the_table_is_counted(capsys):
    assert run(walls_arena, "games=4", "searched=4", "sizes=[3]", "depths=[1]") == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[0].partition(",")[0] for row in cells] == ["random moves", *["random rule lists"] * 2, "search"]
    for _, size, *seats in cells:
        counts = [list(map(int, seat.split(" + "))) for seat in seats]
        assert (size, list(map(sum, counts))) == ("3", [4, 4])


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 5])
def test_fixed_beats_random_rule_lists_and_random_moves(size):
    game, games = envs.make("walls", size=size), 100
    for opponent in (walls_arena.random_lists(game, games, RuleCreation(dont_care=0.8)), series.random_moves(game)):
        assert (series.results(game, walls_arena.fixed(game), opponent, games)[:, 0] >= 95).all()


@pytest.mark.slow
def test_fixed_beats_searches_more_often_than_not():
    game, games = envs.make("walls"), 200
    for depth in (2, 4, 6):
        won, _, lost = series.results(game, walls_arena.fixed(game), series.search(game, depth, decided), games).T
        assert (won > 2 * lost).all()


def test_the_opening_is_searched_until_the_time_is_up(monkeypatch, capsys):
    monkeypatch.setattr(walls_deepen, "TAIL", 1)  # compiles sooner
    assert run(walls_deepen, "size=3", "seconds=0") == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("1 plies: value 0, 1 nodes, ")
    assert last == "Time is up."


def test_the_value_of_a_board_is_said_for_both_who_may_begin(capsys):
    assert run(walls_solve, "stall=1") == 0
    assert capsys.readouterr().out.splitlines() == [
        "The player who begins draws (2 positions).",  # each walks once, and is stalled by its next move
        "The player on the left begins: forward forward",
        "The player on the right begins: forward forward",
    ]


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        (walls_arena, ["1000"], "1000: not an option; write option=value"),
        (walls_arena, ["games=many"], "games=many: accepted: a whole number"),
        (walls_arena, ["sizes=[3,3]"], "sizes=[3,3]: accepted: each number once"),
        (walls_arena, ["depths=[25]"], "depths=[25]: accepted: whole numbers from 1 to 24"),
        (walls_arena, ["searched=0"], "searched=0: accepted: a whole number from 1 to 100000"),
        (walls_deepen, ["five"], "five: not an option; write option=value"),
        (walls_deepen, ["size=4"], "size=4: accepted: an odd number from 3 to 99"),
        (walls_deepen, ["seconds=-1"], "seconds=-1.0: accepted: a number of seconds from 0"),
        (walls_solve, ["3"], "3: not an option; write option=value"),
        (walls_solve, ["size=2"], "size=2: accepted: an odd number from 3 to 99"),
        (walls_solve, ["stall=0"], "stall=0: accepted: a whole number from 1 to 999"),
        (walls_solve, ["stalls=2"], "stalls: unknown option; did you mean stall?"),
    ],
)
def test_a_wrong_word_is_answered_in_one_line(command, words, said, capsys):
    assert run(command, *words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {said}")
