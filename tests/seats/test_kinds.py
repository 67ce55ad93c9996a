"""What the options of a player make of it, as far as it shows without playing."""

from dataclasses import replace

import pytest

import envs
from envs.walls.opponents import majority
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.options import check
from jaxgp.seats import agents
from jaxgp.seats.deepening import deepening
from jaxgp.seats.options import PlayerOptions, parse_player, player
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


def test_deepening_stops_at_a_single_best_move_only_where_all_best_moves_are_found():
    walls = cast(WALLS)
    agent = player("deepening", single=True, ties="random").agent("player", walls)
    assert agent.name == "deepening, until one move is best, 8 plies"
    with pytest.raises(UsageError, match=r"^player\.single=true: accepted: false with player\.ties=first, "):
        check(player("deepening", single=True), "player.")


def test_names_tell_what_plays():
    walls = cast(WALLS, WALLS.make(size=3))

    def named(word, **options):
        return replace(parse_player("player", word, PlayerOptions), **options).agent("player", walls)

    assert named("human") is None
    assert named("search:4").name == "search, 4 plies"
    assert named("deepening:4", nodes=9).name == "deepening, 9 nodes, 4 plies"
    assert named("strategy").name == named("strategy:fixed").name == "strategy fixed"
    assert named("random").name == "random"


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        (KALAH, "strategy", "search, champion, deepening, human, program, random; mancala has no strategies"),
        (KALAH, "engine", "search, champion, deepening, human, program, random; no engine outside plays mancala"),
        (MORPION, "search", "champion, human, program, random; morpion is a game for one"),
        (games.SPEC, "search", "champion, human, program, random; chance takes part in dice, so that no search plays"),
        (games.MUTE, "deepening", "human, random; dice has no evaluators, so that no search plays it"),
        (games.MUTE, "program", "human, random; no genomes play dice"),
    ],
)
def test_a_player_that_a_game_does_not_have_is_refused_with_those_that_it_has(spec, kind, message):
    with pytest.raises(UsageError) as raised:
        player(kind).agent("opponent", cast(spec))
    assert str(raised.value).startswith(f"opponent.kind={kind}: accepted: {message}")


def test_names_of_players_are_fit_to_be_shown(tmp_path):
    file = tmp_path / "a\x1b[31m\nb.txt"
    file.write_text("- - - / - - - / - - - : turn-left")
    assert player("program", file=str(file)).agent("player", cast(WALLS)).name == "program a\ufffd[31m b"


def test_a_champion_that_finds_no_solution_says_so_before_the_game():
    found_nothing = agents.solo_agent(Tally(0, limit=6_000, game=Lamps()), None, "champion")
    assert found_nothing.remark == "champion finds no solution within 6,000 nodes"
