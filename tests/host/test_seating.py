"""What a seat's options make of a player, as far as it shows without playing."""

import pytest

import envs
from envs.walls.opponents import majority
from jaxgp.errors import UsageError
from jaxgp.host import agents, seating
from jaxgp.host.deepening import deepening
from jaxgp.host.seats import Means, Seat, seated
from jaxgp.spec import cast
from tests.host import games
from tests.measure.test_solving import Tally
from tests.search.puzzles import Lamps

WALLS, KALAH, MORPION = (envs.spec(name) for name in ("walls", "mancala", "morpion"))


def test_a_deepening_search_ends_where_the_evaluator_proves_the_result():
    walls = WALLS.make(size=5)
    by_default = deepening(WALLS, walls, None, 6, "first", 2, 100)
    assert (by_default.certain, by_default.nodes, by_default.search.max_depth) == (25, 100, 6)
    assert by_default.search.game == majority(walls)
    assert not by_default.single
    unproved = deepening(WALLS, walls, "material", 6, "random", 2, single=True)
    assert (unproved.certain, unproved.search.game, unproved.search.ties) == (None, walls, "all")
    assert unproved.single
    assert deepening(KALAH, KALAH.make(), None, 1, "first", 2, None).certain is None
    with pytest.raises(UsageError, match=r"^evaluator=decided\|material: accepted: decided, material"):
        deepening(WALLS, walls, "decided|material", 6, "first", 2)


def test_own_options_come_before_shared_ones_and_those_before_the_usual():
    shared = Means(depth=5, strategy="fixed")
    player, opponent = seated((Seat("minimax", depth=2), Seat("strategy")), shared)
    assert (player.depth, player.ties, opponent.depth, opponent.strategy) == (2, "random", 5, "fixed")
    assert seated((Seat("human"),), Means())[0].depth == 8


def test_deepening_stops_at_a_single_best_move_only_where_all_best_moves_are_found():
    [player] = seated((Seat("deepening", single=True),), Means())
    assert seating.agent(player, "player", cast(WALLS), None).name == "deepening, until one move is best, 8 plies"
    with pytest.raises(UsageError, match=r"^single=true: player plays the first of equally good moves; accepted with "):
        seated((Seat("deepening", ties="first"),), Means(single=True))


def test_names_tell_what_plays():
    walls = cast(WALLS, WALLS.make(size=3))

    def named(**options):
        return seating.agent(Seat(depth=4, ties="random", **options), "player", walls, None)

    assert named(name="human") is None
    assert named(name="minimax").name == "minimax, 4 plies"
    assert named(name="deepening", nodes=9).name == "deepening, 9 nodes, 4 plies"
    assert named(name="strategy").name == "strategy fixed"
    assert named(name="random").name == "random"


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        (
            KALAH,
            "rules",
            "human, minimax, deepening, random, program, champion; mancala is played by programs, not by ",
        ),
        (KALAH, "strategy", "human, minimax, deepening, random, program, champion; mancala has no strategies"),
        (KALAH, "gtp", "human, minimax, deepening, random, program, champion; no engine outside plays mancala"),
        (MORPION, "minimax", "human, random, program, champion; morpion is a game for one"),
        (games.SPEC, "minimax", "human, random, program, champion; chance takes part in dice, so that no search plays"),
        (games.MUTE, "deepening", "human, random; dice has no evaluators, so that no search plays it"),
        (games.MUTE, "program", "human, random; no genomes play dice"),
    ],
)
def test_a_player_that_a_game_does_not_have_is_refused_with_those_that_it_has(spec, kind, message):
    with pytest.raises(UsageError) as raised:
        seating.agent(Seat(kind), "opponent", cast(spec), None)
    assert str(raised.value).startswith(f"opponent={kind}: accepted: {message}")


def test_names_of_players_are_fit_to_be_shown(tmp_path):
    file = tmp_path / "a\x1b[31m\nb.txt"
    file.write_text("- - - / - - - / - - - : turn-left")
    assert seating.agent(Seat("rules", rules=str(file)), "player", cast(WALLS), None).name == "rules a\ufffd[31m b"


def test_a_champion_that_finds_no_solution_says_so_before_the_game():
    found_nothing = agents.solo_agent(Tally(0, limit=6_000, game=Lamps()), None, "champion")
    assert found_nothing.remark == "champion finds no solution within 6,000 nodes"
