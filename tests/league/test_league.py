"""Leagues on tables made by hand, where it is known who has to go and when."""

import numpy as np
import pytest

from jaxgp.league.crosstable import CrossTable
from jaxgp.league.league import League, LeagueRules, Round, hold, season, standings
from jaxgp.statistics.draws import Draws


def table(results):
    """Make a table of one game each; row begins."""
    made = np.array(results, np.int8)[..., None]
    return CrossTable(made, (~np.eye(len(made), dtype=bool)).astype(np.int32))


def ladder(count):
    """Everybody beats all that come after it, from both seats."""
    place = np.arange(count)
    return table(np.sign(place[None, :] - place[:, None]))


def anyone(games, brackets=None, rules=None, seed=0, mode="anyone"):
    count = len(games.games)
    where = np.zeros(count, int) if brackets is None else np.array(brackets)
    return hold(games, where, mode, rules or LeagueRules(opponents=99), np.arange(count), Draws(seed))


def test_who_does_not_win_enough_goes_round_by_round():
    # Of 11 players number k wins 2 (10 - k) of 20 games. 60 percent are 12, which number 4 has, and that is not more.
    league = anyone(ladder(11))
    assert [one.players.tolist() for one in league.rounds] == [list(range(11)), [0, 1, 2, 3], [0, 1]]
    first = league.rounds[0]
    assert first.wins.tolist() == [20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0]
    assert (first.games == 20).all()
    # Of four the second wins 4 of 6 games, the third 2.
    assert league.rounds[1].wins.tolist() == [6, 4, 2, 0]
    assert (league.ending, league.winners.tolist()) == ("winner", [0])
    assert league.rank.tolist() == list(range(1, 12))


def test_a_share_equal_to_the_threshold_is_not_enough_and_just_below_is():
    assert anyone(ladder(11), rules=LeagueRules(0.6, 99)).rounds[1].players.tolist() == [0, 1, 2, 3]
    assert anyone(ladder(11), rules=LeagueRules(0.59, 99)).rounds[1].players.tolist() == [0, 1, 2, 3, 4]


def test_draws_are_no_wins_unless_they_are_halves():
    games = table([[0, 1, 0], [0, 0, 0], [0, 0, 0]])  # one game is won, five are drawn
    strict = anyone(games, rules=LeagueRules(0.6, 99))
    assert strict.rounds[0].wins.tolist() == [1, 0, 0]
    assert (strict.ending, strict.rank.tolist()) == ("nobody", [1, 2, 2])
    halves = anyone(games, rules=LeagueRules(0.6, 99, draw=0.5))
    assert halves.rounds[0].wins.tolist() == [2.5, 1.5, 2.0]
    assert (halves.ending, halves.rank.tolist()) == ("winner", [1, 3, 2])


def test_players_that_cannot_be_separated_share_a_place():
    circle = table([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    league = anyone(circle)
    assert (league.ending, league.rank.tolist(), league.winners.tolist()) == ("nobody", [1, 1, 1], [0, 1, 2])


def test_a_league_ends_after_its_last_round():
    # The threshold keeps everybody who wins at all, so the two best of three stay for ever.
    games = table([[0, 1, 1], [1, 0, 1], [-1, -1, 0]])
    league = anyone(games, rules=LeagueRules(0.4, 99, rounds=7))
    assert (league.ending, len(league.rounds)) == ("rounds", 7)
    assert league.rank.tolist() == [1, 1, 3]


def test_opponents_come_from_where_the_mode_says():
    # Everybody of bracket 0 beats everybody of bracket 1; within a bracket the lower number wins.
    brackets = [0, 1, 0, 1, 0]
    strength = np.array([brackets]).T * 10 + np.arange(5)[:, None]
    games = table(np.sign(strength.T - strength))
    everywhere = anyone(games, brackets)
    assert everywhere.rounds[0].games.tolist() == [8] * 5
    own = season(games, ["a", "b", "a", "b", "a"], "own", LeagueRules(opponents=99), 2, 0)
    assert [one.players.tolist() for one in own] == [[0, 2, 4], [1, 3]] * 2
    assert [one.winners.tolist() for one in own] == [[0], [1]] * 2
    assert own[0].rounds[0].games.tolist() == [4, 4, 4]
    others = anyone(games, brackets, mode="others")
    assert others.rounds[0].games.tolist() == [4, 6, 4, 6, 4]
    assert others.rounds[0].wins.tolist() == [4, 0, 4, 0, 4]
    # Three of a kind are left, who do not meet.
    assert (others.ending, others.rank.tolist()) == ("bracket", [1, 4, 1, 4, 1])


def test_opponents_are_drawn_without_repetition_and_all_equally_often():
    games, won = ladder(7), []
    for seed in range(400):
        first = anyone(games, rules=LeagueRules(0.6, 2, rounds=1), seed=seed).rounds[0]
        assert (first.games == 4).all()
        won.append(first.wins)
    # A player wins as often as it draws one of those below it; it draws two different ones, so the first of all but one
    # below the top wins two games or more.
    assert np.mean(won, 0) == pytest.approx(4 * (6 - np.arange(7)) / 6, rel=0.12, abs=1e-9)
    assert np.min(won, 0).tolist() == [4, 2, 0, 0, 0, 0, 0]


def test_of_games_with_chance_one_is_drawn():
    results = np.zeros((2, 2, 4), np.int8)
    results[0, 1], results[1, 0] = [1, -1, -1, -1], [-1, -1, -1, 1]
    games = CrossTable(results, np.array([[0, 4], [4, 0]]))
    won = [anyone(games, rules=LeagueRules(rounds=1), seed=seed).rounds[0].wins[0] for seed in range(300)]
    # The first player wins a quarter of the games that it begins and three quarters of the others.
    assert np.mean(won) == pytest.approx(1.0, abs=0.1)
    assert set(won) == {0.0, 1.0, 2.0}


def test_the_same_seed_gives_the_same_leagues():
    rng = np.random.default_rng(3)
    games = table(rng.integers(-1, 2, (12, 12)) * (1 - np.eye(12, dtype=int)))
    brackets = ["a"] * 6 + ["b"] * 6

    def told(seed):
        return [
            [one.wins.tolist() for one in league.rounds] for league in season(games, brackets, "others", R, 5, seed)
        ]

    R = LeagueRules(0.4, 3)
    assert told(1) == told(1) != told(2)
    assert told(1)[0] != told(1)[1], "each league has a schedule of its own"


def test_standings_sum_up_who_is_consistently_first():
    nothing = Round(np.array([0, 1, 2, 3]), np.ones(4, int), np.ones(4), np.array([True, True, False, False]))
    leagues = [
        League(np.arange(4), [nothing], np.array([1, 2, 3, 3]), "winner"),
        League(np.arange(4), [nothing, nothing], np.array([1, 4, 1, 3]), "nobody"),
    ]
    found = standings(leagues, 4)
    assert [one.won for one in found] == [1.5, 0, 0.5, 0]
    assert [one.mean_rank for one in found] == [1, 3, 2, 3]
    assert [one.last_half for one in found] == [1, 0.5, 0.5, 0]
    assert [one.rounds for one in found] == [1.5, 1.5, 0, 0]
    assert {one.first_five for one in found} == {1.0}
