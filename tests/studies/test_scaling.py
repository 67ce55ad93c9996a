"""Fitted laws on made-up times, and the counts of real games."""

import csv
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.walls.primitives import Options
from studies.growth import report, scaling
from studies.growth import walls_players as players
from studies.growth.scaling import Case, Measured, Mover

SIZES = (3, 5, 7, 9, 11)
GAME = envs.make("walls", size=3)


def made_up(name, size, seconds):
    return Measured(
        Case(None, size, Mover(name, None, np.zeros(1), "rules", "O(N^2)")),
        30.0,
        10.0,
        2.0 * size,
        seconds,
        tuple(second / 2 for second in seconds),
    )


@pytest.mark.parametrize("form", ["power", "exponential"])
def test_a_law_is_found_again(form):
    values = [2e-3 * (n**1.5 if form == "power" else np.exp(0.4 * n)) for n in SIZES]
    best, other = scaling.fit(SIZES, values)
    assert best.form == form
    assert best.factor == pytest.approx(2e-3)
    assert best.rate == pytest.approx(1.5 if form == "power" else 0.4)
    assert best.low == pytest.approx(best.rate)
    assert best.r2 == pytest.approx(1)
    assert other.r2 < best.r2
    assert best.at(np.array(SIZES)) == pytest.approx(values)
    assert str(best) == ("0.002 N^1.50" if form == "power" else "0.002 exp(0.400 N)")


def test_equal_values_are_a_flat_line():
    assert [law.r2 for law in scaling.fit(SIZES, [3.0] * 5)] == [1, 1]
    assert [law.rate for law in scaling.fit(SIZES, [3.0] * 5)] == [0, 0]


@pytest.mark.parametrize(("sizes", "values"), [((3, 5), (1.0, 2.0)), (SIZES, (0.0, 1.0, 1.0, 1.0, 1.0))])
def test_too_few_sizes_or_zeros_have_no_law(sizes, values):
    assert scaling.fit(sizes, values) == ()


def test_moves_and_operations_are_those_of_the_games():
    def act(genome, state):
        return jnp.int32(1), genome  # turns on the spot: stalled after 9 moves

    turner = Mover("turner", act, np.array([7, 5], np.int32), "units", "constant")
    [found] = scaling.measure([Case(GAME, 3, turner)], games=4, repeats=2, seed=0)
    assert found.moves == 9
    assert found.operations == 9 * 6  # genomes take turns
    assert found.plies > 18
    assert len(found.seconds) == 2
    assert min(found.seconds) > 0
    assert len(found.own) == 2
    assert min(found.own) > 0


def test_games_at_once_are_the_same_games():
    case = Case(GAME, 3, players.fixed(GAME, "fixed"))
    alone, together = (scaling.series(case, 6, 0, batched)() for batched in (False, True))
    for a, b in zip(alone.__dict__.values(), together.__dict__.values(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert (alone.plies <= GAME.stall * (GAME.area + 2)).all()  # the bound that the derivation gives


def test_a_player_that_meets_itself_makes_all_moves_of_a_game_from_both_seats():
    case = Case(GAME, 3, players.fixed(GAME, "fixed"), players.opponent(GAME, "fixed"))
    found = scaling.series(case, 4, 0)()
    assert set(found.plies.tolist()) == {int(found.moves[0] + found.moves[1])}, "nothing is random"
    assert found.plies[0] > 18, "more than two players that stall at once"
    alike = Case(GAME, 3, Mover("random moves", None, np.zeros(1), "none", ""), players.opponent(GAME, "random"))
    assert len(set(scaling.series(alike, 8, 0)().plies.tolist())) > 1


@pytest.mark.parametrize(
    ("text", "count", "action"),
    [
        ("- # - / - N - / - - - : turn-left", 1, 1),
        ("- 0 - / - N - / - - - : turn-left\n- # - / - N - / - - - : turn-right", 3, 2),
        ("0 - A / - N - / - - - : turn-left\n- - - / 0 N B / - - - : turn-right", 4, 0),
    ],
)
def test_readings_are_counted_up_to_the_first_that_matches(text, count, action):
    """At the opening the edge is ahead, and empty squares are at both sides; each rule is read twice."""
    sight = Options(mask=3, matching="symmetric")
    mover = players.evolved(GAME, players.Evolved("champion", sight, 3, text))
    one = jax.tree.map(lambda x: x[0], mover.genomes)
    assert [int(x) for x in mover.act(one, GAME.init(jax.random.key(0)))] == [action, count]


def test_own_moves_are_made_again_without_the_game():
    """As many as were made in the games, and the same ones."""
    case = Case(GAME, 3, players.fixed(GAME, "fixed"), players.opponent(GAME, "fixed"))
    found = scaling.series(case, 2, 0)()
    actions = scaling.moments(case, 2, 0, int(found.plies.max()))()
    assert len(actions) == int(found.moves.sum())
    assert set(np.asarray(actions).tolist()) == {0, 1, 2}


def test_the_players_of_walls_are_named_by_what_they_are():
    movers = players.movers(GAME, masks=[3, 5], lengths=[4], depths=[2, 3], lists=2, seed=0)
    names = [mover.name for mover in movers]
    assert names == [
        "random moves",
        "strategy fixed of N = 3",
        "strategy forward",
        "rule list M=3 R=4",  # M = 5 does not fit
        "search d=2",
        "search d=3",
    ]
    assert movers[-1].act is movers[-2].act


def test_tables_and_picture(tmp_path):
    found = [made_up("a", n, (n**2 * 1e-3, n**2 * 1.1e-3, n**2 * 2e-3)) for n in SIZES]
    report.save(tmp_path, found, {1: (1e-3,), 10: (2e-4,)}, {"options": {}}, "Times")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(report.NAMES)
    rows = list(csv.DictReader((tmp_path / "scaling.csv").open()))
    assert [int(row["size"]) for row in rows] == list(SIZES)
    assert float(rows[0]["seconds"]) == pytest.approx(9 * 1.1e-3)
    assert float(rows[0]["own_seconds"]) == pytest.approx(9 * 0.55e-3)
    content = json.loads((tmp_path / "scaling.json").read_text())
    [growth] = content["growth"]
    assert growth["seconds"][0]["form"] == "power"
    assert growth["seconds"][0]["rate"] == pytest.approx(2)
    assert content["batches"][1] == {"games": 10, "seconds": 2e-4, "repeats": [2e-4]}
    said = "\n".join(report.lines(found, {1: (1e-3,)}))
    assert "0.0011 N^2.00 (1.000), " in said
    assert "O(N^2)" in said
