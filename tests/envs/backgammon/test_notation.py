"""Backgammon as other programs write it: positions by their identifiers, and matches."""

import re

import jax
import numpy as np
import pytest

import envs
from envs.backgammon.notation import ids
from envs.backgammon.notation.mat import FORMATS, placed, turns
from envs.backgammon.rules import BAR, Backgammon
from jaxgp.seats.agents import random_agent
from jaxgp.seats.moves import Stepper, game_key, play_on
from tests.envs.backgammon.positions import as_tuple, full, random_states, state_of
from tests.envs.replays import keys_of, random_games
from tests.reference import backgammon as reference

GAME = envs.make("backgammon")
OPENING = as_tuple(full(p24=2, p13=5, p8=3, p6=5))


@pytest.mark.parametrize(
    ("text", "seat", "dice"),
    [
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", 0, (3, 1)),
        ("-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:7:10", 1, None),
        ("4HPwATDgc/ABMA", 0, None),
        ("GNUBGID 4HPwATDgc/ABMA:cAkAAAAAAAAA", 0, None),
        ("4HPwATDgc/ABMA:cIkqAAAAAAAA", 0, (5, 2)),
        ("4HPwATDgc/ABMA:8IhuACAACAAE", 0, (5, 3)),  # of a match, whose score is passed over
        ("4HPwATDgc/ABMA==", 0, None),
    ],
)
def test_the_opening_is_read_from_every_identifier(text, seat, dice):
    assert ids.parse(text, 15) == (OPENING, OPENING, seat, dice)


def test_one_position_is_the_same_in_both_notations_of_other_programs():
    """Men on both bars, and a side that has borne off two."""
    text = "XGID=a-----B------------c----CB:0:0:1:63:0:0:0:0:10"
    mine = ids.parse(text, 15)
    assert mine.own[6] == 2
    assert (mine.own[25], mine.own[0]) == (2, 15 - 2 - 3 - 2)
    assert (mine.other[25], mine.other[BAR - 19]) == (1, 3)
    assert ids.parse(ids.gnubg_id(mine), 15) == mine


@pytest.mark.thorough
def test_gnubg_names_positions_alike():
    nn = pytest.importorskip("gnubg_nn", reason="the extra gnubg is not installed")
    for state in some_states(20):
        mine = placed(state)
        board = nn.board_from_position_id(ids.gnubg_id(mine).partition(":")[0])
        # gnubg's board: the opponent, then the side on roll; the points from 1 on, then the bar.
        assert [list(map(int, side)) for side in board] == [list(mine.other[1:]), list(mine.own[1:])]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("opening", "accepted: an XGID, or a position ID of GNU Backgammon"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:2:00", "XGID with turn 2; accepted: 1, X is on roll, and -1, O is"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:D", "XGID with dice D; accepted: two dice, as in 31, or 00"),
        ("XGID=-b----E-C---eE---c-e----BA:0:0:1:00", "a side has 16 men on the board; accepted: 1 to 15"),
        ("XGID=-b------------------------:0:0:1:00", "a side has 0 men on the board; accepted: 1 to 15"),
        ("XGID=A-----E-C---eE---c-e----B-:0:0:1:00", "the bar of O has men of the other side"),
        ("4HPwATDgc/ABM", "accepted: an XGID"),
        ("//////////////", "it has no 50 places; accepted"),
    ],
)
def test_what_is_no_position_is_refused_in_words(text, fault):
    with pytest.raises(ValueError, match=rf"^game\.position=.*: .*{fault}"):
        Backgammon(position=text)


def test_a_game_begins_with_the_position_that_is_asked_for():
    given = Backgammon(position="XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10")
    states = jax.device_get(jax.jit(jax.vmap(given.init))(jax.random.split(jax.random.key(0), 64)))
    assert (states.to_move == 1).all()
    assert (states.dice == [3, 1]).all()
    assert len(set(states.luck.tolist())) == 64
    rolled = Backgammon(position="4HPwATDgc/ABMA")
    dice = jax.device_get(jax.jit(jax.vmap(rolled.init))(jax.random.split(jax.random.key(0), 256))).dice
    assert {one * 10 + two for one, two in dice.tolist()} == {a * 10 + b for a in range(1, 7) for b in range(1, a + 1)}
    assert Backgammon("hypergammon", position="XGID=-aaa------------------AAA-:0:0:1:00").men == 3


def some_states(count, variant="standard"):
    """States of random games in which a turn begins."""
    states = random_states(100, 16 if count < 100 else 200, seed=4, variant=variant)
    whole = ~states.terminated & (states.left.sum(1) == np.where(states.dice[:, 0] == states.dice[:, 1], 4, 2))
    chosen = np.flatnonzero(whole)
    chosen = np.random.default_rng(0).permutation(chosen)[:count]
    assert len(chosen) == count
    return [jax.tree.map(lambda x, n=n: x[n], states) for n in chosen]


@pytest.mark.thorough
@pytest.mark.parametrize("variant", ["standard", "hypergammon"])
@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_positions_come_back_from_both_identifiers(variant, count):
    game = Backgammon(variant)
    for state in some_states(count, variant):
        here = placed(state)
        for text in (ids.xgid(here), ids.gnubg_id(here), ids.xgid(here._replace(dice=None))):
            assert ids.parse(text, game.men)._replace(dice=here.dice) == here
        assert ids.parse(ids.gnubg_id(here), game.men).dice == here.dice
        again = Backgammon(variant, position=ids.xgid(here))
        assert again.placed == here
    begun = jax.jit(again.init)(jax.random.key(0))
    assert placed(begun) == here
    assert np.array_equal(begun.moves, state_of(game, here.own, here.other, here.dice).moves)


@pytest.mark.thorough
def test_a_match_has_the_rolls_and_the_men_of_both_players():
    agent = random_agent(GAME)
    record = play_on(Stepper(GAME, game_key(3)), (agent, agent))
    states, actions = [move.state for move in record], [move.action for move in record[1:]]
    text = FORMATS[".mat"].write(GAME, ("Ann: A", "Bob"), states, actions)
    head, *rows, end, _ = text.split("\n")
    assert head == '; [Variation "Backgammon"]'
    assert rows[:5] == ["", " 0 point match", "", " Game 1", f" {'Ann  A : 0':<37}Bob : 0"]
    points = int(np.asarray(GAME.score(states[-1])).max())
    winner = int(states[-1].returns[1] > 0)
    assert end == " " * (5 + 33 * winner) + f"Wins {points} point{'s' * (points > 1)}"


@pytest.mark.thorough
@pytest.mark.parametrize("games", [5, pytest.param(1000, marks=pytest.mark.slow)])
def test_plain_python_plays_the_turns_of_a_match_to_the_same_end(games):
    for record in random_games(GAME, keys_of(5, games), 1000):
        states, actions = [move.state for move in record], [move.action for move in record[1:]]
        text = FORMATS[".mat"].write(GAME, ("A", "B"), states, actions)
        rows = re.findall(r"^ *\d+\) (.{33})?(.*)$", "\n".join(line.ljust(40) for line in text.splitlines()), re.M)
        found = [(seat, cell.strip()) for row in rows for seat, cell in enumerate(row) if cell.strip()]
        assert found == turns(states, actions)
        sides = [reference.start(), reference.start()]
        for seat, said in found:
            roll, *men = said.split()
            dice = [int(roll[0]), int(roll[1])] * (2 if roll[0] == roll[1] else 1)
            after = sides[seat], sides[1 - seat]
            for hop in men:
                start, end = map(int, hop.split("/"))
                after = reference.moved(*after, start, start - end)
            won = after[0][0] == 15
            assert won or after in reference.turns(sides[seat], sides[1 - seat], dice)
            sides[seat], sides[1 - seat] = after
        assert sides[found[-1][0]][0] == 15


def test_a_game_from_a_position_is_no_match_and_the_middle_of_a_turn_no_position():
    begun = Backgammon(position="4HPwATDgc/ABMA")
    with pytest.raises(ValueError, match=r"^\.mat has games from the opening; this one begins with a position$"):
        FORMATS[".mat"].write(begun, ("A", "B"), [], [])
    record = play_on(Stepper(GAME, game_key(0)), [random_agent(GAME)] * 2, max_plies=1)
    with pytest.raises(ValueError, match="the middle of a turn"):
        FORMATS[".xgid"].write(GAME, ("A", "B"), [record[-1].state], [])
    assert (
        FORMATS[".xgid"].write(GAME, ("A", "B"), [record[0].state], []).startswith("XGID=-b----E-C---eE---c-e----B-:")
    )
    assert FORMATS[".gnubgid"].write(GAME, ("A", "B"), [record[0].state], []).startswith("4HPwATDgc/ABMA:")
