"""What a seat's options make of a player, as far as it shows without playing."""

import pytest

import envs
from envs.walls.opponents import majority
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.host import seating
from jaxgp.host.seats import Seat, seated


def table(**game):
    return cast_of(Config(game=game), envs)


def test_a_deepening_search_ends_where_the_evaluator_proves_the_result():
    walls = table(name="walls", size=5)
    by_default = walls.deepening(None, 6, "first", 2, 100)
    assert (by_default.certain, by_default.nodes, by_default.search.max_depth) == (25, 100, 6)
    assert by_default.search.game == majority(walls.game)
    unproved = walls.deepening("material", 6, "random", 2, None)
    assert (unproved.certain, unproved.search.game, unproved.search.ties) == (None, walls.game, "all")
    assert table(name="mancala").deepening(None, 1, "first", 2, None).certain is None


def test_own_options_come_before_shared_ones():
    shared = Seat(depth=8, ties="random", strategy="fixed")
    player, opponent = seated((Seat("minimax", depth=2), Seat("strategy")), shared)
    assert (player.depth, player.ties, opponent.depth, opponent.strategy) == (2, "random", 8, "fixed")


def test_names_tell_what_plays():
    walls = table(name="walls", size=3)

    def named(**options):
        return seating.agent(Seat(depth=4, ties="random", **options), "player", walls, None)

    assert named(name="human") is None
    assert named(name="minimax").name == "minimax, 4 plies"
    assert named(name="deepening", nodes=9).name == "deepening, 9 nodes, 4 plies"
    assert named(name="strategy").name == "strategy fixed"
    assert named(name="random").name == "random"


def test_a_game_without_rules_or_strategies_has_no_such_players():
    for kind in ("rules", "strategy"):
        with pytest.raises(UsageError, match=rf"^opponent={kind}: accepted: human, .*; mancala "):
            seating.agent(Seat(kind, rules="x"), "opponent", table(name="mancala"), None)
